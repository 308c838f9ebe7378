# SPDX-License-Identifier: BSD-3-Clause
"""Insiders of a table that was standardised: their own records tell them so, being in such units.

Every column has variance one, and mean zero. Behind a translation the mean of the release is therefore zero. What their
links leave open is a rotation of few dimensions, and there are as many variances as columns: solve for its angles.
"""

import numpy as np
from scipy.linalg import expm
from scipy.optimize import least_squares
from scipy.stats import ortho_group

from adversaries.motion import split

SCHEMES = {"orthogonal", "rigid"}
SUCCEEDS = ("standardised", "orthogonal", 5, 0.9)


def estimates(released, *, insiders, rows, seed):
    centred = released - released.mean(axis=0)
    foot, hidden, basis = split(centred, insiders, rows, "orthogonal")
    size, draws = hidden.shape[1], np.random.default_rng(seed)
    if size < 2:
        return foot
    above = np.triu_indices(size, 1)

    def turned(angles, start):
        skew = np.zeros((size, size))
        skew[above] = angles
        return foot + hidden @ start @ expm(skew - skew.T) @ basis

    least, best = np.inf, foot
    for _ in range(6):
        for mirror in (1, -1):
            start = ortho_group.rvs(size, random_state=draws)
            start[0] *= mirror
            found = least_squares(lambda angles, s=start: turned(angles, s).var(axis=0) - 1, np.zeros(len(above[0])))
            if found.cost < least:
                least, best = found.cost, turned(found.x, start)
    return best
