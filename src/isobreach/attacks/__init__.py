# SPDX-License-Identifier: BSD-3-Clause
"""What an attacker does."""

from isobreach.attacks.known_input import AttackResult, attack
from isobreach.attacks.summary import AttackSummary, summarise

__all__ = ["AttackResult", "AttackSummary", "attack", "summarise"]
