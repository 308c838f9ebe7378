# SPDX-License-Identifier: BSD-3-Clause
"""Insiders who see that values come from a short list, however uneven: prices, or square roots of counts.

The values of their own records are the list of each attribute. They fit the rotation to their links, take the mean of
the values by noise and frequency, fit the rotation again to all rows, and repeat, and take the likeliest value.
"""

import numpy as np

from adversaries.motion import fitted

SCHEMES = {"noisy"}
SUCCEEDS = ("prices", "noisy", 30, 0.2)


def estimates(released, *, insiders, rows, motion, noise):
    guess, lists = fitted(released, insiders, rows, motion), [np.unique(own, return_counts=True) for own in insiders.T]
    for _ in range(20):
        means = np.empty_like(guess)
        for j, (values, counts) in enumerate(lists):
            weights = np.exp(credit(guess[:, j], values, counts, noise))
            means[:, j] = weights @ values / weights.sum(axis=1)
        means[rows] = insiders
        guess = fitted(released, means, np.arange(len(released)), motion)
    found = [
        values[credit(column, values, counts, noise).argmax(axis=1)]
        for column, (values, counts) in zip(guess.T, lists, strict=True)
    ]
    return np.column_stack(found)


def credit(column, values, counts, noise):
    """Log of how likely each value is; the likeliest has 0."""
    log = np.log(counts + 1) - (column[:, None] - values) ** 2 / (2 * noise**2)
    return log - log.max(axis=1, keepdims=True)
