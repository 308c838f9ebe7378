# SPDX-License-Identifier: BSD-3-Clause
"""Insiders who know that no value leaves its range: ages, incomes and counts are not negative.

Their links leave a rotation of the hidden dimensions open. They look for one that keeps everybody within the ranges:
move every estimate into its range, find the rotation that comes nearest to the moved ones, and repeat. Of several
starts the one with the least outside of the ranges wins.
"""

import numpy as np
from scipy.linalg import orthogonal_procrustes
from scipy.stats import ortho_group

from adversaries.motion import split

SCHEMES = {"orthogonal", "rigid"}
SUCCEEDS = ("waiting times", "orthogonal", 3, 0.35)


def estimates(released, *, insiders, rows, ranges, motion, seed):
    foot, hidden, basis = split(released, insiders, rows, motion)
    size, draws = hidden.shape[1], np.random.default_rng(seed)
    if size == 0:
        return foot
    least, best = np.inf, foot
    for _ in range(8):
        turn = ortho_group.rvs(size, random_state=draws) if size > 1 else draws.choice([-1.0, 1.0], (1, 1))
        for _ in range(150):
            guess = foot + hidden @ turn @ basis
            outside = guess - np.clip(guess, *ranges.T)
            push = guess - 10 * outside  # far beyond the border: a small step converges slowly
            turn, _ = orthogonal_procrustes(hidden, (push - foot) @ basis.T)
        if (outside**2).sum() < least:
            least, best = (outside**2).sum(), guess
    return best
