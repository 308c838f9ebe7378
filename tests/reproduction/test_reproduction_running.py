# SPDX-License-Identifier: BSD-3-Clause
"""Running experiments: interrupted, taken up again, extended, on more threads: always the same numbers."""

import threading
from dataclasses import replace

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from isobreach.attacks.kaplan import ITERATIONS, LEARNING_RATE
from isobreach.errors import InputError
from isobreach.io import FileStore
from isobreach.reproduction import (
    Experiment,
    Outcome,
    Point,
    Results,
    experiment,
    finished,
    results_csv,
    run_experiment,
    tables,
)
from isobreach.reproduction.parameters import PAPER
from isobreach.reproduction.perturbed import Tables
from isobreach.reproduction.running import trial_draws


class Counted:
    """A trial that draws two numbers, counts its calls and may be interrupted."""

    def __init__(self, stop_at=None):
        self.calls, self.stop_at, self.lock = 0, stop_at, threading.Lock()

    def __call__(self, tables, point, draws):
        with self.lock:
            self.calls += 1
            if self.calls == self.stop_at:
                raise KeyboardInterrupt
        return Outcome({"one": float(draws.random() + point.x), "two": float(draws.random())}, {"time": self.calls})


def plan(trial, trials=3, **changed):
    points = tuple(Point("letter", x) for x in (2, 5, 9))
    made = Experiment("kaplan", 6, "known", points, trials, ("one", "two"), ("time",), trial, side_by_side=True)
    return replace(made, **changed)


class NoTables(Tables):
    def make(self, names):
        pass


def run(made, store, seed=0, **options):
    return run_experiment(made, NoTables(0, 10), seed=seed, store=store, **options)


@pytest.fixture
def store(tmp_path):
    return FileStore(tmp_path / "trials" / "kaplan.npz", seconds=0)


@pytest.mark.parametrize("stop_at", [1, 2, 4, 9, 10])
@pytest.mark.parametrize("threads", [1, 3])
def test_an_interrupted_run_goes_on_to_the_same_numbers(store, tmp_path, stop_at, threads):
    whole = run(plan(Counted()), FileStore(tmp_path / "other.npz"))
    with pytest.raises(KeyboardInterrupt):
        run(plan(Counted(stop_at)), store, threads=threads)
    rest = Counted()
    again = run(plan(rest), store, threads=threads)
    assert np.array_equal(again.numbers, whole.numbers)
    if stop_at > 2 and threads == 1:  # the first call of a run is one to warm up, its outcome thrown away
        assert rest.calls == 1 + 9 - (stop_at - 2)
    last = Counted()
    assert np.array_equal(run(plan(last), store).numbers, whole.numbers)
    assert last.calls == 0


def test_trials_are_kept_at_the_end_and_when_interrupted_however_seldom_otherwise(tmp_path):
    seldom = FileStore(tmp_path / "k.npz", seconds=1e9)
    with pytest.raises(KeyboardInterrupt):
        run(plan(Counted(stop_at=6)), seldom, threads=1)
    assert len(seldom.load()["cells"]) == 4
    run(plan(Counted()), seldom, threads=1)
    assert len(seldom.load()["cells"]) == 9


def test_more_trials_extend_fewer_ones(store):
    few = run(plan(Counted(), trials=2), store)
    more = Counted()
    many = run(plan(more, trials=5), store)
    assert more.calls == 1 + 3 * 3
    assert np.array_equal(many.numbers[:, :2], few.numbers)


def test_finished_are_all_trials_that_every_point_has(store):
    """However many are asked for; a trial that some points lack does not count."""
    assert finished(plan(Counted()), seed=0, store=store) is None
    with pytest.raises(KeyboardInterrupt):
        run(plan(Counted(stop_at=2), trials=5), store, threads=1)
    assert finished(plan(Counted()), seed=0, store=store) is None
    with pytest.raises(KeyboardInterrupt):
        run(plan(Counted(stop_at=9), trials=5), store, threads=1)  # after 7 trials: 3, 3 and 1
    assert len(store.load()["cells"]) == 7
    for trials in (1, 4, 100):
        found = finished(plan(Counted(), trials=trials), seed=0, store=store)
        assert (found.numbers.shape, found.experiment.trials) == ((3, 2, 2), 2)
    many = run(plan(Counted(), trials=5), store)
    assert np.array_equal(many.numbers[:, :2], found.numbers)


def test_seed_point_and_number_decide_what_a_trial_draws(store, tmp_path):
    first = run(plan(Counted()), store)
    assert len(np.unique(first.trials("two"))) == 9
    other = run(plan(Counted()), FileStore(tmp_path / "other.npz"), seed=1)
    assert not np.intersect1d(first.trials("two"), other.trials("two")).size
    same = run(plan(Counted(), same_draws=True), FileStore(tmp_path / "same.npz"))
    assert (same.trials("two") == same.trials("two")[0]).all()
    expected = trial_draws(plan(Counted()), Point("letter", 5), 1, 0).random()
    assert first.trials("one")[1, 1] == 5 + expected


@pytest.mark.parametrize("changed", [{"points": (Point("letter", 2),)}, {"numbers": ("two", "one")}, {"name": "size"}])
def test_trials_of_something_else_are_refused(store, changed):
    run(plan(Counted()), store)
    with pytest.raises(InputError, match=r"kaplan\.npz must hold trials of \w+ with the same seed and points"):
        run(plan(Counted(), **changed), store)
    with pytest.raises(InputError, match="must hold trials"):
        run(plan(Counted()), store, seed=1)
    with pytest.raises(InputError, match="must hold trials"):
        run(plan(Counted()), store, quick=True)


