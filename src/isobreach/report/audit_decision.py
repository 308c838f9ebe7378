# SPDX-License-Identifier: BSD-3-Clause
"""The decision of an audit: publish or not, why, and what to do; the gate's outcome where the owner set a limit.

The limit is the owner's. Where there is none, the share of other people breached is held against that of the remedies,
5% unless another one was asked for. The gate decides: where it is open nothing here says not to publish, where it is
closed nothing says to publish as planned. Behind an open gate attributes may leak, of everybody: then the headline is
a condition.
"""

import math
from dataclasses import replace

from isobreach._naming import way
from isobreach._phrases import count, percent
from isobreach.audits import HARDLY, AttackerFigures, AuditResult, Gate, Reached, gate
from isobreach.document import Decision, Status
from isobreach.report.audit_gate import NO_PROOF, beyond_limit, gate_facts, gate_sentence, open_leaks, other_attacks
from isobreach.report.audit_preparation import beside_sentences, standardising
from isobreach.report.audit_remedies import advised, no_reliance
from isobreach.report.audit_words import (
    breaches,
    breaches_anybody,
    capital,
    least_knowledge,
    method_words,
    near,
    own_figure,
    read_sentence,
    reads,
    says_nothing,
    small,
    somebody,
    undecided,
    worst_attacker,
)
from isobreach.report.numbers import sampled, share

# Groups of the closed form and splits that an owner has the time for, a hundred times the usual number and ten times.
_MOST_SAMPLED = {True: 10_000, False: 80}
# What hides more behind a scheme, by the parameter that it has; another noise or group is another plan.
_STRONGER = {"noise": " More noise hides more of them.", "group": " Larger groups hide more of them."}
LEARNED = "single attributes may be learned"
_READ = ("Read what was not tested", "before you sign; it stands under “For the file”.")
_AGAIN = ("If the plan changes,", "run the audit again on the new table.")


def decision(result: AuditResult) -> Decision:
    """What to do, and why."""
    found = gate(result, result.met)
    return _closed(result, found, _also(result)) if found.closed else _open(result, found, _also(result))


def _closed(result: AuditResult, found: Gate, also: tuple[str, ...]) -> Decision:
    """What to do where the limit is exceeded, or might be."""
    tried = result.remedies
    if found.untested:
        why = capital(gate_sentence(result, found))
        ask = ("Ask somebody who knows the scheme", "how it is attacked; a figure of 0 is none here.")
        return _decided(result, found, "condition", "Do not publish on this word", why, also, (ask, _AGAIN))
    if says_nothing(result):
        why = _nothing_told(result)
        return _decided(result, found, "condition", "Do not publish yet", why, also, (_smaller_epsilon(result), _AGAIN))
    if found.attacker is not None and not found.attacker.decided:
        why, actions = undecided(found.attacker), (*_let_it_finish(result, found.attacker), _AGAIN)
        return _decided(result, found, "condition", "Do not publish yet", why, also, actions)
    remedy = None if tried is None else advised(tried)
    if remedy is not None and remedy.useful:
        headline = f"Publish only with {remedy.words}{f', and if {LEARNED}' if remedy.leaks else ''}"
        why = f"Not as planned. {_why(result, found)}"
        return _decided(result, found, "condition", headline, why, also, remedy.actions(result))
    if found.reached is not None and found.unsure:
        why, actions = capital(gate_sentence(result, found)), (_narrow(result, found), _AGAIN)
        also = tuple(line for line in also if line != breaches(result, found.reached))  # which tells the same figure
        return _decided(result, found, "condition", "Do not publish yet", why, also, actions)
    return _decided(result, found, "stop", "Do not publish", _why(result, found), also, _without(result))


