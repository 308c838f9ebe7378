# SPDX-License-Identifier: BSD-3-Clause
"""The demonstration: everything the attacker says, beside the truth that only the owner has."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isobreach import datasets
from isobreach._random import generator
from isobreach._validation import check_epsilon, check_integer
from isobreach.attacks import AttackResult, attack, summarise
from isobreach.cli.console import Console
from isobreach.cli.outputs import AttackOutput
from isobreach.errors import InputError
from isobreach.io import check_free
from isobreach.report import count, percent
from isobreach.schemes import perturb


def run_demo(console: Console, insiders: int, epsilon: float, seed: int, out: Path | None, force: bool) -> None:
    """Rotate Letter, let random insiders attack, compare with the truth, write and name a report."""
    check_epsilon(epsilon)
    check_integer("--seed", seed, least=0)
    letter = datasets.load("letter")
    records = letter.values
    if not 1 <= insiders < len(records):
        raise InputError("--known", f"must be between 1 and {len(records) - 1}", insiders)
    out = _free_folder() if out is None else out
    check_free(out, force=force)
    with console.bars():
        release = perturb(records, "orthogonal", seed)
        chosen = generator(seed, "coalition").choice(len(records), insiders, replace=False)
        result = attack(records[chosen], release.data, epsilon, seed=seed, progress=console.progress)
        with console.work("drawing the report"):
            summary = summarise(result)
            findings = _truth(records, chosen, release.key.order, result)
            title = "Letter Recognition behind a secret rotation"
            output = AttackOutput(title, result, summary, letter.columns, findings)
            parameters = {"data": letter.name, "known": insiders, "epsilon": epsilon, "scheme": "orthogonal"}
            output.write(out, "isobreach demo", parameters, seed, {}, force=force)
    rows, columns = records.shape
    console.say(
        [
            f"Letter Recognition, {rows:,} records x {columns} attributes, is rotated by a secret matrix and shuffled.",
            f"{count(insiders, 'insider')}, drawn at random, pool their own records and look at the release.",
            "",
        ]
    )
    output.speak(console, out)
    console.note(letter.citation)


def _truth(
    records: NDArray[np.int64], chosen: NDArray[np.int64], order: NDArray[np.int64], result: AttackResult
) -> list[str]:
    """What the owner, who has the records and the key, can check."""
    linked = result.linkage.linked
    right = int((result.linkage.rows[linked] == order[chosen[linked]]).sum())
    truth = np.empty(records.shape)
    truth[order] = records
    norms = np.linalg.norm(truth, axis=1)
    sentences = [f"Checked against the key: {right} of {count(len(linked), 'link')} right."] if len(linked) else []
    if result.best is not None:
        error = float(np.linalg.norm(result.estimate(result.best)[0] - truth[result.best]) / norms[result.best])
        sentences.append(f"Checked against the record: the estimate of row {result.best} is off by {error:.1%}.")
    within = np.linalg.norm(truth - truth.mean(axis=0), axis=1) <= result.epsilon * norms
    sentences.append(
        f"Guessing the column means for everyone would be within {percent(result.epsilon)} "
        f"for {within.mean():.2%} of the records, without telling which."
    )
    return sentences


def _free_folder() -> Path:
    number = 1
    while (folder := Path("isobreach-demo" + (f"-{number}" if number > 1 else ""))).exists():
        number += 1
    return folder
