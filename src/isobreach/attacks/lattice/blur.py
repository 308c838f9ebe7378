# SPDX-License-Identifier: BSD-3-Clause
r"""Rows further from the grid than the release's own precision explains.

Either noise was added, or the grid is not the records': a step of 0.96 passes for 1 where an attribute has few values,
and an axis tilted towards attributes of coarse steps passes for one of fine steps. So unexplained errors are borne only
by the paths that are made for noise, and only from a frame that leaves nothing over: orthonormal axes for all that
varies, with the steps that were expected, which would not all be met by chance, and with the same errors along all
axes, as noise has them and a wrong grid beside right ones has not. If each of k steps were anything, it
would be taken for the expected one, within 6 standard errors e_j, with probability about 24 e_j.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from isobreach.attacks.lattice.frame import Frame

FloatArray = NDArray[np.float64]

_UNEXPLAINED = "its rows are further from the grid that was found than the release's precision explains"
_NOT_ALL = "under noise a grid shows in some directions only, which may be sums of attributes"
_FOR_NOISE = ("inner products", "climbing")
_LOG_CHANCE = float(np.log(1e-6))
_EVEN = 2.0  # times the smallest error is the largest, at most: those of noise are equal but for chance


def unblurred(frame: Frame, rows: FloatArray, explained: float, *, complete: bool) -> Frame:
    """Frame with only those axes certain whose rows' errors are explained, or borne out by all axes together.

    ``explained``: the most that the standard deviation of a coordinate's error may be. ``complete``: whether the
    certain axes leave nothing over that varies.
    """
    if not frame.certain.any():
        return frame
    positions = frame.positions(rows)
    whole = np.rint(positions)
    deviation = np.sqrt(((positions - whole) ** 2).mean(axis=0))
    blurred = deviation * frame.steps > explained * np.linalg.norm(frame.directions, axis=1)
    complete = complete and bool(frame.certain.all())
    if frame.path == "climbing" and not complete:
        return replace(frame, certain=np.zeros_like(frame.certain), doubt=_NOT_ALL)
    if not (blurred & frame.certain).any():
        return frame
    sizes = deviation * frame.steps / np.linalg.norm(frame.directions, axis=1)
    even = bool(sizes.max() <= _EVEN * sizes.min())
    errors = deviation / np.maximum(whole.std(axis=0) * np.sqrt(len(rows)), 1e-300)
    by_chance = float(np.log(np.minimum(24 * errors, 1.0)).sum())
    if complete and even and frame.path in _FOR_NOISE and by_chance < _LOG_CHANCE:
        return frame
    return replace(frame, certain=frame.certain & ~blurred, doubt=frame.doubt or _UNEXPLAINED)
