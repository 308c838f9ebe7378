# SPDX-License-Identifier: BSD-3-Clause
"""One-dimensional densities of several columns, as tables of log p: fitted anew whenever the columns change.

Values are counted on a grid, shared between the two nearest points, and smoothed by a normal kernel (Silverman 1982). A
logarithm that is linear between grid points has a score that is constant there, which is exactly its gradient: line
searches do not stumble over it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class MarginalTuning:
    """How densities are smoothed."""

    points: int = 512  # of the grid: several within a bandwidth for any number of rows that is modelled
    bandwidth: float = 0.5  # times spread / rows^(1/5): half of Silverman's, because edges tell most of an axis
    beyond: float = 4.0  # bandwidths that the grid goes on beyond the extremes
    least: float = 1e-300  # width: a column of zeros has no resolution of its own
    floor: float = 1e-3  # counts at a grid point, at least: what lies outside is not impossible


TUNING = MarginalTuning()


@dataclass(frozen=True, eq=False)
class Marginals:
    """log p of each column on a grid of its own.

    Attributes
    ----------
    first, step
        The grid of each column: n numbers each.
    levels
        log p at its points, n x points.
    """

    first: FloatArray
    step: FloatArray
    levels: FloatArray

    @classmethod
    def of(cls, values: FloatArray) -> "Marginals":
        """Return the densities of the columns of a table."""
        rows, n = values.shape
        low, high = np.quantile(values, 0.25, axis=0), np.quantile(values, 0.75, axis=0)
        spread = np.minimum(values.std(axis=0), (high - low) / 1.349)
        spread = np.where(spread > 0, spread, np.maximum(values.std(axis=0), np.finfo(np.float64).tiny))
        # A column that does not vary, or by less than its numbers resolve, is as wide as that: a grid needs a width.
        width = np.maximum(TUNING.bandwidth * spread / rows**0.2, np.spacing(np.abs(values).max(axis=0)))
        width = np.maximum(width, TUNING.least)
        first = values.min(axis=0) - TUNING.beyond * width
        last = values.max(axis=0) + TUNING.beyond * width
        step = (last - first) / (TUNING.points - 1)
        levels = np.empty((n, TUNING.points))
        for j in range(n):
            place = (values[:, j] - first[j]) / step[j]
            below = np.minimum(place.astype(np.int64), TUNING.points - 2)
            share = place - below
            counts = np.bincount(below, 1 - share, TUNING.points) + np.bincount(below + 1, share, TUNING.points)
            smooth = gaussian_filter1d(counts, width[j] / step[j], mode="constant", truncate=TUNING.beyond)
            levels[j] = np.log((smooth + TUNING.floor) / ((rows + TUNING.floor * TUNING.points) * step[j]))
        return cls(first, step, levels)

    def scored(self, values: FloatArray) -> tuple[float, FloatArray]:
        """Return the mean over rows of the sum of log p, and its gradient at each value, not divided by the rows.

        Parameters
        ----------
        values
            m x n.
        """
        n, points = self.levels.shape
        place = (values - self.first) / self.step
        below = np.clip(place.astype(np.int64), 0, points - 2)
        column = np.arange(n)
        left, right = self.levels[column, below], self.levels[column, below + 1]
        rise = right - left
        # Beyond the grid log p goes on in a straight line: it must fall, so that values are drawn back.
        return float((left + rise * (place - below)).sum(axis=1).mean()), rise / self.step
