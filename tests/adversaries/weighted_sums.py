# SPDX-License-Identifier: BSD-3-Clause
"""Insiders of a table in which some columns are weighted sums of others: marks, indices, prices with a tax.

All rows then lie in a flat, whose normals the release shows. As many columns as there are insiders can always be
weighted to give another one; weights that are multiples of 0.05 are no chance. These relations are the normals before
the rotation. Normals are links, and what they and the insiders leave open is a mirror image, or a rotation of few
dimensions: of some hundred tried, the one under which the fewest marks are above a hundred.
"""

from itertools import combinations

import numpy as np
from scipy.linalg import null_space
from scipy.stats import ortho_group

from adversaries.motion import split

SCHEMES = {"orthogonal", "rigid"}
SUCCEEDS = ("marks", "orthogonal", 5, 0.95)


def relations(arrows):
    """What all arrows fulfil, one a row: some columns with round weights give another one."""
    found, n = np.zeros((0, arrows.shape[1])), arrows.shape[1]
    for column in range(n):
        for others in combinations([one for one in range(n) if one != column], min(4, len(arrows) - 1)):
            weights, *_ = np.linalg.lstsq(arrows[:, others], arrows[:, column])
            left = arrows[:, others] @ weights - arrows[:, column]
            if max(np.abs(left).max(), np.abs(20 * weights - np.rint(20 * weights)).max()) < 1e-6:
                found = np.vstack([found, np.eye(n)[column]])
                found[-1, others] = -np.rint(20 * weights) / 20
    return found


def estimates(released, *, insiders, rows, motion, seed):
    n, m = released.shape[1], len(released)
    start, landed = (insiders[0], released[rows[0]]) if motion == "rigid" else (np.zeros(n), np.zeros(n))
    told = relations(insiders[1:] - start if motion == "rigid" else insiders)
    before, after = null_space(null_space(told).T).T, null_space(released - released.mean(axis=0), rcond=1e-9).T
    if len(told) and len(before) == len(after):
        insiders, released = np.vstack([insiders, start + before]), np.vstack([released, landed + after])
        rows = np.r_[rows, m : len(released)]
    foot, hidden, basis = split(released, insiders, rows, motion)
    h = len(basis)
    turns = [np.eye(h), -np.eye(h)] if h < 2 else ortho_group.rvs(h, 300, random_state=seed)
    guesses = ((foot + hidden @ turn @ basis)[:m] for turn in turns)
    return min(guesses, key=lambda guess: (np.maximum(guess - 100, 0) ** 2).sum())
