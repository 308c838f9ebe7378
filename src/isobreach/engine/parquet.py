# SPDX-License-Identifier: BSD-3-Clause
"""Released rows in Parquet files, larger than memory: read anew in every pass, a few thousand rows at a time.

A thread decodes a *stretch* of row groups and calls the kernel on blocks that begin at multiples of ``tile_rows``,
whatever the sizes of row groups and files. The rows before the first of these and after the last come back with the
results; where stretches meet, they make up a block of their own. So no row is decoded twice in a pass, and results have
the bits that they have in memory.

Rows that will be gathered are best announced before (``keep``): they are picked up in passing.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isobreach._arrow import fill, numpy_type, vector_width
from isobreach._progress import Progress, no_progress
from isobreach._validation import check_integer
from isobreach.engine.base import BLOCK_TILES, Engine, Kernel, tile_rows
from isobreach.engine.column import ArrayColumn, Column, FileColumn, FloatArray, IntArray
from isobreach.engine.threads import Threads
from isobreach.engine.workers import T, Workers, address
from isobreach.errors import InputError


@dataclass(frozen=True)
class Reading:
    """How much is held at a time.

    Attributes
    ----------
    block_tiles
        Tiles of a block, and of a batch that is decoded: eight megabytes. Smaller ones take longer, a call at a time.
    stretch_tiles
        Least tiles of a stretch: what is left over between two stretches is then little.
    buffer
        Bytes read at a time of a column; without a limit Arrow reads whole row groups.
    kept
        Most entries of rows that are kept at hand: 128 MiB, some thousand rows of a few thousand columns.
    held
        Most numbers of a column that stays in memory: 64 MiB. A larger one goes to a temporary file.
    share
        Of the memory that is free, what all rows at once may take.
    """

    block_tiles: int = BLOCK_TILES
    stretch_tiles: int = 32
    buffer: int = 1 << 16
    kept: int = 1 << 24
    held: int = 1 << 23
    share: float = 0.5


READING = Reading()


@dataclass(frozen=True)
class Group:
    """A row group: the file that it is in, its number there, its first row and how many rows it has."""

    file: int
    number: int
    start: int
    rows: int

    @property
    def stop(self) -> int:
        """The row after its last one."""
        return self.start + self.rows


@dataclass(frozen=True, eq=False)
class ParquetFiles:
    """Parquet files that together are one table: parts with the same columns, in this order.

    Parameters
    ----------
    paths
        The files.
    name
        What messages call the table.
    """

    paths: tuple[Path, ...]
    name: str
    _footers: tuple[Any, ...] = field(repr=False)
    _stamps: tuple[tuple[int, int], ...] = field(repr=False)

    @classmethod
    def of(cls, paths: Sequence[Path], name: str) -> "ParquetFiles":
        """Return the table in some files, after a look at the end of each: their columns must be the same."""
        from pyarrow import parquet

        footers, stamps = [], []
        for path in paths:
            with _naming(path, name):
                stamps.append(_stamp(path))
                footers.append(parquet.read_metadata(path))
            if not footers[-1].schema.to_arrow_schema().equals(footers[0].schema.to_arrow_schema()):
                rule = "must have the same columns, of the same types, in every part"
                raise InputError(name, rule, f"{path.name}, which differs from {paths[0].name}")
        return cls(tuple(paths), name, tuple(footers), tuple(stamps))

    @cached_property
    def schema(self) -> Any:
        """Arrow's schema of all files."""
        return self._footers[0].schema.to_arrow_schema()

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """All row groups that have rows, in row order."""
        found: list[Group] = []
        for file, footer in enumerate(self._footers):
            for number in range(footer.num_row_groups):
                rows = footer.row_group(number).num_rows
                found += [Group(file, number, found[-1].stop if found else 0, rows)] if rows else []
        return tuple(found)

    def batches(self, groups: Sequence[Group], columns: Sequence[str], rows: int) -> Iterator[list[Any]]:
        """Columns of some row groups, so many rows at a time at most, as Arrow arrays."""
        for file, several in groupby(groups, key=lambda group: group.file):
            yield from self._batches(file, list(several), columns, rows)

    def _batches(self, place: int, groups: Sequence[Group], columns: Sequence[str], rows: int) -> Iterator[list[Any]]:
        from pyarrow import parquet

        path = self.paths[place]
        with _naming(path, self.name):
            if _stamp(path) != self._stamps[place]:
                raise InputError(self.name, "must stay as it is while it is read", f"{path.name}, which has changed")
            footer = self._footers[place]
            # Not mapped into memory, though that is faster: a file that is cut short meanwhile would end the process.
            file = parquet.ParquetFile(
                path, metadata=footer, buffer_size=READING.buffer, pre_buffer=False, page_checksum_verification=True
            )
        with file:
            numbers = [group.number for group in groups]
            batches = file.iter_batches(rows, row_groups=numbers, columns=list(columns), use_threads=False)
            left = sum(group.rows for group in groups)
            while left:
                with _naming(path, self.name):
                    batch = next(batches, None)
                    if batch is None:
                        raise OSError
                left -= len(batch)
                yield [batch.column(column) for column in columns]

    def file_of(self, row: int) -> tuple[str, int]:
        """The name of the file that a row is in, and its number there."""
        group = next(group for group in self.groups if row < group.stop)
        first = next(other.start for other in self.groups if other.file == group.file)
        return self.paths[group.file].name, row - first


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns


