# SPDX-License-Identifier: BSD-3-Clause
"""Who is exposed: how many insiders each person takes, and the people with the highest figures."""

from collections.abc import Sequence
from typing import Any

from isobreach._phrases import count
from isobreach.audits import AuditResult, ExposedPerson, Sampled
from isobreach.document import Bar, Bars, Block, Column, Section, Table, Text
from isobreach.report.audit_words import INTERVAL, beats_guess, others, spans, worst_attacker
from isobreach.report.numbers import sampled, share

MOST = 10  # people that the page shows
MOST_BARS = 12
_NEAR = "Close to the average: nearer to the column means than nine tenths of the people."
_LARGE = "Large values: a longer record than nine tenths of the people, so that an estimate may err by more."
_TOGETHER = "People who share a line have about the same figures."
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
    listed_people: tuple[Block, ...] = ()
    if result.exposed and not _all_alike(result):
        listed_people = (Text(_whom(result)), people(result))
    elif result.people_by_insiders[:-1].any():
        listed_people = (Text(_whom(result)),)
    left = int(result.baselines.blind_records.sum())
    who = f"Not listed here: {count(left, 'person', 'people')} whom a blind guess breaches anyway."
    left_out = [Text(who, soft=True)] if left and len(listed_people) > 1 else []
    return Section("Who is exposed", (needed_chart(result), *listed_people, *left_out), people_lead(result))


def people_lead(result: AuditResult) -> str:
    """How many people half of the groups breach."""
    breached, largest = int(result.people_by_insiders[:-1].sum()), count(result.sizes[-1], "insider")
    if not breached:
        nobody = f"With the {result.method} alone, half of the random groups of up to {largest} breach nobody."
        worst = worst_attacker(result)
        return f"The best attacker breaches {others(result, worst)}. {nobody}" if beats_guess(result, worst) else nobody
    return (
        f"For {breached:,} of {result.rows:,} people (sampled), up to {largest} are enough: half of such random groups "
        f"breach them with the {result.method}, while a blind guess does not."
    )


def needed_chart(result: AuditResult) -> Bars:
    """People by the number of insiders from which half of the random groups breach them."""
    guessed = int(result.baselines.blind_records.sum())
    bins = [("none: blind guess", guessed)] if guessed else []
    bins += [(f"{first}" if first == last else f"{first} to {last}", people) for first, last, people in _bins(result)]
    bins.append((f"more than {result.sizes[-1]}", int(result.people_by_insiders[-1])))
    shares = [(label, people, people / result.rows) for label, people in bins]
    bars = tuple(Bar(label, 0.0, part, (f"{people:,}", share(part))) for label, people, part in shares)
    heads = (
        Column("Insiders needed"),
        Column("Share of all people", "0 to 100%"),
        Column("People", "sampled"),
        Column("Share", "sampled"),
    )
    caption = (
        f"All {result.rows:,} people by the number of insiders from which half of the random groups breach them, with "
        f"the {result.method} alone. Sampled: {count(result.trials, 'random group')} of each size."
    )
    caption += " Whom a blind guess breaches is counted there alone." if guessed else ""
    return Bars("people", "How many insiders it takes to breach each person", caption, heads, bars)


def _bins(result: AuditResult) -> list[tuple[int, int, int]]:
    """First and last number of insiders of a bar, and its people; neighbours share one where they are many."""
    people = result.people_by_insiders[:-1]
    width = -(-len(result.sizes) // MOST_BARS) if people.any() else len(result.sizes)
    parts = [slice(k, k + width) for k in range(0, len(people), width)]
    return [(result.sizes[part][0], result.sizes[part][-1], int(people[part].sum())) for part in parts]


def people(result: AuditResult) -> Table:
    """The most exposed people, without those whom a blind guess breaches."""
    shown = result.exposed[:MOST]
    easy = any(one.near_average or one.large or one.copies for one in shown)
    alike: dict[tuple[Any, ...], list[ExposedPerson]] = {}  # people of whom the same is said share a line
    for one in shown:
        same = one.near_average, one.large, bool(one.copies), one.needed, sampled(one.exposure).partition(" (")[0]
        alike.setdefault(same, []).append(one)
    rows = tuple(
        (
            *(() if result.ids is None else (", ".join(str(result.ids[one.row]) for one in members),)),
            *(() if result.ids_are_rows else (", ".join(str(one.row) for one in members),)),
            *([_easy(members)] if easy else []),
            f"more than {result.sizes[-1]}" if members[0].needed is None else str(members[0].needed),
            sampled(_exposure(members)),
        )
        for members in alike.values()
    )
    groups = f"mean over groups of {spans(result.sizes)}; {INTERVAL}"
    heads: tuple[Column | str, ...] = (
        *(("Person",) if _has_ids(result) else ()),
        Column("Row", _ROWS[result.rows_read > result.rows, result.ids_are_rows]),
        *(["What makes them easy"] if easy else []),
        Column("Insiders needed", "sampled", number=True),
        Column("Breached by random groups", groups, number=True),
    )
    meant = [
        *([_NEAR] if any(one.near_average for one in shown) else []),
        *([_LARGE] if any(one.large for one in shown) else []),
        *([_COPIES.format(result.epsilon)] if any(one.copies for one in shown) else []),
    ]
    meant += ["These go with exposure; they do not prove its cause."] if meant else []
    words = [
        *([_TOGETHER] if len(rows) < len(shown) else []),
        *meant,
        'All people: per_record.parquet; in Python: report.to_frame("people").',
    ]
    note = " ".join(words)
    return Table("The most exposed people", heads, rows, note)


def _whom(result: AuditResult) -> str:
    """Who is listed, and that there is no order where intervals tell of none."""
    shown = min(len(result.exposed), MOST)
    if _all_alike(result):
        return (
            f"Nobody stands out: any of {result.indistinct:,} people may be the most exposed by the {result.method}, "
            "because their intervals overlap."
        )
    if result.indistinct <= 1:
        return f"The most exposed person comes first, by the {result.method}."
    said = (
        f"Any of {result.indistinct:,} people may be the most exposed, by the {result.method}: their intervals overlap."
    )
    return f"{said} {shown} of them:" if shown < result.indistinct else said


def _all_alike(result: AuditResult) -> bool:
    """Whether most people may be the most exposed: ten of them would be any ten."""
    return 2 * result.indistinct > result.rows


def _has_ids(result: AuditResult) -> bool:
    return result.ids is not None and not result.ids_are_rows


def _exposure(alike: Sequence[ExposedPerson]) -> Sampled:
    """The exposure of people who share a line: that of the first, in an interval that holds all of theirs."""
    low, high = min(one.exposure.low for one in alike), max(one.exposure.high for one in alike)
    return Sampled(alike[0].exposure.value, low, high)


def _easy(alike: Sequence[ExposedPerson]) -> str:
    """What makes records easy to estimate, of people who share a line."""
    one = alike[0]
    said = [*(["close to the average"] if one.near_average else []), *(["large values"] if one.large else [])]
    least, most = (end(one.copies for one in alike) for end in (min, max))
    near = count(most, "near copy", "near copies")
    said += [near if least == most else f"{least:,} to {near}"] if one.copies else []
    return ", ".join(said).capitalize() or "–"
