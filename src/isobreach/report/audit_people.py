# SPDX-License-Identifier: BSD-3-Clause
"""Who is exposed: how many insiders each person takes, and the people with the highest figures."""

from isobreach._phrases import count
from isobreach.audits import AuditResult, ExposedPerson
from isobreach.document import Bar, Bars, Block, Column, Section, Table, Text
from isobreach.report.audit_words import INTERVAL, worst_attacker
from isobreach.report.numbers import sampled, share

MOST = 10  # people that the page shows
MOST_BARS = 12
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
        Column("Breached by random groups", INTERVAL, number=True),
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
