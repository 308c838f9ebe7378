# SPDX-License-Identifier: BSD-3-Clause
"""Lift the records by their lengths and multiply them by a secret matrix: neighbours can still be found."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach._random import RandomSource
from isobreach.geometry import haar, row_norms
from isobreach.release import ReleaseModel
from isobreach.schemes.key import Release, SchemeKey
from isobreach.schemes.scheme import Scheme


@dataclass(frozen=True)
class Aspe(Scheme):
    """Asymmetric encryption that preserves scalar products: ``y = A (x, -|x|^2 / 2)``, A invertible, of order n + 1.

    A query q becomes ``r A'^-1 (q, 1)`` with a secret r > 0, so that its inner product with a released row,
    ``r (|q|^2 - |x - q|^2) / 2``, is the larger the nearer the record is. No norm, distance or inner product of two
    records is kept. The key undoes it.

    The matrix is A = U diag(s) V diag(1, ..., 1, 1 / c): U and V Haar-distributed, log(s) uniform between -1 and 1, c
    half the longest record. Any invertible matrix would do; this one loses no digits when it is inverted.

    Reference: W. K. Wong, D. Cheung, B. Kao and N. Mamoulis, Secure kNN computation on encrypted databases, SIGMOD
    2009: their first scheme, without artificial dimensions and splitting. Formulated from first principles.
    """

    name: ClassVar[str] = "aspe"
    model: ClassVar[ReleaseModel] = ReleaseModel(None, linear=True, lifted=True)

    def release(self, records: NDArray[Any], source: RandomSource) -> Release:
        """Return the released rows, shuffled, and their new key."""
        order = records.shape[1] + 1
        stretched = np.exp(2 * source.random((order,)) - 1)
        matrix = (haar(order, source) * stretched) @ haar(order, source)
        matrix[:, -1] /= float(row_norms(np.asarray(records, dtype=np.float64)).max()) / 2 or 1.0
        return self.shuffled(records, _lifted(records) @ matrix.T, source, matrix=matrix)

    def queries(self, records: NDArray[Any], key: SchemeKey, source: RandomSource) -> FloatArray:
        """Return what is sent to find the nearest released rows of any records: those with the largest inner products.

        Parameters
        ----------
        records
            The points whose neighbours are sought, n columns.
        key
            Of a release by this scheme.
        source
            Where the secret factors come from, one for each query.
        """
        factors = np.exp(2 * source.random((len(records), 1)) - 1)
        points = np.column_stack([records, np.ones(len(records))])
        return np.asarray(factors * np.linalg.solve(_matrix(key).T, points.T).T)

    def moved(self, records: NDArray[Any], key: SchemeKey) -> FloatArray:
        """Return the images of any records, in their order."""
        return np.asarray(_lifted(records) @ _matrix(key).T)

    def undone(self, rows: FloatArray, key: SchemeKey) -> FloatArray:
        """Return the records behind released rows."""
        return np.ascontiguousarray(np.linalg.solve(_matrix(key), rows.T)[:-1].T)


def _lifted(records: NDArray[Any]) -> FloatArray:
    """Return records with their entry -|x|^2 / 2."""
    squares = np.square(records, dtype=np.float64).sum(axis=1)
    return np.column_stack([records, -squares / 2])


def _matrix(key: SchemeKey) -> FloatArray:
    return key.secret("matrix", key.attributes + 1, key.attributes + 1)


SCHEME = Aspe()
