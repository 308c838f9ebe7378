# SPDX-License-Identifier: BSD-3-Clause
"""What an attacker does: attacks by name, each a module of this package or of another."""

from typing import TYPE_CHECKING

from isobreach._lazy import loading
from isobreach._settings import setting

if TYPE_CHECKING:
    from isobreach.attacks.base import Attack, NoSettings, Reconstruction
    from isobreach.attacks.kaplan import ITERATIONS, LEARNING_RATE, kaplan_estimates, pair_distances
    from isobreach.attacks.knowledge import Knowledge
    from isobreach.attacks.known_input import (
        DETERMINED,
        QUANTILES,
        AttackResult,
        AttackSummary,
        Kind,
        KnownInputReconstruction,
        attack,
        attack_document,
        attack_linked,
        hints,
        normalised,
        summarise,
    )
    from isobreach.attacks.pairs import attribute_privacy
    from isobreach.attacks.readout import ReadOut, mean_cosine, read_out
    from isobreach.attacks.refine import Evidence, ValueGrid, blind, interval_guess, refined, variants
    from isobreach.attacks.registry import ATTACKS, describe, reconstruct

__all__ = [
    "ATTACKS",
    "DETERMINED",
    "ITERATIONS",
    "LEARNING_RATE",
    "QUANTILES",
    "Attack",
    "AttackResult",
    "AttackSummary",
    "Evidence",
    "Kind",
    "Knowledge",
    "KnownInputReconstruction",
    "NoSettings",
    "ReadOut",
    "Reconstruction",
    "ValueGrid",
    "attack",
    "attack_document",
    "attack_linked",
    "attribute_privacy",
    "blind",
    "describe",
    "hints",
    "interval_guess",
    "kaplan_estimates",
    "mean_cosine",
    "normalised",
    "pair_distances",
    "read_out",
    "reconstruct",
    "refined",
    "setting",
    "summarise",
    "variants",
]

__getattr__ = loading(
    __name__,
    {
        "base": ("Attack", "NoSettings", "Reconstruction"),
        "kaplan": ("ITERATIONS", "LEARNING_RATE", "kaplan_estimates", "pair_distances"),
        "knowledge": ("Knowledge",),
        "known_input": (
            "DETERMINED",
            "QUANTILES",
            "AttackResult",
            "AttackSummary",
            "Kind",
            "KnownInputReconstruction",
            "attack",
            "attack_document",
            "attack_linked",
            "hints",
            "normalised",
            "summarise",
        ),
        "pairs": ("attribute_privacy",),
        "readout": ("ReadOut", "mean_cosine", "read_out"),
        "refine": ("Evidence", "ValueGrid", "blind", "interval_guess", "refined", "variants"),
        "registry": ("ATTACKS", "describe", "reconstruct"),
    },
)
