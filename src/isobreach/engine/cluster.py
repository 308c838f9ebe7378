# SPDX-License-Identifier: BSD-3-Clause
"""Workers of a Dask cluster: one that is there, or processes of this machine.

A task is a pure function of what is sent with it, or lies in a file. So Dask itself repeats what a worker that was lost
had begun, and results do not depend on it; and no worker is a better place than another, as one would be that holds the
parameters. Few tasks are under way at a time; what waits is held here.
"""

import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from isobreach._validation import check_integer
from isobreach.engine.connection import PATIENCE, Connection, connected
from isobreach.engine.local import LocalEngine
from isobreach.engine.processes import failure
from isobreach.engine.sending import Sent
from isobreach.engine.threads import ONE_BLAS_THREAD, Threads
from isobreach.engine.workers import I, P, T, Workers, address

if TYPE_CHECKING:
    from distributed import Future

    from isobreach.engine.connection import Scheduler

_NOTHING: Any = object()  # no item


class Cluster(Workers):
    """Workers of a Dask cluster.

    Parameters
    ----------
    scheduler
        Address of the scheduler, or a ``distributed.Client`` of it; None for processes of this machine.
    workers
        Most tasks that are worked on at a time; as many as the cluster's workers have threads for None.
    """

    def __init__(self, scheduler: "Scheduler | None" = None, workers: int | None = None) -> None:
        self._scheduler = scheduler
        self._count = None if workers is None else check_integer("workers", workers, least=1)

    def __reduce__(self) -> tuple[type[Threads], tuple[int]]:
        """What a worker unpickles does its tasks itself."""
        return Threads, (1,)

    def connect(self) -> Connection:
        """Return the connection to the scheduler, made when first needed."""
        return connected(self._scheduler)

    def run(self, task: Callable[[I, P], T], items: Iterable[I], params: P, *, ahead: int | None = None) -> Iterator[T]:
        """``task(item, params)`` for every item, each on one of the workers: see ``Workers``."""
        address(task)
        return self._run(task, iter(items), params, ahead)

    def _run(self, task: Callable[[I, P], T], items: Iterator[I], params: P, ahead: int | None) -> Iterator[T]:
        first = next(items, _NOTHING)
        if first is _NOTHING:
            return
        connection = self.connect()
        workers = self._count or connection.threads()
        most = workers + (workers if ahead is None else ahead)
        sent = Sent.of(task, params, connection.folder)
        begun: deque[Future] = deque()
        try:
            for item in chain([first], items):
                if len(begun) > most:
                    yield connection.result(begun.popleft())
                begun.append(connection.submit(_answer, sent, pickle.dumps(item, protocol=5)))
            while begun:
                yield connection.result(begun.popleft())
        finally:
            begun.clear()  # what nobody waits for any more is not begun
            sent.forget()

    def as_done(self, task: Callable[[I, P], T], items: Iterable[I], params: P) -> Iterator[tuple[int, T]]:
        """``task(item, params)`` for every item, the first done first: see ``Workers``."""
        address(task)
        return self._as_done(task, enumerate(items), params)

    def _as_done(self, task: Callable[[I, P], T], items: Iterator[tuple[int, I]], params: P) -> Iterator[tuple[int, T]]:
        connection = self.connect()
        most = 2 * (self._count or connection.threads())
        sent = Sent.of(task, params, connection.folder)
        begun: dict[Future, int] = {}
        try:
            while True:
                for place, item in islice(items, most - len(begun)):
                    begun[connection.submit(_answer, sent, pickle.dumps(item, protocol=5))] = place
                if not begun:
                    return
                for one in sorted(connection.done(list(begun)), key=begun.__getitem__):
                    yield begun.pop(one), connection.result(one)
        finally:
            begun.clear()
            sent.forget()

    def on_tiles(
        self, kernel: Callable[[tuple[slice, slice], P], T], tiles: list[tuple[slice, slice]], params: P
    ) -> Iterator[T]:
        """What a kernel makes of each tile: a task has several, one after the other."""
        address(kernel)
        # Several tasks a worker, so that all end together.
        share = max(1, min(PATIENCE.tiles, len(tiles) // (8 * (self._count or self.connect().threads()))))
        several = [tuple(tiles[start : start + share]) for start in range(0, len(tiles), share)]
        return chain.from_iterable(self.run(_each, several, (kernel, params)))


def _each(tiles: tuple[tuple[slice, slice], ...], job: tuple[Callable[[tuple[slice, slice], P], T], P]) -> list[T]:
    """What a kernel makes of several tiles."""
    kernel, params = job
    return [kernel(tile, params) for tile in tiles]


def _answer(sent: Sent, pickled: bytes) -> bytes:
    """Whether a task went well on a worker, and its result or its error; pickled."""
    from isobreach.engine.default import using  # which knows this module

    try:
        with ONE_BLAS_THREAD, using(LocalEngine, workers=1):
            task, params = sent.received()
            return pickle.dumps((True, task(pickle.loads(pickled), params)), protocol=5)
    except BaseException as error:  # noqa: BLE001 - whatever it is, it belongs to the other side
        return failure(error)
