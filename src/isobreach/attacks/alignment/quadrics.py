# SPDX-License-Identifier: BSD-3-Clause
"""Groups of attributes whose squares have one sum for everybody, such as cosine and sine, and links that name them.

Rows on y Q y' = 1 for some Q are a linear relation of their products, which all rows show: the null space of the matrix
of products. Where records satisfy |x_G|^2 = r^2 for several groups G of attributes, the forms of these relations are
combinations of projectors on the images of the groups, and the eigenspaces of a random combination are these images.

A rotation keeps inner products within each group: the image belongs to the attributes in which the links have the same
ones. Other attributes do not, so that links name the images. They must determine the rotation within each, too.
"""

from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from isobreach.attacks.alignment.frames import frame_of, polar
from isobreach.attacks.alignment.situation import Situation
from isobreach.attacks.alignment.solution import FittedMotion

FloatArray = NDArray[np.float64]

_ZERO = 1e-9  # of the largest singular value: a relation
_SAME = 1e-6  # relative difference of eigenvalues, and of inner products
_GROUPS = 5_000  # groups of attributes that are tried for an image
_WIDEST = 40  # columns: their products are the columns of a matrix


def images(rows: FloatArray, rng: np.random.Generator) -> list[FloatArray]:
    """Orthonormal bases of the images of groups, n x d each; nothing where rows show no relation.

    Parameters
    ----------
    rows
        Released rows, exact.
    rng
        Draws a combination of relations.
    """
    n = rows.shape[1]
    first, second = np.triu_indices(n)
    if n > _WIDEST or len(rows) < 2 * len(first):
        return []
    size = float(np.sqrt((rows**2).mean())) + np.finfo(np.float64).tiny
    products = np.hstack([(rows / size)[:, first] * (rows / size)[:, second], np.ones((len(rows), 1))])
    _, values, axes = np.linalg.svd(np.linalg.qr(products, mode="r"))
    relations = axes[values <= _ZERO * values[0]]
    if not 1 < len(relations) < n:
        return []
    form = np.zeros((n, n))
    form[first, second] = (rng.standard_normal(len(relations)) @ relations)[:-1]
    levels, basis = np.linalg.eigh(form + form.T)
    cuts = np.flatnonzero(np.diff(levels) > _SAME * np.abs(levels).max()) + 1
    return np.split(basis, cuts, axis=1)


def by_quadrics(situation: Situation, rows: FloatArray, bases: list[FloatArray]) -> FittedMotion | None:
    """The motion that takes the images to the groups that links name, or None where they do not determine it.

    Parameters
    ----------
    situation
        Links and motion.
    rows, bases
        Released rows; bases of the images.
    """
    known, released, n = situation.known, situation.released, rows.shape[1]
    left, matrix = list(range(n)), np.zeros((n, n))
    for basis in bases:
        seen, count = released @ basis, basis.shape[1]
        if comb(len(left), count) > _GROUPS or np.linalg.matrix_rank(seen, tol=_SAME) < count:
            return None
        wanted = seen @ seen.T
        scale = _SAME * (1 + np.abs(known @ known.T).max())
        tried = combinations(left, count)
        group = next((g for g in tried if np.abs(known[:, g] @ known[:, g].T - wanted).max() <= scale), None)
        if group is None:
            return None
        left = [one for one in left if one not in group]
        matrix[:, group] = basis @ polar(seen.T @ known[:, group])
    frame = frame_of(known, released, rows, None, translates=False, noise=0.0)
    return FittedMotion("quadrics", frame, frame.pose_of(matrix), 0)
