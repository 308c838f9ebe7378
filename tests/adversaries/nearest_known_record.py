# SPDX-License-Identifier: BSD-3-Clause
"""Insiders under noise with a public sample: a record is most likely one that occurs.

They fit the rotation, and replace every estimate by the most likely record of the sample and their own: near, and
frequent. Codes depend on each other, so that whole records are told apart under more noise than single values.
"""

import numpy as np
from scipy.spatial.distance import cdist

from adversaries.motion import fitted

SCHEMES = {"noisy"}
SUCCEEDS = ("categories", "noisy", 40, 0.3)


def estimates(released, *, insiders, rows, sample, noise, motion):
    records, times = np.unique(np.vstack([sample, insiders]), axis=0, return_counts=True)
    gap = cdist(fitted(released, insiders, rows, motion), records, "sqeuclidean")
    return records[(np.log(times) - gap / (2 * noise**2)).argmax(axis=1)]
