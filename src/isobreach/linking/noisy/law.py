# SPDX-License-Identifier: BSD-3-Clause
r"""The joint law of all lengths of a few released rows under noise.

For records x_1, ..., x_L placed on rows, the squared distances (and norms, where the motion keeps them) of the rows are
normal to first order. Writing each squared length as that of c'Y, c a row of +1 and -1 over the L rows and z = c'X its
exact value, independent noise of standard deviation s on N coordinates makes

    mean  |z|^2 + N s^2 c.c,      covariance of two  4 s^2 (c.c') (z.z') + 2 N s^4 (c.c')^2

A squared scale that is known up to a relative error t adds t^2 |z|^2 |z'|^2 to the covariance: all lengths are wrong
by the same factor. A random projection to p columns adds 2 (z.z')^2 / p. Then

    Q = (o - mean)' covariance^-1 (o - mean)

is about chi-square: one test of all lengths together, where a cut for each would either lose true pairs or pass too
many false ones.
"""

import numpy as np

from isobreach._arrays import FloatArray, IntArray


def lengths_of(count: int, norms_kept: bool) -> IntArray:
    """Lengths of ``count`` rows as pairs (i, j), i < j, or (-1, j) for a norm; a row's come after those before it."""
    first = -1 if norms_kept else 0
    return np.array([(i, j) for j in range(count) for i in range(first, j)], dtype=np.int64).reshape(-1, 2)


def joint_law(
    records: FloatArray,
    lengths: IntArray,
    deviation: float,
    columns: int,
    scale_error: float = 0.0,
    projected: int = 0,
) -> tuple[FloatArray, FloatArray]:
    """Mean and covariance of the squared lengths of the records' rows."""
    signs = np.zeros((len(lengths), len(records)))
    signs[np.arange(len(lengths)), lengths[:, 1]] = 1.0
    pairs = np.flatnonzero(lengths[:, 0] >= 0)
    signs[pairs, lengths[pairs, 0]] = -1.0
    exact, shared = signs @ records, signs @ signs.T
    squares = (exact**2).sum(axis=1)
    mean = squares + columns * deviation**2 * np.diag(shared)
    covariance = 4 * deviation**2 * shared * (exact @ exact.T) + 2 * columns * deviation**4 * shared**2
    covariance += np.outer(scale_error * squares, scale_error * squares)
    return mean, covariance + 2 / projected * (exact @ exact.T) ** 2 if projected else covariance


def whitening(covariance: FloatArray) -> FloatArray:
    """Lower triangular L with L L' the covariance: z = L^-1 (o - mean) has Q = z.z, one length after the other.

    More lengths than dimensions make it nearly singular; its diagonal is then widened as little as will do.
    """
    diagonal = np.diag_indices_from(covariance)
    for share in (1e-9, 1e-7, 1e-5, 1e-3):
        widened = covariance.copy()
        widened[diagonal] *= 1 + share
        try:
            return np.asarray(np.linalg.cholesky(widened), dtype=np.float64)
        except np.linalg.LinAlgError:
            continue
    return np.diag(np.sqrt(covariance[diagonal]))
