# SPDX-License-Identifier: BSD-3-Clause
"""Rotate, scale and add noise from a ball."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isobreach._random import RandomSource
from isobreach._settings import setting
from isobreach._validation import check_not_negative, check_positive
from isobreach.release import ReleaseModel
from isobreach.schemes.key import AnyKey, Key, Release
from isobreach.schemes.rotation import rotated, spread, unit
from isobreach.schemes.scheme import Scheme


@dataclass(frozen=True)
class Ball(Scheme):
    """Scale and perturb, as distance-comparison-preserving encryption does: ``y = s M x + e``, e uniform in a ball.

    The ball has radius ``R = s * beta / 4``, so that of two distances which differ by more than ``beta`` the smaller
    stays the smaller; v = R^2 n / (n + 2).

    The original permutes the coordinates where this scheme rotates: a permutation is one of the rotations, and an
    attack by distances sees no difference.

    Parameters
    ----------
    scale
        The factor s; 1 by default, because a scale is one number, and released distances give it away.
    beta
        In the units of the records. By default half the root mean square distance of the records from their mean, 0.5
        for centred vectors of length one: no row moves by more than an eighth of that distance.
    """

    scale: float = setting(1.0, "Factor of all distances.")
    beta: float | None = setting(None, "Distances that differ by more keep their order.", type=float)

    name: ClassVar[str] = "ball"

    def __post_init__(self) -> None:
        check_positive("scale", self.scale)
        if self.beta is not None:
            check_not_negative("beta", self.beta)

    @property
    def model(self) -> ReleaseModel:
        """A motion with a factor and noise; without noise where ``beta`` is 0, and then without a factor of 1."""
        if self.beta == 0:
            return ReleaseModel("orthogonal", scale=self.scale != 1)
        return ReleaseModel("orthogonal", noise="ball", scale=True)

    def release(self, records: NDArray[Any], source: RandomSource) -> Release:
        """Return the released rows, shuffled, and their new key."""
        rows, n = records.shape
        beta = 0.5 * np.sqrt(n) * spread(records, "beta") if self.beta is None else self.beta
        radius = float(self.scale * beta / 4)
        key = replace(self.motion(records, source), scale=float(self.scale), noise=radius / np.sqrt(n + 2))
        return Release(key.apply(records) + _in_ball(radius, rows, n, source), key)

    def motion(self, records: NDArray[Any], source: RandomSource) -> Key:
        """Return the key of a new rotation, rows shuffled, before scale and noise.

        Parameters
        ----------
        records
            The table, m x n.
        source
            Where all random numbers come from.
        """
        return rotated(self.name, records, source)

    def rows(self, records: NDArray[Any], key: AnyKey, source: RandomSource) -> NDArray[np.float64]:
        """Return the images of any records under a key, with new noise from a ball of the key's size."""
        rows, n = records.shape
        return key.moved(records) + _in_ball(key.noise * np.sqrt(n + 2), rows, n, source)


def _in_ball(radius: float, rows: int, n: int, source: RandomSource) -> NDArray[np.float64]:
    """Return uniform points of a ball of R^n."""
    # Archimedes: the first n coordinates of a uniform point on the sphere of R^(n + 2) are uniform in the ball.
    return np.asarray(radius * unit(source.standard_normal((rows, n + 2)))[:, :n])


SCHEME = Ball()
