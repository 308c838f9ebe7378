# SPDX-License-Identifier: BSD-3-Clause
r"""Intervals for what was sampled: a share of trials, and the mean of a figure between 0 and 1 over trials.

*Wilson* is shown; *Clopper-Pearson* never covers less than it says, whatever the share, and is used for claims of "at
least" and "at most".

The mean of T values in [0, 1] with mean x and variance s^2 gets Wilson's interval with T (x (1 - x) / s^2) trials in
place of T: values that agree are worth more than as many coin flips, and no variance exceeds that of coin flips,
x (1 - x). So the interval is Wilson's for values that are 0 or 1, close to Student's where values agree, and never
leaves [0, 1]. With all values equal nothing is known of the spread, and it is Wilson's for T.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, stdtrit

FloatArray = NDArray[np.float64]

LEVEL = 0.95
_NORMAL = 1.959963984540054
_ROUNDING = 1e-24  # a variance that is none


@dataclass(frozen=True)
class Sampled:
    """A sampled figure and its 95% interval."""

    value: float
    low: float
    high: float


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


def mean_interval(values: Sequence[float] | FloatArray) -> Sampled:
    """Interval for the mean of values in [0, 1]: see the module's text."""
    array = np.asarray(values, dtype=np.float64)
    trials, mean = len(array), float(np.mean(array))
    if trials == 1:
        return Sampled(mean, 0.0, 1.0)
    variance = float(np.var(array, ddof=1))
    most = mean * (1 - mean)
    worth = trials * most / variance if _ROUNDING < variance < most else trials
    return wilson(worth * mean, worth, quantile=float(stdtrit(trials - 1, (1 + LEVEL) / 2)))
