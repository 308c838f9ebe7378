# SPDX-License-Identifier: BSD-3-Clause
"""A stranger with a public sample who pairs each of its records with a released row (Grave, Joulin and Berthet, 2019).

Principal axes with many signs are starts. From the nearest of them: pair every record of the sample with a row of its
own, at the least total distance, fit the rotation to the pairs, and repeat. The least distance wins.
"""

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from adversaries.motion import fitted

SCHEMES = {"orthogonal", "rigid", "noisy"}
SUCCEEDS = ("clusters", "orthogonal", 0, 0.5)


def estimates(released, *, sample, motion, seed):
    draws = np.random.default_rng(seed)
    some = released[draws.permutation(len(released))[: 2 * len(sample)]]
    centre, middle = (some.mean(axis=0), sample.mean(axis=0)) if motion == "rigid" else (0.0, 0.0)
    theirs = np.linalg.eigh((some - centre).T @ (some - centre))[1]
    ours = np.linalg.eigh((sample - middle).T @ (sample - middle))[1]
    starts = [
        (some - centre) @ (theirs * draws.choice([-1.0, 1.0], released.shape[1])) @ ours.T + middle for _ in range(256)
    ]
    starts.sort(key=lambda start: cdist(sample, start, "sqeuclidean").min(axis=1).sum())
    least, best = np.inf, None
    for guess in starts[:3]:
        for _ in range(10):
            record, row = linear_sum_assignment(cdist(sample, guess, "sqeuclidean"))
            guess = fitted(some, sample, row, motion)
        cost = cdist(sample, guess, "sqeuclidean")[record, row].sum()
        if cost < least:
            least, best = cost, row
    both = np.vstack([released, some])
    return fitted(both, sample, best + len(released), motion)[: len(released)]
