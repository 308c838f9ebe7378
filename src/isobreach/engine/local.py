# SPDX-License-Identifier: BSD-3-Clause
"""Released rows in memory (or memory-mapped), visited by threads."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isobreach._arrays import FloatArray
from isobreach._progress import Progress
from isobreach._validation import check_integer, check_shape
from isobreach.engine.base import BLOCK_TILES, Engine, Kernel, contiguous, tile_rows
from isobreach.engine.column import ColumnHandle
from isobreach.engine.threads import Threads
from isobreach.engine.workers import T, Workers

# Below this size one pass takes less time than starting the threads.
SERIAL_BYTES = 16 << 20


@dataclass(frozen=True, eq=False)
class _Block:
    """Rows from ``start`` on as they are stored, and the part of a column for them."""

    start: int
    rows: NDArray[Any]
    beside: FloatArray | None


def _on_block(block: _Block, job: tuple[Kernel[T], Any]) -> T:
    kernel, params = job
    rows = contiguous(block.rows)
    return kernel(rows, block.start, params, *([] if block.beside is None else [block.beside]))


class LocalEngine(Engine):
    """An array of rows, visited by as many threads as there are processors.

    Parameters
    ----------
    rows
        Released rows, m x N; a memory map does as well.
    name
        What messages call the rows.
    block_rows
        Least rows of a block; results do not depend on it.
    workers
        How many threads visit the rows; results do not depend on it.
    """

    def __init__(
        self, rows: NDArray[Any], *, name: str = "released", block_rows: int | None = None, workers: int | None = None
    ) -> None:
        check_shape(name, rows)
        self._rows = rows
        tile = tile_rows(rows.shape[1])
        wanted = tile * BLOCK_TILES if block_rows is None else check_integer("block_rows", block_rows, least=1)
        self._block = -(-wanted // tile) * tile
        self._workers = self.crew(workers)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self._rows.shape[0], self._rows.shape[1]

    @property
    def dtype(self) -> np.dtype[np.generic]:
        """Type in which the rows are stored."""
        return self._rows.dtype

    @property
    def workers(self) -> Workers:
        """Threads of this process, as many as the engine was given."""
        return self._workers

    @classmethod
    def crew(cls, workers: int | None = None) -> Workers:
        """Threads of this process."""
        return Threads(workers)

    def _visitors(self) -> Workers:
        """Workers for a pass: this thread alone where the table is small."""
        return Threads(1) if self._rows.nbytes < SERIAL_BYTES else self._workers

    def visited(
        self, kernel: Kernel[T], params: Any, beside: ColumnHandle | None, label: str, progress: Progress
    ) -> Iterator[T]:
        """Results of ``scan``."""
        parts = [slice(start, start + self._block) for start in range(0, len(self._rows), self._block)]
        blocks = [_Block(p.start, self._rows[p], None if beside is None else beside.take(p)) for p in parts]
        for block, result in zip(blocks, self._visitors().run(_on_block, blocks, (kernel, params)), strict=True):
            yield result
            progress(label, block.start + len(block.rows), len(self._rows))

    def gather(self, rows: ArrayLike) -> FloatArray:
        """Return the given rows, as float64."""
        return contiguous(self._rows[np.asarray(rows, dtype=np.intp)])
