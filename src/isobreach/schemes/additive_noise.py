# SPDX-License-Identifier: BSD-3-Clause
"""Add independent noise to every value, and hide nothing else."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach._random import RandomSource
from isobreach._settings import setting
from isobreach._validation import check_choice, check_not_negative
from isobreach.release import NoiseKind, ReleaseModel
from isobreach.schemes.key import AnyKey, Release
from isobreach.schemes.rotation import spread
from isobreach.schemes.scheme import Scheme

_LAWS: tuple[NoiseKind, ...] = ("gaussian", "uniform")


@dataclass(frozen=True)
class AdditiveNoise(Scheme):
    """Add white noise: ``y = x + e``, the entries of e independent, with mean 0 and deviation sigma.

    Each released column is its attribute plus noise. Means are right on average, variances are larger by sigma^2, and
    nothing is kept exactly. The key gives the rows back in the order of the records, with the noise in them.

    Reference: R. Agrawal and R. Srikant, Privacy-preserving data mining, SIGMOD 2000, for Gaussian and uniform noise.

    Parameters
    ----------
    noise
        Sigma relative to the spread of the table, the root mean square of its entries about their column means: one
        level for all columns, so standardise first if their units differ.
    law
        ``"gaussian"``, or ``"uniform"`` on an interval about zero.
    """

    noise: float = setting(0.5, "Deviation of the noise, relative to the spread of the table.")
    law: str = setting("gaussian", "Law of the noise.", choices=_LAWS)

    name: ClassVar[str] = "additive-noise"

    def __post_init__(self) -> None:
        check_not_negative("noise", self.noise)
        check_choice("law", self.law, _LAWS)

    @property
    def model(self) -> ReleaseModel:
        """Noise on the attributes themselves."""
        return ReleaseModel(None, noise="uniform" if self.law == "uniform" else "gaussian", in_place=True)

    def release(self, records: NDArray[Any], source: RandomSource) -> Release:
        """Return the released rows, shuffled, and their new key."""
        sigma = self.noise * spread(records, "noise") if self.noise else 0.0
        return self.shuffled(records, records + sigma * self._drawn(records.shape, source), source, noise=sigma)

    def rows(self, records: NDArray[Any], key: AnyKey, source: RandomSource) -> FloatArray:
        """Return any records with new noise of the key's size."""
        return np.asarray(records + key.noise * self._drawn(records.shape, source))

    def _drawn(self, shape: tuple[int, ...], source: RandomSource) -> FloatArray:
        """Return independent draws of deviation one."""
        if self.law == "uniform":
            return np.asarray(np.sqrt(12) * (source.random(shape) - 0.5))
        return source.standard_normal(shape)


SCHEME = AdditiveNoise()
