# SPDX-License-Identifier: BSD-3-Clause
r"""Whether rows lie on the grid of an axis, or would by chance.

For an axis let the residual of a row be its distance from the grid, in steps. Rows in the commonest place of the grid
say nothing: any narrow distribution sits in one place of a step large enough. For the others, if there were no grid,

- residuals would be spread over (-1/2, 1/2), with mean cos(2 pi residual) = 0 and variance 1/2, so that
  z = sqrt(2 m) * mean cos(2 pi residual) is at most standard normal;
- all m of them would be below e in size with probability at most (2 e)^m.

Narrow distributions make both smaller: their tails fill the outer half of the step first.

Here m counts rows that say something of their own. Copies and near copies, as in tight clusters, are one. And of these,
some only determine the axis: if the rows in the commonest place span a dimension less than all rows by d, a functional
that is constant on them has d numbers free, with which d rows elsewhere are put on whole numbers, wherever they are.
One number less is free if the step is one of the few that were expected. Which whole numbers they are put on is a
choice too: with K places along the axis, chance has K^d attempts. (Any n + 1 points lie on some lattice, and
three clusters in a plane on a nearly orthogonal one now and then.)
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import log_ndtr

from isobreach._arrays import BoolArray, FloatArray, IntArray
from isobreach.attacks.lattice.certainty import are_decimal
from isobreach.attacks.lattice.frame import AxisFrame


@dataclass(frozen=True)
class LevelEvidence:
    """How much evidence a grid needs."""

    least_z: float = 8.0  # A chance of 1e-15.
    # Of one axis: a false one is expected in ten million releases of a hundred columns.
    log_chance: float = float(np.log(1e-9))
    # Mean cosine below which values could not be stated: under noise of 0.214 steps, one entry in 50 is misread.
    least_cosine: float = 0.4
    roundoff: float = 1e-12  # Residuals below say nothing.
    reach: float = 8.0  # Standard deviations of the residuals beyond which a row is off the grid.
    reaches: tuple[float, float] = (0.05, 0.5)  # Limits of that, in steps.
    # Rows that are enough: at the least cosine they have z = 8.4, and four times as many z = 17, of which 12 axes that
    # are free to be anywhere among 16 places leave enough.
    enough: int = 220
    looked_at: int = 4  # Times as many are looked at, as some are copies.
    copies: float = 6.0  # Standard deviations of their distance that copies may be apart.
    sure: float = 10.0  # Standard errors of a fitted multiple or angle, which are biased a little.
    step_roundoff: float = 1e-7  # Relative error of a fit in float64 to badly scaled rows.


LEVELS = LevelEvidence()


@dataclass(frozen=True, eq=False)
class GridEvidence:
    """What rows say of k axes.

    ``cosine``: mean cos(2 pi residual) of all rows. ``z`` and ``log_chance``: of rows outside the commonest place.
    ``log_attempts``: of chance. ``missed``: rows further than ``reach`` from the grid, for each axis. ``spread``:
    whether the axis has two places.
    """

    cosine: FloatArray
    z: FloatArray
    log_chance: FloatArray
    log_attempts: FloatArray
    missed: BoolArray
    spread: BoolArray

    @property
    def on_grid(self) -> BoolArray:
        """Axes on whose grid the rows lie, beyond chance, without exception."""
        most = LEVELS.log_chance - self.log_attempts
        shown = ((self.z > LEVELS.least_z) & (log_ndtr(-self.z) < most)) | (self.log_chance < most)
        return np.asarray(shown & (self.cosine > LEVELS.least_cosine) & ~self.missed.any(axis=0) & self.spread)


def evidence(
    positions: FloatArray,
    reach: FloatArray | float,
    telling_rows: IntArray | None = None,
    free: IntArray | int = 0,
    finest: FloatArray | float = LEVELS.roundoff,
) -> GridEvidence:
    """Evidence of rows' positions along axes, in steps (m x k).

    ``telling_rows``: how many count, all by default. ``free``: numbers that only determine the axis. ``finest``: the
    least residual that says something.
    """
    whole = np.rint(positions)
    residuals = np.abs(positions - whole)
    usual = np.array([commonest(column) for column in whole.T])
    telling = whole != usual
    count = telling.sum(axis=0)
    cosines = np.cos(2 * np.pi * residuals)
    largest = np.where(telling, residuals, 0.0).max(axis=0, initial=0.0)
    mean = np.where(telling, cosines, 0.0).sum(axis=0) / np.maximum(count, 1)
    said = count if telling_rows is None else np.minimum(count, telling_rows)
    return GridEvidence(
        cosine=cosines.mean(axis=0),
        z=np.sqrt(2.0 * said) * mean,
        log_chance=said * np.log(np.minimum(2 * (largest + finest), 1.0)),
        log_attempts=free * np.log(np.ptp(whole, axis=0) + 1),
        missed=residuals > reach,
        spread=count > 0,
    )


def grid_evidence(positions: FloatArray) -> GridEvidence:
    """Evidence of rows' positions, with the reach that their own residuals suggest."""
    return evidence(positions, reach(positions))


def reach(positions: FloatArray) -> FloatArray:
    """How far from the grid rows may be that are on it, in steps: by the median of their residuals."""
    residuals = np.abs(positions - np.rint(positions))
    return np.asarray(np.clip(LEVELS.reach * np.median(residuals, axis=0) / 0.6745, *LEVELS.reaches))


