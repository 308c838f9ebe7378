# SPDX-License-Identifier: BSD-3-Clause
"""Insiders of a table in which a value often stands twice: measured again and unchanged, or carried forward.

All who did not change lie in a plane, whose normal is the difference of two axes. Planes through random rows that hold
many others are these; which two columns they compare, the insiders' own values tell. A normal is as good as an insider
more. What both leave open is a mirror image, or a rotation of few dimensions: of some hundred tried, the one under
which the columns are least symmetric.
"""

from itertools import combinations

import numpy as np
from scipy.stats import ortho_group

from adversaries.motion import split

SCHEMES = {"orthogonal", "rigid"}
SUCCEEDS = ("visits", "orthogonal", 5, 0.95)


def normals(released, draws):
    """Of planes that hold more rows than it takes to span them."""
    lifted = np.hstack([released - released.mean(axis=0), np.ones((len(released), 1))])
    drawn = draws.integers(0, len(released), (20_000, released.shape[1]))
    planes = np.linalg.svd(lifted[drawn])[2][:, -1]
    planes /= np.linalg.norm(planes[:, :-1], axis=1, keepdims=True)
    held = np.concatenate([(np.abs(some @ lifted.T) < 1e-7).sum(axis=1) for some in np.split(planes, 20)])
    found = np.zeros((0, released.shape[1]))
    for k in np.argsort(-held)[: np.sum(held > 3 * released.shape[1])]:
        if np.abs(found @ planes[k, :-1]).max(initial=0) < 1 - 1e-6:
            found = np.vstack([found, planes[k, :-1]])
    return found


def estimates(released, *, insiders, rows, motion, seed):
    (m, n), draws = released.shape, np.random.default_rng(seed)
    start, landed = (insiders[0], released[rows[0]]) if motion == "rigid" else (np.zeros(n), np.zeros(n))
    known, seen = insiders - start, released[rows] - landed
    for normal in normals(released, draws):
        pairs = [np.eye(n)[i] - np.eye(n)[j] for i, j in combinations(range(n), 2)]
        both = [way * pair / np.sqrt(2) for pair in pairs for way in (1, -1)]
        told = [one for one in both if np.abs(known @ one - seen @ normal).max() < 1e-6]
        if len(told) == 1:
            insiders, released = np.vstack([insiders, start + told[0]]), np.vstack([released, landed + normal])
            rows = np.r_[rows, len(released) - 1]
    foot, hidden, basis = split(released, insiders, rows, motion)
    h = len(basis)
    turns = [np.eye(h), -np.eye(h)] if h < 2 else ortho_group.rvs(h, 300, random_state=seed)
    guesses = (foot + hidden @ turn @ basis for turn in turns)
    return max(guesses, key=lambda guess: (((guess - guess.mean(axis=0)) ** 3).mean(axis=0) ** 2).sum())[:m]
