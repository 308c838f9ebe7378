# SPDX-License-Identifier: BSD-3-Clause
r"""How exposed every released row is, given the links: what a pass over the release keeps, and what can be claimed.

A released row is measured by its residual d, the distance from the span (affine hull) of the linked rows, and by its
norm; everything else is the sphere's affair (``geometry.sphere``). Lengths are in released units.

A release that is not exact (rounded, float32) moves both the row and the fitted motion. Let eta bound that error: the
estimate errs by at most eta within the span, and d by at most eta. The two are orthogonal.

**Orthogonal motion.** |y| is at hand, so with e = eta / |y|: |x| >= (1 - e) |y|, and the hidden part breaches when it
is within reach * |y| of a sphere point at the measured d,

    reach = sqrt(((1 - e) epsilon)^2 - e^2) - e.

**Rigid motion.** The norm depends on the hidden part. Let x* = p* + u* be the record as measured: p* the measured foot,
u* in the true hidden direction at the measured d. Foot and hidden part err by eta each, so |x| >= |x*| - sqrt(2) eta.
No x* on the sphere is shorter than l = sqrt(|p*|^2 + d^2 - 2 g d); with e = eta / l therefore
|x| >= (1 - sqrt(2) e) |x*| and eta <= e |x*|, and the record is breached when the estimate's hidden part is within
reach * |x*| of u*,

    reach = sqrt(((1 - sqrt(2) e) epsilon)^2 - e^2) - e.

Probabilities are claimed for that reach in place of epsilon, and 0, which says nothing, where it is negative: they are
lower bounds that hold whatever the rounding did. Errors below 1e-9 epsilon count as none. With g > 0 and h > 0 they are
model-based besides: the norm is averaged over hidden parts without a preferred direction, which those of a given table
may have.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from isobreach._progress import Progress
from isobreach.blocks import Source, tile_rows, tiles
from isobreach.geometry import (
    ConsistentMotions,
    Estimator,
    breach_probability,
    estimate_radius,
    residual_kernel,
    row_norms,
)
from isobreach.linking import Precision

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Rows = IntArray | slice
Kind = Literal["exact", "model-based", "lower bound", "approximation"]

_NEGLIGIBLE = 1e-9  # error, beside epsilon, below which a release counts as exact


class Exposure(ABC):
    """What is known of every released row, and how surely each can be estimated."""

    @abstractmethod
    def relative_residual(self, rows: Rows) -> FloatArray:
        """d over the norm of these rows."""

    @abstractmethod
    def kind(self, epsilon: float) -> Kind:
        """What the claims are."""

    @abstractmethod
    def claim(self, rows: Rows, epsilon: float, estimator: Estimator, norms: FloatArray | None) -> FloatArray:
        """Breach probabilities; ``norms``: the records' true ones, in released units, which only the owner knows."""

    @abstractmethod
    def radius(
        self, rows: IntArray, residual: FloatArray, norm: FloatArray, epsilon: float, estimator: Estimator
    ) -> FloatArray:
        """Length of the hidden part of estimates for rows with this residual and norm = sqrt(|p|^2 + d^2)."""

    def rank(self, epsilon: float, estimator: Estimator) -> FloatArray:
        """One number for each row: the smaller it is, the higher the breach probability."""
        return -self.claim(slice(None), epsilon, estimator, None)


def _reach(error: FloatArray, epsilon: float, lost: float) -> FloatArray:
    """sqrt(((1 - lost e) epsilon)^2 - e^2) - e for relative errors e; -1 where nothing can be claimed."""
    error = np.where(error < _NEGLIGIBLE * epsilon, 0.0, error)
    inside = (epsilon * np.maximum(1.0 - lost * error, 0.0)) ** 2 - error**2
    return np.where(inside < 0, -1.0, np.sqrt(np.maximum(inside, 0.0)) - error)


