# SPDX-License-Identifier: BSD-3-Clause
"""One trial of each experiment: known records are drawn, the attack is played, its owner looks at the truth.

Numbers of linking are shares of the known records: by our two rules, and by the paper's own algorithms beside them.
Breach probabilities are those of the most exposed row that is not linked, the paper's rho(epsilon), for both rules and
all estimators. Run times are processor time, of all threads together where linking has several: what else the machine
does is not in them.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeVar

import numpy as np

from isobreach._arrays import FloatArray, IntArray
from isobreach.attacks import (
    ITERATIONS,
    LEARNING_RATE,
    AttackResult,
    attack_linked,
    kaplan_estimates,
    pair_distances,
)
from isobreach.geometry import ESTIMATORS, Estimator, fit_motions, row_norms
from isobreach.linking import RULES, Linkage, Rule, link
from isobreach.reproduction.experiment import Outcome, Point
from isobreach.reproduction.paper_linking import PaperLinking
from isobreach.reproduction.parameters import PAPER
from isobreach.reproduction.perturbed import PerturbedTable, Tables

T = TypeVar("T")

LINKED = (*(f"linked {rule}" for rule in RULES), "linked paper's algorithms")
PROBABILITIES = tuple(f"{estimator} {rule}" for rule in RULES for estimator in ESTIMATORS)
LINKING_SECONDS = (*(f"link {rule}" for rule in RULES), "paper's algorithms", "paper's algorithms with norms once")

SELECTIONS = ("random row", "best row")
KAPLAN_ESTIMATORS = ("kaplan", "uniform", "optimal", "centre")
ERRORS = tuple(f"{selection} {estimator}" for selection in SELECTIONS for estimator in KAPLAN_ESTIMATORS)
KAPLAN_LINKED = "linked uniquely-valid"  # links are given; how many the paper's own step would have found
KAPLAN_SECONDS = ("kaplan", "kaplan in array statements", "fit", "estimate")

_TIMED_ITERATIONS = 25  # of Kaplan's descent in array statements, which takes the same time for each
_TIMED_ESTIMATES = 20  # one alone is too short for a clock


def timed(work: Callable[[], T], clock: Callable[[], float] = time.process_time) -> tuple[T, float]:
    """What the work gives, and its seconds by a clock of this process or of this thread."""
    start = clock()
    result = work()
    return result, clock() - start


def known_trial(tables: Tables, point: Point, draws: np.random.Generator) -> Outcome:
    """Figures 2 and 3: ``point.x`` known records, epsilon 0.15."""
    table = tables[point.table]
    chosen = table.independent(int(point.x), draws)
    links, numbers, seconds = _linked(table, chosen)
    return Outcome(numbers | _probabilities(table, chosen, links, PAPER.epsilon), seconds)


def epsilon_trial(tables: Tables, point: Point, draws: np.random.Generator) -> Outcome:
    """Figure 4: four known records, epsilon ``point.x``."""
    table = tables[point.table]
    chosen = table.independent(PAPER.epsilon_known, draws)
    links = {rule: link(table.records[chosen], table.released, motion="orthogonal", rule=rule) for rule in RULES}
    return Outcome(_probabilities(table, chosen, links, point.x), {})


def size_trial(tables: Tables, point: Point, draws: np.random.Generator) -> Outcome:
    """Figure 5: the first ``point.x`` records, 50 of them known (Gaussian) or 10 (Letter)."""
    table = tables[point.table].first(int(point.x))
    _, numbers, seconds = _linked(table, table.independent(int(PAPER.size_known[point.table]), draws))
    return Outcome(numbers, seconds)


def _linked(table: PerturbedTable, chosen: IntArray) -> tuple[dict[Rule, Linkage], dict[str, float], dict[str, float]]:
    """Links by both rules and by the paper's algorithms, as shares and with their run times."""
    known = table.records[chosen]
    links: dict[Rule, Linkage] = {}
    numbers: dict[str, float] = {}
    seconds: dict[str, float] = {}
    for rule in RULES:
        links[rule], seconds[f"link {rule}"] = timed(
            partial(link, known, table.released, motion="orthogonal", rule=rule)
        )
        numbers[f"linked {rule}"] = len(links[rule].linked) / len(chosen)
    for name, cached in (("paper's algorithms", False), ("paper's algorithms with norms once", True)):
        found, seconds[name] = timed(partial(_paper_links, known.astype(np.float64), table.released, cached))
    numbers["linked paper's algorithms"] = len(found) / len(chosen)
    return links, numbers, seconds


def _paper_links(known: FloatArray, released: FloatArray, cached_norms: bool) -> dict[int, int]:
    return PaperLinking(known, released, cached_norms=cached_norms, norms_of=row_norms).run()


