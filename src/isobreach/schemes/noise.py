# SPDX-License-Identifier: BSD-3-Clause
"""Schemes that add noise to a secret rotation: distances survive it only on average.

With e the noise of a released row, v = E|e|^2 and s the scale, a released distance d estimates the distance D of the
records by  D^2 = (d^2 - 2 v) / s^2,  without bias (with ``orthogonal-noise``, a bias of order noise^4 / n). The key
holds s and the deviation of one coordinate, sqrt(v / n).
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isobreach._random import RandomSource
from isobreach._validation import check_not_negative, check_positive
from isobreach.errors import InputError
from isobreach.geometry import haar
from isobreach.schemes.key import Key, Release
from isobreach.schemes.scheme import Invariant, Scheme

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Noisy(Scheme):
    """Rotate, then add Gaussian noise to every coordinate: ``y = M x + e``, ``e ~ N(0, sigma^2 I)``.

    ``noise`` is sigma relative to the spread of the table, the root mean square of its entries about their column
    means. The default is a tenth of it.
    """

    noise: float = 0.1

    name: ClassVar[str] = "noisy"
    keeps: ClassVar[tuple[Invariant, ...]] = ()

    def __post_init__(self) -> None:
        check_not_negative("noise", self.noise)

    def release(self, records: NDArray[Any], source: RandomSource) -> Release:
        """Return the released rows, shuffled, and their new key."""
        sigma = self.noise * _spread(records, "noise") if self.noise else 0.0
        key = replace(_rotation(self.name, records, source), noise=sigma)
        return Release(key.apply(records) + sigma * source.standard_normal(records.shape), key)


@dataclass(frozen=True)
class Ball(Scheme):
    """Scale and perturb, as distance-comparison-preserving encryption does: ``y = s M x + e``, e uniform in a ball.

    The ball has radius ``R = s * beta / 4``, so that of two distances which differ by more than ``beta`` the smaller
    stays the smaller; v = R^2 n / (n + 2). ``beta`` is in the units of the records. Its default is half the root mean
    square distance of the records from their mean, 0.5 for centred vectors of length one: no row moves by more than an
    eighth of that distance. ``scale`` is 1 by default: a scale is one number, and released distances give it away.

    The original permutes the coordinates where this scheme rotates: a permutation is one of the rotations, and an
    attack by distances sees no difference.
    """

    scale: float = 1.0
    beta: float | None = None

    name: ClassVar[str] = "ball"
    keeps: ClassVar[tuple[Invariant, ...]] = ()

    def __post_init__(self) -> None:
        check_positive("scale", self.scale)
        if self.beta is not None:
            check_not_negative("beta", self.beta)

    def release(self, records: NDArray[Any], source: RandomSource) -> Release:
        """Return the released rows, shuffled, and their new key."""
        rows, n = records.shape
        beta = 0.5 * np.sqrt(n) * _spread(records, "beta") if self.beta is None else self.beta
        radius = float(self.scale * beta / 4)
        motion = _rotation(self.name, records, source)
        key = replace(motion, scale=float(self.scale), noise=radius / np.sqrt(n + 2))
        # Archimedes: the first n coordinates of a uniform point on the sphere of R^(n + 2) are uniform in the ball.
        noise = radius * _unit(source.standard_normal((rows, n + 2)))[:, :n]
        return Release(key.apply(records) + noise, key)


@dataclass(frozen=True)
class OrthogonalNoise(Scheme):
    """Turn each record by a little, as packages that protect vectors do: ``y = M (u + g) / |u + g|``, ``u = x / |x|``.

    g is Gaussian in the n - 1 directions orthogonal to u, with root mean square length ``noise`` (rho). So
    s = 1 / sqrt(1 + rho^2) is the cosine of the angle between y and M u, and v = s^2 rho^2: both for a g of just that
    length, about which it varies by rho / sqrt(2 (n - 1)).

    Norms are lost: the key applies to u, and gives back u within the noise.
    """

    noise: float = 0.1

    name: ClassVar[str] = "orthogonal-noise"
    keeps: ClassVar[tuple[Invariant, ...]] = ()

    def __post_init__(self) -> None:
        check_not_negative("noise", self.noise)

    def release(self, records: NDArray[Any], source: RandomSource) -> Release:
        """Return the released rows, shuffled, and their new key."""
        n = records.shape[1]
        if n == 1:
            raise InputError("X", f"must have two columns or more for the scheme {self.name}", "1 column")
        zero = np.flatnonzero(~records.any(axis=1))
        if len(zero):
            got = f"{len(zero)} of zeros only; the first is row {zero[0] + 1}"
            raise InputError(
                "X", f"must have records with a direction for the scheme {self.name}", got, "Leave them out."
            )
        motion = _rotation(self.name, records, source)
        u = records.astype(np.float64)
        u = _unit(u / np.abs(u).max(axis=1, keepdims=True))  # divided first: squares of small entries underflow
        g = source.standard_normal(records.shape)
        g -= np.sum(g * u, axis=1, keepdims=True) * u
        scale = 1 / np.hypot(1, self.noise)
        key = replace(motion, scale=float(scale), noise=float(scale * self.noise / np.sqrt(n)))
        return Release(motion.apply(_unit(u + self.noise / np.sqrt(n - 1) * g)), key)


def _rotation(name: str, records: NDArray[Any], source: RandomSource) -> Key:
    rows, n = records.shape
    return Key(name, haar(n, source), np.zeros(n), source.permutation(rows))


def _unit(rows: FloatArray) -> FloatArray:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def _spread(records: NDArray[Any], parameter: str) -> float:
    """Root mean square of the entries about their column means, the measure of a relative noise."""
    if (records == records[0]).all():
        raise InputError(
            "X", f"must have records that differ: {parameter} is relative to their spread", "equal records"
        )
    return float(np.sqrt(np.mean(np.var(records, axis=0, dtype=np.float64))))
