# SPDX-License-Identifier: BSD-3-Clause
"""Insiders of a table with ratios and indices: weight over squared height, waist over hip, a density.

In their own records the logarithm of such a column is a sum of others', with whole coefficients and a constant. So it
is in everybody's: among the rotations that the insiders' rows leave open, the one under which it is so is right.
"""

from itertools import permutations

import numpy as np
from scipy.linalg import expm
from scipy.optimize import least_squares

from adversaries.motion import split

SCHEMES = {"orthogonal"}
SUCCEEDS = ("clinic", "orthogonal", 3, 0.5)
POWERS = (-2, -1, 1, 2)


def estimates(released, *, insiders, rows, motion, seed):
    foot, hidden, basis = split(released, insiders, rows, motion)
    if (insiders <= 0).any() or len(insiders) < 3 or len(basis) == 0:
        return foot
    logs = np.log(insiders) - np.log(insiders[0])
    laws = [
        (c, a, p, b, q, insiders[0, c] / insiders[0, a] ** p / insiders[0, b] ** q)
        for a, b, c in permutations(range(insiders.shape[1]), 3)
        for p in POWERS
        for q in POWERS
        if np.abs(logs[:, c] - p * logs[:, a] - q * logs[:, b]).max() < 1e-9
    ]
    c, a, p, b, q, constant = (np.array(one) for one in zip(*laws, strict=True)) if laws else (np.zeros(0, int),) * 6
    some, draws, above = np.arange(min(60, len(released))), np.random.default_rng(seed), np.triu_indices(len(basis), 1)

    def turned(angles, start):
        skew = np.zeros((len(basis), len(basis)))
        skew[above] = angles
        return start @ expm(skew - skew.T)

    def failed(angles, start):
        guess = np.maximum(foot[some] + hidden[some] @ turned(angles, start) @ basis, 0.1)
        return (np.log(guess[:, c] / constant) - p * np.log(guess[:, a]) - q * np.log(guess[:, b])).ravel()

    starts = [np.linalg.qr(draws.normal(size=(len(basis), len(basis))))[0] for _ in range(30 if laws else 0)]
    fits = [(least_squares(failed, np.zeros(len(above[0])), args=(one,), max_nfev=60), one) for one in starts]
    best, start = min(fits, key=lambda fit: fit[0].cost) if fits else (None, None)
    return foot + hidden @ turned(best.x, start) @ basis if fits else foot
