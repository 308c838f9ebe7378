# SPDX-License-Identifier: BSD-3-Clause
"""Insiders under noise who clean the release before they turn it back.

Noise of a known level adds the same variance in all directions; what stands out of it is the table. The best linear
prediction of a clean row from a noisy one needs only the covariance of the release itself. The insiders then fit the
rotation to their own cleaned rows.
"""

import numpy as np

from adversaries.motion import fitted

SCHEMES = {"noisy"}
SUCCEEDS = ("low rank", "noisy", 24, 0.5)


def estimates(released, *, insiders, rows, noise, motion):
    mean = released.mean(axis=0)
    variance, axes = np.linalg.eigh(np.cov(released.T))
    keep = np.maximum(variance - noise**2, 0) / variance
    cleaned = mean + (released - mean) @ (axes * keep) @ axes.T
    return fitted(cleaned, insiders, rows, motion)
