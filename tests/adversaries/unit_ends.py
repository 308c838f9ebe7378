# SPDX-License-Identifier: BSD-3-Clause
"""Insiders of a table that was scaled to the range from 0 to 1, 0 to 100, or -1 to 1, as their own records show.

Somebody has the least value in each column, and somebody the greatest. What links leave open is a rotation of few
dimensions, and there are two ends of every column: solve for its angles.
"""

import numpy as np
from scipy.linalg import expm
from scipy.optimize import least_squares
from scipy.stats import ortho_group

from adversaries.motion import split

SCHEMES = {"orthogonal", "rigid"}
SUCCEEDS = ("normalised", "orthogonal", 5, 0.9)


def estimates(released, *, insiders, rows, motion, seed):
    foot, hidden, basis = split(released, insiders, rows, motion)
    size, draws = hidden.shape[1], np.random.default_rng(seed)
    if size < 2:
        return foot
    above = np.triu_indices(size, 1)

    def turned(angles, start):
        skew = np.zeros((size, size))
        skew[above] = angles
        return foot + hidden @ start @ expm(skew - skew.T) @ basis

    most = 100 if np.abs(insiders).max() > 1 else 1

    def ends(angles, start):
        guess = turned(angles, start) / most
        return np.concatenate([guess.min(axis=0) + (insiders < 0).any(), guess.max(axis=0) - 1])

    least, best = np.inf, foot
    for _ in range(6):
        for mirror in (1, -1):
            start = ortho_group.rvs(size, random_state=draws)
            start[0] *= mirror
            found = least_squares(ends, np.zeros(len(above[0])), args=(start,), max_nfev=40)
            if found.cost < least:
                least, best = found.cost, turned(found.x, start)
    return best
