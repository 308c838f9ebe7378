# SPDX-License-Identifier: BSD-3-Clause
"""Schemes and attacks side by side: who breaches what, and what each scheme leaves of the table."""

from isobreach.audits.comparing.asked import FULL, QUICK, Asked, Contestant, Extent, Table
from isobreach.audits.comparing.result import CellFigures, ComparisonResult, SchemeFigures
from isobreach.audits.comparing.study import compare
from isobreach.audits.comparing.usefulness import Utility

__all__ = [
    "FULL",
    "QUICK",
    "Asked",
    "CellFigures",
    "ComparisonResult",
    "Contestant",
    "Extent",
    "SchemeFigures",
    "Table",
    "Utility",
    "compare",
]
