# SPDX-License-Identifier: BSD-3-Clause
"""One number a released row, or a few: a handle of the engine, which keeps the numbers until somebody asks for them."""

import os
import tempfile
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isobreach._arrays import FloatArray, IntArray
from isobreach.engine.ordered import Ordered, ordered
from isobreach.engine.threads import Threads
from isobreach.engine.workers import T, Workers
from isobreach.errors import OutputError

P = TypeVar("P")


@dataclass(frozen=True)
class ColumnReading:
    """How many numbers of a column are handled together.

    Attributes
    ----------
    near
        Rows between two that are read together: a page of one number a row.
    chunk
        Rows that are handed out at a time: intermediate arrays stay small beside the release.
    span
        Rows of which a worker is asked in one task: 32 MB of one number a row.
    """

    near: int = 512
    chunk: int = 1 << 18
    span: int = 1 << 22


_READING = ColumnReading()


class ColumnHandle(ABC):
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

    def chunks(self, first: int = 0, stop: int | None = None) -> Iterator[tuple[int, FloatArray]]:
        """Return (first row, numbers) of some rows at a time, in row order; at most 2^18 rows each.

        Parameters
        ----------
        first, stop
            The first row, and the row after the last one; all of them by default.
        """
        end = len(self) if stop is None else min(stop, len(self))
        for start in range(first, end, _READING.chunk):
            yield start, self.take(slice(start, min(start + _READING.chunk, end)))

    @property
    def crew(self) -> Workers:
        """Who look at the numbers: this thread, where they are here."""
        return Threads(1)

    def by_spans(self, task: Callable[["ColumnHandle", int, int, P], T], params: P) -> Iterator[T]:
        """Ask something of all numbers, some million rows at a time, wherever these are.

        Parameters
        ----------
        task
            Module-level function ``task(column, first, stop, params)`` of a range of rows, with a small result.
        params
            What all tasks share.

        Returns
        -------
        Results in row order. Ranges do not depend on who does it.
        """
        spans = [(start, min(start + _READING.span, len(self))) for start in range(0, len(self), _READING.span)]
        return self.crew.run(_on_span, spans, (task, self, params))

    def derived(self, function: Callable[[FloatArray, P], FloatArray], params: P) -> "ColumnHandle":
        """Return a column of one number a row, ``function`` of the numbers of these rows; computed when asked for."""
        return _Derived(self, function, params)

    def kept(self) -> "ColumnHandle":
        """Return the same numbers, computed once where they are derived, and kept where those are they come from."""
        return self

    def like_these(self, column: "ColumnHandle") -> "ColumnHandle":
        """Return the numbers of a column that is derived from this one, kept where these are."""
        return ArrayColumn.of((part for _, part in column.chunks()), len(column))

    def ordered(self, excluded: ArrayLike = ()) -> Ordered:
        """Return the numbers in ascending order, without those of some rows."""
        return ordered(self, excluded)

    def top(self, count: int, excluded: ArrayLike = (), ties: "ColumnHandle | None" = None) -> IntArray:
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
        left_out = np.unique(np.asarray(excluded, dtype=np.int64))
        found = [_NONE, *self.by_spans(_best, (count, left_out, ties))]
        rows, keys = np.concatenate([rows for rows, _ in found]), np.concatenate([keys for _, keys in found], axis=1)
        return np.asarray(rows[np.lexsort(keys)[:count]])


_NONE = np.empty(0, dtype=np.int64), np.empty((2, 0))  # no rows


def _best(
    column: ColumnHandle, first: int, stop: int, asked: tuple[int, IntArray, ColumnHandle | None]
) -> tuple[IntArray, FloatArray]:
    """The best rows of a range, and for each its tie and its number."""
    count, left_out, ties = asked
    left_out = left_out[slice(*np.searchsorted(left_out, [first, stop]))]
    enough = count + len(left_out)
    rows, keys = _NONE
    for start, values in column.chunks(first, stop):
        # One comparison a row; what may be among the best is looked at more closely.
        chosen = np.flatnonzero(values <= (keys[1, -1] if len(rows) == count else np.inf))
        if len(chosen) > enough:
            chosen = chosen[values[chosen] <= np.partition(values[chosen], enough - 1)[enough - 1]]
        chosen = start + chosen
        chosen = chosen[~np.isin(chosen, left_out, assume_unique=True)]
        own = values[chosen - start]
        new = np.stack([np.zeros(len(chosen)) if ties is None else ties.take(chosen), own])
        rows, keys = np.concatenate([rows, chosen]), np.concatenate([keys, new], axis=1)
        best = np.lexsort(keys)[:count]
        rows, keys = rows[best], keys[:, best]
    return rows, keys


def _on_span(span: tuple[int, int], job: tuple[Callable[[ColumnHandle, int, int, P], T], ColumnHandle, P]) -> T:
    task, column, params = job
    return task(column, *span, params)