@contextmanager
def _naming(path: Path, name: str) -> Iterator[None]:
    """Turn whatever is wrong with a file into the one line that names it."""
    import pyarrow as pa

    try:
        yield
    except FileNotFoundError:
        raise InputError(name, "must stay where it is while it is read", f"{path.name}, which is gone") from None
    except PermissionError as error:
        raise InputError(name, "must be readable", f"{path}: {os.strerror(error.errno or 0)}") from None
    except (pa.ArrowException, OSError):
        rule = "must be readable as Parquet"
        raise InputError(name, rule, f"{path.name}, a damaged file or another format") from None


class _Rows:
    """Rows of a stretch one after the other, as float64."""

    def __init__(self, files: ParquetFiles, stretch: Sequence[Group], columns: Sequence[str], batch: int) -> None:
        self._batches = files.batches(stretch, columns, batch)
        self._rest: list[Any] = []

    def take(self, rows: int, width: int) -> FloatArray:
        """The next so many rows."""
        block, done = np.empty((rows, width)), 0
        while done < rows:
            part = self._rest or next(self._batches)
            here = min(len(part[0]), rows - done)
            fill(block[done : done + here], [column.slice(0, here) for column in part])
            self._rest = [column.slice(here) for column in part] if here < len(part[0]) else []
            done += here
        return block


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


@dataclass(frozen=True, eq=False)
class _Job:
    """What is done with every stretch. ``wanted``: rows to pick up, ascending."""

    engine: "ParquetEngine"
    kernel: Kernel[Any]
    params: Any
    beside: Column | None
    wanted: IntArray

    def result(self, block: FloatArray, start: int) -> tuple[Any, int]:
        """What the kernel makes of a block, and the row after its last."""
        stop = start + len(block)
        more = () if self.beside is None else (self.beside.take(slice(start, stop)),)
        return self.kernel(block, start, self.params, *more), stop

    def picked(self, block: FloatArray, start: int) -> tuple[IntArray, FloatArray]:
        """Numbers of the wanted rows in a block, and the rows."""
        low, high = np.searchsorted(self.wanted, [start, start + len(block)])
        return self.wanted[low:high], block[self.wanted[low:high] - start]


@dataclass(frozen=True, eq=False)
class _Visited:
    """What came of a stretch: results, rows left over before and after them, rows picked up; an error that ended it."""

    head: FloatArray
    results: list[tuple[Any, int]]
    tail: FloatArray
    picked: list[tuple[IntArray, FloatArray]]
    error: Exception | None = None


