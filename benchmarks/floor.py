# SPDX-License-Identifier: BSD-3-Clause
"""The floor: one pass over the release that computes all row norms, as fast as this machine can."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

from isobreach.engine import LocalEngine

FloatArray = NDArray[np.float64]


@nb.njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def _squared_norms(block: FloatArray, out: FloatArray) -> None:
    m, n = block.shape
    for i in range(m):
        total = 0.0
        for j in range(n):
            total += block[i, j] * block[i, j]
        out[i] = total


def _into(block: FloatArray, first_row: int, squares: FloatArray) -> None:
    _squared_norms(block, squares[first_row : first_row + len(block)])


class OnePass:
    """Squared norms of all rows into a buffer made beforehand, on all processors."""

    def __init__(self, released: FloatArray) -> None:
        self.engine = LocalEngine(released)
        self.squares = np.zeros(len(released))

    def __call__(self) -> None:
        """Make the pass."""
        for _ in self.engine.scan(_into, self.squares, "floor"):
            pass


def counting(item: int, steps: int) -> int:
    """Count: work that needs a processor and nothing else."""
    total = 0
    for step in range(steps):
        total += step & item
    return total
