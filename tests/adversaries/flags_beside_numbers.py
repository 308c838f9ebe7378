# SPDX-License-Identifier: BSD-3-Clause
"""Insiders of a table that was prepared as usual: numbers standardised, categories as flags, 0 or 1.

Links leave a flag one unknown direction of known length. As many people as there are hidden dimensions have one of 2^h
answers: try all, and keep the directions that give everybody a 0 or a 1. Then the numbers have variance one: solve for
the angles that are left.
"""

from itertools import product

import numpy as np
from scipy.linalg import expm, null_space
from scipy.optimize import least_squares
from scipy.stats import ortho_group

from adversaries.motion import split

SCHEMES = {"orthogonal"}
SUCCEEDS = ("prepared", "orthogonal", 4, 0.55)  # names of flags that insiders do not tell apart are a lottery


def directions(foot, hidden, length, draws):
    """Of a column of zeros and ones, for everybody."""
    order = draws.permutation(np.flatnonzero(np.linalg.norm(hidden, axis=1) > 1e-6))[: hidden.shape[1]]
    answers = np.array(list(product((0.0, 1.0), repeat=len(order))))
    found = np.linalg.solve(hidden[order], (answers - foot[order]).T).T
    found = found[np.abs(np.linalg.norm(found, axis=1) - length) < 1e-6 * length]
    values = foot[:, None] + hidden @ found.T
    return found[np.abs(values - (values > 0.5)).max(axis=0) < 1e-6]


def estimates(released, *, insiders, rows, motion, seed):
    foot, hidden, basis = split(released, insiders, rows, motion)
    draws, before, after = np.random.default_rng(seed), [], []
    flags = ((insiders == 0) | (insiders == 1)).all(axis=0)
    for j in np.flatnonzero(flags):
        found = directions(foot[:, j], hidden, np.linalg.norm(basis[:, j]), draws)
        new = [one for one in found if all(np.abs(one - other).max() > 1e-6 for other in after)]
        before, after = before + [basis[:, j]] * bool(new), after + new[:1]
    if not after:
        return foot
    foot = foot + hidden @ np.linalg.pinv(np.array(after)) @ np.array(before) @ basis
    hidden, basis = hidden @ null_space(after), null_space(before).T @ basis
    size, least, best = hidden.shape[1], np.inf, foot
    above = np.triu_indices(size, 1)

    def turned(angles, start):
        skew = np.zeros((size, size))
        skew[above] = angles
        return foot + hidden @ start @ expm(skew - skew.T) @ basis

    for _ in range(6 if size > 1 else 0):
        for mirror in (1, -1):
            start = ortho_group.rvs(size, random_state=draws) * np.where(np.arange(size) == 0, mirror, 1)[:, None]
            off = lambda angles, s=start: turned(angles, s)[:, ~flags].var(axis=0) - 1  # noqa: E731
            found = least_squares(off, np.zeros(len(above[0])))
            if found.cost < least:
                least, best = found.cost, turned(found.x, start)
    return best
