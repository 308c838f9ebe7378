# SPDX-License-Identifier: BSD-3-Clause
r"""How many rows would fit a stranger: a person of the same population who is not in the release.

A partial record that is in the release fits its own row. One that is not may fit another's, in two ways. Nothing here
multiplies rates of distances, which depend on each other on grids.

**Agreement.** On a grid two people can agree in every attribute that is known. Released rows take the stranger's part
themselves: if two records agree in the known attributes A, the difference of their rows is the image of a vector z that
is zero outside Q, so with dv the difference of their v and dh that of their hidden parts

    U_Q' z = dv,   |W_Q' z| = |dh|,

as many equations as a partial record has to meet, within twice the error. A stranger and the m people in the release
are m + 1 draws of one population. So, if C of P pairs of sampled rows meet these equations, m (C + 1) / P rows are
expected to fit a stranger, the one more for what so many pairs cannot have shown. With C = 0 the attributes say more
(``attributes``): two people agree in a share of f_j of all pairs in a *free* attribute, within the error of the answer
or its grid, and in a share B of them in all *coarse* ones, whose values repeat. Expected are then

    m * min(1 / P, B) * prod_free f_j.

**Coincidence.** The numbers of another row may meet the equations without agreement. A misfit has D dimensions, one for
each equation that checks the answer. T misfits of at most R near zero leave T (c / R)^p of at most c: with the rows
nearest to the record itself, and with the nearest pairs, each of which counts m / P. c is twice the error; where every
attribute is on a grid of step g, inner products are multiples of g^2, and c is no less than g^2 over the largest
length. p is D, and no more than the smallest misfits of pairs show (Levina and Bickel 2004), less two standard errors.

Of both numbers the larger counts.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach.engine import Engine
from isobreach.geometry import row_norms
from isobreach.linking.chance import Rates
from isobreach.linking.partial.attributes import Attributes
from isobreach.linking.partial.equations import Equations, LinkedView


@dataclass(frozen=True)
class StrangerCounting:
    """How strangers are counted.

    Attributes
    ----------
    pairs, rows
        Smallest misfits of pairs, and of rows from the record, that a rate is scaled from: few, so that it is that of
        the nearest, and enough for a dimension within a fifth.
    sample
        Rows whose pairs are all looked at: 131,000 pairs, some 50 ms for each partial record.
    most
        Rows whose pairs are counted where that says too little: 8 million pairs, a second or two.
    repeated, least_equal
        Equal distances at an error, over those at four times the error, from which on values repeat: a quarter where
        they do not, one where they do. So many equal ones there must be: where values repeat there are thousands.
    """

    pairs: int = 32
    rows: int = 8
    sample: int = 512
    most: int = 4096
    repeated: float = 0.5
    least_equal: int = 100


COUNTING = StrangerCounting()


@dataclass(frozen=True, eq=False)
class _StrangerPairs:
    """Sampled rows as the equations see them; pairs of rows that are the same point are no strangers."""

    whole: FloatArray
    across: FloatArray
    lift: FloatArray
    hidden: FloatArray
    error: float
    slope: float

    @property
    def number(self) -> float:
        """P, the number of pairs."""
        return len(self.whole) * (len(self.whole) - 1) / 2

    @property
    def bound(self) -> float:
        """What a pair may have left over."""
        return 2 * self.error

    def misfit(self, gaps: Iterable[FloatArray]) -> FloatArray:
        """Misfit of pairs by the lengths of their differences: left over, lifted, hidden."""
        left_over, lifted, hidden = gaps
        return np.asarray(np.maximum(left_over, np.abs(lifted - hidden) / (1 + self.slope)) / self.bound)


def _distances(points: FloatArray) -> FloatArray:
    """Of all pairs."""
    from scipy.spatial.distance import pdist  # a library that complete records do without

    return np.asarray(pdist(points))


def _fitting_pairs(tile: tuple[slice, slice], pairs: _StrangerPairs) -> int:
    """How many pairs of a tile, above the diagonal, meet the equations."""
    from scipy.spatial.distance import cdist

    rows, columns = tile
    gaps = (cdist(part[rows], part[columns]) for part in (pairs.across, pairs.lift, pairs.hidden))
    first, second = np.nonzero(pairs.misfit(gaps) <= 1)
    first, second = first + rows.start, second + columns.start
    apart = row_norms(pairs.whole[first] - pairs.whole[second]) > pairs.bound
    return int(np.count_nonzero(apart & (first < second)))


class RowsAsStrangers:
    """The release's rows as strangers, for one view of them."""

    def __init__(self, source: Engine, view: LinkedView, attributes: Attributes) -> None:
        self._source, self._view, self._attributes = source, view, attributes
        self._samples: dict[int, _Sample] = {}

    def matches(self, equations: Equations, known: NDArray[np.bool_], near: FloatArray, limit: float) -> float:
        """Expected rows that fit a stranger.

        Parameters
        ----------
        equations
            Those of the partial record.
        known
            Which attributes it has.
        near
            Misfits of the rows nearest to the record that do not fit it.
        limit
            Expected rows from which on down no more effort is made.
        """
        rows = self._source.shape[0]
        count = min(rows, COUNTING.sample)
        pairs = self._pairs(equations, count)
        if pairs.number < 1 or not equations.checks:
            return float(rows)
        left_over, apart = _distances(pairs.across), self._sampled(count).apart
        hidden = self._sampled(count).hidden_apart if equations.lift.shape[1] else np.zeros_like(apart)
        misfit = pairs.misfit((left_over, _distances(pairs.lift), hidden))[apart > pairs.bound]
        fitting = int(np.count_nonzero(misfit <= 1))
        if fitting or not len(misfit):
            return rows * (fitting + 1) / pairs.number
        smallest = np.sort(np.partition(misfit, min(COUNTING.pairs, len(misfit)) - 1)[: COUNTING.pairs])
        power = _power(smallest, equations.checks)
        # What is left over depends on the known attributes alone.
        repeats = _repeats(left_over if equations.across.shape[1] else apart, pairs.error)
        lengths = float(row_norms(pairs.whole).max())
        unit = max(pairs.bound, self._attributes.granule(lengths, repeats=repeats))

        def coincidences(number: float, radius: float) -> float:
            return number * min(unit / radius, 1.0) ** power if radius > 0 else number

        by_chance = max(
            coincidences(float(len(near)), float(near.max(initial=0.0)) * pairs.error),
            coincidences(rows * len(smallest) / pairs.number, float(smallest[-1]) * pairs.bound),
        )
        within = pairs.bound * (1 + pairs.slope)
        free, coarse = self._attributes.agreement(known, within, power, repeats=repeats)
        if by_chance <= limit < min(1 / pairs.number, coarse) * rows * free and rows > COUNTING.sample:
            pairs = self._pairs(equations, min(rows, COUNTING.most))
            fitting = self._fitting(pairs, int(limit * pairs.number / rows))
        if fitting:
            return rows * (fitting + 1) / pairs.number
        return max(by_chance, min(1 / pairs.number, coarse) * rows * free)

    def _fitting(self, pairs: _StrangerPairs, enough: int) -> int:
        """C, or a number above ``enough``."""
        found, count = 0, len(pairs.whole)
        for part in self._source.workers.join(_fitting_pairs, pairs, count, count, "counting strangers", triangle=True):
            found += part
            if found > enough:
                break
        return found

    def _pairs(self, equations: Equations, count: int) -> _StrangerPairs:
        sample = self._sampled(count)
        across, lift = sample.along @ equations.across, sample.along @ equations.lift
        # With nothing left over, or nothing hidden, that equation holds by itself.
        nothing = np.zeros((count, 1))
        across = across if across.shape[1] else nothing
        lift, hidden = (lift, sample.hidden) if lift.shape[1] else (nothing, nothing)
        worst = float(sample.error.max()) + equations.own_error
        return _StrangerPairs(sample.whole, across, lift, hidden, worst, equations.slope)

    def _sampled(self, count: int) -> "_Sample":
        """So many rows, the same ones whatever is asked of them."""
        if count not in self._samples:
            rows = self._source.shape[0]
            chosen = np.arange(rows) if count == rows else np.random.default_rng(0).choice(rows, count, replace=False)
            self._samples[count] = _Sample(*self._view.seen(self._source.gather(np.sort(chosen))))
        return self._samples[count]


