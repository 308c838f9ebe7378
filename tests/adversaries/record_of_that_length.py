# SPDX-License-Identifier: BSD-3-Clause
"""A stranger with a public sample who only looks at lengths.

A rotation keeps them. He takes the records of the sample whose length is nearest to that of a released row, and
guesses the most common one among those of exactly that length: on tables of codes few combinations share a length.
"""

import numpy as np

SCHEMES = {"orthogonal"}
SUCCEEDS = ("sizes", "orthogonal", 0, 0.9)


def estimates(released, *, sample):
    records, times = np.unique(sample, axis=0, return_counts=True)
    lengths, wanted = np.linalg.norm(records, axis=1), np.linalg.norm(released, axis=1)
    gap = np.abs(wanted[:, None] - lengths)
    gap = np.maximum(gap, 1e-9 * wanted[:, None])  # equal lengths differ by rounding errors
    same = gap <= gap.min(axis=1, keepdims=True)
    return records[np.where(same, times, 0).argmax(axis=1)]
