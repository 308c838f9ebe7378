# SPDX-License-Identifier: BSD-3-Clause
r"""Breach probabilities under noise: caps of spheres, averaged over what the noise hides.

In the notation of ``geometry.noise``: with w the hidden part of the estimate, of length r, and
|x|^2 = |m + z|^2 + g^2 + d^2 + 2 g u1 (``geometry.sphere``), an estimate breaches when

    |b - z|^2 + |u - w|^2 <= epsilon^2 |x|^2,   that is   Q + d^2 + r^2 - c^2 <= 2 d |w + e e1| cos

with c^2 = epsilon^2 (g^2 + d^2), e = epsilon^2 g and Q = |b - z|^2 - epsilon^2 |m + z|^2, a quadratic form in z:

    Q = (1 - epsilon^2) |z - delta|^2 + constant,   delta = (b + epsilon^2 m) / (1 - epsilon^2).

Q is taken as a shifted multiple of a chi-square with its first three moments (Pearson), which tr S^j and
delta' S^j delta give. Given Q and d there is a cap of the sphere; both are integrated out with fixed nodes.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, betaincinv, gammainc, gammaln, ndtri

from isobreach._arrays import FloatArray
from isobreach.geometry.noise import Hidden, NoisyRows, ratio
from isobreach.geometry.sphere import Estimator, estimate_radius


def _unit_nodes(count: int) -> tuple[FloatArray, FloatArray]:
    """Gauss-Legendre nodes and weights on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return (nodes + 1) / 2, weights / 2


_LENGTHS, _LENGTH_WEIGHTS = _unit_nodes(10)
_ERRORS, _ERROR_WEIGHTS = _unit_nodes(10)
_COSINES, _COSINE_WEIGHTS = _unit_nodes(8)


@dataclass(frozen=True)
class IntegrationLimits:
    """Where the integrals end."""

    rows: int = 1024  # whose nodes are held at once
    epsilon: float = 0.95  # at 1 the quadratic form degenerates; what holds at this holds beyond
    degrees: float = 1e8  # normal, to all intents; beyond, logarithms cancel
    far: float = 4.0  # standard deviations, beyond which there is 1e-4: what ten nodes leave too


_LIMITS = IntegrationLimits()


def noisy_radius(
    rows: NoisyRows, hidden: Hidden, epsilon: float, estimator: Estimator, norms: FloatArray | None = None
) -> FloatArray:
    """Length of the hidden part of the estimate: as without noise, for d^2 as expected and c^2 less the error seen."""
    square, epsilon = rows.residual(hidden), _bounded(epsilon, norms)
    reach = epsilon**2 * (rows.foot(hidden) + square if norms is None else norms**2)
    reach = np.maximum(reach - rows.traces[:, 0] - rows.forms[:, 0, 0], 0.0)
    offset = epsilon**2 * hidden.offset if norms is None else 0.0
    return estimate_radius(np.sqrt(square), np.sqrt(reach), 1.0, estimator, offset=offset)


def noisy_breach_probability(
    rows: NoisyRows, hidden: Hidden, epsilon: float, estimator: Estimator, norms: FloatArray | None = None
) -> FloatArray:
    """Probability of a breach, approximately; ``norms`` where the records' true ones are known (the owner's side)."""
    result = np.empty(len(rows.centre))
    epsilon = _bounded(epsilon, norms)
    for start in range(0, len(result), _LIMITS.rows):
        part = slice(start, start + _LIMITS.rows)
        result[part] = _breach(rows[part], hidden, epsilon, estimator, None if norms is None else norms[part])
    return np.clip(result, 0.0, 1.0)


def _bounded(epsilon: float, norms: FloatArray | None) -> float:
    return min(epsilon, _LIMITS.epsilon) if norms is None else epsilon


def _breach(
    rows: NoisyRows, hidden: Hidden, epsilon: float, estimator: Estimator, norms: FloatArray | None
) -> FloatArray:
    law = _Law.of(rows, epsilon if norms is None else 0.0)
    if hidden.known == 0:
        return law.within(np.zeros((len(rows.centre), 1)) if norms is None else (epsilon * norms[:, None]) ** 2)[:, 0]
    d = _lengths(rows, hidden.known)
    reach = epsilon**2 * (hidden.offset**2 + d**2 if norms is None else norms[:, None] ** 2)
    offset = epsilon**2 * hidden.offset if norms is None else 0.0
    radius = noisy_radius(rows, hidden, epsilon, estimator, norms)
    total = np.zeros(len(d))
    for cosine, weight in _angles(hidden.known, estimator, offset):
        # |w + e e1|: for the optimal estimate w lies along the offset, for the paper's at a random angle.
        normal = np.sqrt(np.maximum(radius**2 + offset**2 + 2 * radius * offset * cosine, 0.0))
        middle, span = reach - d**2 - radius[:, None] ** 2, 2 * d * normal[:, None]
        total += weight * (_caps(law, middle, span, hidden.known) @ _LENGTH_WEIGHTS)
    return total


