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

from dataclasses import dataclass, field

import numpy as np

from isobreach._arrays import FloatArray
from isobreach._compiled import compiled
from isobreach.geometry import row_norms


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
        found, _, least = self._followed(estimates, noise)
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
        return self._followed(estimates, noise)[1]

    def _followed(self, estimates: FloatArray, noise: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The likeliest direction of each estimate, the mean over all lengths, and the least cost."""
        noise = max(noise, _TEST.least / float(np.median(self.lengths)))
        rows = np.ascontiguousarray(estimates, dtype=np.float64)
        found, mean, least = np.empty_like(rows), np.empty_like(rows), np.empty(len(rows))
        precision = 1 / (2 * noise**2)
        _follow(rows, self.low, self.high, self.credit, self.lengths, precision, found, mean, least)
        return found, mean, least


@compiled()
def _follow(
    estimates: FloatArray,
    low: FloatArray,
    high: FloatArray,
    credit: FloatArray,
    lengths: FloatArray,
    precision: float,
    found: FloatArray,
    mean: FloatArray,
    least: FloatArray,
) -> None:
    """Fill the likeliest direction of each estimate, the posterior mean over all lengths, and the least cost."""
    columns = len(low)
    whole = np.empty(columns)
    for i in range(len(estimates)):
        weight, lowest = 0.0, _IMPOSSIBLE
        for j in range(columns):
            found[i, j], mean[i, j] = 0.0, 0.0
        for length in lengths:
            square, prior = 0.0, 0.0
            for j in range(columns):
                value = min(max(estimates[i, j] * length, low[j]), high[j])
                below = min(low[j] + int(value - low[j]), max(high[j] - 1, low[j]))
                above = min(below + 1, high[j])
                one = credit[j, int(below - low[j])]
                other = credit[j, int(above - low[j])]
                apart, beyond = estimates[i, j] - below / length, estimates[i, j] - above / length
                if precision * apart * apart - one <= precision * beyond * beyond - other:
                    whole[j] = below
                    prior += one
                else:
                    whole[j] = above
                    prior += other
                square += whole[j] * whole[j]
            if square == 0:  # zeros have no direction
                continue
            norm, missed = np.sqrt(square), 0.0
            for j in range(columns):
                apart = estimates[i, j] - whole[j] / norm
                missed += apart * apart
            cost = precision * missed - prior
            lower = min(lowest, cost)
            before, now = np.exp(lower - lowest), np.exp(lower - cost)
            weight = weight * before + now
            for j in range(columns):
                mean[i, j] = mean[i, j] * before + now * whole[j] / norm
            if cost < lowest:
                for j in range(columns):
                    found[i, j] = whole[j] / norm
                lowest = cost
        least[i] = lowest
        if weight > 0:
            for j in range(columns):
                mean[i, j] /= weight


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
