# SPDX-License-Identifier: BSD-3-Clause
r"""The Gram path: in the unit of a whole-number table all inner products are whole numbers.

Rounding the inner products K = V V' of g generators takes rounding and noise of the release away altogether, and
certifies itself: a Gram matrix of vectors in n dimensions has rank at most n and no negative eigenvalue, while one
wrongly rounded entry makes it nearly always of full rank g. Generators with the worst rounding residuals are dropped
until it holds.
"""

from dataclasses import dataclass

import numpy as np

from isobreach._arrays import FloatArray, IntArray
from isobreach.attacks.lattice.reduction import Spanned, split
from isobreach.geometry.integers import rank_modulo, whole_product
from isobreach.geometry.lattice import ReductionEffort, coordinates


@dataclass(frozen=True)
class Rounding:
    """When rounded inner products are believed."""

    largest_residual: float = 0.23  # Residuals of real numbers are uniform in (-1/2, 1/2): root mean square 0.289.
    least_surplus: int = 4  # Generators beyond the rank: each is one more equation that a wrong entry breaks.
    drops: int = 12  # One of so many surplus generators is dropped at a time.
    largest_product: float = 2.0**46  # Products of float64 are still known to 1/128.
    negative: float = 1e-7  # Eigenvalues, relative to the largest, are no further below zero: roundoff, with room.
    positive: float = 1e-10  # As many as the rank are so far above zero.
    # Of the reduction, in turn: the coarse one keeps numbers short, the fine one finds long bases.
    scales: tuple[float, ...] = (2.0**26, 2.0**38)
    gap: float = 256.0  # Between relations and basis vectors: exact products leave far more.
    roundoff: float = 2.0**-46  # Of eigenvectors, relative to the longest generator.


_ROUNDING = Rounding()


def looks_whole(vectors: FloatArray) -> bool:
    """Whether inner products are near whole numbers rather than anywhere."""
    products = vectors @ vectors.T
    if not 0.5 < np.abs(products).max(initial=0.0) < _ROUNDING.largest_product:
        return False
    return bool(np.sqrt(((products - np.rint(products)) ** 2).mean()) <= _ROUNDING.largest_residual)


def whole_gram(vectors: FloatArray, most_rank: int, effort: ReductionEffort) -> tuple[IntArray, IntArray] | None:
    """Generators kept and their exact Gram matrix, in units; None where it is no whole-number one of at most a rank."""
    products = vectors @ vectors.T
    whole = np.rint(products)
    residuals = np.abs(products - whole)
    kept = np.arange(len(vectors))
    while True:
        effort.check()
        gram = whole[np.ix_(kept, kept)].astype(np.int64)
        rank = rank_modulo(gram)
        if 0 < rank <= min(most_rank, len(kept) - _ROUNDING.least_surplus) and _has_rank(gram, rank):
            return kept, gram
        surplus = len(kept) - most_rank
        if surplus <= _ROUNDING.least_surplus:
            return None
        worst = np.sort(residuals[np.ix_(kept, kept)], axis=1)[:, -3:].mean(axis=1)
        kept = np.sort(kept[np.argsort(worst, kind="stable")[: len(kept) - max(1, surplus // _ROUNDING.drops)]])


def gram_lattice(gram: IntArray, effort: ReductionEffort) -> tuple[Spanned, IntArray, int] | None:
    """Lattice of an exact Gram matrix K, its basis' Gram matrix G, and how much split off.

    K = C G C' holds in whole numbers.
    """
    rank = rank_modulo(gram)
    values, directions = np.linalg.eigh(gram.astype(np.float64))
    vectors = directions[:, -rank:] * np.sqrt(np.maximum(values[-rank:], 0.0))  # the generators, cleaned and rotated
    error = _ROUNDING.roundoff * float(np.sqrt(values[-1]))
    for scale in _ROUNDING.scales:
        found = coordinates(vectors, rank, scale, effort)
        if found is not None and found[1] >= _ROUNDING.gap:
            break
    else:
        return None
    reduced = split(Spanned(found[0], vectors, error), effort)
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
    return bool(values[0] > -_ROUNDING.negative * values[-1] and values[-rank] > _ROUNDING.positive * values[-1])
