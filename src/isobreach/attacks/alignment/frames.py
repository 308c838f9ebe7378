# SPDX-License-Identifier: BSD-3-Clause
"""What links determine of a motion, and what is left: a rotation P of the hidden dimensions, perhaps an offset.

With Vx, Vy (n x k) bases of the linked span on both sides, Bx, By (n x h) those of their complements, and centres that
the motion takes to each other (Theorem 4.1 of Giannella, Liu and Kargupta), the motions are

    image of a record     y = c_y + (x - c_x) (Vx Vy' + Bx P' By') + u By'
    estimate of a record  x = c_x + (y - c_y - u By') (Vy Vx' + By P Bx'),      P in O(h),

u = 0 unless the motion translates and no link says where to. Links with noise are no constraints: all dimensions are
then hidden, and the links *pull*. Up to a constant,

    sum over links of |y - image of x|^2 = -2 <P, sum of (y - c_y) (x - c_x)'> + q |u|^2

for centres that are the means of q links (theory: a rigid motion), linear in P.
"""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from isobreach._arrays import FloatArray, IntArray
from isobreach.geometry import fit_motions

FLAT = 1e-7  # relative spread below which rows lie in a flat: exact relations between columns


@dataclass(frozen=True, eq=False)
class Pose:
    """What is sought: P, h x h, and the offset u, of length h or 0."""

    rotation: FloatArray
    offset: FloatArray


@dataclass(frozen=True, eq=False)
class Frame:
    """Bases and centres of the visible and the hidden dimensions: see the module.

    Attributes
    ----------
    visible_x, visible_y, hidden_x, hidden_y
        Orthonormal columns: Vx, Vy, Bx, By.
    centre_x, centre_y
        A point and its image.
    floats
        Whether the offset u is sought as well.
    pull, hold
        What noisy links say: (sum of (y - c_y) (x - c_x)' in hidden coordinates) / noise^2, and q / noise^2.
    """

    visible_x: FloatArray
    visible_y: FloatArray
    hidden_x: FloatArray
    hidden_y: FloatArray
    centre_x: FloatArray
    centre_y: FloatArray
    floats: bool = False
    pull: FloatArray | None = None
    hold: float = 0.0

    @property
    def hidden(self) -> int:
        """Hidden dimension h, in which the rotation is open."""
        return int(self.hidden_x.shape[1])

    def linked(self, pose: Pose) -> float:
        """Return the log-likelihood of noisy links, but for a constant; 0 where there are none."""
        pulled = 0.0 if self.pull is None else float((self.pull * pose.rotation).sum())
        return pulled - self.hold / 2 * float(pose.offset @ pose.offset)

    def start(self, rotation: FloatArray | None = None) -> Pose:
        """Return a pose without offset; the identity in hidden coordinates unless told otherwise."""
        return Pose(np.eye(self.hidden) if rotation is None else rotation, np.zeros(self.hidden if self.floats else 0))

    def matrix(self, pose: Pose) -> FloatArray:
        """Return R, n x n, orthogonal: the estimate is c_x + (y - c_y - u By') R."""
        return self.visible_y @ self.visible_x.T + self.hidden_y @ pose.rotation @ self.hidden_x.T

    def affine(self, pose: Pose) -> tuple[FloatArray, FloatArray]:
        """Return R and t: the estimate of a record is y R + t."""
        matrix = self.matrix(pose)
        centre = self.centre_y + (self.hidden_y @ pose.offset if len(pose.offset) else 0.0)
        return matrix, self.centre_x - centre @ matrix

    def pose_of(self, matrix: FloatArray, shift: FloatArray | None = None) -> Pose:
        """Return the pose whose R is nearest to a matrix.

        Parameters
        ----------
        matrix
            n x n; only its hidden part matters.
        shift
            t of the estimate y R + t, where the offset is sought.
        """
        rotation = polar(self.hidden_y.T @ matrix @ self.hidden_x)
        if not self.floats or shift is None:
            return self.start(rotation)
        centre = (self.centre_x - shift) @ self.matrix(self.start(rotation)).T
        return Pose(rotation, (centre - self.centre_y) @ self.hidden_y)

    def loosened(self, known: FloatArray, released: FloatArray, noise: float, translates: bool) -> "Frame":
        """Return the frame in which noisy links pull and nothing is fixed.

        Parameters
        ----------
        known, released
            Linked records and their rows.
        noise
            Standard deviation of an error of a released coordinate.
        translates
            Whether the motion has a translation.
        """
        n = len(self.centre_x)
        nothing, axes = np.zeros((n, 0)), np.hstack([self.visible_y, self.hidden_y])
        frame = replace(self, visible_x=nothing, visible_y=nothing, hidden_x=np.eye(n), hidden_y=axes)
        if not len(known):
            return frame
        pull = axes.T @ (released - self.centre_y).T @ (known - self.centre_x) / noise**2
        return replace(frame, pull=pull, hold=len(known) / noise**2 if translates else 0.0, floats=translates)


