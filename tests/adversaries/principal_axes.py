# SPDX-License-Identifier: BSD-3-Clause
"""A stranger with a public sample who compares principal axes (Liu, Giannella and Kargupta, 2006).

A rotation turns the principal axes of a table with it. The axes of the sample are those of the release, in the order
of their variance; the sign of each is the one that gives coordinates the same skewness, or the same mean.
"""

import numpy as np
from scipy.stats import skew
from sklearn.decomposition import PCA

SCHEMES = {"orthogonal", "rigid", "noisy"}
SUCCEEDS = ("sizes", "orthogonal", 0, 0.9)


def estimates(released, *, sample, motion):
    theirs, ours = PCA().fit(released), PCA().fit(sample)
    there, here = theirs.transform(released), ours.transform(sample)
    sign = np.where(skew(there) * skew(here) < 0, -1.0, 1.0)
    if motion == "orthogonal":  # the mean is turned as well: it tells more than the skewness where it is far from 0
        means = (theirs.components_ @ theirs.mean_) * (ours.components_ @ ours.mean_)
        clear = np.abs(ours.components_ @ ours.mean_) > 0.3 * here.std(axis=0)
        sign = np.where(clear, np.sign(means), sign)
    return ours.inverse_transform(there * sign)
