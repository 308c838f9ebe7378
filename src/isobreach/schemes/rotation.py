# SPDX-License-Identifier: BSD-3-Clause
"""What schemes with a secret rotation share.

A release wider than the records is the motion of the records padded by columns of zeros: of the rotation, of order N,
only the first n columns count, and they are orthonormal.

Under noise distances survive only on average. With e the noise of a released row, v = E|e|^2 and s the scale, a
released distance d estimates the distance D of the records by  D^2 = (d^2 - 2 v) / s^2,  without bias (with
``orthogonal-noise``, a bias of order noise^4 / n). The key holds s and the deviation of one coordinate, sqrt(v / n).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach._random import RandomSource
from isobreach._validation import check_integer
from isobreach.errors import InputError
from isobreach.geometry import haar
from isobreach.schemes.key import Key

_WIDEST = 1_000_000  # more columns than any table here: a matrix of that order would not fit in memory


def check_width(width: int | None, name: str = "width") -> None:
    """Refuse a number of columns that no release can have."""
    if width is not None:
        check_integer(name, width, least=1)
        if width > _WIDEST:
            raise InputError(name, f"must be at most {_WIDEST:,}", width)


def isometry(columns: int, width: int | None, source: RandomSource) -> NDArray[np.float64]:
    """N x n with orthonormal columns, uniformly: the first n of a Haar-distributed matrix of order N."""
    if width is None:
        return haar(columns, source)
    if width < columns:
        raise InputError("width", f"must be at least the number of columns of X, {columns}", width)
    return np.ascontiguousarray(haar(width, source)[:, :columns])


def rotated(name: str, records: NDArray[Any], source: RandomSource) -> Key:
    """Return the key of a new rotation of the records, shuffled."""
    rows, n = records.shape
    return Key(name, haar(n, source), np.zeros(n), source.permutation(rows))


def translated(name: str, records: NDArray[Any], width: int | None, source: RandomSource) -> Key:
    """Return the key of a new rotation and translation of the records, shuffled."""
    rotation = isometry(records.shape[1], width, source)
    # As large as the records themselves: hides the origin and costs no precision.
    size = float(np.sqrt(np.mean(np.square(records, dtype=np.float64)))) or 1.0
    translation = size * source.standard_normal((len(rotation),))
    return Key(name, rotation, translation, source.permutation(len(records)))


def unit(rows: FloatArray) -> FloatArray:
    """Return rows scaled to length one."""
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def spread(records: NDArray[Any], parameter: str) -> float:
    """Root mean square of the entries about their column means, the measure of a relative noise."""
    if (records == records[0]).all():
        raise InputError(
            "X", f"must have records that differ: {parameter} is relative to their spread", "equal records"
        )
    return float(np.sqrt(np.mean(np.var(records, axis=0, dtype=np.float64))))
