# SPDX-License-Identifier: BSD-3-Clause
"""Multiply every value by a random factor near one."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from isobreach._arrays import FloatArray
from isobreach._random import RandomSource
from isobreach._settings import setting
from isobreach._validation import check_not_negative
from isobreach.errors import InputError
from isobreach.release import ReleaseModel
from isobreach.schemes.key import AnyKey, Release
from isobreach.schemes.scheme import Scheme

_CUT = 2.0  # deviations of the Gaussian, beyond which it is cut off
_WITHIN = float(ndtr(_CUT) - ndtr(-_CUT))
_DEVIATION = float(np.sqrt(1 - 2 * _CUT * np.exp(-(_CUT**2) / 2) / np.sqrt(2 * np.pi) / _WITHIN))  # of what is left
_MOST = 1 / _CUT


@dataclass(frozen=True)
class MultiplicativeNoise(Scheme):
    """Multiply every entry: ``y_j = x_j f_j``, f_j independent, Gaussian with mean 1, cut off at two deviations.

    Each released column is its attribute times such factors, which are positive: signs are kept, and a zero stays zero.
    Means are right on average; nothing is kept exactly. The key gives the rows back in the order of the records, with
    the noise in them.

    Reference: J. Kim and W. Winkler, Multiplicative noise for masking continuous data, U.S. Census Bureau, Research
    Report Statistics 2003-01: the first of its two schemes. Reconstructed: where the Gaussian is cut off is our choice.

    Parameters
    ----------
    noise
        Deviation of the Gaussian before it is cut off; below 0.5.
    """

    noise: float = setting(0.2, "Deviation of the factors, below 0.5.")

    name: ClassVar[str] = "multiplicative-noise"
    model: ClassVar[ReleaseModel] = ReleaseModel(None, noise="multiplicative", in_place=True)

    def __post_init__(self) -> None:
        if check_not_negative("noise", self.noise) >= _MOST:
            raise InputError("noise", f"must be below {_MOST:g}, so that no factor is negative", self.noise)

    def release(self, records: NDArray[Any], source: RandomSource) -> Release:
        """Return the released rows, shuffled, and their new key."""
        level = self.noise * _DEVIATION * float(np.sqrt(np.mean(np.square(records, dtype=np.float64))))
        return self.shuffled(records, self._multiplied(records, source), source, noise=level)

    def rows(self, records: NDArray[Any], key: AnyKey, source: RandomSource) -> FloatArray:
        """Return any records with new factors."""
        return self._multiplied(records, source)

    def _multiplied(self, records: NDArray[Any], source: RandomSource) -> FloatArray:
        uniform = source.random(records.shape)
        return np.asarray(records * (1 + self.noise * ndtri(ndtr(-_CUT) + _WITHIN * uniform)))


SCHEME = MultiplicativeNoise()
