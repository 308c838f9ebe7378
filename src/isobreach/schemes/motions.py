# SPDX-License-Identifier: BSD-3-Clause
"""Schemes that apply a secret motion: ``orthogonal`` (keeps norms and distances) and ``rigid`` (keeps distances)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._random import RandomSource
from isobreach.geometry import haar
from isobreach.schemes.key import Key


@dataclass(frozen=True)
class MotionScheme:
    """Rotate or reflect by a Haar-distributed matrix, translate if asked to, shuffle the rows."""

    name: str
    translates: bool

    def draw(self, records: NDArray[Any], source: RandomSource) -> Key:
        """Return a new key for the records."""
        rows, columns = records.shape
        rotation = haar(columns, source)
        translation = np.zeros(columns)
        if self.translates:
            # As large as the records themselves: hides the origin and costs no precision.
            scale = float(np.sqrt(np.mean(np.square(records, dtype=np.float64)))) or 1.0
            translation = scale * source.standard_normal((columns,))
        return Key(self.name, rotation, translation, source.permutation(rows))
