# SPDX-License-Identifier: BSD-3-Clause
"""Charts as files: matplotlib, without a display, in colours that colour-blind readers tell apart."""

from collections.abc import Callable
from functools import partial
from io import BytesIO
from typing import Any

from isobreach.document import Chart, Panel
from isobreach.errors import MissingExtraError

# Okabe and Ito's palette: distinguishable with any colour vision, and in grey by lightness and dash. One set a panel.
_STYLES = (
    (("#0072B2", "--"), ("#D55E00", "-"), ("#00795C", "-.")),
    (("#000000", "-"), ("#CC79A7", "--"), ("#56B4E9", "-.")),
)


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


def draw(chart: Chart) -> dict[str, bytes]:
    """Return a chart as SVG and PNG: the content of each file, by its name."""
    require_matplotlib("a figure")
    return figure_files(chart.name, partial(_figure, chart), dpi=160)


def _figure(chart: Chart) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5 * len(chart.panels), 4.2), layout="constrained")
    several = figure.subplots(1, len(chart.panels), squeeze=False)[0]
    figure.suptitle(chart.title, fontsize=12)
    for place, (axes, panel) in enumerate(zip(several, chart.panels, strict=True)):
        _draw(axes, panel, _STYLES[place % len(_STYLES)])
    return figure


def _draw(axes: Any, panel: Panel, styles: tuple[tuple[str, str], ...]) -> None:
    for place, line in enumerate(panel.lines):
        colour, dash = styles[place % len(styles)]
        axes.plot(line.x, line.y, dash, color=colour, lw=line.width, label=line.label)
    if panel.mark is not None:
        where, what = panel.mark
        axes.axvline(where, color="0.5", lw=1)
        place_of = {"xytext": (4, 0), "textcoords": "offset points", "color": "0.35", "fontsize": 9}
        axes.annotate(what, (where, 0.02), **place_of)
    if panel.lines:  # below the axes: wherever the curves run, the legend hides none of them
        columns = min(len(panel.lines), 3)
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
