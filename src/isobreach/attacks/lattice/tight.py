# SPDX-License-Identifier: BSD-3-Clause
r"""Attributes that are not seen apart: one-hot groups, columns that are sums of others, congruences between columns.

The rows of a whole-number table generate a lattice L of rank r, and each of its attributes is a functional that takes
whole-number values c on a basis of L: a vector of the dual lattice, the part of the attribute's axis inside the span of
L. Axes of n attributes are orthonormal, so a record's attributes give its inner products: sum_j c_j c_j' = G, the Gram
matrix of the basis (in orthonormal coordinates, a tight frame sum_j w_j w_j' = I with |w_j| <= 1). The dual vectors no
longer than one are finitely many and are enumerated, and all ways to write G as a sum of their squares are searched, in
whole numbers. A functional is an attribute's for sure if there is no way without it: the backbone again, now of frames.
(With x1 + x2 + x3 + x4 even there are three frames, and nothing is certain.)
"""

from dataclasses import dataclass

import numpy as np

from isobreach._arrays import BoolArray, IntArray
from isobreach.attacks.lattice.frame import Doubt
from isobreach.geometry.lattice import ReductionEffort, short_vectors


@dataclass(frozen=True)
class ReadingLimits:
    """Where the search for readings ends undecided."""

    most_vectors: int = 2000  # Dual vectors no longer than one; set by hand, more end undecided.
    most_rank: int = 60  # Enumeration is exponential in the rank; set by hand, more ends undecided.
    most_nodes: int = 3000  # Of one search; set by hand, more end undecided.
    roundoff: float = 1e-9  # Of eigenvalues and products of whole numbers in float64.


_LIMITS = ReadingLimits()


class _UndecidedError(Exception):
    """The search found no frame and did not come to its end."""


@dataclass(frozen=True, eq=False)
class Functionals:
    """Attributes as whole-number functionals on a basis (k x r), which are certain, and why others are not."""

    functionals: IntArray
    certain: BoolArray
    doubt: Doubt | None = None


def tight_frame(gram: IntArray, attributes: int, effort: ReductionEffort) -> Functionals:
    """At most so many attributes behind a lattice of whole-number records with this Gram matrix."""
    rank = len(gram)
    inverse = np.linalg.inv(gram.astype(np.float64))
    vectors = short_vectors(inverse, 1.0, _LIMITS.most_vectors, effort) if rank <= _LIMITS.most_rank else None
    if vectors is None:
        return _nothing(rank, Doubt.MANY_READINGS)
    frames = _Frames(vectors, gram, attributes, effort)
    try:
        counts = frames.find(np.full(len(vectors), attributes))
    except _UndecidedError:
        return _nothing(rank, Doubt.READINGS_UNDECIDED)
    if counts is None:
        return _nothing(rank, Doubt.NO_READING)
    used = np.flatnonzero(counts)
    certain = np.array([frames.need(int(place), int(counts[place])) for place in used])
    functionals, sure = np.repeat(vectors[used], counts[used], axis=0), np.repeat(certain, counts[used])
    return Functionals(functionals, sure, None if sure.all() else Doubt.SEVERAL_READINGS)


def _nothing(rank: int, doubt: Doubt) -> Functionals:
    return Functionals(np.empty((0, rank), dtype=np.int64), np.empty(0, dtype=np.bool_), doubt)


class _Frames:
    """All frames: whole numbers k >= 0 with sum k_c c c' = G and sum k_c <= the number of attributes."""

    def __init__(self, vectors: IntArray, gram: IntArray, attributes: int, effort: ReductionEffort) -> None:
        self._vectors, self._gram, self._attributes, self._effort = vectors, gram, attributes, effort
        self._found: list[IntArray] = []
        self._nodes = 0

    def need(self, place: int, count: int) -> bool:
        """Whether every frame has at least so many of one vector; False where that cannot be told."""
        if any(counts[place] < count for counts in self._found):
            return False
        most = np.full(len(self._vectors), self._attributes)
        most[place] = count - 1
        try:
            return self.find(most) is None
        except _UndecidedError:
            return False

    def find(self, most: IntArray) -> IntArray | None:
        """A frame with at most so many of each vector, None where there is none.

        Raises ``_UndecidedError`` where the search does not come to its end.
        """
        self._nodes = 0
        counts = np.zeros(len(self._vectors), dtype=np.int64)
        if not self._extend(self._gram, np.arange(len(self._vectors)), most, counts):
            return None
        self._found.append(counts)
        return counts

    def _extend(self, left: IntArray, allowed: IntArray, most: IntArray, counts: IntArray) -> bool:
        """Whether what is left of G is a sum of squares of allowed vectors; ``counts`` are then those taken."""
        if not left.any():
            return True
        self._nodes += 1
        if self._nodes > _LIMITS.most_nodes or not self._effort.left:
            raise _UndecidedError
        allowed = allowed[counts[allowed] < most[allowed]]
        allowed = allowed[_fit(self._vectors[allowed], left)]
        if counts.sum() >= self._attributes or not len(allowed):
            return False
        # Whatever is left on the diagonal must come from vectors that are not zero there: fewest ways first.
        squares = self._vectors[allowed] ** 2
        diagonal = np.diag(left)
        ways = np.where(diagonal > 0, (squares > 0).sum(axis=0), len(self._vectors) + 1)
        if (((most[allowed] - counts[allowed]) @ squares) < diagonal).any():
            return False
        here = squares[:, int(ways.argmin())] > 0
        rest = allowed[~here]
        branches = allowed[here]
        for done, place in enumerate(branches):
            vector = self._vectors[place]
            smaller = left - np.outer(vector, vector)
            if np.linalg.eigvalsh(smaller)[0] < -_LIMITS.roundoff * np.trace(left):
                continue  # no sum of squares
            counts[place] += 1
            # Frames with a vector that was tried before have been tried.
            if self._extend(smaller, np.concatenate([branches[done:], rest]), most, counts):
                return True
            counts[place] -= 1
        return False


def _fit(vectors: IntArray, left: IntArray) -> BoolArray:
    """Vectors whose square can be taken from a sum of squares, as far as 2 x 2 minors of what is left then tell."""
    diagonal = (np.diag(left) - vectors**2).astype(np.float64)
    fits = np.asarray((diagonal >= 0).all(axis=1))
    vectors, diagonal = vectors[fits], diagonal[fits]
    products = (left - vectors[:, :, None] * vectors[:, None, :]).astype(np.float64)
    most = diagonal[:, :, None] * diagonal[:, None, :] * (1 + _LIMITS.roundoff)  # squares of large numbers are rounded
    fits[fits] = (products**2 <= most).all(axis=(1, 2))
    return fits
