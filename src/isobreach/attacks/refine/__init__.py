# SPDX-License-Identifier: BSD-3-Clause
"""What any attacker does to a raw estimate, each step only where the knowledge allows it.

``Evidence`` is the knowledge that bears on estimates. ``variants`` gives the estimates that follow from it by name,
``refined`` the one that the attacker would choose without the truth, ``blind`` what can be guessed without the release.
"""

from isobreach.attacks.refine import steps
from isobreach.attacks.refine.blind import blind, interval_guess
from isobreach.attacks.refine.choice import Rehearsal, chosen, refined
from isobreach.attacks.refine.evidence import Evidence
from isobreach.attacks.refine.grid import ValueGrid, shown_grid
from isobreach.attacks.refine.recipes import Recipe, apply, every_step, recipes, variants
from isobreach.attacks.refine.refit import Refit, can_refit, refit
from isobreach.attacks.refine.steps import ridge

__all__ = [
    "Evidence",
    "Recipe",
    "Refit",
    "Rehearsal",
    "ValueGrid",
    "apply",
    "blind",
    "can_refit",
    "chosen",
    "every_step",
    "interval_guess",
    "recipes",
    "refined",
    "refit",
    "ridge",
    "shown_grid",
    "steps",
    "variants",
]
