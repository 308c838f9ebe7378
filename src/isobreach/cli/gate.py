# SPDX-License-Identifier: BSD-3-Clause
"""The gate of an audit on the command line: its options, and what it prints."""

from collections.abc import Sequence
from dataclasses import dataclass

from isobreach._reports import AuditReport
from isobreach.audits import SHARE, WORST_RECORD, Criterion, gate
from isobreach.errors import InputError
from isobreach.report import gate_sentence


@dataclass(frozen=True)
class GateOptions:
    """What may not be exceeded; None for no gate."""

    criterion: Criterion | None

    @classmethod
    def asked(
        cls,
        limit: float | None,
        criterion: str | None,
        fail_above: float | None,
        size: int | None,
        sizes: Sequence[int],
    ) -> "GateOptions":
        """The gate of the options, or what is wrong with them, before the work starts."""
        if fail_above is not None:
            if limit is not None or criterion not in (None, WORST_RECORD):
                rule = f"is --limit P --criterion {WORST_RECORD} and stands alone"
                raise InputError("--fail-above", rule, "another limit or criterion", "Use --limit and --criterion.")
            limit, criterion = fail_above, WORST_RECORD
        if limit is None:
            if size is not None:
                raise InputError("--fail-size", "needs a limit", "no --limit", "Add --limit P.")
            return cls(None)
        if not 0 <= limit < 1:
            name = "--limit" if fail_above is None else "--fail-above"
            raise InputError(name, "must be a probability from 0 to below 1", limit, "Write 0.05 or 5%.")
        if size is not None and size not in sizes:
            raise InputError("--fail-size", "must be one of the coalition sizes", size, "See --coalitions.")
        return cls(Criterion.checked(limit, criterion or SHARE, insiders=size))

    def reason(self, result: AuditReport) -> str | None:
        """Why the gate is closed, None if it is open."""
        if self.criterion is None:
            return None
        found = gate(result, self.criterion)
        return f"gate closed: {gate_sentence(result, found)}" if found.closed else None

    def opened(self, result: AuditReport) -> list[str]:
        """What an open gate means, and no more; nothing where there is none."""
        if self.criterion is None:
            return []
        found = gate(result, self.criterion)
        return [f"Gate open: {gate_sentence(result, found)}"]
