# SPDX-License-Identifier: BSD-3-Clause
"""One trial: a coalition in one order, its figures at every size to which it grows.

*Others* are all records but the insiders' own. A record is *breached* when its breach probability is at least the
level that the owner set. Hits on different records go together, because one random direction serves them all: a mean
probability times the number of records is an expected number of breaches, not a likely one.
"""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from isobreach.audits.exposure import OwnersTable
from isobreach.linking import Growth

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

QUANTILES = (0.5, 0.9, 0.99, 0.999)


@dataclass(frozen=True, eq=False)
class Figures:
    """Figures of one coalition or, stacked, of many: the last axis but those of quantiles and attributes is the size.

    ``guessed_*``: if the coalition knew all of its rows. However it guesses those that it is not certain of, it does no
    better: an estimate is a point of the insiders' span or hull, and a guess of the part beyond it.
    """

    linked: IntArray
    hidden: IntArray
    worst: FloatArray
    mean: FloatArray
    quantiles: FloatArray
    breached: IntArray
    certain: IntArray
    guessed_worst: FloatArray
    guessed_breached: IntArray
    attributes: FloatArray
    complete: NDArray[np.bool_]

    @classmethod
    def stacked(cls, several: "list[Figures]") -> "Figures":
        """Figures of many coalitions, one after the other along a new first axis."""
        return cls(**{f.name: np.stack([getattr(one, f.name) for one in several]) for f in fields(cls)})

    def part(self, chosen: slice) -> "Figures":
        """Some of many coalitions."""
        return Figures(**{f.name: getattr(self, f.name)[chosen] for f in fields(self)})


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
    """Figures of the coalition at every size."""
    count, order = len(sizes), coalition.order
    met = table.met(coalition.seeds[0])
    exposed = met.exposed(order, growth, sizes, coalition.watched)
    probability = exposed.probability
    for seed in coalition.seeds[1:]:
        probability += table.met(seed).exposed(order, growth, sizes).probability
    probability /= len(coalition.seeds)
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
