# SPDX-License-Identifier: BSD-3-Clause
"""Exact linear algebra on whole numbers, as far as lattices need it.

Ranks and inverses are found modulo primes of 31 bits, where a product fits in 64, and lifted to the whole number of
least size. A rank modulo p is at most the true one; an inverse is the true one if multiplying back confirms it.
"""

import numpy as np

from isobreach._arrays import FloatArray, IntArray

PRIME, _SECOND_PRIME = 2147483629, 2147483587  # below 2^31: products of two residues fit into 64 bits

_STEPS = 1_000  # of a reduction, for each row: ten times what 22 rows took
_SHORTER = 0.99  # Lovasz' condition


def rank_modulo(matrix: IntArray, prime: int = PRIME) -> int:
    """Rank of a whole-number matrix modulo a prime; in characteristic 0 it is at least that."""
    work = np.mod(matrix, prime)
    rows, columns = work.shape
    rank = 0
    for column in range(columns):
        if rank == rows:
            break
        places = np.flatnonzero(work[rank:, column])
        if not len(places):
            continue
        pivot = rank + int(places[0])
        work[[rank, pivot]] = work[[pivot, rank]]
        first = work[rank, column:] * pow(int(work[rank, column]), -1, prime) % prime  # nothing is left before it
        below = rank + 1 + np.flatnonzero(work[rank + 1 :, column])
        work[below, column:] = (work[below, column:] - work[below, column][:, None] * first % prime) % prime
        rank += 1
    return rank


def unimodular_inverse(matrix: IntArray) -> IntArray | None:
    """Inverse of a matrix of determinant 1 or -1; None where its entries are too large, or it is none."""
    first = _inverse_modulo(matrix, PRIME)
    if first is None:
        return None
    inverse = np.where(first > PRIME // 2, first - PRIME, first)
    if _is_inverse(matrix, inverse):
        return inverse
    # Entries of more than 31 bits: the whole number below p q with these remainders (Garner).
    second = _inverse_modulo(matrix, _SECOND_PRIME)
    if second is None:
        return None
    digit = (second - first) % _SECOND_PRIME * pow(PRIME, -1, _SECOND_PRIME) % _SECOND_PRIME
    inverse = np.where(digit > _SECOND_PRIME // 2, digit - _SECOND_PRIME, digit) * PRIME + first
    return inverse if _is_inverse(matrix, inverse) else None


def _inverse_modulo(matrix: IntArray, prime: int) -> IntArray | None:
    size = len(matrix)
    work = np.concatenate([np.mod(matrix, prime), np.eye(size, dtype=np.int64)], axis=1)
    for column in range(size):
        places = np.flatnonzero(work[column:, column])
        if not len(places):
            return None
        pivot = column + int(places[0])
        work[[column, pivot]] = work[[pivot, column]]
        first = work[column, column:] * pow(int(work[column, column]), -1, prime) % prime  # nothing is left before it
        others = np.flatnonzero(work[:, column])
        others = others[others != column]
        work[others, column:] = (work[others, column:] - work[others, column][:, None] * first % prime) % prime
        work[column, column:] = first
    return work[:, size:]


def _is_inverse(matrix: IntArray, inverse: IntArray) -> bool:
    product = whole_product(matrix, inverse)
    return product is not None and bool((product == np.eye(len(matrix), dtype=np.int64)).all())


def whole_product(left: IntArray, right: IntArray) -> IntArray | None:
    """Product of whole-number matrices; None where it would leave 64 bits."""
    if not left.size or not right.size:
        return left @ right
    first, second = left.astype(np.float64), right.astype(np.float64)
    bound = float((np.abs(first) @ np.abs(second)).max())
    if bound < 2.0**53:  # sums of products of float64 are exact, and go through BLAS
        return np.asarray(first @ second, dtype=np.int64)
    return left @ right if bound < 2.0**62 else None


def reduced_basis(rows: IntArray) -> IntArray:
    """Short rows that span the same lattice: LLL (Lenstra, Lenstra, Lovasz 1982) for a few rows of up to ten digits.

    Columns of R of a QR decomposition are the rows in their own Gram-Schmidt frame; rows are exact, R follows in
    floating-point numbers. What is returned if that takes too long is a basis too, only a longer one.
    """
    basis, k = rows.copy(), 1
    frame: FloatArray = np.asarray(np.linalg.qr(basis.T.astype(np.float64), mode="r"))
    for _ in range(_STEPS * len(rows)):
        if k >= len(basis):
            break
        for j in range(k - 1, -1, -1):
            times = round(frame[j, k] / frame[j, j])
            if times:
                basis[k] -= times * basis[j]
                frame[: j + 1, k] -= times * frame[: j + 1, j]
        if (frame[k - 1 : k + 1, k] ** 2).sum() >= _SHORTER * frame[k - 1, k - 1] ** 2:
            k += 1
            continue
        basis[[k - 1, k]], frame[:, [k - 1, k]] = basis[[k, k - 1]], frame[:, [k, k - 1]]
        cosine, sine = frame[k - 1 : k + 1, k - 1] / np.linalg.norm(frame[k - 1 : k + 1, k - 1])
        frame[k - 1 : k + 1] = np.array([[cosine, sine], [-sine, cosine]]) @ frame[k - 1 : k + 1]
        k = max(k - 1, 1)
    return basis
