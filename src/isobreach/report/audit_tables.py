# SPDX-License-Identifier: BSD-3-Clause
"""People, remedies, and the full tables that stand under the details of an audit's page."""

import numpy as np

from isobreach._phrases import count
from isobreach.audits import AuditResult, ExposedPerson, Remedies, Sampled, Stopped
from isobreach.document import Bar, Bars, Block, Column, Section, Table, Text
from isobreach.report.audit_matrix import public_knowledge
from isobreach.report.audit_words import (
    attack_name,
    column,
    knows,
    listed,
    method_name,
    stopped,
    typical_number,
    within,
    worst_attacker,
)
from isobreach.report.numbers import amount, sampled, share

MOST = 10  # people that the page shows
MOST_BARS = 12
_CELLS = 4  # kinds of knowledge that a line names
_INTERVAL = "sampled, 95% interval"
_TRIED = "exact for the groups tried"
_NEAR = "Close to the average: nearer to the column means than nine tenths of the people."
_LARGE = "Large values: a longer record than nine tenths of the people, so that an estimate may err by more."
_TIES = "People with the same figures are listed by row."
# Whether rows were dropped, and whether ids are rows of the owner's table: what rows are counted in.
_ROWS = {
    (False, False): "counted from 0",
    (True, False): "counted from 0, without dropped ones",
    (True, True): "of your table, counted from 0",
    (False, True): "of your table, counted from 0",
}
_COPIES = "Near copies: other people whose records differ by at most {:.0%} of the length."


def people_section(result: AuditResult) -> Section:
    """How many insiders it takes to breach each person, and the most exposed people."""
    needed = [needed_chart(result)] if result.people_by_insiders[:-1].any() else []
    listed_people: tuple[Block, ...] = (Text(_whom(result)), people(result)) if result.exposed else ()
    left = int(result.baselines.blind_records.sum())
    who = f"Not counted or listed here: {count(left, 'person', 'people')} whom a blind guess breaches anyway."
    left_out = [Text(who, soft=True)] if left and (needed or listed_people) else []
    return Section("Who is exposed", (*needed, *listed_people, *left_out), people_lead(result))


def people_lead(result: AuditResult) -> str:
    """How many people half of the groups breach."""
    breached, largest = int(result.people_by_insiders[:-1].sum()), count(result.sizes[-1], "insider")
    if not breached:
        nobody = f"Nobody is breached by half of the random groups of up to {largest} with the {result.method} alone."
        more = worst_attacker(result).breached.value > result.baselines.blind and result.matrix.splits
        return f"{nobody} The best attackers, above, breach more." if more else nobody
    return (
        f"For {breached:,} of {result.rows:,} people (sampled), up to {largest} are enough: half of such random groups "
        f"breach them with the {result.method}, while a blind guess does not."
    )


def needed_chart(result: AuditResult) -> Bars:
    """People by the number of insiders from which half of the random groups breach them."""
    every = result.people_by_insiders
    total = max(int(every.sum()), 1)
    bins = [(f"{first}" if first == last else f"{first} to {last}", people) for first, last, people in _bins(result)]
    bins.append((f"more than {result.sizes[-1]}", int(every[-1])))
    bars = tuple(Bar(label, 0.0, people / total, (f"{people:,}", share(people / total))) for label, people in bins)
    heads = (
        Column("Insiders needed"),
        Column("Share of people", "0 to 100%"),
        Column("People", "sampled"),
        Column("Share", "sampled"),
    )
    caption = (
        f"People by the number of insiders from which half of the random groups breach them, with the {result.method} "
        f"alone. Sampled: {count(result.trials, 'random group')} of each size."
    )
    return Bars("people", "How many insiders it takes to breach each person", caption, heads, bars)


