# SPDX-License-Identifier: BSD-3-Clause
"""Where everything of a chart stands in a drawing; templates write it as SVG, in the page's own colours.

Every panel is drawn twice, for a wide and for a narrow page. Labels stand beside the ends of their lines, moved apart
where they would cover each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, hypot, log10
from textwrap import wrap

from isobreach.document import Chart, Line, Panel, Plane

_MOST_DOTS = 40
LAYERS = ("main", "third", "second", "base")  # from the bottom up: what is dashed lies above what is not
_APART = 34  # between the numbers on an axis
_LINE, _GAP = 14, 5  # height of a line of a label, and room between labels

Point = tuple[float, float]


@dataclass(frozen=True)
class Label:
    """Words beside the end of a line."""

    style: str
    words: tuple[str, ...]
    x: float
    y: float
    from_x: float
    from_y: float


@dataclass(frozen=True)
class Sheet:
    """A size of drawings: ``use``: when it is shown; ``beside``: room for labels; ``letters``: in a line there."""

    use: str
    width: int
    height: int
    left: int
    beside: int
    letters: int
    top: int = 26
    below: int = 46

    @property
    def right(self) -> int:
        """The right end of the axes."""
        return self.width - self.beside

    @property
    def bottom(self) -> int:
        """The lower end of the axes."""
        return self.height - self.below


SHEETS = (Sheet("wide", 760, 340, 46, 176, 21), Sheet("narrow", 358, 320, 40, 108, 13))


@dataclass(frozen=True)
class Drawing:
    """One panel on one sheet, in its units."""

    use: str
    title: str
    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    x_label: str
    y_label: str
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str, bool], ...]
    bands: tuple[tuple[str, str], ...]
    lines: tuple[tuple[str, str], ...]
    dots: tuple[tuple[str, float, float, str], ...]
    labels: tuple[Label, ...]
    mark: tuple[float, str] | None


PLANES = (Sheet("wide", 760, 460, 52, 16, 0, 30, 52), Sheet("narrow", 358, 370, 46, 12, 0, 30, 52))
RADIUS, _ROUNDS = 11, 200  # of numbered points, and in which they are moved apart


@dataclass(frozen=True)
class Dot:
    """A numbered point: where it is drawn, where it belongs, and what it says."""

    number: int
    x: float
    y: float
    from_x: float
    from_y: float
    said: str

    @property
    def moved(self) -> bool:
        """Whether it had to make room for another."""
        return abs(self.x - self.from_x) + abs(self.y - self.from_y) > 1.5


@dataclass(frozen=True)
class Scatter:
    """A plane on one sheet, in its units."""

    use: str
    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    x_ticks: tuple[tuple[float, str, bool], ...]
    y_ticks: tuple[tuple[float, str, bool], ...]
    dots: tuple[Dot, ...]
    radius: int = RADIUS


def scattered(plane: Plane) -> list[Scatter]:
    """A plane for wide and narrow pages: numbers from the top down, moved apart where they would cover each other."""
    return [_scatter(plane, sheet) for sheet in PLANES]


def _scatter(plane: Plane, sheet: Sheet) -> Scatter:
    wide, high = sheet.right - sheet.left, sheet.bottom - sheet.top

    def x_of(value: float) -> float:
        return round(sheet.left + min(max(value, 0.0), 1.0) * wide, 1)

    def y_of(value: float) -> float:
        return round(sheet.top + (1 - min(max(value, 0.0), 1.0)) * high, 1)

    clusters = plane.clusters
    true = [(x_of(spots[0].x), y_of(spots[0].y)) for spots in clusters]
    limits = (sheet.left, sheet.right), (sheet.top, sheet.bottom)
    places = apart(true, 2 * RADIUS + 1, limits)
    said = [f"{', '.join(one.label for one in spots)}: {spots[0].said}" for spots in clusters]
    ticks = [(k / 4, f"{25 * k}%", k == 2) for k in range(5)]
    return Scatter(
        use=sheet.use,
        width=sheet.width,
        height=sheet.height,
        left=sheet.left,
        right=sheet.right,
        top=sheet.top,
        bottom=sheet.bottom,
        x_ticks=tuple((x_of(value), text, half) for value, text, half in ticks),
        y_ticks=tuple((y_of(value), text, half) for value, text, half in ticks),
        dots=tuple(
            Dot(number, *place, *own, words)
            for number, (place, own, words) in enumerate(zip(places, true, said, strict=True), 1)
        ),
    )


def apart(points: Sequence[Point], gap: float, limits: tuple[Point, Point]) -> list[Point]:
    """Points moved as little as it takes until no two are nearer than a gap, within limits of x and y.

    >>> apart([(0.0, 0.0), (1.0, 0.0)], 5.0, ((-9.0, 9.0), (-9.0, 9.0)))
    [(-2.0, 0.0), (3.0, 0.0)]
    """
    places = [list(point) for point in points]
    for _ in range(_ROUNDS):
        quiet = True
        for first in range(len(places)):
            for second in range(first):
                across, along = (places[first][k] - places[second][k] for k in range(2))
                length = hypot(across, along)
                if length >= gap - 0.05:
                    continue
                quiet = False
                if length < 1e-9:
                    across, along, length = 0.0, 1.0, 1.0
                push = (gap - min(length, gap)) / 2
                for place, sign in ((first, 1), (second, -1)):
                    for k, part in enumerate((across, along)):
                        low, high = limits[k]
                        places[place][k] = min(max(places[place][k] + sign * push * part / length, low), high)
        if quiet:
            break
    return [(round(x, 1), round(y, 1)) for x, y in places]


def drawn(chart: Chart) -> list[Drawing]:
    """Every panel of a chart, for wide and narrow pages."""
    return [_Axes(panel, sheet).drawing(panel.title or chart.title) for panel in chart.panels for sheet in SHEETS]


class _Axes:
    """Axes of a panel on a sheet: x as the panel says, y from 0 to 1."""

    def __init__(self, panel: Panel, sheet: Sheet) -> None:
        self.panel, self.sheet = panel, sheet
        every = [float(x) for line in panel.lines for x in line.x] or [0.0, 1.0]
        low, high = min(every), max(every)
        self.low, self.high = (low, high) if high > low else (low - 0.5, high + 0.5)

    def drawing(self, title: str) -> Drawing:
        """Everything in its place."""
        sheet, panel = self.sheet, self.panel
        ordered = sorted(panel.lines, key=lambda line: LAYERS.index(line.style))
        paths = [(line, [self._point(x, y) for x, y in zip(line.x, line.y, strict=True)]) for line in ordered]
        mark = None if panel.mark is None else (self._x(panel.mark[0]), panel.mark[1])
        return Drawing(
            use=sheet.use,
            title=title,
            width=sheet.width,
            height=sheet.height,
            left=sheet.left,
            right=sheet.right,
            top=sheet.top,
            bottom=sheet.bottom,
            x_label=panel.x_label,
            y_label=panel.y_label,
            x_ticks=tuple((self._x(value), text) for value, text in self._ticks()),
            y_ticks=tuple((self._y(k / 4), f"{25 * k}%", k == 2) for k in range(5)),
            bands=tuple((line.style, _text(self._band(line))) for line in ordered if len(line.low)),
            lines=tuple((line.style, _text(path)) for line, path in paths),
            dots=tuple(dot for line, path in paths if line.style != "base" for dot in self._dots(line, path)),
            labels=self._labels(paths),
            mark=mark,
        )

    def _x(self, value: float) -> float:
        low, high = self.low, self.high
        if self.panel.x_scale == "log":
            value, low, high = (log10(max(one, 0.5)) for one in (value, low, high))
        return round(self.sheet.left + (value - low) / (high - low) * (self.sheet.right - self.sheet.left), 1)

    def _y(self, value: float) -> float:
        sheet = self.sheet
        return round(sheet.top + (1 - min(max(value, 0.0), 1.0)) * (sheet.bottom - sheet.top), 1)

    def _point(self, x: float, y: float) -> Point:
        return self._x(float(x)), self._y(float(y))

    def _band(self, line: Line) -> list[Point]:
        upper = [self._point(x, y) for x, y in zip(line.x, line.high, strict=True)]
        return upper + [self._point(x, y) for x, y in zip(line.x, line.low, strict=True)][::-1]

    def _dots(self, line: Line, path: Sequence[Point]) -> list[tuple[str, float, float, str]]:
        if len(path) > _MOST_DOTS:
            return []
        said = [f"{line.label}, {x:,g}: {100 * y:.3g}%" for x, y in zip(line.x, line.y, strict=True)]
        return [(line.style, *point, words) for point, words in zip(path, said, strict=True)]

    def _ticks(self) -> list[tuple[float, str]]:
        if self.panel.x_scale == "log":
            decades = range(ceil(log10(max(self.low, 1.0))), floor(log10(self.high) + 1e-9) + 1)
            return [(10.0**k, f"{10**k:,}") for k in decades]
        unit = "%" if self.panel.x_scale == "percent" else ""
        values = sorted({float(x) for line in self.panel.lines for x in line.x})
        if len(values) > _MOST_DOTS:
            values = _round_numbers(self.low, self.high)
        kept: list[float] = []
        for value in values:
            if not kept or self._x(value) - self._x(kept[-1]) >= _APART:
                kept.append(value)
        return [(value, f"{value:,g}{unit}") for value in kept]

    def _labels(self, paths: Sequence[tuple[Line, list[Point]]]) -> tuple[Label, ...]:
        """Labels from the top down, none above another's end; pushed up again where the lowest leaves the drawing."""
        ends = sorted(((path[-1], line) for line, path in paths if path), key=lambda pair: pair[0][1])
        words = [tuple(wrap(line.label, self.sheet.letters)) for _, line in ends]
        heights = [_LINE * len(one) + _GAP for one in words]
        places: list[float] = []
        for (end, _), height, before in zip(ends, heights, [0, *heights], strict=False):
            wanted = end[1] + 4 - (height - _GAP - _LINE) / 2
            places.append(max(wanted, places[-1] + before if places else self.sheet.top))
        room = float(self.sheet.bottom + _LINE)
        for place in reversed(range(len(places))):
            places[place] = min(places[place], room - heights[place] + _GAP + 4)
            room = places[place] - 4
        return tuple(
            Label(line.style, one, self.sheet.right + 10, round(y, 1), *end)
            for (end, line), one, y in zip(ends, words, places, strict=True)
        )


def _round_numbers(low: float, high: float) -> list[float]:
    """About six round numbers between two."""
    raw = (high - low) / 6
    power = 10.0 ** floor(log10(raw))
    step = next(k * power for k in (1, 2, 2.5, 5, 10) if k * power >= 0.999 * raw)
    return [k * step for k in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]


def _text(points: Sequence[Point]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
