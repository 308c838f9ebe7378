# SPDX-License-Identifier: BSD-3-Clause
"""A stranger with a public sample some of whose records have a twin in the release: tables of codes repeat themselves.

A rotation keeps lengths and distances. Equal lengths suggest links; the one that agrees with most others in its
distances is the first, and the next are those that agree with all before. Enough of them are as good as insiders.
"""

import numpy as np
from scipy.spatial.distance import cdist

from adversaries.motion import fitted

SCHEMES = {"orthogonal"}
SUCCEEDS = ("codes", "orthogonal", 0, 0.9)


def estimates(released, *, sample, motion):
    values = np.unique(sample, axis=0)
    _, first = np.unique(released.round(7), axis=0, return_index=True)
    lengths, rows_lengths = np.linalg.norm(values, axis=1), np.linalg.norm(released[first], axis=1)
    same = np.abs(lengths[:, None] - rows_lengths) < 1e-7 * rows_lengths.max()
    value, row = np.nonzero(same & (same.sum(axis=1, keepdims=True) <= 10))  # few enough rows to try them all
    row = first[row]
    agree = np.abs(cdist(values[value], values[value]) - cdist(released[row], released[row])) < 1e-6
    left, links = np.ones(len(value), dtype=bool), []
    while left.any():
        links.append(np.where(left, agree[:, left].sum(axis=1), -1).argmax())
        left &= agree[links[-1]] & (value != value[links[-1]])
    if not links:
        return np.tile(sample.mean(axis=0), (len(released), 1))
    return fitted(released, values[value[links]], row[links], motion)
