# SPDX-License-Identifier: BSD-3-Clause
"""Insiders of a table in which some columns are whole numbers but for a little jitter, the others measurements.

Links show each column but for one unknown direction of known length in the hidden dimensions. Under the right one the
column is near whole numbers for everybody, so that cos(2 pi x) is near one: random directions climb. As many such
columns as there are hidden dimensions give the rotation, and with it the measurements.
"""

import numpy as np
from scipy.linalg import orthogonal_procrustes

from adversaries.motion import split

SCHEMES = {"orthogonal", "rigid"}
SUCCEEDS = ("jittered", "orthogonal", 5, 0.9)


def direction(foot, hidden, length, draws):
    """The best of a hundred directions that climb at random, and its mean cosine."""

    def height(ways):
        return np.cos(2 * np.pi * (foot[:, None] + hidden @ ways.T)).mean(axis=0)

    def of_length(ways):
        return length * ways / np.linalg.norm(ways, axis=1, keepdims=True)

    ways, step = of_length(draws.normal(size=(100, hidden.shape[1]))), 0.1 * length
    best = height(ways)
    for _ in range(120):
        tried = of_length(ways + step * draws.normal(size=ways.shape))
        then = height(tried)
        better = then > best
        ways[better], best[better] = tried[better], then[better]
        step = max(0.95 * step, 1e-4 * length)
    return ways[best.argmax()], best.max()


def estimates(released, *, insiders, rows, motion, seed):
    foot, hidden, basis = split(released, insiders, rows, motion)
    draws = np.random.default_rng(seed)
    whole = np.flatnonzero((np.abs(insiders - np.rint(insiders)) < 0.15).all(axis=0))
    found = {j: direction(foot[:, j], hidden, np.linalg.norm(basis[:, j]), draws) for j in whole}
    columns = [j for j in whole if found[j][1] > 0.6]
    if not columns:
        return foot
    turn, _ = orthogonal_procrustes(basis[:, columns].T, np.array([found[j][0] for j in columns]))
    return foot + hidden @ turn.T @ basis
