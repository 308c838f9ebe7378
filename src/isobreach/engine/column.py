# SPDX-License-Identifier: BSD-3-Clause
"""One number a released row, or a few: a handle of the engine, which keeps the numbers until somebody asks for them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
P = TypeVar("P")

_CHUNK = 1 << 18  # rows that are handed out at a time: intermediate arrays stay small beside the release
_SAMPLE = 1 << 16  # values from which the threshold of the smallest ones is guessed


class Column(ABC):
    """Numbers by released row: shape (m,), or (m, w) for w numbers a row."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """Rows, and numbers a row if there are several."""

    @abstractmethod
    def take(self, rows: ArrayLike | slice) -> FloatArray:
        """Return the numbers of some rows, in the order of ``rows``, or of a range of rows."""

    def __len__(self) -> int:
        return self.shape[0]

    def values(self) -> FloatArray:
        """Return the numbers of all rows as one array. Do not write into it."""
        return self.take(slice(None))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        values = self.values()
        return np.array(values, dtype=dtype, copy=copy)

    def chunks(self) -> Iterator[tuple[int, FloatArray]]:
        """Return (first row, numbers) of some rows at a time, in row order; at most 2^18 rows each."""
        for start in range(0, len(self), _CHUNK):
            yield start, self.take(slice(start, start + _CHUNK))

    def derived(self, function: Callable[[FloatArray, P], FloatArray], params: P) -> "Column":
        """Return a column of one number a row, ``function`` of the numbers of these rows; computed when asked for."""
        return _Derived(self, function, params)

    def top(self, count: int, excluded: ArrayLike = (), ties: "Column | None" = None) -> IntArray:
        """Rows with the smallest numbers, smallest first.

        Parameters
        ----------
        count
            How many rows are wanted.
        excluded
            Rows that do not count.
        ties
            Decides between rows with the same number, smallest first; then the lower row comes first.
        """
        values, left_out = self.values(), np.unique(np.asarray(excluded, dtype=np.int64))
        total, wanted = len(values), count + len(left_out)
        chosen = np.arange(total)
        if total > 8 * wanted:
            # A threshold from a sample leaves a few times what is wanted: one comparison a row instead of a selection.
            sample = values[:: max(1, total // _SAMPLE)]
            place = min(len(sample) - 1, int(4 * wanted / total * len(sample)) + 16)
            below = np.flatnonzero(values <= np.partition(sample, place)[place])
            chosen = below if len(below) >= wanted else chosen
        chosen = chosen[~np.isin(chosen, left_out, assume_unique=True)]
        if len(chosen) > count:
            last = np.partition(values[chosen], count - 1)[count - 1]
            chosen = chosen[values[chosen] <= last]
        keys = (values[chosen],) if ties is None else (ties.take(chosen), values[chosen])
        return chosen[np.lexsort(keys)[:count]]


class ArrayColumn(Column):
    """A column in the memory of this process."""

    def __init__(self, values: FloatArray) -> None:
        self._values = values

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        return self._values.shape

    def take(self, rows: ArrayLike | slice) -> FloatArray:
        """Return a view for a range of rows, else a copy."""
        return self._values[rows if isinstance(rows, slice) else np.asarray(rows, dtype=np.int64)]


class _Derived(Column):
    """A column computed out of another one, some rows at a time."""

    def __init__(self, base: Column, function: Callable[[FloatArray, Any], FloatArray], params: Any) -> None:
        self._base, self._function, self._params = base, function, params

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self._base),)

    def take(self, rows: ArrayLike | slice) -> FloatArray:
        return self._function(self._base.take(rows), self._params)

    def values(self) -> FloatArray:
        joined = np.empty(len(self))
        for start, part in self.chunks():
            joined[start : start + len(part)] = part
        return joined
