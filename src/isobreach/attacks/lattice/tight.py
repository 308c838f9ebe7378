# SPDX-License-Identifier: BSD-3-Clause
r"""Attributes that are not seen apart: one-hot groups, columns that are sums of others, congruences between columns.

The rows of a whole-number table generate a lattice L of rank r, and each of its attributes is a functional that takes
whole-number values on L: a vector w_j of the dual lattice, the part of the attribute's axis inside the span of L. Axes
of n attributes are orthonormal, so their parts satisfy sum_j w_j w_j' = I (a tight frame), |w_j| <= 1. The dual vectors
no longer than one are finitely many and are enumerated; whole numbers k_w of how many attributes each of them is, with
sum_w k_w w w' = I and sum_w k_w <= n, come from integer programming. A functional is an attribute's for sure if there
is no solution without it: the backbone again, now of frames. (With x1 + x2 + x3 + x4 even there are three frames,
and nothing is certain.)
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp

from isobreach.geometry.lattice import Deadline, short_vectors

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

_MOST_VECTORS = 2000
_MOST_RANK = 60
_ROUNDOFF = 1e-7
_INFEASIBLE = 2  # a status of scipy's milp
# Its seconds. Nothing ends it before, not even a signal; what it solves at all takes hundredths.
_LEAST_TIME, _MOST_TIME = 0.01, 5.0


class _UndecidedError(Exception):
    """The solver found no solution and no proof that there is none, within its time or its precision."""


@dataclass(frozen=True, eq=False)
class Functionals:
    """Attributes as whole-number functionals on a basis (k x r), which are certain, and why others are not."""

    functionals: IntArray
    certain: BoolArray
    doubt: str = ""


def tight_frame(gram: IntArray, attributes: int, deadline: Deadline) -> Functionals:
    """At most so many attributes behind a lattice of whole-number records with this Gram matrix."""
    rank = len(gram)
    inverse = np.linalg.inv(gram.astype(np.float64))
    vectors = short_vectors(inverse, 1.0, _MOST_VECTORS, deadline) if rank <= _MOST_RANK else None
    if vectors is None:
        return _nothing(rank, "its rows obey congruences or linear relations with too many readings")
    program = _Program(vectors, inverse, attributes)
    try:
        solution = program.solve(None, deadline)
    except _UndecidedError:
        return _nothing(rank, "the readings of its linear relations could not be told in time")
    if solution is None:
        return _nothing(rank, "no whole-number attributes fit the lattice of its rows")
    used = np.flatnonzero(solution)
    certain = np.array([program.needs(int(place), int(solution[place]), deadline) for place in used])
    functionals, sure = np.repeat(vectors[used], solution[used], axis=0), np.repeat(certain, solution[used])
    return Functionals(functionals, sure, "" if sure.all() else "its rows obey a congruence that has several readings")


def _nothing(rank: int, doubt: str) -> Functionals:
    return Functionals(np.empty((0, rank), dtype=np.int64), np.empty(0, dtype=np.bool_), doubt)


class _Program:
    """Find whole numbers k >= 0 with sum k_w w w' = I and sum k_w <= the number of attributes."""

    def __init__(self, vectors: IntArray, inverse: FloatArray, attributes: int) -> None:
        root = np.linalg.cholesky(inverse)
        points = vectors @ root  # lengths and angles of the dual vectors, in some orthonormal coordinates
        rank = points.shape[1]
        upper = np.triu_indices(rank)
        self._products, self._target = points[:, upper[0]] * points[:, upper[1]], np.eye(rank)[upper]
        self._attributes = attributes
        self._constraints = [
            LinearConstraint(self._products.T, self._target - _ROUNDOFF, self._target + _ROUNDOFF),
            LinearConstraint(np.ones((1, len(points))), 0, attributes),
        ]
        self._most = np.floor(1 / np.einsum("ij,ij->i", points, points) + _ROUNDOFF)

    def needs(self, place: int, count: int, deadline: Deadline) -> bool:
        """Whether every solution has at least so many of one vector; False where that cannot be told."""
        try:
            return self.solve((place, count), deadline) is None
        except _UndecidedError:
            return False

    def solve(self, forbidden: tuple[int, int] | None, deadline: Deadline) -> IntArray | None:
        """A solution, with fewer than so many of one vector where that is given; None where there is none.

        Raises ``_UndecidedError`` where the solver cannot tell.
        """
        most = self._most.copy()
        if forbidden is not None:
            most[forbidden[0]] = forbidden[1] - 1
        found = milp(
            np.ones(len(most)),
            constraints=self._constraints,
            integrality=np.ones(len(most)),
            bounds=Bounds(0, most),
            options={"time_limit": float(np.clip(deadline.left, _LEAST_TIME, _MOST_TIME))},
        )
        if found.status == _INFEASIBLE:
            return None
        if found.x is None:
            raise _UndecidedError
        solution: IntArray = np.rint(found.x).astype(np.int64)
        # The solver has tolerances of its own: a frame is one if it is in whole numbers.
        if np.abs(solution @ self._products - self._target).max() > _ROUNDOFF or solution.sum() > self._attributes:
            raise _UndecidedError
        return solution
