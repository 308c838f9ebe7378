# SPDX-License-Identifier: BSD-3-Clause
"""Permute the columns, scale them, and add noise from a ball."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isobreach._random import RandomSource
from isobreach.release import ReleaseModel
from isobreach.schemes.ball import Ball
from isobreach.schemes.key import Key


@dataclass(frozen=True)
class Permutation(Ball):
    """Scale and perturb with a secret order of the columns: ``y = s P x + e``, P a permutation, e uniform in a ball.

    This is what packages for encrypted vectors ship as distance-comparison-preserving encryption. The ball has radius
    ``s * beta / 4``: of two distances which differ by more than ``beta`` the smaller stays the smaller. Nothing is kept
    exactly unless ``beta`` is 0. The values of each attribute stay together in one column, so that whoever knows the
    population recognises the columns.

    Reference: G. Fuchsbauer, R. Ghosal, N. Hauke and A. O'Neill, Approximate distance-comparison-preserving symmetric
    encryption, SCN 2022, whose coordinates are not permuted.

    Parameters
    ----------
    scale
        The factor s; 1 by default, because a scale is one number, and released distances give it away.
    beta
        In the units of the records. By default half the root mean square distance of the records from their mean.
    """

    name: ClassVar[str] = "permutation"

    least_columns: ClassVar[int] = 2

    @property
    def model(self) -> ReleaseModel:
        """As that of ``ball``, by a motion that only permutes columns."""
        return replace(super().model, permutation=True)

    def motion(self, records: NDArray[Any], source: RandomSource) -> Key:
        """Return the key of a new order of the columns, rows shuffled."""
        rows, n = records.shape
        order = np.eye(n)[source.permutation(n)]
        return Key(self.name, order, np.zeros(n), source.permutation(rows))


SCHEME = Permutation()