def _open(result: AuditResult, found: Gate, also: tuple[str, ...]) -> Decision:
    """What to do where nothing that was tried exceeds the limit."""
    larger = gate(result, replace(result.met, insiders=None))
    if larger.closed:
        why = f"{capital(gate_sentence(result, found))} Of larger groups: {gate_sentence(result, larger)}"
        size = way("--fail-size", "fail_size")
        sure = ("Make sure that larger groups cannot form,", f"or decide by all that were tried: leave {size} out.")
        headline = f"Publish only if no more than {count(found.insiders, 'insider')} can pool their records"
        return _decided(result, found, "condition", headline, why, also, (sure, _AGAIN))
    first = result.smallest[0]
    one = "A single insider" if first.found == 1 else f"{first.found} insiders"
    single = f"{one} can breach another person with the {method_words(result)} (worst group found)."
    if open_leaks(result, found):
        why, actions = capital(gate_sentence(result, found)), (_may_be_known(result), _READ, _AGAIN)
        also = also if first.found is None else (single, *also)
        return _decided(result, found, "condition", f"Publish only if {LEARNED}", why, also, actions)
    if first.found is not None:
        groups = (
            [breaches(result, _best(result))] if somebody(result, _best(result)) else []
        )  # random ones, all of them
        why = " ".join([single, *groups, NO_PROOF])
        accept = ("Decide whether single people may be breached.", "Below, the most exposed ones are listed.")
        return _decided(
            result,
            found,
            "condition",
            "Publish only if you accept a risk for single people",
            why,
            also,
            (accept, _AGAIN),
        )
    finer = (_smaller_epsilon(result),) if says_nothing(result) else ()
    actions = (*finer, _READ, _AGAIN)
    return _decided(result, found, "open", "No attack that was tried succeeds", _fails(result), also, actions)


def _may_be_known(result: AuditResult) -> tuple[str, str]:
    lists = f"“Which attributes leak” lists them. {way('--columns', 'columns')} names those to publish."
    stronger = next((words for name, words in _STRONGER.items() if name in result.scheme_parameters), "")
    return "Decide whether these attributes may be known.", f"{lists}{stronger}"


def _other_protection(result: AuditResult) -> tuple[str, str]:
    """What else may protect a table, with the command that compares schemes on it."""
    command = way(result.comparing or "isobreach compare", f"ib.compare(X, epsilon={result.epsilon:g})")
    said = (
        f"{command} plays the attacks against every other scheme on your table. Or give access in a secure "
        "environment, or publish statistics or a model with differential privacy."
    )
    return "Use another protection.", said


def _let_it_finish(result: AuditResult, late: AttackerFigures) -> tuple[tuple[str, str], ...]:
    """What to do where an attack ran out of effort: its search, unlike an audit, can be given more."""
    alone = f"protect the table with isobreach perturb, and run isobreach attack {late.name} on the release"
    without = f"{other_attacks(result, late)} leaves it out, and the page says that it was not tested"
    return (
        ("Let it finish:", f"{alone}, with more --effort."),
        ("Or audit without it:", f"{without}. Fewer columns are searched sooner."),
    )


def _decided(
    result: AuditResult,
    found: Gate,
    status: Status,
    headline: str,
    why: str,
    also: tuple[str, ...],
    actions: tuple[tuple[str, str], ...],
) -> Decision:
    shown = () if result.criterion is None else gate_facts(result, found)
    if not found.untested:
        finer = _smaller_epsilon(result) in actions
        actions = (*actions[:-1], *standardising(result, smaller_epsilon=finer), *actions[-1:])
    narrowed = [] if _narrow(result, found) in actions else _in_interval(result, found, why)
    lines = *narrowed, *beyond_limit(result, found), *also, *beside_sentences(result)
    also = tuple(line for line in lines if line not in why)
    return Decision(status, headline, why, also, shown, actions, _meaning(result))


