# SPDX-License-Identifier: BSD-3-Clause
"""Insiders of a table in which many people have one thing only: customers of one product, patients of one ward.

Their rows lie on lines, the images of the axes, which all meet in the image of the origin. Lines through pairs of rows
that hold several others are the axes, amounts are positive along them, and the insiders' own amounts name them. Where
the lines meet is the origin, so that a translation does not help.
"""

import numpy as np
from scipy.optimize import linear_sum_assignment

SCHEMES = {"orthogonal", "rigid"}
SUCCEEDS = ("specialists", "rigid", 6, 0.6)


def estimates(released, *, insiders, rows, seed):
    n, size = released.shape[1], np.abs(released).max()
    axes, meet, places = np.zeros((0, n)), np.zeros((n, n)), np.zeros(n)
    for first, second in np.random.default_rng(seed).integers(0, len(released), (4_000, 2)):
        along = released[second] - released[first]
        along /= np.linalg.norm(along) + 1e-300
        if len(axes) == n or np.abs(axes @ along).max(initial=0) > 1e-6:
            continue
        apart = released - released[first]
        apart -= np.outer(apart @ along, along)
        if (np.abs(apart).max(axis=1) < 1e-9 * size).sum() > 4:
            axes = np.vstack([axes, along])
            across = np.eye(n) - np.outer(along, along)
            meet, places = meet + across, places + across @ released[first]
    if len(axes) < n:
        return np.tile(insiders.mean(axis=0), (len(released), 1))
    seen = (released - np.linalg.solve(meet, places)) @ axes.T
    seen *= np.sign(seen.sum(axis=0))
    apart = ((insiders[:, :, None] - seen[rows][:, None]) ** 2).sum(axis=0)
    return seen[:, linear_sum_assignment(apart)[1]]
