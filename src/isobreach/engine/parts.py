# SPDX-License-Identifier: BSD-3-Clause
"""A column in part files, written by workers into a folder that all of them see.

A part is written under a name of its own and then renamed. So it is there whole or not at all, and a task that is
repeated, even beside one that was thought to be lost, leaves what the first one left. What is asked of all numbers is
asked of the workers, a span of parts at a time; only answers travel.
"""

import shutil
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias
from uuid import uuid4

import numpy as np

from isobreach._arrays import FloatArray, IntArray
from isobreach.engine.column import ColumnHandle, StoredColumn, write_numbers
from isobreach.engine.workers import Workers


@dataclass(frozen=True)
class PartFile:
    """Numbers of some rows that are in a file: the first row, how many rows, and the shape of a row."""

    start: int
    rows: int
    width: tuple[int, ...]


Place: TypeAlias = Path  # a folder of parts


def _path(place: Place, start: int) -> Path:
    return place / f"{start}.part"


def write_part(place: Place, start: int, numbers: FloatArray) -> PartFile:
    """Write the numbers of some rows from ``start`` on; what is there already is replaced by the same."""
    part = _path(place, start)
    own = part.with_name(f"{part.name}.{uuid4().hex}")
    try:
        with own.open("xb", buffering=0) as file:
            write_numbers(file, numbers)
        own.replace(part)
    except BaseException:
        own.unlink(missing_ok=True)
        raise
    return PartFile(start, len(numbers), numbers.shape[1:])


class PartColumn(StoredColumn):
    """A column in part files, which end with the handle.

    Parameters
    ----------
    place
        The folder.
    parts
        All parts, in row order.
    workers
        Who write and read them.
    """

    def __init__(self, place: Place, parts: list[PartFile], workers: Workers) -> None:
        self._place, self._workers = place, workers
        self._starts = np.array([part.start for part in parts], dtype=np.int64)
        self._shape = (parts[-1].start + parts[-1].rows, *parts[-1].width)
        weakref.finalize(self, shutil.rmtree, place, ignore_errors=True)

    def __reduce__(self) -> tuple[type["_Elsewhere"], tuple[Place, IntArray, tuple[int, ...]]]:
        """What travels is where the parts are."""
        return _Elsewhere, (self._place, self._starts, self._shape)

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows, and numbers a row if there are several."""
        return self._shape

    def _read(self, start: int, stop: int) -> FloatArray:
        return _read(self._place, self._starts, self._shape, start, stop)

    @property
    def crew(self) -> Workers:
        """Workers of the cluster."""
        return self._workers

    def like_these(self, column: ColumnHandle) -> ColumnHandle:
        """Return the numbers of a column that is derived from this one: computed by the workers, in parts too."""
        place = self._place.with_name(uuid4().hex)
        place.mkdir()
        try:
            return PartColumn(place, list(column.by_spans(_kept, place)), self._workers)
        except BaseException:
            shutil.rmtree(place, ignore_errors=True)
            raise


class _Elsewhere(StoredColumn):
    """The same column where a worker is: it reads parts and leaves them alone."""

    def __init__(self, place: Place, starts: IntArray, shape: tuple[int, ...]) -> None:
        self._place, self._starts, self._shape = place, starts, shape

    @property
    def shape(self) -> tuple[int, ...]:
        return self._shape

    def _read(self, start: int, stop: int) -> FloatArray:
        return _read(self._place, self._starts, self._shape, start, stop)


def _read(place: Place, starts: IntArray, shape: tuple[int, ...], start: int, stop: int) -> FloatArray:
    """The numbers of a range of rows, from the parts that have them."""
    numbers, line = np.empty((stop - start, *shape[1:])), int(np.prod(shape[1:], dtype=np.int64))
    part = int(np.searchsorted(starts, start, "right")) - 1
    done = start
    while done < stop:
        first = int(starts[part])
        end = min(stop, int(starts[part + 1]) if part + 1 < len(starts) else shape[0])
        read = np.fromfile(_path(place, first), count=(end - done) * line, offset=8 * line * (done - first))
        numbers[done - start : end - start] = read.reshape(end - done, *shape[1:])
        done, part = end, part + 1
    return numbers


def _kept(column: ColumnHandle, first: int, stop: int, place: Place) -> PartFile:
    """Write the numbers of a range of rows."""
    return write_part(place, first, np.concatenate([values for _, values in column.chunks(first, stop)]))
