# SPDX-License-Identifier: BSD-3-Clause
"""Deal the values of each attribute anew, so that attributes still go together as they did."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import ndtri

from isobreach._arrays import FloatArray
from isobreach._random import RandomSource
from isobreach._settings import setting
from isobreach._validation import check_not_negative
from isobreach.errors import InputError
from isobreach.schemes.in_place import InPlace, scaled


@dataclass(frozen=True)
class Shuffling(InPlace):
    """Data shuffling: attribute j has its own values, dealt in the order of ``g_j``, ``g = r z + sqrt(1 - r^2) e``.

    z are the normal scores of the record (ranks as quantiles of N(0, 1)), ``e ~ N(0, R)`` is independent of it, R the
    correlation of the scores. The values of each attribute, and so its mean and variance, are kept exactly, rank
    correlations of attributes about. With r = 0 released rows have nothing to do with single records.

    Reference: K. Muralidhar and R. Sarathy, Data shuffling: a new masking approach for numerical data, Management
    Science 52 (2006). Reconstructed, with every attribute confidential; r is ours.

    Parameters
    ----------
    retained
        The number r: correlation of the order in which values are dealt with the order that they had; below 1.
    """

    retained: float = setting(0.0, "Correlation of released with original ranks, below 1.")

    name: ClassVar[str] = "shuffling"
    lost: ClassVar[str] = "dealt the values anew and does not keep how"

    def __post_init__(self) -> None:
        if check_not_negative("retained", self.retained) >= 1:
            raise InputError("retained", "must be below 1, which would release the table itself", self.retained)

    @property
    def least_rows(self) -> int:
        """Records that a table must have: one has nobody to exchange with."""
        return 2

    def replaced(self, records: FloatArray, source: RandomSource) -> FloatArray:
        """Return each attribute's values in a new order."""
        scores = scaled(np.column_stack([_scores(values) for values in records.T]))
        variances, axes = np.linalg.eigh(scores.T @ scores / len(scores))
        weighted = (axes * np.sqrt(np.maximum(variances, 0.0))).T
        drawn = source.standard_normal(scores.shape) @ weighted
        # The least of noise of its own decides between equal scores, and the order of a constant attribute.
        drawn += 1e-9 * source.standard_normal(scores.shape)
        mixed = self.retained * scores + np.sqrt(1 - self.retained**2) * drawn
        rows = np.empty(records.shape)
        np.put_along_axis(rows, np.argsort(mixed, axis=0), np.sort(records, axis=0), axis=0)
        return rows


def _scores(values: FloatArray) -> FloatArray:
    """Return normal scores; equal values have one score, that of their mean rank."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - counts / 2  # in the middle of those that are equal
    return np.asarray(ndtri(ranks / len(values)))[which]


SCHEME = Shuffling()
