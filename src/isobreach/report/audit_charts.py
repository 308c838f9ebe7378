# SPDX-License-Identifier: BSD-3-Clause
"""The charts of an audit: how the risk grows with insiders, and what the release adds to each attribute."""

from collections.abc import Iterable

import numpy as np

from isobreach._phrases import count
from isobreach.audits import AuditResult
from isobreach.document import Bar, Bars, Chart, Column, Line, Panel, Section
from isobreach.report.audit_words import (
    CATEGORY,
    beats_guess,
    breach,
    capital,
    column,
    least_knowledge,
    others,
    sizes_between,
    who,
    within,
)
from isobreach.report.numbers import sampled, share

MOST_ATTRIBUTES = 16  # as many as fit beside everything else on a page
_HALF = 0.5
_VACUOUS = 0.5  # a proven limit above it excludes too little to be of use


def risk_section(result: AuditResult) -> Section:
    """How the risk grows with insiders."""
    return Section("How the risk grows with insiders", (risk_chart(result),), risk_lead(result))


def risk_lead(result: AuditResult) -> str:
    """How few insiders breach half of the others, by the expected shares of the chart: at best, and by distances."""
    half = least_knowledge(result, _HALF, sample=False)
    best = half or result.reached(result.sizes[-1])
    if best.closed_form or not beats_guess(result, best):
        return _distance_words(result)
    if half is None:
        return f"Without public records, {who(best.cell)} {breach(best.cell)} {others(result, best)}. " + (
            _distance_words(result)
        )
    one = {0: "an outsider", 1: "a typical insider"}
    typical = one.get(half.cell.insiders, f"a typical group of {half.cell.insiders} insiders")
    return f"Without public records, {typical} breaches half of the other people. {_distance_words(result, more=True)}"


def _distance_words(result: AuditResult, *, more: bool = False) -> str:
    """How few insiders the distance attack needs; ``more``: after a sentence on half of the other people."""

    def first(shares: Iterable[float]) -> int | None:
        return next((size for size, one in zip(result.sizes, shares, strict=True) if one >= _HALF), None)

    found, alone = first(one.worst_mean.value for one in result.per_size), f"With the {result.method} alone"
    if found is None:
        largest = count(result.sizes[-1], "insider")
        return f"{alone}, no group of up to {largest} that was tried breaches half of the others."
    means = [one.random.mean for one in result.per_size]
    typical = first(one.value for one in means)
    ends = first(one.high for one in means), first(one.low for one in means)
    number = sizes_between(typical, *ends, result.sizes, noun=True)
    need = f"{alone}, a typical group needs {number}{'' if more else ' to breach half of the others'}"
    return f"{need}." if typical == found else f"{need}, and the worst group found {found}."


def risk_chart(result: AuditResult) -> Chart:
    """Shares of other people breached, by the number of insiders."""
    sizes = np.array(result.sizes)
    every = np.array(sorted({0, *result.matrix.sizes, *result.sizes}))
    best = [result.reached(int(size), 0).breached for size in every]
    typical = [one.random.mean for one in result.per_size]
    worst = np.array([one.worst_mean.value for one in result.per_size])
    blind = result.baselines.blind
    lines = (
        Line(
            "Best attacker, no public records",
            every,
            np.array([one.value for one in best]),
            np.array([one.low for one in best]),
            np.array([one.high for one in best]),
        ),
        Line(f"{capital(result.method)}, worst group found", sizes, worst, style="second"),
        Line(
            f"{capital(result.method)}, typical group",
            sizes,
            np.array([one.value for one in typical]),
            np.array([one.low for one in typical]),
            np.array([one.high for one in typical]),
            style="third",
        ),
        Line(f"Blind guess: {share(blind)}", every, np.full(len(every), blind), style="base"),
    )
    panel = Panel("", "insiders who pool their own records", "", lines)
    last = result.per_size[-1]
    text = (
        f"With {count(last.size, 'insider')}: best attacker {sampled(best[-1])}, {result.method} of a typical group "
        f"{sampled(last.random.mean)}, of the worst group found {share(float(worst[-1]))}, blind guess "
        f"{share(blind)}."
    )
    caption = (
        "Expected share of other people breached. Bands: 95% intervals (sampled). Worst group found: exact for the "
        "groups tried; there may be worse. The best attacker also improves estimates, by rounding, ranges and guesses. "
        f"{_limit_words(result)}"
    )
    return Chart("risk", "Share of other people breached, by number of insiders", caption, (panel,), text)


