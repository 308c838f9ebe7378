# SPDX-License-Identifier: BSD-3-Clause
"""What a worker does with a stretch of groups: decode it, and call a kernel on blocks that begin at whole tiles."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from sys import getrefcount
from typing import Any

import numpy as np

from isobreach._arrays import FloatArray, IntArray
from isobreach._arrow import arrow_array, column_block, fill
from isobreach._columns import ColumnBlock
from isobreach.engine.base import Kernel, tile_rows
from isobreach.engine.column import ColumnHandle
from isobreach.engine.files import Files, Group

Block = FloatArray | ColumnBlock

_ALONE = 2  # references to an array that only its owner has, as Python counts them


@dataclass(frozen=True, eq=False)
class StoredRows:
    """Where the rows are: files, columns of numbers or one of vectors, rows and columns in all, rows of a block.

    ``column_block``: rows of a block for kernels that take columns as they are decoded; 0 where those are no float64
    numbers.
    """

    files: Files
    columns: tuple[str, ...]
    shape: tuple[int, int]
    block: int
    column_block: int

    @property
    def tile(self) -> int:
        """Rows of a tile."""
        return tile_rows(self.shape[1])


def stretches(groups: Iterable[Group], least: int) -> Iterator[tuple[Group, ...]]:
    """Groups side by side, until there are so many rows."""
    open_: list[Group] = []
    rows = 0
    for group in groups:
        open_.append(group)
        rows += group.rows
        if rows >= least:
            yield tuple(open_)
            open_, rows = [], 0
    if open_:
        yield tuple(open_)


class _Rows:
    """Rows of a stretch one after the other, as float64."""

    def __init__(self, stored: StoredRows, stretch: Sequence[Group], most: int) -> None:
        self._batches = stored.files.batches(stretch, stored.columns, most)
        self._rest: list[Any] = []
        self._block = np.empty((0, stored.shape[1]))

    def take(self, rows: int) -> FloatArray:
        """The next so many rows."""
        block, done = self._room(rows), 0
        while done < rows:
            part = self._rest or next(self._batches)
            count = len(part[0])
            here = min(count, rows - done)
            fill(block[done : done + here], part if here == count else [column.slice(0, here) for column in part])
            self._rest = [column.slice(here) for column in part] if here < count else []
            done += here
        return block

    def columns(self, most: int) -> ColumnBlock:
        """The next rows, so many at most, as the decoder left them."""
        part = self._rest or next(self._batches)
        if len(part[0]) > most:
            self._rest = [column.slice(most) for column in part]
            part = [column.slice(0, most) for column in part]
        else:
            self._rest = []
        return column_block(part)

    def _room(self, rows: int) -> FloatArray:
        """A block to write into: the last one, which the cache has, unless a kernel's result holds on to it."""
        if len(self._block) < rows or getrefcount(self._block) > _ALONE:
            self._block = np.empty((rows, self._block.shape[1]))
        return self._block[:rows]


@dataclass(frozen=True, eq=False)
class Job:
    """What is done with every stretch. ``wanted``: rows to pick up, ascending."""

    stored: StoredRows
    kernel: Kernel[Any]
    params: Any
    beside: ColumnHandle | None
    wanted: IntArray

    @property
    def by_columns(self) -> bool:
        """Whether the kernel gets columns as they are decoded."""
        return self.stored.column_block > 0 and getattr(self.kernel, "takes_columns", False)

    def result(self, block: Block, start: int) -> tuple[Any, int]:
        """What the kernel makes of a block, and the row after its last."""
        stop = start + len(block)
        more = () if self.beside is None else (self.beside.take(slice(start, stop)),)
        return self.kernel(block, start, self.params, *more), stop

    def visited(self, block: Block, start: int) -> tuple[tuple[IntArray, FloatArray], tuple[Any, int]]:
        """Both: the wanted rows in a block, and what the kernel makes of it."""
        return self.picked(block, start), self.result(block, start)

    def picked(self, block: Block, start: int) -> tuple[IntArray, FloatArray]:
        """Numbers of the wanted rows in a block, and the rows."""
        low, high = np.searchsorted(self.wanted, [start, start + len(block)])
        if low == high:
            return self.wanted[:0], np.empty((0, self.stored.shape[1]))
        return self.wanted[low:high], block[self.wanted[low:high] - start]


@dataclass(frozen=True, eq=False)
class Visited:
    """What came of a stretch: results, rows left over before and after them, rows picked up; an error that ended it."""

    head: FloatArray
    results: list[tuple[Any, int]]
    tail: FloatArray
    picked: list[tuple[IntArray, FloatArray]]
    error: Exception | None = None


def visit(stretch: Sequence[Group], job: Job) -> Visited:
    """Decode a stretch and call the kernel on its whole blocks; on columns, on all that is decoded."""
    stored, by_columns = job.stored, job.by_columns
    tile, block = (1, stored.column_block) if by_columns else (stored.tile, stored.block)
    start, stop = stretch[0].start, stretch[-1].stop
    first = min(-(-start // tile) * tile, stop)
    last = stop if stop == stored.shape[0] else max(stop // tile * tile, first)
    rows = _Rows(stored, stretch, block)
    head = rows.take(first - start).copy()
    picked, results = [job.picked(head, start)], []
    try:
        row = first
        while row < last:
            most = min(block, last - row)
            found, result = job.visited(rows.columns(most) if by_columns else rows.take(most), row)
            row = result[1]
            picked.append(found)
            results.append(result)
        tail = rows.take(stop - last).copy()
    except Exception as error:  # noqa: BLE001 - results that come before it are given back first
        return Visited(head, results, head[:0], picked, error)
    return Visited(head, results, tail, [*picked, job.picked(tail, last)])


def pick(stretch: Sequence[Group], job: tuple[StoredRows, IntArray]) -> FloatArray:
    """Rows of some row groups that are wanted, ascending; what comes after the last is not decoded."""
    stored, wanted = job
    wanted = wanted[slice(*np.searchsorted(wanted, [stretch[0].start, stretch[-1].stop]))]
    # Their places among the rows that are read, row groups that lie between left out.
    starts, ends = (np.array([getattr(group, end) for group in stretch]) for end in ("start", "stop"))
    gaps = np.cumsum(starts - np.concatenate([starts[:1], ends[:-1]]))
    wanted = wanted - starts[0] - gaps[np.searchsorted(starts, wanted, "right") - 1]
    found, done, start = np.empty((len(wanted), stored.shape[1])), 0, 0
    for columns in stored.files.batches(stretch, stored.columns, stored.block):
        stop = start + len(columns[0])
        here = wanted[done:]
        here = here[: np.searchsorted(here, stop)] - start
        if len(here):
            places = arrow_array(here)
            fill(found[done : done + len(here)], [column.take(places) for column in columns])
        done, start = done + len(here), stop
        if done == len(found):
            break
    return found
