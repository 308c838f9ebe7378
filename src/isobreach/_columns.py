# SPDX-License-Identifier: BSD-3-Clause
"""Rows that are at hand column by column, as files have them: kernels that look at each row alone need no other form.

Columns lie wherever a decoder put them. A compiled kernel takes their addresses and looks at them with
``_compiled.stretch``: no number is copied, and one compilation serves any number of columns.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray

Addresses = NDArray[np.intp]
K = TypeVar("K", bound=Callable[..., Any])

STRETCH = 256  # rows that a kernel looks at together: a few numbers of each stay in a first-level cache


class ColumnBlock:
    """A block of rows by its columns.

    Parameters
    ----------
    columns
        Contiguous float64 arrays of the same length: column j of the rows.
    addresses
        Where each of them begins in memory.
    """

    def __init__(self, columns: Sequence[FloatArray], addresses: Sequence[int]) -> None:
        self._columns = columns  # as long as the block is there, so are they
        self.addresses: Addresses = np.array(addresses, dtype=np.intp)

    @classmethod
    def of(cls, rows: FloatArray) -> "ColumnBlock":
        """Return rows that are at hand as an array, by their columns."""
        columns = np.ascontiguousarray(rows.T)
        return cls(list(columns), [one.ctypes.data for one in columns])

    def __len__(self) -> int:
        return len(self._columns[0])

    def __getitem__(self, places: Any) -> FloatArray:
        """Return some rows, as an array of rows would."""
        return np.stack([one[places] for one in self._columns], axis=1)


def takes_columns(kernel: K) -> K:
    """Mark a kernel of the engine that takes a ``ColumnBlock`` as well as an array of rows, with the same bits.

    Parameters
    ----------
    kernel
        It looks at each row alone: a block of columns begins anywhere.
    """
    kernel.takes_columns = True  # type: ignore[attr-defined]
    return kernel
