# SPDX-License-Identifier: BSD-3-Clause
r"""What noise does to rows: every released coordinate carries an independent Gaussian error.

y = M x (+ t) + e with e of standard deviation sigma, and a motion fitted by least squares to q linked pairs. To first
order in sigma, in the basis in which the (centred) linked records have singular values s_1 ... s_k (Procrustes: the
polar factor moves by an antisymmetric W within the span and by G out of it), all entries independent with

    var W_ij = sigma^2 / (s_i^2 + s_j^2)  (half of what a regression would have),    var G_.j = sigma^2 / s_j^2.

**Seen part.** A row with centred coordinates a in the span and residual d errs there by e - W a + G'u, of covariance

    C = sigma^2 [ (own + a^2 L + d^2 / s^2) on the diagonal,  -a_i a_j L_ij off it ],   L_ij = 1 / (s_i^2 + s_j^2),

own = 1, or 1 + 1/q where the centre had to be measured too.

**Hidden part.** The measured hidden coordinates are u + noise in K = N - k dimensions, of variance
v = sigma^2 (own + sum a_j^2 / s_j^2) each; the K - h of them that no record reaches are taken off on average.

**What rows have in common.** Of rows that look close to the span, many look so by accident of the noise. So rows are
read against the spread of all rows, as if those were normal (empirical Bayes): with a spread w^2 a coordinate and
kappa = w^2 / (w^2 + v), u has mean kappa * (measured u) and variance kappa v; d^2 is then a noncentral chi-square,
taken as a multiple of a central one (Patnaik). Likewise the seen part is m + z, z normal with covariance S = R C R,
R^2 = diag(kappa), while the estimate's is m + b, b = (1 - kappa) (measured - mean).

These are approximations: first order in the noise, and a normal spread of rows.
"""

from dataclasses import dataclass

import numpy as np

from isobreach._arrays import FloatArray


@dataclass(frozen=True)
class Hidden:
    """What is hidden: ``known`` of the records' dimensions, ``released`` of the release's, and the offset g."""

    known: int
    released: int
    offset: float = 0.0


@dataclass(frozen=True, eq=False)
class Spread:
    """What the rows of a release have in common: sums over rows of what ``of`` returns, and their number.

    Sums add up: of parts of a release to those of the whole.
    """

    count: int
    seen: FloatArray
    seen_squares: FloatArray
    hidden_square: float
    variance: float
    seen_variance: FloatArray

    @classmethod
    def of(cls, seen: FloatArray, centre: FloatArray, residual: FloatArray, noise: "Noise") -> "Spread":
        """Of rows with these centred coordinates, the centre at ``centre``, and measured residuals."""
        diagonal, variance = noise.variances(seen, residual)
        seen = seen + centre
        return cls(
            len(seen),
            seen.sum(axis=0),
            (seen**2).sum(axis=0),
            float((residual**2).sum()),
            float(variance.sum()),
            diagonal.sum(axis=0),
        )

    def __add__(self, other: "Spread") -> "Spread":
        return Spread(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))

    def of_foot(self) -> tuple[FloatArray, FloatArray]:
        """Mean and spread w^2 of each seen coordinate, the noise's share taken off."""
        mean = self.seen / self.count
        return mean, np.maximum((self.seen_squares - self.seen_variance) / self.count - mean**2, 0.0)

    def of_hidden(self, hidden: Hidden) -> float:
        """Spread w^2 of a hidden coordinate, the noise's share taken off."""
        return max(self.hidden_square - hidden.released * self.variance, 0.0) / (self.count * max(hidden.known, 1))


