# SPDX-License-Identifier: BSD-3-Clause
"""Schemes and attacks side by side: who breaches what, and what each scheme leaves of the table."""

from isobreach.audits.comparing.asked import FULL, QUICK, ComparisonAsked, ComparisonTable, Contestant, Extent
from isobreach.audits.comparing.result import CellFigures, ComparisonResult, SchemeFigures
from isobreach.audits.comparing.study import compare
from isobreach.audits.comparing.usefulness import Utility

__all__ = [
    "FULL",
    "QUICK",
    "CellFigures",
    "ComparisonAsked",
    "ComparisonResult",
    "ComparisonTable",
    "Contestant",
    "Extent",
    "SchemeFigures",
    "Utility",
    "compare",
]
