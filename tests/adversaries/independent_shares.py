# SPDX-License-Identifier: BSD-3-Clause
"""Insiders of a table in which some people have more of everything: shops, hospitals, fortunes.

The columns depend on one another only because every record has a size of its own. Rows of length one have none, and a
rotation keeps lengths: independent component analysis of these finds the axes, and the insiders' records name them.
"""

import numpy as np
from scipy.linalg import polar
from scipy.optimize import linear_sum_assignment
from sklearn.decomposition import FastICA

SCHEMES = {"orthogonal"}
SUCCEEDS = ("portfolios", "orthogonal", 2, 0.6)


def estimates(released, *, insiders, rows, seed):
    shares = released / np.linalg.norm(released, axis=1, keepdims=True)
    ica = FastICA(whiten="unit-variance", max_iter=500, tol=1e-4, random_state=seed).fit(shares)
    axes, _ = polar(ica.mixing_ / np.linalg.norm(ica.mixing_, axis=0))
    seen = released @ axes
    plus, minus = (((insiders[:, :, None] - sign * seen[rows][:, None]) ** 2).sum(axis=0) for sign in (1, -1))
    attribute, axis = linear_sum_assignment(np.minimum(plus, minus))
    return seen[:, axis] * np.where(plus <= minus, 1, -1)[attribute, axis]
