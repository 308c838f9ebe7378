# SPDX-License-Identifier: BSD-3-Clause
"""Groups of attributes whose squares have one sum for everybody, such as cosine and sine, and links that name them.

Where records satisfy |x_G|^2 = r^2 for several groups G of attributes, the forms of the relations that rows satisfy
(``relations``) are combinations of projectors on the images of the groups, and the eigenspaces of a random combination
are these images.

Links name the images (``groups``), and must determine the rotation within each, too.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isobreach.attacks.alignment.descent import Evaluations
from isobreach.attacks.alignment.frames import frame_of, polar
from isobreach.attacks.alignment.groups import groups_of
from isobreach.attacks.alignment.relations import Relations
from isobreach.attacks.alignment.situation import Situation
from isobreach.attacks.alignment.solution import FittedMotion

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class QuadricTuning:
    """When relations are sums of squares."""

    same: float = 1e-6  # relative difference of eigenvalues; linear parts that are none


TUNING = QuadricTuning()


def images(relations: Relations, rng: np.random.Generator) -> list[FloatArray]:
    """Orthonormal bases of the images of groups, n x d each; nothing where rows show no such relations.

    Parameters
    ----------
    relations
        Of the released rows.
    rng
        Draws a combination of relations.
    """
    n = relations.forms.shape[1]
    if not 1 < len(relations) < n:
        return []
    linear = relations.linear - 2 * relations.forms @ relations.centre  # about the origin
    if np.abs(linear).max() > TUNING.same * np.abs(relations.forms).max():
        return []
    levels, basis = np.linalg.eigh(np.tensordot(rng.standard_normal(len(relations)), relations.forms, 1))
    cuts = np.flatnonzero(np.diff(levels) > TUNING.same * np.abs(levels).max()) + 1
    return np.split(basis, cuts, axis=1)


def by_quadrics(
    situation: Situation, rows: FloatArray, bases: list[FloatArray], effort: Evaluations
) -> FittedMotion | None:
    """The motion that takes the images to the groups that links name, or None where they do not determine it.

    Parameters
    ----------
    situation
        Links and motion.
    rows, bases
        Released rows; bases of the images.
    effort
        Counts evaluations.
    """
    known, released, n = situation.known, situation.released, rows.shape[1]
    left, matrix = list(range(n)), np.zeros((n, n))
    for basis in bases:
        seen = released @ basis
        if np.linalg.matrix_rank(seen, tol=TUNING.same) < basis.shape[1]:
            return None
        groups = groups_of(known, seen, left, effort)
        if not groups:
            return None
        group = groups[0]
        left = [one for one in left if one not in group]
        matrix[:, group] = basis @ polar(seen.T @ known[:, group])
    frame = frame_of(known, released, rows, None, translates=False, noise=0.0)
    return FittedMotion("quadrics", frame, frame.pose_of(matrix), effort.used)
