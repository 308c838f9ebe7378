# SPDX-License-Identifier: BSD-3-Clause
"""Insiders under noise who do not care for rotations.

They regress their records on their released rows (ridge regression, its strength by cross-validation) and apply the
regression to everybody. Under noise the best prediction of a record is nearer to the mean than the turned row.
"""

import numpy as np
from sklearn.linear_model import RidgeCV

SCHEMES = {"orthogonal", "rigid", "noisy", "orthogonal-noise"}
SUCCEEDS = ("low rank", "noisy", 24, 0.3)


def estimates(released, *, insiders, rows):
    if len(rows) < 3:
        return np.tile(insiders.mean(axis=0), (len(released), 1))
    strength = np.trace(np.cov(released[rows].T)) * np.logspace(-8, 1, 19)
    return RidgeCV(alphas=strength).fit(released[rows], insiders).predict(released)
