# SPDX-License-Identifier: BSD-3-Clause
"""Motions fitted again to all rows, where attributes have a grid: ``refine.refit`` from what every objective finds.

An objective that knows nothing of a grid finds the rotation up to an error of its own. That is enough for the values of
most attributes to be told, and these give the rotation far better. The likelihood chooses between the objectives.
"""

import numpy as np

from isobreach._arrays import FloatArray
from isobreach.attacks.alignment.situation import Situation
from isobreach.attacks.alignment.solution import FittedMotion
from isobreach.attacks.refine import Evidence, can_refit, refit
from isobreach.engine import Engine

_ROWS = 1_000  # to which the motion is fitted: it then errs 30 times less than a row does


def refitted(
    release: Engine, situation: Situation, rows: FloatArray, solutions: list[FittedMotion], evidence: Evidence
) -> dict[str, FloatArray]:
    """Estimates of all rows under the motion fitted again, and the likeliest records, by name; none without a grid.

    Parameters
    ----------
    release, situation
        The released rows, and how they are reduced; its links with rows as they were released.
    rows
        Reduced rows that are modelled.
    solutions
        What each objective found.
    evidence
        What the attacker knows that bears on estimates.
    """
    if not (release.fits and can_refit(evidence)) or not (situation.noise or solutions[0].frame.hidden):
        return {}
    some = rows[np.linspace(0, len(rows) - 1, min(len(rows), _ROWS)).astype(np.intp)]
    fitted = np.concatenate([situation.released, some])
    starts = (fitted @ matrix + shift for matrix, shift in (one.frame.affine(one.pose) for one in solutions))
    linked = np.arange(len(situation.known))
    best = refit(starts, fitted, evidence, linked, situation.known, translates=situation.translates)
    everyone = situation.reduced(release.everything("likely values of all rows are held at once"))
    return {"refitted": best.estimates(everyone), "refitted, likely values": best.likely(everyone)}
