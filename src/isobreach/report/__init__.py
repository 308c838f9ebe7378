# SPDX-License-Identifier: BSD-3-Clause
"""Results as words, JSON, figures and pages: nothing is computed here."""

from isobreach.report.audit_json import audit_json
from isobreach.report.audit_page import audit_page
from isobreach.report.audit_wording import gate_sentence
from isobreach.report.audit_wording import sentences as audit_sentences
from isobreach.report.audit_wording import verdict as audit_verdict
from isobreach.report.figures import draw, figure, figure_files, require_matplotlib
from isobreach.report.html import document_fragment, document_page
from isobreach.report.run_section import with_run
from isobreach.report.terminal import Grid, spoken

__all__ = [
    "Grid",
    "audit_json",
    "audit_page",
    "audit_sentences",
    "audit_verdict",
    "document_fragment",
    "document_page",
    "draw",
    "figure",
    "figure_files",
    "gate_sentence",
    "require_matplotlib",
    "spoken",
    "with_run",
]
