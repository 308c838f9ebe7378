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

from isobreach._arrays import FloatArray
from isobreach._columns import ColumnBlock, takes_columns
from isobreach._progress import Progress
from isobreach.engine import ColumnHandle, Engine, tile_rows, tiles
from isobreach.geometry import (
    ConsistentMotions,
    Estimator,
    HiddenBasis,
    breach_probability,
    estimate_radius,
    row_norms,
    squared_residuals,
)
from isobreach.release import Precision

Kind = Literal["exact", "model-based", "lower bound", "approximation"]

_NEGLIGIBLE = 1e-9  # error, beside epsilon, below which a release counts as exact


class Exposure(ABC):
    """How surely rows can be estimated, given what a pass over the release measured of each.

    ``measured`` are the numbers of some rows, a line a row, out of the column of that pass. An exposure itself holds
    only what all rows share: it goes to where kernels run.
    """

    @abstractmethod
    def relative_residual(self, measured: FloatArray) -> FloatArray:
        """d over the norm of these rows."""

    @abstractmethod
    def kind(self, measured: ColumnHandle, epsilon: float) -> Kind:
        """What the claims are."""

    @abstractmethod
    def claim(
        self, measured: FloatArray, epsilon: float, estimator: Estimator, norms: FloatArray | None = None
    ) -> FloatArray:
        """Breach probabilities; ``norms``: the records' true ones, in released units, which only the owner knows."""

    @abstractmethod
    def radius(
        self, measured: FloatArray, residual: FloatArray, norm: FloatArray, epsilon: float, estimator: Estimator
    ) -> FloatArray:
        """Length of the hidden part of estimates for rows with this residual and norm = sqrt(|p|^2 + d^2)."""

    def by_epsilon(self, measured: FloatArray, epsilons: FloatArray, estimator: Estimator) -> FloatArray:
        """Breach probability of one row, of which ``measured`` has the only line, under each epsilon."""
        return np.concatenate([self.claim(measured, epsilon, estimator) for epsilon in epsilons.tolist()])

    def ranking(self, measured: ColumnHandle, epsilon: float, estimator: Estimator) -> "Ranking":
        """One number for each row: the smaller it is, the higher the breach probability."""
        return Ranking(measured.derived(_unclaimed, (self, epsilon, estimator)).kept())

    def residuals(self, measured: ColumnHandle) -> ColumnHandle:
        """The relative residual of every row."""
        return measured.derived(_relative_residual, self)


@dataclass(frozen=True, eq=False)
class Ranking:
    """Rows by their breach probability: a number for each, and what makes a probability of such numbers.

    ``asked``: exposure, epsilon and estimator where the number is what is measured; without them it is the probability,
    less than 0.
    """

    numbers: ColumnHandle
    asked: tuple[Exposure, float, Estimator] | None = None

    def probability(self, numbers: FloatArray) -> FloatArray:
        """Breach probability of rows with these numbers."""
        if self.asked is None:
            return -numbers
        exposure, epsilon, estimator = self.asked
        return exposure.claim(numbers, epsilon, estimator)


def _unclaimed(measured: FloatArray, params: tuple[Exposure, float, Estimator]) -> FloatArray:
    exposure, epsilon, estimator = params
    return -exposure.claim(measured, epsilon, estimator)


def _relative_residual(measured: FloatArray, exposure: Exposure) -> FloatArray:
    return exposure.relative_residual(measured)


def _reach(error: FloatArray, epsilon: float | FloatArray, lost: float) -> FloatArray:
    """sqrt(((1 - lost e) epsilon)^2 - e^2) - e for relative errors e; -1 where nothing can be claimed.

    One row may be asked for under several epsilons, or several rows under one.
    """
    error = np.where(error < _NEGLIGIBLE * epsilon, 0.0, error)
    inside = (epsilon * np.maximum(1.0 - lost * error, 0.0)) ** 2 - error**2
    return np.where(inside < 0, -1.0, np.sqrt(np.maximum(inside, 0.0)) - error)


