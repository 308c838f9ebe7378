# SPDX-License-Identifier: BSD-3-Clause
"""Running an experiment: trials that are not in the store yet, in order, kept as they come.

What a trial gives depends on the seed, its point and its number alone: not on threads, nor on how many trials were
asked for, nor on where an interrupted run was taken up again. Run times do, and are kept apart.
"""

import hashlib
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from isobreach._progress import Progress, no_progress
from isobreach._random import generator
from isobreach._version import __version__
from isobreach.audits import Store
from isobreach.blocks import processors, run_in_order
from isobreach.errors import InputError
from isobreach.experiments.experiment import Experiment, Outcome, Point, Results
from isobreach.experiments.plan import GAUSSIAN_ROWS, NAMES, QUICK_GAUSSIAN_ROWS
from isobreach.experiments.tables import Tables

FloatArray = NDArray[np.float64]
Cell = tuple[int, int]  # a point, by its place, and the number of a trial

_PER_UNIT = 1_000_000  # epsilons as whole numbers


def tables(seed: int, *, quick: bool = False) -> Tables:
    """The tables that all experiments of a run share."""
    return Tables(seed, QUICK_GAUSSIAN_ROWS if quick else GAUSSIAN_ROWS)


def run_experiment(
    experiment: Experiment,
    made: Tables,
    *,
    seed: int,
    quick: bool = False,
    store: Store,
    progress: Progress = no_progress,
    threads: int | None = None,
) -> Results:
    """Play all trials that the store does not have, and return all."""
    mark = np.frombuffer(_fingerprint(experiment, seed, quick).encode(), dtype=np.uint8)
    done = _restored(experiment, store, mark)
    # One trial at every point, then the next: a machine that is busy for a while is so at all points alike.
    wanted = [(place, number) for number in range(experiment.trials) for place in range(len(experiment.points))]
    missing = [cell for cell in wanted if cell not in done]

    def run(cell: Cell) -> Outcome:
        point = experiment.points[cell[0]]
        return experiment.trial(made, point, trial_draws(experiment, point, cell[1], seed))

    if missing:
        made.make(experiment.tables)
        run(missing[0])  # compiles what has to be compiled: the first run times would be those of a compiler
    workers = (threads or processors()) if experiment.side_by_side else 1
    count = len(wanted) - len(missing)
    progress(experiment.name, count, len(wanted))
    try:
        for cell, outcome in zip(missing, run_in_order(run, missing, workers), strict=True):
            done[cell] = outcome
            count += 1
            progress(experiment.name, count, len(wanted))
            if store.due():
                store.keep(_arrays(experiment, done, mark))
    finally:  # also when interrupted
        if missing:
            store.keep(_arrays(experiment, done, mark))
    return _results(experiment, done)


def finished(experiment: Experiment, *, seed: int, quick: bool = False, store: Store) -> Results | None:
    """Results of as many trials as the store has at every point, whatever number is asked for; None if it has none."""
    mark = np.frombuffer(_fingerprint(experiment, seed, quick).encode(), dtype=np.uint8)
    done = _restored(experiment, store, mark)
    trials = 0
    while all((place, trials) in done for place in range(len(experiment.points))):
        trials += 1
    return _results(replace(experiment, trials=trials), done) if trials else None


def trial_draws(experiment: Experiment, point: Point, number: int, seed: int) -> np.random.Generator:
    """The generator of one trial."""
    place = [NAMES.index(experiment.name)]
    if not experiment.same_draws:
        place += [("gaussian", "letter").index(point.table), round(_PER_UNIT * point.x)]
    return generator(seed, "trial", *place, number)


def _results(experiment: Experiment, done: dict[Cell, Outcome]) -> Results:
    shape = len(experiment.points), experiment.trials
    numbers, seconds = np.empty((*shape, len(experiment.numbers))), np.empty((*shape, len(experiment.seconds)))
    for place in range(shape[0]):
        for number in range(shape[1]):
            outcome = done[place, number]
            numbers[place, number] = [outcome.numbers[name] for name in experiment.numbers]
            seconds[place, number] = [outcome.seconds[name] for name in experiment.seconds]
    return Results(experiment, numbers, seconds)


def _arrays(
    experiment: Experiment, done: dict[Cell, Outcome], mark: NDArray[np.uint8]
) -> dict[str, NDArray[np.generic]]:
    """For the store: a line a finished trial."""
    outcomes = list(done.values())
    numbers = [[outcome.numbers[name] for name in experiment.numbers] for outcome in outcomes]
    seconds = [[outcome.seconds[name] for name in experiment.seconds] for outcome in outcomes]
    return {
        "fingerprint": mark,
        "cells": np.array(list(done), dtype=np.int64).reshape(-1, 2),
        "numbers": np.array(numbers, dtype=np.float64).reshape(len(done), len(experiment.numbers)),
        "seconds": np.array(seconds, dtype=np.float64).reshape(len(done), len(experiment.seconds)),
    }


def _restored(experiment: Experiment, store: Store, mark: NDArray[np.uint8]) -> dict[Cell, Outcome]:
    saved = store.load()
    if saved is None:
        return {}
    if not np.array_equal(saved.get("fingerprint"), mark):  # type: ignore[arg-type]
        rule = f"must hold trials of {experiment.name} with the same seed and points, by this version"
        raise InputError(store.name, rule, "others", "Choose another --out, or remove it.")
    return {
        (int(cell[0]), int(cell[1])): Outcome(
            dict(zip(experiment.numbers, numbers.tolist(), strict=True)),
            dict(zip(experiment.seconds, seconds.tolist(), strict=True)),
        )
        for cell, numbers, seconds in zip(saved["cells"], saved["numbers"], saved["seconds"], strict=True)
    }


def _fingerprint(experiment: Experiment, seed: int, quick: bool) -> str:
    """Hash of everything that a trial depends on but its own number."""
    asked = (experiment.name, experiment.points, experiment.numbers, experiment.seconds, seed, quick)
    return hashlib.sha256(f"isobreach {__version__} reproduce 1 {asked}".encode()).hexdigest()
