# SPDX-License-Identifier: BSD-3-Clause
"""What an attacker does."""

from isobreach.attacks.exposure import Kind
from isobreach.attacks.kaplan import KaplanReconstruction, kaplan_estimates, pair_distances
from isobreach.attacks.known_input import AttackResult, attack, attack_linked
from isobreach.attacks.lattice import LatticeReconstruction
from isobreach.attacks.reconstruction import Knowledge, Reconstruction
from isobreach.attacks.registry import ATTACKS, NEEDS_KNOWN, reconstruct
from isobreach.attacks.summary import AttackSummary, summarise

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
