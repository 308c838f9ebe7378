# SPDX-License-Identifier: BSD-3-Clause
"""Project the records at random, to fewer columns or to more."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isobreach._random import RandomSource
from isobreach._settings import setting
from isobreach.release import ReleaseModel
from isobreach.schemes.key import Release
from isobreach.schemes.linear import Linear
from isobreach.schemes.rotation import check_width


@dataclass(frozen=True)
class RandomProjection(Linear):
    """Multiply by a random matrix: ``y = R x / sqrt(l)``, the entries of R (l x n) independent, N(0, 1).

    A squared distance D^2 becomes D^2 times a chi-square variable with l degrees of freedom, divided by l. So it is
    right on average, with the relative deviation sqrt(2 / l); inner products are right on average too. Nothing is kept
    exactly. The key gives the records back where l >= n.

    Reference: K. Liu, H. Kargupta and J. Ryan, Random projection-based multiplicative data perturbation for privacy
    preserving distributed data mining, IEEE TKDE 18 (2006). Formulated from first principles.

    Parameters
    ----------
    dimension
        The number l of released columns: fewer than the table has, as many, or more.
    """

    dimension: int = setting(12, "Columns of the release, fewer than the table has or more.")

    name: ClassVar[str] = "random-projection"

    def __post_init__(self) -> None:
        check_width(self.dimension, "dimension")

    @property
    def model(self) -> ReleaseModel:
        """A linear map to so many columns, which is no motion."""
        return ReleaseModel(None, linear=True, projection=self.dimension)

    def release(self, records: NDArray[Any], source: RandomSource) -> Release:
        """Return the released rows, shuffled, and their new key."""
        matrix = source.standard_normal((self.dimension, records.shape[1])) / np.sqrt(self.dimension)
        return self.multiplied(records, matrix, source)


SCHEME = RandomProjection()
