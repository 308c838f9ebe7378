# SPDX-License-Identifier: BSD-3-Clause
"""What an attacker does."""

from isobreach.attacks.exposure import Kind
from isobreach.attacks.known_input import AttackResult, attack, attack_linked
from isobreach.attacks.summary import AttackSummary, summarise

__all__ = ["AttackResult", "AttackSummary", "Kind", "attack", "attack_linked", "summarise"]
