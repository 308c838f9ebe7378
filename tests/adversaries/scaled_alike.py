# SPDX-License-Identifier: BSD-3-Clause
"""Insiders of a table whose columns were put on one scale, T scores or percentiles, as their own records show.

All columns then have one mean and one variance, whatever these are. Behind a rotation the mean of the release is the
image of (m, m, ..., m): a link more. What links leave open is a rotation of few dimensions: solve for its angles.
"""

import numpy as np
from scipy.linalg import expm
from scipy.optimize import least_squares
from scipy.stats import ortho_group

from adversaries.motion import split

SCHEMES = {"orthogonal", "rigid"}
SUCCEEDS = ("t scores", "orthogonal", 5, 0.9)


def estimates(released, *, insiders, rows, motion, seed):
    n, variance = released.shape[1], released.var(axis=0).mean()
    landed = np.vstack([released, released.mean(axis=0)])
    if motion == "orthogonal":
        level = np.linalg.norm(landed[-1]) / np.sqrt(n) * np.sign(insiders.mean())
        insiders, rows = np.vstack([insiders, np.full(n, level)]), np.r_[rows, len(released)]
    foot, hidden, basis = (one[: len(released)] for one in split(landed, insiders, rows, motion))
    size, draws = hidden.shape[1], np.random.default_rng(seed)
    above = np.triu_indices(size, 1)

    def turned(angles, start):
        skew = np.zeros((size, size))
        skew[above] = angles
        return foot + hidden @ start @ expm(skew - skew.T) @ basis

    def unlike(angles, start):
        guess = turned(angles, start)
        means = guess.mean(axis=0)
        return np.concatenate([guess.var(axis=0) / variance - 1, (means - means.mean()) / np.sqrt(variance)])

    least, best = np.inf, foot
    for _ in range(6):
        for mirror in (1, -1):
            start = ortho_group.rvs(size, random_state=draws) if size > 1 else np.ones((size, size))
            start[:1] *= mirror
            found = least_squares(unlike, np.zeros(len(above[0])), args=(start,)) if size > 1 else None
            cost = found.cost if found else (unlike(np.zeros(0), start) ** 2).sum()
            if cost < least:
                least, best = cost, turned(found.x if found else np.zeros(0), start)
    return best