def _bins(result: AuditResult) -> list[tuple[int, int, int]]:
    """First and last number of insiders of a bar, and its people; neighbours share one where they are many."""
    width = -(-len(result.sizes) // MOST_BARS)
    people = result.people_by_insiders[:-1]
    parts = [slice(k, k + width) for k in range(0, len(people), width)]
    return [(result.sizes[part][0], result.sizes[part][-1], int(people[part].sum())) for part in parts]


def people(result: AuditResult) -> Table:
    """The most exposed people, without those whom a blind guess breaches."""
    shown = result.exposed[:MOST]
    easy = any(one.near_average or one.large or one.copies for one in shown)
    rows = tuple(
        (
            *(() if result.ids is None else (str(result.ids[one.row]),)),
            *(() if result.ids_are_rows else (str(one.row),)),
            *([_easy(one)] if easy else []),
            f"more than {result.sizes[-1]}" if one.needed is None else str(one.needed),
            sampled(one.exposure),
        )
        for one in shown
    )
    heads: tuple[Column | str, ...] = (
        *(("Person",) if _has_ids(result) else ()),
        Column("Row", _ROWS[result.rows_read > result.rows, result.ids_are_rows], number=_has_ids(result)),
        *(["What makes this person easy"] if easy else []),
        Column("Insiders needed", "sampled", number=True),
        Column("Breached by random groups", _INTERVAL, number=True),
    )
    meant = [
        *([_NEAR] if any(one.near_average for one in shown) else []),
        *([_LARGE] if any(one.large for one in shown) else []),
        *([_COPIES.format(result.epsilon)] if any(one.copies for one in shown) else []),
    ]
    meant += ["These go with exposure; they do not prove its cause."] if meant else []
    words = [
        *([_TIES] if any(one.alike > 1 for one in shown) else []),
        *meant,
        "Breached by random groups: mean over groups of all sizes that were tried. All people: per_record.parquet.",
    ]
    note = " ".join(words)
    return Table("The most exposed people", heads, rows, note)


def _whom(result: AuditResult) -> str:
    """Who is listed, and that there is no order where intervals tell of none."""
    shown = min(len(result.exposed), MOST)
    if result.indistinct <= 1:
        return f"The most exposed person comes first, by the {result.method}."
    said = (
        f"Any of {result.indistinct:,} people may be the most exposed, by the {result.method}: their intervals overlap."
    )
    return f"{said} {shown} of them:" if shown < result.indistinct else said


def _has_ids(result: AuditResult) -> bool:
    return result.ids is not None and not result.ids_are_rows


def _easy(one: ExposedPerson) -> str:
    """What makes a record easy to estimate."""
    said = [*(["close to the average"] if one.near_average else []), *(["large values"] if one.large else [])]
    said += [count(one.copies, "near copy", "near copies")] if one.copies else []
    return ", ".join(said).capitalize() or "–"


def remedies_lead(result: AuditResult) -> str:
    """Whether noise or jitter meets the limit, in a sentence or two."""
    tried = result.remedies
    if tried is None:
        return ""
    if tried.blind > tried.target:
        return (
            f"Nothing can: guessing {tried.guess} breaches {share(tried.blind)} of all people, whatever is published, "
            f"and the limit is {share(tried.target)}."
        )
    if tried.smallest is not None:
        level = next(one for one in tried.levels if one.noise == tried.smallest)
        return (
            f"Noise of {level.noise:g} times the table's spread is the smallest level tried that meets the limit of "
            f"{share(tried.target)}. It keeps {sampled(level.neighbours)} of the nearest neighbours."
        )
    if tried.smallest_jitter is not None:
        moved = next(one for one in tried.jitter if one.jitter == tried.smallest_jitter)
        return (
            f"Jitter of {moved.jitter:g} step meets the limit of {share(tried.target)}. It keeps "
            f"{sampled(moved.neighbours)} of the nearest neighbours."
        )
    return f"No level of noise or jitter that was tried meets the limit of {share(tried.target)}."


def remedies_section(result: AuditResult) -> Section:
    """What noise and jitter bring and cost."""
    tried = result.remedies
    assert tried is not None
    played = [one.played for one in tried.jitter] + [one.played for one in tried.levels]
    others = any(one is not None for one in played)
    heads: tuple[Column | str, ...] = (
        "Remedy",
        Column("Breached without insiders", "exact, one release", number=True),
        Column(f"Breached by {count(tried.insiders, 'insider')}", _INTERVAL, number=True),
        *([Column("Breached by others played", "sampled", number=True)] if others else []),
        Column("Neighbours kept", _INTERVAL, number=True),
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
    return (
        "Noise: relative to the table's spread. Jitter: each value is moved at random, by up to half of this part of "
        "its step. Insiders are given their rows, so that their figures are upper limits for those who must search. "
        "Others are played only against levels that stop insiders. Neighbours: share of the nearest that stay nearest. "
        f"Clusters: agreement with the original clusters; two runs on the original agree by {tried.stability:.2f}."
    )


def _played(one: Stopped | None) -> str:
    return "not tried" if one is None else share(one.share)


def _yes(so: bool) -> str:
    return "yes" if so else "no"


def matrix_table(result: AuditResult) -> Table:
    """The matrix as a list, with all intervals."""
    rows = []
    for sample, ranges in public_knowledge(result):
        for size in result.matrix.sizes:
            one = result.reached(size, sample, ranges=ranges)
            known = [f"{sample:,} public records"] if sample else []
            known += ["ranges"] if ranges else []
            attack = "blind guess" if one.attack is None else method_name(result, one)
            rows.append((listed(known) if known else "nothing", str(size), sampled(one.breached), attack))
    heads = (
        "The attacker knows",
        Column("Insiders", number=True),
        Column("Others breached", _INTERVAL, number=True),
        "Best attack",
    )
    return Table("The matrix as a list", heads, tuple(rows))


def attackers_table(result: AuditResult) -> Table:
    """Each attack with the least knowledge for what it achieves, the most dangerous first."""
    every = result.matrix.attackers
    rows = tuple(
        (
            attack_name(one.name),
            str(one.insiders),
            f"{one.sample:,}",
            "known" if one.ranges else "not known",
            one.variant,
            sampled(one.breached),
        )
        for one in every
        if not any(
            other.name == one.name
            and other.cell != one.cell
            and other.cell.within(one.cell)
            and other.breached.value >= one.breached.value
            for other in every
        )
    )
    heads = (
        "Attack",
        Column("Insiders", number=True),
        Column("Public records", number=True),
        "Ranges",
        "Estimates",
        Column("Others breached", _INTERVAL, number=True),
    )
    note = "The same attacks with more knowledge that does not help them are in result.json."
    return Table("The attackers who were played", heads, rows, note)


def refused_table(result: AuditResult) -> Table:
    """Attacks that did not play with some knowledge, and why."""
    every = result.matrix.refused
    pairs = dict.fromkeys((one.name, one.reason) for one in every)
    rows = []
    for name, reason in pairs:
        cells = [one for one in every if (one.name, one.reason) == (name, reason)]
        told = "; ".join(knows(one.cell) for one in cells[:_CELLS]) + ("; ..." if len(cells) > _CELLS else "")
        rows.append((attack_name(name), told, str(max(one.splits for one in cells)), reason))
    heads = ("Attack", "With", Column("Splits, at most", number=True), "Not played, because")
    return Table("Attacks that were not played everywhere", heads, tuple(rows))


def sizes_table(result: AuditResult) -> Table:
    """The distance attack by every number of insiders."""
    heads = (
        Column("Insiders"),
        Column("Find their own row", _INTERVAL, number=True),
        Column("Others breached, typical group", _INTERVAL, number=True),
        Column("Mean breach probability", _INTERVAL, number=True),
        Column("Others breached, worst group found", _TRIED, number=True),
        Column("The same, if the group knows its rows", _TRIED, number=True),
        Column("No group exceeds", "proven, distance attack only", number=True),
    )
    rows = []
    for one in result.per_size:
        others = result.rows - one.size
        rows.append(
            (
                str(one.size),
                "rows known" if result.rows_known else sampled(one.random.linked),
                sampled(one.random.breached),
                sampled(one.random.mean),
                f"{amount(one.worst_breached.value)} ({share(one.worst_breached.value / others)})",
                amount(one.guessed_breached.value),
                f"{one.bound.records:,} ({share(one.bound.records / others)})" if one.bound.records < others else "–",
            )
        )
    return Table(f"The {result.method}, by the number of insiders", heads, tuple(rows))


def smallest_table(result: AuditResult) -> Table:
    """How few insiders are enough."""
    largest = result.sizes[-1]
    heads = (
        "To breach",
        Column("Fewest found", _TRIED, number=True),
        Column("With certainty", _TRIED, number=True),
        Column("Guessing rows", _TRIED, number=True),
        Column("Half of random groups", _INTERVAL, number=True),
    )
    rows = []
    for one in result.smallest:
        found, certain, guessed = (
            f"more than {largest}" if value is None else str(value) for value in (one.found, one.certain, one.guessed)
        )
        rows.append((one.target, found, certain, guessed, typical_number(one, largest)))
    return Table(f"How few insiders are enough, {result.method} alone", heads, tuple(rows))


def attributes_table(result: AuditResult) -> Table:
    """What is learned of each attribute, by whom."""
    figures, last = result.attributes, len(result.sizes) - 1
    places = sorted({0, last // 3, 2 * last // 3, last})
    best, blind = result.learned_shares(result.sizes[-1], result.matrix.samples[-1]), result.baselines.blind_attributes
    heads: tuple[Column | str, ...] = (
        "Attribute",
        Column("Guess of the mean", "exact", number=True),
        Column("Best blind guess", "exact", number=True),
        Column("Best attacker", _INTERVAL, number=True),
        *(Column(f"{count(result.sizes[k], 'insider')}, {result.method}", _INTERVAL, number=True) for k in places),
        *(
            Column(f"{attack_name(one.name)}, columns named".capitalize(), "exact", number=True)
            for one in result.readers
        ),
        Column("Within"),
    )
    rows = []
    for place in np.argsort(-(best.value - blind), kind="stable").tolist():
        by_size = [
            Sampled(*(float(part[k, place]) for part in (figures.value, figures.low, figures.high))) for k in places
        ]
        rows.append(
            (
                column(result, place),
                share(float(result.baselines.attributes[place])),
                share(float(blind[place])),
                sampled(best.of(place)),
                *(sampled(one) for one in by_size),
                *(share(float(one.attributes[place])) for one in result.readers),
                within(result, place),
            )
        )
    return Table("All attributes", heads, tuple(rows), most=100, rest="per_attribute.parquet")
