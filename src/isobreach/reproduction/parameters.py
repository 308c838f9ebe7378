# SPDX-License-Identifier: BSD-3-Clause
"""The paper's parameters ("Experiments and Discussion"), and those of a quick run."""

from dataclasses import dataclass, replace
from typing import Literal

TableName = Literal["gaussian", "letter"]


@dataclass(frozen=True)
class OfTables:
    """A parameter with a value for each table."""

    gaussian: float
    letter: float

    def __getitem__(self, table: TableName) -> float:
        return self.gaussian if table == "gaussian" else self.letter


@dataclass(frozen=True)
class Parameters:
    """What the paper's text states, and ``tolerance``, which it leaves open."""

    gaussian_rows: int = 100_000
    gaussian_columns: int = 100
    trials: int = 10  # at each point of Figures 2 to 5
    kaplan_trials: int = 100  # at each point of Figure 6
    epsilon: float = 0.15  # Figures 2 and 3
    epsilon_known: int = 4  # known records of Figure 4, where epsilon is varied
    size_known: OfTables = OfTables(50, 10)  # known records of Figure 5, where the number of rows is varied
    kaplan_epsilon: OfTables = OfTables(0.15, 0.1)  # Figure 6, in a footnote
    spoken_of: OfTables = OfTables(60, 4)  # known records that its sentences about Figures 2, 3 and 6 name
    times_as_long: tuple[float, float] = (100, 1000)  # that Kaplan's estimate takes
    tolerance: float = 1e-9  # lengths are equal within it: far above rounding, far below any gap between these records


PAPER = Parameters()
QUICK = replace(PAPER, gaussian_rows=5_000, trials=3, kaplan_trials=12)
