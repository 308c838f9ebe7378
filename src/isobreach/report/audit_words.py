# SPDX-License-Identifier: BSD-3-Clause
"""An audit in plain words: one source for the page, the terminal, the verdict and the findings.

Every sentence is whole: which one is said depends on the result, but none is put together from parts that could
contradict each other.
"""

from collections.abc import Sequence

import numpy as np

from isobreach._naming import way
from isobreach._phrases import count, percent
from isobreach._registry import ATTACKS
from isobreach.audits import (
    HARDLY,
    RANGE_SHARE,
    AttackerFigures,
    AuditResult,
    Cell,
    Reached,
    Sampled,
    Smallest,
    Stopped,
)
from isobreach.report.numbers import sampled, share

CATEGORY = "its category"  # of which an attribute is learned that has no tolerance
INTERVAL = "sampled, 95% interval"  # the kind of a column
_SOMEBODY = 0.5  # expected people breached, below which nobody is


def attack_name(name: str) -> str:
    """What an attack is called on a page for owners."""
    return str(ATTACKS[name].plain or ATTACKS[name].title)


def method_name(result: AuditResult, one: Reached) -> str:
    """What an attacker does who is not guessing: an attack that was played, or that of the insiders' figures."""
    return result.method if one.closed_form or one.attack is None else attack_name(one.attack)


def method_words(result: AuditResult) -> str:
    """What insiders' figures are of, with the names of the attacks where there are several."""
    names = [f"the {attack_name(name)}" for name in result.suitable]
    return f"{result.method}, {listed(names, 'or')}" if names else result.method


def column(result: AuditResult, place: int) -> str:
    """A column's name."""
    return result.names[place] if result.names is not None else f"c{place + 1}"


def person(result: AuditResult, row: int) -> str:
    """A record's id, or its row counted from 0."""
    if result.ids is None or result.ids_are_rows:
        return f"row {row if result.ids is None else result.ids[row]}"
    return str(result.ids[row])


def near(result: AuditResult) -> str:
    """How near an estimate has to come."""
    what = "its direction, scaled to length one" if result.unit_length else "its length"
    return f"within {percent(result.epsilon)} of {what}"


def within(result: AuditResult, place: int) -> str:
    """Within what an attribute counts as learned; 5% of a range is not told as a number, which would tell the range."""
    figures = result.attributes
    if np.isnan(figures.tolerance[place]):
        return CATEGORY
    scaled = " of records scaled to length one" if result.unit_length else ""
    return f"{figures.tolerance[place]:g}{scaled}" if figures.given else f"{percent(RANGE_SHARE)} of its range"


def who(cell: Cell) -> str:
    """Who knows so much, as the subject of a sentence: one person, or several.

    >>> who(Cell(0)), who(Cell(0, 200)), who(Cell(2))
    ('an outsider who has only the release', 'an outsider who knows nobody in the table but has 200 public records', \
'2 insiders who pool their own records')
    >>> who(Cell(1, 1000)), who(Cell(4, 200, True))
    ('a single insider who has 1,000 public records', \
'4 insiders who pool their own records, have 200 public records and know the ranges of the attributes')
    """
    one = cell.insiders <= 1
    public = [f"{'has' if one else 'have'} {count(cell.sample, 'public record')}"] if cell.sample else []
    ranges = [f"{'knows' if one else 'know'} the ranges of the attributes"] if cell.ranges else []
    more = [*public, *ranges]
    if cell.insiders == 0:
        return "an outsider who " + (f"knows nobody in the table but {' and '.join(more)}" if more else _RELEASE)
    if cell.insiders == 1:
        return "a single insider" + (f" who {' and '.join(more)}" if more else "")
    pooled = f"{cell.insiders} insiders who pool their own records"
    if not more:
        return pooled
    return f"{pooled} and {more[0]}" if len(more) == 1 else f"{pooled}, {more[0]} and {more[1]}"


_RELEASE = "has only the release"


def knows(cell: Cell) -> str:
    """What somebody knows, in few words.

    >>> knows(Cell(0)), knows(Cell(2)), knows(Cell(0, 200)), knows(Cell(1, 50, True))
    ('no insider', '2 insiders', 'no insider, 200 public records', '1 insider, 50 public records, ranges')
    """
    parts = [count(cell.insiders, "insider") if cell.insiders else "no insider"]
    parts += [count(cell.sample, "public record")] if cell.sample else []
    return ", ".join([*parts, "ranges"] if cell.ranges else parts)


def breach(cell: Cell) -> str:
    """The verb after ``who``."""
    return "breaches" if cell.insiders <= 1 else "breach"


def and_sample(result: AuditResult) -> str:
    """The largest public sample that was tried, as the end of a clause; nothing where none was."""
    sample = result.matrix.samples[-1]
    return f" and {count(sample, 'public record')}" if sample else ""


