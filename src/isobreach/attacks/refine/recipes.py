# SPDX-License-Identifier: BSD-3-Clause
"""Which steps the knowledge allows, and in which combinations they are worth trying: recipes by name.

First what is done to the hidden part (or to the length, where no part is visible), then ranges, then the grid. A name
lists what was done. The last recipe takes every step that the knowledge allows. What replaces an estimate (the
nearest record, a blind guess at the length of the row) is no such step.
"""

from collections.abc import Callable, Iterable
from functools import reduce

import numpy as np

from isobreach._arrays import FloatArray
from isobreach.attacks.refine import steps
from isobreach.attacks.refine.evidence import Evidence

Step = Callable[[FloatArray, Evidence], FloatArray]
Recipe = tuple[Step, ...]

_INSTEAD = ("nearest record", "mean direction", "middle direction")  # of an estimate


def recipes(evidence: Evidence) -> dict[str, Recipe]:
    """Return the combinations of steps that the knowledge allows, by name.

    Parameters
    ----------
    evidence
        What the attacker knows.
    """
    finishes: dict[str, Recipe] = {"": ()}
    if evidence.ranges is not None and any(np.isfinite(end).any() for end in evidence.ranges):
        finishes["clipped"] = (steps.clipped,)
    if evidence.noise and evidence.population is not None and (evidence.steps is not None or evidence.lists):
        finishes["likely values"] = (steps.likely,)
    if evidence.steps is not None:
        finishes["rounded"] = (steps.rounded,)
    if evidence.lists and "likely values" in finishes:  # the last step: a list says more than a grid
        finishes["likely values"] = finishes.pop("likely values")
    if evidence.rays is not None:
        finishes["rounded direction"] = (steps.rounded_direction,)
    found = _instead(evidence)
    for first, start in _starts(evidence).items():
        for last, finish in finishes.items():
            name = ", ".join(part for part in (first, last) if part)
            if name:
                found[name] = (steps.filled, *start, *finish)
    return found


def every_step(names: Iterable[str]) -> str:
    """Return the name of the recipe that takes every step that the knowledge allows; empty where there is none.

    Parameters
    ----------
    names
        Of recipes, in their order.
    """
    return next((name for name in reversed(list(names)) if name not in _INSTEAD), "")


def _instead(evidence: Evidence) -> dict[str, Recipe]:
    """What may take the place of an estimate."""
    measured = evidence.norms is not None or evidence.lengths is not None
    allowed = (
        evidence.occurring is not None,
        measured and evidence.means is not None,
        measured and evidence.ranges is not None and bool(np.isfinite(evidence.ranges).all()),
    )
    recipes: tuple[Recipe, ...] = ((steps.filled, steps.nearest), (steps.mean_direction,), (steps.middle_direction,))
    found = zip(_INSTEAD, recipes, allowed, strict=True)
    return {name: recipe for name, recipe, there in found if there}


def _starts(evidence: Evidence) -> dict[str, Recipe]:
    """What may be done to the hidden part, or to the length."""
    if evidence.visible is None:
        return {"": ()} if evidence.norms is None else {"": (), "length": (steps.length,)}
    wide, seen = evidence.visible.shape
    hides = seen < wide
    found: dict[str, Recipe] = {"foot": (steps.foot,), "": ()} if hides else {"": ()}
    if hides and steps.has_outward(evidence):
        found["outward"] = (steps.outward,)
    if (hides or evidence.noise) and steps.predictors(evidence) is not None:
        found["regression"] = (steps.regression,)
        if hides and (evidence.norms is not None or evidence.residuals is not None):
            found["regression, length"] = (steps.regression, steps.aimed)
    return found


def apply(recipe: Recipe, raw: FloatArray, evidence: Evidence) -> FloatArray:
    """Return estimates after every step of a recipe.

    Parameters
    ----------
    recipe
        One of ``recipes``.
    raw
        Estimates, m x n; NaN where an attribute was not estimated.
    evidence
        What the attacker knows.
    """
    return reduce(lambda estimates, step: step(estimates, evidence), recipe, np.asarray(raw, dtype=np.float64))


def variants(raw: FloatArray, evidence: Evidence) -> dict[str, FloatArray]:
    """Return other estimates that the same attacker may prefer, by what was done to the raw ones.

    Parameters
    ----------
    raw
        Estimates, m x n; NaN where an attribute was not estimated.
    evidence
        What the attacker knows.
    """
    return {name: apply(recipe, raw, evidence) for name, recipe in recipes(evidence).items()}
