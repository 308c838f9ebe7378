# SPDX-License-Identifier: BSD-3-Clause
"""Work on all processors: Python threads, one BLAS thread each, results in order."""

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

I = TypeVar("I")  # noqa: E741
T = TypeVar("T")


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_in_order(run: Callable[[I], T], items: Iterable[I], threads: int, *, ahead: int | None = None) -> Iterator[T]:
    """``run(item)`` for every item on so many threads; results in the items' order as they come.

    ``ahead``: items that wait for a thread, as many as there are threads unless told; few where results are large.

    One BLAS thread each, because threaded BLAS on small blocks is many times slower under threads of one's own.
    """
    with ONE_BLAS_THREAD:
        if threads == 1:
            yield from map(run, items)
            return
        pool = ThreadPoolExecutor(threads)
        most = threads + (threads if ahead is None else ahead)
        begun: deque[Future[T]] = deque()  # a few items, so that results do not pile up before they are used
        try:
            for item in items:
                begun.append(pool.submit(run, item))
                if len(begun) > most:
                    yield begun.popleft().result()
            while begun:
                yield begun.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


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


ONE_BLAS_THREAD = _OneBlasThread()
