# SPDX-License-Identifier: BSD-3-Clause
r"""Rows further from the grid than the release's own precision explains.

Either noise was added, or the grid is not the records': a step of 0.96 passes for 1 where an attribute has few values,
and an axis tilted towards attributes of coarse steps passes for one of fine steps. So unexplained errors are borne only
by the paths that are made for noise, and only from a frame that leaves nothing over: orthonormal axes for all that
varies, with the steps that were expected, which would not all be met by chance, and with the same errors along all
axes, as noise has them and a wrong grid beside right ones has not. If each of k steps were anything, it
would be taken for the expected one, within 6 standard errors e_j, with probability about 24 e_j.
"""

from dataclasses import dataclass

import numpy as np

from isobreach._arrays import BoolArray, FloatArray
from isobreach.attacks.lattice.frame import AxisFrame


@dataclass(frozen=True)
class Unexplained:
    """When errors that the release does not explain are borne."""

    log_chance: float = float(np.log(1e-6))  # That all steps are met by chance: rarer than one in a million.
    even: float = 2.0  # The largest error over the smallest, at most: those of noise are equal but for chance.


_UNEXPLAINED = Unexplained()


def is_explained(
    frame: AxisFrame, positions: FloatArray, explained: float, certain: BoolArray, *, complete: bool
) -> BoolArray:
    """Certain axes whose rows' errors are explained, or borne out by all axes together.

    ``positions``: of the rows along all axes. ``explained``: the most that the standard deviation of a coordinate's
    error may be. ``complete``: whether all axes are certain and leave nothing over that varies.
    """
    whole = np.rint(positions)
    deviation = np.sqrt(((positions - whole) ** 2).mean(axis=0))
    lengths = np.linalg.norm(frame.directions, axis=1)
    blurred = deviation * frame.steps > explained * lengths
    if not (blurred & certain).any():
        return certain
    sizes = deviation * frame.steps / lengths
    even = bool(sizes.max() <= _UNEXPLAINED.even * sizes.min())
    errors = deviation / np.maximum(whole.std(axis=0) * np.sqrt(len(positions)), 1e-300)
    by_chance = float(np.log(np.minimum(24 * errors, 1.0)).sum())
    if complete and even and frame.path.bears_noise and by_chance < _UNEXPLAINED.log_chance:
        return certain
    return np.asarray(certain & ~blurred)