@dataclass(frozen=True, eq=False)
class OrthogonalExposure(Exposure):
    """Under an orthogonal motion: one number a row, (d / |y|)^2, and the relative error, often one for all rows.

    With c = epsilon |y| the breach probability depends on c/d and h alone: the relative residual ranks all rows.
    """

    hidden_dimension: int
    squared_residual: FloatArray
    error: FloatArray

    def relative_residual(self, rows: Rows) -> FloatArray:
        """d / |y|."""
        return np.sqrt(self.squared_residual[rows])

    def kind(self, epsilon: float) -> Kind:
        """Exact unless the release's own error counts."""
        return "exact" if (self.error < _NEGLIGIBLE * epsilon).all() else "lower bound"

    def _reach(self, rows: Rows, epsilon: float) -> FloatArray:
        return _reach(self.error[rows] if self.error.ndim else self.error, epsilon, 1.0)

    def claim(self, rows: Rows, epsilon: float, estimator: Estimator, norms: FloatArray | None) -> FloatArray:
        """An orthogonal motion keeps norms: the owner knows no more of them."""
        reach = self._reach(rows, epsilon)
        ratio = np.minimum(np.sqrt(self.squared_residual[rows]), 1.0)  # d never exceeds |y|
        claim = breach_probability(ratio, np.maximum(reach, 0.0), self.hidden_dimension, 1.0, estimator)
        return np.where(reach < 0, 0.0, claim)

    def radius(
        self, rows: IntArray, residual: FloatArray, norm: FloatArray, epsilon: float, estimator: Estimator
    ) -> FloatArray:
        """Optimal for the reach."""
        reach = np.maximum(self._reach(rows, epsilon), 0.0)
        return estimate_radius(residual, norm * reach, 1.0, estimator)

    def rank(self, epsilon: float, estimator: Estimator) -> FloatArray:
        """The squared residual where the error is the same for all rows: the probability depends on nothing else."""
        return super().rank(epsilon, estimator) if self.error.ndim else self.squared_residual


def measure_orthogonal(
    source: Source, motions: ConsistentMotions, precision: Precision, radius: FloatArray, progress: Progress
) -> OrthogonalExposure:
    """One pass over the release, two where errors are absolute. ``radius``: error of each linked row."""
    measure = residual_kernel(motions.released_hidden, tile_rows(source.shape[1]))
    squared = source.column(lambda start, block: measure(block), "measuring residuals", progress)
    fixed, at_one = precision.radius(np.array([0.0, 1.0]), source.shape[1])
    common = np.asarray((at_one - fixed) + float(np.linalg.norm(radius)) * motions.sensitivity)
    if fixed == 0:
        return OrthogonalExposure(motions.hidden_dimension, squared, common)

    def kernel(start: int, block: FloatArray) -> FloatArray:
        norms = row_norms(block)
        own: FloatArray = np.divide(fixed, norms, out=np.full(len(block), np.inf), where=norms > 0)
        return np.asarray(own + common)

    error = source.column(kernel, "measuring norms", progress)
    return OrthogonalExposure(motions.hidden_dimension, squared, error)


