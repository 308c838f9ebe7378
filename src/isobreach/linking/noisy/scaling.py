# SPDX-License-Identifier: BSD-3-Clause
r"""On what scale the records are within a noisy release.

Released rows are y = s M x + t + e, e of standard deviation v^(1/2) in each of N coordinates. Where all records have
length r, the release itself shows the scale:

    t = 0:   s^2 r^2 = mean |y|^2 - N v
    else:    s^2 r^2 = trace C - N v + |z|^2,      z = -(C - v)^-1 cov(|y'|^2, y') / 2

with C the covariance of the rows and y' = y - mean. The rows lie on a sphere,
because |s M x - mean|^2 is then linear in x with slope -2 z. Directions in which the noise hides the rows are left out
of z. Known records show that they have one length, and the lengths of the rows that nothing but noise changed it; where
they differ, the scale is as uncertain as the mean square of the known records is (a jackknife over them).
"""

from dataclasses import dataclass

import numpy as np

from isobreach._arrays import FloatArray
from isobreach.geometry import row_norms


@dataclass(frozen=True)
class Scaling:
    """When lengths are alike, and how scales are tried.

    Attributes
    ----------
    equal
        Relative spread of norms that are the same.
    explained
        Times the variance that noise gives a squared length, up to which noise explains its spread.
    hidden
        Times the noise, variance in a direction below which a sphere is not fitted there.
    width
        Standard deviations of a squared distance that a try covers to either side: lengths share the error of the
        scale, so that the joint test hardly suffers, but as many more pairs pass.
    reach
        Standard deviations of the first guess within which scales are tried.
    most
        Tries.
    """

    equal: float = 1e-3
    explained: float = 2.0
    hidden: float = 10.0
    width: float = 2.0
    reach: float = 3.0
    most: int = 64


SCALING = Scaling()


@dataclass(frozen=True)
class Scale:
    """A scale of the records within the release, and the relative standard deviation of its square."""

    value: float
    error: float = 0.0

    def tries(self, step: float) -> "list[Scale]":
        """Scales that cover what this one leaves open, the likeliest first, each with an error of about ``step``."""
        if self.error <= step or not np.isfinite(self.error):
            return [self]
        reach = SCALING.reach * self.error
        count = int(np.clip(np.ceil(reach / (2 * step)), 1, SCALING.most // 2))
        step = reach / (2 * count)
        places = sorted(range(-count, count + 1), key=lambda k: (abs(k), k))
        return [Scale(self.value * float(np.exp(k * step)), step) for k in places]


def scale_of(
    known: FloatArray, points: FloatArray, deviation: float, *, translates: bool, scales: bool, gain: float = 1.0
) -> tuple[Scale, bool]:
    """Scale of known records within a release, and whether all records have one length.

    Parameters
    ----------
    known
        Known records, K x n.
    points
        Released values, m x N.
    deviation
        Standard deviation of the noise of a coordinate.
    translates, scales
        What the motion does besides rotating. Where it does not scale, the scale is ``gain`` unless lengths say
        otherwise: noise across a record that is then made as long as before shortens it.
    gain
        What rounding to a few values alone does to lengths.
    """
    unit, size = _spread(row_norms(known)) < SCALING.equal, float(np.mean(row_norms(known) ** 2))
    if unit and not translates:
        found = _by_norms(points, deviation)
        if found is not None:
            return Scale(float(np.sqrt(found / size))), True
    if not scales:
        return Scale(gain), False
    sphere = _by_sphere(points, deviation) if unit and len(points) > 2 * points.shape[1] else None
    if sphere is not None:
        square, blur = sphere
        return Scale(float(np.sqrt(square / size)), blur), True
    centred = points - points.mean(axis=0) if translates else points
    kept = float(np.mean(row_norms(centred) ** 2)) - points.shape[1] * deviation**2
    sizes = _jackknifed(known, translates)
    if not kept > 0 or not (sizes > 0).all():
        return Scale(gain), False
    error = float(np.sqrt((len(sizes) - 1) * np.var(np.log(sizes))))
    return Scale(float(np.sqrt(kept / np.mean(sizes))), error), False


def _by_norms(points: FloatArray, deviation: float) -> float | None:
    """Squared length of the records within the release, by the norms of the rows; None where these differ."""
    squares = row_norms(points) ** 2
    kept = float(np.mean(squares)) - points.shape[1] * deviation**2
    return kept if kept > 0 and float(np.var(squares)) <= _explained(kept, points.shape[1], deviation) else None


def _by_sphere(points: FloatArray, deviation: float) -> tuple[float, float] | None:
    """The same by a sphere through the rows, and its relative error; None where they lie on none."""
    centred = points - points.mean(axis=0)
    squares = row_norms(centred) ** 2
    spread, axes = np.linalg.eigh(centred.T @ centred / len(centred))
    seen = spread > np.maximum(SCALING.hidden * deviation**2, 1e-12 * spread[-1])
    along = centred @ axes[:, seen]
    left = spread[seen] - deviation**2
    slope = along.T @ (squares - squares.mean()) / len(squares)
    centre = -slope / left / 2
    kept = float(np.mean(squares)) - points.shape[1] * deviation**2 + float(centre @ centre)
    misfit = float(np.var(squares + 2 * along @ centre))
    if not kept > 0 or misfit > _explained(kept, points.shape[1], deviation):
        return None
    blur = misfit / (4 * len(squares)) * float((1 / left).sum())  # what the error of the centre adds to its square
    return kept - blur, blur / kept


def _explained(square: float, columns: int, deviation: float) -> float:
    """Variance of a squared length of records of one length, at most."""
    noise = 4 * deviation**2 * square + 2 * columns * deviation**4
    return SCALING.explained * noise + (2 * SCALING.equal * square) ** 2


def _jackknifed(known: FloatArray, translates: bool) -> FloatArray:
    """Mean square of the known records, or their mean squared deviation, without each of them in turn."""
    count = len(known)
    if count < 3:
        return np.zeros(1)
    rest = [np.delete(known, k, axis=0) for k in range(count)]
    if translates:
        return np.array([float(((one - one.mean(axis=0)) ** 2).sum()) / (len(one) - 1) for one in rest])
    return np.array([float((one**2).sum()) / len(one) for one in rest])


def _spread(norms: FloatArray) -> float:
    return float(np.std(norms) / max(float(np.mean(norms)), 1e-300))