def has_step(positions: FloatArray) -> BoolArray:
    """Whether the rows themselves have the steps they are measured in: 2.001 is near a whole number, and is none.

    Positions are fitted by multiples of whole numbers, and the multiple must be one within its error. Attributes that
    depend on each other cannot be fitted apart.
    """
    whole = np.rint(positions)
    centred = whole - whole.mean(axis=0)
    size = np.sqrt((centred**2).sum(axis=0))
    count = positions.shape[1]
    if not count or len(positions) <= 2 * count or np.linalg.matrix_rank(centred / size) < count:
        return np.ones(count, dtype=np.bool_)
    inverse = np.linalg.pinv(centred / size)
    residuals = positions - whole
    multiples = inverse @ (residuals - residuals.mean(axis=0))
    left = residuals - residuals.mean(axis=0) - (centred / size) @ multiples
    errors = np.sqrt((left**2).mean(axis=0)) * np.linalg.norm(inverse, axis=1)
    return np.asarray(np.abs(np.diag(multiples)) <= LEVELS.sure * errors + LEVELS.step_roundoff * size)


def are_at_right_angles(frame: AxisFrame, rows: FloatArray) -> BoolArray:
    """Whether axes that were fitted one by one are at right angles to all others, as a rotation leaves them.

    Within the standard errors of a regression on the rows, of which equal ones count once, and its bias towards
    directions in which rows vary most. A lattice may be nearly orthogonal by chance.
    """
    rows = np.unique(rows, axis=0)
    positions = frame.positions(rows)
    errors = np.sqrt(((positions - np.rint(positions)) ** 2).mean(axis=0)) * frame.steps
    _, values, right = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    values = np.maximum(values, np.finfo(np.float64).eps * values[0])
    known = (right @ frame.directions.T) / values[:, None]
    spread = np.linalg.norm(known, axis=0)
    most = LEVELS.sure * (np.outer(errors, spread) + np.outer(spread, errors)) + LEVELS.step_roundoff
    most += len(rows) * np.outer(errors, errors) * np.abs(known.T @ known)
    cosines = np.abs(frame.directions @ frame.directions.T)
    np.fill_diagonal(cosines, 0.0)
    return np.asarray((cosines <= most).all(axis=1))


def telling_rows(frame: AxisFrame, rows: FloatArray) -> tuple[IntArray, IntArray]:
    """Of each axis: rows outside the commonest place that are no copies, less those that only determine the axis.

    And how many these are.
    """
    positions = frame.positions(rows)
    whole = np.rint(positions)
    errors = np.sqrt(((positions - whole) ** 2).mean(axis=0)) * frame.steps
    error = float(errors.max(initial=0.0)) + LEVELS.roundoff * float(np.abs(rows).max())
    copies = error * (np.sqrt(2.0 * rows.shape[1]) + LEVELS.copies)
    rank, expected = _rank(rows, error), are_decimal(frame.steps)
    some = _spaced(np.arange(len(rows)), LEVELS.looked_at * (LEVELS.enough + rank))
    near = cdist(rows[some], rows[some]) <= copies
    counts, free = np.zeros(len(frame.steps), dtype=np.int64), np.full(len(frame.steps), rank)
    for axis, places in enumerate(whole.T):
        telling = places != commonest(places)
        seen = telling[some]
        counts[axis] = len(spaced_out(near[np.ix_(seen, seen)])) - free[axis]
        if counts[axis] < LEVELS.enough:  # a rare value, or clusters: look at its rows
            others = rows[_spaced(np.flatnonzero(telling), LEVELS.looked_at * LEVELS.enough)]
            free[axis] = max(rank - _rank(rows[~telling], error) - int(expected[axis]), 0)
            counts[axis] = max(len(spaced_out(cdist(others, others) <= copies)) - free[axis], 0)
    return counts, free


def deviation_of(cosines: FloatArray) -> FloatArray:
    """Standard deviation of normal noise, in steps, under which residuals have this mean of cos(2 pi residual)."""
    return np.asarray(np.sqrt(-np.log(np.clip(cosines, 1e-9, 1.0)) / (2 * np.pi**2)))


def _spaced(places: IntArray, most: int) -> IntArray:
    return places[np.linspace(0, len(places) - 1, min(len(places), most)).astype(np.int64)]


def _rank(rows: FloatArray, error: float) -> int:
    """Dimensions that rows span beyond errors of this size."""
    values = np.linalg.svd(rows - rows.mean(axis=0), compute_uv=False)
    return int((values > LEVELS.copies * error * (np.sqrt(len(rows)) + np.sqrt(rows.shape[1]))).sum())


def spaced_out(near: BoolArray) -> IntArray:
    """Rows, taken one after the other, that are near to none of those taken."""
    left, taken = np.ones(len(near), dtype=np.bool_), list[int]()
    for row in range(len(near)):
        if left[row]:
            taken.append(row)
            left &= ~near[row]
    return np.array(taken, dtype=np.int64)


def commonest(values: FloatArray | IntArray) -> float:
    """The value that comes most often, of several the smallest."""
    found, counts = np.unique(values, return_counts=True)
    return float(found[counts.argmax()])