@dataclass(frozen=True, eq=False)
class RigidExposure(Exposure):
    """Under a motion with a translation: d, sqrt(|p|^2 + d^2) and the error eta of every row, and the offset g."""

    hidden_dimension: int
    offset: float
    residual: FloatArray
    norm: FloatArray
    error: FloatArray

    def relative_residual(self, rows: Rows) -> FloatArray:
        """d / sqrt(|p|^2 + d^2): the root of the mean squared norm on the sphere."""
        norm = self.norm[rows]
        return np.asarray(np.divide(self.residual[rows], norm, out=np.zeros_like(norm), where=norm > 0))

    def _relative_error(self, rows: Rows) -> FloatArray:
        """Return eta over the shortest record on the sphere, less what the difference of squares may be off by."""
        square = self.norm[rows] ** 2
        shortest = np.sqrt(np.maximum(square * (1 - 1e-14) - 2 * self.offset * self.residual[rows], 0.0))
        error = self.error[rows]
        return np.asarray(np.divide(error, shortest, out=np.where(error > 0, np.inf, 0.0), where=shortest > 0))

    def _reach(self, rows: Rows, epsilon: float) -> FloatArray:
        return _reach(self._relative_error(rows), epsilon, np.sqrt(2))

    def kind(self, epsilon: float) -> Kind:
        """Model-based where the norm depends on the hidden part, which is taken to have no preferred direction.

        A claim of 1 holds for every direction and needs no model. Else exact unless the release's own error counts.
        """
        if self.offset > 0 and self.hidden_dimension > 0:
            return "model-based"
        return "exact" if (self._relative_error(slice(None)) < _NEGLIGIBLE * epsilon).all() else "lower bound"

    def claim(self, rows: Rows, epsilon: float, estimator: Estimator, norms: FloatArray | None) -> FloatArray:
        """With the true norm c = epsilon |x| is known, and there is no better direction than a random one."""
        residual = self.residual[rows]
        if norms is None:
            reach = self._reach(rows, epsilon)
            bounded = np.maximum(reach, 0.0)
            norm, offset = bounded * self.norm[rows], bounded**2 * self.offset
        else:
            error, offset = self.error[rows], np.zeros(())
            error = np.where(error < _NEGLIGIBLE * epsilon * norms, 0.0, error)
            inside = (epsilon * norms) ** 2 - error**2
            reach = np.where(inside < 0, -1.0, np.sqrt(np.maximum(inside, 0.0)) - error)
            norm = np.maximum(reach, 0.0)
        claim = breach_probability(residual, norm, self.hidden_dimension, 1.0, estimator, offset=offset)
        return np.where(reach < 0, 0.0, claim)

    def radius(
        self, rows: IntArray, residual: FloatArray, norm: FloatArray, epsilon: float, estimator: Estimator
    ) -> FloatArray:
        """Optimal for the reach; signed, along the offset."""
        reach = np.maximum(self._reach(rows, epsilon), 0.0)
        return estimate_radius(residual, norm * reach, 1.0, estimator, offset=reach**2 * self.offset)


def measure_rigid(
    source: Source, motions: ConsistentMotions, precision: Precision, radius: FloatArray, progress: Progress
) -> RigidExposure:
    """One pass. ``radius``: error of each linked row.

    With z the row's distance from the centre, eta = own error + error of the centre + |z| * error of the motion. A
    row's own error is that of its stored numbers and that of the product M x, which may be larger than what is left
    after the translation was added.
    """
    arithmetic = replace(precision, step=0.0, relative=0.0)
    centre_error, fit = float(radius.mean()), float(np.linalg.norm(radius)) * motions.sensitivity
    along_centre = motions.known_centre @ motions.known
    offset = float(np.linalg.norm(motions.known_centre @ motions.known_hidden))

    def measure(rows: FloatArray) -> FloatArray:
        centred = rows - motions.released_centre
        seen = centred @ motions.released
        d, along = row_norms(centred @ motions.released_hidden), row_norms(seen + along_centre)
        foot = np.hypot(along, offset)
        own = precision.radius(row_norms(rows), rows.shape[1]) + arithmetic.radius(foot + d, rows.shape[1])
        return np.stack([d, np.hypot(foot, d), own + centre_error + fit * np.hypot(row_norms(seen), d)])

    def kernel(start: int, block: FloatArray) -> tuple[int, FloatArray]:
        return start, np.concatenate([measure(block[part]) for part in tiles(block)], axis=1)

    measured = np.empty((3, source.shape[0]))
    for start, part in source.map(kernel, "measuring residuals", progress):
        measured[:, start : start + part.shape[1]] = part
    return RigidExposure(motions.hidden_dimension, offset, *measured)


@dataclass(frozen=True, eq=False)
class UnplacedExposure(Exposure):
    """Under a motion with a translation and no link: not even a position is known, so nothing is claimed.

    The origin is as good an estimate as any; it errs by |x|, a breach from epsilon = 1 on.
    """

    rows: int

    def relative_residual(self, rows: Rows) -> FloatArray:
        """Nothing of a record is seen: 1."""
        return np.ones(self.rows)[rows]

    def kind(self, epsilon: float) -> Kind:
        """A probability of 0 says nothing."""
        return "lower bound"

    def claim(self, rows: Rows, epsilon: float, estimator: Estimator, norms: FloatArray | None) -> FloatArray:
        """1 from epsilon = 1 on, else 0."""
        return np.full(len(np.arange(self.rows)[rows]), float(epsilon >= 1))

    def radius(
        self, rows: IntArray, residual: FloatArray, norm: FloatArray, epsilon: float, estimator: Estimator
    ) -> FloatArray:
        """The origin itself."""
        return np.zeros(len(rows))
