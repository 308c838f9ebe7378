# SPDX-License-Identifier: BSD-3-Clause
"""The charts of an audit: what stands on which axis, beside which baseline."""

from collections.abc import Sequence

import numpy as np

from isobreach._phrases import count
from isobreach.audits import AuditResult, Remedies, Sampled
from isobreach.report.audit_cells import share
from isobreach.report.charts import Chart, Line

_CURVE_POINTS = 60


def audit_charts(result: AuditResult) -> list[tuple[str, Chart, str]]:
    """Every chart of the page, with its name and its caption."""
    means, base = result.baselines.column_means, result.baselines.no_known_record
    given = "the noise and the rows" if result.noise else "the links"
    unknown = [] if base is None else [_level(result, base, "an attacker who knows no record")]
    charts = [
        (
            "Others breached",
            _by_size(
                result,
                ("breached", "Share of other records breached", "breached"),
                [one.random.breached for one in result.per_size],
                _others(
                    result, [one.worst_breached.value for one in result.per_size], "worst coalition found", "worst"
                ),
                _others(result, [one.bound.records for one in result.per_size], "no coalition exceeds", "bound"),
                _level(result, means, "guessing column means"),
            ),
            "Closed form; played attackers do more. Random: sampled, 95% intervals. Worst: at least so. Bound: proven.",
        ),
        (
            "The most exposed record",
            _by_size(
                result,
                ("worst", "Breach probability of the most exposed other record", "probability"),
                [one.random.worst for one in result.per_size],
                _line(
                    result.sizes,
                    [one.worst_record.value for one in result.per_size],
                    "worst coalition found",
                    "worst",
                ),
                _line(result.sizes, [one.bound.worst for one in result.per_size], "no coalition exceeds", "bound"),
                *unknown,
            ),
            f"Closed form given {given}; means over random coalitions: sampled, with 95% intervals. Bound: proved.",
        ),
        *([] if result.rows_known else [_linked(result)]),
        (
            "Every record",
            _ranked(result),
            "Mean breach probability over random coalitions, most exposed first; sampled.",
        ),
    ]
    if result.remedies is not None:
        charts.append(
            (
                "Noise: gain and cost",
                _noise(result.remedies),
                "Sampled on simulated releases; 95% intervals. Insiders know their rows. Lost: one minus what is kept.",
            )
        )
    return charts


def _linked(result: AuditResult) -> tuple[str, Chart, str]:
    chart = _by_size(
        result,
        ("linked", "Share of insiders who find their own row with certainty", "linked"),
        [one.random.linked for one in result.per_size],
        _level(result, result.baselines.random_link_right, "a link drawn at random"),
    )
    return "Insiders linked", chart, "Insiders who find their own row with certainty: sampled, with 95% intervals."


def _by_size(result: AuditResult, words: tuple[str, str, str], random: Sequence[Sampled], *others: Line) -> Chart:
    """A figure of random coalitions by their size, and what stands beside it. ``words``: name, title, the figure."""
    name, title, what = words
    line = _sampled("random coalitions", "random", result.sizes, random, [_insiders(k, what) for k in result.sizes])
    return Chart(name, f"{title}, by coalition size", "insiders", f"{what} (higher is worse)", [line, *others])


def _insiders(size: float, what: str) -> str:
    return f"{count(int(size), 'insider')}: {what}"


def _sampled(label: str, kind: str, x: Sequence[float], values: Sequence[Sampled], what: Sequence[str]) -> Line:
    tips = [
        f"{said} {share(v.value)}, 95% interval {share(v.low)} to {share(v.high)}"
        for said, v in zip(what, values, strict=True)
    ]
    return Line(label, kind, x, [v.value for v in values], [v.low for v in values], [v.high for v in values], tips)


def _line(x: Sequence[float], values: Sequence[float], label: str, kind: str) -> Line:
    tips = [f"{_insiders(size, label)} {share(value)}" for size, value in zip(x, values, strict=True)]
    return Line(label, kind, x, values, tips=tips)


def _level(result: AuditResult, value: float, label: str) -> Line:
    """A baseline, the same whatever the size."""
    return _line(result.sizes, [value] * len(result.sizes), label, "base")


def _others(result: AuditResult, counts: Sequence[float], label: str, kind: str) -> Line:
    """Numbers of records as shares of the others."""
    shares = [number / (result.rows - size) for number, size in zip(counts, result.sizes, strict=True)]
    return _line(result.sizes, shares, label, kind)


def _ranked(result: AuditResult) -> Chart:
    """Exposure of the 1st, 2nd, ... most exposed record, at up to three sizes."""
    last = len(result.sizes) - 1
    places = sorted({last, (last + 1) // 2, 0}, reverse=True)
    ranks = np.unique(np.geomspace(1, result.rows, _CURVE_POINTS).round().astype(np.int64))
    lines = []
    for place, kind in zip(places, ("random", "middle", "few"), strict=False):
        exposure = np.sort(np.nan_to_num(result.records.exposure[place]))[::-1][ranks - 1]
        label = count(result.sizes[place], "random insider")
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


def _noise(tried: Remedies) -> Chart:
    """What the attacker is left with, and what use is lost: both the higher the worse."""
    levels = [one.noise for one in tried.levels]

    def line(label: str, kind: str, values: Sequence[Sampled]) -> Line:
        return _sampled(label, kind, levels, values, [f"noise {level:g}: {label}" for level in levels])

    agree = [1 - one.clusters for one in tried.levels]
    tips = [
        f"noise {level:g}: agreement of clusters lost {max(lost, 0.0):.2f}"
        for level, lost in zip(levels, agree, strict=True)
    ]
    return Chart(
        "noise",
        "Breach rate, nearest neighbours lost and agreement of clusters lost, by noise level",
        "noise, relative to the table's spread",
        "share (higher is worse)",
        [
            line("others breached", "worst", [one.breach_rate for one in tried.levels]),
            line("nearest neighbours lost", "random", [_lost(one.neighbours) for one in tried.levels]),
            Line("agreement of clusters lost", "bound", levels, agree, tips=tips),
        ],
    )


def _lost(kept: Sampled) -> Sampled:
    return Sampled(1 - kept.value, 1 - kept.high, 1 - kept.low)
