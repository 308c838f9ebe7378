# SPDX-License-Identifier: BSD-3-Clause
"""Add noise to the dominant principal components of the records."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach._random import RandomSource
from isobreach._settings import setting
from isobreach._validation import check_not_negative, check_probability
from isobreach.release import ReleaseModel
from isobreach.schemes.key import AnyKey, Release
from isobreach.schemes.rotation import spread
from isobreach.schemes.scheme import Scheme


@dataclass(frozen=True)
class ComponentNoise(Scheme):
    """Noise where the table varies: ``y = x + sum_j e_j v_j``, ``e_j ~ N(0, (noise s_j)^2)``.

    v_j are the dominant principal axes of the table and s_j its deviations along them: the fewest axes that hold the
    given share of the variance. Noise of the shape of the table cannot be filtered by its covariance, as white noise
    can. Each released column is its attribute plus noise; nothing is kept exactly. The key gives the rows back in the
    order of the records, with the noise in them.

    Reference: S. Mukherjee, M. Banerjee, Z. Chen and A. Gangopadhyay, A privacy preserving technique for distance-based
    classification with worst case privacy guarantees, Data & Knowledge Engineering 66 (2008). Reconstructed
    from a short description of it: noise on the most dominant components.

    Parameters
    ----------
    noise
        Deviation of the noise along an axis, relative to that of the table.
    share
        Share of the variance that the axes with noise hold.
    """

    noise: float = setting(0.5, "Deviation of the noise, relative to that of the table along each component.")
    share: float = setting(0.9, "Share of the variance in the components that get noise.")

    name: ClassVar[str] = "component-noise"
    model: ClassVar[ReleaseModel] = ReleaseModel(None, noise="components", in_place=True)

    def __post_init__(self) -> None:
        check_not_negative("noise", self.noise)
        check_probability("share", self.share)

    def release(self, records: NDArray[Any], source: RandomSource) -> Release:
        """Return the released rows, shuffled, and their new key."""
        spread(records, "noise")  # refuses equal records
        n = records.shape[1]
        covariance = np.cov(np.asarray(records, dtype=np.float64), rowvar=False, bias=True).reshape(n, n)
        variances, axes = np.linalg.eigh(covariance)
        variances, axes = np.maximum(variances[::-1], 0.0), axes[:, ::-1].T
        held = np.cumsum(variances) / variances.sum()
        count = int(np.searchsorted(held, self.share * (1 - 1e-12))) + 1
        weighted = self.noise * np.sqrt(variances[:count, None]) * axes[:count]
        level = float(np.sqrt(np.square(weighted).sum() / n))
        return self.shuffled(records, _noisy(records, weighted, source), source, noise=level, axes=weighted)

    def rows(self, records: NDArray[Any], key: AnyKey, source: RandomSource) -> FloatArray:
        """Return any records with new noise along the key's axes."""
        return _noisy(records, key.secret("axes", -1, key.attributes), source)


def _noisy(records: NDArray[Any], weighted: FloatArray, source: RandomSource) -> FloatArray:
    """Return records with noise along axes, whose lengths are the deviations of the noise."""
    return np.asarray(records + source.standard_normal((len(records), len(weighted))) @ weighted)


SCHEME = ComponentNoise()
