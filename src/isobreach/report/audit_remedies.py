# SPDX-License-Identifier: BSD-3-Clause
"""What would help: noise and jitter, what they bring and what they cost."""

from isobreach._phrases import count, percent
from isobreach.audits import AuditResult, Remedies, Stopped
from isobreach.document import Column, Section, Table, Text
from isobreach.report.audit_words import INTERVAL, stopped
from isobreach.report.numbers import sampled, share

_CLEAR = 0.8  # agreement of two searches for clusters, below which they depend on where a search begins


def remedies_lead(result: AuditResult) -> str:
    """Whether noise or jitter meets the limit, in a sentence or two."""
    tried = result.remedies
    if tried is None:
        return ""
    if tried.blind > tried.target:
        return (
            f"No noise or jitter can help: guessing {tried.guess} breaches {share(tried.blind)} of all people, "
            f"whatever is published, and the limit is {percent(tried.target)}."
        )
    if tried.smallest is not None:
        level = next(one for one in tried.levels if one.noise == tried.smallest)
        return (
            f"Noise of {level.noise:g} times the table's spread is the smallest level tried that meets the limit of "
            f"{percent(tried.target)}. It keeps {sampled(level.neighbours)} of the nearest neighbours."
        )
    if tried.smallest_jitter is not None:
        moved = next(one for one in tried.jitter if one.jitter == tried.smallest_jitter)
        return (
            f"Jitter of {moved.jitter:g} step meets the limit of {percent(tried.target)}. It keeps "
            f"{sampled(moved.neighbours)} of the nearest neighbours."
        )
    return f"No level of noise or jitter that was tried meets the limit of {percent(tried.target)}."


def remedies_section(result: AuditResult) -> Section:
    """What noise and jitter bring and cost."""
    tried = result.remedies
    assert tried is not None
    played = [one.played for one in tried.jitter] + [one.played for one in tried.levels]
    others = any(one is not None for one in played)
    heads: tuple[Column | str, ...] = (
        "Remedy",
        Column("Breached without insiders", "exact, one release", number=True),
        Column(f"Breached by {count(tried.insiders, 'insider')}", INTERVAL, number=True),
        *([Column("Breached by others played", "sampled", number=True)] if others else []),
        Column("Neighbours kept", INTERVAL, number=True),
        Column("Clusters", "1 = the same", number=True),
        Column("Meets the limit?"),
    )
    rows = [
        (
            f"jitter, {one.jitter:g} step",
            share(one.breach_rate),
            sampled(one.insiders),
            *([_played(one.played)] if others else []),
            sampled(one.neighbours),
            f"{one.clusters:.2f}",
            _yes(one.opens),
        )
        for one in tried.jitter
    ]
    rows += [
        (
            f"noise, {one.noise:g}",
            share(max(one.attackers.values())) if one.attackers else "not tried",
            sampled(one.breach_rate),
            *([_played(one.played)] if others else []),
            sampled(one.neighbours),
            f"{one.clusters:.2f}",
            _yes(one.opens),
        )
        for one in tried.levels
    ]
    failed = [one for one in played if one is not None and one.share > tried.target]
    who = [Text(stopped(failed[-1]), title="Played against the last of them:")] if failed else []
    return Section(
        "What would help",
        (Table("What noise and jitter bring and cost", heads, tuple(rows), _remedies_note(tried)), *who),
        remedies_lead(result),
    )


def _remedies_note(tried: Remedies) -> str:
    loose = (
        " This table has no clear clusters: searched from elsewhere, the original itself gives others (agreement "
        f"{tried.stability:.2f}), so that this column says little."
        if tried.stability < _CLEAR
        else ""
    )
    return (
        "Noise: relative to the table's spread. Jitter: each value is moved at random, by up to half of this part of "
        "its step. Insiders are given their rows, so that their figures are upper limits for those who must search. "
        "Others are played only against levels that stop insiders. Neighbours: share of the nearest that stay nearest. "
        f"Clusters: how far those of the original are found again, searched from where they were; 0 is chance.{loose}"
    )


def _played(one: Stopped | None) -> str:
    return "not tried" if one is None else share(one.share)


def _yes(so: bool) -> str:
    return "yes" if so else "no"
