# SPDX-License-Identifier: BSD-3-Clause
"""The comparison: all trials that are not kept from before, side by side in processes, and their figures.

Processes, also where there is one: attacks are partly Python, and libraries that count threads of their own would not
give the same sums in this one.
"""

import hashlib
import json
import secrets
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._progress import Progress, no_progress
from isobreach._random import generator
from isobreach._validation import check_seed, check_table
from isobreach._version import __version__
from isobreach.audits.baselines import baselines
from isobreach.audits.comparing.asked import ComparisonAsked, ComparisonTable
from isobreach.audits.comparing.contest import Play, Rules, TrialOutcome, contest, deals, gives_away, range_share
from isobreach.audits.comparing.measures import Marks
from isobreach.audits.comparing.result import ComparisonResult
from isobreach.audits.comparing.summing import cell_figures, scheme_figures
from isobreach.audits.comparing.usefulness import Utility
from isobreach.audits.declared import directions
from isobreach.audits.groups import Groups
from isobreach.audits.kept import Arrays, Kept, Store
from isobreach.engine import ONE_BLAS_THREAD, ProcessEngine
from isobreach.geometry import row_norms

FloatArray = NDArray[np.float64]

_PART = "trials"


def compare(
    table: ComparisonTable,
    asked: ComparisonAsked,
    *,
    seed: int | None = None,
    progress: Progress = no_progress,
    store: Store | None = None,
    workers: int | None = None,
) -> ComparisonResult:
    """Play every attack against every scheme: see ``isobreach.compare``.

    Parameters
    ----------
    table
        The owner's.
    asked
        What is to be compared.
    seed
        Makes it repeatable; without one a seed is drawn and told.
    progress
        Called as ``progress(label, done, total)``.
    store
        Where finished trials are kept.
    workers
        Processes; as many as there are processors by default.
    """
    check_table("X", table.records)
    fitted = asked.fitted(len(table.records))
    seed = check_seed(seed)
    seed = secrets.randbits(32) if seed is None else seed
    outcomes = _played(table, asked, seed, progress, store, workers)
    by_scheme = {one.label: [out for out in outcomes if out.scheme == one.label] for one in asked.schemes}
    people = fitted.published - asked.known
    records, groups = np.asarray(table.records, dtype=np.float64), Groups.of(table.records, asked.groups)
    return ComparisonResult(
        rows=len(table.records),
        columns=table.records.shape[1],
        published=fitted.published,
        compared=fitted.compared,
        epsilon=asked.epsilon,
        known=asked.known,
        sample=fitted.sample,
        sample_asked=asked.sample,
        trials=asked.trials,
        seed=seed,
        costly_trials=min(asked.trials, asked.extent.costly_trials),
        utility_trials=min(asked.trials, asked.extent.utility_trials),
        effort=asked.extent.effort,
        schemes=tuple(
            scheme_figures(
                one,
                by_scheme[one.label],
                unfolds=gives_away(table, one, seed),
                blind=_blind(directions(records), asked, seed, groups) if one.gives_one_length else None,
            )
            for one in asked.schemes
        ),
        attacks=asked.attacks,
        cells=tuple(
            cell_figures(one, attack, people, by_scheme[one.label]) for one in asked.schemes for attack in asked.attacks
        ),
        blind=_blind(records, asked, seed, groups),
    )


def _blind(records: FloatArray, asked: ComparisonAsked, seed: int, groups: Groups) -> float:
    """Share of records that the best blind guess breaches."""
    with ONE_BLAS_THREAD:
        return baselines(
            records,
            row_norms(records),
            asked.epsilon,
            range_share(records),
            norms_kept=False,
            draws=generator(seed, "baseline"),
            groups=groups,
        ).blind


def _played(
    table: ComparisonTable,
    asked: ComparisonAsked,
    seed: int,
    progress: Progress,
    store: Store | None,
    workers: int | None,
) -> list[TrialOutcome]:
    """All trials of all schemes, in order; those of before are kept."""
    kept = Kept(store, _fingerprint(table, asked, seed), seed, of="comparison")
    saved = kept.part(_PART)
    # A trial of every scheme, then the next: what is left after an interruption says something of each.
    wanted = [(trial, one) for trial in range(asked.trials) for one in asked.schemes]
    places = {(trial, one.label): place for place, (trial, one) in enumerate(wanted)}
    done = {places[one.trial, one.scheme]: one for one in ([] if saved is None else _restored(saved))}
    rest = [place for place in range(len(wanted)) if place not in done]
    progress("trials", len(done), len(wanted))
    rules = Rules(asked, range_share(np.asarray(table.records, dtype=np.float64)), seed)
    drawn = deals(table, asked, seed, [wanted[place] for place in rest])
    # The first done first: some trials take a hundred times as long as others, and would keep all processors waiting.
    for number, outcome in ProcessEngine.crew(workers).as_done(contest, drawn, rules):
        done[rest[number]] = outcome
        progress("trials", len(done), len(wanted))
        kept.done(_PART, lambda: _arrays(done.values()))
    if rest:
        kept.done(_PART, lambda: _arrays(done.values()), whole=True)
    return [done[place] for place in range(len(wanted))]


def _fingerprint(table: ComparisonTable, asked: ComparisonAsked, seed: int) -> str:
    """Hash of the table and of everything that the result depends on."""
    records = np.ascontiguousarray(table.records)
    told = f"isobreach {__version__} compare 1 {records.dtype} {records.shape} {asked!r} {seed}"
    digest = hashlib.sha256(told.encode())
    digest.update(records.tobytes())
    digest.update(np.ascontiguousarray(table.classes).tobytes())
    return digest.hexdigest()


def _arrays(outcomes: Iterable[TrialOutcome]) -> Arrays:
    """For the store: JSON, whose numbers come back as they were."""
    text = json.dumps([asdict(one) for one in outcomes], default=_listed)
    return {"json": np.frombuffer(text.encode(), dtype=np.uint8)}


def _listed(value: Any) -> Any:
    return value.tolist()


def _restored(arrays: Arrays) -> list[TrialOutcome]:
    return [_outcome(one) for one in json.loads(arrays["json"].tobytes())]


def _outcome(one: dict[str, Any]) -> TrialOutcome:
    plays = tuple(_play(play) for play in one["plays"])
    used = None if one["utility"] is None else Utility(**one["utility"])
    return TrialOutcome(one["scheme"], one["trial"], plays, used, one["refused"])


def _play(one: dict[str, Any]) -> Play:
    own = one["marks"]
    found = Marks(own["breached"], own["error"], np.array(own["learned"]), np.array(own["privacy"], dtype=np.float64))
    return Play(one["attack"], one["variant"], one["claimed"], found, one["seconds"], one["refused"])
