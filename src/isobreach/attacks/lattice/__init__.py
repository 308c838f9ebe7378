# SPDX-License-Identifier: BSD-3-Clause
"""The lattice attack: grid-valued tables fall with no known record."""

from isobreach.attacks.lattice.attack import BUDGET, LatticeReconstruction, lattice_attack

__all__ = ["BUDGET", "LatticeReconstruction", "lattice_attack"]
