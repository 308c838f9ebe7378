# SPDX-License-Identifier: BSD-3-Clause
"""Somebody who knows nothing but the noise level, and cleans each row by the group of people that it belongs to."""

import numpy as np
from sklearn.mixture import GaussianMixture

SCHEMES = {"additive-noise", "component-noise", "multiplicative-noise"}
SUCCEEDS = ("clusters", "multiplicative-noise", 0, 0.6)


def estimates(released, *, noise, seed):
    fits = [GaussianMixture(groups, reg_covar=1e-4, random_state=seed).fit(released) for groups in (1, 4, 10)]
    mixture = min(fits, key=lambda fit: fit.bic(released))
    cleaned = np.zeros_like(released)
    groups = zip(mixture.predict_proba(released).T, mixture.means_, mixture.covariances_, strict=True)
    for share, mean, spread in groups:
        variance, axes = np.linalg.eigh(spread)
        keep = np.maximum(variance - noise**2, 0) / variance
        cleaned += share[:, None] * (mean + (released - mean) @ (axes * keep) @ axes.T)
    return cleaned
