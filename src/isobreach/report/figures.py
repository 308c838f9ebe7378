# SPDX-License-Identifier: BSD-3-Clause
"""Charts as files: matplotlib, without a display, in colours that colour-blind readers tell apart."""

from collections.abc import Callable
from functools import partial
from io import BytesIO
from textwrap import fill
from typing import Any

from isobreach.document import Bars, Chart, Drawn, Matrix, Panel, Plane
from isobreach.errors import MissingExtraError
from isobreach.report.drawing import LAYERS, apart

# Okabe and Ito's palette: distinguishable with any colour vision, and in grey by lightness and dash.
_STYLES = {"main": ("#000000", "-"), "second": ("#D55E00", "--"), "third": ("#0072B2", "-."), "base": ("0.45", ":")}
_BAR, _GAIN = "0.7", "#D55E00"
# Levels of a heat map, from none to all, and letters that can be read on them: the page's own.
_HEAT = ("#f1f0ed", "#f8dfcd", "#efb491", "#c14a2c", "#7c1410")
_LEGEND = 6.5  # inches that a legend takes beside nothing else: a matrix of two columns is narrower
_LETTERS = ("#16191d", "#16191d", "#16191d", "#ffffff", "#ffffff")
_SPOT = "#0072B2"
_SVG_DPI = 72  # points: what matplotlib measures an SVG in


def require_matplotlib(purpose: str) -> None:
    """Refuse what could not be drawn."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(purpose, "matplotlib", "plot") from error


def figure_files(stem: str, draw: Callable[[], Any], *, dpi: int) -> dict[str, bytes]:
    """A figure as SVG and as PNG: names of the files and their contents."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    svg, png = BytesIO(), BytesIO()
    # No date, no version and fixed element names: the same result gives the same bytes.
    with matplotlib.rc_context({"svg.hashsalt": "isobreach", "svg.fonttype": "path", "font.size": 10}):
        figure = draw()
        canvas: Any = FigureCanvasSVG(figure)
        # Everything finds its place once, and is then drawn once for each file: ``savefig`` does both twice.
        figure.dpi = _SVG_DPI
        figure.get_layout_engine().execute(figure)
        figure.set_layout_engine("none")
        canvas.print_svg(svg, metadata={"Date": None, "Creator": None})
        figure.dpi = dpi
        canvas = FigureCanvasAgg(figure)
        canvas.print_png(png, metadata={"Software": None})
    return {f"{stem}.svg": svg.getvalue(), f"{stem}.png": png.getvalue()}


def draw(chart: Drawn) -> dict[str, bytes]:
    """Return a chart as SVG and PNG: the content of each file, by its name."""
    require_matplotlib("a figure")
    return figure_files(chart.name, partial(figure, chart), dpi=160)


def figure(chart: Drawn) -> Any:
    """Return a chart as a figure of matplotlib.

    Parameters
    ----------
    chart
        A chart of a document.
    """
    require_matplotlib("a figure")
    match chart:
        case Bars():
            return _bars(chart)
        case Matrix():
            return _matrix(chart)
        case Plane():
            return _plane(chart)
    return _panels(chart)


def _panels(chart: Chart) -> Any:
    from matplotlib.figure import Figure

    made = Figure(figsize=(max(5 * len(chart.panels), 7), 4.2), layout="constrained")
    several = made.subplots(1, len(chart.panels), squeeze=False)[0]
    made.suptitle(chart.title, fontsize=12)
    for axes, panel in zip(several, chart.panels, strict=True):
        _draw(axes, panel)
    return made


def _draw(axes: Any, panel: Panel) -> None:
    for line in panel.lines:
        colour, dash = _STYLES[line.style]
        width, above = 2.4 if line.style == "main" else 1.8, 2 + LAYERS.index(line.style) / 10
        axes.plot(line.x, line.y, dash, color=colour, lw=width, label=line.label, zorder=above)
        if len(line.low):
            axes.fill_between(line.x, line.low, line.high, color=colour, alpha=0.15, lw=0)
    if panel.mark is not None:
        where, what = panel.mark
        axes.axvline(where, color="0.5", lw=1)
        place_of = {"xytext": (4, 0), "textcoords": "offset points", "color": "0.35", "fontsize": 9}
        axes.annotate(what, (where, 0.02), **place_of)
    if panel.lines:  # below the axes: wherever the curves run, the legend hides none of them
        columns = min(len(panel.lines), 3 if max(len(line.label) for line in panel.lines) < 30 else 2)
        axes.legend(fontsize=9, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=columns, frameon=False)
    if panel.x_scale == "log":
        axes.set_xscale("log")
        axes.minorticks_off()  # half of the time that drawing takes; decades have their numbers
        axes.xaxis.set_major_formatter("{x:,.0f}")
    elif panel.x_scale == "percent":
        axes.xaxis.set_major_formatter("{x:g}%")
    elif all(float(x).is_integer() for line in panel.lines for x in line.x):
        axes.xaxis.get_major_locator().set_params(integer=True)  # no half insiders
    axes.set_xlabel(panel.x_label)
    axes.set_ylabel(panel.y_label)
    axes.set_title(panel.title, fontsize=10)
    axes.set_ylim(-0.02, 1.04)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)


