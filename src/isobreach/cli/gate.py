# SPDX-License-Identifier: BSD-3-Clause
"""The gate of an audit: what a pipeline stops at."""

from collections.abc import Sequence
from dataclasses import dataclass

from isobreach._interface import AuditReport
from isobreach._phrases import count, probability
from isobreach.audits import SizeFigures
from isobreach.errors import InputError
from isobreach.report import attacker_reads


@dataclass(frozen=True)
class Gate:
    """``--fail-above`` and ``--fail-size``: the highest breach probability that is allowed, and against how many."""

    above: float | None
    size: int | None

    def check(self, sizes: Sequence[int]) -> None:
        """Refuse a gate that could not be decided, before the work starts."""
        if self.above is None:
            if self.size is not None:
                raise InputError("--fail-size", "needs a limit", "no --fail-above", "Add --fail-above P.")
            return
        if not 0 <= self.above < 1:
            raise InputError("--fail-above", "must be a probability from 0 to below 1", self.above)
        if self.size is not None and self.size not in sizes:
            raise InputError("--fail-size", "must be one of the coalition sizes", self.size, "See --coalitions.")

    def reason(self, result: AuditReport) -> str | None:
        """Why the gate is closed, None if it is open."""
        if self.above is None:
            return None
        for attacker in result.attackers:
            if attacker.claimed:  # whatever it reads, it reads of everyone
                return f"gate closed: {attacker_reads(result, attacker)}."
            if not attacker.decided:
                return (
                    f"gate closed: the {attacker.name} attack, which needs no insider, came to no decision: with more "
                    "time or knowledge it may succeed. --attacks known-input leaves it out."
                )
        sizes = self._decides(result)
        if sizes[-1].bound.worst <= self.above:  # whatever could not be linked, and holds for smaller ones too
            return None
        unsure = " if it knows its rows, or at most that if it guesses them"
        for which, said in (("worst_record", ""), ("guessed_record", unsure)):
            size, found = max(((one.size, getattr(one, which)) for one in sizes), key=lambda pair: pair[1].value)
            if found.value > self.above:
                return (
                    f"gate closed: the worst coalition of {count(size, 'insider')} that was tried ({found.coalition}) "
                    f"breaches the most exposed record with probability {probability(found.value)}{said}, above "
                    f"{self.above:g}."
                )
        return None

    def opened(self, result: AuditReport) -> str:
        """What an open gate means, and no more."""
        sizes = self._decides(result)
        bound, up_to = sizes[-1].bound.worst, count(sizes[-1].size, "insider")
        proved = self.above is not None and bound <= self.above
        tried = "" if proved else " that was tried"
        why = f": a proved bound of what its records determine is {probability(bound)}" if proved else ""
        return (
            f"Gate open: no coalition of up to {up_to}{tried} breaches a record with a probability above "
            f"{self.above:g}{'' if result.rows_known else ', guessing rows or not'}{why}."
        )

    def _decides(self, result: AuditReport) -> tuple[SizeFigures, ...]:
        """The size that the gate is for, and smaller ones: insiders may leave some of their records out."""
        return result.up_to(result.sizes[-1] if self.size is None else self.size)
