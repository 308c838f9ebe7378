# SPDX-License-Identifier: BSD-3-Clause
"""Insiders who guess that everybody is as they are on average; a rotation is not even looked at."""

import numpy as np

SCHEMES = {"orthogonal", "rigid", "noisy", "orthogonal-noise"}
SUCCEEDS = ("iris", "rigid", 3, 0.02)


def estimates(released, *, insiders, rows):
    return np.tile(insiders.mean(axis=0), (len(released), 1))
