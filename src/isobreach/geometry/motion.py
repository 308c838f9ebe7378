# SPDX-License-Identifier: BSD-3-Clause
"""Motions: drawing them, fitting them to linked pairs, choosing uniformly among the consistent ones.

Records are rows: an orthogonal motion M takes x to y = M x, that is ``Y = X @ M.T``.

Theorem 4.1 of Giannella, Liu and Kargupta: the orthogonal matrices that map the linked records to their released
rows are exactly  M = M_T U U' + V P W'  with P orthogonal of order h; U is a basis of the span of the linked
records, W of its complement, V of the complement of the linked released rows. P Haar makes M uniform among them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from isobreach._random import RandomSource
from isobreach.geometry.subspace import complement, row_basis

FloatArray = NDArray[np.float64]


def haar(n: int, source: RandomSource) -> FloatArray:
    """Uniform orthogonal matrix of order n: Q of a Gaussian matrix, with R's diagonal made positive (Mezzadri 2007)."""
    if n == 0:
        return np.zeros((0, 0))
    q, r = linalg.qr(source.standard_normal((n, n)), check_finite=False)
    return np.ascontiguousarray(q * np.where(np.diag(r) < 0, -1.0, 1.0))


@dataclass(frozen=True, eq=False)
class ConsistentMotions:
    """All orthogonal motions that take the linked records to their released rows.

    ``known`` (n x k) and ``released`` (n x k) are orthonormal bases with M known = released for each such M;
    ``known_hidden`` (W) and ``released_hidden`` (V), n x h, complete them. ``sensitivity`` times the error of the pairs
    bounds the error of ``released``.
    """

    known: FloatArray
    released: FloatArray
    known_hidden: FloatArray
    released_hidden: FloatArray
    sensitivity: float

    @property
    def hidden_dimension(self) -> int:
        """Return h = n - k."""
        return int(self.known_hidden.shape[1])

    def choose(self, source: RandomSource) -> FloatArray:
        """Return M drawn uniformly (the paper's Algorithm 4)."""
        p = haar(self.hidden_dimension, source)
        return self.released @ self.known.T + self.released_hidden @ p @ self.known_hidden.T


def fit_motions(known: FloatArray, released: FloatArray, noise: float = 0.0) -> ConsistentMotions:
    """The motions consistent with linked pairs: ``known[i]`` is the record of ``released[i]`` (both q x n).

    With X = L S U', the pairs Y' = M X' + E' whitened are Y' L / S = M U + E' L / S: orthonormal but for an error of at
    most |E| / s_k. The nearest orthonormal matrix, its polar factor (an orthogonal Procrustes problem), is then within
    2 |E| / ((1 + t) s_k) of M U in Frobenius norm, t its smallest singular value (Li 1995, "New perturbation bounds for
    the unitary polar factor"). Not whitened, the bound would grow with the condition number of X once more. ``noise``
    bounds |E|: singular values of X below it do not count.
    """
    u = row_basis(known, noise)
    if not u.shape[1]:
        eye = np.eye(known.shape[1])
        return ConsistentMotions(u, u.copy(), eye, eye.copy(), 0.0)
    left, singular, right = linalg.svd(known @ u, full_matrices=False, check_finite=False)
    white = (released.T @ (left / singular)) @ right
    inner, scale, outer = linalg.svd(white, full_matrices=False, check_finite=False)
    v = inner @ outer
    sensitivity = 2 / ((1 + scale[-1]) * singular[-1])
    return ConsistentMotions(u, v, complement(u), complement(v), float(sensitivity))
