# SPDX-License-Identifier: BSD-3-Clause
"""Insiders with a public sample: statistics of the population are one link more.

The mean record of the sample is about the mean of the released table. The means of both are a link like that of an
insider; what stays hidden is left out of the estimate, or gets the length that is missing where lengths are known.
"""

import numpy as np

from adversaries.motion import split

SCHEMES = {"orthogonal", "rigid"}
SUCCEEDS = ("letter", "orthogonal", 4, 0.05)


def estimates(released, *, insiders, rows, sample, motion, epsilon):
    centre, mean = released.mean(axis=0), sample.mean(axis=0)
    records, both = np.vstack([insiders, mean]), np.vstack([released, centre])
    foot, _, _ = split(both, records, np.append(rows, len(released)), motion)
    foot = foot[:-1]
    if motion == "rigid":
        return foot
    length, wanted = np.linalg.norm(foot, axis=1), np.linalg.norm(released, axis=1) * np.sqrt(1 - epsilon**2)
    return foot * (wanted / length)[:, None]
