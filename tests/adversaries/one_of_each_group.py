# SPDX-License-Identifier: BSD-3-Clause
"""Insiders who see that columns are the categories of a few attributes: of each group exactly one is 1.

They find the groups in their own records, from left to right. They fit the rotation to their links, weigh the
categories of every group by noise and frequency, fit the rotation again to all rows, and repeat. At last they take the
likeliest category of each group.
"""

import numpy as np

from adversaries.motion import fitted

SCHEMES = {"noisy"}
SUCCEEDS = ("choices", "noisy", 30, 0.85)


def groups(records):
    """Runs of columns that sum to 1 in every record."""
    found, start = [], 0
    for stop in range(1, records.shape[1] + 1):
        if (records[:, start:stop].sum(axis=1) == 1).all():
            found.append(slice(start, stop))
            start = stop
    return found


def estimates(released, *, insiders, rows, motion, noise):
    guess, shares = fitted(released, insiders, rows, motion), 0.9 * insiders.mean(axis=0) + 0.03
    found, weights = groups(insiders), np.zeros_like(guess)
    for _ in range(20):
        weights = weighed(guess, shares, found, noise)
        shares = np.maximum(weights.mean(axis=0), 1e-3)
        weights[rows] = insiders
        guess = fitted(released, weights, np.arange(len(released)), motion)
    weights = weighed(guess, shares, found, noise)
    for group in found:
        weights[:, group] = weights[:, group] == weights[:, group].max(axis=1, keepdims=True)
    return weights


def weighed(guess, shares, found, noise):
    """How likely every category of each group is; columns of no group as they are."""
    result = guess.copy()
    for group in found:
        likely = guess[:, group] / noise**2 + np.log(shares[group])
        likely = np.exp(likely - likely.max(axis=1, keepdims=True))
        result[:, group] = likely / likely.sum(axis=1, keepdims=True)
    return result
