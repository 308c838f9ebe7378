# SPDX-License-Identifier: BSD-3-Clause
"""Exchange the values of each attribute between records that are near each other in it."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach._random import RandomSource
from isobreach._settings import setting
from isobreach._validation import check_probability
from isobreach.schemes.in_place import InPlace


@dataclass(frozen=True)
class Swapping(InPlace):
    """Rank swapping: ``y_ij = x_kj`` and ``y_kj = x_ij`` for random pairs of records.

    Each attribute j has pairs i, k of its own. Its ranks are cut into windows from a random start, and records within a
    window exchange values in random pairs; a window with an odd number leaves one as it is. The values of each
    attribute, and so its mean and variance, are kept exactly. What attributes have to do with each other is lost the
    more, the wider the window is.

    Reference: T. Dalenius and S. Reiss, Data-swapping: a technique for disclosure control, J. Statistical Planning and
    Inference 6 (1982); S. Fienberg and J. McIntyre, Data swapping: variations on a theme, PSD 2004. Reconstructed, with
    fixed windows of ranks.

    Parameters
    ----------
    window
        Ranks in a window, as a share of the records: above 0, at most 1.
    """

    window: float = setting(0.1, "Ranks within which values are exchanged, as a share of the records.")

    name: ClassVar[str] = "swapping"
    lost: ClassVar[str] = "exchanged values between records and does not keep how"

    def __post_init__(self) -> None:
        check_probability("window", self.window)

    @property
    def least_rows(self) -> int:
        """Records that a table must have: an exchange needs two."""
        return 2

    def replaced(self, records: FloatArray, source: RandomSource) -> FloatArray:
        """Return the records with values exchanged."""
        rows = len(records)
        width = max(2, int(np.ceil(self.window * rows)))
        swapped = np.empty(records.shape)
        for column, values in enumerate(records.T):
            ties, start, within = source.random((rows,)), source.random((1,))[0], source.random((rows,))
            ranked = np.lexsort((ties, values))
            windows = (np.arange(rows) + int(start * width)) // width
            ranked = ranked[np.lexsort((within, windows))]  # windows in turn, each in a random order
            swapped[ranked, column] = values[ranked[_partners(windows)]]
        return swapped


def _partners(windows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the place that each place exchanges with: neighbours in pairs within each window, which are in order."""
    places = np.arange(len(windows))
    firsts = np.searchsorted(windows, windows)
    partners = np.where((places - firsts) % 2 == 0, places + 1, places - 1)
    inside = partners < np.searchsorted(windows, windows, side="right")
    return np.asarray(np.where(inside, partners, places))


SCHEME = Swapping()