@dataclass(frozen=True, eq=False)
class OrthogonalExposure(Exposure):
    """Under an orthogonal motion: one number a row, (d / |y|)^2; a second, the relative error, where errors differ.

    With c = epsilon |y| the breach probability depends on c/d and h alone: the relative residual ranks all rows.
    ``error``: the relative error that all rows share.
    """

    hidden_dimension: int
    error: float

    def _errors(self, measured: FloatArray) -> FloatArray:
        return np.asarray(self.error) if measured.ndim == 1 else measured[:, 1]

    def relative_residual(self, measured: FloatArray) -> FloatArray:
        """d / |y|."""
        return np.sqrt(measured if measured.ndim == 1 else measured[:, 0])

    def kind(self, measured: ColumnHandle, epsilon: float) -> Kind:
        """Exact unless the release's own error counts."""
        alike = len(measured.shape) == 1
        errors = [np.asarray(self.error)] if alike else (self._errors(part) for _, part in measured.chunks())
        exact = all((one < _NEGLIGIBLE * epsilon).all() for one in errors)
        return "exact" if exact else "lower bound"

    def claim(
        self, measured: FloatArray, epsilon: float, estimator: Estimator, norms: FloatArray | None = None
    ) -> FloatArray:
        """An orthogonal motion keeps norms: the owner knows no more of them."""
        return self._within(measured, _reach(self._errors(measured), epsilon, 1.0), estimator)

    def by_epsilon(self, measured: FloatArray, epsilons: FloatArray, estimator: Estimator) -> FloatArray:
        """All at once."""
        return self._within(measured, _reach(self._errors(measured), epsilons, 1.0), estimator)

    def _within(self, measured: FloatArray, reach: FloatArray, estimator: Estimator) -> FloatArray:
        ratio = np.minimum(self.relative_residual(measured), 1.0)  # d never exceeds |y|
        claim = breach_probability(ratio, np.maximum(reach, 0.0), self.hidden_dimension, 1.0, estimator)
        return np.where(reach < 0, 0.0, claim)

    def radius(
        self, measured: FloatArray, residual: FloatArray, norm: FloatArray, epsilon: float, estimator: Estimator
    ) -> FloatArray:
        """Optimal for the reach."""
        reach = np.maximum(_reach(self._errors(measured), epsilon, 1.0), 0.0)
        return estimate_radius(residual, norm * reach, 1.0, estimator)

    def ranking(self, measured: ColumnHandle, epsilon: float, estimator: Estimator) -> Ranking:
        """The squared residual where the error is the same for all rows: the probability depends on nothing else."""
        if len(measured.shape) > 1:
            return super().ranking(measured, epsilon, estimator)
        return Ranking(measured, (self, epsilon, estimator))


def measure_orthogonal(
    source: Engine, motions: ConsistentMotions, precision: Precision, radius: FloatArray, progress: Progress
) -> tuple[OrthogonalExposure, ColumnHandle]:
    """One pass over the release. ``radius``: error of each linked row."""
    hidden = HiddenBasis.of(motions.released_hidden, tile_rows(source.shape[1]))
    fixed, at_one = precision.radius(np.array([0.0, 1.0]), source.shape[1]).tolist()
    common = (at_one - fixed) + float(np.linalg.norm(radius)) * motions.sensitivity
    exposure = OrthogonalExposure(motions.hidden_dimension, common)
    if fixed == 0:
        kernel = _residual if hidden.narrow else _tiled_residual
        return exposure, source.column(kernel, hidden, "measuring residuals", progress)
    return exposure, source.column(_residual_and_error, (hidden, fixed, common), "measuring residuals", progress)


@takes_columns
def _residual(block: FloatArray | ColumnBlock, first_row: int, hidden: HiddenBasis) -> FloatArray:
    return squared_residuals(block, hidden)


def _tiled_residual(block: FloatArray, first_row: int, hidden: HiddenBasis) -> FloatArray:
    """The same for a wide basis, whose products are those of whole tiles."""
    return squared_residuals(block, hidden)


def _residual_and_error(block: FloatArray, first_row: int, params: tuple[HiddenBasis, float, float]) -> FloatArray:
    """The squared residual of each row, and its relative error: an absolute one hurts short rows more."""
    hidden, fixed, common = params
    norms = row_norms(block)
    own = np.divide(fixed, norms, out=np.full(len(block), np.inf), where=norms > 0)
    return np.stack([squared_residuals(block, hidden), own + common], axis=1)


