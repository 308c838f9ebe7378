# SPDX-License-Identifier: BSD-3-Clause
"""Insiders of a table of zeros and ones of which only directions are released.

The rotation is fitted to their own rows. A record with c ones has c equal entries and no others, whatever its length:
for each c the c largest entries of an estimate are the best guess, and the c with the least angle wins.
"""

import numpy as np

from adversaries.motion import fitted

SCHEMES = {"orthogonal-noise"}
SUCCEEDS = ("sparse bits", "orthogonal-noise", 30, 0.9)


def estimates(released, *, insiders, rows, motion):
    guess = fitted(released, insiders, rows, motion)
    order = np.argsort(-guess, axis=1)
    number = np.arange(1, guess.shape[1] + 1)
    cosine = np.cumsum(np.take_along_axis(guess, order, axis=1), axis=1) / np.sqrt(number)
    ones = cosine.argmax(axis=1) + 1
    rank = np.argsort(order, axis=1)
    return (rank < ones[:, None]) / np.sqrt(ones)[:, None]
