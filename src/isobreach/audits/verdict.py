# SPDX-License-Identifier: BSD-3-Clause
"""The gate of an audit: whether the owner's criterion is met, and what decides that.

An attacker without insiders who reads something reads it of everyone: that closes the gate. Everybody else
closes it by the breached share, at any number of insiders up to the one in question and with any public sample: where
that was sampled, of groups or on splits, by the upper end of its interval. By the criterion of the worst record
coalitions also close it by the most exposed record, the worst of all that were tried, guessing their rows or not. Where
nobody exceeds the limit, an attacker who came to no decision closes it, too. Where only guesses were played nothing was
found out, and the gate stays closed. It is open where nothing that was tried exceeds the limit; a proved bound holds
for what insiders' records determine alone.
"""

from dataclasses import dataclass, replace

from isobreach.audits.attackers import AttackerFigures
from isobreach.audits.criterion import SHARE, WORST_RECORD, Criterion
from isobreach.audits.figures import Leak, WorstFound
from isobreach.audits.result import AuditResult, Reached
from isobreach.errors import InputError


@dataclass(frozen=True, repr=False)
class Gate:
    """What closes a gate, if anything does.

    Attributes
    ----------
    limit
        The largest share or probability that is allowed.
    insiders
        Coalitions of up to so many count.
    attacker
        The attacker without knowledge who closes it.
    reached
        The attacker who was played and closes it, or the blind guess.
    size, worst, guessed
        The coalition that closes it, with its size, and whether it may have to guess its rows for that.
    bound
        No coalition of up to ``insiders`` breaches a record with a higher probability.
    criterion
        ``"share"`` or ``"worst-record"``.
    untested
        Whether it is closed because nobody was played who could undo the scheme.
    """

    limit: float
    insiders: int
    bound: float
    attacker: AttackerFigures | None = None
    reached: Reached | None = None
    size: int = 0
    worst: WorstFound | None = None
    guessed: bool = False
    criterion: str = SHARE
    untested: bool = False

    def __repr__(self) -> str:
        """Its outcome in a line."""
        outcome = "closed" if self.closed else "open"
        return f"Gate({outcome}, limit={self.limit:g}, criterion={self.criterion!r}, insiders={self.insiders})"

    @property
    def closed(self) -> bool:
        """Whether the limit is exceeded, or might be."""
        return self.untested or not (self.attacker is None and self.reached is None and self.worst is None)

    @property
    def unsure(self) -> bool:
        """Whether it is closed by the upper end of an interval alone, so that a larger audit may open it."""
        return self.reached is not None and self.reached.breached.value <= self.limit

    @property
    def proved(self) -> bool:
        """Whether the bound alone keeps insiders below the limit."""
        return self.bound <= self.limit


def gate(result: AuditResult, criterion: Criterion) -> Gate:
    """Decide whether a criterion is met.

    Parameters
    ----------
    result
        The audit.
    criterion
        What may not be exceeded; its ``insiders`` must be one of the audit's sizes. Smaller coalitions count, since
        insiders may leave records out.
    """
    insiders = criterion.insiders
    if insiders is not None and insiders not in result.sizes:
        rule = f"must be one of the coalition sizes of this audit: {', '.join(map(str, result.sizes))}"
        step = "Run the audit again with coalition_sizes that include it."
        raise InputError("insiders", rule, repr(insiders), step)
    sizes = result.up_to(result.sizes[-1] if insiders is None else insiders)
    limit, worst_record = criterion.limit, criterion.kind == WORST_RECORD
    open_ = Gate(limit, sizes[-1].size, sizes[-1].bound.worst, criterion=criterion.kind)
    if not result.tested:
        return replace(open_, untested=True)
    for attacker in result.readers:
        if attacker.claimed and (worst_record or attacker.worst > limit):
            return replace(open_, attacker=attacker)
    knowledge = open_.insiders, result.matrix.samples[-1]
    reached = result.reached(*knowledge)
    # By the worst record, coalitions of the closed form come below.
    if reached.breached.value > limit and not (worst_record and reached.closed_form):
        return replace(open_, reached=reached)
    if worst_record and open_.bound > limit:
        for guessed in (False, True):
            found = [(one.guessed_record if guessed else one.worst_record, one.size) for one in sizes]
            worst, size = max(found, key=lambda pair: pair[0].value)
            if worst.value > limit:
                return replace(open_, size=size, worst=worst, guessed=guessed)
    late = next((one for one in result.readers if not one.decided), None)  # who may yet, where nobody does
    if late is not None:
        return replace(open_, attacker=late)
    possible = result.reached(*knowledge, upper=True)
    return replace(open_, reached=possible) if possible.breached.high > limit else open_


def leaks_beside(result: AuditResult, found: Gate) -> list[Leak]:
    """Attributes that are learned of more people than a guess tells, by more than a gate's limit, which is not on them.

    The probability of the most exposed record limits no share of people: there the audit's target counts, if smaller.
    """
    more = found.limit if found.criterion == SHARE else min(found.limit, result.target.limit)
    return result.leaks(found.insiders, more)
