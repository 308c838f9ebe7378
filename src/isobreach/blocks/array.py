# SPDX-License-Identifier: BSD-3-Clause
"""Released rows in memory (or memory-mapped)."""

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import ThreadpoolController

from isobreach._progress import Progress, no_progress
from isobreach._validation import check_integer, check_shape
from isobreach.blocks.source import BLOCK_TILES, FloatArray, Kernel, Source, T, contiguous, tile_rows

# Below this size one pass takes less time than starting the threads.
SERIAL_BYTES = 16 << 20


class ArraySource(Source):
    """An array of rows, visited by as many threads as there are processors.

    The kernels release the interpreter lock; one BLAS thread each, because threaded BLAS on small blocks is many
    times slower under threads of one's own.
    """

    def __init__(
        self, rows: NDArray[Any], *, name: str = "released", block_rows: int | None = None, threads: int | None = None
    ) -> None:
        check_shape(name, rows)
        self._rows = rows
        self._tile = tile_rows(rows.shape[1])
        wanted = self._tile * BLOCK_TILES if block_rows is None else check_integer("block_rows", block_rows, least=1)
        self._block = -(-wanted // self._tile) * self._tile
        default_threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        self._threads = default_threads if threads is None else check_integer("threads", threads, least=1)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self._rows.shape[0], self._rows.shape[1]

    @property
    def dtype(self) -> np.dtype[np.generic]:
        """Type in which the rows are stored."""
        return self._rows.dtype

    def map(self, kernel: Kernel[T], label: str, progress: Progress = no_progress) -> Iterator[T]:
        """``kernel(first_row, block)`` for every block, results in row order as they come."""

        def run(start: int) -> T:
            return kernel(start, contiguous(self._rows[start : start + self._block]))

        starts = range(0, len(self._rows), self._block)
        with _ONE_BLAS_THREAD:
            for start, result in zip(starts, self._results(run, starts), strict=True):
                yield result
                progress(label, min(start + self._block, len(self._rows)), len(self._rows))

    def _results(self, run: Callable[[int], T], starts: range) -> Iterator[T]:
        if len(starts) < 2 or self._threads == 1 or self._rows.nbytes < SERIAL_BYTES:
            yield from map(run, starts)
            return
        pool = ThreadPoolExecutor(self._threads)
        ahead: deque[Future[T]] = deque()  # a few blocks, so that results do not pile up before they are used
        try:
            for start in starts:
                ahead.append(pool.submit(run, start))
                if len(ahead) > 2 * self._threads:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)

    def take(self, rows: ArrayLike) -> FloatArray:
        """The given rows, as float64."""
        return contiguous(self._rows[np.asarray(rows, dtype=np.intp)])


class _OneBlasThread:
    """One BLAS thread while any pass is under way. The setting is the process's own, so passes are counted."""

    def __init__(self) -> None:
        self._lock, self._passes = threading.Lock(), 0
        self._controller: ThreadpoolController | None = None
        self._limit: Any = None

    def __enter__(self) -> None:
        with self._lock:
            self._passes += 1
            if self._passes == 1:
                # Finding the loaded libraries takes milliseconds, longer than linking a small table: done once.
                self._controller = self._controller or ThreadpoolController()
                self._limit = self._controller.limit(limits=1, user_api="blas")

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._passes -= 1
            if self._passes == 0:
                self._limit.restore_original_limits()


_ONE_BLAS_THREAD = _OneBlasThread()
