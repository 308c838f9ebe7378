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
from isobreach.engine import default_workers
from isobreach.errors import InputError
from isobreach.reproduction.experiment import Experiment, Point, Results
from isobreach.reproduction.perturbed import Tables
from isobreach.reproduction.plan import NAMES

Cell = tuple[int, int]  # a point, by its place, and the number of a trial
Done = dict[Cell, list[float]]  # numbers of each finished trial, then its run times

_PER_UNIT = 1_000_000  # epsilons as whole numbers


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
    done = _restored(experiment, store, seed, quick)
    # One trial at every point, then the next: a machine that is busy for a while is so at all points alike.
    wanted = [(place, number) for number in range(experiment.trials) for place in range(len(experiment.points))]
    missing = [cell for cell in wanted if cell not in done]

    def keep() -> None:
        shape = len(done), len(experiment.numbers) + len(experiment.seconds)
        numbers, seconds = np.split(np.array(list(done.values())).reshape(shape), [len(experiment.numbers)], axis=1)
        cells = np.array(list(done), dtype=np.int64).reshape(-1, 2)
        mark = _fingerprint(experiment, seed, quick)
        store.keep({"fingerprint": mark, "cells": cells, "numbers": numbers, "seconds": seconds})

    progress(experiment.name, len(wanted) - len(missing), len(wanted))
    if missing:
        made.make(experiment.tables)
        play = experiment, made, seed
        _trial(missing[0], play)  # compiles what has to be compiled: the first run times would be those of a compiler
        workers = default_workers(threads if experiment.side_by_side else 1)
        try:
            for count, outcome in enumerate(workers.run(_trial, missing, play)):
                done[missing[count]] = outcome
                progress(experiment.name, len(wanted) - len(missing) + count + 1, len(wanted))
                if store.due():
                    keep()
        finally:  # also when interrupted
            keep()
    return _results(experiment, done)


def _trial(cell: Cell, params: tuple[Experiment, Tables, int]) -> list[float]:
    """Numbers and seconds of one trial."""
    experiment, made, seed = params
    point = experiment.points[cell[0]]
    outcome = experiment.trial(made, point, trial_draws(experiment, point, cell[1], seed))
    numbers = [outcome.numbers[name] for name in experiment.numbers]
    return numbers + [outcome.seconds[name] for name in experiment.seconds]


def finished(experiment: Experiment, *, seed: int, quick: bool = False, store: Store) -> Results | None:
    """Results of as many trials as the store has at every point, whatever number is asked for; None if it has none."""
    done = _restored(experiment, store, seed, quick)
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


def _results(experiment: Experiment, done: Done) -> Results:
    every = [[done[place, number] for number in range(experiment.trials)] for place in range(len(experiment.points))]
    return Results(experiment, *np.split(np.array(every), [len(experiment.numbers)], axis=2))


def _restored(experiment: Experiment, store: Store, seed: int, quick: bool) -> Done:
    saved = store.load()
    if saved is None:
        return {}
    if not np.array_equal(saved.get("fingerprint", ()), _fingerprint(experiment, seed, quick)):
        rule = f"must hold trials of {experiment.name} with the same seed and points, by this version"
        raise InputError(store.name, rule, "others", "Choose another --out, or remove it.")
    values = np.hstack([saved["numbers"], saved["seconds"]]).tolist()
    return {(place, number): line for (place, number), line in zip(saved["cells"].tolist(), values, strict=True)}


def _fingerprint(experiment: Experiment, seed: int, quick: bool) -> NDArray[np.uint8]:
    """Hash of everything that a trial depends on but its own number."""
    asked = (experiment.name, experiment.points, experiment.numbers, experiment.seconds, seed, quick)
    mark = hashlib.sha256(f"isobreach {__version__} reproduce 1 {asked}".encode()).hexdigest()
    return np.frombuffer(mark.encode(), dtype=np.uint8)
