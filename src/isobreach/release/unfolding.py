# SPDX-License-Identifier: BSD-3-Clause
r"""Releases that hold no row of a motion, and give one away: a matrix of distances, and lifted records.

*Distances.* Classical scaling (Torgerson 1952) of a few rows gives their points up to a rigid motion; every other row
follows from its distances to them by linear equations.

*Lifted records* (ASPE: y = A (x, -|x|^2 / 2)). With B the first n rows of the inverse of A, transposed, x = y B, and
the last coordinate of the lifted record is linear in y as well. So all released rows lie on one quadric through 0,

    y B B' y' + b y' = 0,

whose coefficients are the null vector of the products and the coordinates of the rows, if these are enough and fulfil
no second relation. B B' gives B up to a rotation and a factor: the secret matrix hides no more than a rotation does.
Derived here; no source is known to us. The null vector is what least squares cannot explain of a random vector (LSQR,
Paige and Saunders 1982), so that the matrix of all products, of 10^7 entries and more, is not needed.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, lsqr

from isobreach._arrays import FloatArray
from isobreach.engine import ONE_BLAS_THREAD
from isobreach.release.model import ReleaseModel


@dataclass(frozen=True)
class UnfoldingLimits:
    """What counts as a relation, and how much is looked at.

    Attributes
    ----------
    landmarks
        Rows whose points are computed first: many times as many as attributes.
    none
        Singular values beside the largest that count as none, and what a relation may leave of whitened rows: least
        squares leaves 1e-12 of few unknowns and 1e-8 of thousands.
    some
        Singular values of rows that count as something.
    gap
        Of a sum of n squares: its least eigenvalue, which is zero, beside the next, which a column of small values has.
    most
        Unknown coefficients of a quadric, at most: 100 attributes, a quarter of a minute; 50 take a second.
    spare
        Equations for each unknown, at least.
    enough
        Equations for each unknown, at most: more cost time and save no iterations.
    iterations
        Of least squares: 100 where equations are four times as many as unknowns, 2,000 where they are hardly more.
    sure, rough
        Tolerances of least squares, for a relation and for whether there is a second one.
    second
        Part of a standard normal vector, across the first relation, that shows a second one.
    """

    landmarks: int = 400
    none: float = 1e-7
    some: float = 1e-6
    gap: float = 1e-2
    most: int = 5_400
    spare: float = 1.1
    enough: float = 4.0
    iterations: int = 3_000
    sure: float = 1e-14
    rough: float = 1e-10
    second: float = 1e-2


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
    unknowns = width * (width + 3) // 2
    if width != columns + 1 or unknowns > LIMITS.most or total < LIMITS.spare * unknowns:
        return None
    white, strength, _ = np.linalg.svd(rows, full_matrices=False)
    if strength[-1] <= LIMITS.some * strength[0]:
        return None
    white = white * np.sqrt(total)
    some = np.linspace(0, total - 1, min(total, int(LIMITS.enough * unknowns))).astype(np.intp)
    relation = _relation(_Equations.of(white[some]))
    if relation is None:
        return None
    values, axes = relation
    return np.asarray(white @ (axes[:, 1:] * np.sqrt(values[1:])))


def _relation(equations: "_Equations") -> tuple[FloatArray, FloatArray] | None:
    """Eigenvalues and vectors of the form of the only relation, a sum of n squares; None if there is no such one."""
    width = equations.rows.shape[1]
    # A sum of squares is not across the sum of all squares, as it might be across a random form.
    leaning = np.append(np.sqrt(width) * np.eye(width), np.zeros(width))
    relation = equations.fulfilled(leaning + _drawn(width, 0), LIMITS.sure)
    relation = relation / max(float(np.linalg.norm(relation)), np.finfo(np.float64).tiny)
    if np.sqrt(np.mean(equations.values(relation) ** 2)) > LIMITS.none:
        return None  # no relation
    form = equations.split(relation)[0]
    values, axes = np.linalg.eigh(form * np.sign(np.trace(form)))
    if abs(values[0]) > LIMITS.gap * values[1]:
        return None  # no sum of n squares
    other = equations.fulfilled(_drawn(width, 1), LIMITS.rough)
    several = np.linalg.norm(other - (other @ relation) * relation) > LIMITS.second
    return None if several else (values, axes)


@dataclass(frozen=True, eq=False)
class _Equations:
    """y Q y' + b y' = 0 for rows y, each over 1 + |y|^2 / N: a vector has the N^2 entries of Q first, then those of b.

    Without the divisors a few long rows would outweigh all others, and least squares would take ten times as long.
    """

    rows: FloatArray
    weights: FloatArray

    @classmethod
    def of(cls, rows: FloatArray) -> "_Equations":
        return cls(rows, 1 / (1 + np.square(rows).mean(axis=1)))

    def split(self, vector: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Q and b."""
        width = self.rows.shape[1]
        return vector[: width**2].reshape(width, width), vector[width**2 :]

    def values(self, vector: FloatArray) -> FloatArray:
        """What each row leaves of its equation."""
        form, line = self.split(vector)
        return np.asarray(self.weights * (((self.rows @ form) * self.rows).sum(axis=1) + self.rows @ line))

    def transposed(self, values: FloatArray) -> FloatArray:
        """The transpose of ``values``."""
        weighted = self.weights * values
        return np.concatenate([(self.rows.T @ (self.rows * weighted[:, None])).ravel(), self.rows.T @ weighted])

    def fulfilled(self, vector: FloatArray, tolerance: float) -> FloatArray:
        """The part of a vector that fulfils all equations: the vector less the smallest one of the same values."""
        shape = len(self.rows), len(vector)
        equations = LinearOperator(shape, matvec=self.values, rmatvec=self.transposed, dtype=np.float64)
        asked = {"atol": tolerance, "btol": tolerance, "conlim": 0, "iter_lim": LIMITS.iterations}
        with ONE_BLAS_THREAD:  # thousands of small products: threads that wait for more take longer than these do
            return np.asarray(vector - lsqr(equations, self.values(vector), **asked)[0])


def _drawn(width: int, seed: int) -> FloatArray:
    """A standard normal symmetric form and line."""
    draws = np.random.default_rng(seed)
    form = draws.standard_normal((width, width))
    return np.append((form + form.T) / 2, draws.standard_normal(width))
