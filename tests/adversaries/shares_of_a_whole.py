# SPDX-License-Identifier: BSD-3-Clause
"""Insiders of a table of shares: what part of a budget, or of a day, goes where. Some shares are zero.

All records lie in one flat, in which the records with a zero in one attribute fill a face of a simplex. Planes through
random rows of the flat are tried, and those that hold most rows are the faces. A share is the distance from its face,
times sqrt(1 - 1/n), because the face leans against its axis. The insiders' own shares name the faces. No origin is
needed: a translation does not help.
"""

import numpy as np
from scipy.optimize import linear_sum_assignment

SCHEMES = {"orthogonal", "rigid"}
SUCCEEDS = ("budgets", "rigid", 2, 0.6)


def estimates(released, *, insiders, rows, seed):
    n = released.shape[1]
    centred = released - released.mean(axis=0)
    flat = centred @ np.linalg.svd(centred, full_matrices=False)[2][: n - 1].T
    points = np.hstack([flat, np.ones((len(flat), 1))])
    drawn = np.random.default_rng(seed).integers(0, len(points), (10_000, n - 1))
    planes = np.linalg.svd(points[drawn])[2][:, -1]
    planes /= np.linalg.norm(planes[:, :-1], axis=1, keepdims=True)
    size = np.abs(flat).max()
    held = np.concatenate([(np.abs(some @ points.T) < 1e-9 * size).sum(axis=1) for some in np.split(planes, 10)])
    faces = np.zeros((0, n))
    for k in np.argsort(-held):
        if len(faces) < n and np.abs(faces[:, :-1] @ planes[k, :-1]).max(initial=0) < 1 - 1e-6:
            faces = np.vstack([faces, planes[k]])
    seen = np.sqrt(1 - 1 / n) * points @ faces.T
    seen *= np.sign(seen.sum(axis=0))
    apart = ((insiders[:, :, None] - seen[rows][:, None]) ** 2).sum(axis=0)
    return seen[:, linear_sum_assignment(apart)[1]]