@dataclass(frozen=True, eq=False)
class _Sample:
    """v, hidden part and eta of some rows; distances between them serve every record."""

    along: FloatArray
    hidden: FloatArray
    error: FloatArray

    @cached_property
    def whole(self) -> FloatArray:
        return np.hstack([self.along, self.hidden])

    @cached_property
    def apart(self) -> FloatArray:
        return _distances(self.whole)

    @cached_property
    def hidden_apart(self) -> FloatArray:
        return _distances(self.hidden)


def _power(smallest: FloatArray, checks: int) -> float:
    """The dimension of the smallest misfits, ascending, less two standard errors; from 1 to the number of checks."""
    logs = np.log(smallest[-1] / smallest[:-1])
    if not logs.sum() > 0:
        return 1.0
    return float(np.clip(len(logs) / logs.sum() * (1 - 2 / np.sqrt(len(logs))), 1.0, checks))


def _repeats(gaps: FloatArray, error: float) -> bool:
    """Whether distances repeat as they do where values do, whatever grid these are on."""
    rates = Rates(gaps**2)
    equal, nearly = rates.collision(4 * error), rates.collision(16 * error)
    enough = COUNTING.least_equal / max(0.5 * len(gaps) * (len(gaps) - 1), 1.0)
    return equal > max(COUNTING.repeated * nearly, enough)
