# SPDX-License-Identifier: BSD-3-Clause
"""A blind one with a public sample: everybody has the most common value of every attribute."""

import numpy as np
from scipy.stats import mode

SCHEMES = {"orthogonal", "rigid", "noisy", "orthogonal-noise"}
SUCCEEDS = ("codes", "orthogonal", 0, 0.01)


def estimates(released, *, sample):
    return np.tile(mode(sample, axis=0).mode, (len(released), 1))