def _visit(stretch: Sequence[Group], job: _Job) -> _Visited:
    """Decode a stretch and call the kernel on its whole blocks."""
    engine = job.engine
    (total, width), tile, block = engine.shape, tile_rows(engine.shape[1]), engine.block
    start, stop = stretch[0].start, stretch[-1].stop
    first = min(-(-start // tile) * tile, stop)
    last = stop if stop == total else max(stop // tile * tile, first)
    rows = _Rows(engine.files, stretch, engine.columns, block)
    head = rows.take(first - start, width)
    picked, results = [job.picked(head, start)], []
    try:
        for row in range(first, last, block):
            part = rows.take(min(block, last - row), width)
            picked.append(job.picked(part, row))
            results.append(job.result(part, row))
        tail = rows.take(stop - last, width)
    except Exception as error:  # noqa: BLE001 - results that come before it are given back first
        return _Visited(head, results, head[:0], picked, error)
    return _Visited(head, results, tail, [*picked, job.picked(tail, last)])


def _pick(stretch: Sequence[Group], job: tuple["ParquetEngine", IntArray]) -> FloatArray:
    """Rows of some row groups that are wanted, ascending; what comes after the last is not decoded."""
    import pyarrow as pa

    engine, wanted = job
    wanted = wanted[slice(*np.searchsorted(wanted, [stretch[0].start, stretch[-1].stop]))]
    # Their places among the rows that are read, row groups that lie between left out.
    starts, ends = (np.array([getattr(group, end) for group in stretch]) for end in ("start", "stop"))
    gaps = np.cumsum(starts - np.concatenate([starts[:1], ends[:-1]]))
    wanted = wanted - starts[0] - gaps[np.searchsorted(starts, wanted, "right") - 1]
    found, done, start = np.empty((len(wanted), engine.shape[1])), 0, 0
    for columns in engine.files.batches(stretch, engine.columns, engine.block):
        stop = start + len(columns[0])
        here = wanted[done:]
        here = here[: np.searchsorted(here, stop)] - start
        if len(here):
            places = pa.array(here)
            fill(found[done : done + len(here)], [column.take(places) for column in columns])
        done, start = done + len(here), stop
        if done == len(found):
            break
    return found


class ParquetEngine(Engine):
    """Rows in Parquet files, decoded in every pass by as many threads as there are processors.

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
        files: ParquetFiles,
        columns: Sequence[str],
        *,
        block_rows: int | None = None,
        workers: int | None = None,
    ) -> None:
        self.files, self.columns = files, tuple(columns)
        types = [files.schema.field(column).type for column in self.columns]
        vector = vector_width(types[0]) if len(types) == 1 else None
        width = len(types) if vector is None else vector
        stored = types if vector is None else [getattr(types[0], "storage_type", types[0]).value_type]
        self._dtype = np.result_type(*(numpy_type(one) for one in stored))
        groups = files.groups
        if not groups:
            raise InputError(files.name, "must have at least one row", "0 rows")
        self._shape = groups[-1].stop, width
        tile = tile_rows(width)
        wanted = tile * READING.block_tiles if block_rows is None else check_integer("block_rows", block_rows, least=1)
        self.block = -(-wanted // tile) * tile
        self._workers = self.crew(workers)
        self._kept = _Kept(np.empty(0, dtype=np.int64), np.empty((0, width)))
        self._expected = self._kept.numbers

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self._shape

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
        """Row groups side by side, until there are enough rows."""
        return list(self._side_by_side(self.files.groups))

    def _side_by_side(self, groups: Iterable[Group]) -> Iterator[tuple[Group, ...]]:
        least, open_, rows = READING.stretch_tiles * tile_rows(self._shape[1]), [], 0
        for group in groups:
            open_.append(group)
            rows += group.rows
            if rows >= least:
                yield tuple(open_)
                open_, rows = [], 0
        if open_:
            yield tuple(open_)

    def scan(
        self,
        kernel: Kernel[T],
        params: Any,
        label: str,
        progress: Progress = no_progress,
        *,
        beside: Column | None = None,
    ) -> Iterator[T]:
        """``kernel(block, first_row, params)`` for every block, results in row order as they come."""
        address(kernel)
        return self._scanned(_Job(self, kernel, params, beside, self._expected), label, progress)

    def _scanned(self, job: _Job, label: str, progress: Progress) -> Iterator[Any]:
        total, tile = self._shape[0], tile_rows(self._shape[1])
        picked: list[tuple[IntArray, FloatArray]] = []
        open_, start = np.empty((0, self._shape[1])), 0  # rows of a tile that the next stretch has to complete
        for visited in self._workers.run(_visit, self._stretches, job, ahead=1):
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

    def column(
        self,
        kernel: Kernel[FloatArray],
        params: Any,
        label: str,
        progress: Progress = no_progress,
        *,
        beside: Column | None = None,
    ) -> Column:
        """Compute numbers of every row; they stay in a temporary file where they are many."""
        parts = self.scan(kernel, params, label, progress, beside=beside)
        first = next(parts)
        numbers = self._shape[0] * int(np.prod(first.shape[1:], dtype=np.int64))
        kind = ArrayColumn if numbers <= READING.held else FileColumn
        return kind.of(_chained(first, parts), self._shape[0])

    def gather(self, rows: ArrayLike) -> FloatArray:
        """Return the given rows: those at hand, and others out of the row groups that they are in."""
        wanted = np.asarray(rows, dtype=np.int64)
        lacking = self._kept.lacks(wanted)
        if not len(lacking):
            return self._kept.take(wanted)
        lacking = np.union1d(lacking, self._passed(lacking))
        stretches = self._side_by_side(one for one in self.files.groups if _within(lacking, one))
        found = self._kept.and_more([lacking], self._workers.run(_pick, stretches, (self, lacking)))
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
        if (len(self._kept.numbers) + len(self._expected) + len(numbers)) * self._shape[1] > READING.kept:
            return
        if values is None:
            self._expected = np.union1d(self._expected, self._kept.lacks(numbers))
        else:
            self._kept = self._kept.and_more([numbers], [values])

    def everything(self, reason: str, progress: Progress = no_progress) -> FloatArray:
        """Return all rows at once, if there is memory for them."""
        if not self.fits:
            rule = f"must be smaller than half of the free memory, {_free_memory() / 1e9:.1f} GB, for what is asked"
            raise InputError(self.files.name, rule, f"{self._size / 1e9:.1f} GB", reason)
        return super().everything(reason, progress)

    @property
    def _size(self) -> int:
        """Bytes of all rows in memory."""
        return 8 * self._shape[0] * self._shape[1]

    @property
    def fits(self) -> bool:
        """Whether all rows take no more than half of the memory that is free."""
        return self._size <= READING.share * _free_memory()

    def where(self, row: int, column: int) -> str:
        """Where an entry stands: its row and, where there are several files, the file; the name of its column."""
        file, within = self.files.file_of(row)
        part = f" (row {within + 1} of {file})" if len(self.files.paths) > 1 else ""
        name = repr(self.columns[column]) if len(self.columns) == self._shape[1] else str(column + 1)
        return f"row {row + 1}{part}, column {name}"


def _within(rows: IntArray, group: Group) -> bool:
    """Whether any of the rows, ascending, is in a row group."""
    low, high = np.searchsorted(rows, [group.start, group.stop])
    return bool(high > low)


def _chained(first: NDArray[Any], rest: Iterator[NDArray[Any]]) -> Iterator[NDArray[Any]]:
    yield first
    yield from rest


def _free_memory() -> float:
    """Bytes of memory that programs may still use; all there is where the system does not tell."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return 1024.0 * next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
