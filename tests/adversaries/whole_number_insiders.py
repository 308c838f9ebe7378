# SPDX-License-Identifier: BSD-3-Clause
"""Insiders who know that values are whole numbers within ranges, and do not trust their first fit.

They fit the rotation to their own rows and round everybody's estimate. Now everybody is a link: they fit the rotation
again, to all rows and their rounded estimates, and so on. Few insiders and much noise are enough if the first fit
rounds more values right than wrong.
"""

import numpy as np

from adversaries.motion import fitted

SCHEMES = {"orthogonal", "rigid", "noisy"}
SUCCEEDS = ("answers", "noisy", 16, 0.5)


def estimates(released, *, insiders, rows, ranges, motion):
    everyone = np.arange(len(released))
    guess = fitted(released, insiders, rows, motion)
    for _ in range(30):
        whole = np.clip(np.round(guess), *ranges.T)
        whole[rows] = insiders
        guess = fitted(released, whole, everyone, motion)
    return np.clip(np.round(guess), *ranges.T)
