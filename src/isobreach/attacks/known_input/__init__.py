# SPDX-License-Identifier: BSD-3-Clause
"""Link known records to their released rows and estimate everyone else's record."""

from isobreach.attacks.known_input.attack import AttackResult, attack, attack_linked
from isobreach.attacks.known_input.describe import attack_document
from isobreach.attacks.known_input.exposure import Kind
from isobreach.attacks.known_input.method import KnownInput, KnownInputReconstruction, hints, normalised
from isobreach.attacks.known_input.noisy_rows import DETERMINED
from isobreach.attacks.known_input.summary import QUANTILES, AttackSummary, summarise

__all__ = [
    "ATTACK",
    "DETERMINED",
    "QUANTILES",
    "AttackResult",
    "AttackSummary",
    "Kind",
    "KnownInput",
    "KnownInputReconstruction",
    "attack",
    "attack_document",
    "attack_linked",
    "hints",
    "normalised",
    "summarise",
]

ATTACK = KnownInput()
