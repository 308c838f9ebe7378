# SPDX-License-Identifier: BSD-3-Clause
"""An audit in plain words: one source for the terminal, the page and the machine-readable result."""

from collections.abc import Iterable

import numpy as np

from isobreach._phrases import count, left_out, percent, probability
from isobreach._registry import ATTACKS
from isobreach.audits import (
    RANGE_SHARE,
    SHARE,
    WORST_RECORD,
    AttackerFigures,
    AuditResult,
    Gate,
    Sampled,
    Smallest,
    Stopped,
)
from isobreach.report.audit_cells import amount, sampled_share, share
from isobreach.report.audit_matrix import does_nothing, known_words, matrix_sentences, matrix_verdict

ALMOST_ALL = 0.95  # of the squared length: from here on, other attributes hardly count in what is called a breach
_FEW = 2  # attributes that may carry it


def breach_words(result: AuditResult) -> str:
    """What a breach is, in this audit."""
    return f"{_near(result)} with probability {result.level:g} or more"


def _near(result: AuditResult) -> str:
    what = "its direction, scaled to length one," if result.unit_length else "its length"
    return f"estimated within {percent(result.epsilon)} of {what}"


def verdict(result: AuditResult) -> str:
    """The outcome: the worst attacker first, and one sentence more for an attacker who needs no knowledge."""
    lead = matrix_verdict(result) or insiders_sentence(result)
    # A guess that serves most people may hide that somebody else is breached for certain.
    lead += f" {insiders_sentence(result)}" if does_nothing(result) and result.smallest[0].found is not None else ""
    return " ".join([lead, *_undecided(result), *_readers(result)])


def insiders_sentence(result: AuditResult) -> str:
    """What insiders achieve by the closed form: they guess what their records do not determine at random."""
    said = _insiders(result)
    found, guessed = result.smallest[0].found, result.smallest[0].guessed
    if found is not None and guessed is not None and guessed < found:
        said += f" If they guess their rows, {guessed} can be enough to breach one other record."
    return said


def _undecided(result: AuditResult) -> list[str]:
    """Where linking was given up."""
    coalitions = count(result.trials, "random coalition")
    said = f"Links were undecided for {result.undecided} of {coalitions}: it may be worse."
    return [said] if result.undecided else []


def _readers(result: AuditResult) -> list[str]:
    """What attacks without knowledge read, or might."""
    said = []
    for attacker in result.readers:
        if attacker.claimed:
            said.append(f"{_capital(attacker_reads(result, attacker))}.")
        elif not attacker.decided:
            said.append(
                f"The {attacker.name} attack, which needs no insider, came to no decision: with more time or "
                "knowledge it may succeed."
            )
    return said


def attacker_reads(result: AuditResult, attacker: AttackerFigures) -> str:
    """What an attack without insiders reads, of a claim that it makes."""
    if attacker.named == 1 and len(attacker.read) == result.attribute_count:
        missing = "only the columns' names, signs and offsets are missing, and value ranges or a few known records"
        named = "" if attacker.named == attacker.share else f"; {missing} supply them"
        return f"without any insider, the {attacker.name} attack reads every value of every record{named}"
    read = [repr(column(result, int(place))) for place in attacker.read]
    some = "" if not read else f" ({', '.join(read[:3])}{', ...' if len(read) > 3 else ''})"
    return (
        f"without any insider, the {attacker.name} attack reads {len(read)} of "
        f"{count(result.attribute_count, 'attribute')}"
        f"{some} of all records, up to their names, signs and offsets, and breaches {share(attacker.named)} of the "
        "records if the others are guessed at their means"
    )


