# SPDX-License-Identifier: BSD-3-Clause
"""The known-input attack: known records are linked, everyone else's record is estimated."""

from isobreach.attacks.known_input.attack import AttackResult, attack, attack_linked
from isobreach.attacks.known_input.exposure import Kind
from isobreach.attacks.known_input.summary import AttackSummary, summarise

__all__ = ["AttackResult", "AttackSummary", "Kind", "attack", "attack_linked", "summarise"]
