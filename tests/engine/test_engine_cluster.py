# SPDX-License-Identifier: BSD-3-Clause
"""Workers that are lost, schedulers that are gone, and parts that are damaged, on a Dask cluster."""

import asyncio
import json
import os
import pickle
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import engine_kernels as kernels
import isobreach
from engine_files import ArrayOnCluster, written
from isobreach.engine import ArrayColumn, DaskEngine, LocalEngine, ParquetFiles, connection, scanning, sending
from isobreach.engine.column import ColumnReading
from isobreach.engine.parts import PartColumn, write_part
from isobreach.errors import InputError, OutputError

ROWS, COLUMNS = 3000, 64  # three tiles of 1024 rows, the last one short
TABLE = np.random.default_rng(0).standard_normal((ROWS, COLUMNS))
NAMES = [f"c{j + 1}" for j in range(COLUMNS)]


@pytest.fixture
def less(monkeypatch):
    """Change how much is held at a time."""
    return lambda **changes: monkeypatch.setattr(scanning, "READING", replace(scanning.READING, **changes))


@pytest.fixture
def hurried(monkeypatch):
    """Wait for less than a second."""
    monkeypatch.setattr(connection, "PATIENCE", replace(connection.PATIENCE, connecting=0.5, looking=0.5, answering=1))


def opened(folder, scheduler=None):
    return DaskEngine(ParquetFiles.of(sorted(folder.glob("*.parquet")), "released"), NAMES, scheduler=scheduler)


@pytest.mark.parametrize("kernel", [kernels.sums, kernels.doubled])
def test_a_large_column_stays_in_files_of_the_workers(less, kernel):
    less(held=0, stretch_tiles=1)
    engine = ArrayOnCluster(TABLE, parts=4, group=500)
    column, plain = engine.column(kernel, 3.0, "adding"), LocalEngine(TABLE).column(kernel, 3.0, "adding")
    assert isinstance(column, PartColumn)
    assert column.shape == plain.shape
    assert column.values().tobytes() == plain.values().tobytes()
    for rows in ([], [2999, 0, 0, 1500, 3], slice(10, 20), slice(20, 10), slice(0, 3000, 7), np.arange(ROWS)):
        assert column.take(rows).tobytes() == plain.take(rows).tobytes()
    assert pickle.loads(pickle.dumps(column)).values().tobytes() == plain.values().tobytes()
    place = column._place
    assert place.exists()
    del column
    assert not place.exists()


def test_what_is_asked_of_a_large_column_is_asked_of_the_workers(less, monkeypatch):
    less(held=0)
    monkeypatch.setattr("isobreach.engine.ordered._SHORT", 0)
    monkeypatch.setattr("isobreach.engine.column._READING", ColumnReading(span=700))
    engine, plain = ArrayOnCluster(np.round(TABLE, 1), parts=4), LocalEngine(np.round(TABLE, 1))
    columns = [one.column(kernels.first, None, "reading") for one in (engine, plain)]
    ties = [one.derived(kernels.shifted, 2.0).kept() for one in columns]
    assert isinstance(ties[0], PartColumn)
    assert ties[0].values().tobytes() == ties[1].values().tobytes()
    for arguments in ({}, {"excluded": [5, 2999, 700]}):
        for count in (1, 40, 5000):
            tops = [one.top(count, ties=tie, **arguments) for one, tie in zip(columns, ties, strict=True)]
            assert tops[0].tolist() == tops[1].tolist()
        orders = [one.ordered(**arguments) for one in columns]
        assert orders[0].at([0, 17, 2000]).tolist() == orders[1].at([0, 17, 2000]).tolist()
        assert (
            orders[0].reaching([-1.0, 0.5], np.negative).tolist()
            == orders[1].reaching([-1.0, 0.5], np.negative).tolist()
        )
        assert orders[0].mean(np.square) == orders[1].mean(np.square)
    beside = engine.column(kernels.with_column, None, "adding", beside=columns[0])
    assert beside.values().tobytes() == (columns[1].values() * 2).tobytes()


