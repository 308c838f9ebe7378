# SPDX-License-Identifier: BSD-3-Clause
r"""The known-input attack on an orthogonal motion (Giannella, Liu, Kargupta), with the optimal estimate.

1. Link known records to released rows (``isobreach.linking``).
2. The linked pairs fix the motion on the span of the linked records; h = n - k dimensions stay hidden.
3. For a released row y at distance d from the span of the linked released rows, the record is known up to a vector
   uniform on a sphere of radius d in the h hidden dimensions. With c = epsilon |y| the breach probability depends on
   c/d and h alone, so the *relative residual* d/|y| ranks all rows; that one number a row is what the pass over the
   release keeps.
4. Estimate: M'y on the span; in the hidden dimensions one Haar-random rotation for all rows, shrunk to the
   estimator's radius.

A release that is not exact (rounded, float32) moves both the row and the fitted motion. Let e bound that error,
relative to |y|. Then |x| >= (1 - e) |y|; the estimate errs by at most e |y| within the span, and d by at most e |y|.
The two subspaces are orthogonal, so the hidden part breaches when it is within

    reach * |y|,   reach = sqrt(((1 - e) epsilon)^2 - e^2) - e

of a sphere point at the measured d. Probabilities are claimed for that reach, and 0, which says nothing, where it is
negative: they are lower bounds that hold whatever the rounding did. Errors below 1e-9 epsilon count as none.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isobreach._progress import Progress, no_progress
from isobreach._random import random_source
from isobreach._validation import check_choice, check_epsilon, check_integer, check_seed
from isobreach.blocks import Source, as_source, tile_rows, tiles
from isobreach.errors import InputError
from isobreach.geometry import (
    ESTIMATORS,
    ConsistentMotions,
    Estimator,
    breach_probability,
    estimate_radius,
    fit_motions,
    haar,
    residual_kernel,
    row_norms,
)
from isobreach.linking import Linkage, Motion, Precision, Rule, link, linked_pairs

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_CHUNK = 1 << 18
_NEGLIGIBLE = 1e-9  # error, beside epsilon, below which a release counts as exact


def _plain(values: FloatArray, rows: IntArray) -> Any:
    return values


@dataclass(frozen=True, eq=False)
class AttackResult:
    """What the attacker learned.

    Attributes
    ----------
    linkage
        Which released row each known record is.
    hidden_dimension
        h = n - k: what the links leave undetermined.
    epsilon, estimator
        As asked for.
    is_exact
        Whether probabilities are exact; lower bounds otherwise.
    """

    linkage: Linkage
    epsilon: float
    estimator: Estimator
    _squared_residual: FloatArray = field(repr=False)
    _error: FloatArray = field(repr=False)
    _motions: ConsistentMotions = field(repr=False)
    _hidden_rotation: FloatArray = field(repr=False)
    _known: FloatArray = field(repr=False)
    _known_error: float = field(repr=False)
    _source: Source = field(repr=False)
    container: Callable[[FloatArray, IntArray], Any] = field(default=_plain, repr=False)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the release."""
        return self._source.shape

    @property
    def hidden_dimension(self) -> int:
        """Dimensions that the links leave undetermined."""
        return self._motions.hidden_dimension

    @property
    def is_exact(self) -> bool:
        """Whether the release's own error is negligible beside epsilon; otherwise probabilities are lower bounds."""
        return bool((self._error < _NEGLIGIBLE * self.epsilon).all())

    @cached_property
    def linked_rows(self) -> IntArray:
        """Released rows that hold a linked value, ascending: linked rows and whatever equals them."""
        candidates = [self.linkage.candidates[i] for i in self.linkage.linked]
        return np.unique(np.concatenate([np.empty(0, dtype=np.int64), *candidates]))

    @cached_property
    def _record_of(self) -> dict[int, int]:
        """Known record of each row that is one for certain: of equal rows, another one may be it."""
        if self._known_error > self.epsilon:
            return {}  # the attacker's own records are not that precise
        links = [(i, self.linkage.candidates[i]) for i in self.linkage.linked.tolist()]
        return {int(rows[0]): i for i, rows in links if len(rows) == 1}

    @cached_property
    def relative_residual(self) -> FloatArray:
        """d / |y| of every released row: the smaller, the more exposed."""
        return np.sqrt(self._squared_residual)

    @cached_property
    def breach_probability(self) -> FloatArray:
        """Breach probability of every released row; 1 for linked ones."""
        return self.probability()

    def probability(
        self, epsilon: float | None = None, rows: ArrayLike | None = None, estimator: Estimator | None = None
    ) -> FloatArray:
        """Breach probability at another ``epsilon``, of some ``rows`` only, or by another ``estimator``."""
        epsilon = self.epsilon if epsilon is None else check_epsilon(epsilon)
        estimator = self.estimator if estimator is None else estimator
        if rows is not None:
            wanted = self._checked(rows)
            claim = self._claim(wanted, epsilon, estimator)
            claim[np.isin(wanted, list(self._record_of))] = 1.0
            return claim
        result = np.empty(self.shape[0])
        for start in range(0, len(result), _CHUNK):  # intermediate arrays stay small beside the release
            part = slice(start, start + _CHUNK)
            result[part] = self._claim(part, epsilon, estimator)
        result[list(self._record_of)] = 1.0
        return result

    def _claim(self, rows: IntArray | slice, epsilon: float, estimator: Estimator) -> FloatArray:
        reach = self._reach(rows, epsilon)
        ratio = np.minimum(np.sqrt(self._squared_residual[rows]), 1.0)  # d never exceeds |y|
        claim = breach_probability(ratio, np.maximum(reach, 0.0), self.hidden_dimension, 1.0, estimator)
        return np.where(reach < 0, 0.0, claim)

    def _reach(self, rows: IntArray | slice, epsilon: float) -> FloatArray:
        """How near, relative to |y|, the hidden part must be for a breach; negative where nothing can be claimed."""
        error = self._error[rows] if self._error.ndim else self._error
        error = np.where(error < _NEGLIGIBLE * epsilon, 0.0, error)
        inside = (epsilon * np.maximum(1.0 - error, 0.0)) ** 2 - error**2
        return np.where(inside < 0, -1.0, np.sqrt(np.maximum(inside, 0.0)) - error)

    @cached_property
    def best(self) -> int | None:
        """The unlinked released row with the highest breach probability; None if every row is linked."""
        top = self.top(1)
        return int(top[0]) if len(top) else None

    def top(self, count: int) -> IntArray:
        """The ``count`` unlinked released rows with the highest breach probability, highest first."""
        check_integer("count", count, least=1)
        exposure = self._squared_residual
        if self._error.ndim:  # rounding hurts small rows more; the probability falls with residual / reach
            reach = self._reach(slice(None), self.epsilon)
            exposure = np.divide(exposure, reach**2, out=np.full(len(exposure), np.inf), where=reach > 0)
        return _smallest(exposure, count, self.linked_rows)

    @property
    def estimates(self) -> Any:
        """Estimate of every released row's record, m x n: as large as the release itself."""
        estimates = np.empty(self.shape)

        def kernel(start: int, block: FloatArray) -> tuple[int, FloatArray]:
            rows = np.arange(start, start + len(block))
            return start, np.concatenate([self._estimate(block[part], rows[part]) for part in tiles(block)])

        for start, part in self._source.map(kernel, "estimating"):
            estimates[start : start + len(part)] = part
        return self.container(estimates, np.arange(self.shape[0]))

    def estimate(self, rows: ArrayLike) -> Any:
        """Estimates of some released rows' records."""
        wanted = self._checked(rows)
        return self.container(self._estimate(self._source.take(wanted), wanted), wanted)

    def _estimate(self, released: FloatArray, rows: IntArray) -> FloatArray:
        motions = self._motions
        hidden = released @ motions.released_hidden
        residual, norm = row_norms(hidden), row_norms(released)
        reach = np.maximum(self._reach(rows, self.epsilon), 0.0)
        # Rounding may leave d a hair above |y|, where no record can be.
        radius = estimate_radius(np.minimum(residual, norm), norm * reach, 1.0, self.estimator)
        shrink = np.divide(radius, residual, out=np.zeros_like(residual), where=residual > 0)
        seen = (released @ motions.released) @ motions.known.T
        estimates = seen + (hidden * shrink[:, None]) @ self._hidden_rotation @ motions.known_hidden.T
        for place in np.flatnonzero(np.isin(rows, list(self._record_of))):
            estimates[place] = self._known[self._record_of[int(rows[place])]]
        return np.asarray(estimates)

    def _checked(self, rows: ArrayLike) -> IntArray:
        wanted = np.atleast_1d(np.asarray(rows))
        wanted = wanted if wanted.size else wanted.astype(np.int64)  # an empty list has no type of its own
        total = self._source.shape[0]
        if wanted.dtype.kind not in "iu" or wanted.ndim != 1 or ((wanted < 0) | (wanted >= total)).any():
            raise InputError("rows", f"must be whole numbers from 0 to {total - 1}", repr(rows)[:40])
        return wanted.astype(np.int64)


