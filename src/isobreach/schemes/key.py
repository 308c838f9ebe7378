# SPDX-License-Identifier: BSD-3-Clause
"""What the owner keeps."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._validation import check_table
from isobreach.errors import InputError

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Key:
    """Secret of a scheme: ``released[order] = scale * X @ rotation.T + translation + noise``.

    ``rotation`` is N x n with orthonormal columns: N = n, or more where the release is wider than the records.
    ``order[i]`` is the released row of record i. ``noise`` is the standard deviation of the noise in one released
    coordinate; its draws are not kept. ``columns`` and ``ids`` are the table's names, kept here because ids must not
    travel with the release.
    """

    scheme: str
    rotation: FloatArray
    translation: FloatArray
    order: NDArray[np.int64]
    columns: tuple[str, ...] | None = None
    ids: NDArray[Any] | None = None
    scale: float = 1.0
    noise: float = 0.0

    def __post_init__(self) -> None:
        if self.rotation.ndim != 2 or self.translation.shape != self.rotation.shape[:1] or self.order.ndim != 1:
            raise InputError("key", "must have a rotation and a translation of its width", "other shapes")
        if self.rotation.shape[0] < self.rotation.shape[1]:
            raise InputError("key", "must have a rotation with at least as many rows as columns", "fewer")
        if not np.array_equal(np.sort(self.order), np.arange(len(self.order))):
            raise InputError("key", "must order the rows 0, 1, ..., each once", "another order")
        if not (math.isfinite(self.scale) and self.scale > 0 and math.isfinite(self.noise) and self.noise >= 0):
            raise InputError("key", "must have a finite scale > 0 and a finite noise >= 0", "other numbers")

    def __repr__(self) -> str:
        rows, columns = len(self.order), self.rotation.shape[1]
        return f"Key(scheme={self.scheme!r}, {rows} records x {columns} columns)"  # never the secret itself

    def apply(self, records: NDArray[Any]) -> FloatArray:
        """Released rows of the records this key was made for, before the noise."""
        released = np.empty((len(records), len(self.translation)))
        released[self.order] = self.scale * (records @ self.rotation.T) + self.translation
        return released

    def invert(self, released: NDArray[Any]) -> FloatArray:
        """Records, in their own order, from the released rows; noise stays in them, divided by the scale."""
        released = np.asarray(released)
        check_table("released", released)
        expected = (len(self.order), len(self.translation))
        if released.shape != expected:
            got = " x ".join(map(str, released.shape))
            raise InputError("released", f"must be the table of this key: {expected[0]} x {expected[1]}", got)
        return np.asarray((released[self.order] - self.translation) @ self.rotation / self.scale)


@dataclass(frozen=True, eq=False)
class Release:
    """A table as it is published, and the key that stays with the owner."""

    data: Any
    key: Key
