# SPDX-License-Identifier: BSD-3-Clause
"""What linking and attacks may ask of the released rows.

Whatever touches all m released rows is a kernel, applied to every block of rows; the results come back in row
order and the caller combines them. So results do not depend on where the rows live, on the number of threads or
on the size of a block, provided that a kernel treats each row, or each *tile*, alone.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isobreach._progress import Progress, no_progress

FloatArray = NDArray[np.float64]
T = TypeVar("T")
Kernel = Callable[[int, FloatArray], T]

TILE_ENTRIES = 1 << 16  # 512 KiB of float64: half of a common second-level cache
BLOCK_TILES = 16  # tiles in a block unless the source is told otherwise


class Source(ABC):
    """A table of released rows that is visited block by block.

    A kernel may run anywhere, in another process too: what it finds is what it returns.
    """

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""

    @property
    @abstractmethod
    def dtype(self) -> np.dtype[np.generic]:
        """Type in which the rows are stored; blocks arrive as C-contiguous float64."""

    @abstractmethod
    def map(self, kernel: Kernel[T], label: str, progress: Progress = no_progress) -> Iterator[T]:
        """``kernel(first_row, block)`` for every block, results in row order as they come."""

    @abstractmethod
    def take(self, rows: ArrayLike) -> FloatArray:
        """The given rows, as float64."""

    def column(self, kernel: Kernel[FloatArray], label: str, progress: Progress = no_progress) -> FloatArray:
        """One number a row: what the kernel returns for every block, joined."""
        joined = np.empty(self.shape[0])
        start = 0
        for part in self.map(kernel, label, progress):
            joined[start : start + len(part)] = part
            start += len(part)
        return joined


def tile_rows(columns: int) -> int:
    """Rows in a tile: a function of the width alone. Blocks begin at multiples of it."""
    return max(1, TILE_ENTRIES // max(columns, 1))


def tiles(block: FloatArray) -> Iterator[slice]:
    """The tiles of a block. A matrix product made tile by tile has the same bits whatever the block."""
    step = tile_rows(block.shape[1])
    for start in range(0, len(block), step):
        yield slice(start, min(start + step, len(block)))


def contiguous(rows: NDArray[np.generic]) -> FloatArray:
    """Rows as C-contiguous float64: a view where they are that already."""
    return np.ascontiguousarray(rows, dtype=np.float64)
