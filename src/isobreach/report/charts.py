# SPDX-License-Identifier: BSD-3-Clause
"""Small charts as SVG text: lines with bands and points, and bars; colours come from the page, light or dark.

Points carry their values as text, which the page shows on hover and while arrow keys go through them; a chart has a
title for screen readers. What is drawn stands in a window of its own, so that the page can zoom: ``data-frame`` (left,
top, width, height) and ``data-range`` (of x, logarithms where the axis is logarithmic) say where.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import floor, log10

from isobreach._text import escape

_WIDTH, _HEIGHT = 460, 290
_LEFT, _RIGHT, _TOP, _BOTTOM = 72, 14, 12, 44
_APART = 28  # between the numbers on an axis
_ROOM = 7  # around what is drawn, for points on its edge


@dataclass(frozen=True)
class Line:
    """One curve. ``kind``: colour and dash, a name of the page's style. ``tips``: what each point says."""

    label: str
    kind: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    tips: Sequence[str] = ()


@dataclass(frozen=True)
class Chart:
    """Lines over one pair of axes; y from 0 to 1 as a percentage."""

    name: str
    title: str
    x_label: str
    y_label: str
    lines: Sequence[Line]
    logarithmic: bool = False
    ticks: Sequence[float] = field(default_factory=tuple)

    def svg(self) -> str:
        """The chart and its legend."""
        legend = "".join(
            f'<li><svg class="key" viewBox="0 0 28 10" aria-hidden="true">'
            f'<line class="line {line.kind}" x1="1" y1="5" x2="27" y2="5"/></svg>{escape(line.label)}</li>'
            for line in self.lines
        )
        wide, high = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
        low, top = self._scaled_ends()
        window = (_LEFT - _ROOM, _TOP - _ROOM, wide + 2 * _ROOM, high + 2 * _ROOM)
        place = 'x="{}" y="{}" width="{}" height="{}" viewBox="{} {} {} {}"'.format(*window, *window)
        return (
            f'<svg class="chart" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="group" aria-labelledby="{self.name}-title" '
            f'data-frame="{_LEFT} {_TOP} {wide} {high}" data-range="{low!r} {top!r}"'
            f"{' data-logarithmic' if self.logarithmic else ''}>"
            f'<title id="{self.name}-title">{escape(self.title)}</title>{self._axes()}'
            f'<svg class="plot" {place}>{"".join(self._drawn(line) for line in self.lines)}</svg></svg>'
            f'<ul class="legend">{legend}</ul>'
        )

    def _ends(self) -> tuple[float, float]:
        every = [x for line in self.lines for x in line.x] or [0.0, 1.0]
        low, high = min(every), max(every)
        return (low, high) if high > low else (low - 0.5, high + 0.5)

    def _scaled_ends(self) -> tuple[float, float]:
        low, high = self._ends()
        return (log10(max(low, 0.5)), log10(high)) if self.logarithmic else (low, high)

    def _x(self, value: float) -> float:
        low, high = self._scaled_ends()
        value = log10(max(value, 0.5)) if self.logarithmic else value
        return _LEFT + (value - low) / (high - low) * (_WIDTH - _LEFT - _RIGHT)

    def _axes(self) -> str:
        parts = []
        for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
            y = _y(tick)
            parts.append(
                f'<line class="grid" x1="{_LEFT}" y1="{y:.1f}" x2="{_WIDTH - _RIGHT}" y2="{y:.1f}"/>'
                f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{tick:.0%}</text>'
            )
        for tick in self.ticks or self._nice():
            x = self._x(tick)
            parts.append(f'<text x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{tick:,g}</text>')
        ticks = f'<g class="axes">{"".join(parts)}</g>'
        centre, middle = (_LEFT + _WIDTH - _RIGHT) / 2, (_TOP + _HEIGHT - _BOTTOM) / 2
        return (
            f'{ticks}<text x="{centre}" y="{_HEIGHT - 8}" text-anchor="middle">{escape(self.x_label)}</text>'
            f'<text transform="translate(14 {middle}) rotate(-90)" text-anchor="middle">{escape(self.y_label)}</text>'
        )

    def _nice(self) -> list[float]:
        low, high = self._ends()
        if self.logarithmic:
            return [10.0**k for k in range(floor(log10(max(low, 1.0))), floor(log10(high)) + 1)]
        kept: list[float] = []
        for x in sorted({x for line in self.lines for x in line.x}):
            if not kept or self._x(x) - self._x(kept[-1]) >= _APART:
                kept.append(x)
        return kept

    def _drawn(self, line: Line) -> str:
        points = [(self._x(x), _y(y)) for x, y in zip(line.x, line.y, strict=True)]
        drawn = ""
        if len(line.low):
            upper = [(self._x(x), _y(y)) for x, y in zip(line.x, line.high, strict=True)]
            lower = [(self._x(x), _y(y)) for x, y in zip(line.x, line.low, strict=True)]
            drawn += f'<polygon class="band {line.kind}" points="{_points(upper + lower[::-1])}"/>'
        drawn += f'<polyline class="line {line.kind}" points="{_points(points)}"/>'
        for (x, y), tip in zip(points, line.tips, strict=False):
            drawn += (
                f'<circle class="dot {line.kind}" cx="{x:.1f}" cy="{y:.1f}" r="4" role="img" '
                f'aria-label="{escape(tip)}" data-tip="{escape(tip)}"/>'
            )
        return drawn


def _y(value: float) -> float:
    return _TOP + (1 - min(max(value, 0.0), 1.0)) * (_HEIGHT - _TOP - _BOTTOM)


def _points(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
