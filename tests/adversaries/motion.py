# SPDX-License-Identifier: BSD-3-Clause
"""What links say of the motion: two plain functions that several adversaries begin with."""

import numpy as np
from scipy.linalg import null_space, orthogonal_procrustes


def fitted(released, records, rows, motion):
    """Turn (and shift) the released rows so that those of the known records come to lie on them, by least squares."""
    here = released[rows].mean(axis=0) if motion == "rigid" else 0.0
    there = records.mean(axis=0) if motion == "rigid" else 0.0
    turn, _ = orthogonal_procrustes(released[rows] - here, records - there)
    return (released - here) @ turn + there


def split(released, records, rows, motion):
    """Split every record into what exact links give away and what they do not.

    Returns the feet (m x n), the hidden coordinates (m x h), and a basis (h x n) of the hidden dimensions: there is
    one rotation P of h dimensions with ``record = foot + hidden @ P @ basis`` for all records.
    """
    start, landed = (records[:1], released[rows[:1]]) if motion == "rigid" else (0.0, 0.0)
    arrows, images = (records - start, released[rows] - landed)
    basis, across = null_space(arrows, rcond=1e-9).T, null_space(images, rcond=1e-9)
    foot = start + (released - landed) @ np.linalg.pinv(images, rcond=1e-9) @ arrows
    return foot, (released - landed) @ across, basis
