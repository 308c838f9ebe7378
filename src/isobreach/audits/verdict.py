# SPDX-License-Identifier: BSD-3-Clause
"""The gate of an audit: whether a limit on the breach probability holds, and what decides that.

An attacker without insiders who reads something reads it of everyone: that closes the gate, and so does one who came to
no decision. Whoever was played closes it by the share of others that he breaches: somebody is breached with at least
that probability. Coalitions close it by the worst of all sizes up to the one in question, guessing their rows or not.
It is open where nothing that was tried exceeds it; a proved bound holds for what insiders' records determine alone.
"""

from dataclasses import dataclass

from isobreach._validation import check_probability
from isobreach.audits.attackers import AttackerFigures
from isobreach.audits.result import AuditResult, Reached, WorstFound
from isobreach.errors import InputError


@dataclass(frozen=True)
class Gate:
    """What closes a gate, if anything does.

    Attributes
    ----------
    limit
        The highest breach probability that is allowed.
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
    """

    limit: float
    insiders: int
    bound: float
    attacker: AttackerFigures | None = None
    reached: Reached | None = None
    size: int = 0
    worst: WorstFound | None = None
    guessed: bool = False

    @property
    def closed(self) -> bool:
        """Whether the limit is exceeded, or might be."""
        return self.attacker is not None or self.reached is not None or self.worst is not None

    @property
    def proved(self) -> bool:
        """Whether the bound alone keeps insiders below the limit."""
        return self.bound <= self.limit


def gate(result: AuditResult, limit: float, insiders: int | None = None) -> Gate:
    """Decide whether a breach probability above a limit was found.

    Parameters
    ----------
    result
        The audit.
    limit
        The highest breach probability that is allowed.
    insiders
        One of the audit's sizes, the largest by default: smaller coalitions count, since insiders may leave records
        out.
    """
    check_probability("limit", limit)
    if insiders is not None and insiders not in result.sizes:
        known = ", ".join(map(str, result.sizes))
        raise InputError("insiders", f"must be one of the coalition sizes: {known}", repr(insiders))
    sizes = result.up_to(result.sizes[-1] if insiders is None else insiders)
    asked, bound = sizes[-1].size, sizes[-1].bound.worst
    for attacker in result.readers:
        if attacker.claimed or not attacker.decided:
            return Gate(limit, asked, bound, attacker)
    reached = result.reached(asked, result.matrix.samples[-1])
    if reached.breached.value > limit and not reached.closed_form:  # coalitions of the closed form come below
        return Gate(limit, asked, bound, reached=reached)
    if bound > limit:
        for guessed in (False, True):
            found = [(one.guessed_record if guessed else one.worst_record, one.size) for one in sizes]
            worst, size = max(found, key=lambda pair: pair[0].value)
            if worst.value > limit:
                return Gate(limit, asked, bound, size=size, worst=worst, guessed=guessed)
    return Gate(limit, asked, bound)
