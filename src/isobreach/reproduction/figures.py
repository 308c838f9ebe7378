# SPDX-License-Identifier: BSD-3-Clause
"""The paper's figures drawn again, with our curves beside the paper's; run times in figures of their own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from isobreach._phrases import percent
from isobreach.report import figure_files
from isobreach.reproduction.experiment import Results
from isobreach.reproduction.parameters import PAPER, TableName

TITLES = {"gaussian": "Gaussian", "letter": "Letter Recognition"}
X_LABELS = {"known": "known records", "epsilon": "relative error ε that counts as a breach", "rows": "released rows"}


@dataclass(frozen=True)
class Curve:
    """How a series is drawn: told apart by colour (Okabe and Ito's palette), by marker, and by dash in grey print."""

    series: str
    label: str
    colour: str
    marker: str
    dash: str


CARET_UP, CARET_DOWN = 10, 11  # matplotlib's markers: triangles that stand on the point, or hang from it

OPTIMAL = ("#0072B2", "o", "-")
UNIFORM = ("#D55E00", "s", "--")
PUBLISHED = ("#000000", "x", ":")

LINKED = (
    Curve("linked backbone", "ours: backbone", *OPTIMAL),
    Curve("linked uniquely-valid", "the paper's rule: uniquely valid", *UNIFORM),
    Curve("linked paper's algorithms", "the paper's Algorithms 1 to 3", *PUBLISHED),
)
PROBABILITY = (
    Curve("optimal backbone", "ours: optimal estimate", *OPTIMAL),
    Curve("uniform uniquely-valid", "the paper's estimate, formula corrected", *UNIFORM),
    Curve("published uniquely-valid", "the paper, formula as printed", *PUBLISHED),
)
SECONDS = (
    Curve("paper's algorithms", "the paper's Algorithms 1 to 3, norms in every scan", *PUBLISHED),
    Curve("paper's algorithms with norms once", "the paper's Algorithms 1 to 3, norms once", "#CC79A7", "D", "-."),
    Curve("link uniquely-valid", "ours, the paper's rule", *UNIFORM),
    Curve("link backbone", "ours: backbone", *OPTIMAL),
)
KAPLAN = (
    Curve("kaplan", "Kaplan's estimate", "#009E73", "^", "-."),
    Curve("uniform", "the paper's estimate", *UNIFORM),
    Curve("optimal", "ours: optimal estimate (likeliest breach)", *OPTIMAL),
    Curve("centre", "ours: centre (least squared error)", "#CC79A7", "D", ":"),
)
KAPLAN_SECONDS = (
    Curve("kaplan in array statements", "Kaplan, array statements", "#CC79A7", "v", "-."),
    Curve("kaplan", "Kaplan, compiled", "#009E73", "^", "-."),
    Curve("fit", "the paper's attack: choosing a motion", *UNIFORM),
    Curve("estimate", "the paper's attack: each estimate after that", *PUBLISHED),
)


def reproduction_figures(results: Results) -> dict[str, bytes]:
    """The figures of an experiment, each as SVG and PNG: file names and contents."""
    name = results.experiment.name
    drawn: dict[str, bytes] = {}
    for kind, draw in _DRAWINGS[name].items():
        drawn |= figure_files(f"{name}{kind}", partial(draw, results), dpi=130)
    return drawn


def _figure(results: Results, title: str, rows: int, columns: int, height: float) -> tuple[Any, Any]:
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    layout = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.06)
    figure = Figure(figsize=(5.0 * columns, height * rows + 0.4), layout=layout)
    trials = results.experiment.trials
    over = f"means and standard deviations of {trials} trials" if trials > 1 else "one trial"
    figure.suptitle(f"Figure {results.experiment.figure}. {title} ({over})", fontsize=11)
    return figure, figure.subplots(rows, columns, squeeze=False)


def _draw(
    axes: Any,
    results: Results,
    table: TableName,
    curves: Sequence[Curve],
    *,
    label: str,
    title: str = "",
    shares: bool = False,
    prefix: str = "",
    drawn: str = "",
    logarithmic: bool = False,
) -> None:
    """Curves with error bars of one standard deviation, moved apart sideways so that no bar hides another.

    Bars end at 0, and at 1 for ``shares``: beyond them there is nothing. On a logarithmic axis, which has no 0, none
    goes below the least trial. ``prefix``: of the series' names. ``drawn``: the series that the paper draws, which is
    marked.
    """
    if logarithmic:
        axes.set_yscale("log")
    varied = results.experiment.varied
    for place, curve in enumerate(curves):
        x, mean, deviation = results.curve(prefix + curve.series, table)
        most = np.inf if not shares else 1 - mean
        floor = results.trials(prefix + curve.series, table).min(axis=1) if logarithmic else 0
        width = float(x[-1] - x[0]) or 1.0
        moved = x + (place - (len(curves) - 1) / 2) * 0.008 * width
        axes.errorbar(
            moved,
            mean,
            yerr=[np.clip(mean - floor, 0, deviation), np.minimum(deviation, most)],
            color=curve.colour,
            marker=curve.marker,
            linestyle=curve.dash,
            markerfacecolor="none" if curve.marker != "x" else curve.colour,
            markersize=5.5,
            lw=1.4,
            elinewidth=0.9,
            capsize=2.5,
            label=curve.label + (" (drawn in the paper)" if curve.series == drawn else ""),
        )
    axes.set_xlabel(X_LABELS[varied])
    axes.set_ylabel(label + (" (logarithmic)" if logarithmic else ""))
    axes.set_title(title, fontsize=10)
    if shares:
        axes.set_ylim(-0.06, 1.08)
    if varied == "epsilon":
        from matplotlib.ticker import MultipleLocator

        axes.xaxis.set_major_locator(MultipleLocator(0.02))
        axes.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.3g}%")
    elif varied == "rows":
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.locator_params(axis="x", nbins=6)
    else:
        axes.xaxis.get_major_locator().set_params(integer=True)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)