def test_a_part_is_there_whole_and_may_be_written_again(tmp_path, monkeypatch):
    numbers = np.arange(5.0)
    for _ in range(2):
        write_part(tmp_path, 7, numbers)
    assert [path.name for path in tmp_path.iterdir()] == ["7.part"]
    monkeypatch.setattr("isobreach.engine.parts.write_numbers", _no_room)
    with pytest.raises(OutputError):
        write_part(tmp_path, 9, numbers)
    assert [path.name for path in tmp_path.iterdir()] == ["7.part"]


def _no_room(file, numbers):
    file.write(b"half")
    raise OutputError("no room")


def test_large_parameters_are_mapped_and_forgotten(tmp_path, monkeypatch):
    monkeypatch.setattr(sending, "_SENDING", sending.SendingLimits(message=1000))
    params = {"a": np.arange(1000.0), "b": (np.arange(6).reshape(2, 3).T, "text"), "c": np.arange(7, dtype=np.int8)}
    sent = pickle.loads(pickle.dumps(sending.Sent.of(kernels.power, params, tmp_path)))
    assert len(pickle.dumps(sent)) < 1000
    task, found = sent.received()
    assert sent.received()[1] is found
    assert task is kernels.power
    np.testing.assert_equal(found, params)
    assert found["a"].flags.writeable
    assert found["a"].ctypes.data % 64 == 0
    found["a"][0] = 7  # of this copy only
    assert sending.Sent(sent.pickled, sent.ends, sent.file).received()[1]["a"][0] == 0
    sent.forget()
    assert list(tmp_path.iterdir()) == []


def test_another_version_is_told_by_the_worker(tmp_path):
    sent = replace(sending.Sent.of(kernels.power, 2, tmp_path), version="0.0.1")
    with pytest.raises(InputError, match=r"workers with isobreach 0\.0\.1. Got"):
        sent.received()


def test_a_worker_that_is_killed_changes_nothing(tmp_path, less):
    """It dies in the middle of a pass, over rows that it had begun; what it had to do is done again."""
    less(held=0, stretch_tiles=1)
    table = np.concatenate([TABLE] * 4)
    engine = ArrayOnCluster(table, parts=2, group=3000, block_rows=1)
    column = engine.column(kernels.dying_once, (str(tmp_path / "died"), os.getpid()), "adding")
    assert (tmp_path / "died").exists()
    assert column.values().tobytes() == table.sum(axis=1).tobytes()


def test_a_scheduler_that_was_never_there_is_said(tmp_path, hurried):
    written(tmp_path, TABLE)
    start = time.monotonic()
    for place in ("tcp://127.0.0.1:1", "127.0.0.1:1"):
        with pytest.raises(InputError, match=rf"scheduler must be the address of a Dask scheduler. Got {place}, where"):
            opened(tmp_path, place)
    for place in ("here", "http://127.0.0.1:1", "tcp://127.0.0.1:port"):
        with pytest.raises(InputError, match=rf"scheduler must be .* Got '{place}'\. Such as tcp:"):
            opened(tmp_path, place)
    assert time.monotonic() - start < 10


def test_the_address_of_a_worker_is_no_schedulers(tmp_path, hurried):
    written(tmp_path, TABLE)
    worker = next(iter(connection.connected(None)._client.nthreads()))

    async def in_a_notebook():
        opened(tmp_path, worker)

    with pytest.raises(InputError, match=r"which is a worker"):
        opened(tmp_path, worker)
    with pytest.raises(InputError, match=r"which is a worker"):
        asyncio.run(in_a_notebook())


def _corrupt(path):
    status, content = path.stat(), bytearray(path.read_bytes())
    content[200:-40_000] = os.urandom(len(content) - 40_200)
    path.write_bytes(content)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


