# SPDX-License-Identifier: BSD-3-Clause
"""An audit as one self-contained HTML page: verdict first, then charts, tables, threat model and how to run it again.

Nothing is loaded: style, script and charts are in the page, and its content policy forbids everything else. Without a
script it can be read all the same. All text is escaped.
"""

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from isobreach._text import escape
from isobreach.audits import AuditResult
from isobreach.report.audit_caveats import caveats, kinds, threat
from isobreach.report.audit_cells import Cell, table
from isobreach.report.audit_charts import audit_charts
from isobreach.report.audit_matrix import matrix_section
from isobreach.report.audit_preparation import preparation_section
from isobreach.report.audit_tables import attributes, readers, records, remedies, sizes, smallest
from isobreach.report.audit_wording import (
    breach_words,
    sentences,
    verdict,
)
from isobreach.report.html import content_policy
from isobreach.report.run_section import run_facts

_SEED = (
    "Never publish a release that was made with the audit's seed: whoever knows the seed can draw the secret matrix "
    "again."
)


def audit_page(result: AuditResult, run: Mapping[str, Any], title: str = "Audit before publishing") -> str:
    """The page as text."""
    said = "".join(f"<li>{escape(line)}</li>" for line in sentences(result))
    script = _resource("audit.js")
    parts = [
        _figures(result),
        sizes(result),
        smallest(result),
        records(result),
        attributes(result),
        remedies(result),
        readers(result),
        preparation_section(result),
        f"<h2>Threat model</h2><p>{escape(threat(result))}</p>",
        "<h2>What the figures do not say</h2>",
        "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in caveats(result)) + "</ul>",
        "<h2>What kind of figures these are</h2>",
        table(("figure", "kind"), [[(name, None), (kind, None)] for name, kind in kinds(result).items()]),
        _again(run),
    ]
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{content_policy(script)}">
<link rel="icon" href="data:,">
<title>{escape(title)}</title>
<style>{_resource("audit.css")}</style>
</head>
<body>
<main>
<h1>{escape(title)}</h1>
<p class="verdict">{escape(verdict(result))}</p>
<p class="soft">{result.rows:,} records x {result.attribute_count} attributes, scheme {escape(result.scheme)}. A
record is breached when it can be {escape(breach_words(result))}. Where
attackers are played, figures are expected shares of other people who are estimated so closely. Higher is worse in every
chart.</p>
{matrix_section(result)}
<h2>What was found</h2>
<ul>{said}</ul>
{"".join(parts)}
</main>
<div id="tip" role="status" hidden></div>
<dialog id="enlarged" aria-label="enlarged chart"><form method="dialog"><button class="zoom">close</button></form>\
<div></div></dialog>
<script>{script}</script>
</body>
</html>
"""


def _resource(name: str) -> str:
    return files("isobreach.report").joinpath(name).read_text(encoding="utf-8")


def _figures(result: AuditResult) -> str:
    drawn = "".join(
        f"<figure><h3>{escape(name)}</h3>{chart.svg()}<figcaption>{escape(caption)}</figcaption></figure>"
        for name, chart, caption in audit_charts(result)
    )
    hint = (
        "Point at a dot for its value. Drag over a part of a chart to zoom in, double-click to see all of it again. "
        "With the keyboard: arrow keys go from dot to dot, + and - zoom, 0 shows all."
    )
    return f'<h2>At a glance</h2><p class="soft live" id="hint">{escape(hint)}</p><div class="charts">{drawn}</div>'


def _again(run: Mapping[str, Any]) -> str:
    """The command to paste, where there is one, and what it rests on."""
    line = ""
    if "command_line" in run:
        where = "In the folder of the table, w" if run["inputs"] else "W"
        said = f"{where}ith the versions below, this gives the same result.json in a new folder named again:"
        # A line ends between words: at a hyphen, half an option would be read as one.
        words = " ".join(f"<span>{escape(word)}</span>" for word in run["command_line"].split(" "))
        line = f"<p>{said}</p><pre><code>{words}</code></pre>"
    rows: list[list[Cell]] = [
        [(name, None), (value, None)] for name, value in ((one.name, one.value) for one in run_facts(run))
    ]
    return f"<h2>How to run it again</h2>{line}<p><strong>{_SEED}</strong></p>{table(('', ''), rows)}"
