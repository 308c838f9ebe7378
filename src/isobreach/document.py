# SPDX-License-Identifier: BSD-3-Clause
"""What there is to say of a result, as data: sentences, tables and charts, drawn elsewhere.

Whoever computes a result describes it once, as a ``Document``. Terminal, page and JSON are made from the same document,
so that they cannot contradict each other. Text is plain: whoever draws it escapes it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Status = Literal["stop", "condition", "open"]
Columns = Mapping[str, NDArray[Any]]

_SAME = 0.02  # points of a plane that differ by less cannot be told apart in a drawing


@dataclass(frozen=True)
class Text:
    """A paragraph; ``soft`` is a remark beside what matters, ``title`` what it is about."""

    text: str
    soft: bool = False
    title: str = ""


@dataclass(frozen=True)
class Bullets:
    """Sentences that stand for themselves, one a line."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Column:
    """The head of a column; ``kind`` says what its numbers are (exact, sampled, proven), ``number`` that they are."""

    title: str
    kind: str = ""
    number: bool = False


@dataclass(frozen=True)
class Table:
    """Cells of text under a head.

    Attributes
    ----------
    caption
        What the table shows, for those who cannot see what stands around it.
    columns
        One head a column; a plain title will do for text.
    rows
        The cells, as many in a row as there are heads. The first names the row.
    note
        What the columns mean, in a sentence below the table.
    most
        Rows that a page shows; a longer table is cut and said to be.
    rest
        Where the rows that are cut off can be read.
    """

    caption: str
    columns: tuple[Column | str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    most: int = 200
    rest: str = "result.json"

    @property
    def heads(self) -> tuple[Column, ...]:
        """The heads, plain titles too."""
        return tuple(Column(one) if isinstance(one, str) else one for one in self.columns)

    @property
    def notes(self) -> str:
        """What stands below the table: the note, and how many rows are cut off."""
        cut = f"The first {self.most} of {len(self.rows):,}: {self.rest} has them all."
        return " ".join([*([self.note] if self.note else []), *([cut] if len(self.rows) > self.most else [])])


@dataclass(frozen=True)
class Fact:
    """A name, its value, and a remark; ``code`` is a value to be copied as it is."""

    name: str
    value: str
    remark: str = ""
    code: str = ""


@dataclass(frozen=True)
class Facts:
    """Names and their values. ``caption`` says whose they are; ``heading`` ones stand side by side at the top."""

    caption: str
    facts: tuple[Fact, ...]
    heading: bool = False


@dataclass(frozen=True)
class MatrixCell:
    """A cell of a matrix.

    Attributes
    ----------
    text
        The figure.
    said
        The figure with its interval and whose it is, in words.
    level
        How bad it is, from 0 to 4; -1 where there is no figure.
    smallest
        Whether nobody with less knowledge does as much.
    """

    text: str
    said: str
    level: int
    smallest: bool = False


@dataclass(frozen=True)
class MatrixRow:
    """A row of a matrix: its name, a remark, its cells."""

    title: str
    remark: str
    cells: tuple[MatrixCell, ...]


@dataclass(frozen=True)
class Matrix:
    """Figures by rows and columns, with a tip for each.

    Attributes
    ----------
    name
        That of its file.
    title, caption
        What it shows, and what the cells are.
    corner, across
        What the rows and the columns are.
    columns
        The heads, in words.
    rows
        The rows.
    levels
        What each level of a cell means; last what the smallest are or, in a ``dense`` one, cells without a figure.
    note
        How to read it.
    mark
        What a mark in cells means; empty where there is none.
    dense
        Whether columns are many: small cells, and heads that stand upright.
    """

    name: str
    title: str
    caption: str
    corner: str
    across: str
    columns: tuple[str, ...]
    rows: tuple[MatrixRow, ...]
    levels: tuple[str, ...]
    note: str
    mark: str = ""
    dense: bool = False


@dataclass(frozen=True)
class Spot:
    """A point of a plane: its name, its place from 0 to 1, and its figures in words."""

    label: str
    x: float
    y: float
    said: str


@dataclass(frozen=True)
class Plane:
    """Named points by two shares. Points that nearly coincide have one number, under which their names are listed.

    Attributes
    ----------
    name
        That of its file.
    title, caption
        What it shows, and how to read it.
    x_label, y_label
        In words.
    spots
        The points.
    """

    name: str
    title: str
    caption: str
    x_label: str
    y_label: str
    spots: tuple[Spot, ...]

    @property
    def clusters(self) -> tuple[tuple[Spot, ...], ...]:
        """Points that nearly coincide together, from the top down and from left to right."""
        found: list[list[Spot]] = []
        for spot in sorted(self.spots, key=lambda one: (-one.y, one.x, one.label)):
            near = (one for one in found if abs(one[0].x - spot.x) <= _SAME and abs(one[0].y - spot.y) <= _SAME)
            own = next(near, None)
            if own is None:
                found.append([spot])
            else:
                own.append(spot)
        return tuple(map(tuple, found))


@dataclass(frozen=True, eq=False)
class Line:
    """A curve of a chart.

    Attributes
    ----------
    label
        What it is, beside it.
    x, y
        Its points.
    low, high
        Ends of their intervals; empty where there are none.
    style
        ``"main"``, ``"second"``, ``"third"`` or ``"base"``, what the others are compared with.
    """

    label: str
    x: NDArray[Any]
    y: NDArray[np.float64]
    low: NDArray[np.float64] | Sequence[float] = ()
    high: NDArray[np.float64] | Sequence[float] = ()
    style: Literal["main", "second", "third", "base"] = "main"


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
    """A figure of one or more panels side by side.

    Attributes
    ----------
    name
        That of its file.
    title, caption
        What it shows, and how to read it.
    panels
        Axes with curves.
    text
        What can be seen in it, for those who cannot; the caption by default.
    """

    name: str
    title: str
    caption: str
    panels: tuple[Panel, ...]
    text: str = ""


@dataclass(frozen=True)
class Bar:
    """A share that adds to another one: ``base`` without it, ``value`` with it; ``said``: figures in words."""

    label: str
    base: float
    value: float
    said: tuple[str, ...]


@dataclass(frozen=True)
class Bars:
    """A chart of shares beside their numbers.

    Attributes
    ----------
    name
        That of its file.
    title, caption
        What it shows, and how to read it.
    heads
        Of the labels, the bars, and the figures beside them.
    bars
        From the longest to the shortest.
    """

    name: str
    title: str
    caption: str
    heads: tuple[Column, ...]
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class Picture:
    """A figure that is drawn already: ``content`` is SVG, ``name`` that of its file."""

    name: str
    title: str
    caption: str
    content: bytes


@dataclass(frozen=True)
class Decision:
    """What to do, and why: the first thing that is read.

    Attributes
    ----------
    status
        ``"stop"``, ``"condition"`` or ``"open"``.
    headline
        The decision, in a few words.
    why
        The sentence that decides.
    also
        What else speaks for it.
    gate
        The limit that was asked for and what was found, a fact each; empty where there was none.
    actions
        What to do next: a few words and a sentence each.
    meaning
        What the words of the box mean.
    """

    status: Status
    headline: str
    why: str
    also: tuple[str, ...]
    gate: tuple[Fact, ...]
    actions: tuple[tuple[str, str], ...]
    meaning: str

    @property
    def said(self) -> str:
        """The decision and its reason."""
        return f"{self.headline}. {self.why}"


@dataclass(frozen=True)
class SignOff:
    """Boxes to tick and lines to sign."""

    choices: tuple[str, ...]
    signed_by: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Details:
    """Blocks that a reader may open; they are not printed."""

    title: str
    blocks: "tuple[Block, ...]"


Drawn = Chart | Bars | Matrix | Plane
Block = Text | Bullets | Table | Facts | Drawn | Picture | Decision | SignOff | Details


@dataclass(frozen=True, eq=False)
class Section:
    """Blocks under a heading.

    Attributes
    ----------
    heading
        In words; may be empty.
    blocks
        In reading order.
    lead
        What the section says, in a sentence.
    brief
        Whether it is shown in the terminal too.
    page
        Whether it begins a page when it is printed.
    """

    heading: str
    blocks: tuple[Block, ...]
    lead: str = ""
    brief: bool = False
    page: bool = False

    @property
    def folded(self) -> bool:
        """Whether there is nothing to print."""
        return all(isinstance(block, Details) for block in self.blocks)


@dataclass(frozen=True, eq=False)
class Document:
    """A result in words, tables and charts.

    Attributes
    ----------
    title
        What it is about.
    verdict
        The outcome in one sentence, or two.
    findings
        What was found, a sentence each.
    sections
        The rest, in reading order.
    data
        The machine-readable result: what ``--json`` prints and result.json holds. No private value, no time.
    frames
        Further tables to be written beside it, one file each, by name; computed when asked for, some rows at a time.
    kind
        What kind of document it is, in a few words above the title.
    """

    title: str
    verdict: str
    findings: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    frames: Mapping[str, Callable[[], Iterable[Columns]]] = field(default_factory=dict)
    kind: str = ""

    @property
    def charts(self) -> tuple[Drawn, ...]:
        """All charts, in reading order."""
        return tuple(block for block in self.blocks() if isinstance(block, Drawn))

    @property
    def decision(self) -> Decision | None:
        """The decision, where the document has one: it stands in place of verdict and findings."""
        return next((block for block in self.blocks() if isinstance(block, Decision)), None)

    def blocks(self) -> Iterator[Block]:
        """All blocks, folded ones too, in reading order."""
        waiting = [block for section in reversed(self.sections) for block in reversed(section.blocks)]
        while waiting:
            block = waiting.pop()
            yield block
            if isinstance(block, Details):
                waiting += reversed(block.blocks)


def in_one_part(function: Callable[..., Columns], *arguments: Any) -> Callable[[], Iterable[Columns]]:
    """Return a frame of a document that has all its rows in one part: what the function makes of the arguments."""
    return lambda: (function(*arguments),)


def joined(parts: Iterable[Columns]) -> Columns:
    """Return the parts of a frame as one."""
    several = list(parts)
    return {name: np.concatenate([part[name] for part in several]) for name in several[0]}
