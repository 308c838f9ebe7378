# SPDX-License-Identifier: BSD-3-Clause
r"""Releases that hold no row of a motion, and give one away: a matrix of distances, and lifted records.

*Distances.* Classical scaling (Torgerson 1952) of a few rows gives their points up to a rigid motion; every other row
follows from its distances to them by linear equations.

*Lifted records* (ASPE: y = A (x, -|x|^2 / 2)). With B the first n rows of the inverse of A, transposed, x = y B, and
the last coordinate of the lifted record is linear in y as well. So all released rows lie on one quadric through 0,

    y B B' y' + b y' = 0,

whose coefficients are the null vector of the products and the coordinates of the rows, if these are enough and fulfil
no second relation. B B' gives B up to a rotation and a factor: the secret matrix hides no more than a rotation does.
Derived here; no source is known to us.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach.release.model import ReleaseModel


@dataclass(frozen=True)
class UnfoldingLimits:
    """What counts as a relation, and how much is looked at.

    Attributes
    ----------
    landmarks
        Rows whose points are computed first: many times as many as attributes.
    none
        Singular values beside the largest that count as none: rounding leaves 1e-12 of whitened rows.
    some
        Those that count as something: between the two nothing is said.
    most
        Unknown coefficients of a quadric, at most: about 50 attributes, some seconds.
    spare
        Equations for each unknown.
    """

    landmarks: int = 400
    none: float = 1e-9
    some: float = 1e-6
    most: int = 1_400
    spare: float = 1.1


LIMITS = UnfoldingLimits()


def behind(model: ReleaseModel) -> ReleaseModel | None:
    """Return the model of the motion that a release gives away, None where it hides none.

    Parameters
    ----------
    model
        Of the release.
    """
    if model.noise is not None or model.mixes_rows:
        return None
    if model.distances:
        return replace(model, motion="rigid", distances=False)
    if model.lifted:
        return replace(model, motion="orthogonal", linear=False, lifted=False)
    return None


def unfolded(released: NDArray[np.floating], model: ReleaseModel, columns: int) -> FloatArray | None:
    """Return rows that are one motion of the records, up to a factor where these were lifted; None if that fails.

    Parameters
    ----------
    released
        As it was published.
    model
        Of the release.
    columns
        Number of attributes.
    """
    values = np.asarray(released, dtype=np.float64)
    return _by_distances(values, columns) if model.distances else _by_quadric(values, columns)


def _by_distances(matrix: FloatArray, columns: int) -> FloatArray | None:
    """Points from distances to landmarks, about the mean of these."""
    rows = len(matrix)
    marks = np.linspace(0, rows - 1, min(rows, max(LIMITS.landmarks, 4 * columns))).astype(np.intp)
    squares = matrix[:, marks] ** 2
    means = squares[marks].mean(axis=0)
    inner = (means[:, None] + means - squares[marks] - means.mean()) / 2
    values, vectors = np.linalg.eigh((inner + inner.T) / 2)
    values, vectors = values[::-1][:columns], vectors[:, ::-1][:, :columns]
    kept = values > LIMITS.none * max(float(values[0]), np.finfo(np.float64).tiny)
    if not kept.any():
        return None
    points = np.zeros((rows, columns))
    points[:, : kept.sum()] = (means - squares) / 2 @ (vectors[:, kept] / np.sqrt(values[kept]))
    return points


def _by_quadric(rows: FloatArray, columns: int) -> FloatArray | None:
    """Points from the one quadric through 0 that holds all rows."""
    total, width = rows.shape
    first, second = np.triu_indices(width)
    unknowns = len(first) + width
    if width != columns + 1 or unknowns > LIMITS.most or total < LIMITS.spare * unknowns:
        return None
    white, strength, _ = np.linalg.svd(rows, full_matrices=False)
    if strength[-1] <= LIMITS.some * strength[0]:
        return None
    white = white * np.sqrt(total)
    some = np.linspace(0, total - 1, min(total, 4 * unknowns)).astype(np.intp)
    products = white[some][:, first] * white[some][:, second] * np.where(first == second, 1.0, np.sqrt(2))
    _, sizes, vectors = np.linalg.svd(np.hstack([products, white[some]]), full_matrices=False)
    if sizes[-1] > LIMITS.none * sizes[0] or sizes[-2] <= LIMITS.some * sizes[0]:
        return None  # no relation, or several
    form = np.zeros((width, width))
    form[first, second] = vectors[-1][: len(first)] / np.where(first == second, 1.0, np.sqrt(2))
    form[second, first] = form[first, second]
    values, axes = np.linalg.eigh(form * np.sign(np.trace(form)))
    if abs(values[0]) > LIMITS.some * values[-1] or values[1] <= LIMITS.some * values[-1]:
        return None  # no sum of n squares
    return np.asarray(white @ (axes[:, 1:] * np.sqrt(values[1:])))
