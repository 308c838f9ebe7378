# SPDX-License-Identifier: BSD-3-Clause
r"""A frame: the directions of the attributes in released coordinates, and the steps of their grids.

A released row y of a record x on grids is M x + v, so that for each attribute j, with w_j the direction of its axis,
w_j.(y - y0) is a multiple of the step d_j for any two rows. Attributes that depend on each other linearly are not
seen apart: w_j is then the part of the axis inside the span of the rows, and shorter than one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from isobreach._arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Fitting:
    """How a frame is fitted to rows, and when it spans them."""

    # Of the rows, nearest first: the error of a direction grows with distance.
    shares: tuple[float, ...] = (0.05, 0.2, 0.5, 1.0, 1.0, 1.0)
    least_share: int = 20  # Rows times the dimension in the first share.
    close: float = 0.35  # Rows further from the grid do not count: they may be misread.
    close_steps: float = 0.05  # The same where steps are fitted too: rows may be on a finer grid.
    flat: float = 1e-3  # Singular values below are none: directions that depend on each other.
    sure: float = 8.0  # Standard deviations of noise that no row exceeds.
    same_noise: float = 1.2  # Times its own noise is another direction's at most.
    roundoff: float = 1e-12  # Of a coordinate, relative to the extent of the rows.


_FITTING = Fitting()


class Path(StrEnum):
    """What found a frame."""

    INNER_PRODUCTS = "inner products"
    PRECISION = "precision"
    DUAL = "dual lattice"
    CLIMBING = "climbing"

    @property
    def fits_freely(self) -> bool:
        """Whether axes are fitted one by one, and need not come out at right angles."""
        return self in (Path.PRECISION, Path.DUAL)

    @property
    def bears_noise(self) -> bool:
        """Whether rows may be further from the grid than the release's precision explains."""
        return self in (Path.INNER_PRODUCTS, Path.CLIMBING)


class Doubt(StrEnum):
    """Why an axis is not claimed: of its steps or readings, by the rows (``claims``), or of the whole search."""

    # x1 + x2 is even, or both have steps of the root of two: one release of two tables.
    OWN_STEPS = "its rows obey a congruence, or have irrational steps: that cannot be told"
    # x1 + x2 + x3 + x4 is even: three frames of whole-number attributes, none of them in all.
    SEVERAL_READINGS = "its rows obey a congruence that has several readings"
    MANY_READINGS = "its rows obey congruences or linear relations with too many readings"
    READINGS_UNDECIDED = "the readings of its linear relations could not be told with the effort allowed"
    NO_READING = "no whole-number attributes fit the lattice of its rows"
    # (3, 4) and (-4, 3) times whole numbers: two axes of step 5.
    TIED_STEPS = "steps in a ratio of small whole numbers allow another frame, turned against this one"
    # Continuous parts of whole-number totals: the total of four parts has a step of 1/2.
    OTHER_READINGS = "the steps found allow other readings: attributes at an angle to these, or sums of several"
    CHANCE = "its rows are too few, or too much alike, to rule out that they lie on a grid by chance"
    RELEASE_GRID = (
        "the grid that shows is along the released columns: that of their rounding, or of a table that was not rotated"
    )
    SOME_DIRECTIONS = "under noise a grid shows in some directions only, which may be sums of attributes"
    UNEXPLAINED = "its rows are further from the grid that was found than the release's precision explains"
    CONSTANT = "its rows do not vary"
    UNFINISHED = "the effort allowed was too small for all paths"


@dataclass(frozen=True, eq=False)
class AxisFrame:
    """Axes that a path found, k of them.

    ``directions``: k x n. ``steps``: k. ``certain``: k, whether an axis is an attribute's for sure. ``base``: a point
    on the grid of every axis. ``origin``: whether that is the release's origin, and stays there. ``path``: what found
    it. ``doubt``: why an axis is not certain.
    """

    directions: FloatArray
    steps: FloatArray
    certain: BoolArray
    base: FloatArray
    origin: bool
    path: Path
    doubt: Doubt | None = None

    def positions(self, rows: FloatArray) -> FloatArray:
        """Coordinates of rows along the axes, in steps: whole numbers up to the release's error."""
        return np.asarray(((rows - self.base) @ self.directions.T) / self.steps)

    def measured_in(self, steps: FloatArray) -> "AxisFrame":
        """The same functionals for steps known better: every row's position stays.

        A fitted functional is whole on all rows and may still err where they hardly vary, and so in length.
        """
        return replace(self, directions=self.directions * (steps / self.steps)[:, None], steps=steps)

    def only(self, chosen: BoolArray | IntArray) -> "AxisFrame":
        """The frame of some of its axes."""
        return replace(self, directions=self.directions[chosen], steps=self.steps[chosen], certain=self.certain[chosen])


def complement(directions: FloatArray) -> FloatArray:
    """Orthonormal basis of all that is orthogonal to these directions."""
    _, values, right = np.linalg.svd(directions)
    return np.asarray(right[int((values > _FITTING.flat).sum()) :])