def _bars(chart: Bars) -> Any:
    from matplotlib.figure import Figure

    made = Figure(figsize=(7, 1.2 + 0.28 * len(chart.bars)), layout="constrained")
    axes = made.subplots()
    places = range(len(chart.bars))
    bases, gains = [bar.base for bar in chart.bars], [bar.value - bar.base for bar in chart.bars]
    axes.barh(places, bases, color=_BAR, label=chart.heads[2].title)
    axes.barh(places, gains, left=bases, color=_GAIN, label=chart.heads[3].title)
    axes.set_yticks(places, [bar.label for bar in chart.bars])
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xlabel(chart.heads[1].title)
    axes.set_title(chart.title, fontsize=10)
    if any(bases):  # otherwise the bars are of one kind
        axes.legend(fontsize=9, loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    return made


def _matrix(chart: Matrix) -> Any:
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    wide, high = len(chart.columns), len(chart.rows)
    cell_size = (0.42, 0.3) if chart.dense else (0.9, 0.5)
    across = max(2.6 + cell_size[0] * wide, _LEGEND)
    made = Figure(figsize=(across, 2.6 + cell_size[1] * high), layout="constrained")
    axes = made.subplots()
    levels = [[cell.level if cell.level >= 0 else float("nan") for cell in row.cells] for row in chart.rows]
    axes.imshow(levels, cmap=ListedColormap(_HEAT), vmin=-0.5, vmax=4.5, aspect="auto")
    for y, row in enumerate(chart.rows):
        for x, cell in enumerate(row.cells):
            colour = "0.45" if cell.level < 0 else _LETTERS[cell.level]
            axes.text(x, y, cell.text, ha="center", va="center", fontsize=7.5, color=colour)
    axes.set_xticks(range(wide), chart.columns, rotation=90 if chart.dense else 0)
    axes.set_xlabel(chart.across)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    axes.set_yticks(range(high), [row.title for row in chart.rows])
    axes.set_xticks([x - 0.5 for x in range(1, wide)], minor=True)
    axes.set_yticks([y - 0.5 for y in range(1, high)], minor=True)
    axes.grid(which="minor", color="white", lw=1.5)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)
    keys: list[Any] = [
        Patch(facecolor=colour, edgecolor="0.6", label=text) for colour, text in zip(_HEAT, chart.levels, strict=False)
    ]
    if chart.dense:  # a cell without a figure has a point
        keys.append(Line2D([], [], marker=".", ls="", color="0.45", label=chart.levels[-1]))
    axes.legend(
        handles=keys,
        title=chart.caption,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.01),
        ncols=6 if chart.dense and across > 1.4 * _LEGEND else 3,
        frameon=False,
        fontsize=8,
    )
    made.suptitle(chart.title, fontsize=12)
    return made


def _plane(chart: Plane) -> Any:
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    made = Figure(figsize=(10, 5.4), layout="constrained")
    axes, side = made.subplots(1, 2, width_ratios=(3, 2))
    clusters = chart.clusters
    unit = 420.0  # of the axes, in points, about
    true = [(unit * spots[0].x, unit * spots[0].y) for spots in clusters]
    places = apart(true, 19.0, ((0.0, unit), (0.0, unit)))
    for number, (spots, (x, y)) in enumerate(zip(clusters, places, strict=True), 1):
        axes.plot([spots[0].x, x / unit], [spots[0].y, y / unit], color="0.6", lw=1, zorder=1)
        axes.plot(x / unit, y / unit, "o", ms=16, color=_SPOT, mec="white", zorder=2)
        axes.text(x / unit, y / unit, str(number), ha="center", va="center", color="white", fontsize=8, weight="bold")
    axes.set(xlabel=chart.x_label, ylabel=chart.y_label, xlim=(-0.05, 1.05), ylim=(-0.05, 1.05), title=chart.title)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(PercentFormatter(1.0))
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    lines = [
        fill(
            f"{number}  {', '.join(one.label for one in spots)}", 46, subsequent_indent="     ", break_on_hyphens=False
        )
        for number, spots in enumerate(clusters, 1)
    ]
    side.axis("off")
    side.text(0, 1, "\n".join(lines), va="top", fontsize=8.5, linespacing=1.45)
    return made
