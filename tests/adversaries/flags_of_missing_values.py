# SPDX-License-Identifier: BSD-3-Clause
"""Insiders of a table in which missing values were filled with a mean, and a flag for each value says where.

A flag has two values, so most people lie in one plane of it, and the people whose value is missing lie in a plane of
that value, once the flags are projected out. The insiders' own values name the axes of values. A flag belongs to the
value that is constant where it is set; the names of the columns say which flag that is: flags come in the order of the
values.
"""

import numpy as np
from scipy.linalg import null_space
from scipy.optimize import linear_sum_assignment

SCHEMES = {"orthogonal", "rigid"}
SUCCEEDS = ("gaps", "orthogonal", 2, 0.9)


def planes(points, draws):
    """Normals at right angles of the planes that hold most points, with the distances of all points from each."""
    n = points.shape[1]
    lifted = np.hstack([points, np.ones((len(points), 1))])
    found = np.linalg.svd(lifted[draws.integers(0, len(points), (10_000, n))])[2][:, -1]
    found /= np.linalg.norm(found[:, :n], axis=1, keepdims=True)
    held = np.concatenate([(np.abs(some @ lifted.T) < 1e-8).sum(axis=1) for some in np.split(found, 10)])
    chosen = np.zeros((0, n + 1))
    for k in np.argsort(-held):
        if held[k] > n + 10 and np.abs(chosen[:, :n] @ found[k, :n]).max(initial=0) < 1e-6:
            chosen = np.vstack([chosen, found[k]])
    return chosen[:, :n].T, lifted @ chosen.T


def estimates(released, *, insiders, rows, motion, seed):
    draws = np.random.default_rng(seed)
    mark = np.isin(insiders, (0, 1)).all(axis=0)  # attributes that are flags
    normals, apart = planes(released, draws)
    two = np.array([len(np.unique(np.round(column, 6))) == 2 for column in apart.T], dtype=bool)
    normals, flags = normals[:, two], np.abs(np.round(apart[:, two]))
    rest = released @ null_space(normals.T) if two.any() else released
    axes, apart = planes(rest, draws)
    guess = np.tile(insiders.mean(axis=0), (len(released), 1))
    if axes.shape[1] != (~mark).sum() or two.sum() != mark.sum() or mark.sum() != axes.shape[1]:
        return guess
    values, own = rest @ axes, insiders[:, ~mark]
    here, there = (values[rows].mean(axis=0), own.mean(axis=0)) if motion == "rigid" else (0.0, 0.0)
    cost = [((own - there)[:, :, None] - sign * (values[rows] - here)[:, None]) ** 2 for sign in (1, -1)]
    plus, minus = (one.sum(axis=0) for one in cost)
    attribute, axis = linear_sum_assignment(np.minimum(plus, minus))
    guess[:, ~mark] = there + (values - here)[:, axis] * np.where(plus <= minus, 1, -1)[attribute, axis]
    both = (np.abs(apart[:, axis]) > 1e-8).astype(float).T @ flags  # people who have the value and the flag
    guess[:, mark] = flags[:, both.argmin(axis=1)]
    return guess
