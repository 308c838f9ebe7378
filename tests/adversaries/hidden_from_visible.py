# SPDX-License-Identifier: BSD-3-Clause
"""Insiders with a public sample who predict what their links do not show from what they show.

The sample says how the hidden coordinates depend on the visible ones (linear regression). The prediction is stretched
to the length that the hidden part has in the release.
"""

import numpy as np
from sklearn.linear_model import Ridge

from adversaries.motion import split

SCHEMES = {"orthogonal", "rigid"}
SUCCEEDS = ("letter", "orthogonal", 4, 0.1)


def estimates(released, *, insiders, rows, sample, motion, epsilon):
    foot, hidden, basis = split(released, insiders, rows, motion)
    if not hidden.shape[1]:
        return foot
    start = insiders[0] if motion == "rigid" else 0.0
    coordinates = (sample - start) @ basis.T
    expected = Ridge(1e-3).fit(sample - coordinates @ basis, coordinates).predict(foot).reshape(len(foot), -1)
    length = np.linalg.norm(hidden, axis=1, keepdims=True) / np.linalg.norm(expected, axis=1, keepdims=True)
    return foot + np.minimum(length, 1 / (2 * epsilon)) * expected @ basis
