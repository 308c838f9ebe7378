# SPDX-License-Identifier: BSD-3-Clause
"""Align a public sample with the release, or what else is known of records: undoes rotations with nobody inside."""

from isobreach.attacks.alignment.beyond import aligned_beyond
from isobreach.attacks.alignment.method import Alignment
from isobreach.attacks.alignment.mixture import Mixture, Whitening, fit_density
from isobreach.attacks.alignment.reconstruction import AlignmentReconstruction
from isobreach.attacks.alignment.situation import MOTIONS, Situation, situation_of
from isobreach.attacks.alignment.starts import quantiles
from isobreach.attacks.alignment.studied import Studied

__all__ = [
    "ATTACK",
    "MOTIONS",
    "AlignmentReconstruction",
    "Mixture",
    "Situation",
    "Studied",
    "Whitening",
    "aligned_beyond",
    "fit_density",
    "quantiles",
    "situation_of",
]

ATTACK = Alignment()
