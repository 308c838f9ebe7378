# SPDX-License-Identifier: BSD-3-Clause
"""Algorithms 1 to 3 of Giannella, Liu and Kargupta, as their text has them; erratum E2 fixed.

Algorithm 1 tries index sets from the largest down; Algorithm 2 decides whether one is uniquely valid by the
depth-first search of Algorithm 3. As printed, that loops over every remaining index at every level and reaches one
assignment once per ordering; here one next index is fixed per level.

The text defines the set C(I1, beta1, i), by condition (1) equal norms and condition (2) equal distances to the rows
already assigned, and not how it is found, nor what counts as equal. Here it is a scan over all released rows, one NumPy
expression (``norms_of`` may be a faster one), and equal is within ``tolerance``. The released norms are computed in
every scan, or once with ``cached_norms``: the text does not say, and run times differ by much.
"""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np

from isobreach._arrays import FloatArray
from isobreach.reproduction.parameters import PAPER


def _norms(rows: FloatArray) -> Any:
    return np.linalg.norm(rows, axis=1)


class PaperLinking:
    """The maximal uniquely valid set of the known records, and its assignment."""

    def __init__(
        self,
        known: FloatArray,
        released: FloatArray,
        *,
        cached_norms: bool,
        tolerance: float = PAPER.tolerance,
        norms_of: Callable[[FloatArray], Any] = _norms,
    ) -> None:
        self.known, self.released, self.tolerance, self.norms_of = known, released, tolerance, norms_of
        self.norms = norms_of(released) if cached_norms else None
        self.found: list[dict[int, int]] = []

    def run(self) -> dict[int, int]:
        """Algorithm 1."""
        records = range(len(self.known))
        for size in range(len(self.known), 0, -1):
            for subset in combinations(records, size):
                if self._uniquely_valid(subset):
                    return self.found[0]
        return {}

    def _uniquely_valid(self, subset: tuple[int, ...]) -> bool:
        """Algorithm 2."""
        self.found = []
        self._extend(subset, {})
        return len(self.found) == 1

    def _extend(self, subset: tuple[int, ...], assigned: dict[int, int]) -> None:
        """Algorithm 3, with one next index fixed per level."""
        if len(assigned) == len(subset):
            self.found.append(dict(assigned))
            return
        index = subset[len(assigned)]
        for row in self._candidates(assigned, index):
            if len(self.found) > 1:
                return
            self._extend(subset, {**assigned, index: int(row)})

    def _candidates(self, assigned: dict[int, int], index: int) -> list[int]:
        """The set C(I1, beta1, i)."""
        norms = self.norms_of(self.released) if self.norms is None else self.norms
        near = np.flatnonzero(np.abs(norms - np.linalg.norm(self.known[index])) <= self.tolerance)
        taken = set(assigned.values())
        return [row for row in near.tolist() if row not in taken and self._fits(assigned, index, row)]

    def _fits(self, assigned: dict[int, int], index: int, row: int) -> bool:
        """Condition (2)."""
        return all(
            abs(np.linalg.norm(self.released[row] - self.released[image]) - np.linalg.norm(self.known[index] - known))
            <= self.tolerance
            for known, image in ((self.known[other], image) for other, image in assigned.items())
        )
