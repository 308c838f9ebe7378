# SPDX-License-Identifier: BSD-3-Clause
"""What an attacker does."""

from isobreach.attacks.kaplan import KaplanReconstruction, kaplan_estimates, pair_distances
from isobreach.attacks.known_input.attack import AttackResult, attack, attack_linked
from isobreach.attacks.known_input.exposure import Kind
from isobreach.attacks.known_input.summary import AttackSummary, summarise
from isobreach.attacks.lattice import LatticeReconstruction
from isobreach.attacks.reconstruction import Knowledge, Reconstruction
from isobreach.attacks.registry import ATTACKS, NEEDS_KNOWN, reconstruct

__all__ = [
    "ATTACKS",
    "NEEDS_KNOWN",
    "AttackResult",
    "AttackSummary",
    "KaplanReconstruction",
    "Kind",
    "Knowledge",
    "LatticeReconstruction",
    "Reconstruction",
    "attack",
    "attack_linked",
    "kaplan_estimates",
    "pair_distances",
    "reconstruct",
    "summarise",
]
