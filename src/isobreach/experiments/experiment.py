# SPDX-License-Identifier: BSD-3-Clause
"""What an experiment is, and its results: numbers of every trial at every point, run times apart from them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isobreach.experiments.tables import TableName, Tables

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Point:
    """A place on a figure's axis: a table and the number that is varied."""

    table: TableName
    x: float


@dataclass(frozen=True)
class Outcome:
    """One trial: its numbers, which the seed decides, and its run times in seconds, which it does not."""

    numbers: dict[str, float]
    seconds: dict[str, float]


@dataclass(frozen=True)
class Experiment:
    """One figure of the paper.

    Attributes
    ----------
    name, figure
        Ours, and the paper's number.
    varied
        What ``Point.x`` is: ``"known"``, ``"epsilon"`` or ``"rows"``.
    points, trials
        Where, and how often at each.
    numbers, seconds
        Names of what a trial gives.
    trial
        ``trial(tables, point, draws)``; ``draws`` is the trial's own generator.
    same_draws
        Whether a trial draws the same at every point.
    side_by_side
        Whether trials may run at the same time: not where linking is timed, which has threads of its own.
    """

    name: str
    figure: int
    varied: str
    points: tuple[Point, ...]
    trials: int
    numbers: tuple[str, ...]
    seconds: tuple[str, ...]
    trial: Callable[[Tables, Point, np.random.Generator], Outcome]
    same_draws: bool = False
    side_by_side: bool = False

    @property
    def tables(self) -> list[TableName]:
        """Names of its tables, in the order of its points."""
        return list(dict.fromkeys(point.table for point in self.points))


@dataclass(frozen=True, eq=False)
class Results:
    """All trials of an experiment: ``numbers`` and ``seconds`` are points x trials x names."""

    experiment: Experiment
    numbers: FloatArray
    seconds: FloatArray

    def trials(self, name: str) -> FloatArray:
        """A number, or a run time, of all trials: points x trials."""
        if name in self.experiment.numbers:
            return np.asarray(self.numbers[:, :, self.experiment.numbers.index(name)])
        return np.asarray(self.seconds[:, :, self.experiment.seconds.index(name)])

    def curve(self, name: str, table: TableName) -> tuple[FloatArray, FloatArray, FloatArray]:
        """x, mean and standard deviation over the trials, at the points of a table."""
        x = np.array([point.x for point in self.experiment.points if point.table == table])
        values = self.trials(name)[self._places(table)]
        return x, values.mean(axis=1), deviation(values)

    def least(self, name: str, table: TableName) -> FloatArray:
        """The least of the trials, at the points of a table."""
        return np.asarray(self.trials(name)[self._places(table)].min(axis=1))

    def _places(self, table: TableName) -> list[int]:
        return [place for place, point in enumerate(self.experiment.points) if point.table == table]

    def at(self, name: str, table: TableName, x: float) -> float:
        """Mean at one point."""
        places, means, _ = self.curve(name, table)
        return float(means[places.tolist().index(x)])


def deviation(values: FloatArray) -> FloatArray:
    """Standard deviation of the trials in each row (n - 1 in the denominator); 0 for a single one."""
    if values.shape[1] < 2:
        return np.zeros(len(values))
    return np.asarray(values.std(axis=1, ddof=1))
