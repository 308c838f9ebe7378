# SPDX-License-Identifier: BSD-3-Clause
"""Find the attributes among released columns that were only permuted, flipped, scaled and shifted."""

from isobreach.attacks.permutation.method import PermutationAttack, PermutationReconstruction

__all__ = ["ATTACK", "PermutationReconstruction"]

ATTACK = PermutationAttack()