def _angles(h: int, estimator: Estimator, offset: float) -> list[tuple[float, float]]:
    """Cosines between w and the offset, and their weights."""
    if estimator == "optimal" or not offset:
        return [(1.0, 1.0)]
    if h == 1:
        return [(-1.0, 0.5), (1.0, 0.5)]
    cosines = 2 * betaincinv((h - 1) / 2, (h - 1) / 2, _COSINES) - 1
    return list(zip(cosines.tolist(), _COSINE_WEIGHTS.tolist(), strict=True))


def _lengths(rows: NoisyRows, h: int) -> FloatArray:
    """d at the nodes: d^2 is mean / f times a chi-square with f = 2 mean^2 / var degrees (cubed normals, as below)."""
    mean = rows.centre**2 + h * rows.variance
    spread = ratio(2 * h * rows.variance**2 + 4 * rows.centre**2 * rows.variance, 9 * mean**2)[:, None]
    root = np.maximum(1 - spread + np.sqrt(spread) * ndtri(_LENGTHS), 0.0)
    return np.asarray(np.sqrt(mean[:, None] * root**3))


@dataclass(frozen=True, eq=False)
class _Law:
    """Q is about shift + scale * (chi-square with these degrees of freedom); all columns, a number a row."""

    shift: FloatArray
    scale: FloatArray
    degrees: FloatArray

    @classmethod
    def of(cls, rows: NoisyRows, epsilon: float) -> "_Law":
        """Of |b - z|^2 - epsilon^2 |m + z|^2, for epsilon < 1."""
        rest = 1 - epsilon**2
        bb, bm, mm = np.moveaxis(rows.forms, 2, 0)
        about = (bb + 2 * epsilon**2 * bm + epsilon**4 * mm) / rest**2  # delta' S^j delta
        constant = bb[:, 0] - epsilon**2 * mm[:, 0] - rest * about[:, 0]
        power = np.arange(1, 4)
        first, second, third = np.moveaxis(rest**power * (rows.traces + power * about), 1, 0)
        degrees = np.clip(ratio(second**3, third**2), 1e-3, _LIMITS.degrees)
        scale = np.sqrt(second / degrees)
        return cls(*(value[:, None] for value in (constant + first - scale * degrees, scale, degrees)))

    def within(self, reach: FloatArray) -> FloatArray:
        """P(Q <= reach)."""
        above = reach - self.shift
        value = np.divide(np.maximum(above, 0.0), 2 * self.scale, out=np.zeros(above.shape), where=self.scale > 0)
        return np.asarray(np.where(self.scale > 0, gammainc(self.degrees / 2, value), above >= 0))


def _caps(law: _Law, middle: FloatArray, span: FloatArray, h: int) -> FloatArray:
    """P(Q <= middle + span * cosine): F(middle - span) + integral of the cap's share over the law of Q between."""
    low, high = middle - span, middle + span
    if not law.scale.any():  # nothing seen
        value = law.shift - middle
        return _share(np.divide(value, span, out=np.where(value > 0, 2.0, -2.0), where=span > 0), h)
    within = law.within(low)
    if h == 1:
        return np.asarray((within + law.within(high)) / 2)
    # Nodes in the variable that is close to normal (Wilson and Hilferty), where the chi-square has its mass.
    half, spread, unit = law.degrees / 2, np.sqrt(2 / (9 * law.degrees)), law.scale * law.degrees
    constant = half * np.log(half) - gammaln(half)

    def score(value: FloatArray) -> FloatArray:
        root = np.cbrt(np.maximum((value - law.shift) / unit, 0.0))
        return np.asarray(
            np.clip((root - 1 + spread**2) / spread, np.maximum(-_LIMITS.far, (spread**2 - 1) / spread), _LIMITS.far)
        )

    first, last = score(low), score(high)
    for node, weight in zip(_ERRORS.tolist(), _ERROR_WEIGHTS.tolist(), strict=True):
        root = np.maximum(1 - spread**2 + spread * (first + (last - first) * node), 1e-12)
        density = np.exp(constant + 3 * (half - 1) * np.log(root) - half * root**3)  # of chi-square over its degrees
        height = np.divide(law.shift + unit * root**3 - middle, span, out=np.full(span.shape, 2.0), where=span > 0)
        within = within + weight * (last - first) * 3 * root**2 * spread * density * _share(height, h)
    return within


def _share(height: FloatArray, h: int) -> FloatArray:
    """P(cos >= height) on the sphere in h dimensions."""
    if h == 1:
        return np.where(height <= -1, 1.0, np.where(height <= 1, 0.5, 0.0))
    cap = 0.5 * betainc((h - 1) / 2, 0.5, np.clip((1 - height) * (1 + height), 0.0, 1.0))
    return np.asarray(np.where(height >= 0, cap, 1 - cap))
