# SPDX-License-Identifier: BSD-3-Clause
"""Insiders of a table of logarithms, some of them of amounts, and some of the sums of two of these.

Their own records show which: exp(x) + exp(y) = exp(z) for all of them, and so for everybody. No flat holds the rows,
but the hidden rotation has to fulfil it for everybody: solve for its angles.
"""

from itertools import combinations

import numpy as np
from scipy.linalg import expm
from scipy.optimize import least_squares
from scipy.stats import ortho_group

from adversaries.motion import split

SCHEMES = {"orthogonal", "rigid"}
SUCCEEDS = ("log accounts", "orthogonal", 4, 0.7)


def estimates(released, *, insiders, rows, motion, seed):
    amounts, n = np.exp(insiders), released.shape[1]
    tried = [(i, j, k) for i, j in combinations(range(n), 2) for k in range(n)]
    sums = [one for one in tried if np.allclose(amounts[:, one[0]] + amounts[:, one[1]], amounts[:, one[2]], 1e-9)]
    foot, hidden, basis = split(released, insiders, rows, motion)
    size, draws = hidden.shape[1], np.random.default_rng(seed)
    if not sums or size < 2:
        return foot
    above, some = np.triu_indices(size, 1), draws.choice(len(released), min(len(released), 200), replace=False)

    def turned(angles, start, which):
        skew = np.zeros((size, size))
        skew[above] = angles
        return foot[which] + hidden[which] @ start @ expm(skew - skew.T) @ basis

    def unequal(angles, start):
        guess = turned(angles, start, some)
        off = [np.logaddexp(guess[:, i], guess[:, j]) - guess[:, k] for i, j, k in sums]
        return np.clip(np.concatenate(off), -5, 5)

    least, best = np.inf, foot
    for _ in range(10):
        for mirror in (1, -1):
            start = ortho_group.rvs(size, random_state=draws)
            start[0] *= mirror
            found = least_squares(unequal, np.zeros(len(above[0])), args=(start,), max_nfev=60)
            if found.cost < least:
                least, best = found.cost, turned(found.x, start, slice(None))
    return best
