# SPDX-License-Identifier: BSD-3-Clause
"""The owner's criterion: one limit, and what it limits, for gate, remedies and verdict alike.

*share*: the breached share, that of other people's records which any attacker is expected to breach. *worst-record*:
the probability with which the most exposed record is breached. The second is never below the first, so that who meets
it meets both. Of what was sampled the upper end of the 95% interval counts, whoever attacks.
"""

from dataclasses import dataclass
from typing import Any

from isobreach._validation import check_not_negative
from isobreach.errors import InputError

SHARE, WORST_RECORD = "share", "worst-record"
KINDS = SHARE, WORST_RECORD


@dataclass(frozen=True)
class Criterion:
    """What may not be exceeded.

    Attributes
    ----------
    limit
        The largest probability or share that is allowed.
    kind
        ``"share"`` of the others, or ``"worst-record"``.
    insiders
        Coalitions of up to so many count; None for all that are audited.
    """

    limit: float
    kind: str = SHARE
    insiders: int | None = None

    @classmethod
    def checked(cls, limit: Any, kind: Any = SHARE, name: str = "limit", insiders: int | None = None) -> "Criterion":
        """A criterion from what a user gives; ``name``: how the limit is called."""
        if kind not in KINDS:
            raise InputError("criterion", f"must be one of {', '.join(KINDS)}", repr(kind))
        number = check_not_negative(name, limit)
        if number > 1:
            raise InputError(name, "must be a share or a probability, from 0 to 1", number, "5% is 0.05.")
        return cls(number, kind, insiders)
