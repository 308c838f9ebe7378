# SPDX-License-Identifier: BSD-3-Clause
"""What an owner runs before publishing: coalitions, trials, what they expose, and what would help."""

from isobreach.audits.attackers import AttackerFigures
from isobreach.audits.baselines import HARDLY, Baselines
from isobreach.audits.bound import Bound
from isobreach.audits.coalition_trials import GREEDY
from isobreach.audits.comparing import (
    CellFigures,
    ComparisonAsked,
    ComparisonResult,
    ComparisonTable,
    SchemeFigures,
    Utility,
    compare,
)
from isobreach.audits.criterion import KINDS, SHARE, WORST_RECORD, Criterion
from isobreach.audits.figures import (
    AttributeFigures,
    ExposedPerson,
    Leak,
    RandomCoalitions,
    RecordFigures,
    SingleInsider,
    SizeFigures,
    Smallest,
    WorstFound,
)
from isobreach.audits.intervals import Sampled, clopper_pearson, mean_interval, wilson
from isobreach.audits.kept import Store
from isobreach.audits.matrix import AttackerMatrix, Best, PlayedAttacker
from isobreach.audits.memory import check_memory, fits_into_memory
from isobreach.audits.playing import EFFORT, Cell
from isobreach.audits.remedies import JitterFigures, NoiseFigures, Remedies, Stopped
from isobreach.audits.result import INSIDERS, AuditResult, Reached, ReadShares
from isobreach.audits.settings import RANGE_SHARE, Settings
from isobreach.audits.study import audit, audit_files
from isobreach.audits.verdict import Gate, gate, leaks_beside
from isobreach.audits.views import models, why_not

__all__ = [
    "EFFORT",
    "GREEDY",
    "HARDLY",
    "INSIDERS",
    "KINDS",
    "RANGE_SHARE",
    "SHARE",
    "WORST_RECORD",
    "AttackerFigures",
    "AttackerMatrix",
    "AttributeFigures",
    "AuditResult",
    "Baselines",
    "Best",
    "Bound",
    "Cell",
    "CellFigures",
    "ComparisonAsked",
    "ComparisonResult",
    "ComparisonTable",
    "Criterion",
    "ExposedPerson",
    "Gate",
    "JitterFigures",
    "Leak",
    "NoiseFigures",
    "PlayedAttacker",
    "RandomCoalitions",
    "Reached",
    "ReadShares",
    "RecordFigures",
    "Remedies",
    "Sampled",
    "SchemeFigures",
    "Settings",
    "SingleInsider",
    "SizeFigures",
    "Smallest",
    "Stopped",
    "Store",
    "Utility",
    "WorstFound",
    "audit",
    "audit_files",
    "check_memory",
    "clopper_pearson",
    "compare",
    "fits_into_memory",
    "gate",
    "leaks_beside",
    "mean_interval",
    "models",
    "why_not",
    "wilson",
]
