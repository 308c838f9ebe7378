# SPDX-License-Identifier: BSD-3-Clause
"""Results as words, JSON, figures and pages: nothing is computed here."""

from typing import TYPE_CHECKING

from isobreach._lazy import loading

if TYPE_CHECKING:
    from isobreach.report.audit_document import audit_document, audit_findings, audit_verdict
    from isobreach.report.audit_frames import attackers_columns, attribute_columns, record_columns
    from isobreach.report.audit_gate import gate_sentence
    from isobreach.report.audit_json import audit_schema
    from isobreach.report.comparison_document import comparison_document
    from isobreach.report.comparison_json import cell_columns, comparison_schema, scheme_columns, time_columns
    from isobreach.report.figures import draw, figure, figure_files, require_matplotlib
    from isobreach.report.html import document_fragment, document_markdown, document_page
    from isobreach.report.run_section import with_run
    from isobreach.report.terminal import Grid, document_text, spoken

__all__ = [
    "Grid",
    "attackers_columns",
    "attribute_columns",
    "audit_document",
    "audit_findings",
    "audit_schema",
    "audit_verdict",
    "cell_columns",
    "comparison_document",
    "comparison_schema",
    "document_fragment",
    "document_markdown",
    "document_page",
    "document_text",
    "draw",
    "figure",
    "figure_files",
    "gate_sentence",
    "record_columns",
    "require_matplotlib",
    "scheme_columns",
    "spoken",
    "time_columns",
    "with_run",
]

__getattr__ = loading(
    __name__,
    {
        "audit_gate": ("gate_sentence",),
        "audit_document": ("audit_document", "audit_findings", "audit_verdict"),
        "audit_frames": ("attackers_columns", "attribute_columns", "record_columns"),
        "audit_json": ("audit_schema",),
        "comparison_document": ("comparison_document",),
        "comparison_json": ("cell_columns", "comparison_schema", "scheme_columns", "time_columns"),
        "figures": ("draw", "figure", "figure_files", "require_matplotlib"),
        "html": ("document_fragment", "document_markdown", "document_page"),
        "run_section": ("with_run",),
        "terminal": ("Grid", "document_text", "spoken"),
    },
)
