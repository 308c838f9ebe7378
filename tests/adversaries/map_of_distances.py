# SPDX-License-Identifier: BSD-3-Clause
"""Insiders who draw a map from the released distances and lay it over a public sample.

Classical scaling turns distances into points up to a rigid motion. Principal axes of points and sample correspond; few
insiders are enough to say which way each of them points.
"""

import numpy as np

SCHEMES = {"distance-matrix"}
SUCCEEDS = ("gaussian", "distance-matrix", 2, 0.5)


def estimates(released, *, insiders, rows, sample):
    squares = released**2
    inner = (squares.mean(axis=0) + squares.mean(axis=1)[:, None] - squares - squares.mean()) / 2
    value, vector = np.linalg.eigh(inner)
    columns, mean = sample.shape[1], sample.mean(axis=0)
    points = vector[:, -columns:] * np.sqrt(np.maximum(value[-columns:], 0))
    axes = np.linalg.eigh(np.cov(sample.T))[1]
    flip = np.where((points[rows] * ((insiders - mean) @ axes)).sum(axis=0) < 0, -1.0, 1.0)
    return mean + (points * flip) @ axes.T
