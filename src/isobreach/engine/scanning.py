# SPDX-License-Identifier: BSD-3-Clause
"""Released rows in files, larger than memory: read anew in every pass, a few thousand rows at a time.

A worker decodes a *stretch* of groups of rows and calls the kernel on blocks that begin at multiples of ``tile_rows``,
whatever the sizes of groups and files. The rows before the first of these and after the last come back with the
results; where stretches meet, they make up a block of their own. So no row is decoded twice in a pass, and results have
the bits that they have in memory.

Rows that will be gathered are best announced before (``keep``): they are picked up in passing.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isobreach._arrays import FloatArray, IntArray
from isobreach._arrow import numpy_type, vector_width
from isobreach._columns import STRETCH
from isobreach._phrases import place
from isobreach._progress import Progress, no_progress
from isobreach._validation import check_integer
from isobreach.engine.base import Engine, Kernel, tile_rows
from isobreach.engine.column import ArrayColumn, ColumnHandle, FileColumn
from isobreach.engine.files import Files, Group
from isobreach.engine.memory import free_memory
from isobreach.engine.threads import Threads
from isobreach.engine.visits import Job, StoredRows, Visited, pick, stretches, visit
from isobreach.engine.workers import T, Workers
from isobreach.errors import InputError


@dataclass(frozen=True)
class ReadingAhead:
    """How much is held at a time.

    Attributes
    ----------
    block_tiles
        Tiles of a block, and of a batch that is decoded: one megabyte, which a second-level cache holds.
    column_tiles
        Tiles of a batch whose columns kernels take as they are: each number is touched once, and a decoder that is
        called less often takes less time. Sixteen took 0.15 plain scans less than eight, and thirty-two no less.
    stretch_tiles
        Least tiles of a stretch: what is left over between two stretches is then little.
    kept
        Most entries of rows that are kept at hand: 128 MiB, some thousand rows of a few thousand columns.
    held
        Most numbers of a column that stays in memory: 128 MiB. A larger one goes to a temporary file, which takes
        0.25 plain scans of a release of sixteen columns.
    share
        Of the memory that is free, what all rows at once may take.
    """

    block_tiles: int = 2
    column_tiles: int = 16
    stretch_tiles: int = 32
    kept: int = 1 << 24
    held: int = 1 << 24
    share: float = 0.5


READING = ReadingAhead()


@dataclass(frozen=True, eq=False)
class _Kept:
    """Rows at hand: their numbers, ascending, and the rows themselves."""

    numbers: IntArray
    rows: FloatArray

    def lacks(self, wanted: IntArray) -> IntArray:
        """Those that are not at hand, ascending."""
        return np.setdiff1d(wanted, self.numbers)

    def take(self, wanted: IntArray) -> FloatArray:
        """Rows that are at hand, in the order asked for."""
        return np.asarray(self.rows[np.searchsorted(self.numbers, wanted)])

    def and_more(self, numbers: Iterable[IntArray], rows: Iterable[FloatArray]) -> "_Kept":
        """These and others."""
        every, first = np.unique(np.concatenate([self.numbers, *numbers]), return_index=True)
        return _Kept(every, np.concatenate([self.rows, *rows])[first])


class FileEngine(Engine):
    """Rows in files, decoded in every pass by as many threads as there are processors.

    Parameters
    ----------
    files
        The files.
    columns
        Columns of numbers, or one of vectors.
    block_rows
        Least rows of a block; results do not depend on it.
    workers
        How many threads visit the rows; results do not depend on it.
    """

    def __init__(
        self,
        files: Files,
        columns: Sequence[str],
        *,
        block_rows: int | None = None,
        workers: int | None = None,
    ) -> None:
        types = [files.schema.field(column).type for column in columns]
        vector = vector_width(types[0]) if len(types) == 1 else None
        width = len(types) if vector is None else vector
        stored = types if vector is None else [getattr(types[0], "storage_type", types[0]).value_type]
        self._dtype = np.result_type(*(numpy_type(one) for one in stored))
        if not files.groups:
            raise InputError(files.name, "must have at least one row", "0 rows")
        tile = tile_rows(width)
        wanted = tile * READING.block_tiles if block_rows is None else check_integer("block_rows", block_rows, least=1)
        block = -(-wanted // tile) * tile
        by_columns = READING.column_tiles * tile if block_rows is None else block
        if vector is not None or {str(one) for one in types} != {"double"} or tile < STRETCH:
            by_columns = 0  # a short block has more columns than are worth it
        self.stored = StoredRows(files, tuple(columns), (files.groups[-1].stop, width), block, by_columns)
        self._workers = self.crew(workers)
        self._kept = _Kept(np.empty(0, dtype=np.int64), np.empty((0, width)))
        self._expected = self._kept.numbers

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.stored.shape

    @property
    def files(self) -> Files:
        """The files that the rows are in."""
        return self.stored.files

    @property
    def dtype(self) -> np.dtype[np.generic]:
        """Type in which the rows are stored."""
        return self._dtype

    @property
    def workers(self) -> Workers:
        """Threads of this process, as many as the engine was given."""
        return self._workers

    @classmethod
    def crew(cls, workers: int | None = None) -> Workers:
        """Threads of this process."""
        return Threads(workers)

    @cached_property
    def _stretches(self) -> list[tuple[Group, ...]]:
        return list(stretches(self.files.groups, self._least))

    @property
    def _least(self) -> int:
        """Least rows of a stretch."""
        return READING.stretch_tiles * self.stored.tile

    def visited(
        self, kernel: Kernel[T], params: Any, beside: ColumnHandle | None, label: str, progress: Progress
    ) -> Iterator[T]:
        """Results of ``scan``."""
        return self._scanned(Job(self.stored, kernel, params, beside, self._expected), label, progress)

    def _scanned(
        self, job: Job, label: str, progress: Progress, task: Callable[[Sequence[Group], Job], Visited] = visit
    ) -> Iterator[Any]:
        total, tile = self.shape[0], self.stored.tile
        picked: list[tuple[IntArray, FloatArray]] = []
        open_, start = np.empty((0, self.shape[1])), 0  # rows of a tile that the next stretch has to complete
        for visited in self._workers.run(task, self._stretches, job, ahead=1):
            picked += visited.picked
            results, open_ = visited.results, np.concatenate([open_, visited.head])
            end = start + len(open_)
            if len(open_) and (end % tile == 0 or end == total):
                results, open_ = [job.result(open_, start), *results], open_[:0]
            start, open_ = results[-1][1] if results else start, np.concatenate([open_, visited.tail])
            for result, done in results:
                yield result
                progress(label, done, total)
            if visited.error is not None:
                raise visited.error
        self._kept = self._kept.and_more(*zip(*picked, strict=True)) if len(job.wanted) else self._kept
        self._expected = self._kept.lacks(self._expected)

    def collected(self, parts: Iterator[FloatArray]) -> ColumnHandle:
        """Return a column; its numbers stay in a temporary file where they are many."""
        first = next(parts)
        numbers = self.shape[0] * int(np.prod(first.shape[1:], dtype=np.int64))
        kind = ArrayColumn if numbers <= READING.held else FileColumn
        return kind.of(_chained(first, parts), self.shape[0])

    def gather(self, rows: ArrayLike) -> FloatArray:
        """Return the given rows: those at hand, and others out of the row groups that they are in."""
        wanted = np.asarray(rows, dtype=np.int64)
        lacking = self._kept.lacks(wanted)
        if not len(lacking):
            return self._kept.take(wanted)
        lacking = np.union1d(lacking, self._passed(lacking))
        visited = stretches((one for one in self.files.groups if _within(lacking, one)), self._least)
        found = self._kept.and_more([lacking], self._workers.run(pick, visited, (self.stored, lacking)))
        if found.rows.size <= READING.kept:
            self._kept, self._expected = found, found.lacks(self._expected)
        return found.take(wanted)

    def _passed(self, wanted: IntArray) -> IntArray:
        """Rows to be kept that are decoded anyway for the sake of others: those before one of them in its row group."""
        starts = np.array([group.start for group in self.files.groups])
        following = wanted[np.minimum(np.searchsorted(wanted, self._expected), len(wanted) - 1)]
        same = np.searchsorted(starts, following, "right") == np.searchsorted(starts, self._expected, "right")
        return np.asarray(self._expected[same & (following >= self._expected)])

    def keep(self, rows: ArrayLike, values: FloatArray | None = None) -> None:
        """Have some rows at hand: those whose values are given from now on, others after the next pass."""
        numbers = np.asarray(rows, dtype=np.int64)
        if (len(self._kept.numbers) + len(self._expected) + len(numbers)) * self.shape[1] > READING.kept:
            return
        if values is None:
            self._expected = np.union1d(self._expected, self._kept.lacks(numbers))
        else:
            self._kept = self._kept.and_more([numbers], [values])

    def everything(self, reason: str, progress: Progress = no_progress) -> FloatArray:
        """Return all rows at once, if there is memory for them."""
        if not self.fits:
            rule = f"must be smaller than half of the free memory, {free_memory() / 1e9:.1f} GB, for what is asked"
            raise InputError(self.files.name, rule, f"{self._size / 1e9:.1f} GB", reason)
        return super().everything(reason, progress)

    @property
    def _size(self) -> int:
        """Bytes of all rows in memory."""
        return 8 * self.shape[0] * self.shape[1]

    @property
    def fits(self) -> bool:
        """Whether all rows take no more than half of the memory that is free."""
        return self._size <= READING.share * free_memory()

    def where(self, row: int, column: int) -> str:
        """Where an entry stands: its row and, where there are several files, the file; the name of its column."""
        file, within = self.files.file_of(row)
        part = f", which is row {within} of {file}" if len(self.files.paths) > 1 else ""
        columns = self.stored.columns
        return place(row, columns[column] if len(columns) == self.shape[1] else column) + part


def _within(rows: IntArray, group: Group) -> bool:
    """Whether any of the rows, ascending, is in a row group."""
    low, high = np.searchsorted(rows, [group.start, group.stop])
    return bool(high > low)


def _chained(first: NDArray[Any], rest: Iterator[NDArray[Any]]) -> Iterator[NDArray[Any]]:
    yield first
    yield from rest
