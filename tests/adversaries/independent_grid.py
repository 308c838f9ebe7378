# SPDX-License-Identifier: BSD-3-Clause
"""Insiders who believe that the attributes are independent whole numbers.

Independent component analysis finds the axes from the release, noise or not; the insiders name them after their own
records; everybody is rounded. Fewer insiders than attributes are enough, where a fit of the rotation needs more.
"""

import numpy as np

from adversaries.independent_columns import estimates as axes_named_by_insiders
from adversaries.motion import fitted

SCHEMES = {"orthogonal", "noisy"}
SUCCEEDS = ("dense bits", "noisy", 8, 0.8)


def estimates(released, *, insiders, rows, ranges, motion, seed):
    guess = axes_named_by_insiders(released, insiders=insiders, rows=rows, motion=motion, seed=seed)
    everyone = np.arange(len(released))
    for _ in range(5):
        guess = fitted(released, np.clip(np.round(guess), *ranges.T), everyone, motion)
    return np.clip(np.round(guess), *ranges.T)
