# SPDX-License-Identifier: BSD-3-Clause
"""The paper's experiments: Figures 2 to 6, with the attacks of this package beside the paper's."""

from isobreach.experiments.experiment import Experiment, Outcome, Point, Results
from isobreach.experiments.plan import NAMES, experiment
from isobreach.experiments.running import finished, run_experiment, tables, trial_draws
from isobreach.experiments.tables import PerturbedTable, Tables

__all__ = [
    "NAMES",
    "Experiment",
    "Outcome",
    "PerturbedTable",
    "Point",
    "Results",
    "Tables",
    "experiment",
    "finished",
    "run_experiment",
    "tables",
    "trial_draws",
]
