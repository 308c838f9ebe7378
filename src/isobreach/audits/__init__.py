# SPDX-License-Identifier: BSD-3-Clause
"""What an owner runs before publishing: coalitions, trials, what they expose, and what would help."""

from isobreach.audits.attackers import AttackerFigures
from isobreach.audits.baselines import Baselines
from isobreach.audits.bound import Bound
from isobreach.audits.intervals import Sampled, clopper_pearson, mean_interval, wilson
from isobreach.audits.kept import Store
from isobreach.audits.remedies import NoiseFigures, Remedies
from isobreach.audits.result import (
    AttributeFigures,
    AuditResult,
    RandomCoalitions,
    RecordFigures,
    SingleInsider,
    SizeFigures,
    Smallest,
    WorstFound,
)
from isobreach.audits.settings import RANGE_SHARE, Settings
from isobreach.audits.study import GREEDY, audit
from isobreach.audits.verdict import Gate, gate

__all__ = [
    "GREEDY",
    "RANGE_SHARE",
    "AttackerFigures",
    "AttributeFigures",
    "AuditResult",
    "Baselines",
    "Bound",
    "Gate",
    "NoiseFigures",
    "RandomCoalitions",
    "RecordFigures",
    "Remedies",
    "Sampled",
    "Settings",
    "SingleInsider",
    "SizeFigures",
    "Smallest",
    "Store",
    "WorstFound",
    "audit",
    "clopper_pearson",
    "gate",
    "mean_interval",
    "wilson",
]
