# SPDX-License-Identifier: BSD-3-Clause
"""Squared distances between all released values, as a table where it is small enough."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach.engine import Workers


@dataclass(frozen=True)
class SquaresTable:
    """Size of a table of squared distances.

    Attributes
    ----------
    most
        Numbers of it: half a gigabyte in single precision, for 11,585 values.
    rows
        Rows of it that a task fills.
    """

    most: int = 1 << 27
    rows: int = 256


_TABLE = SquaresTable()


@dataclass(frozen=True, eq=False)
class Squares:
    """Squared distances of the points; those of a search are looked up a hundred thousand times each.

    ``table`` has no rows where it would be too large: whoever asks then computes a distance from the points.
    """

    points: FloatArray
    workers: Workers

    @cached_property
    def norms(self) -> FloatArray:
        """Squared norms of the points."""
        return np.asarray(np.einsum("ij,ij->i", self.points, self.points))

    @cached_property
    def table(self) -> NDArray[np.float32]:
        """Squared distances, m x m, computed in double precision and stored in single; 0 x 0 where too large."""
        total = len(self.points)
        if total**2 > _TABLE.most:
            return np.empty((0, 0), dtype=np.float32)
        centred = self.points - self.points.mean(axis=0)
        tasks = [slice(start, min(start + _TABLE.rows, total)) for start in range(0, total, _TABLE.rows)]
        table = np.empty((total, total), dtype=np.float32)
        for part, rows in zip(tasks, self.workers.run(_squares_of, tasks, centred), strict=True):
            table[part] = rows
        return table

    def error(self, squares: FloatArray) -> FloatArray:
        """Error of squared distances: of storage, and of the difference of large numbers that they are."""
        return np.asarray((2.0**-24 if len(self.table) else 2.0**-50) * squares + 2.0**-48 * float(self.norms.max()))


def _squares_of(part: slice, points: FloatArray) -> NDArray[np.float32]:
    squares = np.einsum("ij,ij->i", points, points)
    gaps = squares[part, None] + squares - 2 * points[part] @ points.T
    return np.asarray(np.maximum(gaps, 0.0), dtype=np.float32)
