# SPDX-License-Identifier: BSD-3-Clause
"""Scale to length one, turn each record by a little, and rotate."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isobreach._phrases import place
from isobreach._random import RandomSource
from isobreach._settings import setting
from isobreach._validation import check_not_negative
from isobreach.errors import InputError
from isobreach.release import NoiseKind, ReleaseModel
from isobreach.schemes.key import AnyKey, Release
from isobreach.schemes.rotation import rotated, unit
from isobreach.schemes.scheme import Scheme


@dataclass(frozen=True)
class OrthogonalNoise(Scheme):
    """Turn each record by a little, as packages that protect vectors do: ``y = M (u + g) / |u + g|``, ``u = x / |x|``.

    g is Gaussian in the n - 1 directions orthogonal to u, with root mean square length rho. So
    s = 1 / sqrt(1 + rho^2) is the cosine of the angle between y and M u, and v = s^2 rho^2: both for a g of just that
    length, about which it varies by rho / sqrt(2 (n - 1)).

    Norms are lost: the key applies to u, and gives back u within the noise.

    Parameters
    ----------
    noise
        Rho.
    """

    noise: float = setting(0.1, "Length of the noise, relative to the record.")

    name: ClassVar[str] = "orthogonal-noise"
    least_columns: ClassVar[int] = 2

    def __post_init__(self) -> None:
        check_not_negative("noise", self.noise)

    @property
    def model(self) -> ReleaseModel:
        """A motion of directions and its noise; the motion alone where the noise is none."""
        noise: NoiseKind | None = "orthogonal" if self.noise else None
        return ReleaseModel("orthogonal", noise=noise, unit_length=True, scale=noise is not None)

    def release(self, records: NDArray[Any], source: RandomSource) -> Release:
        """Return the released rows, shuffled, and their new key."""
        n = records.shape[1]
        motion = rotated(self.name, records, source)
        scale = 1 / np.hypot(1, self.noise)
        key = replace(motion, scale=float(scale), noise=float(scale * self.noise / np.sqrt(n)))
        return Release(motion.apply(self._turned(records, source)), key)

    def rows(self, records: NDArray[Any], key: AnyKey, source: RandomSource) -> NDArray[np.float64]:
        """Return the images of any records under a key, each turned anew; those of zeros only stay zeros."""
        images, turned = np.zeros(records.shape), records.any(axis=1)
        images[turned] = replace(key, scale=1.0).moved(self._turned(records[turned], source))
        return images

    def _turned(self, records: NDArray[Any], source: RandomSource) -> NDArray[np.float64]:
        """Return the records with length one, each turned by a little."""
        n = records.shape[1]
        zero = np.flatnonzero(~records.any(axis=1))
        if len(zero):
            got = f"{len(zero)} of zeros only; the first is {place(int(zero[0]))}"
            raise InputError(
                "X", f"must have records with a direction for the scheme {self.name}", got, "Leave them out."
            )
        u = records.astype(np.float64)
        u = unit(u / np.abs(u).max(axis=1, keepdims=True))  # divided first: squares of small entries underflow
        g = source.standard_normal(records.shape)
        g -= np.sum(g * u, axis=1, keepdims=True) * u
        return unit(u + self.noise / np.sqrt(n - 1) * g)


SCHEME = OrthogonalNoise()
