# SPDX-License-Identifier: BSD-3-Clause
"""Results as words, JSON, figures and pages: nothing is computed here."""

from isobreach.report.figures import attack_figure
from isobreach.report.page import attack_page
from isobreach.report.wording import (
    LINK_HEAD,
    count,
    link_rows,
    percent,
    probability,
    result_json,
    sentences,
    verdict,
)

__all__ = [
    "LINK_HEAD",
    "attack_figure",
    "attack_page",
    "count",
    "link_rows",
    "percent",
    "probability",
    "result_json",
    "sentences",
    "verdict",
]
