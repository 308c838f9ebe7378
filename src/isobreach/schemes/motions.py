# SPDX-License-Identifier: BSD-3-Clause
"""Schemes that apply a secret motion and nothing else.

A release wider than the records is the motion of the records padded by columns of zeros: of the rotation, of order N,
only the first n columns count, and they are orthonormal.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isobreach._random import RandomSource
from isobreach._validation import check_integer
from isobreach.errors import InputError
from isobreach.geometry import haar
from isobreach.schemes.key import Key, Release
from isobreach.schemes.scheme import Invariant, Scheme


@dataclass(frozen=True)
class Orthogonal(Scheme):
    """Rotate or reflect by a Haar-distributed matrix: ``y = M x``, of ``width`` columns (default: as the records)."""

    width: int | None = None

    name: ClassVar[str] = "orthogonal"
    keeps: ClassVar[tuple[Invariant, ...]] = ("norms", "distances", "inner products")

    def __post_init__(self) -> None:
        _check_width(self.width)

    def release(self, records: NDArray[Any], source: RandomSource) -> Release:
        """Return the released rows, shuffled, and their new key."""
        rotation = _isometry(records.shape[1], self.width, source)
        key = Key(self.name, rotation, np.zeros(len(rotation)), source.permutation(len(records)))
        return Release(key.apply(records), key)


@dataclass(frozen=True)
class Rigid(Scheme):
    """Rotate or reflect, and translate: ``y = M x + t``, of ``width`` columns (default: as the records)."""

    width: int | None = None

    name: ClassVar[str] = "rigid"
    keeps: ClassVar[tuple[Invariant, ...]] = ("distances",)

    def __post_init__(self) -> None:
        _check_width(self.width)

    def release(self, records: NDArray[Any], source: RandomSource) -> Release:
        """Return the released rows, shuffled, and their new key."""
        rotation = _isometry(records.shape[1], self.width, source)
        # As large as the records themselves: hides the origin and costs no precision.
        size = float(np.sqrt(np.mean(np.square(records, dtype=np.float64)))) or 1.0
        translation = size * source.standard_normal((len(rotation),))
        key = Key(self.name, rotation, translation, source.permutation(len(records)))
        return Release(key.apply(records), key)


_WIDEST = 1_000_000


def _check_width(width: int | None) -> None:
    if width is not None:
        check_integer("width", width, least=1)
        if width > _WIDEST:
            raise InputError("width", f"must be at most {_WIDEST:,}", width)


def _isometry(columns: int, width: int | None, source: RandomSource) -> NDArray[np.float64]:
    """N x n with orthonormal columns, uniformly: the first n of a Haar-distributed matrix of order N."""
    if width is None:
        return haar(columns, source)
    if width < columns:
        raise InputError("width", f"must be at least the number of columns of X, {columns}", width)
    return np.ascontiguousarray(haar(width, source)[:, :columns])
