# SPDX-License-Identifier: BSD-3-Clause
"""The outcome of a gate: in a sentence, and as the facts that stand in the decision.

An open gate says what it does not limit: what insiders breach who are chosen well, and attributes that are learned of
more people than a blind guess tells, by over the limit, while whole records are not.
"""

from collections.abc import Sequence

from isobreach._naming import way
from isobreach._phrases import count, percent
from isobreach.audits import INSIDERS, SHARE, AttackerFigures, AuditResult, Gate, Leak, Reached, leaks_beside
from isobreach.document import Fact
from isobreach.report.audit_words import (
    and_sample,
    attack_name,
    breaches,
    column,
    knows,
    method_name,
    own_figure,
    reads,
    small,
    undecided,
    who,
    worst_group,
)
from isobreach.report.numbers import sampled, share

NO_PROOF = "That is no proof of safety."


def gate_sentence(result: AuditResult, found: Gate) -> str:
    """What closes a gate or, where nothing does, what that means and no more."""
    if found.untested:
        return (
            f"nothing was found out: no attack that isobreach has can undo the scheme “{result.scheme}”, and only "
            f"guesses were played. {NO_PROOF}"
        )
    if found.attacker is not None:
        if found.attacker.claimed:
            said, reached = small(reads(result, found.attacker)), _above(result, found)
            return said if reached is None else f"{said} {breaches(result, reached)}"
        return small(f"{undecided(found.attacker)} {other_attacks(result, found.attacker)} leaves it out.")
    if found.reached is not None:
        if found.reached.attack is None:
            guessed = share(found.reached.breached.value, near=found.limit)
            return (
                f"guessing {result.baselines.guess} breaches {guessed} of all people without the release, above the "
                f"limit of {percent(found.limit)}: no protection opens this gate at an epsilon of {result.epsilon:g}."
            )
        if found.unsure:
            said = sampled(own_figure(result, found.reached), near=found.limit)
            more = f"{who(found.reached.cell)} may breach more than {percent(found.limit)} of the other people"
            return f"{more} with the {method_name(result, found.reached)}: {said}."
        return f"{small(breaches(result, found.reached))[:-1]}, above the limit of {percent(found.limit)}."
    if found.worst is not None:
        rows = " if all own rows are known, which is not certain, but they may be guessed" if found.guessed else ""
        return (
            f"{worst_group(found.size)} breaches the most exposed person with a probability of "
            f"{share(found.worst.value, near=found.limit)}{rows}, above the limit of {percent(found.limit)}."
        )
    return " ".join([_met(result, found), *beyond_limit(result, found)])


def _met(result: AuditResult, found: Gate) -> str:
    """What an open gate says of the limit."""
    if found.criterion == SHARE:
        return (
            f"nobody who was tried breaches more than {percent(found.limit)} of the other people, with up to "
            f"{count(found.insiders, 'random insider')}{and_sample(result)}."
        )
    insiders = count(found.insiders, "insider")
    if found.proved:
        return (
            f"no group of up to {insiders} breaches a person with a probability above {percent(found.limit)} (proven, "
            f"distance attack only: at most {share(found.bound)})."
        )
    if result.rows_known:
        return (
            f"no group of up to {insiders} that was tried breaches a person with a probability above "
            f"{percent(found.limit)}."
        )
    return (
        f"no group of up to {insiders} that was tried breaches a person with a probability above "
        f"{percent(found.limit)}, guessing rows or not."
    )


def beyond_limit(result: AuditResult, found: Gate) -> list[str]:
    """What exceeds the limit behind an open gate, because it is not what is limited; nothing of a closed one."""
    return [] if found.closed else [*_chosen(result, found), *leak_sentences(result, open_leaks(result, found))]


def open_leaks(result: AuditResult, found: Gate) -> list[Leak]:
    """Attributes that leak by more than the limit behind an open gate."""
    return [] if found.closed else leaks_beside(result, found)


def leak_sentences(result: AuditResult, leaks: Sequence[Leak], subject: str = "But the best attacker") -> list[str]:
    """Of how many people an attribute is learned while whole records are not; nothing where none leaks."""
    if not leaks:
        return []
    worst, rest = leaks[0], len(leaks) - 1
    more = f" {count(rest, 'more attribute')} {'leaks' if rest == 1 else 'leak'}, too." if rest else ""
    said = f"{subject} learns {column(result, worst.place)!r} of {sampled(worst.learned)} of the other people"
    return [f"{said}, where a blind guess is right for {share(worst.blind)}.{more}"]


def _chosen(result: AuditResult, found: Gate) -> list[str]:
    """That insiders who are chosen well breach more than a limit which random ones meet; nothing where they do not."""
    one = max(result.up_to(found.insiders), key=lambda figures: figures.worst_mean.value)
    if one.worst_mean.value <= found.limit:
        return []
    return [f"But {worst_group(one.size)} breaches {share(one.worst_mean.value)} of them with the {result.method}."]


def other_attacks(result: AuditResult, late: AttackerFigures) -> str:
    """How to ask for the attacks that were played but for one."""
    names = sorted({INSIDERS, *(one.name for one in result.matrix.attackers)} - {late.name})
    return way(f"--attacks {','.join(names)}", f"attacks={names}")


def gate_facts(result: AuditResult, found: Gate) -> tuple[Fact, ...]:
    """What is limited, the limit, what was found, and the outcome."""
    insiders = f"up to {count(found.insiders, 'insider')}{and_sample(result)}"
    if found.criterion == SHARE:
        what = f"Expected share of other people breached, {insiders}"
    else:
        what = f"Highest breach probability of any person, {insiders}"
    return (
        Fact("Gate", what),
        Fact("Limit", percent(found.limit)),
        Fact("Found", _found(result, found)),
        Fact("Result", "Closed" if found.closed else "Open"),
    )


def _above(result: AuditResult, found: Gate) -> Reached | None:
    """Who breaches most, if that is a larger share than the limit, by an attack."""
    reached = result.reached(found.insiders, result.matrix.samples[-1])
    exceeds = found.criterion == SHARE and reached.attack is not None and reached.breached.value > found.limit
    return reached if exceeds else None


def _found(result: AuditResult, found: Gate) -> str:
    exceeding = _above(result, found)
    if exceeding is not None:
        return f"{sampled(own_figure(result, exceeding), near=found.limit)}: {knows(exceeding.cell)}"
    if found.attacker is not None:
        outcome = "reads values" if found.attacker.claimed else "is undecided"
        return f"The {attack_name(found.attacker.name)} {outcome}"
    if found.reached is not None:
        by = "blind guess" if found.reached.attack is None else knows(found.reached.cell)
        return f"{sampled(own_figure(result, found.reached), near=found.limit)}: {by}"
    if found.worst is not None:
        return f"{share(found.worst.value, near=found.limit)} ({count(found.size, 'insider')})"
    if found.untested:
        return "Nothing: only guesses were played"
    if found.criterion == SHARE:
        possible = result.reached(found.insiders, result.matrix.samples[-1], upper=True)
        return sampled(possible.breached, near=found.limit)
    return share(max(one.worst_record.value for one in result.up_to(found.insiders)), near=found.limit)
