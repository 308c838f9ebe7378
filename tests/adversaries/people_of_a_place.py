# SPDX-License-Identifier: BSD-3-Clause
"""Insiders of a table in which some columns say something of the place where people live, the same for all of a place.

People of one place lie in a flat of fewer dimensions, and the flats of all places are parallel: the flat through some
people at random that holds the most others shows the columns of places, up to a rotation among themselves. So a record
is two links, what it says of the place and what it says of the person; its lengths tell which columns are which.
"""

from itertools import combinations

import numpy as np
from scipy.linalg import null_space, orthogonal_procrustes

SCHEMES = {"orthogonal", "rigid"}
SUCCEEDS = ("regions", "orthogonal", 3, 0.8)


def across_places(released, draws):
    """Orthonormal directions in which all people of a place are alike, one a column: as many as there are."""
    n, near = released.shape[1], 1e-8 * np.abs(released).max()
    for columns in range(n - 2, 1, -1):
        best, most = np.eye(n)[:, :columns], n + 2
        for _ in range(4000):
            some = released[draws.choice(len(released), n - columns + 1, replace=False)]
            across = null_space(some[1:] - some[0], rcond=1e-9)
            held = (np.abs((released - some[0]) @ across) < near).all(axis=1).sum()
            if across.shape[1] == columns and held > most:
                best, most = across, held
        if most > n + 2:
            break
    return best


def estimates(released, *, insiders, rows, motion, seed):
    n = released.shape[1]
    across = across_places(released, np.random.default_rng(seed))
    here, there = (released[rows].mean(axis=0), insiders.mean(axis=0)) if motion == "rigid" else (0.0, 0.0)
    seen, known = released - here, insiders - there

    def unlike(group):
        own, theirs = known[:, group], seen[rows] @ across
        return np.abs(own @ own.T - theirs @ theirs.T).max()

    places = list(min(combinations(range(n), across.shape[1]), key=unlike))
    people = [j for j in range(n) if j not in places]
    guess = np.zeros_like(released)
    for columns, axes in ((places, across), (people, null_space(across.T))):
        turn, _ = orthogonal_procrustes(seen[rows] @ axes, known[:, columns])
        guess[:, columns] = seen @ axes @ turn
    return guess + there
