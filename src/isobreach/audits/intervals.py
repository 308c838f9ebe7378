# SPDX-License-Identifier: BSD-3-Clause
r"""Intervals for what was sampled: a share of trials, and the mean of a figure between 0 and 1 over trials.

*Wilson* is shown; *Clopper-Pearson* never covers less than it says, whatever the share, and is used for claims of "at
least" and "at most".

The mean of T values in [0, 1] with mean x and variance s^2 gets Wilson's interval with T (x (1 - x) / s^2) trials in
place of T: values that agree are worth more than as many coin flips, and no variance exceeds that of coin flips,
x (1 - x). So the interval is Wilson's for values that are 0 or 1, close to Student's where values agree, and never
leaves [0, 1]. With all values equal nothing is known of the spread, and it is Wilson's for T.

Where every value is itself a share of m *people* (splits of a table), the spread has a floor that is known: shares of m
people vary by at least p (1 - p) / m, with Agresti and Coull's p = (hits + 2) / (T m + 4), which is neither 0 nor 1. So
eight splits that agree are worth 8 m people, not eight coin flips: eight times 0 of 500 is 0 to 0.2%, not 0 to 41%.
What befalls a whole split at once, and fewer than one in eight, may still not show. Where values are *expected* shares
of m people (coalitions of the closed form), their own spread is all there is; only if they agree entirely, so that
there is none, does each count as m people.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, stdtrit

from isobreach._arrays import FloatArray

LEVEL = 0.95  # the usual one, of all intervals
_NORMAL = 1.959963984540054  # deviations of a normal law within which it has that probability
_ROUNDING = 1e-24  # a variance that is none


@dataclass(frozen=True)
class Sampled:
    """A sampled figure and its 95% interval."""

    value: float
    low: float
    high: float

    @classmethod
    def exact(cls, value: float) -> "Sampled":
        """A figure that is not sampled."""
        return cls(value, value, value)

    @classmethod
    def largest(cls, figures: Sequence["Sampled"]) -> "Sampled":
        """The largest of several figures: whoever may be the largest, none is known to exceed the highest end.

        >>> Sampled.largest([Sampled(0.2, 0.19, 0.21), Sampled(0.1, 0.0, 0.5)])
        Sampled(value=0.2, low=0.19, high=0.5)
        """
        return cls(*(max(getattr(one, name) for one in figures) for name in ("value", "low", "high")))


@dataclass(frozen=True, eq=False)
class SampledShares:
    """A sampled figure of every attribute, and their 95% intervals."""

    value: FloatArray
    low: FloatArray
    high: FloatArray

    @classmethod
    def exact(cls, value: FloatArray) -> "SampledShares":
        """Figures that are not sampled."""
        return cls(value, value, value)

    @classmethod
    def largest(cls, figures: Sequence["SampledShares"]) -> "SampledShares":
        """Of every attribute the largest of several figures, as for ``Sampled``."""
        return cls(*np.array([(one.value, one.low, one.high) for one in figures]).max(axis=0))

    def of(self, place: int) -> Sampled:
        """The figure of one attribute."""
        return Sampled(float(self.value[place]), float(self.low[place]), float(self.high[place]))


def wilson(successes: float, trials: float, *, quantile: float = _NORMAL) -> Sampled:
    """Wilson's interval for a share: centre (x + z^2/2T) / (1 + z^2/T).

    >>> wilson(0, 100)
    Sampled(value=0.0, low=0.0, high=0.03699349820698568)
    """
    low, high = wilson_limits(successes / trials, trials, quantile)
    return Sampled(float(successes / trials), float(low), float(high))


def wilson_limits(share: ArrayLike, trials: ArrayLike, quantile: float = _NORMAL) -> tuple[FloatArray, FloatArray]:
    """Ends of Wilson's intervals for many shares at once; trials may differ."""
    share, square = np.asarray(share, dtype=np.float64), quantile**2 / np.asarray(trials, dtype=np.float64)
    centre = (share + square / 2) / (1 + square)
    half = np.sqrt(square * (share * (1 - share) + square / 4)) / (1 + square)
    # Rounding must not leave out a share of 0 or 1, which are the ends themselves.
    return np.maximum(np.where(share <= 0, 0.0, centre - half), 0.0), np.where(share >= 1, 1.0, centre + half)


def clopper_pearson(successes: int, trials: int) -> Sampled:
    """Exact interval for a share, from quantiles of beta distributions.

    >>> clopper_pearson(0, 100).high
    0.03621669264517641
    """
    tail = (1 - LEVEL) / 2
    low = 0.0 if successes == 0 else float(betaincinv(successes, trials - successes + 1, tail))
    high = 1.0 if successes == trials else float(betaincinv(successes + 1, trials - successes, 1 - tail))
    return Sampled(successes / trials, low, high)


def mean_interval(
    values: Sequence[float] | FloatArray, people: int | None = None, *, expected: bool = False
) -> Sampled:
    """Interval for the mean of values in [0, 1], each of them a share of so many people, if any: see the module's text.

    >>> mean_interval([0.0] * 8, people=500).high < 0.002
    True
    >>> mean_interval([0.1, 0.11], people=5, expected=True) == mean_interval([0.1, 0.11])
    True
    """
    array = np.asarray(values, dtype=np.float64)
    low, high = mean_limits(array, people, expected=expected)
    return Sampled(float(np.mean(array)), float(low), float(high))


def mean_limits(
    values: FloatArray, people: int | None = None, *, comparisons: int = 1, expected: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Ends of the intervals of many means at once, one row of values a trial, for so many means together.

    ``expected``: values are no counts of people but expected shares of them.
    """
    trials, mean = len(values), values.mean(axis=0)
    if trials == 1:
        return np.zeros_like(mean), np.ones_like(mean)
    variance, most = values.var(axis=0, ddof=1), mean * (1 - mean)
    with np.errstate(divide="ignore", invalid="ignore"):
        worth = np.where((variance > _ROUNDING) & (variance < most), trials * most / variance, trials)
    if people and expected:
        worth = np.where(variance <= _ROUNDING, trials * people, worth)
    elif people:
        likely = (trials * people * mean + 2) / (trials * people + 4)
        widest = likely * (1 - likely)
        worth = np.maximum(trials * widest / np.maximum(variance, widest / people), trials)
    quantile = float(stdtrit(trials - 1, 1 - (1 - LEVEL) / 2 / comparisons))
    return wilson_limits(mean, worth, quantile)
