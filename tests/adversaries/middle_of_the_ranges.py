# SPDX-License-Identifier: BSD-3-Clause
"""A blind one who knows only ranges: everybody is in the middle, and as long as the row where lengths are kept."""

import numpy as np

SCHEMES = {"orthogonal", "rigid", "noisy", "orthogonal-noise"}
SUCCEEDS = ("sizes", "orthogonal", 0, 0.9)


def estimates(released, *, ranges, motion, epsilon):
    middle = ranges.mean(axis=1)
    if motion == "rigid" or not middle.any():
        return np.tile(middle, (len(released), 1))
    length = np.linalg.norm(released, axis=1, keepdims=True) * np.sqrt(1 - epsilon**2)
    return length * middle / np.linalg.norm(middle)
