# SPDX-License-Identifier: BSD-3-Clause
"""The paper's experiments, Figures 2 to 6: played, drawn and described, with our attacks beside its own."""

from isobreach.reproduction.claims import claims
from isobreach.reproduction.experiment import Experiment, Outcome, Point, Results
from isobreach.reproduction.figures import reproduction_figures
from isobreach.reproduction.numbers import results_csv
from isobreach.reproduction.page import reproduction_document
from isobreach.reproduction.paper_linking import PaperLinking
from isobreach.reproduction.plan import NAMES, experiment, tables
from isobreach.reproduction.running import finished, run_experiment

__all__ = [
    "NAMES",
    "Experiment",
    "Outcome",
    "PaperLinking",
    "Point",
    "Results",
    "claims",
    "experiment",
    "finished",
    "reproduction_document",
    "reproduction_figures",
    "results_csv",
    "run_experiment",
    "tables",
]
