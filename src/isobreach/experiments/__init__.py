# SPDX-License-Identifier: BSD-3-Clause
"""The paper's experiments: Figures 2 to 6, with the attacks of this package beside the paper's."""

from isobreach.experiments.experiment import Experiment, Outcome, Point, Results
from isobreach.experiments.findings import Growth, by_row_alone, certain_from, crossing, differing, growth, spoken_of
from isobreach.experiments.paper_linking import TOLERANCE
from isobreach.experiments.plan import GAUSSIAN_ROWS, NAMES, QUICK_GAUSSIAN_ROWS, experiment
from isobreach.experiments.running import finished, run_experiment, tables, trial_draws
from isobreach.experiments.tables import PerturbedTable, TableName, Tables
from isobreach.experiments.trials import EPSILON, KAPLAN_EPSILON, KAPLAN_LINKED, SIZE_KNOWN

__all__ = [
    "EPSILON",
    "GAUSSIAN_ROWS",
    "KAPLAN_EPSILON",
    "KAPLAN_LINKED",
    "NAMES",
    "QUICK_GAUSSIAN_ROWS",
    "SIZE_KNOWN",
    "TOLERANCE",
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
    "spoken_of",
    "tables",
    "trial_draws",
]
