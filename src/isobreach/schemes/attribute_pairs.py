# SPDX-License-Identifier: BSD-3-Clause
"""Rotate the attributes in pairs, each by an angle of its own."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach._random import RandomSource
from isobreach._settings import setting
from isobreach._validation import check_not_negative
from isobreach.errors import InputError
from isobreach.release import ReleaseModel
from isobreach.schemes.key import Key, Release
from isobreach.schemes.scheme import Scheme

_ANGLES = 3600  # a tenth of a degree apart, from a random start: fine enough to find an interval of angles
_MOST = 4.0  # the change of an attribute that is turned by 180 degrees: y = -x


@dataclass(frozen=True)
class AttributePairs(Scheme):
    """Rotate attributes in pairs: ``y_i = x_i cos(a) + x_j sin(a)``, ``y_j = x_j cos(a) - x_i sin(a)``.

    Pairs and angles are secret. An angle is uniform among those that change both attributes enough:
    ``var(x_i - y_i) >= threshold * var(x_i)``, and alike for j. With an odd number of attributes the last one is paired
    with one that was rotated before. All of it is one orthogonal motion, which keeps norms, distances and inner
    products. It is a weak one: released columns depend on two attributes only (three in one case).

    Reference: S. Oliveira and O. Zaiane, Achieving privacy preservation when sharing data for clustering, Secure
    Data Management 2004. Reconstructed: the threshold is one for all attributes, relative to their variance.

    Parameters
    ----------
    threshold
        Least variance of what an attribute changes by, relative to its own variance: below 4.
    """

    threshold: float = setting(0.5, "Least change of an attribute: variance relative to its own, below 4.")

    name: ClassVar[str] = "attribute-pairs"
    model: ClassVar[ReleaseModel] = ReleaseModel("orthogonal", pairs=True)

    least_columns: ClassVar[int] = 2

    def __post_init__(self) -> None:
        if check_not_negative("threshold", self.threshold) >= _MOST:
            raise InputError("threshold", f"must be below {_MOST:g}, which a change of sign reaches", self.threshold)

    def release(self, records: NDArray[Any], source: RandomSource) -> Release:
        """Return the released rows, shuffled, and their new key."""
        n = records.shape[1]
        order = source.permutation(n)
        pairs = [*zip(order[: n - n % 2 : 2], order[1::2], strict=True), *([(order[-1], order[0])] if n % 2 else [])]
        draws = source.random((len(pairs), 2))
        covariance = np.cov(np.asarray(records, dtype=np.float64), rowvar=False, bias=True)
        rotation = np.eye(n)
        for (i, j), (start, which) in zip(pairs, draws, strict=True):
            angles = 2 * np.pi * (np.arange(_ANGLES) + start) / _ANGLES
            turned = self._turned(rotation[i], rotation[j], angles)
            enough = self._changes(turned[0], i, covariance) & self._changes(turned[1], j, covariance)
            found = np.flatnonzero(enough)
            if not len(found):
                raise InputError(
                    "threshold",
                    "must be a change that both attributes of a pair can reach",
                    self.threshold,
                    "Lower it.",
                )
            one = found[int(which * len(found))]
            rotation[i], rotation[j] = turned[0][one], turned[1][one]
        key = Key(self.name, rotation, np.zeros(n), source.permutation(len(records)))
        return Release(key.apply(records), key)

    @staticmethod
    def _turned(first: FloatArray, second: FloatArray, angles: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return two rows of the rotation, turned into each other by each of the angles."""
        cosine, sine = np.cos(angles)[:, None], np.sin(angles)[:, None]
        return cosine * first + sine * second, cosine * second - sine * first

    def _changes(self, rows: FloatArray, attribute: int, covariance: FloatArray) -> NDArray[np.bool_]:
        """Return whether an attribute changes enough, for each row that the rotation may have in its place."""
        change = rows - np.eye(len(covariance))[attribute]
        variance = np.einsum("ai,ij,aj->a", change, covariance, change)
        return np.asarray(variance >= self.threshold * covariance[attribute, attribute])


SCHEME = AttributePairs()
