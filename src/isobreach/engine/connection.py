# SPDX-License-Identifier: BSD-3-Clause
"""The way to a Dask cluster: one that is there, or processes of this machine.

Whoever has lost the scheduler hears of it within seconds; workers without this version of isobreach are named before
anything begins. A program has one connection to each scheduler, until it ends.
"""

import atexit
import pickle
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from isobreach._version import __version__
from isobreach.engine.local_cluster import LocalCluster
from isobreach.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from distributed import Client, Future

    Scheduler: TypeAlias = str | Client


@dataclass(frozen=True)
class Patience:
    """How long to wait, in seconds, and how much to do at a time.

    Attributes
    ----------
    connecting
        For a scheduler to answer when it is first asked: half of the ten that users get.
    looking
        For a result, before the scheduler is asked whether it is still there.
    answering
        For its answer: a busy one may take seconds. With the time before, less than ten.
    starting
        For the first worker of a cluster. Importing Dask and NumPy takes some seconds on a busy machine.
    replacing
        For a worker where all are gone: a supervisor starts new ones in less.
    tiles
        Most tiles of pairs in a task: half a second of work, where the way to a worker and back takes milliseconds.
    """

    connecting: float = 5.0
    looking: float = 2.0
    answering: float = 7.0
    starting: float = 60.0
    replacing: float = 60.0
    tiles: int = 128


PATIENCE = Patience()


class Connection:
    """A client of a scheduler, with a folder that its workers see too; the processes of a local cluster.

    Parameters
    ----------
    scheduler
        Address of the scheduler, or a client of it; None for processes of this machine.
    """

    _client: Any
    _local: LocalCluster | None
    _deserted: float | None = None  # since when there are no workers

    def __init__(self, scheduler: "Scheduler | None") -> None:
        try:
            known = "distributed" in sys.modules
            import distributed
        except ImportError:
            raise MissingExtraError("The engine dask", "dask and distributed", "dask") from None
        if not known:  # who has not asked for Dask is not told what it has to say
            _silence()
        self.lost, self._local, self._client = False, None, scheduler
        self._own = not isinstance(scheduler, distributed.Client)
        if isinstance(scheduler, str):
            _knock(scheduler)
            self._client = distributed.Client(scheduler, timeout=PATIENCE.connecting, set_as_default=False)
        self.folder = Path(tempfile.mkdtemp(prefix="isobreach-"))
        try:
            if scheduler is None:
                self._local = LocalCluster(self.folder)
                self._client = distributed.Client(self._local.scheduler, set_as_default=False)
            self._introduce()
        except BaseException:
            self.close()
            raise

    @property
    def address(self) -> str:
        """Where the scheduler is."""
        return str(self._client.scheduler.address) if self._client.scheduler else "the scheduler"

    def _introduce(self) -> None:
        """See that there are workers, with this version of isobreach, who see the folder."""
        try:
            self._client.wait_for_workers(1, timeout=PATIENCE.starting if self._local else PATIENCE.connecting)
        except TimeoutError:
            step = "Is there enough memory?" if self._local else "Start some with: dask worker ADDRESS"
            raise InputError("scheduler", "must have workers", f"{self.address}, which has none", step) from None
        rule = f"must have workers with isobreach {__version__}"
        step = "Install the same version wherever a worker runs."
        for worker, found in self._asked("__import__('isobreach').__version__").items():
            if found != __version__:
                got = f"{worker} without it" if isinstance(found, BaseException) else f"{worker} with {found}"
                raise InputError("scheduler", rule, got, step)
        for worker, found in self._asked(f"__import__('os').access({str(self.folder)!r}, 7)").items():
            if found is not True:
                got, step = f"{worker}, which does not", "Set TMPDIR to a folder that all of them share."
                raise InputError("scheduler", f"must have workers who write to {self.folder.parent}", got, step)

    def _asked(self, expression: str) -> dict[str, Any]:
        """An expression evaluated by every worker: one without isobreach can do that too."""
        answers: dict[str, Any] = self._client.run(eval, expression, on_error="return")
        return answers

    def threads(self) -> int:
        """Threads of all workers."""
        return max(1, sum(self._client.nthreads().values())) if self._alive() else 1

    def submit(self, function: Callable[..., Any], *arguments: Any) -> "Future":
        """Have a function called by a worker."""
        if self._client.status != "running":
            raise self._gone()
        return self._client.submit(function, *arguments, pure=False)

    def result(self, future: "Future") -> Any:
        """What a task has made; its error is raised as it is."""
        from distributed import CancelledError
        from distributed.scheduler import KilledWorker

        while True:
            try:
                fine, result = pickle.loads(future.result(timeout=PATIENCE.looking))
            except OSError:  # nothing yet, or the way to it was cut
                self._look()
            except CancelledError:
                raise self._gone() from None
            except KilledWorker as error:
                rule, got = "must have workers with enough memory", f"{error.last_worker.address}, which was killed"
                raise InputError("scheduler", rule, got, "Give workers more memory, or use fewer of them.") from None
            except ImportError:
                rule, got = f"must have workers with isobreach {__version__}", "one without it"
                raise InputError("scheduler", rule, got, "Install it wherever a worker runs.") from None
            else:
                if fine:
                    return result
                raise result

    def done(self, futures: "list[Future]") -> "list[Future]":
        """Those that are done, at least one: waited for where there is none."""
        import distributed

        while True:
            found = [one for one in futures if one.done()]
            if found:
                return found
            try:
                with self._client.as_current():
                    distributed.wait(futures, timeout=PATIENCE.looking, return_when="FIRST_COMPLETED")
            except OSError:
                self._look()

    def _look(self) -> None:
        """See that somebody works: lost processes are replaced; an error if there has been nobody for long."""
        if self._local is not None:
            self._local.replace()
        if self._alive():
            self._deserted = None
        elif self._deserted is None:
            self._deserted = time.monotonic()
        elif time.monotonic() - self._deserted > PATIENCE.replacing:
            raise InputError("scheduler", "must have workers", f"{self.address}, whose workers are gone")

    def _alive(self) -> bool:
        """Whether there are workers; an error if the scheduler does not answer."""
        try:
            if self._client.status != "running":
                raise OSError
            found = self._client.sync(self._client.scheduler.identity, callback_timeout=PATIENCE.answering)
        except Exception:  # noqa: BLE001 - whatever keeps it from answering
            raise self._gone() from None
        return bool(found["n_workers"])

    def _gone(self) -> InputError:
        self.lost = True
        got, step = f"{self.address}, which is gone", "Start it, and run this again: nothing was written."
        return InputError("scheduler", "must run until the work is done", got, step)

    def close(self) -> None:
        """Leave the cluster; end the processes of a local one and remove the folder."""
        with suppress(Exception):
            if self._own:
                self._client.close(timeout=PATIENCE.looking)
        if self._local is not None:
            self._local.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def _silence() -> None:
    """Keep Dask from writing to the terminal."""
    import logging

    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    logging.getLogger("distributed").setLevel(logging.CRITICAL + 1)


