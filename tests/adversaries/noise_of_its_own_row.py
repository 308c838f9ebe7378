# SPDX-License-Identifier: BSD-3-Clause
"""Somebody who knows that values were multiplied by factors: small values carry little noise, and tell of large ones.

Covariances of the release without that of the noise say how attributes go together; each row is cleaned by the noise
that its own values have.
"""

import numpy as np

SCHEMES = {"multiplicative-noise"}
SUCCEEDS = ("gaussian", "multiplicative-noise", 0, 0.8)


def estimates(released, *, noise):
    squares, mean = (released**2).mean(axis=0), released.mean(axis=0)
    factor = noise**2 / (squares.mean() - noise**2)
    values, axes = np.linalg.eigh(np.cov(released.T) - np.diag(squares * factor / (1 + factor)))
    spread = (axes * np.maximum(values, 1e-6 * values.max())) @ axes.T
    guess = released
    for _ in range(3):
        own = factor * np.maximum(guess**2, 1e-3 * squares)
        whole = spread + own[:, :, None] * np.eye(len(mean))
        guess = mean + np.linalg.solve(whole, (released - mean)[:, :, None])[:, :, 0] @ spread
    return guess
