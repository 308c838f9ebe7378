# SPDX-License-Identifier: BSD-3-Clause
"""Spans with a numerical rank, their complements, and distances from them.

A residual is computed as the length of the coordinates in the *complement's* orthonormal basis, never as
sqrt(|y|^2 - |Py|^2), which cancels for rows near the span: those are the rows at risk.
"""

import numpy as np
from scipy import linalg

from isobreach._arrays import FloatArray


def row_basis(rows: FloatArray, noise: float = 0.0) -> FloatArray:
    """Orthonormal basis, n x k, of the span of ``rows`` (q x n).

    The rank k counts singular values above both the rounding error of the decomposition and ``noise``, a bound on
    the error of ``rows`` in spectral norm: a direction that noise alone could have made is not determined.
    """
    if not len(rows):
        return np.zeros((rows.shape[1], 0))
    _, s, vt = linalg.svd(rows, full_matrices=False, lapack_driver="gesdd", check_finite=False)
    rank = int(np.count_nonzero(s > max(s[0] * max(rows.shape) * np.finfo(np.float64).eps, noise)))
    return np.ascontiguousarray(vt[:rank].T)


def complement(basis: FloatArray) -> FloatArray:
    """Orthonormal basis, n x (n - k), of the orthogonal complement of the columns of ``basis`` (n x k)."""
    n, k = basis.shape
    if k == 0:
        return np.eye(n)
    q, _ = linalg.qr(basis, mode="full", check_finite=False)
    return np.ascontiguousarray(q[:, k:])


def residuals(rows: FloatArray, hidden: FloatArray) -> FloatArray:
    """Distance of each row from the span whose complement has the orthonormal basis ``hidden`` (n x h)."""
    if hidden.shape[1] == hidden.shape[0]:
        return row_norms(rows)
    return row_norms(rows @ hidden)


def row_norms(rows: FloatArray) -> FloatArray:
    """Euclidean norm of each row."""
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", rows, rows)))