def breaches(result: AuditResult, one: Reached) -> str:
    """Who breaches how many, with which attack: a whole sentence."""
    subject, verb = capital(who(one.cell)), breach(one.cell)
    if one.attack is None:
        return f"{subject} {verb} {share(one.breached.value)} of the other people by a blind guess."
    if one.breached.value == 1 and not one.closed_form and result.matrix.splits:
        attack, splits = attack_name(one.attack), result.matrix.splits
        return f"{subject} {verb} every other person with the {attack} (sampled: in {splits} of {splits} splits)."
    return f"{subject} {verb} {others(result, one)} with the {method_name(result, one)}."


def somebody(result: AuditResult, one: Reached) -> bool:
    """Whether at least one person is expected to be breached."""
    return one.breached.value * result.rows >= _SOMEBODY


def breaches_anybody(result: AuditResult, one: Reached) -> str:
    """The same sentence, or that nobody is: not where a limit is exceeded, which may be smaller than one person."""
    if somebody(result, one) or one.attack is None:
        return breaches(result, one)
    expected = sampled(own_figure(result, one), near=result.met.limit)
    nobody = f"{capital(who(one.cell))} {breach(one.cell)} nobody with the {method_name(result, one)}"
    return f"{nobody}: {expected} of the other people are expected to be breached."


def others(result: AuditResult, one: Reached) -> str:
    """Whom somebody breaches, with the figure's interval."""
    found = own_figure(result, one)
    if found.value == 1:
        return "every other person"
    return f"{sampled(found, near=result.met.limit)} of the other people"


def own_figure(result: AuditResult, one: Reached) -> Sampled:
    """The figure of whoever is named: ``one`` may have the interval of those who know more."""
    return result.reached(one.cell.insiders, one.cell.sample, ranges=one.cell.ranges).breached


def worst_group(size: int) -> str:
    """The worst coalition of a size, as the subject of a sentence.

    >>> worst_group(1), worst_group(3)
    ('the worst single insider that was found', 'the worst group of 3 insiders that was found')
    """
    group = "the worst single insider" if size == 1 else f"the worst group of {size:,} insiders"
    return f"{group} that was found"


def stopped(one: Stopped, limit: float) -> str:
    """Who breaches how many in spite of a remedy, which is told of one split: no clause but this one may tell it."""
    where = "the only split played" if one.splits == 1 else f"one of {one.splits} splits played"
    return f"on {where}, {who(one.cell)} {breach(one.cell)} {share(one.share, near=limit)} of the other people"


def capital(text: str) -> str:
    """Text that begins a sentence."""
    return text[:1].upper() + text[1:]


def small(text: str) -> str:
    """Text inside a sentence."""
    return text[:1].lower() + text[1:]


def listed(words: list[str], last: str = "and") -> str:
    """Words by commas."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def worst_attacker(result: AuditResult) -> Reached:
    """The most dangerous of all attackers in this audit."""
    return result.reached(result.sizes[-1], result.matrix.samples[-1])


def samples_left_out(result: AuditResult) -> list[str]:
    """A sentence on public samples that were asked for and not tried, none if there are none."""
    left = [f"{one:,}" for one in result.samples_asked if one not in result.matrix.samples]
    if not left:
        return []
    said = f"A public sample of {listed(left, 'or')} records was not tried: at most half of the rows can be held out"
    tried, largest = result.matrix.samples[-1], min(result.rows // 2, result.rows - result.sizes[-1] - 1)
    if largest < 1:
        return [f"{said}."]
    said += f", here {largest:,}."
    if tried not in (0, *result.samples_asked):
        said += f" A third of the rows, {tried:,}, was held out instead. Who has more public records may breach more."
    if largest < 2 * tried:  # hardly more would be found
        return [said]
    sizes = sorted({*result.matrix.samples[1:], largest})
    again = way(f"--samples {','.join(map(str, sizes))}", f"samples={sizes}")
    return [f"{said} Run the audit again with {again}."]


def typical_number(one: Smallest, sizes: Sequence[int]) -> str:
    """The number of insiders from which half of the random groups breach so many, with its interval if it has one."""
    return sizes_between(one.random, one.low, one.high, sizes)


def sizes_between(
    found: int | None, low: int | None, high: int | None, sizes: Sequence[int], *, noun: bool = False
) -> str:
    """A number of insiders and its interval, if it has one; None is more than the largest of ``sizes``.

    Of the numbers in its interval, those that were not tried are named.

    >>> sizes_between(4, 4, 8, (1, 2, 4, 8)), sizes_between(1, 1, 1, (1, 2), noun=True)
    ('4 (4 to 8; not tried: 5 to 7)', '1 insider')
    """
    said, first, last = (f"more than {sizes[-1]}" if value is None else str(value) for value in (found, low, high))
    said += f" insider{'' if said == '1' else 's'}" if noun else ""
    if first == last or low is None:
        return said
    skipped = spans([size for size in range(low, (high or sizes[-1]) + 1) if size not in sizes])
    return f"{said} ({first} to {last}{f'; not tried: {skipped}' if skipped else ''})"


def spans(numbers: Sequence[int]) -> str:
    """Rising whole numbers, neighbours by their first and last.

    >>> spans([1, 2, 3, 5, 8, 9]), spans([])
    ('1 to 3, 5, 8, 9', '')
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{one[0]} to {one[-1]}" if len(one) > 2 else ", ".join(map(str, one)) for one in runs)


