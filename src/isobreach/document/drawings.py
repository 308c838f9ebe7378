# SPDX-License-Identifier: BSD-3-Clause
"""Blocks of a document that are seen: matrices, planes, charts of curves and of bars, as data."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from isobreach.document.texts import Column

_SAME = 0.02  # points of a plane that differ by less cannot be told apart in a drawing


@dataclass(frozen=True, eq=False)
class Titled:
    """What is drawn: ``name`` is that of its file, ``title`` says what it shows, ``caption`` how to read it."""

    name: str
    title: str
    caption: str


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
class Matrix(Titled):
    """Figures by rows and columns, with a tip for each.

    Attributes
    ----------
    corner, across
        What the rows and the columns are.
    columns
        The heads, in words.
    rows
        The rows.
    levels
        What each level of a cell means; last what the smallest are or, in a ``dense`` one, cells without a figure.
    note, tips
        How to read it, and what the tips of its cells hold, on a screen.
    mark
        What a mark in cells means; empty where there is none.
    dense
        Whether columns are many: small cells, and heads that stand upright.
    """

    corner: str
    across: str
    columns: tuple[str, ...]
    rows: tuple[MatrixRow, ...]
    levels: tuple[str, ...]
    note: str
    tips: str
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
class Plane(Titled):
    """Named points by two shares. Points that nearly coincide have one number, under which their names are listed.

    Attributes
    ----------
    x_label, y_label
        In words.
    spots
        The points.
    """

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
class Chart(Titled):
    """A figure of one or more panels side by side.

    Attributes
    ----------
    panels
        Axes with curves.
    text
        What can be seen in it, for those who cannot; the caption by default.
    """

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
class Bars(Titled):
    """A chart of shares beside their numbers.

    Attributes
    ----------
    heads
        Of the labels, the bars, and the figures beside them.
    bars
        From the longest to the shortest.
    """

    heads: tuple[Column, ...]
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class Picture(Titled):
    """A figure that is drawn already: ``content`` is SVG."""

    content: bytes


Drawn = Chart | Bars | Matrix | Plane
