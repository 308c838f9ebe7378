# SPDX-License-Identifier: BSD-3-Clause
"""What was done to the table before, and what the length of its records is made of."""

from typing import Any

import numpy as np

from isobreach._text import escape
from isobreach.audits import AuditResult
from isobreach.report.audit_cells import Cell, share, table
from isobreach.report.audit_wording import column, length_sentences

_SHOWN = 25  # attributes


def preparation_json(result: AuditResult) -> dict[str, Any]:
    """Steps, shares of the squared length, and verdicts on other preparations."""
    pairs = [(column(result, place), float(value)) for place, value in enumerate(result.length_shares)]
    return {
        "preparation": [dict(step) for step in result.steps],
        "length_shares": [{"attribute": name, "share": value} for name, value in pairs],
        "other_verdicts": dict(result.beside),
    }


def preparation_section(result: AuditResult) -> str:
    """The section of the page: verdicts side by side, steps, and what the length is made of."""
    parts = []
    if result.beside:
        rows: list[list[Cell]] = [[(name, None), (said, None)] for name, said in result.beside.items()]
        parts.append(f"<h2>As it is, and standardised</h2>{table(('the table', 'verdict'), rows)}")
    said = result.prepared or ("Nothing: the table was taken as it is.",)
    parts.append("<h2>What was done to the table</h2>")
    parts.append("<ul>" + "".join(f"<li>{escape(line)}</li>" for line in said) + "</ul>")
    order = np.argsort(-result.length_shares, kind="stable")[:_SHOWN].tolist()
    shares: list[list[Cell]] = [
        [(column(result, place), None), (share(float(result.length_shares[place])), float(result.length_shares[place]))]
        for place in order
    ]
    note = (
        "A breach is measured by the length of a record. Share of each attribute in the squared length, summed over "
        "all records."
    )
    note = " ".join([note, *length_sentences(result)])
    parts.append(f'<h3>What carries the length</h3><p class="soft">{escape(note)}</p>')
    parts.append(table(("attribute", "share of the squared length"), shares, sortable=True))
    return "".join(parts)