def table_size(result: AuditResult) -> str:
    """Rows that were audited, and attributes: a category in several columns is one."""
    return f"{count(result.rows, 'row')} × {count(result.attribute_count, 'attribute')}"


def rows_dropped(result: AuditResult) -> int:
    """Rows of the owner's table that were left out of the audit."""
    return max(result.rows_read - result.rows, 0)


def least_knowledge(result: AuditResult, level: float, *, sample: bool = True) -> Reached | None:
    """The attacker with the fewest insiders, then the smallest sample, who breaches such a share, by an attack."""
    for insiders in sorted({0, *result.matrix.sizes, *result.sizes}):
        for size in result.matrix.samples if sample else (0,):
            found = result.reached(insiders, size)
            if found.breached.value >= level and found.attack is not None:
                return found
    return None


def beats_guess(result: AuditResult, one: Reached) -> bool:
    """Whether an attack breaches more than the blind guess beyond doubt, and at least one person is expected to be."""
    more = one.breached.low > result.baselines.blind
    return one.attack is not None and more and somebody(result, one)


def read_sentence(result: AuditResult, least: float = 0.0) -> list[str]:
    """Who reads vectors by looking estimates up: with the least knowledge that reads half, or the most that was tried.

    Nothing is said of tables that are no vectors, nor of a share below ``least``.
    """
    tried = ((size, sample) for size in result.matrix.sizes for sample in result.matrix.samples)
    found = [(Cell(*one), read) for one in tried if (read := result.read_out(*one)) is not None]
    if not found:
        return []
    cell, read = next((one for one in found if one[1].top_1.value >= 0.5), found[-1])
    said = (
        f"Estimates are read by looking them up, within epsilon or not: for {sampled(read.top_1)} of the others the "
        f"own vector is the nearest of all that are published ({knows(cell)})."
    )
    return [said] if read.top_1.value >= least else []


def says_nothing(result: AuditResult) -> bool:
    """Whether no attacker does better than a blind guess that breaches many."""
    return result.baselines.blind > HARDLY and worst_attacker(result).breached.value <= result.baselines.blind


def reads(result: AuditResult, attacker: AttackerFigures) -> str:
    """What an attack without insiders reads, of a claim that it makes."""
    attack = attack_name(attacker.name)
    if attacker.named == 1 and len(attacker.read) == result.attribute_count:
        if attacker.named == attacker.share:
            return f"Without any knowledge, the {attack} reads every value of every record."
        return (
            f"Without any knowledge, the {attack} reads every value of every record. Only names and directions of the "
            "columns are missing, and value ranges, a public sample or a few known records supply them."
        )
    read = [repr(column(result, int(place))) for place in attacker.read]
    some = f"{', '.join(read[:3])}{', ...' if len(read) > 3 else ''}"
    if not read:
        return f"Without any knowledge, the {attack} reads a part of the release, but no whole attribute."
    return (
        f"Without any knowledge, the {attack} reads {len(read)} of {count(result.attribute_count, 'attribute')} "
        f"({some}) of all records, up to their names and directions."
    )


def undecided(attacker: AttackerFigures) -> str:
    """What it means that an attack ran out of effort."""
    attack = attack_name(attacker.name)
    return f"The {attack}, which needs no insider, came to no decision: with more effort or knowledge it may succeed."


def of_a_part(result: AuditResult) -> list[str]:
    """What was measured on all records of a table that stays in its files, and what on a part of them."""
    if not result.part:
        return []
    return [
        (
            f"The table was read from its files, pass by pass. Of all {result.rows:,} records are the figures of "
            "random and of the worst groups with the distance attack, every person's exposure, what is proven and the "
            f"blind guess. Of a random part of {result.part:,} records are attackers who are played, attributes, "
            "quantiles, guessing somebody else's record, and the people among whom the worst groups are looked for. "
            "Insiders are supposed to know their own rows: for those who have to search, figures are upper bounds."
        )
    ]


def no_claim(attacker: AttackerFigures) -> str:
    """Why an attack without knowledge reads nothing."""
    why = attacker.reason.removeprefix("Nothing is claimed: ")
    return f"Without any knowledge, the {attack_name(attacker.name)} reads nothing: {why}"
