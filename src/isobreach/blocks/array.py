# SPDX-License-Identifier: BSD-3-Clause
"""Released rows in memory (or memory-mapped)."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isobreach._progress import Progress, no_progress
from isobreach._validation import check_integer, check_shape
from isobreach.blocks.source import BLOCK_TILES, FloatArray, Kernel, Source, T, contiguous, tile_rows
from isobreach.engine.threads import processors, run_in_order

# Below this size one pass takes less time than starting the threads.
SERIAL_BYTES = 16 << 20


class ArraySource(Source):
    """An array of rows, visited by as many threads as there are processors.

    The kernels release the interpreter lock.
    """

    def __init__(
        self, rows: NDArray[Any], *, name: str = "released", block_rows: int | None = None, threads: int | None = None
    ) -> None:
        check_shape(name, rows)
        self._rows = rows
        self._tile = tile_rows(rows.shape[1])
        wanted = self._tile * BLOCK_TILES if block_rows is None else check_integer("block_rows", block_rows, least=1)
        self._block = -(-wanted // self._tile) * self._tile
        self._threads = processors() if threads is None else check_integer("threads", threads, least=1)

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
        threads = 1 if len(starts) < 2 or self._rows.nbytes < SERIAL_BYTES else self._threads
        for start, result in zip(starts, run_in_order(run, starts, threads), strict=True):
            yield result
            progress(label, min(start + self._block, len(self._rows)), len(self._rows))

    def take(self, rows: ArrayLike) -> FloatArray:
        """The given rows, as float64."""
        return contiguous(self._rows[np.asarray(rows, dtype=np.intp)])
