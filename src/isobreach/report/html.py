# SPDX-License-Identifier: BSD-3-Clause
"""A document as one self-contained HTML page: templates for its blocks, one style, one small script; or as Markdown.

Nothing is loaded: style, script and charts are in the page, and its content policy forbids everything else. Without a
script it can be read all the same. All text is escaped, and shown by numbers where it cannot be seen.
"""

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape

from isobreach._text import visible
from isobreach.document import Block, Document, Matrix
from isobreach.report.drawing import drawn, scattered
from isobreach.report.terminal import Grid, spoken


def document_page(document: Document) -> str:
    """Return the page as text.

    Parameters
    ----------
    document
        What there is to say.
    """
    made = _environment()
    script = _source("page.js") if any(isinstance(block, Matrix) for block in document.blocks()) else ""
    style = made.get_template("page.css").render(footer=Markup(_css_text(document.title)))
    return made.get_template("page.html").render(
        document=document, style=Markup(style), script=Markup(script), policy=Markup(content_policy(script))
    )


def document_markdown(document: Document) -> str:
    """Return a document of text, tables and pictures as Markdown; pictures are PNG files in the folder ``figures``.

    Parameters
    ----------
    document
        What there is to say.
    """
    return _environment().get_template("page.md").render(document=document)


def document_fragment(document: Document) -> str:
    """Return what a notebook shows of a document: verdict and tables of the terminal, without a style of its own.

    Parameters
    ----------
    document
        What there is to say.
    """
    grids = [one for one in spoken(document) if isinstance(one, Grid)]
    return _environment().get_template("fragment.html").render(document=document, grids=grids)


def content_policy(script: str) -> str:
    """What a browser may load and run for a page: nothing but what is in it, and of scripts only the page's own.

    Parameters
    ----------
    script
        Text of the page's script, empty if it has none. The policy names its hash, so that no other script runs.
    """
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return f"{policy}; script-src 'sha256-{digest}'" if script else policy


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("isobreach.report"),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(drawn=drawn, scattered=scattered, kind=_kind, pieces=_pieces, width=_width)
    made.filters.update(data_url=_data_url, markdown=_markdown, options=_options)
    return made


def _source(name: str) -> str:
    loader = _environment().loader
    assert loader is not None
    return loader.get_source(_environment(), name)[0]


def _shown(value: Any) -> Any:
    """What is written for a value: characters that cannot be seen by their numbers, before it is escaped."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _kind(block: Block) -> str:
    return type(block).__name__


def _pieces(text: str) -> tuple[str, str]:
    """A figure and its interval: a line may end between them, and nowhere else."""
    value, bracket, interval = text.partition(" (")
    return (value, f"({interval}") if bracket else (text, "")


def _options(text: str) -> Markup:
    """Text in which no option of a command is broken at its hyphens.

    >>> str(_options("Add --noise-levels 0.1 <b>"))
    'Add <span class="nw">--noise-levels</span> 0.1 &lt;b&gt;'
    """
    return Markup(re.sub(r"(--[\w-]+)", r'<span class="nw">\1</span>', str(escape(visible(text)))))


def _data_url(svg: bytes) -> str:
    return f"data:image/svg+xml;base64,{b64encode(svg).decode()}"


def _markdown(text: str) -> str:
    r"""Text that Markdown shows as it is, in a paragraph or a cell.

    >>> _markdown("a*b | <c>")
    'a\\*b \\| \\<c>'
    """
    return re.sub(r"([\\*<`|\[])", r"\\\1", visible(text))


def _width(share: float) -> str:
    return f"{100 * min(max(share, 0.0), 1.0):.1f}"


def _css_text(text: str) -> str:
    r"""Text inside quotes of a style sheet, which nothing in it can end.

    >>> _css_text('a"</style>')
    'a\\22 \\3c \\2f style\\3e '
    """
    return "".join(one if one.isascii() and one.isalnum() else f"\\{ord(one):x} " for one in visible(text))