def _in_interval(result: AuditResult, found: Gate, why: str) -> list[str]:
    """What an owner has to hear where the limit lies in the interval of the figure that closes the gate.

    ``why``: what was said before; a figure that is told there is not repeated.
    """
    one = found.reached
    if one is None or one.attack is None or not one.breached.low <= found.limit < one.breached.high:
        return []
    said = f"The limit of {percent(found.limit)} lies in the interval of the figure that decides"
    figure = sampled(own_figure(result, one), near=found.limit)
    said = said if figure in why else f"{said}, {figure}"
    option, number = _enough(result, found)
    return [
        f"{said}: an audit with {option} may decide otherwise."
        if number <= _MOST_SAMPLED[one.closed_form]
        else f"{said}."
    ]


def _narrow(result: AuditResult, found: Gate) -> tuple[str, str]:
    """What to do where the upper end of an interval closes the gate: by how much more the figure is narrowed down."""
    one = found.reached
    if one is None:
        return "", ""
    option, number = _enough(result, found)
    if number <= _MOST_SAMPLED[one.closed_form]:
        return (
            "Narrow the figure down:",
            f"run the audit again with {option}: likely enough if the figure stays as it is.",
        )
    most = count(_MOST_SAMPLED[one.closed_form], "random group" if one.closed_form else "split")
    return "Take the limit for exceeded:", f"the figure is so near to it that {most} would not tell them apart."


def _enough(result: AuditResult, found: Gate) -> tuple[str, float]:
    """How much has to be sampled until the interval of the figure that closes the gate leaves the limit out.

    The width of an interval falls as the root of the number of samples; two figures are enough of a number. Twice
    as many are the least: the spread of a few samples is itself a guess.
    """
    assert found.reached is not None
    name, sampled_now = ("trials", result.trials) if found.reached.closed_form else ("splits", result.matrix.splits)
    figure = own_figure(result, found.reached)
    gap = abs(figure.value - found.limit)
    end = figure.high if figure.value <= found.limit else figure.low
    needed = max(sampled_now * (abs(end - figure.value) / gap) ** 2, 2 * sampled_now) if gap else math.inf
    if needed > max(_MOST_SAMPLED.values()):
        return "", math.inf
    step = 10 ** max(math.floor(math.log10(needed)) - 1, 0)
    number = math.ceil(needed / step) * step
    return way(f"--{name} {number}", f"{name}={number}"), number


def _best(result: AuditResult) -> Reached:
    """The attacker whom the decision names: whoever breaches half knowing least, or else the worst of all."""
    return least_knowledge(result, 0.5) or worst_attacker(result)


def _why(result: AuditResult, found: Gate) -> str:
    """What closes the gate, the worst attacker first: who knows nothing and reads values, before who knows more."""
    one, reader = _best(result), _worst_reader(result)
    if one.cell.insiders > found.insiders:  # whom the gate is not about
        one = result.reached(found.insiders, result.matrix.samples[-1])
    exceeds = one.breached.value > found.limit
    if reader is not None and not (exceeds and one.attack is not None and one.cell.nothing):
        return reads(result, reader)
    if not exceeds:
        return capital(gate_sentence(result, found))
    if one.attack is None:
        return (
            f"Guessing {result.baselines.guess} for everybody breaches {share(one.breached.value)} of all people "
            "without the release, and no protection prevents that at this epsilon."
        )
    return breaches(result, one)


def _worst_reader(result: AuditResult) -> AttackerFigures | None:
    """Who reads most of the release without any knowledge, if that exceeds the limit; None where nobody does."""
    found = [one for one in result.readers if one.claimed and one.worst > result.met.limit]
    return max(found, key=lambda one: one.worst, default=None)


