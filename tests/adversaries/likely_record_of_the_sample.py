# SPDX-License-Identifier: BSD-3-Clause
"""Somebody with a public sample who sees values with noise, and expects people to be like those of the sample.

Every record of the sample may be the one behind a row, the likelier the nearer it is. He takes the mean of all of them.
"""

import numpy as np
from scipy.spatial.distance import cdist

SCHEMES = {"additive-noise", "component-noise", "multiplicative-noise"}
SUCCEEDS = ("clusters", "component-noise", 0, 0.7)


def estimates(released, *, sample, noise):
    gap = cdist(released, sample, "sqeuclidean") / (2 * noise**2)
    likely = np.exp(gap.min(axis=1, keepdims=True) - gap)
    return likely @ sample / likely.sum(axis=1, keepdims=True)
