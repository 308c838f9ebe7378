# SPDX-License-Identifier: BSD-3-Clause
"""Charts as files: matplotlib, without a display, in colours that colour-blind readers tell apart."""

from collections.abc import Callable
from functools import partial
from io import BytesIO
from typing import Any

from isobreach.document import Bars, Chart, Panel
from isobreach.errors import MissingExtraError

# Okabe and Ito's palette: distinguishable with any colour vision, and in grey by lightness and dash.
_STYLES = {"main": ("#000000", "-"), "second": ("#D55E00", "--"), "third": ("#0072B2", "-."), "base": ("0.45", ":")}
_BAR, _GAIN = "0.7", "#D55E00"


def require_matplotlib(purpose: str) -> None:
    """Refuse what could not be drawn."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(purpose, "matplotlib", "plot") from error


def figure_files(stem: str, draw: Callable[[], Any], *, dpi: int) -> dict[str, bytes]:
    """A figure as SVG and as PNG: names of the files and their contents."""
    import matplotlib

    files = {}
    # No date, no version and fixed element names: the same result gives the same bytes.
    with matplotlib.rc_context({"svg.hashsalt": "isobreach", "svg.fonttype": "path", "font.size": 10}):
        figure = draw()
        for suffix, metadata in (("svg", {"Date": None, "Creator": None}), ("png", {"Software": None})):
            buffer = BytesIO()
            figure.savefig(buffer, format=suffix, dpi=dpi, metadata=metadata)
            files[f"{stem}.{suffix}"] = buffer.getvalue()
    return files


def draw(chart: Chart | Bars) -> dict[str, bytes]:
    """Return a chart as SVG and PNG: the content of each file, by its name."""
    require_matplotlib("a figure")
    return figure_files(chart.name, partial(figure, chart), dpi=160)


def figure(chart: Chart | Bars) -> Any:
    """Return a chart as a figure of matplotlib.

    Parameters
    ----------
    chart
        A chart of a document.
    """
    require_matplotlib("a figure")
    return _bars(chart) if isinstance(chart, Bars) else _panels(chart)


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
        axes.plot(line.x, line.y, dash, color=colour, lw=2.4 if line.style == "main" else 1.8, label=line.label)
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
        axes.xaxis.set_major_formatter("{x:,.0f}")
    elif panel.x_scale == "percent":
        axes.xaxis.set_major_formatter("{x:g}%")
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
