# SPDX-License-Identifier: BSD-3-Clause
r"""What the known records show of the attributes: how often two people agree in them.

An attribute is *coarse* if two known records are equal in it, *free* otherwise. Two people agree in a free attribute j
within c, or within its grid g_j where that is larger, about as often as f_j = max(c, g_j) / s_j, with s_j the median
difference of known records.

In coarse ones people who agree in one attribute are likelier to agree in another. So the number of agreements of two
people is taken for beta-binomial, with the mean a of all agreements and the correlation r of two of them: all of N
agree with probability

    prod_(i<N) (a (1 - r) + i r) / (1 - r + i r),

which for r = 0 is a^N. r comes from the pairs of known records by moments, with two standard errors more, and the
result counts ten times. On subsets of Letter's columns, where agreements depend on each other, this was 2 to 30 times
what happens.
"""

from dataclasses import dataclass

import numpy as np

from isobreach._arrays import BoolArray, FloatArray
from isobreach.release import decimal_step


@dataclass(frozen=True)
class Trusting:
    """How far known records, a few dozen at most, are believed.

    Attributes
    ----------
    errors
        Standard errors that the correlation of agreements may be larger than it looks.
    margin
        How many times more often people may agree in all coarse attributes than follows: pairs of the same few people
        depend on each other.
    """

    errors: float = 2.0
    margin: float = 10.0


TRUSTING = Trusting()


@dataclass(frozen=True, eq=False)
class Attributes:
    """What is known of each attribute, in the release's units where it has any.

    Attributes
    ----------
    step
        Of the decimal grid that known values lie on, 0 for none.
    gap
        Least difference of two known records, 0 where there are no two.
    spread
        Median difference.
    equal, both
        For each pair of known records: whether it is equal in an attribute, and whether both have it.
    """

    step: FloatArray
    gap: FloatArray
    spread: FloatArray
    equal: BoolArray
    both: BoolArray

    @classmethod
    def of(cls, known: FloatArray, scale: float) -> "Attributes":
        """From distinct known records, NaN where an attribute is not known, and the release's scale."""
        first, second = np.triu_indices(len(known), 1)
        gaps = np.abs(known[first] - known[second])  # NaN where one of the two is not known
        step, gap, spread = np.zeros((3, known.shape[1]))
        for j, column in enumerate(known.T):
            step[j] = decimal_step(column[~np.isnan(column)])
            apart = gaps[~np.isnan(gaps[:, j]), j]
            gap[j] = np.min(apart[apart > 0], initial=np.inf) if (apart > 0).any() else 0.0
            spread[j] = np.median(apart) if len(apart) else 0.0
        return cls(step * scale, gap * scale, spread * scale, gaps == 0, ~np.isnan(gaps))

    @property
    def coarse(self) -> BoolArray:
        """Attributes in which two known records are equal."""
        return np.asarray(self.equal.any(axis=0))

    def granule(self, length: float, *, repeats: bool) -> float:
        """Least difference of two inner products, over the largest length, where all attributes are on grids; else 0.

        ``repeats``: values do, even if no two known records are equal.
        """
        grid = np.where(self.step > 0, self.step, np.where(self.coarse | repeats, self.gap, 0.0))
        return float(grid.min() ** 2 / length) if length > 0 else 0.0

    def agreement(self, known: BoolArray, within: float, most: float, *, repeats: bool) -> tuple[float, float]:
        """How often two people agree in the free attributes among the ``known``, and in the coarse ones.

        Of the free ones at most so many count, the most telling, but one at least: they may depend on each other.
        """
        free = known & ~self.coarse & (self.spread > 0) & (not repeats)
        shares = np.sort(np.minimum(np.maximum(self.step, within)[free] / self.spread[free], 1.0))
        return float(np.prod(shares[: max(1, int(most))])), self._all_agree(known & ~free)

    def _all_agree(self, chosen: BoolArray) -> float:
        """Share of pairs of people who agree in all of these attributes; 1 for none."""
        equal, both = self.equal[:, chosen], self.both[:, chosen]
        number = equal.shape[1]
        mean = float((equal.sum() + 1) / (both.sum() + 1))
        rates = (equal.sum(axis=0) + mean) / (both.sum(axis=0) + 1)
        expected, spread = both @ rates, both @ (rates * (1 - rates))
        chances = both.sum(axis=1) * (both.sum(axis=1) - 1.0)  # pairs of attributes that may agree together
        total = max(float(chances.sum()), 1.0)
        excess = float((((equal & both).sum(axis=1) - expected) ** 2 - spread).sum())
        correlation = excess / (total * max(mean * (1 - mean), 1e-300)) + TRUSTING.errors * np.sqrt(2 / total)
        r = float(np.clip(correlation, 0.0, 1.0))
        steps = np.arange(number)
        share = np.prod((mean * (1 - r) + steps * r) / np.maximum(1 - r + steps * r, 1e-300)) if r < 1 else mean
        return float(min(TRUSTING.margin * share, 1.0)) if number else 1.0
