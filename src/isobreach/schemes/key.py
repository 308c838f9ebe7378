# SPDX-License-Identifier: BSD-3-Clause
"""What the owner keeps."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._validation import check_table
from isobreach.errors import InputError

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Key:
    """Secret of a rigid motion: ``released[order] = X @ rotation.T + translation``.

    ``order[i]`` is the released row of record i. ``columns`` and ``ids`` are the table's names, kept here because
    ids must not travel with the release.
    """

    scheme: str
    rotation: FloatArray
    translation: FloatArray
    order: NDArray[np.int64]
    columns: tuple[str, ...] | None = None
    ids: NDArray[Any] | None = None

    def __post_init__(self) -> None:
        n = len(self.translation)
        if self.rotation.shape != (n, n) or self.translation.ndim != 1 or self.order.ndim != 1:
            raise InputError("key", "must have a square rotation and a translation of its width", "other shapes")
        if not np.array_equal(np.sort(self.order), np.arange(len(self.order))):
            raise InputError("key", "must order the rows 0, 1, ..., each once", "another order")

    def __repr__(self) -> str:
        rows, columns = len(self.order), len(self.translation)
        return f"Key(scheme={self.scheme!r}, {rows} records x {columns} columns)"  # never the secret itself

    def apply(self, records: NDArray[Any]) -> FloatArray:
        """Released rows of the records this key was made for."""
        released = np.empty(records.shape)
        released[self.order] = records @ self.rotation.T + self.translation
        return released

    def invert(self, released: NDArray[Any]) -> FloatArray:
        """Records, in their own order, from the released rows."""
        released = np.asarray(released)
        check_table("released", released)
        expected = (len(self.order), len(self.translation))
        if released.shape != expected:
            got = " x ".join(map(str, released.shape))
            raise InputError("released", f"must be the table of this key: {expected[0]} x {expected[1]}", got)
        return np.asarray((released[self.order] - self.translation) @ self.rotation)


@dataclass(frozen=True, eq=False)
class Release:
    """A table as it is published, and the key that stays with the owner."""

    data: Any
    key: Key
