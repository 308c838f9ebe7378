# SPDX-License-Identifier: BSD-3-Clause
"""Add noise to the logarithms of the values."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach._phrases import place
from isobreach._random import RandomSource
from isobreach._settings import setting
from isobreach._validation import check_not_negative
from isobreach.errors import InputError
from isobreach.release import ReleaseModel
from isobreach.schemes.key import AnyKey, Release
from isobreach.schemes.rotation import spread
from isobreach.schemes.scheme import Scheme


@dataclass(frozen=True)
class LogNoise(Scheme):
    """Noise on logarithms: ``y = exp(log(x) + e)``, ``e ~ N(0, noise^2 C)``, C the covariance of the logarithms.

    Each released column is its attribute times lognormal factors, which go together as the attributes do. On average an
    attribute grows by the factor exp(v / 2), v its entry in the diagonal of noise^2 C. Nothing is kept exactly. Values
    must not be negative; a zero, which has no logarithm, stays zero and does not count in C. The key gives the rows
    back in the order of the records, with the noise in them.

    Reference: J. Kim and W. Winkler, Multiplicative noise for masking continuous data, U.S. Census Bureau, Research
    Report Statistics 2003-01: the second of its two schemes. Reconstructed: noise of the shape of C, and zeros.

    Parameters
    ----------
    noise
        Deviation of the noise, relative to that of the logarithms.
    """

    noise: float = setting(0.5, "Deviation of the noise, relative to that of the logarithms.")

    name: ClassVar[str] = "log-noise"
    model: ClassVar[ReleaseModel] = ReleaseModel(None, noise="multiplicative", in_place=True)

    not_negative: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_not_negative("noise", self.noise)

    def release(self, records: NDArray[Any], source: RandomSource) -> Release:
        """Return the released rows, shuffled, and their new key."""
        spread(records, "noise")  # refuses equal records
        values = np.asarray(records, dtype=np.float64)
        weighted = self.noise * _axes(values)
        variances = np.square(weighted).sum(axis=0)
        error = np.exp(2 * variances) - 2 * np.exp(variances / 2) + 1  # E (exp(e) - 1)^2
        level = float(np.sqrt(np.mean(np.square(values) * error)))
        return self.shuffled(records, self._multiplied(values, weighted, source), source, noise=level, axes=weighted)

    def rows(self, records: NDArray[Any], key: AnyKey, source: RandomSource) -> FloatArray:
        """Return any records with new noise of the key's shape."""
        return self._multiplied(records, key.secret("axes", -1, key.attributes), source)

    def _multiplied(self, values: NDArray[Any], weighted: FloatArray, source: RandomSource) -> FloatArray:
        """Return values times lognormal factors, whose logarithms are Gaussian along axes."""
        if (values < 0).any():
            negative = np.flatnonzero((values < 0).any(axis=1))
            got = f"{len(negative)} records with negative ones; the first is {place(int(negative[0]))}"
            rule = f"must have no negative values for the scheme {self.name}, which takes logarithms"
            raise InputError("X", rule, got, "Shift or leave out such columns.")
        return np.asarray(values * np.exp(source.standard_normal((len(values), len(weighted))) @ weighted))


def _axes(values: FloatArray) -> FloatArray:
    """Return rows whose squares add up to the covariance of the logarithms; a zero counts as its column's mean."""
    positive = values > 0
    logs = np.log(values, where=positive, out=np.zeros_like(values))
    means = logs.sum(axis=0) / np.maximum(positive.sum(axis=0), 1)
    centred = np.where(positive, logs - means, 0.0)
    variances, axes = np.linalg.eigh(centred.T @ centred / len(values))
    return np.asarray((axes * np.sqrt(np.maximum(variances, 0.0))).T)


SCHEME = LogNoise()
