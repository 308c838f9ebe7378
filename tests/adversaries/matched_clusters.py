# SPDX-License-Identifier: BSD-3-Clause
"""A stranger with a public sample who sees groups of people in both, and matches the groups.

He looks for clusters in the sample and in the release, and for the matching of their centres that keeps distances
(and lengths) best: from each pair of pairs as a start, by turns of a fit and a matching. The matched centres are
links.
"""

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans

from adversaries.motion import fitted

SCHEMES = {"orthogonal", "rigid", "noisy"}
SUCCEEDS = ("clusters", "orthogonal", 0, 0.9)
GROUPS = 10


def estimates(released, *, sample, motion, seed):
    ours, theirs = (
        KMeans(GROUPS, n_init=3, random_state=seed).fit(table).cluster_centers_ for table in (sample, released)
    )
    draws, least, best = np.random.default_rng(seed), np.inf, None
    profiles = np.sort(cdist(ours, ours)), np.sort(cdist(theirs, theirs))
    for attempt in range(40):
        if attempt == 0:  # by distances from all others
            group, centre = linear_sum_assignment(cdist(*profiles))
        else:
            some = draws.permutation(GROUPS)[:4]
            group, centre = some, draws.permutation(GROUPS)[:4]
        for _ in range(8):
            turned = fitted(theirs, ours[group], centre, motion)
            group, centre = linear_sum_assignment(cdist(ours, turned))
        cost = cdist(ours, turned)[group, centre].sum()
        if cost < least:
            least, best = cost, (group, centre)
    group, centre = best
    both = np.vstack([released, theirs])
    return fitted(both, ours[group], centre + len(released), motion)[: len(released)]
