# SPDX-License-Identifier: BSD-3-Clause
"""Insiders under noise who see groups of people in the release, and clean each row by its group.

A mixture of normal distributions is fitted to the release. Noise of a known level is part of the spread of each group;
without it the group says where a clean row most likely lies. The insiders fit the rotation to their own cleaned rows.
"""

import numpy as np
from sklearn.mixture import GaussianMixture

from adversaries.motion import fitted

SCHEMES = {"noisy"}
SUCCEEDS = ("clusters", "noisy", 16, 0.6)


def estimates(released, *, insiders, rows, noise, motion, seed):
    fits = [GaussianMixture(groups, reg_covar=1e-4, random_state=seed).fit(released) for groups in (1, 4, 10)]
    mixture = min(fits, key=lambda fit: fit.bic(released))
    shares = mixture.predict_proba(released)
    cleaned = np.zeros_like(released)
    for share, mean, spread in zip(shares.T, mixture.means_, mixture.covariances_, strict=True):
        variance, axes = np.linalg.eigh(spread)
        keep = np.maximum(variance - noise**2, 0) / variance
        cleaned += share[:, None] * (mean + (released - mean) @ (axes * keep) @ axes.T)
    return fitted(cleaned, insiders, rows, motion)
