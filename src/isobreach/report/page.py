# SPDX-License-Identifier: BSD-3-Clause
"""A self-contained HTML page of an attack: verdict first, then the figure, the numbers and how to run it again."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from isobreach._phrases import KINDS, MOTIONS, count, percent, probability
from isobreach._text import escape
from isobreach.attacks import AttackSummary
from isobreach.linking import Linkage, dictionary_sentence, link_table
from isobreach.report.wording import sentences, verdict

MOST = 100  # links that a page shows
_MEANING = {
    "chance": "Chance: expected matches that chance alone would make.",
    "posterior": "Posterior: probability of the link, given the release.",
}

_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --soft: #57606a; --line: #d0d7de; --accent: #b42318; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --paper: #0d1117; --soft: #9da7b3; --line: #30363d; --accent: #ff8f7d; } }
body { font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 0 auto;
  padding: 1.5rem 1rem 4rem; max-width: 56rem; }
h1 { font-size: 1.35rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.verdict { font-size: 1.2rem; border-left: .3rem solid var(--accent); padding: .2rem 0 .2rem .9rem; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .35rem .6rem .35rem 0;
  border-bottom: 1px solid var(--line); vertical-align: top; } td { font-variant-numeric: tabular-nums; }
td + td { overflow-wrap: anywhere; } .wide td { overflow-wrap: normal; white-space: nowrap; }
figure { margin: 1.5rem 0; } .drawing { overflow-x: auto; }
.drawing svg { width: 100%; min-width: 38rem; height: auto; background: #fff; border-radius: .4rem; }
.soft, figcaption { color: var(--soft); font-size: .9rem; } .wide { overflow-x: auto; }
@media print { body { max-width: none; } }
"""


def attack_page(
    title: str,
    summary: AttackSummary,
    run: Mapping[str, Any],
    drawing: str | None,
    findings: Sequence[str] = (),
) -> str:
    """The page as text. ``drawing``: SVG. ``findings``: further sentences, such as what only the owner can know."""
    said = "".join(f"<li>{escape(line)}</li>" for line in [*sentences(summary), *findings])
    return page(
        title,
        verdict(summary),
        f"<ul>{said}</ul>",
        _figure(drawing),
        _exposure(summary),
        "<h2>Known records</h2>",
        _links(summary.linkage, range(summary.known_records), "known record", "result.json"),
        _dictionary(summary.linkage.dictionary),
        f"""<h2>Threat model</h2>
<p>{escape(_threat(summary))} Not being breached by this attack is no proof of safety: other attacks, and attackers who
know more, may succeed.</p>""",
        "<h2>How to run it again</h2>",
        table(("", ""), run_rows(run)),
    )


def content_policy(script: str | None = None) -> str:
    """What a browser may load and run for a page: nothing but what is in it, and of scripts only the page's own.

    Parameters
    ----------
    script
        Text of the page's script, None if it has none. The policy names its hash, so that no other script runs.
    """
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"
    if script is None:
        return policy
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return f"{policy}; script-src 'sha256-{digest}'"


def page(title: str, said: str, *parts: str) -> str:
    """A page that needs nothing else: a title and a verdict, which are escaped here, and parts, which are HTML."""
    body = "\n".join(parts)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{content_policy()}">
<title>{escape(title)}</title>
<style>{_STYLE}</style>
</head>
<body>
<main>
<h1>{escape(title)}</h1>
<p class="verdict">{escape(said)}</p>
{body}
</main>
</body>
</html>
"""


def _figure(drawing: str | None) -> str:
    if drawing is None:
        return ""
    drawing = drawing[drawing.index("<svg") :].replace("<svg ", '<svg role="img" aria-labelledby="figure-text" ', 1)
    caption = (
        "Left: breach probability of every other released row, most exposed first. "
        "Right: that of the most exposed row against the error that counts as a breach. Higher is worse."
    )
    drawing = f'<div class="drawing" tabindex="0">{drawing}</div>'
    return f'<figure>{drawing}<figcaption id="figure-text">{caption}</figcaption></figure>'


def _exposure(summary: AttackSummary) -> str:
    if not summary.placed:
        return ""
    return f"""<h2>Breach probability of the other released rows</h2>
<p class="soft">{escape(KINDS[summary.kind].capitalize())}, given the links. Higher is worse. A breach is
an estimate within {escape(percent(summary.epsilon))} of the record's length (its Euclidean norm).</p>
{table(("", "probability"), _numbers(summary))}"""


def _links(linkage: Linkage, which: Sequence[int], noun: str, file: str) -> str:
    """Some of the links as a table; a long list is cut and said to be."""
    head, cells = link_table(linkage, which[:MOST], noun)
    said = [_MEANING[name] for name in head if name in _MEANING]
    if len(which) > MOST:
        said.append(f"The first {MOST} of {len(which):,}: {file} has them all.")
    notes = f'<p class="soft">{escape(" ".join(said))}</p>' if said else ""
    return f'<div class="wide" tabindex="0">{table(head, cells)}</div>{notes}'


def _dictionary(entries: Linkage | None) -> str:
    if entries is None:
        return ""
    linked = entries.linked.tolist()
    table = _links(entries, linked, "dictionary record", "dictionary.parquet") if linked else ""
    return f"<h2>Dictionary</h2><p>{escape(dictionary_sentence(entries))}</p>{table}"


def _threat(summary: AttackSummary) -> str:
    linkage = summary.linkage
    if not summary.placed:
        made = "supposes that it keeps the distances of the records"
    else:
        noise = ", with noise," if linkage.noise else ""
        made = f"{'finds' if linkage.reason else 'knows'} that it is {MOTIONS[linkage.motion]}{noise} of the records"
    more = ""
    if linkage.dictionary is not None:
        more = f", besides {count(len(linkage.dictionary.rows), 'record')} that may be in it or not"
    return f"The attacker holds the release, {made}, and knows some of them but not which rows they are{more}."


def _numbers(summary: AttackSummary) -> list[tuple[str, str]]:
    def say(value: float) -> str:
        return probability(value, summary.kind)

    rows = []
    if summary.best_row is not None and summary.best_probability is not None:
        rows.append(
            (
                f"the most exposed: released row {summary.best_row} (counted from 0)",
                say(summary.best_probability),
            )
        )
    for quantile, value in sorted(summary.quantiles.items(), reverse=True):
        rows.append((f"the {100 * (1 - quantile):.3g}% most exposed rows: this or more", say(value)))
    if summary.mean_probability is not None:
        rows.append(("mean", say(summary.mean_probability)))
    if summary.baseline_probability is not None:
        rows.append(("baseline: an attacker who knows no record", probability(summary.baseline_probability)))
    return rows


def run_rows(run: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What a run was made of, a line each; parameters only where no command line says the same."""
    rows = [("seed", str(run["seed"]))]
    if "command_line" not in run:
        rows.insert(0, ("command", str(run["command"])))
        rows += [(name, str(value)) for name, value in run["parameters"].items() if value is not None]
    rows += [(f"{role}: {entry['name']}", entry["hash"]) for role, entry in run["inputs"].items()]
    rows.append(("versions", ", ".join(f"{name} {value}" for name, value in run["versions"].items())))
    return rows


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of text, which is escaped here."""
    header = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table>{f'<thead><tr>{header}</tr></thead>' if any(head) else ''}<tbody>{body}</tbody></table>"