@dataclass(frozen=True, eq=False)
class RigidExposure(Exposure):
    """Under a motion with a translation: d, sqrt(|p|^2 + d^2) and the error eta of every row, and the offset g."""

    hidden_dimension: int
    offset: float

    def relative_residual(self, measured: FloatArray) -> FloatArray:
        """d / sqrt(|p|^2 + d^2): the root of the mean squared norm on the sphere."""
        residual, norm, _ = measured.T
        return np.asarray(np.divide(residual, norm, out=np.zeros_like(norm), where=norm > 0))

    def _relative_error(self, measured: FloatArray) -> FloatArray:
        """Return eta over the shortest record on the sphere, less what the difference of squares may be off by."""
        residual, norm, error = measured.T
        shortest = np.sqrt(np.maximum(norm**2 * (1 - 1e-14) - 2 * self.offset * residual, 0.0))
        return np.asarray(np.divide(error, shortest, out=np.where(error > 0, np.inf, 0.0), where=shortest > 0))

    def _reach(self, measured: FloatArray, epsilon: float | FloatArray) -> FloatArray:
        return _reach(self._relative_error(measured), epsilon, np.sqrt(2))

    def kind(self, measured: ColumnHandle, epsilon: float) -> Kind:
        """Model-based where the norm depends on the hidden part, which is taken to have no preferred direction.

        A claim of 1 holds for every direction and needs no model. Else exact unless the release's own error counts.
        """
        if self.offset > 0 and self.hidden_dimension > 0:
            return "model-based"
        exact = all((self._relative_error(part) < _NEGLIGIBLE * epsilon).all() for _, part in measured.chunks())
        return "exact" if exact else "lower bound"

    def claim(
        self, measured: FloatArray, epsilon: float, estimator: Estimator, norms: FloatArray | None = None
    ) -> FloatArray:
        """With the true norm c = epsilon |x| is known, and there is no better direction than a random one."""
        if norms is None:
            return self._within(measured, self._reach(measured, epsilon), estimator)
        residual, _, error = np.ascontiguousarray(measured.T)
        error = np.where(error < _NEGLIGIBLE * epsilon * norms, 0.0, error)
        inside = (epsilon * norms) ** 2 - error**2
        reach = np.where(inside < 0, -1.0, np.sqrt(np.maximum(inside, 0.0)) - error)
        claim = breach_probability(residual, np.maximum(reach, 0.0), self.hidden_dimension, 1.0, estimator)
        return np.where(reach < 0, 0.0, claim)

    def by_epsilon(self, measured: FloatArray, epsilons: FloatArray, estimator: Estimator) -> FloatArray:
        """All at once."""
        return self._within(measured, self._reach(measured, epsilons), estimator)

    def _within(self, measured: FloatArray, reach: FloatArray, estimator: Estimator) -> FloatArray:
        residual, norm, _ = np.ascontiguousarray(measured.T)
        bounded = np.maximum(reach, 0.0)
        offset = bounded**2 * self.offset
        claim = breach_probability(residual, bounded * norm, self.hidden_dimension, 1.0, estimator, offset=offset)
        return np.where(reach < 0, 0.0, claim)

    def radius(
        self, measured: FloatArray, residual: FloatArray, norm: FloatArray, epsilon: float, estimator: Estimator
    ) -> FloatArray:
        """Optimal for the reach; signed, along the offset."""
        reach = np.maximum(self._reach(measured, epsilon), 0.0)
        return estimate_radius(residual, norm * reach, 1.0, estimator, offset=reach**2 * self.offset)


@dataclass(frozen=True, eq=False)
class _FittedExposure:
    """What the errors of the rows depend on: see ``measure_rigid``."""

    motions: ConsistentMotions
    precision: Precision
    centre_error: float
    fit: float
    offset: float


def measure_rigid(
    source: Engine, motions: ConsistentMotions, precision: Precision, radius: FloatArray, progress: Progress
) -> tuple[RigidExposure, ColumnHandle]:
    """One pass. ``radius``: error of each linked row.

    With z the row's distance from the centre, eta = own error + error of the centre + |z| * error of the motion. A
    row's own error is that of its stored numbers and that of the product M x, which may be larger than what is left
    after the translation was added.
    """
    centre_error, fit = float(radius.mean()), float(np.linalg.norm(radius)) * motions.sensitivity
    offset = float(np.linalg.norm(motions.known_centre @ motions.known_hidden))
    fitted = _FittedExposure(motions, precision, centre_error, fit, offset)
    measured = source.column(_about_hull, fitted, "measuring residuals", progress)
    return RigidExposure(motions.hidden_dimension, offset), measured


def _about_hull(block: FloatArray, first_row: int, fitted: _FittedExposure) -> FloatArray:
    """d, sqrt(|p|^2 + d^2) and eta of each row."""
    return np.concatenate([_tile_about_hull(block[part], fitted) for part in tiles(block)])


def _tile_about_hull(rows: FloatArray, fitted: _FittedExposure) -> FloatArray:
    motions, precision = fitted.motions, fitted.precision
    arithmetic = replace(precision, step=0.0, relative=0.0)
    centred = rows - motions.released_centre
    seen = centred @ motions.released
    along = row_norms(seen + motions.known_centre @ motions.known)
    d, foot = row_norms(centred @ motions.released_hidden), np.hypot(along, fitted.offset)
    own = precision.radius(row_norms(rows), rows.shape[1]) + arithmetic.radius(foot + d, rows.shape[1])
    eta = own + fitted.centre_error + fitted.fit * np.hypot(row_norms(seen), d)
    return np.stack([d, np.hypot(foot, d), eta], axis=1)


@dataclass(frozen=True, eq=False)
class UnplacedExposure(Exposure):
    """Under a motion with a translation and no link: not even a position is known, so nothing is claimed.

    Nothing is measured of a row. The origin is as good an estimate as any; it errs by |x|, a breach from epsilon = 1
    on.
    """

    def relative_residual(self, measured: FloatArray) -> FloatArray:
        """Nothing of a record is seen: 1."""
        return np.ones(len(measured))

    def kind(self, measured: ColumnHandle, epsilon: float) -> Kind:
        """A probability of 0 says nothing."""
        return "lower bound"

    def claim(
        self, measured: FloatArray, epsilon: float, estimator: Estimator, norms: FloatArray | None = None
    ) -> FloatArray:
        """1 from epsilon = 1 on, else 0."""
        return np.full(len(measured), float(epsilon >= 1))

    def radius(
        self, measured: FloatArray, residual: FloatArray, norm: FloatArray, epsilon: float, estimator: Estimator
    ) -> FloatArray:
        """The origin itself."""
        return np.zeros(len(measured))
