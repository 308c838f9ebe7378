# SPDX-License-Identifier: BSD-3-Clause
r"""Is there a mirror image of a motion that nothing held tells from it?

A wrong optimum mostly differs from the right one by a reflection. Known records refute one only if it moves them: the
mirror with normal v moves a record x by 2 |v'(x - c)|. An attribute that is next to nothing in all known records, and
not in everybody, may be mirrored as far as they tell. The sample tells it where the mirrored one is less likely: by a
factor of exp(m (F' - F)) for m records, F as in ``placing``.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach.attacks.alignment.frames import Pose
from isobreach.attacks.alignment.placing import Placing
from isobreach.attacks.alignment.situation import Situation
from isobreach.attacks.alignment.solution import FittedMotion
from isobreach.attacks.alignment.studied import Studied


@dataclass(frozen=True)
class MirrorRule:
    """When a mirror image stands against a claim.

    Attributes
    ----------
    open
        Length of the part of an attribute's axis that links leave open, at least: less is shown by them.
    matters
        Share of released rows that it moves by more than epsilon, at least: fewer are hardly more than errors of a fit.
    told
        Log of the odds against it from which on the sample tells it: those of a chance match that a link may have.
    """

    open: float = 0.5
    matters: float = 0.002
    told: float = float(np.log(1e3))


RULE = MirrorRule()


def untold_mirrors(situation: Situation, studied: Studied, solution: FittedMotion, epsilon: float) -> list[int]:
    """Return the attributes whose mirror image fits all that is held, and would change somebody's estimate.

    Parameters
    ----------
    situation, studied
        Known records and the sample; released rows and their density.
    solution
        The motion that would be claimed.
    epsilon
        Relative error that counts as a breach.
    """
    frame = solution.frame
    matrix, shift = frame.affine(solution.pose)
    estimates = studied.rows @ matrix + shift
    held = np.vstack([situation.known, situation.unused])
    found = []
    for attribute in range(frame.hidden_x.shape[0]):
        normal = frame.hidden_x[attribute]  # the part of the attribute's axis that links leave open
        length = float(np.linalg.norm(normal))
        if length < RULE.open:
            continue
        normal = normal / length
        if _moved(held, frame.hidden_x @ normal, frame.centre_x, epsilon).any():
            continue
        share = _moved(estimates, frame.hidden_x @ normal, frame.centre_x, epsilon).mean()
        if share >= RULE.matters and _odds(situation, studied, solution, normal) < RULE.told:
            found.append(attribute)
    return found


def _moved(records: FloatArray, normal: FloatArray, centre: FloatArray, epsilon: float) -> NDArray[np.bool_]:
    """Which records a mirror moves by more than epsilon of their length."""
    return np.asarray(2 * np.abs((records - centre) @ normal) > epsilon * np.linalg.norm(records, axis=1))


def _odds(situation: Situation, studied: Studied, solution: FittedMotion, normal: FloatArray) -> float:
    """Log of the sample's odds for the motion against its mirror image; none without a sample."""
    if situation.sample is None:
        return 0.0
    density, pose = studied.density, solution.pose
    placing = Placing(
        solution.frame, density.whitening, density.mixture, situation.sample, len(situation.sample), np.zeros(0)
    )
    mirrored: Pose = replace(pose, rotation=pose.rotation - 2 * np.outer(pose.rotation @ normal, normal))
    return len(situation.sample) * (placing.value(mirrored) - placing.value(pose))