def gate_sentence(result: AuditResult, gate: Gate) -> str:
    """What closes a gate or, where nothing does, what that means and no more."""
    if gate.attacker is not None:
        if gate.attacker.claimed:
            return f"{attacker_reads(result, gate.attacker)}."
        return (
            f"the {gate.attacker.name} attack, which needs no insider, came to no decision: with more time or "
            "knowledge it may succeed. --attacks known-input leaves it out."
        )
    if gate.reached is not None:
        one = gate.reached
        if one.attack is None:
            return (
                f"guessing {result.baselines.guess} breaches {share(one.breached.value)} of all people without the "
                f"release, above {gate.limit:g}: no protection opens this gate at this epsilon."
            )
        how = f"with {known_words(one.cell)}, the {ATTACKS[one.attack].title}"
        if one.breached.value <= gate.limit:
            return f"{how} may breach more than {gate.limit:g} of all other people: {sampled_share(one.breached)}."
        return f"{how} breaches {share(one.breached.value)} of all other people, above {gate.limit:g}."
    if gate.worst is not None:
        unsure = " if it knows its own rows, which it is not certain of but may guess" if gate.guessed else ""
        return (
            f"the worst coalition of {count(gate.size, 'insider')} that was tried ({gate.worst.coalition}) breaches "
            f"the most exposed record with probability {probability(gate.worst.value)}{unsure}, above {gate.limit:g}."
        )
    if gate.criterion == SHARE:
        sample = result.matrix.samples[-1]
        public = f" and {sample} public records" if sample else ""
        return (
            f"nobody who was tried breaches more than {share(gate.limit)} of all other people with up to "
            f"{count(gate.insiders, 'insider')}{public}."
        )
    tried = "" if gate.proved else " that was tried"
    why = f": a proved bound of what its records determine is {probability(gate.bound)}" if gate.proved else ""
    return (
        f"no coalition of up to {count(gate.insiders, 'insider')}{tried} breaches a record with a probability above "
        f"{gate.limit:g}{'' if result.rows_known else ', guessing rows or not'}{why}."
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _small(text: str) -> str:
    return text[:1].lower() + text[1:]


def _insiders(result: AuditResult) -> str:
    one, _, half, everyone = result.smallest
    largest = result.sizes[-1]
    last = result.per_size[-1]
    if one.found is None:
        worst = max(figures.worst_record.value for figures in result.per_size)
        most = f"the most exposed one is {_near(result)} with probability {probability(worst)}"
        unsure = "none is certain of the rows that it would need"
        guessed = "" if one.guessed is None else f" By guessing their rows, {count(one.guessed, 'insider')} can."
        return (
            f"No coalition of up to {count(largest, 'insider')} that was tried breaches another record; "
            f"{most if worst or result.rows_known else unsure}.{guessed} That is no proof of safety."
        )
    rows = (" who knows the own row" if one.found == 1 else " who know their own rows") if result.rows_known else ""
    enough, within = f"{count(one.found, 'insider')}{rows} can be enough to breach", breach_words(result)
    for goal, whom in ((everyone, "every other record"), (half, "half of the others")):
        if goal.found == one.found:
            sure = goal.certain == goal.found
            return f"{enough} {whom} ({_near(result) if sure else within}){_certain(goal)}."
        if goal.found is not None:
            return f"{enough} another record ({within}), and {goal.found} to breach {whom}{_certain(goal)}."
    random = share(last.random.breached.value)
    return f"{enough} another record ({within}); {largest} drawn at random breach {random} of all others."


def _certain(one: Smallest) -> str:
    """How many it takes for certain, where that is more."""
    if one.certain == one.found:
        return " with certainty"
    return "" if one.certain is None else f" ({one.certain} to do so with certainty)"


def sentences(result: AuditResult) -> list[str]:
    """What was found, a sentence each."""
    last = result.per_size[-1]
    others = result.rows - last.size
    most = f"; no coalition of that size can breach more than {last.bound.records:,} in this way"
    lines = [*matrix_sentences(result), _best_attribute(result)] if result.matrix.splits else []
    closed = [
        *([insiders_sentence(result)] if matrix_verdict(result) else []),
        _coalitions(result),
        (
            f"The worst coalition of {last.size} that was found ({last.worst_breached.coalition}) breaches "
            f"{amount(last.worst_breached.value)} of {others:,} others{most if last.bound.records < others else ''}."
        ),
        worst_record_sentence(result),
        *(smallest_sentence(one, result.sizes[-1]) for one in result.smallest),
        _insider(result),
        _attribute(result),
    ]
    # Beside attackers who were played, what insiders guess at random must not read as all that they can do.
    lines += [f"Closed form: {_small(line)}" for line in closed] if result.matrix.splits else closed
    lines += [
        (
            f"For comparison: guessing the column means breaches {share(result.baselines.column_means)} of the "
            f"records, a link drawn at random {sampled_share(result.baselines.random_link)}."
        ),
    ]
    lines += [attacker_sentence(result, place) for place in range(len(result.readers))]
    if result.remedies is not None:
        lines.append(remedy_sentence(result))
        lines += jitter_sentences(result)
    repeated = 0 if result.ids is None else result.rows - len(np.unique(result.ids))
    if repeated:
        lines.append(f"Ids repeat ({repeated:,} of them): the row, counted from 0, tells such records apart.")
    if result.undecided:
        lines.append(
            f"For {count(result.undecided, 'random coalition')} the search for links was given up: the table is so "
            "symmetric that figures are lower bounds there."
        )
    return lines + length_sentences(result) + left_out(result.left_out)


def _best_attribute(result: AuditResult) -> str:
    """The attribute to which the release adds most."""
    insiders, sample = result.sizes[-1], result.matrix.samples[-1]
    learned, blind = result.learned(insiders, sample), result.baselines.blind_attributes
    place = int((learned - blind).argmax())
    if learned[place] <= blind[place]:
        return "Of no attribute does any attacker learn more than a blind guess of its value."
    who = count(insiders, "insider") + (f" and {count(sample, 'public record')}" if sample else "")
    return (
        f"The release adds most to the attribute {column(result, place)!r}: learned, "
        f"{_within(result, place)}, of {share(float(learned[place]))} of the others by the best attacker with up to "
        f"{who}; the best single guess, without the release, does so for {share(float(blind[place]))}."
    )


def _coalitions(result: AuditResult) -> str:
    last = result.per_size[-1]
    found = f"{sampled_share(last.random.linked)} of the insiders find their own row with certainty"
    rows = "the insiders know their own rows" if result.rows_known else found
    return (
        f"Random coalitions of {last.size}: {rows}; {sampled_share(last.random.breached)} of all others are breached."
    )


def worst_record_sentence(result: AuditResult) -> str:
    """The record that is most exposed of all, and what is proved of it."""
    one = max(result.per_size, key=lambda figures: figures.worst_record.value)
    found, bound = one.worst_record, result.per_size[-1].bound.worst
    said = (
        f"The most exposed record: the worst coalition found ({count(one.size, 'insider')}, {found.coalition}) "
        f"breaches it with probability {probability(found.value)}"
    )
    if found.value == 0:
        said = "The most exposed record: breached with probability 0 by every coalition that was tried"
    if found.value == 1:
        return f"{said}."
    if bound == 1:
        return f"{said}; that no coalition does better is not proved."
    return f"{said}; no coalition of up to {result.sizes[-1]} exceeds {probability(bound)}."


def smallest_sentence(one: Smallest, largest: int) -> str:
    """How few insiders breach so many records, of the sizes tried."""
    found = "no coalition that was tried can" if one.found is None else f"{count(one.found, 'insider')} at best"
    if one.guessed is not None and one.guessed != one.found:
        found += f", {one.guessed} if they guess their rows"
    if one.random is None:
        typical = f"fewer than half of the random coalitions do, up to {largest}"
    else:
        low = one.random if one.low is None else one.low
        high = f"more than {largest}" if one.high is None else str(one.high)
        between = "" if str(low) == high else f" (between {low} and {high})"
        typical = f"half of the random coalitions from {one.random} on{between}"
    return f"To breach {one.target}: {found}; {typical}."


def _insider(result: AuditResult) -> str:
    one = result.insider
    if one.record is None:
        return f"No insider alone finds the own row: {count(one.tried, 'insider')} tried."
    unlikely = f", none of them with probability {result.level:g} or more" if result.smallest[0].found != 1 else ""
    return (
        f"The single insider who exposes the most, of {one.tried:,} tried, is {name(result, one.record)}: "
        f"alone, {one.expected:.3g} other records are expected to be breached{unlikely if one.expected else ''}."
    )


def _attribute(result: AuditResult) -> str:
    figures = result.attributes
    place, insiders = int(figures.value[-1].argmax()), count(result.sizes[-1], "random insider")
    value = Sampled(*(float(part[-1, place]) for part in (figures.value, figures.low, figures.high)))
    within = _within(result, place)
    if value.value == 0:
        rows = "" if result.rows_known else ", with rows that are certain"
        best = float(result.baselines.attributes.max())
        return f"{insiders} learned no attribute{rows}, {within}; guessing means learns up to {share(best)} of one."
    alike = int((figures.value[-1] == value.value).sum()) - 1
    said = f"the attribute {column(result, place)!r}" + (f" ({count(alike, 'other')} alike)" if alike else "")
    return (
        f"Most easily learned, {within}, is {said}: of {sampled_share(value)} of the others, on average, by "
        f"{insiders}; guessing its mean does so for {share(float(result.baselines.attributes[place]))}."
    )


def carriers(result: AuditResult) -> list[int]:
    """The one or two attributes that carry almost all of the squared length, of at least one more; else none."""
    shares = result.length_shares
    order = np.argsort(-shares, kind="stable")
    for number in range(1, min(_FEW, len(shares) - 1) + 1):
        if shares[order[:number]].sum() >= ALMOST_ALL:
            return [int(place) for place in order[:number]]
    return []


def length_sentences(result: AuditResult) -> list[str]:
    """A warning where one or two attributes carry almost all of the length; nothing otherwise."""
    found = carriers(result)
    if not found:
        return []
    names = " and ".join(repr(column(result, place)) for place in found)
    carried = share(float(result.length_shares[found].sum()))
    verb, them = ("carries", "it") if len(found) == 1 else ("carry", "them")
    said = (
        f"{names} {verb} {carried} of the squared length of all records: a breach is almost only about {them}, and "
        "says little of the other attributes. To count all attributes alike, add --standardise (in Python: "
        "ib.prepare(..., standardise=True)); --both gives both verdicts."
    )
    return [said]


def tolerance(result: AuditResult, place: int) -> str:
    """Within what an attribute counts as learned; 5% of a range is not told as a number, which would tell the range."""
    figures = result.attributes
    if np.isnan(figures.tolerance[place]):
        return "its category"
    scaled = " of records scaled to length one" if result.unit_length else ""
    return f"{figures.tolerance[place]:g}{scaled}" if figures.given else f"{percent(RANGE_SHARE)} of its range"


def _within(result: AuditResult, place: int) -> str:
    """How exactly an attribute is learned, in a sentence."""
    exact = np.isnan(result.attributes.tolerance[place])
    return "as a category" if exact else f"within {tolerance(result, place)}"


def attacker_sentence(result: AuditResult, place: int) -> str:
    """What an attacker without insiders achieved."""
    one = result.readers[place]
    if not one.claimed:
        outcome = "makes no claim" if one.decided else "came to no decision"
        why = one.reason.removeprefix("Nothing is claimed: ")
        return f"The {one.name} attack, which knows no record, {outcome}: {why}"
    return f"{_capital(attacker_reads(result, one))}. {one.reason}"


def remedy_sentence(result: AuditResult) -> str:
    """The smallest noise that meets the target, or that none does."""
    tried = result.remedies
    if tried is None:
        return ""
    goal = f"the limit: at most {share(tried.target)} of all other people breached by anyone who was tried"
    if tried.criterion == WORST_RECORD:
        goal = f"the limit: no record breached with a probability above {share(tried.target)} by anyone who was tried"
    goal += f", up to {count(tried.insiders, 'insider')}"
    if tried.blind > tried.target:
        return (
            f"Noise: none can bring the breach rate to {share(tried.target)}: guessing {tried.guess} breaches "
            f"{share(tried.blind)} of the records, whatever is published."
        )
    if tried.smallest is None:
        levels = ", ".join(f"{one.noise:g}" for one in tried.levels)
        last = tried.levels[-1].played
        who = f". At the last, {stopped_words(last)}" if last is not None and last.share > tried.target else ""
        return f"Noise: none of the levels tried ({levels}) meets {goal}{who}."
    level = next(one for one in tried.levels if one.noise == tried.smallest)
    return (
        f"Noise: {level.noise:g} times the table's spread is the smallest level tried that meets {goal}; "
        f"{share(level.neighbours.value)} of nearest neighbours are then kept, and clusters agree to "
        f"{level.clusters:.2f} (1: the same, 0: as by chance). Stronger attacks than these may need more."
    )


def stopped_words(one: Stopped) -> str:
    """Who breaches how many in spite of a remedy."""
    return f"with {known_words(one.cell)}, the {ATTACKS[one.attack].title} breaches {share(one.share)}"


def attack_titles(names: Iterable[str]) -> str:
    """Return what attacks are called in sentences."""
    return " and ".join(f"the {ATTACKS[name].title}" for name in names)


def jitter_sentences(result: AuditResult) -> list[str]:
    """What jitter does against attacks that need a grid; nothing where it was not tried."""
    tried = result.remedies
    if tried is None or not tried.jitter:
        return []
    last = tried.jitter[-1]
    stopped = attack_titles(last.attackers)
    insiders = (
        f"{count(tried.insiders, 'insider')} who know their rows are still expected to breach "
        f"{sampled_share(last.insiders)} of all others"
    )
    if last.breach_rate > tried.target:
        levels = ", ".join(f"{one.jitter:g}" for one in tried.jitter)
        return [f"Jitter: none of the levels tried ({levels} of a value's step) stops {stopped}; {insiders}."]
    said = f"Jitter: where values are moved at random within {last.jitter:g} of their step, {stopped} fails"
    if tried.smallest_jitter is not None:
        return [f"{said}, and nobody who was tried breaches more than {share(tried.target)}; {insiders}."]
    more = "" if last.played is None else f". Played, {stopped_words(last.played)}"
    return [f"{said}. That is no protection from others, who need no grid: {insiders}{more}."]


def name(result: AuditResult, record: int) -> str:
    """A record's id, or its row counted from 0."""
    return f"record {result.ids[record]}" if result.ids is not None else f"the record in row {record} (counted from 0)"


def column(result: AuditResult, place: int) -> str:
    """A column's name."""
    return result.names[place] if result.names is not None else f"c{place + 1}"
