# SPDX-License-Identifier: BSD-3-Clause
"""Rotate or reflect the records, and translate them."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isobreach._random import RandomSource
from isobreach._settings import setting
from isobreach.release import ReleaseModel
from isobreach.schemes.key import Key, Release
from isobreach.schemes.rotation import check_width, isometry
from isobreach.schemes.scheme import Scheme


@dataclass(frozen=True)
class Rigid(Scheme):
    """Rotate or reflect, and translate: ``y = M x + t``.

    Parameters
    ----------
    width
        Columns of the release, at least as many as of the records; as many by default.
    """

    width: int | None = setting(None, "Columns of the release, if more than of the records.", type=int)

    name: ClassVar[str] = "rigid"
    model: ClassVar[ReleaseModel] = ReleaseModel("rigid")

    def __post_init__(self) -> None:
        check_width(self.width)

    def release(self, records: NDArray[Any], source: RandomSource) -> Release:
        """Return the released rows, shuffled, and their new key."""
        rotation = isometry(records.shape[1], self.width, source)
        # As large as the records themselves: hides the origin and costs no precision.
        size = float(np.sqrt(np.mean(np.square(records, dtype=np.float64)))) or 1.0
        translation = size * source.standard_normal((len(rotation),))
        key = Key(self.name, rotation, translation, source.permutation(len(records)))
        return Release(key.apply(records), key)


SCHEME = Rigid()
