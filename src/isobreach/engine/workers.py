# SPDX-License-Identifier: BSD-3-Clause
"""Independent tasks, done by workers wherever these are.

A task is a module-level function ``task(item, params)``. It reaches a worker by its name, ``params`` reach each worker
once, and items one by one: all of them are plain arrays, numbers, or small records of such, so that they pickle.
"""

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from inspect import isfunction
from typing import Any, TypeVar

from isobreach._progress import Progress, no_progress

I = TypeVar("I")  # noqa: E741
P = TypeVar("P")
T = TypeVar("T")

PAIR_TILE = (512, 1024)  # rows and columns of a tile of pairs: its products stay in a second-level cache


class Workers(ABC):
    """A number of workers, which do tasks side by side. Each has one BLAS thread."""

    @abstractmethod
    def run(self, task: Callable[[I, P], T], items: Iterable[I], params: P, *, ahead: int | None = None) -> Iterator[T]:
        """Do a task for every item.

        Parameters
        ----------
        task
            Module-level function ``task(item, params)``.
        items
            What the tasks differ in.
        params
            What all tasks share.
        ahead
            Items that may wait for a worker: as many as there are workers by default, few where results are large.

        Returns
        -------
        Results in the items' order, as they come. An error in a task is raised as it is, and ends the iteration.
        """

    def as_done(self, task: Callable[[I, P], T], items: Iterable[I], params: P) -> Iterator[tuple[int, T]]:
        """Do a task for every item; results as they are done, each with its item's place.

        Parameters
        ----------
        task, items, params
            As for ``run``.
        """
        return enumerate(self.run(task, items, params))

    def join(
        self,
        kernel: Callable[[tuple[slice, slice], P], T],
        params: P,
        left: int,
        right: int,
        label: str,
        progress: Progress = no_progress,
        *,
        triangle: bool = False,
    ) -> Iterator[T]:
        """Visit all pairs of ``left`` with ``right`` points, a tile of pairs at a time.

        Parameters
        ----------
        kernel
            Module-level function ``kernel((rows, columns), params)`` of two slices; it looks at their points in
            ``params`` and returns the pairs that are wanted.
        params
            The points, and what is asked of them.
        left, right
            How many points there are on either side.
        label, progress
            ``progress(label, done, total)`` counts tiles.
        triangle
            Both sides are the same points: tiles below the diagonal are left out. The kernel leaves out the pairs below
            the diagonal in the others.
        """
        tiles = list(pair_tiles(left, right, triangle=triangle))
        for done, result in enumerate(self.on_tiles(kernel, tiles, params), start=1):
            yield result
            progress(label, done, len(tiles))

    def on_tiles(
        self, kernel: Callable[[tuple[slice, slice], P], T], tiles: list[tuple[slice, slice]], params: P
    ) -> Iterator[T]:
        """What a kernel makes of each tile, in their order: a task each."""
        return self.run(kernel, tiles, params)


def pair_tiles(left: int, right: int, *, triangle: bool) -> Iterator[tuple[slice, slice]]:
    """Tiles of pairs, by rows and then by columns; they do not depend on the number of workers."""
    rows, columns = PAIR_TILE
    for a in range(0, left, rows):
        for b in range(a // columns * columns if triangle else 0, right, columns):
            yield slice(a, min(a + rows, left)), slice(b, min(b + columns, right))


def address(function: Callable[..., Any]) -> tuple[str, str]:
    """Module and name by which a worker finds a function; TypeError if it cannot be found so.

    >>> address(pair_tiles)
    ('isobreach.engine.workers', 'pair_tiles')
    """
    module, name = getattr(function, "__module__", ""), getattr(function, "__qualname__", "")
    if not isfunction(function) or getattr(sys.modules.get(module), name, None) is not function:
        raise TypeError(f"A kernel or task must be a plain module-level function. Got {name or function!r}.")
    return module, name
