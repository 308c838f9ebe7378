# SPDX-License-Identifier: BSD-3-Clause
"""Insiders behind a translation who guess that the hidden part points away from the origin.

Their links leave a direction open. The translation hides lengths; in a skewed table whoever is far from the insiders
is large, so that the hidden part is guessed to lie along the part of the foot that is across the insiders' plane.
"""

import numpy as np

from adversaries.motion import split

SCHEMES = {"rigid"}
SUCCEEDS = ("fortunes", "rigid", 3, 0.25)


def estimates(released, *, insiders, rows, motion, epsilon):
    foot, hidden, basis = split(released, insiders, rows, motion)
    across = foot[0] @ basis.T @ basis
    offset = np.linalg.norm(across)
    if offset == 0:
        return foot
    reach2 = (1 - epsilon**2) * (hidden**2).sum(axis=1) - epsilon**2 * (foot**2).sum(axis=1)
    pull = epsilon**2 * offset
    length = np.sqrt(np.maximum(reach2 + pull**2, 0)) - pull
    return foot + np.where(reach2 > 0, length, 0)[:, None] * across / offset