def attack(
    known: NDArray[Any],
    released: NDArray[Any] | Source,
    epsilon: float = 0.1,
    *,
    motion: Motion = "orthogonal",
    estimator: Estimator = "optimal",
    rule: Rule = "backbone",
    tolerance: float | None = None,
    seed: int | None = None,
    progress: Progress = no_progress,
) -> AttackResult:
    """Attack a release with known records; no link at all is a valid outcome.

    ``epsilon``: relative error that counts as a breach. ``estimator``: ``optimal``, ``uniform`` or ``published``.
    ``seed``: of the random direction in the hidden dimensions. The others are those of ``link``.
    """
    epsilon = check_epsilon(epsilon)
    check_choice("estimator", estimator, ESTIMATORS)
    check_seed(seed)
    source, known = as_source(released), np.asarray(known)
    linkage = link(known, source, motion=motion, rule=rule, tolerance=tolerance, progress=progress)
    records, rows = linked_pairs(known, linkage, source)
    pair_error = float(np.linalg.norm(linkage.radius[linkage.linked]))
    motions = fit_motions(records, rows, noise=2 * pair_error)
    hidden = motions.released_hidden
    return AttackResult(
        linkage=linkage,
        epsilon=epsilon,
        estimator=estimator,
        _squared_residual=_squared_residuals(source, hidden, progress),
        _error=_relative_error(source, linkage.precision, pair_error * motions.sensitivity, progress),
        _motions=motions,
        _hidden_rotation=haar(motions.hidden_dimension, random_source(seed, "estimate")),
        _known=np.asarray(known, dtype=np.float64),
        _known_error=float(np.finfo(str(known.dtype)).eps) if known.dtype.kind == "f" else 0.0,
        _source=source,
    )


