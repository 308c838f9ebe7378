# SPDX-License-Identifier: BSD-3-Clause
"""The paper's experiments: Figures 2 to 6, with the attacks of this package beside the paper's."""

from isobreach.experiments.experiment import Experiment, Outcome, Point, Results
from isobreach.experiments.findings import Growth, by_row_alone, certain_from, crossing, differing, growth
from isobreach.experiments.plan import NAMES, QUICK_GAUSSIAN_ROWS, experiment
from isobreach.experiments.running import finished, run_experiment, tables, trial_draws
from isobreach.experiments.tables import PerturbedTable, TableName, Tables

__all__ = [
    "NAMES",
    "QUICK_GAUSSIAN_ROWS",
    "Experiment",
    "Growth",
    "Outcome",
    "PerturbedTable",
    "Point",
    "Results",
    "TableName",
    "Tables",
    "by_row_alone",
    "certain_from",
    "crossing",
    "differing",
    "experiment",
    "finished",
    "growth",
    "run_experiment",
    "tables",
    "trial_draws",
]
