# SPDX-License-Identifier: BSD-3-Clause
"""Align a public sample with the release, or what else is known of records: undoes rotations with nobody inside."""

from isobreach.attacks.alignment.method import Alignment
from isobreach.attacks.alignment.reconstruction import AlignmentReconstruction

__all__ = ["ATTACK", "AlignmentReconstruction"]

ATTACK = Alignment()
