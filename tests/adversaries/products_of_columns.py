# SPDX-License-Identifier: BSD-3-Clause
"""Insiders of a table in which columns are products of others: areas, amounts, squares, interactions of a regression.

Their own records show which column is the product of which two. Everybody's does the same: among the rotations that the
insiders' rows leave open, the one under which all released rows have these products is the right one.
"""

import numpy as np
from scipy.linalg import expm
from scipy.optimize import least_squares

from adversaries.motion import split

SCHEMES = {"orthogonal", "rigid"}
SUCCEEDS = ("parcels", "orthogonal", 2, 0.9)


def estimates(released, *, insiders, rows, motion, seed):
    foot, hidden, basis = split(released, insiders, rows, motion)
    first, second = np.triu_indices(insiders.shape[1])
    gaps = np.abs(insiders[:, :, None] - (insiders[:, first] * insiders[:, second])[:, None]).max(axis=0)
    product, pair = np.nonzero(gaps < 1e-9 * np.abs(insiders).max())
    if len(product) == 0 or len(basis) == 0:
        return foot
    some, draws, above = np.arange(min(100, len(released))), np.random.default_rng(seed), np.triu_indices(len(basis), 1)

    def turned(angles, start):
        skew = np.zeros((len(basis), len(basis)))
        skew[above] = angles
        return start @ expm(skew - skew.T)

    def failed(angles, start):
        guess = foot[some] + hidden[some] @ turned(angles, start) @ basis
        return (guess[:, product] - guess[:, first[pair]] * guess[:, second[pair]]).ravel()

    starts = [np.linalg.qr(draws.normal(size=(len(basis), len(basis))))[0] for _ in range(40)]
    fits = []
    for start in starts:
        fits.append((least_squares(failed, np.zeros(len(above[0])), args=(start,), max_nfev=60), start))
        if fits[-1][0].cost < 1e-9:
            break
    best, start = min(fits, key=lambda fit: fit[0].cost)
    return foot + hidden @ turned(best.x, start) @ basis
