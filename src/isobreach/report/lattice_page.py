# SPDX-License-Identifier: BSD-3-Clause
"""A lattice attack as one self-contained HTML page."""

from collections.abc import Mapping
from typing import Any

from isobreach._text import escape
from isobreach.report.lattice import (
    HEAD,
    LatticeFindings,
    lattice_caveats,
    lattice_sentences,
    lattice_table,
    lattice_threat,
    lattice_verdict,
)
from isobreach.report.page import page, run_rows, table

_MOST = 200  # lines of the table that a page shows


def lattice_page(told: LatticeFindings, run: Mapping[str, Any]) -> str:
    """The page as text."""
    return page(
        "Lattice attack",
        lattice_verdict(told),
        f"<ul>{_items(lattice_sentences(told))}</ul>",
        _attributes(told),
        f"<h2>Threat model</h2><p>{escape(lattice_threat(told))}</p>",
        f"<h2>What a claim assumes</h2><ul>{_items(lattice_caveats(told))}</ul>",
        "<h2>How to run it again</h2>",
        table(("", ""), run_rows(run)),
        '<p class="soft">The same seed gives the same result unless the time budget ends the search.</p>',
    )


def _items(lines: list[str]) -> str:
    return "".join(f"<li>{escape(line)}</li>" for line in lines)


def _attributes(told: LatticeFindings) -> str:
    if not told.found.claimed:
        return ""
    lines = lattice_table(told)
    note = (
        "Step: distance between neighbouring values of the attribute. By: what settled which attribute a column is, "
        "its sign and its offset. The values themselves are private and not shown."
    )
    if len(lines) > _MOST:
        note += f" The first {_MOST} of {len(lines):,}: result.json has them all."
    body = table(HEAD, lines[:_MOST])
    return f'<h2>Attributes</h2><div class="wide" tabindex="0">{body}</div><p class="soft">{escape(note)}</p>'
