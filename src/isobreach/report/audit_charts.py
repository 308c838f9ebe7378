# SPDX-License-Identifier: BSD-3-Clause
"""The charts of an audit: what stands on which axis, beside which baseline."""

from collections.abc import Sequence

import numpy as np

from isobreach.audits import AuditResult, Sampled
from isobreach.report.audit_wording import share
from isobreach.report.charts import Chart, Line

_CURVE_POINTS = 60


def audit_charts(result: AuditResult) -> list[tuple[str, Chart, str]]:
    """Every chart of the page, with its name and its caption."""
    sizes = result.sizes
    rest = [result.rows - size for size in sizes]
    mean_guess = result.baselines.column_means
    breached = Chart(
        "breached",
        "Share of other records breached, by coalition size",
        "insiders",
        "others breached (higher is worse)",
        [
            _random(sizes, [one.random.breached for one in result.per_size], "others breached"),
            _line(
                sizes,
                [one.worst_breached.value / n for one, n in zip(result.per_size, rest, strict=True)],
                "worst coalition found",
                "worst",
            ),
            _line(
                sizes,
                [one.bound.records / n for one, n in zip(result.per_size, rest, strict=True)],
                "no coalition exceeds",
                "bound",
            ),
            _line(sizes, [mean_guess] * len(sizes), "guessing column means", "base"),
        ],
    )
    base = result.baselines.no_known_record
    worst = Chart(
        "worst",
        "Breach probability of the most exposed other record, by coalition size",
        "insiders",
        "breach probability (higher is worse)",
        [
            _random(sizes, [one.random.worst for one in result.per_size], "probability"),
            _line(sizes, [one.worst_record.value for one in result.per_size], "worst coalition found", "worst"),
            *([] if base is None else [_line(sizes, [base] * len(sizes), "an attacker who knows no record", "base")]),
        ],
    )
    linked = Chart(
        "linked",
        "Share of insiders who find their own row with certainty, by coalition size",
        "insiders",
        "insiders linked (higher is worse)",
        [
            _random(sizes, [one.random.linked for one in result.per_size], "linked"),
            _line(sizes, [result.baselines.random_link_right] * len(sizes), "a link drawn at random", "base"),
        ],
    )
    charts = [
        (
            "Others breached",
            breached,
            "Random coalitions: sampled, with 95% intervals. Worst found: at least this bad.",
        ),
        ("The most exposed record", worst, "Closed form given the links; means over random coalitions are sampled."),
        ("Insiders who find their row", linked, "Sampled, with 95% intervals."),
        (
            "Every record",
            _ranked(result),
            "Mean breach probability over random coalitions, most exposed first; sampled.",
        ),
    ]
    if result.remedies is not None:
        charts.append(("What noise brings and costs", _noise(result), "Counted on simulated releases; 95% intervals."))
    return charts


def _random(sizes: Sequence[int], values: Sequence[Sampled], what: str) -> Line:
    tips = [
        f"{size} insiders: {what} {share(v.value)}, 95% interval {share(v.low)} to {share(v.high)}"
        for size, v in zip(sizes, values, strict=True)
    ]
    return Line(
        "random coalitions",
        "random",
        sizes,
        [v.value for v in values],
        [v.low for v in values],
        [v.high for v in values],
        tips,
    )


def _line(x: Sequence[float], values: Sequence[float], label: str, kind: str) -> Line:
    tips = [f"{size:g} insiders: {label} {share(value)}" for size, value in zip(x, values, strict=True)]
    return Line(label, kind, x, values, tips=tips)


def _ranked(result: AuditResult) -> Chart:
    """Exposure of the 1st, 2nd, ... most exposed record, at up to three sizes."""
    count = len(result.sizes)
    places = sorted({count - 1, count // 2, 0})
    ranks = np.unique(np.geomspace(1, result.rows, _CURVE_POINTS).round().astype(np.int64))
    lines = []
    for place, kind in zip(reversed(places), ("random", "worst", "bound"), strict=False):
        exposure = np.sort(np.nan_to_num(result.records.exposure[place]))[::-1][ranks - 1]
        label = f"{result.sizes[place]} random insiders"
        tips = [f"{label}: rank {rank:,}, exposure {share(float(p))}" for rank, p in zip(ranks, exposure, strict=True)]
        lines.append(Line(label, kind, ranks.tolist(), exposure.tolist(), tips=tips))
    return Chart(
        "ranked",
        "Mean breach probability of every record over random coalitions, most exposed first",
        "records, most exposed first",
        "exposure (higher is worse)",
        lines,
        logarithmic=result.rows > 20,
    )


def _noise(result: AuditResult) -> Chart:
    tried = result.remedies
    levels = () if tried is None else tried.levels

    def line(label: str, kind: str, values: Sequence[Sampled]) -> Line:
        tips = [
            f"noise {one.noise:g}: {label} {share(v.value)}, 95% interval {share(v.low)} to {share(v.high)}"
            for one, v in zip(levels, values, strict=True)
        ]
        x = [one.noise for one in levels]
        return Line(label, kind, x, [v.value for v in values], [v.low for v in values], [v.high for v in values], tips)

    return Chart(
        "noise",
        "Breach rate, neighbours kept and agreement of clusters, by noise level",
        "noise, relative to the table's spread",
        "breaches: higher is worse; use: higher is better",
        [
            line("others breached (worse)", "worst", [one.breach_rate for one in levels]),
            line("nearest neighbours kept (better)", "random", [one.neighbours for one in levels]),
            Line(
                "clusters that agree (better)",
                "bound",
                [one.noise for one in levels],
                [one.clusters for one in levels],
                tips=[f"noise {one.noise:g}: clusters agree to {one.clusters:.2f}" for one in levels],
            ),
        ],
    )
