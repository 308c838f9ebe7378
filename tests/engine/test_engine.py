# SPDX-License-Identifier: BSD-3-Clause
"""Every engine gives the same results in the same order, whatever the blocks and the workers."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import engine_kernels as kernels
from engine_files import ArrayInFiles, ArrayOnCluster
from isobreach.engine import (
    ArrayColumn,
    LocalEngine,
    ProcessEngine,
    as_engine,
    default_workers,
    processes,
    tile_rows,
    using,
)
from isobreach.engine.column import ColumnReading
from isobreach.engine.processes import end_processes
from isobreach.errors import InputError

ROWS, COLUMNS = 10_000, 16  # two tiles and a bit
TABLE = np.random.default_rng(0).standard_normal((ROWS, COLUMNS))
ENGINES = [LocalEngine, ProcessEngine, ArrayInFiles, ArrayOnCluster]


@pytest.fixture(params=ENGINES)
def kind(request, monkeypatch):
    monkeypatch.setattr("isobreach.engine.local.SERIAL_BYTES", 0)
    return request.param


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("layout", [np.asfortranarray, lambda rows: rows[::-1], lambda rows: rows.astype(np.float32)])
def test_blocks_arrive_contiguous_whole_and_in_order(kind, layout, workers):
    rows = layout(TABLE)
    tile = tile_rows(COLUMNS)
    found = list(kind(rows, block_rows=1, workers=workers).scan(kernels.seen, None, "reading"))
    assert found == [
        (start, min(tile, ROWS - start), True, "float64", float(rows[start, 0])) for start in range(0, ROWS, tile)
    ]


@pytest.mark.parametrize("block_rows", [1, 5000, None, 10**9])
def test_a_column_has_the_same_bits_whatever_the_blocks(kind, block_rows):
    engine = kind(TABLE, block_rows=block_rows, workers=2)
    column = engine.column(kernels.sums, 3.0, "adding")
    assert column.shape == (ROWS,)
    assert len(column) == ROWS
    assert column.values().tobytes() == (TABLE.sum(axis=1) * 3.0).tobytes()
    pairs = engine.column(kernels.doubled, None, "doubling")
    assert pairs.shape == (ROWS, 2)
    np.testing.assert_array_equal(np.asarray(pairs), TABLE[:, :1] * [1, 2])
    beside = engine.column(kernels.with_column, None, "adding", beside=column)
    np.testing.assert_array_equal(beside.take([7, 3]), (TABLE[:, 0] + column.values())[[7, 3]])


def test_progress_counts_rows_up_to_all_of_them(kind):
    calls = []
    list(kind(TABLE, block_rows=1).scan(kernels.seen, None, "reading", lambda *call: calls.append(call)))
    tile = tile_rows(COLUMNS)
    assert calls == [("reading", min(done, ROWS), ROWS) for done in range(tile, ROWS + tile, tile)]


def test_rows_are_gathered_in_the_order_asked_for(kind):
    engine = kind(TABLE.astype(np.float32))
    gathered = engine.gather([5, 1, 5])
    np.testing.assert_array_equal(gathered, TABLE.astype(np.float32)[[5, 1, 5]])
    assert gathered.dtype == np.float64
    assert engine.dtype == np.float32
    assert engine.gather([]).shape == (0, COLUMNS)


def test_everything_is_the_table(kind):
    assert kind(TABLE, block_rows=1).everything("all pairs are compared").tobytes() == TABLE.tobytes()


def test_an_error_comes_back_as_it_is_and_in_its_turn(kind):
    engine, tile = kind(TABLE, block_rows=1, workers=2), tile_rows(COLUMNS)
    results = engine.scan(kernels.refusing, tile, "reading")
    assert next(results) == 0
    with pytest.raises(InputError, match=f"rows must end before. Got {tile}.") as caught:
        next(results)
    assert caught.value.got == tile
    assert list(engine.scan(kernels.refusing, ROWS, "reading")) == list(range(0, ROWS, tile))


def test_an_iteration_that_is_given_up_leaves_the_engine_usable(kind):
    before = threading.active_count()
    for _ in range(3):
        results = default_workers_of(kind).run(kernels.power, range(100), 2)
        assert next(results) == 0
        results.close()
    assert threading.active_count() == before
    assert list(default_workers_of(kind).run(kernels.power, range(100), 2)) == [i**2 for i in range(100)]


def default_workers_of(kind):
    with using(kind, workers=2):
        return default_workers()


@pytest.mark.parametrize("ahead", [None, 0, 5])
def test_tasks_are_done_in_order(kind, ahead):
    assert list(kind.crew(3).run(kernels.power, iter(range(50)), 3, ahead=ahead)) == [i**3 for i in range(50)]
    assert list(kind.crew(3).run(kernels.power, [], 3)) == []
    assert list(kind(TABLE).run(kernels.power, [2], 3)) == [8]


@pytest.mark.parametrize("workers", [1, 3])
def test_results_as_they_are_done_have_their_places(kind, workers):
    found = list(kind.crew(workers).as_done(kernels.power, iter(range(50)), 3))
    assert sorted(found) == [(i, i**3) for i in range(50)]
    assert list(kind.crew(workers).as_done(kernels.power, [], 3)) == []


def test_a_result_does_not_wait_for_an_earlier_one(kind, tmp_path):
    done = kind.crew(2).as_done(kernels.waiting_for_a_file, [0, 1], str(tmp_path / "go"))
    assert next(done) == (1, 1)
    (tmp_path / "go").touch()
    assert list(done) == [(0, 0)]


@pytest.mark.parametrize(("left", "right"), [(0, 0), (1, 1), (600, 600), (1500, 1500)])
def test_a_join_visits_every_pair_once(kind, left, right):
    calls = []
    found = kind.crew(2).join(
        kernels.tile, None, left, right, "comparing", lambda *call: calls.append(call), triangle=True
    )
    pairs = [pair for part in found for pair in part]
    assert len(set(pairs)) == len(pairs) == left * (left + 1) // 2
    assert not calls or calls[-1][1] == calls[-1][2] == len(calls)


def test_an_engine_is_accepted_wherever_an_array_is():
    engine = ProcessEngine(TABLE)
    assert as_engine(engine) is engine
    assert type(as_engine(TABLE)) is LocalEngine
    with using(ProcessEngine, block_rows=1, workers=1):
        assert type(as_engine(TABLE)) is ProcessEngine
        with using(LocalEngine):
            assert type(as_engine(TABLE)) is LocalEngine
    assert type(as_engine(TABLE.tolist())) is LocalEngine


def test_what_cannot_travel_is_refused_by_every_engine(kind):
    for kernel in (lambda block, first, params: 1, partial(kernels.sums), TABLE.sum, np.sum, compiled_kernel()):
        with pytest.raises(TypeError, match="must be a plain module-level function"):
            kind(TABLE).scan(kernel, None, "reading")
        with pytest.raises(TypeError, match="must be a plain module-level function"):
            kind.crew(1).run(kernel, [1], None)


def compiled_kernel():
    from isobreach.linking.candidates import by_norm

    return by_norm._hits


@pytest.mark.parametrize("arguments", [{"block_rows": 0}, {"workers": 0}, {"workers": 1.5}])
def test_impossible_sizes_are_refused(kind, arguments):
    with pytest.raises(InputError, match="must be a whole number >= 1"):
        kind(TABLE, **arguments)


def test_processes_are_others_and_stay():
    crew = ProcessEngine.crew(2)
    end_processes()
    first, second = (set(crew.run(kernels.process, range(20), None)) for _ in range(2))
    assert first & second
    assert os.getpid() not in first | second
    assert len(first | second) <= 2  # one may have been quick enough to do all alone
    end_processes()
    assert not first & set(crew.run(kernels.process, range(20), None))


def test_parameters_are_pickled_once_a_run():
    params = Counted(range(1000))
    assert set(ProcessEngine.crew(2).run(kernels.length, range(50), params)) == {1000}
    assert params.pickled == 1


class Counted(list):
    """A list that counts how often it is pickled."""

    pickled = 0

    def __reduce__(self):
        self.pickled += 1
        return list, (list(self),)


def test_errors_that_cannot_travel_are_told_by_their_text():
    with pytest.raises(RuntimeError, match="PickyError: not picklable"):
        list(ProcessEngine.crew(1).run(kernels.picky, [1], None))
    with pytest.raises(SystemExit, match="7"):
        list(ProcessEngine.crew(1).run(kernels.leaving, [7], None))
    with pytest.raises((AttributeError, TypeError, pickle.PicklingError), match=r"(?i)pickle|local object"):
        list(ProcessEngine.crew(1).run(kernels.unpicklable, [7], None))
    with pytest.raises((AttributeError, TypeError, pickle.PicklingError), match=r"(?i)pickle|local object"):
        list(ProcessEngine.crew(1).run(kernels.power, [lambda: 1], None))
    assert list(ProcessEngine.crew(1).run(kernels.power, [3], 2)) == [9]


def test_a_process_that_dies_is_replaced():
    crew = ProcessEngine.crew(1)
    with pytest.raises(ChildProcessError, match="ended before it had answered"):
        list(crew.run(kernels.dying, [1], None))
    assert list(crew.run(kernels.power, [3], 2)) == [9]


def test_a_process_that_answers_while_its_job_is_stopped_is_ended(monkeypatch):
    answer, answered = processes._Process.answer, []

    def stopped_meanwhile(self, message):
        answered.append((self, answer(self, message)))
        job._stopped = True
        return answered[-1][1]

    monkeypatch.setattr(processes._Process, "answer", stopped_meanwhile)
    job = processes._Job(pickle.dumps((("engine_kernels", "power"), 2)))
    assert job.ask(3) == 9
    ((process, _),) = answered
    assert not process.runs
    assert process._process.returncode is not None


def test_a_task_may_have_tasks_of_its_own(kind):
    with using(kind, workers=2):
        found = list(default_workers().run(kernels.nested, [1.0, 2.0], None))
    name = "ArrayInFiles" if kind is ArrayInFiles else "LocalEngine"  # a worker is a place where threads do
    assert found == [(name, 6.0), (name, 14.0)]


@pytest.mark.parametrize("total", [0, 1, 40, 5000])
@pytest.mark.parametrize("count", [1, 7, 100])
@pytest.mark.parametrize("levels", [3, 10**9])
def test_the_top_rows_are_those_of_a_full_sort(total, count, levels):
    draws = np.random.default_rng(total + count)
    values, ties = draws.integers(0, levels, total).astype(float), draws.integers(0, 3, total).astype(float)
    excluded = draws.choice(total, min(total, 5), replace=False) if total else np.empty(0, dtype=np.int64)
    rows = [row for row in range(total) if row not in set(excluded.tolist())]
    column = ArrayColumn(values)
    by_row = sorted(rows, key=lambda row: (values[row], row))[:count]
    assert column.top(count, excluded).tolist() == by_row
    by_tie = sorted(rows, key=lambda row: (values[row], ties[row], row))[:count]
    assert column.top(count, excluded, ArrayColumn(ties)).tolist() == by_tie


def test_chunks_are_the_column(monkeypatch):
    monkeypatch.setattr("isobreach.engine.column._READING", ColumnReading(chunk=1000))
    column = ArrayColumn(TABLE[:, 0])
    parts = list(column.chunks())
    assert [start for start, _ in parts] == list(range(0, ROWS, 1000))
    np.testing.assert_array_equal(np.concatenate([part for _, part in parts]), TABLE[:, 0])
    assert list(ArrayColumn(np.empty(0)).chunks()) == []


def test_workers_end_with_a_program_that_is_killed(tmp_path):
    program = "import sys; from isobreach.engine import ProcessEngine; from engine_kernels import sleeping\n"
    program += "list(ProcessEngine.crew(2).run(sleeping, range(2), sys.argv[1]))"
    places = os.pathsep.join(path for path in sys.path if path)
    with subprocess.Popen(
        [sys.executable, "-c", program, tmp_path], env={**os.environ, "PYTHONPATH": places}
    ) as killed:
        _wait(lambda: len(list(tmp_path.iterdir())) == 2)
        killed.kill()
    _wait(lambda: not any(_runs(one.name) for one in tmp_path.iterdir()))


def test_an_interruption_does_not_wait_for_work_under_way(tmp_path):
    program = "import sys; from isobreach.engine import ProcessEngine; from engine_kernels import sleeping\n"
    program += "try:\n    list(ProcessEngine.crew(2).run(sleeping, range(3), sys.argv[1]))\n"
    program += "except KeyboardInterrupt:\n    sys.exit(3)"
    places = os.pathsep.join(path for path in sys.path if path)
    with subprocess.Popen(
        [sys.executable, "-c", program, tmp_path], env={**os.environ, "PYTHONPATH": places}
    ) as interrupted:
        _wait(lambda: len(list(tmp_path.iterdir())) == 2)
        interrupted.send_signal(signal.SIGINT)
        assert interrupted.wait(20) == 3
    _wait(lambda: not any(_runs(one.name) for one in tmp_path.iterdir()))
    assert len(list(tmp_path.iterdir())) == 2  # the third was not begun


def _wait(happens):
    for _ in range(2000):
        if happens():
            return
        time.sleep(0.05)
    raise AssertionError


def _runs(process):
    """Whether a process is there and more than an entry that nobody has asked for."""
    stat = Path("/proc", process, "stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] not in "ZX"
