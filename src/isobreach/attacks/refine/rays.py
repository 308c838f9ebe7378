# SPDX-License-Identifier: BSD-3-Clause
r"""Whole numbers of which only the direction is released: the multiple of an estimate that is nearest to the grid.

Where records are scaled to length one, a table of whole numbers k has records u = k / |k|, and no attribute has a grid
any more. A ray still has one: the divisor that all entries of one record share gives k back, up to a common factor,
which no direction shows. Values of a continuous record with D entries that are not 0, each known up to t, lie on at
most L steps by chance with a probability of at most L (2 L t / max)^(D - 1); the product over all records, which are
independent, must be below 1e-3, and no record may need more than ``most_values`` steps.

An estimate e of a direction, each coordinate off by s, belongs to the k with the least

    |e - k / |k||^2 / (2 s^2) - sum over attributes of log p_j(k_j),

p the frequencies among the attacker's records. For one length r = |k| the attributes part: k_j is the value below r e_j
or the one above, whichever costs less. All lengths that occur are tried.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from isobreach.geometry import row_norms

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class RayTest:
    """When rays are believed, and how they are sought.

    Attributes
    ----------
    alike
        Relative spread of lengths that are the same: float16 vectors of length one spread by about 5e-4.
    roundings
        Error of an entry, in roundings of the largest one: scaling takes a few operations.
    chance
        Largest probability that continuous records are multiples of whole numbers.
    most_values
        Largest whole number, beyond which an attribute counts as continuous.
    pseudo
        Count that every value has before any record is seen, as for values on a grid.
    beyond
        Steps beyond the range that records show, where they all have one value or fewer are there than values, but not
        beyond those of all attributes.
    lengths
        Lengths that are tried, at most: up to so many squares all, then so many in equal ratios.
    least
        Least error of an estimate, in steps at the middle length: a likelihood needs one.
    """

    alike: float = 1e-3
    roundings: float = 16.0
    chance: float = 1e-3
    most_values: int = 64
    pseudo: float = 2.0
    beyond: int = 2
    lengths: int = 64
    least: float = 0.05


_TEST = RayTest()
_IMPOSSIBLE = 1e300  # a cost


@dataclass(frozen=True, eq=False)
class Rays:
    """Whole numbers that attributes can have, and how likely each is.

    Attributes
    ----------
    low, high
        Least and greatest value of each attribute.
    credit
        Log-probability of low, low + 1, ... for each attribute, n x L.
    lengths
        Lengths of whole-number records that are tried.
    """

    low: FloatArray
    high: FloatArray
    credit: FloatArray = field(repr=False)
    lengths: FloatArray = field(repr=False)

    def likely(self, estimates: FloatArray, noise: float) -> tuple[FloatArray, FloatArray]:
        """Return the likeliest direction of each estimate, and its cost.

        Parameters
        ----------
        estimates
            Of directions, m x n, of about length one.
        noise
            Standard deviation of an error of a coordinate.
        """
        found, least = np.zeros_like(estimates), np.full(len(estimates), _IMPOSSIBLE)
        for directions, cost in self._candidates(estimates, noise):
            better = cost < least
            found[better], least[better] = directions[better], cost[better]
        return found, least

    def expected(self, estimates: FloatArray, noise: float) -> FloatArray:
        """Return the mean of the likeliest directions of all lengths, each by its posterior.

        Parameters
        ----------
        estimates
            Of directions, m x n, of about length one.
        noise
            Standard deviation of an error of a coordinate.
        """
        total, weight = np.zeros_like(estimates), np.zeros(len(estimates))
        least = np.full(len(estimates), _IMPOSSIBLE)
        for directions, cost in self._candidates(estimates, noise):
            lower = np.minimum(least, cost)
            before, now = np.exp(lower - least), np.exp(lower - cost)
            total = total * before[:, None] + directions * now[:, None]
            weight, least = weight * before + now, lower
        return np.asarray(total / np.maximum(weight, np.finfo(np.float64).tiny)[:, None])

    def _candidates(self, estimates: FloatArray, noise: float) -> Iterator[tuple[FloatArray, FloatArray]]:
        """The likeliest direction of each estimate for every length, and its cost."""
        noise = max(noise, _TEST.least / float(np.median(self.lengths)))
        columns = np.arange(len(self.low))
        for length in self.lengths.tolist():
            values = np.clip(estimates * length, self.low, self.high)
            below = np.minimum(np.floor(values), np.maximum(self.high - 1, self.low))
            above = np.minimum(below + 1, self.high)
            below_cost, above_cost = (
                (estimates - one / length) ** 2 / (2 * noise**2)
                - self.credit[columns, (one - self.low).astype(np.intp)]
                for one in (below, above)
            )
            whole = np.where(below_cost <= above_cost, below, above)
            norms = row_norms(whole)
            directions = np.divide(whole, norms[:, None], out=np.zeros_like(whole), where=norms[:, None] > 0)
            prior = self.credit[columns, (whole - self.low).astype(np.intp)].sum(axis=1)
            cost = ((estimates - directions) ** 2).sum(axis=1) / (2 * noise**2) - prior
            yield directions, np.where(norms > 0, cost, _IMPOSSIBLE)


def shown_rays(records: FloatArray, unit: float, bounds: FloatArray | None) -> Rays | None:
    """Return the whole numbers that records of one length are multiples of; None where they are none, or not believed.

    Parameters
    ----------
    records
        Complete records, N x n.
    unit
        Unit roundoff of the type that they came in.
    bounds
        Least and greatest value of each attribute, n x 2, where they are known: of a direction only signs count.
    """
    norms = row_norms(records)
    if len(records) < 2 or not norms.min() > 0 or np.ptp(norms) > _TEST.alike * norms.max():
        return None
    chances, whole = 0.0, np.empty_like(records)
    for place, record in enumerate(records):
        found = _whole_numbers(record, _TEST.roundings * unit * float(np.abs(record).max()))
        if found is None:
            return None
        whole[place], log_chance = found
        chances += log_chance
    return _rays(whole, bounds) if chances < np.log(_TEST.chance) else None


def _whole_numbers(record: FloatArray, error: float) -> tuple[FloatArray, float] | None:
    """The least whole numbers that a record is a multiple of, and the log-probability of that by chance."""
    size = np.abs(record)
    entries = size[size > error]
    largest = float(entries.max())
    step = largest
    for entry in entries.tolist():
        a, b = step, entry
        while b > 4 * error * max(1.0, largest / step):  # a remainder that rounding alone may leave
            a, b = b, abs(a - b * round(a / b))
        step = a
        if step * _TEST.most_values < largest * (1 - 1e-9):
            return None
    levels = round(largest / step)
    step = largest / levels
    whole = np.rint(record / step)
    allowed = 4 * error * levels
    if np.abs(record - whole * step).max() > allowed:
        return None
    each = min(2 * levels * allowed / largest, 1.0)
    return whole, min(np.log(levels) + (len(entries) - 1) * np.log(each), 0.0)


def _rays(whole: FloatArray, bounds: FloatArray | None) -> Rays:
    """Ranges, frequencies and lengths of whole-number records."""
    low, high = whole.min(axis=0), whole.max(axis=0)
    few = (high - low >= len(whole) - 1) | (high == low)
    low = np.where(few, np.maximum(low - _TEST.beyond, whole.min()), low)
    high = np.where(few, np.minimum(high + _TEST.beyond, whole.max()), high)
    if bounds is not None:
        low, high = np.where(bounds[:, 0] >= 0, np.maximum(low, 0.0), low), np.where(bounds[:, 1] <= 0, 0.0, high)
        low = np.minimum(low, high)
    most = int((high - low).max()) + 1
    counts = np.full((len(low), most), _TEST.pseudo)
    for j, column in enumerate(np.clip(whole, low, high).T):
        np.add.at(counts[j], (column - low[j]).astype(np.intp), 1.0)
    counts[np.arange(most) > (high - low)[:, None]] = 0.0
    with np.errstate(divide="ignore"):
        credit = np.log(counts / counts.sum(axis=1, keepdims=True))
    squares = (
        np.where((low <= 0) & (high >= 0), 0.0, np.minimum(low**2, high**2)).sum(),
        np.maximum(low**2, high**2).sum(),
    )
    least, greatest = max(float(squares[0]), 1.0), max(float(squares[1]), 1.0)
    if greatest - least < _TEST.lengths:
        lengths = np.sqrt(np.arange(least, greatest + 1))
    else:
        lengths = np.geomspace(np.sqrt(least), np.sqrt(greatest), _TEST.lengths)
    return Rays(low, high, credit, lengths)
