# SPDX-License-Identifier: BSD-3-Clause
"""Read a table of whole numbers or decimals off the release, with no known record at all."""

from isobreach.attacks.lattice.attack import EFFORT, LatticeReconstruction, lattice_attack
from isobreach.attacks.lattice.method import Lattice

__all__ = ["ATTACK", "EFFORT", "LatticeReconstruction", "lattice_attack"]

ATTACK = Lattice()
