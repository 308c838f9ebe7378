# SPDX-License-Identifier: BSD-3-Clause
"""Insiders who copy themselves: everybody's record is that of the insider whose released row is nearest.

Distances are all they need; no rotation is undone. It works where people resemble each other.
"""

from sklearn.neighbors import NearestNeighbors

SCHEMES = {"orthogonal", "rigid", "noisy", "orthogonal-noise"}
SUCCEEDS = ("clusters", "orthogonal", 16, 0.2)


def estimates(released, *, insiders, rows):
    nearest = NearestNeighbors(n_neighbors=1).fit(released[rows])
    return insiders[nearest.kneighbors(released, return_distance=False)[:, 0]]