VERBS = {
    "scan": lambda engine: list(engine.scan(kernels.seen, None, "reading")),
    "gather": lambda engine: engine.gather([ROWS - 1]),
    "column": lambda engine: engine.column(kernels.sums, 1.0, "adding"),
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (_corrupt, "must be readable as Parquet. Got part-2.parquet, a damaged file or another format."),
        (Path.unlink, "must stay where it is while it is read. Got part-2.parquet, which is gone."),
        (lambda path: path.touch(), "must stay as it is while it is read. Got part-2.parquet, which has changed."),
    ],
)
def test_a_part_that_is_lost_while_it_is_read_is_named(tmp_path, damage, said, verb, less):
    less(held=0)
    written(tmp_path, TABLE)
    engine = opened(tmp_path)
    damage(tmp_path / "part-2.parquet")
    before = set(connection.connected(None).folder.iterdir())
    with pytest.raises(InputError, match=f"^released {said}$"):
        VERBS[verb](engine)
    assert set(connection.connected(None).folder.iterdir()) == before


class Service:
    """A scheduler and workers, processes of their own."""

    def __init__(self, folder):
        self._folder, self._processes = folder, []

    def start(self, module, *arguments, places=()):
        every = [*map(str, places), *(path for path in sys.path if path)]
        process = subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{module}", *arguments, "--no-dashboard"],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(every)},
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._processes.append(process)
        return process

    def scheduler(self):
        file = self._folder / "scheduler.json"
        process = self.start("scheduler", "--host=127.0.0.1", "--port=0", f"--scheduler-file={file}", "--no-jupyter")
        _wait(file.exists)
        return process, json.loads(file.read_text())["address"]

    def worker(self, address, places=()):
        return self.start(
            "worker", address, "--nthreads=1", "--no-nanny", f"--local-directory={self._folder}", places=places
        )

    def end(self):
        for process in self._processes:
            process.kill()
            process.wait()


@pytest.fixture
def service(tmp_path):
    found = Service(tmp_path)
    yield found
    found.end()


def _wait(happens):
    for _ in range(1200):
        if happens():
            return
        time.sleep(0.05)
    raise AssertionError


@pytest.mark.slow
def test_a_scheduler_that_is_killed_is_said_within_seconds(tmp_path, service):
    process, address = service.scheduler()
    service.worker(address)
    written(tmp_path, TABLE)
    _wait_for_workers(address, 1)
    engine = opened(tmp_path, address)
    folder = connection.connected(address).folder
    assert engine.column(kernels.sums, 1.0, "adding").values().tobytes() == TABLE.sum(axis=1).tobytes()
    results = engine.run(kernels.slept, range(20), 1.0)
    assert next(results) == 0
    process.send_signal(signal.SIGKILL)
    start = time.monotonic()
    with pytest.raises(InputError, match=rf"scheduler must run until the work is done. Got {address}, which is gone"):
        list(results)
    assert time.monotonic() - start < 10
    start = time.monotonic()
    with pytest.raises(InputError, match=r"scheduler must be the address of a Dask scheduler"):
        list(engine.run(kernels.slept, range(20), 0.1))
    assert time.monotonic() - start < 10
    assert not folder.exists()


def _wait_for_workers(address, count):
    import distributed

    with distributed.Client(address, set_as_default=False) as client:
        client.wait_for_workers(count, timeout=60)


@pytest.mark.slow
def test_workers_without_this_version_are_named(tmp_path, service):
    _, address = service.scheduler()
    (tmp_path / "data").mkdir()
    written(tmp_path / "data", TABLE)
    with pytest.raises(
        InputError, match=rf"scheduler must have workers. Got {address}, which has none. Start some with"
    ):
        opened(tmp_path / "data", address)
    cases = {
        "older": ("__version__ = '0.0.1'", r"tcp://[\d.:]+ with 0\.0\.1"),
        "none": ("raise ModuleNotFoundError(name='isobreach')", r"tcp://[\d.:]+ without it"),
    }
    for name, (content, said) in cases.items():
        package = tmp_path / name / "isobreach"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(content)
        worker = service.worker(address, [package.parent])
        _wait_for_workers(address, 1)
        rule = f"scheduler must have workers with isobreach {isobreach.__version__}"
        with pytest.raises(InputError, match=rf"^{rule}\. Got {said}\. Install the same version"):
            opened(tmp_path / "data", address)
        worker.terminate()
        worker.wait()


def test_few_numbers_stay_here():
    assert isinstance(ArrayOnCluster(TABLE).column(kernels.sums, 1.0, "adding"), ArrayColumn)