def _also(result: AuditResult) -> tuple[str, ...]:
    """What else an owner has to hear, at most five sentences."""
    lines = []
    best, half = _best(result), least_knowledge(result, 0.5, sample=False)
    if best.attack is not None and somebody(result, best):
        lines.append(breaches(result, best))
    if best.cell.sample and half is not None:
        lines.append(f"Without public records: {small(breaches(result, half))}")
    elif not best.cell.sample and worst_attacker(result).breached.value - best.breached.value > 0.1:
        lines.append(breaches(result, worst_attacker(result)))
    lines += read_sentence(result, least=0.5)
    lines += [reads(result, one) for one in result.readers if one.claimed]
    lines += [undecided(one) for one in result.readers if not one.claimed and not one.decided]
    if says_nothing(result) and result.smallest[0].found is not None:
        lines.append(
            f"{count(result.smallest[0].found, 'insider')} can be enough to breach another person with the "
            f"{result.method} (worst group found)."
        )
    if result.undecided:
        lines.append(
            f"Links were undecided for {result.undecided} of {count(result.trials, 'random group')}: it may be worse."
        )
    return tuple(lines)


def _nothing_told(result: AuditResult) -> str:
    return (
        f"These figures say nothing about the release: guessing {result.baselines.guess} for everybody breaches "
        f"{share(result.baselines.blind)} of all people without it, and no attacker who was played does better."
    )


def _smaller_epsilon(result: AuditResult) -> tuple[str, str]:
    """At which epsilon a blind guess breaches no more than the limit, or hardly anyone; or that there is none."""
    blind, limit, finer = result.baselines.blind, result.met.limit, result.baselines.finer
    exceeds = f", more than the limit of {percent(limit)}" if blind > limit else ""
    guessed = f"a blind guess breaches {share(blind, near=limit)} of all people{exceeds}"
    said = f"At {result.epsilon:g} {guessed}, whatever the protection"
    goal = limit if blind > limit else HARDLY
    found = next(((epsilon, left) for epsilon, left in finer if left <= goal), None)
    if found is not None:
        smaller = way(f"--epsilon {found[0]:g}", f"epsilon={found[0]:g}")
        return f"Run the audit again with {smaller}.", f"{said}; at {found[0]:g} it is {share(found[1])}."
    if not finer:
        return "Run the audit again with a smaller epsilon.", f"{said}."
    epsilon, left = finer[-1]
    still = f"at {epsilon:g} it is still {share(left)}, because so many have nearly the same record"
    return "No smaller epsilon helps.", f"{said}; {still}. Decide by the attributes that leak, or set a higher limit."


def _fails(result: AuditResult) -> str:
    one = worst_attacker(result)
    if one.attack is None:
        return (
            f"No attacker who was tried does better than a blind guess, which breaches {share(result.baselines.blind)} "
            f"of all people. {NO_PROOF}"
        )
    guess = f"A blind guess breaches {share(result.baselines.blind)} of all people."
    return f"{breaches_anybody(result, one)} {guess} {NO_PROOF}"


def _without(result: AuditResult) -> tuple[tuple[str, str], ...]:
    """What to do where nothing that was tried helps."""
    tried, blind, limit = result.remedies, result.baselines.blind, result.met.limit
    if blind > limit:  # then no other protection helps either
        return (_smaller_epsilon(result), _other_protection(result), _AGAIN)
    if tried is None or not (tried.levels or advised(tried)):
        levels = way("--noise-levels 0.1,0.3,0.5", "noise_levels=[0.1, 0.3, 0.5]")
        try_noise = ("See what noise would hide and cost:", f"run the audit again with {levels}.")
        return (_other_protection(result), try_noise, _AGAIN)
    costly = advised(tried)
    return (_other_protection(result), no_reliance(tried) if costly is None else costly.too_costly, _AGAIN)


def _meaning(result: AuditResult) -> str:
    own, option = result.criterion is not None, way("--limit", "limit")
    limit = "" if own else f" No limit was given: {percent(result.met.limit)} is taken, and {option} sets another."
    return (
        f"Breached: the record is estimated {near(result)}; one person is, from a probability of "
        f"{percent(result.level)} on. Shares are expected ones. Insiders are people in the table who pool their own "
        "records. Public records are of the same kind, but of other people. Figures with a range in brackets are "
        f"sampled, with their 95% interval; all others are counted or computed.{limit}"
    )
