# SPDX-License-Identifier: BSD-3-Clause
"""Figures of results: matplotlib, without a display, in colours that colour-blind readers tell apart."""

from pathlib import Path
from typing import Any

from isobreach.attacks import AttackSummary
from isobreach.errors import MissingExtraError

# Okabe and Ito's palette: distinguishable with any colour vision, and in grey by lightness and dash.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
_DASHES = ("-", "--", "-.", ":")


def save_attack_figure(summary: AttackSummary, folder: Path) -> list[Path]:
    """Draw an attack as ``exposure.svg`` and ``exposure.png`` in ``folder``."""
    figure = _attack_figure(summary)
    paths = [folder / f"exposure.{suffix}" for suffix in ("svg", "png")]
    for path in paths:
        # No date and fixed element names: the same result gives the same file.
        metadata = {"Date": None} if path.suffix == ".svg" else {"Software": None}
        figure.savefig(path, dpi=160, metadata=metadata)
    return paths


def _attack_figure(summary: AttackSummary) -> Any:
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("a figure", "matplotlib", "plot") from error
    matplotlib.rcParams["svg.hashsalt"] = "isobreach"
    matplotlib.rcParams["svg.fonttype"] = "path"
    figure = Figure(figsize=(10, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    linked = summary.links["linked"]
    figure.suptitle(
        f"{linked} of {summary.known_records} known records linked: "
        f"{summary.hidden_dimension} of {summary.columns} dimensions stay hidden",
        fontsize=12,
    )
    for (epsilon, (ranks, values)), colour, dash in zip(summary.rank_curves.items(), _COLOURS, _DASHES, strict=False):
        bold = epsilon == summary.epsilon
        label = f"within {100 * epsilon:.4g}% of the record's norm"
        left.plot(ranks, values, dash, color=colour, lw=2.4 if bold else 1.6, label=label)
    left.set_xscale("log")
    left.set(xlabel="other released rows, most exposed first", ylabel="breach probability (higher is worse)")
    left.set_title(f"Every other released row ({summary.estimator} estimate)", fontsize=10)
    names = {"optimal": "optimal estimate", "uniform": "the paper's uniform estimate"}
    for (name, (epsilons, values)), colour, dash in zip(
        summary.epsilon_curves.items(), _COLOURS, _DASHES, strict=False
    ):
        right.plot(epsilons, values, dash, color=colour, lw=2, label=names[name])
    right.axvline(summary.epsilon, color="0.5", lw=1)
    place = {"xytext": (4, 0), "textcoords": "offset points", "color": "0.35", "fontsize": 8}
    right.annotate(f"chosen: {summary.epsilon:g}", (summary.epsilon, 0.03), **place)
    right.set(xlabel="relative error ε that counts as a breach", ylabel="breach probability (higher is worse)")
    right.set_title("The most exposed row", fontsize=10)
    for axes in (left, right):
        axes.set_ylim(-0.02, 1.04)
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
        if axes.lines:
            axes.legend(frameon=False, fontsize=8, loc="best")
    return figure
