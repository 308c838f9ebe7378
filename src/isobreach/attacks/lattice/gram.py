# SPDX-License-Identifier: BSD-3-Clause
r"""The Gram path: in the unit of a whole-number table all inner products are whole numbers.

Rounding the inner products K = V V' of g generators takes rounding and noise of the release away altogether, and
certifies itself: a Gram matrix of vectors in n dimensions has rank at most n and no negative eigenvalue, while one
wrongly rounded entry makes it nearly always of full rank g. Generators with the worst rounding residuals are dropped
until it holds.
"""

import numpy as np
from numpy.typing import NDArray

from isobreach.attacks.lattice.reduction import Spanned, split
from isobreach.geometry.integers import rank_modulo, whole_product
from isobreach.geometry.lattice import Deadline, coordinates

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Residuals of real numbers are uniform in (-1/2, 1/2): root mean square 0.289.
_LARGEST_RESIDUAL = 0.23
# Generators beyond the rank: at least so many, and one of so many is dropped at a time.
_LEAST_SURPLUS, _DROPS = 4, 12
_LARGEST_PRODUCT = 2.0**46
# Eigenvalues, relative to the largest: none may be so far below zero, as many as the rank are so far above.
_NEGATIVE, _POSITIVE = 1e-7, 1e-10
_SCALES = (2.0**26, 2.0**38)
_GAP = 256.0
_ROUNDOFF = 2.0**-46  # of eigenvectors, relative to the longest generator


def looks_whole(vectors: FloatArray) -> bool:
    """Whether inner products are near whole numbers rather than anywhere."""
    products = vectors @ vectors.T
    if not 0.5 < np.abs(products).max(initial=0.0) < _LARGEST_PRODUCT:
        return False
    return bool(np.sqrt(((products - np.rint(products)) ** 2).mean()) <= _LARGEST_RESIDUAL)


def whole_gram(vectors: FloatArray, most_rank: int, deadline: Deadline) -> tuple[IntArray, IntArray] | None:
    """Generators kept and their exact Gram matrix, in units; None where it is no whole-number one of at most a rank."""
    products = vectors @ vectors.T
    whole = np.rint(products)
    residuals = np.abs(products - whole)
    kept = np.arange(len(vectors))
    while True:
        deadline.check()
        gram = whole[np.ix_(kept, kept)].astype(np.int64)
        rank = rank_modulo(gram)
        if 0 < rank <= min(most_rank, len(kept) - _LEAST_SURPLUS) and _has_rank(gram, rank):
            return kept, gram
        surplus = len(kept) - most_rank
        if surplus <= _LEAST_SURPLUS:
            return None
        worst = np.sort(residuals[np.ix_(kept, kept)], axis=1)[:, -3:].mean(axis=1)
        kept = np.sort(kept[np.argsort(worst, kind="stable")[: len(kept) - max(1, surplus // _DROPS)]])


def gram_lattice(gram: IntArray, deadline: Deadline) -> tuple[Spanned, IntArray, int] | None:
    """Lattice of an exact Gram matrix K, its basis' Gram matrix G, and how much split off.

    K = C G C' holds in whole numbers.
    """
    rank = rank_modulo(gram)
    values, directions = np.linalg.eigh(gram.astype(np.float64))
    vectors = directions[:, -rank:] * np.sqrt(np.maximum(values[-rank:], 0.0))  # the generators, cleaned and rotated
    error = _ROUNDOFF * float(np.sqrt(values[-1]))
    for scale in _SCALES:
        found = coordinates(vectors, rank, scale, deadline)
        if found is not None and found[1] >= _GAP:
            break
    else:
        return None
    reduced = split(Spanned(found[0], vectors, error), deadline)
    if reduced is None:
        return None
    lattice, done = reduced
    basis_gram = np.rint(lattice.basis @ lattice.basis.T).astype(np.int64)
    left = whole_product(lattice.coordinates, basis_gram)
    product = None if left is None else whole_product(left, lattice.coordinates.T)
    return (lattice, basis_gram, done) if product is not None and (product == gram).all() else None


def _has_rank(gram: IntArray, rank: int) -> bool:
    """Whether eigenvalues are those of a Gram matrix of this rank, as far as float64 tells."""
    values = np.linalg.eigvalsh(gram.astype(np.float64))
    return bool(values[0] > -_NEGATIVE * values[-1] and values[-rank] > _POSITIVE * values[-1])