@dataclass(frozen=True, eq=False)
class Noise:
    """``sigma``, the singular values ``strength`` of the linked records, and ``own``: see the module's text."""

    sigma: float
    strength: FloatArray
    own: float

    def variances(self, seen: FloatArray, residual: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The diagonal of C for each row (rows x k), and v."""
        squares, power = seen**2, self.strength**2
        diagonal = self.own + squares @ self.shared() + residual[:, None] ** 2 / power
        return self.sigma**2 * diagonal, self.sigma**2 * (self.own + (squares / power).sum(axis=1))

    def shared(self) -> FloatArray:
        """Return L, with 0 on its diagonal."""
        power = self.strength**2
        shared = 1 / (power[:, None] + power)
        np.fill_diagonal(shared, 0.0)
        return np.asarray(shared)


@dataclass(frozen=True, eq=False)
class NoisyRows:
    """What a noisy release shows of rows.

    ``centre``, ``variance`` (a number a row): kappa * (measured hidden length), and kappa v. ``traces`` (rows x 3):
    tr S, tr S^2, tr S^3. ``forms`` (rows x 3 x 3): for j = 0, 1, 2 the numbers b'S^j b, b'S^j m and m'S^j m.
    """

    centre: FloatArray
    variance: FloatArray
    traces: FloatArray
    forms: FloatArray

    def __getitem__(self, rows: slice) -> "NoisyRows":
        return NoisyRows(self.centre[rows], self.variance[rows], self.traces[rows], self.forms[rows])

    def packed(self) -> FloatArray:
        """All of it as one array, rows x 14."""
        return np.column_stack([self.centre, self.variance, self.traces, self.forms.reshape(-1, 9)])

    @classmethod
    def unpacked(cls, numbers: FloatArray) -> "NoisyRows":
        """Return the rows that ``packed`` gives these numbers of."""
        forms = numbers[:, 5:].reshape(-1, 3, 3)
        return cls(*(np.ascontiguousarray(part) for part in (numbers[:, 0], numbers[:, 1], numbers[:, 2:5], forms)))

    def residual(self, hidden: Hidden) -> FloatArray:
        """d^2, as expected."""
        return np.asarray(self.centre**2 + hidden.known * self.variance)

    def foot(self, hidden: Hidden) -> FloatArray:
        """|p|^2, as expected."""
        return np.asarray(self.forms[:, 0, 2] + self.traces[:, 0] + hidden.offset**2)


def noisy_rows(
    seen: FloatArray, centre: FloatArray, residual: FloatArray, noise: Noise, hidden: Hidden, spread: Spread
) -> NoisyRows:
    """Rows with these centred coordinates (rows x k), the centre at ``centre``, and measured residuals."""
    diagonal, variance = noise.variances(seen, residual)
    shared = noise.shared() * noise.sigma**2
    mean, wide = spread.of_foot()
    share = ratio(wide, wide + diagonal)  # kappa of each seen coordinate
    bias, middle = (1 - share) * (seen + centre - mean), mean + share * (seen + centre - mean)
    diagonal, root = share * diagonal, np.sqrt(share) * seen
    squares = root**2
    cross = squares * (squares @ shared**2)
    turned = shared * squares[:, None, :]
    cubes = np.einsum("mij,mji->m", turned @ turned, turned)
    traces = np.stack(
        [
            diagonal.sum(axis=1),
            (diagonal**2 + cross).sum(axis=1),
            (diagonal**3 + 3 * diagonal * cross).sum(axis=1) - cubes,
        ],
        axis=1,
    )
    plain = np.stack([bias, middle])
    times = diagonal * plain - root * ((root * plain) @ shared)  # S b and S m
    forms = np.stack([_products(*pair) for pair in ((plain, plain), (plain, times), (times, times))], axis=1)
    wide_hidden = spread.of_hidden(hidden)
    kept = ratio(np.full_like(variance, wide_hidden), wide_hidden + variance)
    inside = np.sqrt(np.maximum(residual**2 - (hidden.released - hidden.known) * variance, 0.0))
    return NoisyRows(kept * inside, kept * variance, traces, forms)


def _products(left: FloatArray, right: FloatArray) -> FloatArray:
    """For pairs (b, m) of rows: b.b, b.m and m.m, rows x 3."""
    return np.stack([np.einsum("mi,mi->m", left[i], right[j]) for i, j in ((0, 0), (0, 1), (1, 1))], axis=1)


def ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    """part / whole, 0 for nothing of nothing."""
    part, whole = np.broadcast_arrays(part, whole)
    return np.asarray(np.divide(part, whole, out=np.zeros(whole.shape), where=whole > 0))
