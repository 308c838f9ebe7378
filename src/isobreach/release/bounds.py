# SPDX-License-Identifier: BSD-3-Clause
r"""Where the lengths of a release may lie, given those of the known records.

Without noise a released row is within the error radius r(x) of its exact image, so norms agree within r(x) and
distances within r(x) + r(x'). Independent Gaussian noise of standard deviation s on each of N released coordinates
adds to the squared length of a vector with exact image z, c rows' worth of noise (1 for a norm, 2 for a distance),

    mean  c N s^2,      variance  4 c s^2 |z|^2 + 2 N (c s^2)^2 + t^2 |z|^4

(t the relative error of the squared scale of the records, where that is not known; t^2 = 2 / p behind a random
projection to p columns), and bounds are taken ``cut``
standard deviations from the mean: chosen so that among all lengths that are asked for one true one falls outside with
probability about ``MISS``, were they normal; short ones stray further.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from isobreach._arrays import FloatArray, IntArray

MISS = 1e-4  # probability of missing a right link by its length, set by hand


@dataclass(frozen=True, eq=False)
class Bounds:
    """Known records in the release's units, their error radii, and the noise of the release's N ``columns``."""

    known: FloatArray
    radius: FloatArray
    deviation: float = 0.0
    columns: int = 0
    lengths: int = 1
    cut_at: float | None = None
    scale_error: float = 0.0
    projected: int = 0

    @property
    def cut(self) -> float:
        """Standard deviations that one of the ``lengths`` asked for stays within, but for a probability of MISS."""
        return float(-ndtri(MISS / max(self.lengths, 1) / 2)) if self.cut_at is None else self.cut_at

    def norms(self, records: IntArray) -> tuple[FloatArray, FloatArray]:
        """Least and largest released norm of each record."""
        squares = np.einsum("ij,ij->i", self.known[records], self.known[records])
        return self._around(squares, self.radius[records], 1)

    def distances(self, first: IntArray, second: IntArray) -> tuple[FloatArray, FloatArray]:
        """Least and largest released distance of each record in ``first`` from each in ``second``."""
        squares = np.stack([((self.known[second] - self.known[i]) ** 2).sum(axis=1) for i in first])
        return self._around(squares, self.radius[first][:, None] + self.radius[second], 2)

    def _around(self, squares: FloatArray, reach: FloatArray, rows: int) -> tuple[FloatArray, FloatArray]:
        level = rows * self.deviation**2
        mean = squares + self.columns * level
        share = np.sqrt(self.scale_error**2 + (2 / self.projected if self.projected else 0.0))
        of_noise = np.hypot(2 * np.sqrt(level * squares), np.sqrt(2 * self.columns) * level)  # no fourth powers
        spread = self.cut * np.hypot(of_noise, share * squares)
        return np.sqrt(np.maximum(mean - spread, 0.0)) - reach, np.sqrt(mean + spread) + reach
