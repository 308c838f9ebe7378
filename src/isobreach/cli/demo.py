# SPDX-License-Identifier: BSD-3-Clause
"""The demonstration: the audit of a bundled table, and one of its coalitions sent to attack in earnest."""

from pathlib import Path

import numpy as np

from isobreach import datasets
from isobreach._phrases import count, percent
from isobreach._random import generator
from isobreach._validation import check_epsilon, check_integer
from isobreach.attacks import attack
from isobreach.cli.audit import AuditJob
from isobreach.cli.console import Console
from isobreach.cli.gate import GateOptions
from isobreach.cli.tables import Data
from isobreach.errors import InputError
from isobreach.io import check_free
from isobreach.schemes import perturb

_TRIALS = 60
_NOISE_LEVELS = (0.1, 0.3, 0.5)
_TITLE = "Letter Recognition"
_SENT = 4  # insiders of the coalition that attacks


def run_demo(
    console: Console,
    insiders: int,
    epsilon: float,
    seed: int,
    out: Path | None,
    force: bool,
    typed: tuple[str, ...],
) -> None:
    """Audit Letter behind a rotation, write and name a report; then attack once and count."""
    check_epsilon(epsilon)
    check_integer("--seed", seed, least=0)
    letter = datasets.load("letter")
    rows, columns = letter.values.shape
    if not 1 <= insiders < rows:
        raise InputError("--known", f"must be between 1 and {rows - 1}", insiders)
    out = _free_folder() if out is None else out
    check_free(out, force=force)
    console.say(
        [
            f"Letter Recognition, {rows:,} records x {columns} attributes, is rotated by a secret matrix and shuffled.",
            f"Up to {count(insiders, 'insider')} pool their own records and look at the release.",
            _carried_out(letter.values, insiders, epsilon, seed),
            "",
        ]
    )
    options = {
        "scheme": "orthogonal",
        "epsilon": epsilon,
        "coalition_sizes": range(1, insiders + 1),
        "trials": _TRIALS,
        "noise_levels": _NOISE_LEVELS,
    }
    job = AuditJob(Data("letter"), options, GateOptions(None), out, force, seed, typed, "isobreach demo", _TITLE)
    job.run(console)
    if console.json_only:  # the folder may have been chosen here
        console.note(f"Report: {out / 'report.html'}")
    console.note(letter.citation)


def _carried_out(
    records: np.ndarray[tuple[int, ...], np.dtype[np.int64]], insiders: int, epsilon: float, seed: int
) -> str:
    """One of the audit's coalitions really attacks; what the owner, who has the key, can check."""
    release = perturb(records, "orthogonal", seed)
    chosen = generator(seed, "coalition").choice(len(records), insiders, replace=False)[:_SENT]
    result = attack(records[chosen], release.data, epsilon, motion="orthogonal", seed=seed)
    order, linked = release.key.order, result.linkage.linked
    right = int((result.linkage.rows[linked] == order[chosen[linked]]).sum())
    norms = np.linalg.norm(records, axis=1)
    hits = np.linalg.norm(result.estimates[order] - records, axis=1) <= epsilon * norms
    expected = float(np.delete(result.breach_probability[order], chosen).sum())
    return (
        f"Carried out once, by {count(len(chosen), 'random insider')}: {right} of {count(len(linked), 'link')} right, "
        f"{int(np.delete(hits, chosen).sum()):,} other records estimated within {percent(epsilon)} of their length, "
        f"{expected:,.0f} expected."
    )


def _free_folder() -> Path:
    number = 1
    while (folder := Path("isobreach-demo" + (f"-{number}" if number > 1 else ""))).exists():
        number += 1
    return folder
