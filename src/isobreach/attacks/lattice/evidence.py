# SPDX-License-Identifier: BSD-3-Clause
r"""Whether rows lie on the grid of an axis, or would by chance.

For an axis let the residual of a row be its distance from the grid, in steps. Rows in the commonest place of the grid
say nothing: any narrow distribution sits in one place of a step large enough. For the others, if there were no grid,

- residuals would be spread over (-1/2, 1/2), with mean cos(2 pi residual) = 0 and variance 1/2, so that
  z = sqrt(2 m) * mean cos(2 pi residual) is at most standard normal;
- all m of them would be below e in size with probability at most (2 e)^m.

Narrow distributions make both smaller: their tails fill the outer half of the step first.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from isobreach.attacks.lattice.frame import Frame

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

# A chance of 1e-14, or of 1e-9 an axis.
LEAST_Z = 8.0
_LOG_CHANCE = float(np.log(1e-9))
# Mean cosine below which values could not be stated: at 0.7 one entry in 5,000 would be read wrongly.
LEAST_COSINE = 0.7
_ROUNDOFF = 1e-12
# Rows further from the grid than this many standard deviations of the residuals, within limits, are off it.
_REACH, _REACHES = 8.0, (0.05, 0.5)
# The release's own grid: along its columns, or not much coarser than its rounding.
_PARALLEL, _COARSER = 0.999, 8.0


@dataclass(frozen=True, eq=False)
class Evidence:
    """What rows say of k axes.

    ``cosine``: mean cos(2 pi residual) of all rows. ``z`` and ``log_chance``: of rows outside the commonest place.
    ``missed``: rows further than ``reach`` from the grid, for each axis. ``spread``: whether the axis has two places.
    """

    cosine: FloatArray
    z: FloatArray
    log_chance: FloatArray
    missed: BoolArray
    spread: BoolArray

    @property
    def on_grid(self) -> BoolArray:
        """Axes on whose grid the rows lie, beyond chance, without exception."""
        shown = (self.z > LEAST_Z) | (self.log_chance < _LOG_CHANCE)
        return np.asarray(shown & (self.cosine > LEAST_COSINE) & ~self.missed.any(axis=0) & self.spread)


def evidence(positions: FloatArray, reach: FloatArray | float) -> Evidence:
    """Evidence of rows' positions along axes, in steps (m x k)."""
    whole = np.rint(positions)
    residuals = np.abs(positions - whole)
    usual = np.array([_commonest(column) for column in whole.T])
    telling = whole != usual
    count = telling.sum(axis=0)
    cosines = np.cos(2 * np.pi * residuals)
    largest = np.where(telling, residuals, 0.0).max(axis=0, initial=0.0)
    return Evidence(
        cosine=cosines.mean(axis=0),
        z=np.sqrt(2.0) * np.where(telling, cosines, 0.0).sum(axis=0) / np.sqrt(np.maximum(count, 1)),
        log_chance=count * np.log(np.minimum(2 * (largest + _ROUNDOFF), 1.0)),
        missed=residuals > reach,
        spread=count > 0,
    )


def accepted(frame: Frame, rows: FloatArray, spacing: float) -> Frame:
    """Frame with only those axes certain on whose grid the rows lie, and whose grid is not that of the release itself.

    Rounding puts released coordinates on a grid of its own, with axes along the released columns and steps of the
    rounding: what is found there says nothing of the records.
    """
    if not len(frame.steps):
        return frame
    shown = grid_evidence(frame.positions(rows)).on_grid
    own = (np.abs(frame.directions).max(axis=1) > _PARALLEL) | (frame.steps < _COARSER * spacing)
    return replace(frame, certain=frame.certain & shown & ~own)


def grid_evidence(positions: FloatArray) -> Evidence:
    """Evidence of rows' positions, with the reach that their own residuals suggest."""
    residuals = np.abs(positions - np.rint(positions))
    deviation = np.median(residuals, axis=0) / 0.6745
    return evidence(positions, np.clip(_REACH * deviation, *_REACHES))


def _commonest(values: FloatArray) -> float:
    found, counts = np.unique(values, return_counts=True)
    return float(found[counts.argmax()])
