# SPDX-License-Identifier: BSD-3-Clause
"""Threads of this process as workers: one BLAS thread each, results in order."""

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ContextDecorator, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from threadpoolctl import ThreadpoolController

from isobreach._validation import check_integer
from isobreach.engine.workers import I, P, T, Workers, address


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def environment() -> dict[str, str]:
    """What a process is started with so that it finds what this one can import, and has one BLAS thread."""
    one_thread = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1")
    places = [path or str(Path.cwd()) for path in sys.path]
    return {**os.environ, **one_thread, "PYTHONPATH": os.pathsep.join(places)}


def worker_count(workers: int | None) -> int:
    """Number of workers, checked: as many as there are processors for None."""
    return processors() if workers is None else check_integer("workers", workers, least=1)


class Threads(Workers):
    """So many threads. Compiled kernels and NumPy release the interpreter lock."""

    def __init__(self, workers: int | None = None) -> None:
        self._count = worker_count(workers)

    def run(self, task: Callable[[I, P], T], items: Iterable[I], params: P, *, ahead: int | None = None) -> Iterator[T]:
        """``task(item, params)`` for every item: see ``Workers``. One item alone needs no thread."""
        address(task)
        chosen = items if isinstance(items, Sequence) else list(items)
        return run_in_order(lambda item: task(item, params), chosen, min(self._count, len(chosen) or 1), ahead=ahead)

    def as_done(self, task: Callable[[I, P], T], items: Iterable[I], params: P) -> Iterator[tuple[int, T]]:
        """``task(item, params)`` for every item, the first done first: see ``Workers``."""
        address(task)
        return run_as_done(lambda item: task(item, params), items, self._count)


def run_in_order(
    run: Callable[[I], T],
    items: Iterable[I],
    threads: int,
    *,
    ahead: int | None = None,
    stop: Callable[[], None] = lambda: None,
) -> Iterator[T]:
    """``run(item)`` for every item on so many threads; results in the items' order as they come.

    ``ahead``: items that wait for a thread, as many as there are threads unless told; few where results are large.
    ``stop``: ends what is under way after an error or an interruption, because nobody waits for it any more.

    One BLAS thread each, because threaded BLAS on small blocks is many times slower under threads of one's own.
    """
    with ONE_BLAS_THREAD:
        if threads == 1:
            yield from map(run, items)
            return
        most = threads + (threads if ahead is None else ahead)
        begun: deque[Future[T]] = deque()  # a few items, so that results do not pile up before they are used
        with _pool(threads, stop) as pool:
            for item in items:
                begun.append(pool.submit(run, item))
                if len(begun) > most:
                    yield begun.popleft().result()
            while begun:
                yield begun.popleft().result()


def run_as_done(
    run: Callable[[I], T], items: Iterable[I], threads: int, *, stop: Callable[[], None] = lambda: None
) -> Iterator[tuple[int, T]]:
    """``run(item)`` for every item on so many threads; results with their places, whichever is done first."""
    with ONE_BLAS_THREAD:
        if threads == 1:
            yield from enumerate(map(run, items))
            return
        rest = enumerate(items)
        begun: dict[Future[T], int] = {}
        with _pool(threads, stop) as pool:
            while True:
                for place, item in islice(rest, 2 * threads - len(begun)):
                    begun[pool.submit(run, item)] = place
                if not begun:
                    return
                for one in sorted(wait(begun, return_when=FIRST_COMPLETED).done, key=begun.__getitem__):
                    yield begun.pop(one), one.result()


@contextmanager
def _pool(threads: int, stop: Callable[[], None]) -> Iterator[ThreadPoolExecutor]:
    """Threads for one iteration: see ``run_in_order``."""
    pool = ThreadPoolExecutor(threads)
    try:
        yield pool
    except GeneratorExit:  # whoever has seen enough may ask these workers again
        raise
    except BaseException:
        stop()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


class _OneBlasThread(ContextDecorator):
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


ONE_BLAS_THREAD = _OneBlasThread()
