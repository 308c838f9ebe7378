# SPDX-License-Identifier: BSD-3-Clause
r"""Values, and combinations of values of several attributes, of which the attacker's records show a complete list.

*Values.* Prices of a short list, or square roots of counts, repeat and lie on no grid, or on one that is far finer. Of
N values with D distinct ones, S of them met once, a further value is a new one with a probability of about S / N (Good
and Turing). The distinct values are the list where S <= N / 5 and D <= N / 2, unless they fill half of a grid.

*Arrangements.* In a run of adjacent columns every held record may have the same values in another order: 0/1 columns
of one category that sum to 1, k choices out of n, rankings. If the columns were independent, with the frequencies p_j
that are held, a record would be such an arrangement a with probability

    q = sum over a of  product over j of p_j(a_j)  <=  min over j of max over v of p_j(v):

given the other columns, at most one value of column j completes it. All N are with probability q^N, which must be below
1e-3 for all runs together. Few arrangements are listed, each with its frequency. Of many, such as rankings, the
likeliest is the one with the largest sum over j of log w_j(a_j), w_j(v) = p_j(v) exp(-(e_j - v)^2 / (2 s^2)), which is
a linear assignment. Posterior means come from the matrix w, whose rows and columns are scaled in turn until they sum
to one (Sinkhorn).

*Combinations.* Other adjacent columns depend on each other too: standardised categories, answers coded as "at least 1",
"at least 2". In a run of b columns the D combinations that are held are the list where each is held twice or more. The
N - D other records lie among them by chance with probability q^(N - D), q as above, the sum over these combinations;
again it must be below 1e-3 for all runs. Of runs that overlap the one with the largest -log q / b is taken: a column
that is independent of the others adds to b only, and two lists side by side have no more than the better one of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import comb, prod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach.attacks.refine.grid import ValueGrid

IntArray = NDArray[np.intp]


@dataclass(frozen=True)
class ListTest:
    """When a list is believed, and how it is used.

    Attributes
    ----------
    unseen
        Largest share of values that are not on the list, by Good and Turing.
    often
        Least mean count of a value.
    filled
        Share of a grid's values from which on the grid is used, and no list.
    most
        Combinations that are listed, at most.
    widest
        Columns of an arrangement, at most, where there are too many to list: time grows with the square.
    chance
        Largest probability that independent columns show an arrangement.
    pseudo
        Count that every combination has before any record is seen.
    least
        Least error of an estimate, in steps: a likelihood needs one.
    compared
        Records among which combinations are sought, at most.
    first
        Records whose sums are compared first: runs are many.
    scalings
        Of rows and columns of weights in turn: they then sum to one within a percent.
    """

    unseen: float = 0.2
    often: float = 2.0
    filled: float = 0.5
    most: int = 64
    widest: int = 32
    chance: float = 1e-3
    pseudo: float = 2.0
    least: float = 0.05
    compared: int = 2_000
    first: int = 50
    scalings: int = 8


_TEST = ListTest()


class ListPart(Protocol):
    """Some attributes, and what estimates of them, each off by a noise, say of their values."""

    @property
    def columns(self) -> IntArray:
        """The attributes."""

    def expected(self, estimates: FloatArray, noise: float, wide: float) -> tuple[FloatArray, "ListPart"]:
        """Posterior means with s^2 larger by so many squared steps, and the part with the frequencies found."""

    def likely(self, estimates: FloatArray, noise: float) -> FloatArray:
        """The likeliest values."""

    def score(self, estimates: FloatArray, noise: float) -> float:
        """Mean log-likelihood of a row's estimates."""


@dataclass(frozen=True, eq=False)
class Listed:
    """Combinations of values that attributes can have.

    Attributes
    ----------
    columns
        The attributes, b of them.
    values
        The combinations, P x b.
    counts
        How often each is met.
    square
        The square of a step.
    """

    columns: IntArray
    values: FloatArray = field(repr=False)
    counts: FloatArray = field(repr=False)
    square: float

    @classmethod
    def met(cls, columns: IntArray, values: FloatArray, counts: NDArray[Any], square: float) -> "Listed":
        """Return the list whose combinations are met so often, each a few times more: none is impossible.

        Parameters
        ----------
        columns, values, counts, square
            As the attributes.
        """
        return cls(columns, values, np.asarray(counts + _TEST.pseudo, dtype=np.float64), square)

    def expected(self, estimates: FloatArray, noise: float, wide: float) -> tuple[FloatArray, "Listed"]:
        """Return posterior means, and the same list with how often all rows have each combination."""
        weights, _ = _weights(self._log(estimates, noise**2 + wide * self.square))
        return weights @ self.values, Listed.met(self.columns, self.values, weights.sum(axis=0), self.square)

    def likely(self, estimates: FloatArray, noise: float) -> FloatArray:
        """Return the likeliest combinations."""
        return np.asarray(self.values[self._log(estimates, noise**2).argmax(axis=1)])

    def score(self, estimates: FloatArray, noise: float) -> float:
        """Return the mean over rows of the log-likelihood."""
        return float(_weights(self._log(estimates, noise**2))[1].mean())

    def _log(self, estimates: FloatArray, square: float) -> FloatArray:
        """Logs of p(v) exp(-|e - v|^2 / (2 s^2)), a row for each estimate."""
        square = max(square, _TEST.least**2 * self.square)
        apart = np.zeros((len(estimates), len(self.values)))
        for own, theirs in zip(estimates.T, self.values.T, strict=True):
            apart += (own[:, None] - theirs) ** 2
        return np.asarray(np.log(self.counts / self.counts.sum()) - apart / (2 * square))