def _limit_words(result: AuditResult) -> str:
    """What is proven of the largest groups, if that excludes anything."""
    one = result.per_size[-1]
    if one.bound.records >= _VACUOUS * (result.rows - one.size):
        return "No proven limit is shown: it excludes too little here."
    limit = share(one.bound.records / (result.rows - one.size))
    return (
        f"Proven, for the distance attack only: no group of {count(one.size, 'insider')} breaches more than {limit} of "
        "the others."
    )


def attributes_section(result: AuditResult) -> Section:
    """What the release adds to each attribute."""
    return Section("Which attributes leak", (attributes_chart(result),), attributes_lead(result))


def attributes_lead(result: AuditResult) -> str:
    """The attribute to which the release adds most."""
    leaking = result.leaks()
    if leaking:
        worst = leaking[0]
        return (
            f"The release adds most to the attribute {column(result, worst.place)!r}: the best attacker learns it of "
            f"{sampled(worst.learned)} of the other people, a blind guess of {share(worst.blind)}."
        )
    found, blind = result.learned_shares(result.sizes[-1], result.matrix.samples[-1]), result.baselines.blind_attributes
    place = int((found.value - blind).argmax())
    if found.value[place] <= blind[place]:
        return "Of no attribute does any attacker learn more than a blind guess of its value."
    return (
        "Of no attribute is it beyond doubt that an attacker learns more than a blind guess. The largest difference is "
        f"for {column(result, place)!r}: {sampled(found.of(place))} of the other people, a blind guess "
        f"{share(float(blind[place]))}."
    )


def attributes_chart(result: AuditResult) -> Bars:
    """What the release adds to each attribute, most first."""
    found, blind = result.learned_shares(result.sizes[-1], result.matrix.samples[-1]), result.baselines.blind_attributes
    learned, doubt = found.value, found.low <= blind
    order = np.argsort(-(learned - blind), kind="stable")[:MOST_ATTRIBUTES]
    bars = tuple(
        Bar(
            column(result, place),
            base := float(blind[place]),
            value := float(learned[place]),
            (share(base), share(value), f"+{100 * (value - base):.0f}{'?' if doubt[place] and value > base else ''}"),
        )
        for place in order.tolist()
    )
    sample = result.matrix.samples[-1]
    public = f" and {sample:,} public records" if sample else ""
    heads = (
        Column("Attribute"),
        Column("People of whom it is learned", "0 to 100%"),
        Column("Blind guess", "exact"),
        Column("Best attacker", "sampled"),
        Column("Gain", "points"),
    )
    rest = result.attribute_count - len(bars)
    unsure = " ?: the interval includes the blind guess." if any(bar.said[-1].endswith("?") for bar in bars) else ""
    cut = f" The other {count(rest, 'attribute')} are under Details." if rest > 0 else ""
    caption = (
        "Grey: best blind guess, the one value that is right for most people. Red: what the release adds for the best "
        f"attacker with up to {count(result.sizes[-1], 'insider')}{public}. Learned means: {_learned(result)}."
        f"{unsure}{cut}"
    )
    return Bars("attributes", "What the release adds to each attribute", caption, heads, bars)


def _learned(result: AuditResult) -> str:
    """What it means to learn an attribute, of all of them in words."""
    said = dict.fromkeys(within(result, place) for place in range(result.attribute_count))
    category = ["the category is right"] if said.pop(CATEGORY, 0) is None else []
    value = [f"the value is within {next(iter(said)) if len(said) == 1 else 'its tolerance'}"] if said else []
    return ", or ".join([*category, *value])
