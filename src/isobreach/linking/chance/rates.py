# SPDX-License-Identifier: BSD-3-Clause
"""How common a distance is among the released rows: what a known distance tells, and what chance would make.

Shares are counted on the distances of a sample of points. An interval that holds few of them gets the share of the
nearest ten, scaled to its width.
"""

from dataclasses import dataclass

import numpy as np

from isobreach._arrays import FloatArray


@dataclass(frozen=True)
class RateSample:
    """The sample from which rates of distances are estimated.

    Attributes
    ----------
    points
        Points of it: 245,000 distances.
    enough
        Distances inside an interval that are counted; where there are fewer, the interval is widened to that many.
    directions
        Random directions in which the spread is looked at.
    seed
        Of the sample alone.
    """

    points: int = 700
    enough: int = 10
    directions: int = 8
    seed: int = 0


_RATES = RateSample()


def sampled(points: FloatArray) -> FloatArray:
    """A sample of points, small enough for all their pairs."""
    rng = np.random.default_rng(_RATES.seed)
    return points if len(points) <= _RATES.points else points[rng.choice(len(points), _RATES.points, replace=False)]


def same_difference(points: FloatArray, error: float) -> float:
    """Share of pairs of pairs of points whose differences are the same vector, or opposite ones, within ``error``.

    Differences are compared along a few fixed directions.
    """
    chosen = sampled(points)
    directions = np.random.default_rng(_RATES.seed).standard_normal(
        (points.shape[1], min(points.shape[1], _RATES.directions))
    )
    seen = chosen @ (directions / np.linalg.norm(directions, axis=0))
    first, second = np.triu_indices(len(seen), 1)
    gaps = seen[first] - seen[second]
    gaps *= np.where(gaps[:, :1] < 0, -1.0, 1.0)
    step = max(16 * error, 1e-12 * float(np.abs(seen).max(initial=0.0)), 1e-300)
    total = len(gaps)
    if total < 2:
        return 0.0
    counts = np.unique(np.rint(gaps / step), axis=0, return_counts=True)[1].astype(np.float64)
    return float((counts * (counts - 1)).sum() / (total * (total - 1.0)))


class Rates:
    """Squared distances, ascending. On a grid they are multiples of ``spacing``, and no interval is narrower."""

    def __init__(self, squares: FloatArray, spacing: float = 0.0) -> None:
        self._sorted, self._spacing = np.sort(squares), spacing

    @classmethod
    def between(cls, points: FloatArray) -> "Rates":
        """Of the distances between sampled points."""
        chosen = sampled(points)
        chosen = chosen - chosen.mean(axis=0)
        squares = np.einsum("ij,ij->i", chosen, chosen)
        gaps = squares[:, None] + squares - 2 * chosen @ chosen.T
        return cls(np.maximum(gaps[np.triu_indices(len(chosen), 1)], 0.0))

    def collision(self, error: float) -> float:
        """Share of pairs of distances that are equal within ``error``: what chance alone makes where values repeat."""
        total = len(self._sorted)
        if total < 2:
            return 0.0
        reach = 2 * np.sqrt(self._sorted) * error + error**2
        equal = np.searchsorted(self._sorted, self._sorted + reach, "right") - np.arange(1, total + 1)
        return float(equal.sum() / (0.5 * total * (total - 1)))

    def log_share(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """Log of the share of distances within [low, high]; at most 0."""
        return self.log_share_of_squares(np.maximum(low, 0.0) ** 2, high**2)

    def log_share_of_squares(self, below: FloatArray, above: FloatArray) -> FloatArray:
        """Log of the share of squared distances within [below, above]; at most 0."""
        total = len(self._sorted)
        if total == 0:
            return np.zeros(np.shape(below))
        count = np.searchsorted(self._sorted, above, "right") - np.searchsorted(self._sorted, below, "left")
        middle = np.searchsorted(self._sorted, (below + above) / 2)
        first = np.clip(middle - _RATES.enough // 2, 0, max(total - _RATES.enough, 0))
        last = np.minimum(first + _RATES.enough, total) - 1
        window = np.maximum(self._sorted[last] - self._sorted[first], (below + above) * 1e-15)
        width = np.maximum(above - below, self._spacing)
        few = (_RATES.enough + 1) / total * np.minimum(width / np.maximum(window, 1e-300), 1.0)
        share = np.where(count >= _RATES.enough, count / total, np.minimum(few, 1.0))
        return np.asarray(np.log(np.maximum(share, 1e-300)))
