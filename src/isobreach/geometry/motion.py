# SPDX-License-Identifier: BSD-3-Clause
"""Motions: drawing them, fitting them to linked pairs, choosing uniformly among the consistent ones.

Records are rows: an orthogonal motion M takes x to y = M x, that is ``Y = X @ M.T``. A release may be wider than the
records (N >= n columns, as after zero padding): M is then N x n with orthonormal columns, an isometry into N
dimensions.

Theorem 4.1 of Giannella, Liu and Kargupta: the orthogonal matrices that map the linked records to their released
rows are exactly  M = M_T U U' + V P W'  with P orthogonal of order h; U is a basis of the span of the linked
records, W of its complement, V of the complement of the linked released rows. P Haar makes M uniform among them. For
N > n, P is uniform among the (N - k) x h matrices with orthonormal columns.

A rigid motion takes x to M x + t. Of linked pairs it maps the mean to the mean, so that y - y_mean = M (x - x_mean):
an orthogonal motion of the centred pairs. Any other point of their affine hull would give the same set of motions.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg

from isobreach._arrays import FloatArray
from isobreach._random import RandomSource
from isobreach.geometry.subspace import complement, row_basis


def haar(n: int, source: RandomSource, columns: int | None = None) -> FloatArray:
    """Uniform orthogonal matrix of order n, or its first ``columns``: uniform among orthonormal n x columns.

    Q of a Gaussian matrix, with R's diagonal made positive (Mezzadri 2007).
    """
    columns = n if columns is None else columns
    if columns == 0:
        return np.zeros((n, 0))
    q, r = linalg.qr(source.standard_normal((n, columns)), mode="economic", check_finite=False)
    return np.ascontiguousarray(q * np.where(np.diag(r) < 0, -1.0, 1.0))


@dataclass(frozen=True, eq=False)
class ConsistentMotions:
    """All motions that take the linked records to their released rows.

    Each takes ``known_centre`` to ``released_centre`` (both zero for orthogonal motions). ``known`` (n x k) and
    ``released`` (N x k) are orthonormal bases with M known = released. ``strength`` holds the singular values of the
    centred linked records along the columns of ``known``. ``sensitivity`` times the error of the pairs bounds that of
    ``released``.
    """

    known: FloatArray
    released: FloatArray
    known_centre: FloatArray
    released_centre: FloatArray
    strength: FloatArray
    sensitivity: float

    @property
    def hidden_dimension(self) -> int:
        """Return h = n - k."""
        return int(self.known.shape[0] - self.known.shape[1])

    @cached_property
    def known_hidden(self) -> FloatArray:
        """Return W, n x (n - k), which completes ``known``."""
        return complement(self.known)

    @cached_property
    def released_hidden(self) -> FloatArray:
        """Return V, N x (N - k), which completes ``released``."""
        return complement(self.released)

    def choose_hidden(self, source: RandomSource) -> FloatArray:
        """Return P, uniform: what a motion does to the hidden dimensions, (N - k) x h."""
        return haar(self.released_hidden.shape[1], source, self.hidden_dimension)

    def choose(self, source: RandomSource) -> FloatArray:
        """Return M, N x n, drawn uniformly (the paper's Algorithm 4)."""
        p = self.choose_hidden(source)
        return self.released @ self.known.T + self.released_hidden @ p @ self.known_hidden.T


def fit_motions(
    known: FloatArray, released: FloatArray, noise: float = 0.0, *, translates: bool = False, whiten: bool = True
) -> ConsistentMotions:
    """The motions consistent with linked pairs: ``known[i]`` (q x n) is the record of ``released[i]`` (q x N).

    With X = L S U', the pairs Y' = M X' + E' whitened are Y' L / S = M U + E' L / S: orthonormal but for an error of at
    most |E| / s_k. The nearest orthonormal matrix, its polar factor (an orthogonal Procrustes problem), is then within
    2 |E| / ((1 + t) s_k) of M U in Frobenius norm, t its smallest singular value (Li 1995, "New perturbation bounds for
    the unitary polar factor"). Not whitened, the bound would grow with the condition number of X once more. ``noise``
    bounds |E|: singular values of X below it do not count.

    ``translates``: of rigid motions; centring does not increase |E|. ``whiten=False``: the polar factor of Y' L S
    instead, least squares, which is what independent errors call for; there is no bound then.
    """
    known_centre, released_centre = np.zeros(known.shape[1]), np.zeros(released.shape[1])
    if translates and len(known):
        # Centring leaves the rounding of the records themselves, which is no direction.
        noise = max(noise, float(np.linalg.norm(known)) * max(known.shape) * np.finfo(np.float64).eps)
        known_centre, released_centre = known.mean(axis=0), released.mean(axis=0)
        known, released = known - known_centre, released - released_centre
    u = row_basis(known, noise)
    v, strength, sensitivity = np.zeros((len(released_centre), 0)), np.zeros(0), 0.0
    if u.shape[1]:
        left, strength, right = linalg.svd(known @ u, full_matrices=False, check_finite=False)
        u = u @ right.T
        pairs = released.T @ (left / strength if whiten else left * strength)
        inner, scale, outer = linalg.svd(pairs, full_matrices=False, check_finite=False)
        v = inner @ outer
        sensitivity = 2 / ((1 + scale[-1]) * strength[-1]) if whiten else np.inf
    return ConsistentMotions(u, v, known_centre, released_centre, strength, float(sensitivity))


def procrustes_residual(known: FloatArray, released: FloatArray, translates: bool) -> tuple[float, int]:
    """How badly pairs fit the best motion: (rss, degrees of freedom).

    rss = min over isometries M (and t) of sum_i |y_i - M x_i - t|^2. Where each released coordinate carries independent
    Gaussian noise, small beside the records, rss / sigma^2 is chi-square with as many degrees of freedom as there
    are numbers minus fitted parameters: q N - (N k - k (k + 1) / 2), less N for a translation. (An orthonormal N x k
    matrix has N k - k (k + 1) / 2 parameters; what is done to other directions does not show.)
    """
    motions = fit_motions(known, released, translates=translates, whiten=False)
    seen = (known - motions.known_centre) @ motions.known
    rss = float((((released - motions.released_centre) - seen @ motions.released.T) ** 2).sum())
    (q, wide), k = released.shape, seen.shape[1]
    return rss, q * wide - wide * k + k * (k + 1) // 2 - (wide if translates and q else 0)
