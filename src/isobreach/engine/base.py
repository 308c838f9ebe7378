# SPDX-License-Identifier: BSD-3-Clause
"""What linking, attacks and audits may ask of the released rows.

Whatever touches all m released rows is a *kernel*: a module-level function ``kernel(block, first_row, params)`` of a
block of rows, with plain parameters. It may run in any thread, process or machine; what it finds is what it returns.
Results come back in row order and the caller combines them. So they do not depend on where the rows live, on the number
of workers or on the size of a block, provided that a kernel treats each row, or each *tile*, alone.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isobreach._arrays import FloatArray
from isobreach._phrases import place
from isobreach._progress import Progress, no_progress
from isobreach.engine.column import ArrayColumn, ColumnHandle
from isobreach.engine.workers import I, P, T, Workers, address

TILE_ENTRIES = 1 << 16  # 512 KiB of float64: half of a common second-level cache
BLOCK_TILES = 16  # tiles in a block unless the engine is told otherwise

Kernel = Callable[..., T]  # (block, first_row, params), and the part of a column if the scan has one beside it


class Engine(ABC):
    """The released rows, and the workers that visit them block by block.

    A new engine defines ``shape``, ``dtype``, ``workers``, ``crew``, ``visited`` and ``gather``. One whose rows are not
    at hand may define ``keep``, ``collected``, ``everything`` and ``where`` anew.
    """

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""

    @property
    @abstractmethod
    def dtype(self) -> np.dtype[np.generic]:
        """Type in which the rows are stored; blocks arrive as C-contiguous float64."""

    @property
    @abstractmethod
    def workers(self) -> Workers:
        """Workers that also do tasks that are not passes over the rows."""

    @classmethod
    @abstractmethod
    def crew(cls, workers: int | None = None) -> Workers:
        """Workers of this kind for those who have no released rows: so many, or as many as there are processors."""

    def scan(
        self,
        kernel: Kernel[T],
        params: Any,
        label: str,
        progress: Progress = no_progress,
        *,
        beside: ColumnHandle | None = None,
    ) -> Iterator[T]:
        """Apply a kernel to every block of rows.

        Parameters
        ----------
        kernel
            Module-level function ``kernel(block, first_row, params)`` with a small result; ``block`` is a C-contiguous
            float64 array that begins with the released row ``first_row``, a multiple of ``tile_rows``.
        params
            Arrays, numbers, or a small frozen record of such: it pickles.
        label, progress
            ``progress(label, done, total)`` counts rows.
        beside
            A column whose part for the same rows the kernel gets as a fourth argument.

        Returns
        -------
        Results in row order, as they come. An error in a kernel is raised as it is.
        """
        address(kernel)
        return self.visited(kernel, params, beside, label, progress)

    @abstractmethod
    def visited(
        self, kernel: Kernel[T], params: Any, beside: ColumnHandle | None, label: str, progress: Progress
    ) -> Iterator[T]:
        """Results of a ``scan``, whose kernel can leave the process."""

    @abstractmethod
    def gather(self, rows: ArrayLike) -> FloatArray:
        """Return the given rows, as float64. Few: on files, rows that lie apart cost a pass unless they were kept."""

    def keep(self, rows: ArrayLike, values: FloatArray | None = None) -> None:  # noqa: B027 - most have nothing to do
        """Have some rows at hand for ``gather``: an engine on files picks them up in the next pass that it makes.

        Parameters
        ----------
        rows
            Few, in any order.
        values
            The rows themselves, where a pass brought them already.
        """

    @property
    def fits(self) -> bool:
        """Whether all rows fit into memory at once: ``everything`` refuses otherwise."""
        return True

    def where(self, row: int, column: int) -> str:
        """Where an entry stands, in words for a message; both numbers are counted from 0."""
        return place(row, column)

    def column(
        self,
        kernel: Kernel[FloatArray],
        params: Any,
        label: str,
        progress: Progress = no_progress,
        *,
        beside: ColumnHandle | None = None,
    ) -> ColumnHandle:
        """Compute one number a row, or a few: an array as long as the block from each call of the kernel.

        The parameters are those of ``scan``. The result is a handle.
        """
        return self.collected(self.scan(kernel, params, label, progress, beside=beside))

    def collected(self, parts: Iterator[FloatArray]) -> ColumnHandle:
        """Return the column whose parts these are, in row order."""
        return ArrayColumn.of(parts, self.shape[0])

    def everything(self, reason: str, progress: Progress = no_progress) -> FloatArray:
        """Return all rows at once, as one array: for algorithms that compare every row with every other one.

        ``reason`` says which they are. An engine whose rows do not fit into memory refuses with it.
        """
        return ArrayColumn.of(self.scan(_copy, None, "reading rows", progress), self.shape[0]).values()

    def run(self, task: Callable[[I, P], T], items: Iterable[I], params: P, *, ahead: int | None = None) -> Iterator[T]:
        """Do a task that is no pass over the rows for every item, on the engine's workers: see ``Workers.run``."""
        return self.workers.run(task, items, params, ahead=ahead)


def _copy(block: FloatArray, first_row: int, params: None) -> FloatArray:
    return block


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
