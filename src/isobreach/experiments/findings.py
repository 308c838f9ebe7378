# SPDX-License-Identifier: BSD-3-Clause
"""What results say about the paper's sentences: where a curve rises, from where on it is certain, how it grows."""

from dataclasses import dataclass

import numpy as np

from isobreach.experiments.experiment import Results
from isobreach.experiments.tables import TableName

_CERTAIN = 1 - 1e-9
_SPOKEN_OF: dict[TableName, float] = {"gaussian": 60.0, "letter": 4.0}


def spoken_of(results: Results, table: TableName) -> float:
    """The number of known records that the paper's sentences speak of, or the first there is."""
    x = [point.x for point in results.experiment.points if point.table == table]
    return _SPOKEN_OF[table] if _SPOKEN_OF[table] in x else x[0]


def crossing(results: Results, name: str, table: TableName, level: float = 0.5) -> tuple[float, float] | None:
    """Between which neighbouring points the mean first rises to ``level``; the first point twice if it starts there."""
    x, mean, _ = results.curve(name, table)
    above = np.flatnonzero(mean >= level)
    if not len(above):
        return None
    first = int(above[0])
    return float(x[max(first - 1, 0)]), float(x[first])


def certain_from(results: Results, name: str, table: TableName) -> float | None:
    """Smallest x from which on the probability is 1 in every trial."""
    x, _, _ = results.curve(name, table)
    here = [place for place, point in enumerate(results.experiment.points) if point.table == table]
    sure = (results.trials(name)[here] >= _CERTAIN).all(axis=1)
    unsure = np.flatnonzero(~sure)
    first = int(unsure[-1]) + 1 if len(unsure) else 0
    return float(x[first]) if first < len(x) else None


def differing(results: Results, one: str, other: str) -> int:
    """Number of trials in which two numbers differ."""
    return int((results.trials(one) != results.trials(other)).sum())


def by_row_alone(results: Results, table: TableName, x: float) -> float:
    """Of the gap between Kaplan's error of a random row and the paper's of the best row, the share that the row makes.

    (e(Kaplan, random) - e(Kaplan, best)) / (e(Kaplan, random) - e(paper, best)).
    """
    random, best, paper = (
        results.at(name, table, x) for name in ("random row kaplan", "best row kaplan", "best row uniform")
    )
    return (random - best) / (random - paper)


@dataclass(frozen=True)
class Growth:
    """How mean run times grow: ``seconds ~ x^exponent``; ``straight`` is the R^2 of a straight line."""

    exponent: float
    straight: float


def growth(results: Results, name: str, table: TableName) -> Growth:
    """Growth of a run time with what is varied."""
    x, mean, _ = results.curve(name, table)
    exponent = float(np.polyfit(np.log(x), np.log(mean), 1)[0])
    left = mean - np.polyval(np.polyfit(x, mean, 1), x)
    spread = float(((mean - mean.mean()) ** 2).sum())
    return Growth(exponent, 1 - float((left**2).sum()) / spread if spread else 1.0)
