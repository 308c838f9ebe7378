# SPDX-License-Identifier: BSD-3-Clause
"""What an experiment is, its results, and what they say about the paper's sentences; run times apart from numbers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from isobreach._arrays import FloatArray
from isobreach.reproduction.parameters import TableName
from isobreach.reproduction.perturbed import Tables

_CERTAIN = 1 - 1e-9  # a probability from here on is 1 but for rounding


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

    def x(self, table: TableName) -> list[float]:
        """Places on the axis of a table."""
        return [point.x for point in self.points if point.table == table]


@dataclass(frozen=True)
class TimeGrowth:
    """How mean run times grow: ``seconds ~ x^exponent``; ``straight`` is the R^2 of a straight line."""

    exponent: float
    straight: float


@dataclass(frozen=True, eq=False)
class Results:
    """All trials of an experiment: ``numbers`` and ``seconds`` are points x trials x names."""

    experiment: Experiment
    numbers: FloatArray
    seconds: FloatArray

    def trials(self, name: str, table: TableName | None = None) -> FloatArray:
        """A number, or a run time, of all trials at the points of a table, or at all points: points x trials."""
        names = (*self.experiment.numbers, *self.experiment.seconds)
        found = np.concatenate([self.numbers, self.seconds], axis=2)[:, :, names.index(name)]
        return found[[table in (None, point.table) for point in self.experiment.points]]

    def curve(self, name: str, table: TableName) -> tuple[FloatArray, FloatArray, FloatArray]:
        """x, mean and standard deviation over the trials (0 for a single one), at the points of a table."""
        values = self.trials(name, table)
        deviation = values.std(axis=1, ddof=1) if values.shape[1] > 1 else np.zeros(len(values))
        return np.array(self.experiment.x(table)), values.mean(axis=1), np.asarray(deviation)

    def at(self, name: str, table: TableName, x: float) -> float:
        """Mean at one point."""
        return float(self.curve(name, table)[1][self.experiment.x(table).index(x)])

    def crossing(self, name: str, table: TableName, level: float = 0.5) -> tuple[float, float] | None:
        """Neighbouring points between which the mean first rises to ``level``; one point twice if it starts there."""
        x, mean, _ = self.curve(name, table)
        above = np.flatnonzero(mean >= level)
        return (float(x[max(above[0] - 1, 0)]), float(x[above[0]])) if len(above) else None

    def certain_from(self, name: str, table: TableName) -> float | None:
        """Smallest x from which on the probability is 1 in every trial."""
        x = self.experiment.x(table)
        unsure = np.flatnonzero((self.trials(name, table) < _CERTAIN).any(axis=1))
        first = int(unsure[-1]) + 1 if len(unsure) else 0
        return x[first] if first < len(x) else None

    def differing(self, one: str, other: str) -> int:
        """Number of trials in which two numbers differ."""
        return int((self.trials(one) != self.trials(other)).sum())

    def growth(self, name: str, table: TableName) -> TimeGrowth:
        """Growth of a run time with what is varied."""
        x, mean, _ = self.curve(name, table)
        exponent = float(np.polyfit(np.log(x), np.log(mean), 1)[0])
        left = mean - np.polyval(np.polyfit(x, mean, 1), x)
        spread = float(((mean - mean.mean()) ** 2).sum())
        return TimeGrowth(exponent, 1 - float((left**2).sum()) / spread if spread else 1.0)


ByName = Mapping[str, Results]