@dataclass(frozen=True, eq=False)
class Arranged:
    """The same values in any order.

    Attributes
    ----------
    columns
        The attributes, b of them.
    values
        The b values, ascending.
    credit
        Log of the frequency of each value in each attribute, b x b.
    square
        The square of a step.
    """

    columns: IntArray
    values: FloatArray = field(repr=False)
    credit: FloatArray = field(repr=False)
    square: float

    @classmethod
    def met(cls, columns: IntArray, values: FloatArray, counts: NDArray[Any], square: float) -> "Arranged":
        """Return the arrangements in which each attribute has each value so often, and a few times more.

        Parameters
        ----------
        columns, values, square
            As the attributes.
        counts
            Attribute by value, b x b.
        """
        counts = counts + _TEST.pseudo
        return cls(columns, values, np.log(counts / counts.sum(axis=1, keepdims=True)), square)

    def expected(self, estimates: FloatArray, noise: float, wide: float) -> tuple[FloatArray, "Arranged"]:
        """Return means under weights that sum to one over values and over attributes, and frequencies by them."""
        log = self._log(estimates, noise**2 + wide * self.square)
        weights = np.exp(np.maximum(log - log.max(axis=2, keepdims=True), -300.0))
        for _ in range(_TEST.scalings):
            weights /= weights.sum(axis=1, keepdims=True)
            weights /= weights.sum(axis=2, keepdims=True)
        return weights @ self.values, Arranged.met(self.columns, self.values, weights.sum(axis=0), self.square)

    def likely(self, estimates: FloatArray, noise: float) -> FloatArray:
        """Return the likeliest arrangements."""
        return np.asarray(self.values[self._best(self._log(estimates, noise**2))])

    def score(self, estimates: FloatArray, noise: float) -> float:
        """Return the mean over rows of the log-likelihood of the likeliest arrangement."""
        log = self._log(estimates, noise**2)
        return float(np.take_along_axis(log, self._best(log)[:, :, None], axis=2).sum(axis=(1, 2)).mean())

    def _log(self, estimates: FloatArray, square: float) -> FloatArray:
        """Logs of p_j(v) exp(-(e_j - v)^2 / (2 s^2)), attribute by value, for each estimate."""
        square = max(square, _TEST.least**2 * self.square)
        return np.asarray(self.credit - (estimates[:, :, None] - self.values) ** 2 / (2 * square))

    @staticmethod
    def _best(log: FloatArray) -> IntArray:
        """Which value each attribute has, for each estimate."""
        from scipy.optimize import linear_sum_assignment  # a library that most attacks do without

        return np.array([linear_sum_assignment(one, maximize=True)[1] for one in log]).reshape(log.shape[:2])


def shown_lists(records: FloatArray, grid: ValueGrid | None) -> tuple[ListPart, ...]:
    """Return the lists that records show: arrangements, combinations, then values of other attributes.

    Parameters
    ----------
    records
        Records, N x n; NaN where a value is not known.
    grid
        The grid of the attributes, where there is one.
    """
    complete = records[np.isfinite(records).all(axis=1)]
    found = list(_arrangements(complete))
    taken = {int(j) for part in found for j in part.columns}
    found += _combinations(complete, taken)
    taken |= {int(j) for part in found for j in part.columns}
    steps = np.full(records.shape[1], np.nan) if grid is None else grid.step
    for j in sorted(set(range(records.shape[1])) - taken):
        one = _list_of_values(j, records[np.isfinite(records[:, j]), j], float(steps[j]))
        found += [] if one is None else [one]
    return tuple(found)


def _list_of_values(column: int, own: FloatArray, step: float) -> Listed | None:
    """The distinct values of an attribute, where they repeat and fill no grid."""
    values, counts = np.unique(own, return_counts=True)
    if not 2 <= len(values) <= min(_TEST.most, len(own) / _TEST.often) or (counts == 1).sum() > _TEST.unseen * len(own):
        return None
    if len(values) >= _TEST.filled * (float(np.ptp(values)) / step + 1):  # never where there is no grid
        return None
    return Listed.met(np.array([column]), values[:, None], counts, float(np.diff(values).min()) ** 2)