def test_a_damaged_store_is_named(tmp_path):
    (tmp_path / "k.npz").write_bytes(b"PK\x03\x04")
    with pytest.raises(InputError, match=r"k\.npz must be finished trials\. Got a damaged file\. Remove it"):
        run(plan(Counted()), FileStore(tmp_path / "k.npz", holds="finished trials"))


def test_neither_threads_nor_those_of_blas_change_a_number(tmp_path):
    made, found = experiment("kaplan", quick=True, trials=1), []
    for threads in (1, 2):
        with threadpool_limits(threads):
            store = FileStore(tmp_path / f"{threads}.npz")
            found.append(run_experiment(made, tables(0, quick=True), seed=0, quick=True, store=store, threads=threads))
    assert np.array_equal(found[0].numbers, found[1].numbers)


def test_the_plan_is_the_papers():
    made = {name: experiment(name) for name in ("gaussian-known", "letter-known", "letter-epsilon", "size", "kaplan")}
    x = {name: {t: [p.x for p in one.points if p.table == t] for t in one.tables} for name, one in made.items()}
    assert x["gaussian-known"] == {"gaussian": list(range(10, 101, 10))}
    assert x["letter-known"] == {"letter": list(range(2, 17))}
    assert 0.07 in x["letter-epsilon"]["letter"]
    assert x["size"] == {"gaussian": list(range(10_000, 100_001, 10_000)), "letter": list(range(2_000, 18_001, 2_000))}
    assert [one.trials for one in made.values()] == [10, 10, 10, 10, 100]
    assert [one.figure for one in made.values()] == [2, 3, 4, 5, 6]
    assert (PAPER.epsilon, PAPER.epsilon_known) == (0.15, 4)
    assert (PAPER.kaplan_epsilon["gaussian"], PAPER.kaplan_epsilon["letter"]) == (0.15, 0.1)
    assert (PAPER.size_known["gaussian"], PAPER.size_known["letter"]) == (50, 10)
    assert (LEARNING_RATE, ITERATIONS) == (0.05, 500)
    assert (PAPER.gaussian_rows, PAPER.gaussian_columns) == (100_000, 100)
    assert [experiment(name, trials=7).trials for name in made] == [7] * 5
    with pytest.raises(InputError, match="figure must be one of gaussian-known, letter-known"):
        experiment("figure 7")


def results(values, x, seconds=None):
    values = np.asarray(values, dtype=float)[:, :, None]
    points = tuple(Point("letter", one) for one in x)
    made = Experiment("letter-known", 3, "known", points, values.shape[1], ("one",), (), Counted())
    return Results(made, values, np.empty((*values.shape[:2], 0)))


def test_where_a_curve_rises():
    rising = results([[0, 0], [0.2, 0.4], [1, 0.8], [1, 1]], [2, 4, 6, 10])
    assert rising.crossing("one", "letter") == (4, 6)
    assert rising.crossing("one", "letter", 0.3) == (2, 4)
    assert rising.crossing("one", "letter", 1.1) is None
    assert results([[1], [0]], [2, 4]).crossing("one", "letter") == (2, 2)
    assert rising.certain_from("one", "letter") == 10
    assert results([[1, 1], [1, 0.99], [1, 1], [1, 1]], [2, 4, 6, 8]).certain_from("one", "letter") == 6
    assert results([[1, 1], [1, 0.99]], [2, 4]).certain_from("one", "letter") is None
    assert results([[1], [1]], [2, 4]).certain_from("one", "letter") == 2


def test_how_a_curve_grows():
    x = np.array([1.0, 2, 4, 8])
    square = results((3 * x**2)[:, None], x).growth("one", "letter")
    assert square.exponent == pytest.approx(2)
    assert square.straight < 0.99
    line = results((2 * x + 5)[:, None], x).growth("one", "letter")
    assert line.straight == pytest.approx(1)
    assert 0 < line.exponent < 1


def test_differing_counts_trials():
    numbers = np.array([[[1.0, 1.0], [1.0, 0.5]], [[0.0, 0.0], [0.2, 0.3]]])
    made = plan(Counted(), trials=2, points=(Point("letter", 2), Point("letter", 5)))
    assert Results(made, numbers, np.zeros((2, 2, 1))).differing("one", "two") == 2


def test_csv_has_means_and_standard_deviations_and_every_trial(store):
    found = run(plan(Counted()), store)
    files = results_csv(found)
    assert sorted(files) == ["kaplan.csv", "kaplan_times.csv", "kaplan_trials.csv"]
    lines = [line.split(",") for line in files["kaplan.csv"].splitlines()]
    assert lines[0] == ["table", "known", "series", "mean", "standard deviation", "trials"]
    assert len(lines) == 1 + 3 * 2
    values = found.numbers[1, :, 1]
    (line,) = [line for line in lines if line[1:3] == ["5", "two"]]
    spread = np.sqrt(((values - values.mean()) ** 2).sum() / 2)
    assert [float(cell) for cell in line[3:]] == pytest.approx([values.mean(), spread, 3], rel=1e-9)
    every = [line.split(",") for line in files["kaplan_trials.csv"].splitlines()]
    assert every[0] == ["table", "known", "trial", "one", "two"]
    assert float(every[1 + 3 + 2][4]) == pytest.approx(found.numbers[1, 2, 1], rel=1e-9)
    assert "time" in files["kaplan_times.csv"]
    assert "time" not in files["kaplan.csv"] + files["kaplan_trials.csv"]


def test_a_single_trial_has_no_deviation(store):
    found = run(plan(Counted(), trials=1), store)
    assert found.curve("one", "letter")[2].tolist() == [0, 0, 0]
