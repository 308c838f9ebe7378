# SPDX-License-Identifier: BSD-3-Clause
"""One trial: a coalition in one order, its figures at every size to which it grows.

*Others* are all records but the insiders' own. A record is *breached* when its breach probability is at least the
level that the owner set. Hits on different records go together, because one random direction serves them all: a mean
probability times the number of records is an expected number of breaches, not a likely one.
"""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray, IntArray
from isobreach.attacks import QUANTILES
from isobreach.audits.coalitions import Growth
from isobreach.audits.exposure import OwnersTable


@dataclass(frozen=True, eq=False)
class Figures:
    """Figures of one coalition or, stacked, of many: the last axis but those of quantiles and attributes is the size.

    Those of a coalition that meets several releases are means over them, counts too.
    ``guessed_*``: if the coalition knew all of its rows. However it guesses those that it is not certain of, it does no
    better: an estimate is a point of the insiders' span or hull, and a guess of the part beyond it.
    """

    linked: NDArray[Any]
    hidden: NDArray[Any]
    worst: FloatArray
    mean: FloatArray
    quantiles: FloatArray
    breached: NDArray[Any]
    certain: NDArray[Any]
    guessed_worst: FloatArray
    guessed_breached: NDArray[Any]
    attributes: FloatArray
    complete: NDArray[np.bool_]

    @classmethod
    def stacked(cls, several: "list[Figures]") -> "Figures":
        """Figures of many coalitions, one after the other along a new first axis."""
        return cls(**{f.name: np.stack([getattr(one, f.name) for one in several]) for f in fields(cls)})

    @classmethod
    def averaged(cls, several: "list[Figures]") -> "Figures":
        """Means over the releases that one coalition meets; links do not depend on the release."""
        means = {f.name: np.mean([getattr(one, f.name) for one in several], axis=0) for f in fields(cls)}
        return cls(**{**means, "complete": several[0].complete})


@dataclass(frozen=True, eq=False)
class Trial:
    """``probability[s]`` holds every record's breach probability at size s, 0 for insiders and where none is known."""

    figures: Figures
    probability: FloatArray


@dataclass(frozen=True, eq=False)
class Coalition:
    """Insiders in the order in which they join, up to the largest size.

    ``watched``: others whose attributes they try to learn; they stand for all others, so they are drawn at random.
    ``seeds``: of the releases that this coalition meets, where the scheme adds noise: its probabilities are means.
    """

    order: IntArray
    watched: IntArray
    seeds: tuple[int, ...]


def play(table: OwnersTable, coalition: Coalition, growth: Growth, sizes: tuple[int, ...], level: float) -> Trial:
    """Figures of the coalition at every size; means where it meets several releases, probabilities of the last."""
    trials = [_met(table.met(seed), coalition, growth, sizes, level) for seed in coalition.seeds]
    if len(trials) == 1:
        return trials[0]
    return Trial(Figures.averaged([one.figures for one in trials]), trials[-1].probability)


def _met(met: OwnersTable, coalition: Coalition, growth: Growth, sizes: tuple[int, ...], level: float) -> Trial:
    """Figures on one release."""
    count, order = len(sizes), coalition.order
    exposed = met.exposed(order, growth, sizes, coalition.watched)
    probability = exposed.probability
    worst, mean, quantiles = np.empty(count), np.empty(count), np.empty((count, len(QUANTILES)))
    breached, certain = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    for place, size in enumerate(sizes):
        insiders = order[:size]
        others = np.delete(probability[place], insiders)
        worst[place], mean[place] = others.max(), others.mean()
        quantiles[place] = np.quantile(others, QUANTILES)
        breached[place], certain[place] = int((others >= level).sum()), int((others == 1).sum())
        probability[place, insiders] = 0.0
    linked = np.array([len(growth.linked(size)) for size in sizes], dtype=np.int64)
    guessed_worst, guessed_breached = worst.copy(), breached.copy()
    unsure = np.flatnonzero(linked < sizes)
    if len(unsure):
        some = tuple(sizes[place] for place in unsure)
        known = met.exposed(order, Growth.rows_known(len(order)), some).probability
        for place, size, row in zip(unsure.tolist(), some, known, strict=True):
            others = np.delete(row, order[:size])
            guessed_worst[place], guessed_breached[place] = others.max(), int((others >= level).sum())
    figures = Figures(
        linked=linked,
        hidden=exposed.hidden,
        worst=worst,
        mean=mean,
        quantiles=quantiles,
        breached=breached,
        certain=certain,
        guessed_worst=guessed_worst,
        guessed_breached=guessed_breached,
        attributes=exposed.learned,
        complete=growth.decided[np.array(sizes) - 1],
    )
    return Trial(figures, probability)