def spans(frame: AxisFrame, positions: FloatArray, beyond: FloatArray) -> bool:
    """Whether rows vary along the frame's axes only, and no other attribute does.

    ``positions`` of rows along the axes tell the noise of a coordinate. Coordinates ``beyond`` the axes (along their
    ``complement``) must be as large in no row and no direction as noise alone does not make them. And of attributes
    that depend on each other, axes are the parts inside the span of the rows, a tight frame (``tight``): their squared
    lengths add up to its dimension, and to less if another attribute has a part in it.
    """
    rows, outside = beyond.shape
    if (frame.directions**2).sum() < frame.directions.shape[1] - outside - _FITTING.flat:
        return False
    if not outside:
        return True
    whole = np.rint(positions)
    noise = float(np.sqrt((((positions - whole) * frame.steps) ** 2).mean()))
    extent = float((np.ptp(whole, axis=0) * frame.steps).max(initial=0.0))
    centred = beyond - beyond.mean(axis=0)
    furthest = float(np.sqrt(np.einsum("ij,ij->i", centred, centred).max()))
    widest = float(np.sqrt(np.linalg.eigvalsh(centred.T @ centred / rows)[-1]))
    roundoff = _FITTING.roundoff * extent
    most = (
        (_FITTING.sure + np.sqrt(outside)) * noise,
        (_FITTING.same_noise + (4 + np.sqrt(outside)) / np.sqrt(rows)) * noise,
    )
    return bool(furthest <= most[0] + roundoff and widest <= most[1] + roundoff)


def rotation(records: FloatArray, rows: FloatArray, rank: int) -> FloatArray:
    """Directions W (k x n) that take records (m x k, of this rank) to rows (m x n) best: orthogonal Procrustes.

    With the singular value decomposition X'Y = P S Q' cut to the rank, W = P Q': the axes' parts inside the span.
    """
    left, _, right = np.linalg.svd(records.T @ rows, full_matrices=False)
    return np.asarray(left[:, :rank] @ right[:rank])


def nearest_first(vectors: FloatArray, dimension: int) -> Iterator[IntArray]:
    """The shortest of many vectors, then more and more of them: the error of a direction grows with distance."""
    order = np.argsort(np.einsum("ij,ij->i", vectors, vectors), kind="stable")
    for share in _FITTING.shares:
        yield order[: max(int(share * len(order)), min(len(order), _FITTING.least_share * dimension))]


def refined(frame: AxisFrame, rows: FloatArray, *, steps: bool) -> AxisFrame:
    """Frame fitted anew to all rows on its grid, the nearest first.

    ``steps``: whether these are fitted too. All axes together must span the rows: what rows have beyond the axes would
    turn them, as far as it is correlated.
    """
    rank = int(np.linalg.matrix_rank(frame.directions, tol=1e-6))
    for nearest in nearest_first(rows - frame.base, rows.shape[1]):
        near = rows[nearest]
        frame = phased(frame, near)
        positions = frame.positions(near)
        whole = np.rint(positions)
        good = (np.abs(positions - whole) < (_FITTING.close_steps if steps else _FITTING.close)).all(axis=1)
        if good.sum() <= 2 * len(frame.steps):
            return frame
        records = whole[good] * frame.steps
        centre_records, centre_rows = records.mean(axis=0), near[good].mean(axis=0)
        if frame.origin:
            centre_records, centre_rows = np.zeros_like(centre_records), frame.base
        records, fitted = records - centre_records, near[good] - centre_rows
        if steps and np.linalg.matrix_rank(records) == records.shape[1]:
            scale = records.std(axis=0) + np.abs(records).mean(axis=0)
            basis = np.linalg.lstsq(records / scale, fitted, rcond=None)[0] / scale[:, None]
            lengths = np.linalg.norm(basis, axis=1)
            # The functionals of this basis, orthonormal up to its errors. Made exactly so, the fine attributes of a
            # table with steps of many orders would take over errors of the coarse ones.
            directions = np.linalg.pinv(basis / lengths[:, None]).T
            frame = replace(frame, steps=frame.steps * lengths, directions=directions)
        else:
            # One step along each axis as it is now: axes that do not vary among these rows stay where they are.
            records = np.concatenate([records, np.diag(frame.steps)])
            fitted = np.concatenate([fitted, frame.steps[:, None] * frame.directions])
            frame = replace(frame, directions=rotation(records, fitted, rank))
    return phased(frame, rows)


def phased(frame: AxisFrame, rows: FloatArray) -> AxisFrame:
    """Frame with the base moved so that residuals of these rows are zero on (circular) average."""
    if frame.origin:
        return frame
    phases = np.angle(np.exp(2j * np.pi * frame.positions(rows)).mean(axis=0)) / (2 * np.pi)
    shift = np.linalg.lstsq(frame.directions, phases * frame.steps, rcond=None)[0]
    return replace(frame, base=frame.base + shift)


def step_errors(frame: AxisFrame, rows: FloatArray, noise: FloatArray) -> FloatArray:
    """Standard errors of steps fitted to rows, relative to them, for residuals of this size in steps.

    They are those of a regression on the rows: of attributes that hardly vary apart, steps are known less well. Equal
    rows were rounded alike, and count once.
    """
    rows = np.unique(rows, axis=0)
    _, values, right = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    values = np.maximum(values, np.finfo(np.float64).eps * values[0])
    return np.asarray(noise * frame.steps * np.linalg.norm((right @ frame.directions.T) / values[:, None], axis=0))