class ArrayColumn(ColumnHandle):
    """A column in the memory of this process."""

    def __init__(self, values: FloatArray) -> None:
        self._values = values

    @classmethod
    def of(cls, parts: Iterable[FloatArray], rows: int) -> "ArrayColumn":
        """Return the column whose numbers come in parts, in row order, for so many rows."""
        joined, start = np.empty(0), 0
        for part in parts:
            if not start:
                joined = np.empty((rows, *part.shape[1:]))
            joined[start : start + len(part)] = part
            start += len(part)
        return cls(joined)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        return self._values.shape

    def take(self, rows: ArrayLike | slice) -> FloatArray:
        """Return a view for a range of rows, else a copy."""
        return self._values[rows if isinstance(rows, slice) else np.asarray(rows, dtype=np.int64)]


class StoredColumn(ColumnHandle):
    """A column that is read where it is asked for, a range of rows at a time."""

    @abstractmethod
    def _read(self, start: int, stop: int) -> FloatArray:
        """Return the numbers of a range of rows."""

    def take(self, rows: ArrayLike | slice) -> FloatArray:
        """Return the numbers of a range of rows in one read; of single rows, neighbours together."""
        if isinstance(rows, slice):
            start, stop, step = rows.indices(len(self))
            return self._read(start, max(stop, start))[::step]
        wanted = np.asarray(rows, dtype=np.int64)
        found = np.empty((len(wanted), *self.shape[1:]))
        order = np.argsort(wanted, kind="stable")
        for near in np.split(order, np.flatnonzero(np.diff(wanted[order]) > _READING.near) + 1) if len(order) else ():
            first, last = int(wanted[near[0]]), int(wanted[near[-1]])
            found[near] = self._read(first, last + 1)[wanted[near] - first]
        return found


class FileColumn(StoredColumn):
    """A column in a temporary file, which has no name and ends with the handle.

    It is read where it is asked for, not mapped: what was read does not stay in the memory of the process.
    """

    def __init__(self, file: Any, shape: tuple[int, ...]) -> None:
        self._file, self._shape = file, shape
        weakref.finalize(self, file.close)
        self._line = 8 * int(np.prod(shape[1:], dtype=np.int64))  # bytes of a row

    @classmethod
    def of(cls, parts: Iterable[FloatArray], rows: int) -> "FileColumn":
        """Return the column whose numbers come in parts, in row order, for so many rows."""
        file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - it is closed with the handle
        width: tuple[int, ...] = ()
        try:
            for part in parts:
                width = part.shape[1:]
                write_numbers(file, part)
        except BaseException:
            file.close()
            raise
        return cls(file, (rows, *width))

    def __reduce__(self) -> tuple[type[ArrayColumn], tuple[FloatArray]]:
        """What travels is the numbers: a file without a name cannot."""
        return ArrayColumn, (self.values(),)

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows, and numbers a row if there are several."""
        return self._shape

    def like_these(self, column: ColumnHandle) -> ColumnHandle:
        """Return the numbers of a column that is derived from this one, in a file too."""
        return FileColumn.of((part for _, part in column.chunks()), len(column))

    def _read(self, start: int, stop: int) -> FloatArray:
        values = np.empty((stop - start, *self._shape[1:]))
        into, place = memoryview(values.view(np.uint8).reshape(-1)), start * self._line  # type: ignore[arg-type]
        while len(into):  # a system call reads two gigabytes at most
            done = os.preadv(self._file.fileno(), [into], place)
            into, place = into[done:], place + done
        return values


def write_numbers(file: Any, numbers: FloatArray) -> None:
    """Write numbers to a file without a buffer; a full disk is said in a line."""
    rest = memoryview(np.ascontiguousarray(numbers).view(np.uint8).reshape(-1))  # type: ignore[arg-type]
    try:
        while len(rest):
            rest = rest[file.write(rest) :]
    except OSError as error:
        reason, step = os.strerror(error.errno or 0), "Set TMPDIR to a folder with more room."
        message = f"{tempfile.gettempdir()}: one number a row does not fit there: {reason}. {step}"
        raise OutputError(message) from None


class _Derived(ColumnHandle):
    """A column computed out of another one, some rows at a time."""

    def __init__(self, base: ColumnHandle, function: Callable[[FloatArray, Any], FloatArray], params: Any) -> None:
        self._base, self._function, self._params = base, function, params

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self._base),)

    @property
    def crew(self) -> Workers:
        return self._base.crew

    def take(self, rows: ArrayLike | slice) -> FloatArray:
        return self._function(self._base.take(rows), self._params)

    def kept(self) -> ColumnHandle:
        home: ColumnHandle = self
        while isinstance(home, _Derived):
            home = home._base
        return home.like_these(self)

    def values(self) -> FloatArray:
        return ArrayColumn.of((part for _, part in self.chunks()), len(self)).values()
