# SPDX-License-Identifier: BSD-3-Clause
"""A document as one self-contained HTML page: verdict first, then what was found, and how to run it again."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from isobreach._text import escape
from isobreach.document import Block, Bullets, Chart, Document, Table, Text

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


def document_page(document: Document, run: Mapping[str, Any], drawings: Mapping[str, str]) -> str:
    """Return the page as text.

    Parameters
    ----------
    document
        What there is to say.
    run
        The record of the run, for repeating it.
    drawings
        SVG of each chart, by its name; a chart without one is left out.
    """
    parts = [_bullets(document.findings)] if document.findings else []
    for section in document.sections:
        parts += [f"<h2>{escape(section.heading)}</h2>"] if section.heading else []
        parts += [_block(block, drawings) for block in section.blocks]
    again = ["<h2>How to run it again</h2>", table(("", ""), run_rows(run))]
    return page(document.title, document.verdict, *parts, *again)


def _block(block: Block, drawings: Mapping[str, str]) -> str:
    match block:
        case Text(text, soft):
            return f'<p class="soft">{escape(text)}</p>' if soft else f"<p>{escape(text)}</p>"
        case Bullets(lines):
            return _bullets(lines)
        case Table():
            return _table(block)
        case Chart(name, _, caption):
            return _figure(name, caption, drawings[name]) if name in drawings else ""


def _bullets(lines: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>"


def _table(block: Table) -> str:
    """A table; a long one is cut and said to be."""
    said = [block.note] if block.note else []
    if len(block.rows) > block.most:
        said.append(f"The first {block.most} of {len(block.rows):,}: {block.rest} has them all.")
    note = f'<p class="soft">{escape(" ".join(said))}</p>' if said else ""
    shown = table(block.head, block.rows[: block.most])
    return f'<div class="wide" tabindex="0">{shown}</div>{note}' if all(block.head) else f"{shown}{note}"


def _figure(name: str, caption: str, drawing: str) -> str:
    drawing = drawing[drawing.index("<svg") :].replace("<svg ", f'<svg role="img" aria-labelledby="{name}-text" ', 1)
    drawing = f'<div class="drawing" tabindex="0">{drawing}</div>'
    return f'<figure>{drawing}<figcaption id="{name}-text">{escape(caption)}</figcaption></figure>'


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
