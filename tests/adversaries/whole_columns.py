# SPDX-License-Identifier: BSD-3-Clause
"""Insiders of a table in which some columns are whole numbers, such as ages, and the others are measurements.

Links leave the hidden part of a record open. A column of it is one unknown direction of known length, and a few rows
whose hidden part is short can have few whole numbers each: try all, and keep the direction that gives everybody a whole
number. As many such columns as there are hidden dimensions give the rotation, and with it the measurements.
"""

from itertools import product

import numpy as np
from scipy.linalg import orthogonal_procrustes

from adversaries.motion import split

SCHEMES = {"orthogonal", "rigid"}
SUCCEEDS = ("register", "orthogonal", 4, 0.9)
MOST = 200_000  # combinations of whole numbers


def direction(foot, hidden, length):
    """Of a column of whole numbers; None where there is none, or too much to try."""
    size = hidden.shape[1]
    near = np.argsort(np.linalg.norm(hidden, axis=1))[size + 4 :][:size]  # not the insiders, who have none
    reach = np.linalg.norm(hidden[near], axis=1) * length
    choices = [np.arange(np.ceil(f - r), f + r) for f, r in zip(foot[near], reach, strict=True)]
    if not 0 < np.prod([len(one) for one in choices], dtype=float) <= MOST:
        return None
    tried = np.array(list(product(*choices))) - foot[near]
    found = np.linalg.solve(hidden[near], tried.T).T
    for one in found[np.abs(np.linalg.norm(found, axis=1) - length) < 1e-6 * length]:
        values = foot + hidden @ one
        if np.abs(values - np.rint(values)).max() < 1e-3:
            return one
    return None


def estimates(released, *, insiders, rows, motion):
    foot, hidden, basis = split(released, insiders, rows, motion)
    whole = np.flatnonzero((insiders == np.rint(insiders)).all(axis=0))
    found = {j: direction(foot[:, j], hidden, np.linalg.norm(basis[:, j])) for j in whole}
    columns = [j for j in whole if found[j] is not None]
    if not columns:
        return foot
    turn, _ = orthogonal_procrustes(basis[:, columns].T, np.array([found[j] for j in columns]))
    return foot + hidden @ turn.T @ basis
