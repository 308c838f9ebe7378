# SPDX-License-Identifier: BSD-3-Clause
"""The gate of an audit: whether the owner's criterion is met, and what decides that.

An attacker without insiders who reads something reads it of everyone: that closes the gate, and so does one who came to
no decision. Everybody else closes it by the breached share, at any number of insiders up to the one in question and
with any public sample; whoever was played on a few splits, by the upper end of its interval. By the criterion of the
worst record coalitions also close it by the most exposed record, the worst of all that were tried, guessing their rows
or not. It is open where nothing that was tried exceeds the limit; a proved bound holds for what insiders' records
determine alone.
"""

from dataclasses import dataclass, replace

from isobreach.audits.attackers import AttackerFigures
from isobreach.audits.criterion import WORST_RECORD, Criterion
from isobreach.audits.figures import WorstFound
from isobreach.audits.result import AuditResult, Reached
from isobreach.errors import InputError


@dataclass(frozen=True)
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
    """

    limit: float
    insiders: int
    bound: float
    attacker: AttackerFigures | None = None
    reached: Reached | None = None
    size: int = 0
    worst: WorstFound | None = None
    guessed: bool = False
    criterion: str = WORST_RECORD

    @property
    def closed(self) -> bool:
        """Whether the limit is exceeded, or might be."""
        return self.attacker is not None or self.reached is not None or self.worst is not None

    @property
    def proved(self) -> bool:
        """Whether the bound alone keeps insiders below the limit."""
        return self.bound <= self.limit


def gate(result: AuditResult, criterion: Criterion, insiders: int | None = None) -> Gate:
    """Decide whether a criterion is met.

    Parameters
    ----------
    result
        The audit.
    criterion
        What may not be exceeded.
    insiders
        One of the audit's sizes, the largest by default: smaller coalitions count, since insiders may leave records
        out.
    """
    if insiders is not None and insiders not in result.sizes:
        known = ", ".join(map(str, result.sizes))
        raise InputError("insiders", f"must be one of the coalition sizes: {known}", repr(insiders))
    sizes = result.up_to(result.sizes[-1] if insiders is None else insiders)
    limit, worst_record = criterion.limit, criterion.kind == WORST_RECORD
    open_ = Gate(limit, sizes[-1].size, sizes[-1].bound.worst, criterion=criterion.kind)
    for attacker in result.readers:
        if not attacker.decided or (attacker.claimed and (worst_record or attacker.worst > limit)):
            return replace(open_, attacker=attacker)
    reached = result.reached(open_.insiders, result.matrix.samples[-1])
    # By the worst record, coalitions of the closed form come below.
    if reached.breached.value > limit and not (worst_record and reached.closed_form):
        return replace(open_, reached=reached)
    if worst_record and open_.bound > limit:
        for guessed in (False, True):
            found = [(one.guessed_record if guessed else one.worst_record, one.size) for one in sizes]
            worst, size = max(found, key=lambda pair: pair[0].value)
            if worst.value > limit:
                return replace(open_, size=size, worst=worst, guessed=guessed)
    played = result.matrix.reached(open_.insiders, result.matrix.samples[-1], upper=True)
    if played is not None and played[1].breached.high > limit:  # he may breach as many: a few splits do not exclude it
        cell, best = played
        return replace(open_, reached=Reached(best.breached, best.attack, cell, best.variant))
    return open_