def _probabilities(
    table: PerturbedTable, chosen: IntArray, links: dict[Rule, Linkage], epsilon: float
) -> dict[str, float]:
    """Breach probability of the most exposed row that is not linked."""
    numbers: dict[str, float] = {}
    for rule in RULES:
        result = attack_linked(table.records[chosen], table.released, links[rule], epsilon, seed=0)
        assert result.best is not None  # there are more rows than known records
        for estimator in ESTIMATORS:
            # Its relative residual ranks a row, whatever the estimator: the most exposed one is the same for all.
            numbers[f"{estimator} {rule}"] = float(result.probability(rows=[result.best], estimator=estimator)[0])
    return numbers


def kaplan_trial(tables: Tables, point: Point, draws: np.random.Generator) -> Outcome:
    """Figure 6: relative errors of Kaplan's estimate and of others, of a random row and of the most exposed one.

    The links are given to all of them, a departure: the paper's step is Algorithm 5, which links first. Kaplan's start
    is uniform in the range of the whole table.
    """
    table = tables[point.table]
    chosen = table.independent(int(point.x), draws)
    known, rows = table.records[chosen].astype(np.float64), table.order[chosen]
    linkage = link(table.records[chosen], table.released, motion="orthogonal", rule="uniquely-valid")
    result = attack_linked(
        table.records[chosen],
        table.released,
        _given(linkage, rows),
        PAPER.kaplan_epsilon[point.table],
        seed=int(draws.integers(2**32)),
    )
    assert result.best is not None
    low, high = table.records.min(axis=0), table.records.max(axis=0)
    released = table.released[rows]
    numbers: dict[str, float] = {KAPLAN_LINKED: len(linkage.linked) / len(chosen)}
    seconds: dict[str, float] = {}
    for selection, row in zip(SELECTIONS, (_other_row(table, rows, draws), result.best), strict=True):
        start = draws.uniform(low, high)[None]
        seen = table.released[row][None]
        estimates: dict[str, FloatArray] = {}
        estimates["kaplan"], spent = timed(partial(_kaplan, known, released, seen, start), time.thread_time)
        if selection == SELECTIONS[0]:
            seconds = {"kaplan": spent, **_other_seconds(known, released, seen, start, draws)}
        estimates["uniform"] = _estimate(result, row, "uniform")
        estimates["optimal"] = _estimate(result, row, "optimal")
        estimates["centre"] = _centre(known, released, seen)
        truth = table.records[table.record_of[row]]
        for estimator, estimate in estimates.items():
            numbers[f"{selection} {estimator}"] = float(np.linalg.norm(estimate[0] - truth) / np.linalg.norm(truth))
    return Outcome(numbers, seconds)


def _kaplan(known: FloatArray, released: FloatArray, seen: FloatArray, start: FloatArray) -> FloatArray:
    return kaplan_estimates(known, pair_distances(seen, released), start)


def _estimate(result: AttackResult, row: int, estimator: Estimator) -> FloatArray:
    return np.asarray(replace(result, estimator=estimator).estimate([row]))


def _centre(known: FloatArray, released: FloatArray, seen: FloatArray) -> FloatArray:
    """The projection: the centre of the sphere that the record lies on, which errs least on average."""
    motions = fit_motions(known, released)
    return np.asarray((seen @ motions.released) @ motions.known.T)


def _other_seconds(
    known: FloatArray, released: FloatArray, seen: FloatArray, start: FloatArray, draws: np.random.Generator
) -> dict[str, float]:
    """Run times of Kaplan's attack as an interpreter runs it, and of the paper's: a motion first, then an estimate."""
    distances = pair_distances(seen, released)
    _, descent = timed(partial(_descend_by_arrays, known, distances[0], start[0]), time.thread_time)
    motion, fit = timed(lambda: fit_motions(known, released).choose(draws), time.thread_time)
    _, estimates = timed(lambda: [seen @ motion for _ in range(_TIMED_ESTIMATES)], time.thread_time)
    return {
        "kaplan in array statements": descent * ITERATIONS / _TIMED_ITERATIONS,
        "fit": fit,
        "estimate": estimates / _TIMED_ESTIMATES,
    }


def _descend_by_arrays(known: FloatArray, distances: FloatArray, start: FloatArray) -> FloatArray:
    """Kaplan's descent of one row in array statements, as the paper's Matlab had it; fewer iterations, for timing."""
    x = start.copy()
    for _ in range(_TIMED_ITERATIONS):
        for record, wanted in zip(known, distances, strict=True):
            apart = x - record
            r = np.sqrt(apart @ apart)
            x -= 2 * LEARNING_RATE * (r - wanted) / r * apart
    return x


def _given(linkage: Linkage, rows: IntArray) -> Linkage:
    """The linkage of an attacker who is told all links."""
    told = tuple(np.array([row]) for row in rows)
    return replace(linkage, rows=rows, status=np.full(len(rows), "linked"), candidates=told)


def _other_row(table: PerturbedTable, rows: IntArray, draws: np.random.Generator) -> int:
    """A random released row that is none of these."""
    while True:
        row = int(draws.integers(len(table.released)))
        if row not in rows:
            return row
