# SPDX-License-Identifier: BSD-3-Clause
"""Figures of results: matplotlib, without a display, in colours that colour-blind readers tell apart."""

from collections.abc import Callable
from functools import partial
from io import BytesIO
from typing import Any

from isobreach.attacks import AttackSummary
from isobreach.errors import MissingExtraError

# Okabe and Ito's palette: distinguishable with any colour vision, and in grey by lightness and dash.
_COLOURS = ("#0072B2", "#D55E00", "#00795C")
_DASHES = ("--", "-", "-.")


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


def attack_figure(summary: AttackSummary) -> dict[str, bytes]:
    """An attack as ``exposure.svg`` and ``exposure.png``: the content of each file."""
    require_matplotlib("a figure")
    return figure_files("exposure", partial(_attack_figure, summary), dpi=160)


def _attack_figure(summary: AttackSummary) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    entries = summary.linkage.dictionary
    more = "" if entries is None else f" and {len(entries.linked):,} of a dictionary"
    figure.suptitle(
        f"{summary.links['linked']} of {summary.known_records} known records{more} linked: "
        f"{summary.hidden_dimension} of {summary.known_columns} dimensions stay hidden",
        fontsize=12,
    )
    _draw_ranks(left, summary)
    _draw_epsilons(right, summary)
    for axes in (left, right):
        axes.set_ylabel("breach probability (higher is worse)")
        axes.set_ylim(-0.02, 1.04)
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    return figure


def _draw_ranks(axes: Any, summary: AttackSummary) -> None:
    for (epsilon, (ranks, values)), colour, dash in zip(summary.rank_curves.items(), _COLOURS, _DASHES, strict=False):
        label = f"within {100 * epsilon:.4g}%"
        axes.plot(ranks, values, dash, color=colour, lw=2.6 if epsilon == summary.epsilon else 1.6, label=label)
    # Below the axes: wherever the curves run, the legend hides none of them.
    axes.legend(fontsize=9, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=3, frameon=False)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlabel("other released rows, most exposed first")
    axes.set_title(f"Every other released row ({summary.estimator} estimate)", fontsize=10)


def _draw_epsilons(axes: Any, summary: AttackSummary) -> None:
    names = {"optimal": "optimal estimate", "uniform": "the paper's uniform estimate"}
    curves = summary.epsilon_curves.items()
    for (name, (epsilons, values)), colour, dash in zip(curves, ("#000000", "#CC79A7"), ("-", "--"), strict=True):
        axes.plot(100 * epsilons, values, dash, color=colour, lw=2, label=names[name])
    axes.axvline(100 * summary.epsilon, color="0.5", lw=1)
    place = {"xytext": (4, 0), "textcoords": "offset points", "color": "0.35", "fontsize": 9}
    axes.annotate(f"chosen: {100 * summary.epsilon:g}%", (100 * summary.epsilon, 0.02), **place)
    axes.xaxis.set_major_formatter("{x:g}%")
    axes.set_xlabel("relative error that counts as a breach")
    axes.set_title("The most exposed of them", fontsize=10)
    if curves:
        axes.legend(fontsize=9, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2, frameon=False)
