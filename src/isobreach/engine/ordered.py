# SPDX-License-Identifier: BSD-3-Clause
"""The numbers of a column in ascending order, without sorting it.

Numbers are counted by their leading bits, which order them as they are: a sign, 8 bits of the exponent and 11 of the
mantissa make 2^20 bins, 2,048 for every doubling. Where a single number is asked for, those of its bin are collected in
another pass and sorted. So what is found is exact, and no more than a few bins are held. A short column is sorted.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isobreach._arrays import FloatArray, IntArray
from isobreach._compiled import compiled

if TYPE_CHECKING:
    from isobreach.engine.column import ColumnHandle

Function = Callable[[FloatArray], FloatArray]

_SHORT = 1 << 18  # numbers that are sorted
_BINS, _MANTISSA = 1 << 20, 11  # a bin for each sign, 2^8 exponents and the first 11 bits of a mantissa
_MINUS_ZERO = -(1 << 63)  # bit by bit
_LOWEST = (1023 - 128) << _MANTISSA  # leading bits of 2^-128: what is smaller goes into one bin


class Ordered(ABC):
    """Numbers in ascending order."""

    @abstractmethod
    def __len__(self) -> int:
        """How many numbers there are."""

    @abstractmethod
    def at(self, places: ArrayLike) -> FloatArray:
        """Return the numbers at some places of the order, counted from 0."""

    @abstractmethod
    def reaching(self, levels: ArrayLike, function: Function) -> IntArray:
        """Return how many numbers have a function of at least each level; the function never rises with the number."""

    @abstractmethod
    def mean(self, function: Function) -> float:
        """Return the mean of a smooth function of the numbers; relative error about 1e-7 where they are many."""


def ordered(column: "ColumnHandle", excluded: ArrayLike = ()) -> Ordered:
    """Return the numbers of a column in order, without those of some rows."""
    rows = np.unique(np.asarray(excluded, dtype=np.int64))
    return _Sorted(column, rows) if len(column) <= _SHORT else _Counted(column, rows)


def _parts(column: "ColumnHandle", excluded: IntArray, first: int = 0, stop: int | None = None) -> Iterator[FloatArray]:
    """The numbers of a range of rows, some at a time, in row order."""
    for start, values in column.chunks(first, stop):
        low, high = np.searchsorted(excluded, [start, start + len(values)])
        yield np.delete(values, excluded[low:high] - start) if high > low else values


class _Sorted(Ordered):
    """A short column."""

    def __init__(self, column: "ColumnHandle", excluded: IntArray) -> None:
        self._numbers = np.sort(np.concatenate([np.empty(0), *_parts(column, excluded)]))

    def __len__(self) -> int:
        return len(self._numbers)

    def at(self, places: ArrayLike) -> FloatArray:
        return np.asarray(self._numbers[np.asarray(places, dtype=np.int64)])

    def reaching(self, levels: ArrayLike, function: Function) -> IntArray:
        values = function(self._numbers)
        return np.array([np.count_nonzero(values >= level) for level in np.asarray(levels)], dtype=np.int64)

    def mean(self, function: Function) -> float:
        return float(function(self._numbers).mean())


class _Counted(Ordered):
    """A long column: how many numbers each bin has, their sum, the smallest and the largest."""

    def __init__(self, column: "ColumnHandle", excluded: IntArray) -> None:
        self._column, self._excluded = column, excluded
        counts, sums, low, high = _empty()
        for used, *here in column.by_spans(_counted, excluded):
            new = counts[used] == 0
            counts[used] += here[0]
            with np.errstate(over="ignore"):
                sums[used] += here[1]
            low[used] = np.where(new, here[2], np.minimum(low[used], here[2]))
            high[used] = np.where(new, here[3], np.maximum(high[used], here[3]))
        self._used = np.flatnonzero(counts)
        self._counts, self._low, self._high = counts[self._used], low[self._used], high[self._used]
        # Numbers of a bin have one sign: where their sum is infinite, their mean is the largest.
        self._means = np.clip(sums[self._used] / self._counts, self._low, self._high)
        self._ends = np.cumsum(self._counts)  # numbers up to the end of each bin

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

    def at(self, places: ArrayLike) -> FloatArray:
        wanted = np.asarray(places, dtype=np.int64)
        bins = np.searchsorted(self._ends, wanted, "right")
        found = np.array(self._low[bins])
        open_ = self._low[bins] < self._high[bins]
        numbers = self._collected(np.unique(bins[open_]))
        for place in np.flatnonzero(open_):
            one = int(bins[place])
            found[place] = numbers[one][wanted[place] - (self._ends[one] - self._counts[one])]
        return found

    def reaching(self, levels: ArrayLike, function: Function) -> IntArray:
        first, last = function(self._low), function(self._high)
        levels = np.asarray(levels)
        split = [np.flatnonzero((first >= level) & (last < level)) for level in levels]
        numbers = self._collected(np.unique(np.concatenate(split)))
        return np.array(
            [
                int(self._counts[last >= level].sum())
                + sum(int(np.count_nonzero(function(numbers[one]) >= level)) for one in bins.tolist())
                for level, bins in zip(levels, split, strict=True)
            ],
            dtype=np.int64,
        )

    def mean(self, function: Function) -> float:
        return float((self._counts / len(self) * function(self._means)).sum())

    def _collected(self, bins: IntArray) -> dict[int, FloatArray]:
        """The numbers of some bins, each sorted: one pass."""
        if not len(bins):
            return {}
        wanted = np.zeros(_BINS, dtype=np.bool_)
        wanted[self._used[bins]] = True
        numbers = np.sort(np.concatenate(list(self._column.by_spans(_collected, (wanted, self._excluded)))))
        ends = np.cumsum(self._counts[bins])
        return dict(zip(bins.tolist(), np.split(numbers, ends[:-1]), strict=True))


def _empty() -> tuple[IntArray, FloatArray, FloatArray, FloatArray]:
    """Bins without numbers: counts, sums, the smallest and the largest, which an empty bin does not have.

    Zeros that nobody looks at take no time and no memory: most bins stay empty.
    """
    return np.zeros(_BINS, dtype=np.int64), np.zeros(_BINS), np.zeros(_BINS), np.zeros(_BINS)


def _counted(column: "ColumnHandle", first: int, stop: int, excluded: IntArray) -> list[NDArray[Any]]:
    """Bins that the numbers of a range of rows are in, and for each of them how many, their sum and the extremes."""
    bins = _empty()
    for part in _parts(column, excluded, first, stop):
        _count(part, _bits(part), *bins)
    used = np.flatnonzero(bins[0])
    return [used, *(one[used] for one in bins)]


def _collected(column: "ColumnHandle", first: int, stop: int, asked: tuple[NDArray[np.bool_], IntArray]) -> FloatArray:
    """The numbers of a range of rows that are in some bins."""
    wanted, excluded = asked
    parts = [part[_among(_bits(part), wanted)] for part in _parts(column, excluded, first, stop)]
    return np.concatenate([np.empty(0), *parts])


def _bits(numbers: FloatArray) -> IntArray:
    """The numbers bit by bit."""
    return np.ascontiguousarray(numbers).view(np.int64)


@compiled()
def _bin(bits: int) -> int:
    """Bin of a number, not NaN: the larger the number, the larger its bin, or the same."""
    size = ((bits & 0x7FFF_FFFF_FFFF_FFFF) >> (52 - _MANTISSA)) - _LOWEST
    size = max(0, min(size, _BINS // 2 - 1))
    if bits < 0 and bits != _MINUS_ZERO:  # negative numbers the other way round
        size = -1 - size
    return size + _BINS // 2


@compiled()
def _count(
    numbers: FloatArray, bits: IntArray, counts: IntArray, sums: FloatArray, low: FloatArray, high: FloatArray
) -> None:
    """Add numbers to the bins."""
    for i in range(len(numbers)):
        place, number = _bin(bits[i]), numbers[i]
        if counts[place] == 0:
            low[place] = high[place] = number
        counts[place] += 1
        sums[place] += number
        low[place] = min(low[place], number)
        high[place] = max(high[place], number)


@compiled()
def _among(bits: IntArray, wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which numbers are in a bin that is wanted."""
    found = np.empty(len(bits), dtype=np.bool_)
    for i in range(len(bits)):
        found[i] = wanted[_bin(bits[i])]
    return found
