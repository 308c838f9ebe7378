# SPDX-License-Identifier: BSD-3-Clause
"""Two Dask workers against one, as a share of what two processes gain on this machine at all.

python -m benchmarks.cluster [--rows 10000000] [--columns 16] [--points 30000] [--repeats 5] [--json FILE]

Wall-clock time with one worker over the time with two, divided by the same ratio of a control that does nothing but
count: processors that are shared, slow down together or are busy with other work spoil both alike. The four take turns;
medians of the rounds, the first of which warms up. A scan is one pass that links known records by their norms; an
attack is all passes with what is done here in between; a join compares all pairs of vectors of 384 numbers.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import distributed
import numpy as np
import pyarrow as pa
from pyarrow import parquet

import isobreach as ib
from benchmarks.__main__ import Row, show
from benchmarks.floor import counting
from benchmarks.scan import attack as attacked
from benchmarks.scan import in_turn, plain_scan, write_release
from isobreach._random import generator
from isobreach.engine.cluster import Cluster
from isobreach.engine.local_cluster import LocalCluster
from isobreach.engine.threads import Threads
from isobreach.linking.candidates import Cloud

_TASKS, _STEPS, _WIDTH = 10, 3_000_000, 384
_LEAST = 0.9


def scan(folder: Path, client: Any) -> None:
    """One pass over the release."""
    release = ib.scan(folder / "released", engine="dask", scheduler=client)
    assert len(ib.link(folder / "known.parquet", release, motion="orthogonal").linked)


def attack(folder: Path, client: Any) -> None:
    """Link, measure, and find the most exposed rows."""
    attacked(folder, engine="dask", scheduler=client)


def join(points: Any, client: Any) -> None:
    """All pairs of points at one of two distances."""
    cloud = Cloud(points, workers=Cluster(client))
    assert len(cloud.pairs(np.array([0.0, 1.0]), np.array([0.0, 1.0 + 1e-9]), 10**7)[0]) >= len(points)


def control(client: Any) -> None:
    """Count on every worker."""
    assert len(list(Cluster(client).run(counting, range(_TASKS), _STEPS))) == _TASKS


def rates() -> list[Row]:
    """What one processor does in a second, for the model of docs/scaling.md: bytes decoded, pairs compared."""
    vectors = generator(0, "data").standard_normal((100_000, _WIDTH)).astype(np.float32)
    few = vectors[:10_000].astype(np.float64) / np.sqrt(2 * _WIDTH)
    cloud, pairs = Cloud(few, workers=Threads(1)), len(few) * (len(few) + 1) / 2
    with tempfile.TemporaryDirectory(prefix="isobreach-bench-") as folder:
        (Path(folder) / "released").mkdir()
        column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), _WIDTH)
        parquet.write_table(pa.table({"vector": column}), Path(folder) / "released" / "part.parquet")
        distances = np.array([0.0, 1.0]), np.array([0.0, 1.0 + 1e-9])
        decoding, comparing = in_turn(3, lambda: plain_scan(Path(folder)), lambda: cloud.pairs(*distances, 10**7))
    return [
        Row(
            f"GB of float32 vectors of {_WIDTH} that a processor decodes a second",
            vectors.nbytes / decoding / 1e9,
            "",
            True,
        ),
        Row("million pairs of them that it compares a second", pairs / comparing / 1e6, "", True),
    ]


def seconds(work: Callable[[], None]) -> float:
    """How long it takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measured(rows: int, columns: int, points: int, repeats: int) -> list[Row]:
    """All rows of the table."""
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="isobreach-bench-")))
        folder = write_release(place, rows, columns)
        vectors = generator(points, "data").standard_normal((points, _WIDTH)) / np.sqrt(2 * _WIDTH)
        clusters = [stack.enter_context(closing(LocalCluster(place, workers))) for workers in (1, 2)]
        clients = [stack.enter_context(distributed.Client(one.scheduler, set_as_default=False)) for one in clusters]
        for client, workers in zip(clients, (1, 2), strict=True):
            client.wait_for_workers(workers)
        works: dict[str, Callable[[Any], None]] = {
            f"scan: {rows:.0e} x {columns}": lambda client: scan(folder, client),
            f"link + attack: {rows:.0e} x {columns}": lambda client: attack(folder, client),
            f"pair join: {points:.0e} x {_WIDTH}": lambda client: join(vectors, client),
        }
        gains: dict[str, list[float]] = {name: [] for name in works}
        for turn in range(repeats + 1):
            for name, work in works.items():
                # One worker and two in turn, counting in between: what disturbs the one disturbs the other.
                times = [seconds(lambda: one(client)) for one in (work, control) for client in clients]  # noqa: B023
                if turn:
                    gains[name].append((times[0] / times[1]) / (times[2] / times[3]))
    found = {name: statistics.median(several) for name, several in gains.items()}
    spread = {name: f"{min(several):.2f} to {max(several):.2f}" for name, several in gains.items()}
    return [
        Row(f"two workers against one, {name} ({spread[name]})", gain, f">= {_LEAST}", gain >= _LEAST)
        for name, gain in found.items()
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10**7)
    parser.add_argument("--columns", type=int, default=16)
    parser.add_argument("--points", type=int, default=30_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rows = [*rates(), *measured(given.rows, given.columns, given.points, given.repeats)]
    show(rows, given.json)


if __name__ == "__main__":
    main()
