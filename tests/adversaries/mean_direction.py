# SPDX-License-Identifier: BSD-3-Clause
"""A stranger with a public sample who guesses that everybody points where the mean record points.

Lengths are in the release. The best length of a guess is a little short of the record's, so that the ball of radius
epsilon about the record is met at the widest angle.
"""

import numpy as np

SCHEMES = {"orthogonal", "noisy", "orthogonal-noise"}
SUCCEEDS = ("iris", "orthogonal", 0, 0.05)


def estimates(released, *, sample, epsilon):
    towards = (sample / np.linalg.norm(sample, axis=1, keepdims=True)).mean(axis=0)
    length = np.linalg.norm(released, axis=1, keepdims=True) * np.sqrt(1 - epsilon**2)
    return length * towards / np.linalg.norm(towards)
