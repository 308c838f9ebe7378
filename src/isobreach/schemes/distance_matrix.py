# SPDX-License-Identifier: BSD-3-Clause
"""Release the distances between the records instead of the records."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist, pdist, squareform

from isobreach._arrays import FloatArray
from isobreach._random import RandomSource
from isobreach.errors import InputError
from isobreach.release import ReleaseModel
from isobreach.schemes.key import Release, SchemeKey
from isobreach.schemes.scheme import Scheme

_MOST_ROWS = 10_000  # a matrix of that order takes 800 MB


@dataclass(frozen=True)
class DistanceMatrix(Scheme):
    """Release the m x m matrix of distances: ``d_ij = |x_i - x_j|``, rows and columns in the same secret order.

    Distances are kept, and nothing else is told; but classical scaling makes rows of them that are a rigid motion of
    the records. The key holds the records themselves, and gives back any record by lateration: with c their mean,
    ``2 (x_i - c)'(x - c) = |x_i - c|^2 - d_i^2 + const`` are linear equations for x. Tables have at most 10,000 rows.

    Reference: E. O. Turgay, T. Pedersen, Y. Saygin, E. Savas and A. Levi, Disclosure risks of distance preserving data
    transformations, SSDBM 2008, who suppose that such a matrix is public.
    """

    name: ClassVar[str] = "distance-matrix"
    model: ClassVar[ReleaseModel] = ReleaseModel("rigid", distances=True)

    @property
    def least_rows(self) -> int:
        """Records that a table must have: a distance needs two."""
        return 2

    def release(self, records: NDArray[Any], source: RandomSource) -> Release:
        """Return the matrix of distances, in a secret order, and the new key."""
        rows, columns = records.shape
        if rows > _MOST_ROWS:
            rule = f"must have at most {_MOST_ROWS:,} rows for the scheme {self.name}"
            raise InputError("X", rule, f"{rows:,} rows", "Release a part of the table.")
        values = np.asarray(records, dtype=np.float64)
        order = source.permutation(rows)
        distances = np.empty((rows, rows))
        distances[np.ix_(order, order)] = squareform(pdist(values))
        return Release(distances, SchemeKey(self.name, order, (columns, rows), {"records": values}))

    def moved(self, records: NDArray[Any], key: SchemeKey) -> FloatArray:
        """Return the distances of any records from those of the table, in the order of the released columns."""
        images = np.empty((len(records), key.width))
        images[:, key.order] = cdist(records, self._table(key))
        return images

    def undone(self, rows: FloatArray, key: SchemeKey) -> FloatArray:
        """Return the records that have such distances from those of the table, by least squares."""
        table = self._table(key)
        centre = table.mean(axis=0)
        centred = table - centre
        squares = np.square(centred).sum(axis=1) - np.square(rows[:, key.order])
        squares -= squares.mean(axis=1, keepdims=True)
        return np.asarray(centre + np.linalg.lstsq(2 * centred, squares.T, rcond=None)[0].T)

    def _table(self, key: SchemeKey) -> FloatArray:
        if key.width != len(key.order):
            raise InputError("key", f"must hold what the scheme {self.name} drew: as many columns as rows", "others")
        return key.secret("records", key.width, key.attributes)


SCHEME = DistanceMatrix()