def _arrangements(records: FloatArray) -> Iterator[ListPart]:
    """From left to right the shortest runs of columns in which all records have the same values in some order."""
    start, columns = 0, records.shape[1]
    while start < columns and len(records):
        found = None
        if np.ptp(records[:, start]) > 0:
            sums = records[: _TEST.first, start:].cumsum(axis=1)
            alike = np.ptp(sums, axis=0) <= 1e-9 * np.abs(sums).max(axis=0)
            stops = (start + 1 + int(more) for more in np.flatnonzero(alike))
            found = next((one for stop in stops if (one := _arrangement(records, start, stop)) is not None), None)
        if found is not None:
            yield found
        start += 1 if found is None else len(found.columns)


def _arrangement(records: FloatArray, start: int, stop: int) -> ListPart | None:
    """What a run of columns shows; None where records differ by more than order, or by chance would not."""
    run, place = records[:, start:stop], np.arange(start, stop)
    values = np.sort(run[0])
    if not (np.sort(run, axis=1) == values).all():
        return None
    distinct, times = np.unique(values, return_counts=True)
    square = float(np.diff(distinct).min()) ** 2
    listed = _orders(values) if _number(times) <= _TEST.most else None
    if listed is None and len(values) > _TEST.widest:
        return None
    shares = (run[:, :, None] == distinct).mean(axis=0)  # of column j, value v
    chance = float(shares.max(axis=1).min())
    if listed is not None:
        held = [shares[j, np.searchsorted(distinct, column)] for j, column in enumerate(listed.T)]
        chance = float(np.prod(held, axis=0).sum())
    if records.shape[1] ** 2 * chance ** len(run) >= _TEST.chance:
        return None
    if listed is None:
        return Arranged.met(place, values, (run[:, :, None] == values).sum(axis=0), square)
    counts = np.array([(run == one).all(axis=1).sum() for one in listed])
    return Listed.met(place, listed, counts, square)


def _combinations(records: FloatArray, taken: set[int]) -> list[Listed]:
    """Runs of columns, none of them taken, in which records hold few combinations; the most telling ones first."""
    records = records[np.linspace(0, len(records) - 1, min(len(records), _TEST.compared)).astype(np.intp)]
    columns = records.shape[1]
    runs = [one for start in range(columns) for one in _runs(records, start, taken)]
    found: list[Listed] = []
    for _, start, stop in sorted(runs, key=lambda one: (-one[0], one[1])):
        place = np.arange(start, stop)
        if not any(np.isin(place, part.columns).any() for part in found):
            values, counts = np.unique(records[:, place], axis=0, return_counts=True)
            gaps = [float(np.diff(np.unique(column)).min()) for column in values.T]
            found.append(Listed.met(place, values, counts, min(gaps) ** 2))
    return found


def _runs(records: FloatArray, start: int, taken: set[int]) -> Iterator[tuple[float, int, int]]:
    """Runs from one column on that show a list of combinations: how telling each is, its start and its stop."""
    size = len(records)
    held, likely = np.zeros(size, dtype=np.intp), np.ones(1)  # combination of each record; its chance if independent
    for stop in range(start + 1, records.shape[1] + 1):
        values, codes, counts = np.unique(records[:, stop - 1], return_inverse=True, return_counts=True)
        if stop - 1 in taken or len(values) < 2:
            return
        pairs, held, times = np.unique(held * len(values) + codes, return_inverse=True, return_counts=True)
        if times.min() < 2 or len(pairs) > _TEST.most:  # and so it is with more columns
            return
        likely = likely[pairs // len(values)] * counts[pairs % len(values)] / size
        chance = min(float(likely.sum()), 1.0)
        if stop - start > 1 and records.shape[1] ** 2 * chance ** (size - len(pairs)) < _TEST.chance:
            yield -np.log(chance) / (stop - start), start, stop


def _number(times: NDArray[np.intp]) -> int:
    """Number of orders of values, each of which occurs so many times."""
    left = np.cumsum(times)
    return prod(comb(int(all_of), int(one)) for all_of, one in zip(left, times, strict=True))


def _orders(values: FloatArray) -> FloatArray:
    """All distinct orders of ascending values."""
    if len(values) <= 1:
        return values[None]
    parts = []
    for value in np.unique(values):
        rest = _orders(np.delete(values, int(np.searchsorted(values, value))))
        parts.append(np.column_stack([np.full(len(rest), value), rest]))
    return np.concatenate(parts)


def _weights(log: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Weights that sum to one in each row, and the log of what they summed to."""
    highest = log.max(axis=1, keepdims=True)
    weights = np.exp(log - highest)
    total = weights.sum(axis=1, keepdims=True)
    return weights / total, np.log(total) + highest
