# SPDX-License-Identifier: BSD-3-Clause
"""Insiders of a table that is cut off: incomes above a limit are published as that limit.

Nobody is beyond a limit and many are on it, so that all rows lie in a body with few large faces. The face in front of
the middle, in any direction, is a linear programme; faces that hold many rows are the limits of attributes, whose
values insiders know. No random rows need lie in one of them together.
"""

import numpy as np
from scipy.linalg import orthogonal_procrustes
from scipy.optimize import linear_sum_assignment, linprog

SCHEMES = {"orthogonal", "rigid"}
SUCCEEDS = ("capped", "orthogonal", 2, 0.9)


def faces(released, draws):
    """Normals of the faces that hold more rows than it takes to span them."""
    centred = released - released.mean(axis=0)
    spread, found = np.cov(centred.T), np.zeros((0, released.shape[1]))
    for _ in range(150):
        way = spread @ draws.normal(size=len(spread))
        face = linprog(-way, A_ub=centred, b_ub=np.ones(len(centred)), bounds=(None, None))
        if face.success and np.sum(np.abs(centred @ face.x - 1) < 1e-7) > len(spread) + 3:
            normal = face.x / np.linalg.norm(face.x)
            if np.abs(found @ normal).max(initial=0) < 1 - 1e-6:
                found = np.vstack([found, normal])
    return found


def estimates(released, *, insiders, rows, motion, seed):
    normals, n = faces(released, np.random.default_rng(seed)), released.shape[1]
    here, there = (released[rows].mean(axis=0), insiders.mean(axis=0)) if motion == "rigid" else (0.0, 0.0)
    seen, known = released[rows] - here, insiders - there
    # Upwards or downwards: a limit may be the least value.
    off = np.array([np.abs((way * seen @ normals.T)[:, :, None] - known[:, None]).max(axis=0) for way in (1, -1)])
    face, attribute = linear_sum_assignment(off.min(axis=0)) if len(normals) else ([], [])
    links = [(seen, known)]
    for f, j in zip(face, attribute, strict=True):
        way = 1 if off[0, f, j] <= off[1, f, j] else -1
        if off[:, f, j].min() < 1e-6 * np.abs(insiders).max():
            links.append((way * 100 * normals[f : f + 1], 100 * np.eye(n)[j : j + 1]))
    turn, _ = orthogonal_procrustes(*(np.vstack(side) for side in zip(*links, strict=True)))
    return (released - here) @ turn + there