def _knock(scheduler: str) -> None:
    """See whether a scheduler is where it is said to be, before a client tries again and again."""
    import asyncio

    from distributed.core import rpc
    from distributed.security import Security

    async def identity() -> Any:
        async with rpc(scheduler, connection_args=Security().get_connection_args("client")) as there:
            return await asyncio.wait_for(there.identity(), PATIENCE.connecting)

    rule, step = "must be the address of a Dask scheduler", "Start one with: dask scheduler"
    try:
        with ThreadPoolExecutor(1) as thread:  # a notebook has a loop of its own in this one
            found = thread.submit(lambda: asyncio.run(identity())).result()["type"]
    except ValueError:
        raise InputError("scheduler", rule, repr(scheduler), "Such as tcp://127.0.0.1:8786.") from None
    except Exception:  # noqa: BLE001 - whatever answers there, or does not
        raise InputError("scheduler", rule, f"{scheduler}, where none answers", step) from None
    if found != "Scheduler":
        raise InputError("scheduler", rule, f"{scheduler}, which is a {found.lower()}", step)


_connections: "dict[Scheduler | None, Connection]" = {}


def connected(scheduler: "Scheduler | None") -> Connection:
    """Return the connection to a scheduler: a new one where there is none, or where the last one was lost."""
    found = _connections.get(scheduler)
    if found is None or found.lost:
        if found is not None:
            found.close()
        found = _connections[scheduler] = Connection(scheduler)
    return found


@atexit.register
def leave() -> None:
    """Leave all clusters, and end those of this machine."""
    while _connections:
        _connections.popitem()[1].close()
