# SPDX-License-Identifier: BSD-3-Clause
"""Worker processes: every kernel goes to them by its name, with its parameters and blocks pickled.

It shows that kernels can leave the process, as they must on a cluster; on one machine threads are faster. Processes are
started when first needed, stay for later passes, and end with the program, however it ends. Each answers one request at
a time, so that an iteration that is given up leaves nothing behind. They form sessions of their own: Ctrl-C
reaches the parent alone.
"""

import atexit
import os
import pickle
import select
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from itertools import count
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from isobreach.engine.local import LocalEngine
from isobreach.engine.threads import ONE_BLAS_THREAD, Threads, environment, run_as_done, run_in_order, worker_count
from isobreach.engine.workers import I, P, T, Workers, address

_ENDS_IN = 5.0  # seconds that a process has to end by itself once its channel is closed


class ProcessEngine(LocalEngine):
    """As ``LocalEngine``, with processes instead of threads; ``workers`` is their number. Same results, bit for bit."""

    @classmethod
    def crew(cls, workers: int | None = None) -> Workers:
        """Processes, shared by all engines of this kind."""
        return Processes(workers)

    def _visitors(self) -> Workers:
        return self.workers


class Processes(Workers):
    """So many processes at a time, out of those that have been started."""

    def __init__(self, workers: int | None = None) -> None:
        self._count = worker_count(workers)

    def __reduce__(self) -> tuple[type[Threads], tuple[int]]:
        """What a worker process unpickles does its tasks itself."""
        return Threads, (1,)

    def run(self, task: Callable[[I, P], T], items: Iterable[I], params: P, *, ahead: int | None = None) -> Iterator[T]:
        """``task(item, params)`` for every item, each in one of the processes: see ``Workers``."""
        job = _Job(pickle.dumps((address(task), params), protocol=pickle.HIGHEST_PROTOCOL))
        return run_in_order(job.ask, items, self._count, ahead=ahead, stop=job.stop)

    def as_done(self, task: Callable[[I, P], T], items: Iterable[I], params: P) -> Iterator[tuple[int, T]]:
        """The same, the first done first."""
        job = _Job(pickle.dumps((address(task), params), protocol=pickle.HIGHEST_PROTOCOL))
        return run_as_done(job.ask, items, self._count, stop=job.stop)


class _Job:
    """A task with its parameters, pickled once; a process gets them with the first item that it does."""

    _numbers = count(1)

    def __init__(self, pickled: bytes) -> None:
        self._pickled, self._number = pickled, next(self._numbers)
        self._busy: set[_Process] = set()
        self._stopped = False

    def stop(self) -> None:
        """End the processes that work on it, at once: a task may take minutes."""
        with _lock:
            self._stopped = True
            busy = set(self._busy)
        for process in busy:
            process.kill()

    def ask(self, item: Any) -> Any:
        """Result for an item, or the error that was raised over it."""
        process = _take(self._number)
        with _lock:
            self._busy.add(process)
            if self._stopped:
                process.kill()
        try:
            job = None if process.holds == self._number else self._pickled
            message = pickle.dumps((job, item), protocol=pickle.HIGHEST_PROTOCOL)
            fine, result = process.answer(message)
            process.holds = self._number
        finally:
            with _lock:
                self._busy.discard(process)
                kept = process.runs and not self._stopped
                if kept:
                    _idle.append(process)
            if process.runs and not kept:  # it had answered when the job was stopped
                process.end(at_once=True)
        if not fine:
            raise result
        return result


class _Process:
    """A worker process and the channel to it."""

    def __init__(self) -> None:
        self.holds = 0  # number of the job that it has
        self._channel, theirs = Pipe()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", f"from isobreach.engine.processes import serve; serve({theirs.fileno()})"],
                env=environment(),
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )

    @property
    def runs(self) -> bool:
        """Whether it can be asked again."""
        return not self._channel.closed

    def answer(self, message: bytes) -> tuple[bool, Any]:
        """Whether it went well, and the result or the error."""
        try:
            self._channel.send_bytes(message)
            answer: tuple[bool, Any] = pickle.loads(self._channel.recv_bytes())
        except (EOFError, OSError) as error:
            self.end()
            raise ChildProcessError("A worker process ended before it had answered. Is there enough memory?") from error
        except BaseException:  # interrupted: what it works on is of no use
            self.end(at_once=True)
            raise
        return answer

    def kill(self) -> None:
        """End the process by force; whoever waits for its answer is told that it ended."""
        self._process.kill()

    def end(self, *, at_once: bool = False) -> None:
        """Close the channel, which ends the process when it has done its work; end it by force if that takes long."""
        self._channel.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(0 if at_once else _ENDS_IN)
        if self._process.returncode is None:
            self._process.kill()
            self._process.wait()


_idle: list[_Process] = []
_lock = threading.Lock()


def _take(job: int) -> _Process:
    """An idle process, preferably one that has the job already; a new one if all are busy."""
    with _lock:
        for process in _idle:
            if process.holds == job:
                _idle.remove(process)
                return process
        if _idle:
            return _idle.pop()
    return _Process()


@atexit.register
def end_processes() -> None:
    """End all idle worker processes; others are started when needed."""
    with _lock:
        while _idle:
            _idle.pop().end()


def serve(channel: int) -> None:
    """Do what the other end of the channel asks for, until it is closed: the life of a worker process."""
    from isobreach.engine.default import using  # which knows this module

    link = Connection(channel)
    threading.Thread(target=_end_with, args=(channel,), daemon=True).start()
    task: Any = None
    params: Any = None
    with ONE_BLAS_THREAD, using(LocalEngine, workers=1), suppress(EOFError, BrokenPipeError):
        while True:
            message = link.recv_bytes()
            try:
                job, item = pickle.loads(message)
                if job is not None:
                    (module, name), params = pickle.loads(job)
                    task = getattr(import_module(module), name)
                answer = pickle.dumps((True, task(item, params)), protocol=pickle.HIGHEST_PROTOCOL)
            except BaseException as error:  # noqa: BLE001 - whatever it is, it belongs to the other side
                answer = failure(error)
            link.send_bytes(answer)


def _end_with(channel: int) -> None:
    """End this process when the other end of the channel does: a program that was killed asks for nothing any more."""
    hang_up = select.poll()
    hang_up.register(channel, 0)  # hang-ups are told unasked
    hang_up.poll()
    os._exit(0)


def failure(error: BaseException) -> bytes:
    """The error as it is, with a note of where it was raised; its text if it cannot travel."""
    error.add_note("In a worker process:\n" + "".join(traceback.format_tb(error.__traceback__)))
    try:
        answer = pickle.dumps((False, error))
        pickle.loads(answer)
    except Exception:  # noqa: BLE001 - whatever makes it impossible
        return pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))
    return answer
