# SPDX-License-Identifier: BSD-3-Clause
"""Released rows in files that the workers of a Dask cluster read: for releases that one machine takes too long for.

A task is a stretch of row groups, as in ``FileEngine``. Workers read the files themselves; what comes back is what
kernels find, the few rows between two stretches, and rows that were asked for. One number a row stays in files that the
workers write. Scheduler and workers need the release under the same path, and a folder for such files (TMPDIR).
"""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np

from isobreach._arrays import FloatArray
from isobreach._progress import Progress, no_progress
from isobreach.engine import scanning
from isobreach.engine.base import Kernel
from isobreach.engine.cluster import Cluster
from isobreach.engine.column import ArrayColumn, ColumnHandle
from isobreach.engine.files import Files, Group
from isobreach.engine.parts import PartColumn, PartFile, write_part
from isobreach.engine.scanning import FileEngine
from isobreach.engine.visits import Job, Visited, visit
from isobreach.engine.workers import Workers, address

if TYPE_CHECKING:
    from isobreach.engine.connection import Scheduler


class DaskEngine(FileEngine):
    """Rows in files, decoded in every pass by the workers of a Dask cluster; results have the bits of ``FileEngine``.

    Parameters
    ----------
    files
        The files; workers find them under the same paths.
    columns
        Columns of numbers, or one of vectors.
    scheduler
        Address of the scheduler, or a ``distributed.Client`` of it; None for processes of this machine.
    block_rows
        Least rows of a block; results do not depend on it.
    workers
        Most stretches that are visited at a time; results do not depend on it.
    """

    def __init__(
        self,
        files: Files,
        columns: Sequence[str],
        *,
        scheduler: "Scheduler | None" = None,
        block_rows: int | None = None,
        workers: int | None = None,
    ) -> None:
        super().__init__(files, columns, block_rows=block_rows, workers=workers)
        self._workers = self._cluster = Cluster(scheduler, workers)
        self._cluster.connect()  # a scheduler that is not there is told before anything begins

    @classmethod
    def instead(cls, engine: FileEngine, scheduler: "Scheduler | None" = None) -> "DaskEngine":
        """Return an engine for the same rows whose workers are those of a cluster."""
        return cls(engine.files, engine.stored.columns, scheduler=scheduler)

    @classmethod
    def reached(cls, scheduler: "Scheduler | None" = None) -> None:
        """Connect to the scheduler, or say why that is not possible; later engines use the same connection."""
        Cluster(scheduler).connect()

    @classmethod
    def crew(cls, workers: int | None = None) -> Workers:
        """Processes of this machine, as a cluster."""
        return Cluster(workers=workers)

    def column(
        self,
        kernel: Kernel[FloatArray],
        params: Any,
        label: str,
        progress: Progress = no_progress,
        *,
        beside: ColumnHandle | None = None,
    ) -> ColumnHandle:
        """Compute numbers of every row; where they are many, they stay in files that the workers write."""
        address(kernel)
        place = self._cluster.connect().folder / uuid4().hex
        place.mkdir()
        storing = _Storing(place, scanning.READING.held // self.shape[0])
        job = _StoringJob(self.stored, kernel, params, beside, self._expected, storing)
        pieces: list[FloatArray | PartFile] = []
        start = 0
        try:
            for piece in self._scanned(job, label, progress, _visit_and_store):
                pieces.append(piece if isinstance(piece, PartFile) else storing.kept(start, piece))
                start += piece.rows if isinstance(piece, PartFile) else len(piece)
        except BaseException:
            shutil.rmtree(place, ignore_errors=True)
            raise
        parts = [piece for piece in pieces if isinstance(piece, PartFile)]
        if parts:
            return PartColumn(place, parts, self._cluster)
        place.rmdir()
        return ArrayColumn.of((piece for piece in pieces if not isinstance(piece, PartFile)), self.shape[0])

    def everything(self, reason: str, progress: Progress = no_progress) -> FloatArray:
        """Return all rows at once, if there is memory for them: read here, where they are wanted."""
        return FileEngine(self.files, self.stored.columns).everything(reason, progress)


@dataclass(frozen=True)
class _Storing:
    """Where parts are written, and the most numbers of a row for which the column stays in memory instead."""

    place: Path
    held: int

    def kept(self, start: int, numbers: FloatArray) -> FloatArray | PartFile:
        """Numbers of rows from ``start`` on as they are, or as a part that was written."""
        few = int(np.prod(numbers.shape[1:], dtype=np.int64)) <= self.held
        return numbers if few else write_part(self.place, start, numbers)


@dataclass(frozen=True, eq=False)
class _StoringJob(Job):
    """A pass whose results are numbers of rows."""

    storing: _Storing


def _visit_and_store(stretch: Sequence[Group], job: Any) -> Visited:
    """Visit a stretch; its numbers are one part."""
    visited = visit(stretch, job)
    if visited.error is not None or not visited.results:
        return visited
    numbers = np.concatenate([result for result, _ in visited.results])
    stop = visited.results[-1][1]
    return replace(visited, results=[(job.storing.kept(stop - len(numbers), numbers), stop)])
