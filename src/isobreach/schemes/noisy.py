# SPDX-License-Identifier: BSD-3-Clause
"""Rotate and add Gaussian noise."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isobreach._random import RandomSource
from isobreach._settings import setting
from isobreach._validation import check_not_negative
from isobreach.release import ReleaseModel
from isobreach.schemes.key import AnyKey, Release
from isobreach.schemes.rotation import rotated, spread
from isobreach.schemes.scheme import Scheme


@dataclass(frozen=True)
class Noisy(Scheme):
    """Rotate, then add Gaussian noise to every coordinate: ``y = M x + e``, ``e ~ N(0, sigma^2 I)``.

    Parameters
    ----------
    noise
        Sigma relative to the spread of the table, the root mean square of its entries about their column means.
    """

    noise: float = setting(0.1, "Deviation of the noise, relative to the spread of the table.")

    name: ClassVar[str] = "noisy"

    def __post_init__(self) -> None:
        check_not_negative("noise", self.noise)

    @property
    def model(self) -> ReleaseModel:
        """A motion and its noise; the motion alone where the noise is none."""
        return ReleaseModel("orthogonal", noise="gaussian" if self.noise else None)

    def release(self, records: NDArray[Any], source: RandomSource) -> Release:
        """Return the released rows, shuffled, and their new key."""
        sigma = self.noise * spread(records, "noise") if self.noise else 0.0
        key = replace(rotated(self.name, records, source), noise=sigma)
        return Release(key.apply(records) + sigma * source.standard_normal(records.shape), key)

    def rows(self, records: NDArray[Any], key: AnyKey, source: RandomSource) -> NDArray[np.float64]:
        """Return the images of any records under a key, with new noise of the key's size."""
        return key.moved(records) + key.noise * source.standard_normal(records.shape)


SCHEME = Noisy()
