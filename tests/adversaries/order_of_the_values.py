# SPDX-License-Identifier: BSD-3-Clause
"""Insiders who see that every record has the same values in another order: rankings.

They fit the rotation to their links, give every estimate the values in its own order, fit the rotation again to all
rows, and repeat.
"""

import numpy as np

from adversaries.motion import fitted

SCHEMES = {"noisy"}
SUCCEEDS = ("rankings", "noisy", 20, 0.6)


def estimates(released, *, insiders, rows, motion):
    guess, values = fitted(released, insiders, rows, motion), np.sort(insiders[0])
    for _ in range(15):
        ordered = in_order(guess, values)
        ordered[rows] = insiders
        guess = fitted(released, ordered, np.arange(len(released)), motion)
    return in_order(guess, values)


def in_order(guess, values):
    """The least value where the estimate is least, and so on."""
    return values[guess.argsort(axis=1).argsort(axis=1)]