def _stated(axes: Any, x: float, y: float, said: str, bound: str = "") -> None:
    """A number that the paper states in words: a star, or for a bound a bar with an arrow to its allowed side."""
    style = {"color": "#AA9000", "markeredgecolor": "black", "label": said, "zorder": 5}
    if not bound:
        axes.plot([x], [y], marker="*", markersize=12, lw=0, **style)
        return
    marker = {"below": CARET_DOWN, "above": CARET_UP}[bound]
    axes.plot([x], [y], marker="_", markersize=18, markeredgewidth=2.5, lw=0, color="black", zorder=5)
    axes.plot([x], [y], marker=marker, markersize=10, lw=0, **style)


def _legend(axes: Any) -> None:
    # Below the axes: wherever the curves run, the legend hides none of them.
    axes.legend(fontsize=8.5, loc="upper center", bbox_to_anchor=(0.5, -0.16), frameon=False)


def _known(results: Results) -> Any:
    (table,) = results.experiment.tables
    figure, axes = _figure(results, f"{TITLES[table]}, ε = {percent(PAPER.epsilon)}", 1, 2, 4.1)
    left, right = axes[0]
    _draw(left, results, table, LINKED, label="share of known records linked", shares=True)
    _draw(right, results, table, PROBABILITY, label=_PROBABILITY_LABEL, shares=True)
    if table == "gaussian":
        right.axvline(60, color="0.45", lw=1, label="the paper: sharp transition around 60", zorder=0)
    else:
        _stated(right, 4, 1, "the paper: 1 with 4 known")
    for one in (left, right):
        _legend(one)
    return figure


def _epsilon(results: Results) -> Any:
    figure, axes = _figure(results, "Letter Recognition, 4 known records", 1, 1, 4.4)
    figure.set_figwidth(7.8)
    _draw(axes[0, 0], results, "letter", PROBABILITY, label=_PROBABILITY_LABEL, shares=True)
    _stated(axes[0, 0], 0.07, 0.8, "the paper: above 0.8 at 7%", "above")
    _legend(axes[0, 0])
    return figure


def _seconds(results: Results, what: str, curves: Sequence[Curve], height: float) -> Any:
    """Run times, a table beside the other."""
    tables, varied = results.experiment.tables, results.experiment.varied
    figure, axes = _figure(results, what, 1, len(tables), height)
    if len(tables) == 1:
        figure.set_figwidth(7.8)
    for one, table in zip(axes[0], tables, strict=True):
        title = TITLES[table] + (f", {PAPER.size_known[table]} known" if varied == "rows" else "")
        _draw(one, results, table, curves, label="processor time in seconds", title=title, logarithmic=True)
        if curves is SECONDS and varied == "known":
            _stated(one, *_STATED_SECONDS[table], "below")
        _legend(one)
    return figure


def _kaplan(results: Results) -> Any:
    tables = results.experiment.tables
    figure, axes = _figure(results, "Kaplan compared: error of one estimate", len(tables), 2, 3.5)
    for line, table in zip(axes, tables, strict=True):
        for one, row, drawn in zip(line, ("random", "best"), ("kaplan", "uniform"), strict=True):
            title = f"{TITLES[table]}: {'a random row' if row == 'random' else 'the most exposed row'}"
            label = "relative error of the estimate"
            _draw(one, results, table, KAPLAN, label=label, title=title, prefix=f"{row} row ", drawn=drawn)
        top = max(one.get_ylim()[1] for one in line)
        for one in line:
            one.set_ylim(-0.02 * top, top)
    for one in axes[-1]:
        _legend(one)
    return figure


_linking_seconds = partial(_seconds, what="Linking time", curves=SECONDS, height=4.1)
_kaplan_seconds = partial(_seconds, what="Kaplan compared: time of one estimate", curves=KAPLAN_SECONDS, height=4.3)
_PROBABILITY_LABEL = "breach probability, most exposed row"
_STATED_SECONDS = {
    "gaussian": (100, 450, "the paper, on a laptop: less than 450 s with 100 known"),
    "letter": (16, 45, "the paper, on a laptop: less than 45 s with 16 known"),
}

# What is drawn of each experiment, by the ending of the file's name.
_DRAWINGS: dict[str, dict[str, Callable[[Results], Any]]] = {
    "gaussian-known": {"": _known, "_times": _linking_seconds},
    "letter-known": {"": _known, "_times": _linking_seconds},
    "letter-epsilon": {"": _epsilon},
    "size": {"_times": _linking_seconds},
    "kaplan": {"": _kaplan, "_times": _kaplan_seconds},
}
