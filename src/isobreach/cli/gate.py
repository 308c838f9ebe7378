# SPDX-License-Identifier: BSD-3-Clause
"""The gate of an audit on the command line: its options, and what it prints."""

from collections.abc import Sequence
from dataclasses import dataclass

from isobreach._interface import AuditReport
from isobreach.audits import gate
from isobreach.errors import InputError
from isobreach.report import gate_sentence


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
        found = gate(result, self.above, self.size)
        return f"gate closed: {gate_sentence(result, found)}" if found.closed else None

    def opened(self, result: AuditReport) -> str:
        """What an open gate means, and no more."""
        return f"Gate open: {gate_sentence(result, gate(result, 1.0 if self.above is None else self.above, self.size))}"
