# SPDX-License-Identifier: BSD-3-Clause
"""Insiders of a table of accounts: some columns are totals of others.

All rows then lie in a flat, whose normals the release shows. Of all relations with coefficients -1, 0 and 1 the
insiders' records fulfil only those that everybody does: these are the normals before the rotation. Normals are links,
and what insiders and normals leave open is a mirror image, or a rotation of few dimensions: of some hundred tried, the
one under which the fewest amounts are negative.
"""

from itertools import product

import numpy as np
from scipy.linalg import null_space
from scipy.stats import ortho_group

from adversaries.motion import split

SCHEMES = {"orthogonal", "rigid"}
SUCCEEDS = ("accounts", "orthogonal", 5, 0.95)


def estimates(released, *, insiders, rows, motion, seed):
    n = released.shape[1]
    start, landed = (insiders[0], released[rows[0]]) if motion == "rigid" else (np.zeros(n), np.zeros(n))
    arrows = insiders[1:] - start if motion == "rigid" else insiders
    tried = np.array(list(product((-1.0, 0.0, 1.0), repeat=n)))
    fulfilled = tried[(np.abs(arrows @ tried.T) <= 1e-9 * np.abs(insiders).max()).all(axis=0)]
    before = null_space(null_space(fulfilled).T).T
    after = null_space(released - released.mean(axis=0), rcond=1e-9).T
    if len(before) == len(after):
        insiders, released = np.vstack([insiders, start + before]), np.vstack([released, landed + after])
        rows = np.r_[rows, len(released) - len(after) : len(released)]
    foot, hidden, basis = split(released, insiders, rows, motion)
    h = len(basis)
    turns = [np.eye(h), -np.eye(h)] if h < 2 else ortho_group.rvs(h, 300, random_state=seed)
    guesses = (foot + hidden @ turn @ basis for turn in turns)
    best = min(guesses, key=lambda guess: (np.minimum(guess, 0) ** 2).sum())
    return best[: len(best) - len(after)] if len(before) == len(after) else best
