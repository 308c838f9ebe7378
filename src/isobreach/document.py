# SPDX-License-Identifier: BSD-3-Clause
"""What there is to say of a result, as data: sentences, tables and charts, drawn elsewhere.

Whoever computes a result describes it once, as a ``Document``. Terminal, page and JSON are made from the same document,
so that they cannot contradict each other. Text is plain: whoever draws it escapes it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Columns = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Text:
    """A paragraph; ``soft`` is a remark beside what matters."""

    text: str
    soft: bool = False


@dataclass(frozen=True)
class Bullets:
    """Sentences that stand for themselves, one a line."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """Cells of text under a head.

    Attributes
    ----------
    head
        One title a column; all empty for a table without a head.
    rows
        The cells, as many in a row as there are titles.
    note
        What the columns mean, in a sentence below the table.
    most
        Rows that a page shows; a longer table is cut and said to be.
    rest
        Where the rows that are cut off can be read.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    most: int = 200
    rest: str = "result.json"


@dataclass(frozen=True, eq=False)
class Line:
    """A curve of a chart: its label, its points, and how wide it is drawn."""

    label: str
    x: NDArray[Any]
    y: NDArray[np.float64]
    width: float = 2.0


@dataclass(frozen=True, eq=False)
class Panel:
    """A pair of axes with its curves.

    Attributes
    ----------
    title, x_label, y_label
        In words.
    lines
        The curves.
    x_scale
        ``"log"`` for counts over several magnitudes, ``"percent"`` for shares, ``"linear"`` otherwise.
    mark
        A place on the x axis worth a line of its own, and what it is.
    """

    title: str
    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    x_scale: str = "linear"
    mark: tuple[float, str] | None = None


@dataclass(frozen=True, eq=False)
class Chart:
    """A figure of one or more panels side by side; ``name`` is that of its file, ``caption`` says how to read it."""

    name: str
    title: str
    caption: str
    panels: tuple[Panel, ...]


Block = Text | Bullets | Table | Chart


@dataclass(frozen=True, eq=False)
class Section:
    """Blocks under a heading, which may be empty; ``brief`` ones are shown in the terminal too."""

    heading: str
    blocks: tuple[Block, ...]
    brief: bool = False


@dataclass(frozen=True, eq=False)
class Document:
    """A result in words, tables and charts.

    Attributes
    ----------
    title
        What it is about.
    verdict
        The outcome in one sentence.
    findings
        What was found, a sentence each.
    sections
        The rest, in reading order.
    data
        The machine-readable result: what ``--json`` prints and result.json holds. No private value, no time.
    frames
        Further tables to be written beside it, one file each, by name; computed when asked for.
    """

    title: str
    verdict: str
    findings: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    frames: Mapping[str, Callable[[], Columns]] = field(default_factory=dict)

    @property
    def charts(self) -> tuple[Chart, ...]:
        """All charts, in reading order."""
        return tuple(block for section in self.sections for block in section.blocks if isinstance(block, Chart))
