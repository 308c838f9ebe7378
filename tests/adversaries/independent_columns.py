# SPDX-License-Identifier: BSD-3-Clause
"""Insiders who believe that the attributes are independent.

Independent component analysis finds the axes of independent attributes in the release alone, up to names and signs.
The insiders' records name them: the axis whose coordinates agree with an attribute of their own is that attribute.
"""

import numpy as np
from scipy.linalg import polar
from scipy.optimize import linear_sum_assignment
from sklearn.decomposition import FastICA

SCHEMES = {"orthogonal", "rigid", "noisy"}
SUCCEEDS = ("exponential", "orthogonal", 2, 0.5)


def estimates(released, *, insiders, rows, motion, seed):
    ica = FastICA(whiten="unit-variance", max_iter=300, tol=1e-3, random_state=seed).fit(released)
    axes, _ = polar(ica.mixing_ / np.linalg.norm(ica.mixing_, axis=0))  # the nearest frame at right angles
    seen = released @ axes
    theirs, own = seen[rows], insiders
    if motion == "rigid":
        theirs, own = theirs - theirs.mean(axis=0), own - own.mean(axis=0)
    plus, minus = (((own[:, :, None] - sign * theirs[:, None]) ** 2).sum(axis=0) for sign in (1, -1))
    attribute, axis = linear_sum_assignment(np.minimum(plus, minus))
    guess = seen[:, axis] * np.where(plus <= minus, 1, -1)[attribute, axis]
    return guess + (insiders - guess[rows]).mean(axis=0) if motion == "rigid" else guess