def frame_of(
    known: FloatArray,
    released: FloatArray,
    rows: FloatArray,
    sample: FloatArray | None,
    *,
    translates: bool,
    noise: float,
) -> Frame:
    """Frame of linked records and their released rows, By along the principal axes of the released rows' hidden part.

    Records confined to a flat, by an exact linear relation between attributes, show its normals on both sides: further
    links, if the sample is at hand.
    """
    if sample is not None and not noise:
        known, released = _with_normals(known, released, rows, sample, translates)
    motions = fit_motions(known, released, translates=translates, whiten=not noise)
    centre_x, centre_y, floats = motions.known_centre, motions.released_centre, False
    if translates and not len(known):
        centre_x = np.zeros(known.shape[1]) if sample is None else sample.mean(axis=0)
        centre_y, floats = rows.mean(axis=0), True
    hidden = rows @ motions.released_hidden
    axes = np.linalg.eigh(np.cov(hidden.T).reshape(hidden.shape[1], hidden.shape[1]))[1][:, ::-1]
    return Frame(
        motions.known,
        motions.released,
        motions.known_hidden,
        np.ascontiguousarray(motions.released_hidden @ axes),
        centre_x,
        centre_y,
        floats,
    )


@cache
def planes(h: int) -> tuple[IntArray, IntArray]:
    """First and second axis of every plane in h dimensions, in the order of a skew matrix's coordinates."""
    return np.triu_indices(h, 1)


def polar(matrix: FloatArray) -> FloatArray:
    """The orthogonal matrix nearest to a square one."""
    left, _, right = np.linalg.svd(matrix)
    return np.asarray(left @ right)


def normals(rows: FloatArray) -> FloatArray:
    """Return orthonormal rows, normal to the flat that the rows lie in."""
    centred = rows - rows.mean(axis=0)
    _, values, axes = np.linalg.svd(np.linalg.qr(centred, mode="r"))
    return np.asarray(axes[int((values > FLAT * max(values[0], np.finfo(np.float64).tiny)).sum()) :])


def matched_normals(known: FloatArray, released: FloatArray, of_records: FloatArray, of_rows: FloatArray) -> FloatArray:
    """Return the normals among the attributes that the motion takes to those of the release, in their order.

    Flats away from the origin show how normals are turned among themselves; about others it does not matter.
    """
    says = (of_rows @ released.T) @ (known @ of_records.T)
    return np.asarray(polar(says + 1e-9 * np.eye(len(of_rows))) @ of_records)


def _with_normals(
    known: FloatArray, released: FloatArray, rows: FloatArray, sample: FloatArray, translates: bool
) -> tuple[FloatArray, FloatArray]:
    """Links, and the normals of the flats of sample and release as further ones, where there are as many of each."""
    n = rows.shape[1]
    if min(len(sample), len(rows)) <= n:
        return known, released
    of_sample, of_rows = normals(sample), normals(rows)
    if not len(of_sample) or len(of_sample) != len(of_rows):
        return known, released
    if translates:  # the flats' distances from the origin say nothing, and a link more would need a place
        return known, released
    means = np.vstack([known, sample.mean(axis=0)]), np.vstack([released, rows.mean(axis=0)])
    matched = matched_normals(*means, of_sample, of_rows)
    size = float(np.sqrt((rows**2).sum() / len(rows)))
    return np.vstack([known, size * matched]), np.vstack([released, size * of_rows])