def _relative_error(source: Source, precision: Precision, fit: float, progress: Progress) -> FloatArray:
    """Error of a row relative to its norm: its own, and ``fit``, that of the fitted motion.

    One number for all rows where errors are relative, as in floating point; one a row where they are absolute.
    """
    fixed, at_one = precision.radius(np.array([0.0, 1.0]), source.shape[1])
    common = np.asarray((at_one - fixed) + fit)
    if fixed == 0:
        return common

    def kernel(start: int, block: FloatArray) -> FloatArray:
        norms = row_norms(block)
        own: FloatArray = np.divide(fixed, norms, out=np.full(len(block), np.inf), where=norms > 0)
        return np.asarray(own + common)

    return source.column(kernel, "measuring norms", progress)


def _squared_residuals(source: Source, hidden: FloatArray, progress: Progress) -> FloatArray:
    """(d / |y|)^2 of every released row, d by the complement's basis ``hidden``."""
    measure = residual_kernel(hidden, tile_rows(source.shape[1]))
    return source.column(lambda start, block: measure(block), "measuring residuals", progress)


def _smallest(values: FloatArray, count: int, excluded: IntArray) -> IntArray:
    """Indices of the ``count`` smallest values but the ``excluded`` ones; ties by index."""
    wanted, total = count + len(excluded), len(values)
    chosen = None
    if total > 8 * wanted:
        # A threshold from a sample leaves a few times what is wanted: one comparison a row instead of a selection.
        sample = values[:: max(1, total // 65536)]
        place = min(len(sample) - 1, int(4 * wanted / total * len(sample)) + 16)
        chosen = np.flatnonzero(values <= np.partition(sample, place)[place])
    if chosen is None or len(chosen) < wanted:
        chosen = np.arange(total)
    chosen = chosen[~np.isin(chosen, excluded, assume_unique=True)]
    return chosen[np.argsort(values[chosen], kind="stable")[:count]]
