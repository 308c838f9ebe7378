# SPDX-License-Identifier: BSD-3-Clause
"""A Dask cluster of this machine: the scheduler in this process, with which everything ends, and worker processes.

Dask's own starts workers that import the user's program again, which then must be written for that. These import what
they are asked to do.
"""

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from isobreach.engine.threads import environment, processors

_DEATHS = 5  # workers that are replaced, at most: more would mean that something is wrong
_ENDS_IN = 2.0  # seconds that the scheduler has to end


class LocalCluster:
    """A scheduler, and workers of one thread each.

    Parameters
    ----------
    folder
        For files of the workers.
    workers
        How many; as many as there are processors for None.
    """

    def __init__(self, folder: Path, workers: int | None = None) -> None:
        import distributed

        self._folder, self._deaths = folder, 0
        self.scheduler = distributed.LocalCluster(
            n_workers=0, processes=True, host="127.0.0.1", scheduler_port=0, dashboard_address="127.0.0.1:0"
        )
        self.processes = [self._process() for _ in range(workers or processors())]

    def _process(self) -> "subprocess.Popen[bytes]":
        options = ["--nthreads=1", "--no-nanny", "--no-dashboard", "--memory-limit=0", "--death-timeout=30"]
        options += [f"--local-directory={self._folder}", self.scheduler.scheduler_address]
        return subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_worker", *options],
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C reaches this process alone
        )

    def replace(self) -> None:
        """Start new processes for those that have ended."""
        for place, process in enumerate(self.processes):
            if process.poll() is not None and self._deaths < _DEATHS:
                self._deaths += 1
                self.processes[place] = self._process()

    def close(self) -> None:
        """End workers and scheduler."""
        for process in self.processes:
            process.kill()
            process.wait()
        with suppress(Exception):
            self.scheduler.close(timeout=_ENDS_IN)
