# SPDX-License-Identifier: BSD-3-Clause
"""Columns that were scaled before they were turned: each has variance one, or its least value is 0 and its greatest 1.

Whoever holds a record in such units knows how they came about. With x = c_x + (y - c_y - u By') R the estimates,

    *variances*   v_j - 1 = 0, v_j the variance of column j: n - 1 equations, because a rotation keeps their mean. So a
                  release whose columns vary by one on average is taken for a standardised one. Behind a translation
                  also m_j = 0, m_j the mean of column j, unless links have other lengths than rows from the mean.
    *ends*        least x_j = 0 and greatest x_j = 1: 2 n equations. Tried where all linked values lie between.

They are solved for the h (h - 1) / 2 angles of P by Levenberg and Marquardt in so(h), from random rotations: four links
of eight columns leave six angles. Under noise variances are larger by its square, and links are equations as well, each
with the weight of its error: 1 / s, against sqrt(m / 2) of a variance of m normal values and sqrt(m) of a mean. Ends
are then blurred, and not tried.

Variances and means depend on mean and covariance of the release alone: 2 n points that have both stand for the rows.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from isobreach.attacks.alignment.descent import Evaluations, moved
from isobreach.attacks.alignment.frames import Frame, Pose, frame_of, planes
from isobreach.attacks.alignment.situation import Situation
from isobreach.attacks.alignment.solution import FittedMotion
from isobreach.geometry import haar

FloatArray = NDArray[np.float64]
# What is left of each equation at a pose, and its slopes in the coordinates of ``descent.moved``.
Equations = Callable[[Pose], tuple[FloatArray, FloatArray]]


@dataclass(frozen=True)
class ScaledTuning:
    """When columns are taken for scaled ones, and how the rotation is sought."""

    by_chance: float = 4.0  # standard errors that a part of a standardised table may be off
    rounding: float = 1e-3  # the same where there is no chance: variances over N or N - 1, few digits
    starts: int = 60  # rotations, each with a mirror image: where 7 equations have 6 angles, up to 53 were needed
    loose: int = 3  # the same where there are fewer equations than angles: of all that solve them none is better
    steps: int = 40
    rows: int = 1_000  # the outermost ones, among which ends are sought first
    solved: float = 1e-6  # left of an equation: chance does not fulfil more equations than there are angles


TUNING = ScaledTuning()


@dataclass(frozen=True, eq=False)
class _Seen:
    """Rows in a frame: the visible part of their estimates, and hidden coordinates."""

    frame: Frame
    visible: FloatArray
    hidden: FloatArray

    @classmethod
    def of(cls, frame: Frame, rows: FloatArray) -> "_Seen":
        apart = rows - frame.centre_y
        visible = frame.centre_x + apart @ frame.visible_y @ frame.visible_x.T
        return cls(frame, np.asarray(visible), np.asarray(apart @ frame.hidden_y))

    def estimates(self, pose: Pose) -> FloatArray:
        hidden = self.hidden - pose.offset if len(pose.offset) else self.hidden
        return np.asarray(self.visible + hidden @ pose.rotation @ self.frame.hidden_x.T)

    def slopes(self, pose: Pose) -> FloatArray:
        """Of the estimates, rows x columns x coordinates: P moves by W P, W skew, and u by itself."""
        hidden = self.hidden - pose.offset if len(pose.offset) else self.hidden
        turned = pose.rotation @ self.frame.hidden_x.T
        first, second = planes(self.frame.hidden)
        along = hidden[:, None, first] * turned[second].T - hidden[:, None, second] * turned[first].T
        if not len(pose.offset):
            return np.asarray(along)
        return np.concatenate([along, np.broadcast_to(-turned.T, (*along.shape[:2], len(turned)))], axis=2)


def standardised(rows: FloatArray, noise: float) -> bool:
    """Whether the columns of released rows vary by one on average, noise aside; a part of a table is off by chance."""
    squares = ((rows - rows.mean(axis=0)) ** 2).mean(axis=1)
    allowed = TUNING.rounding + TUNING.by_chance * float(squares.std()) / np.sqrt(len(rows))
    return bool(abs(float(squares.mean()) - noise**2 - 1) <= allowed)


def between_ends(situation: Situation) -> bool:
    """Whether all values of linked records lie between 0 and 1, some apart from both, and there is no noise."""
    known = situation.known
    inside = bool(len(known)) and bool((known >= 0).all() and (known <= 1).all())
    return inside and not situation.noise and bool(((known > 0) & (known < 1)).any())


def by_variances(situation: Situation, rows: FloatArray, effort: Evaluations, rng: np.random.Generator) -> FittedMotion:
    """Find a rotation under which all columns have variance one.

    Parameters
    ----------
    situation
        Links, at least one, motion and noise.
    rows
        Released rows.
    effort
        Evaluations that may be made.
    rng
        Draws starts.
    """
    links, noise = (situation.known, situation.released), situation.noise
    frame = frame_of(*links, rows, situation.sample, translates=situation.translates, noise=noise)
    open_ = frame.loosened(*links, noise, situation.translates) if noise else frame
    seen, linked = _Seen.of(open_, _points(rows)), _Seen.of(open_, situation.released)
    centred = _centred(situation, rows)

    def equations(pose: Pose) -> tuple[FloatArray, FloatArray]:
        estimates, slopes = seen.estimates(pose), seen.slopes(pose)
        means = estimates.mean(axis=0)
        apart = estimates - means
        weight = np.sqrt(len(rows))
        left = [weight * ((apart**2).mean(axis=0) - 1 - noise**2) / np.sqrt(2)]
        by = [weight * 2 * np.einsum("qj,qjp->jp", apart, slopes) / len(apart) / np.sqrt(2)]
        if centred:
            left, by = [*left, weight * means], [*by, weight * slopes.mean(axis=0)]
        if noise:
            off = (linked.estimates(pose) - situation.known) / noise
            left, by = [*left, off.ravel()], [*by, linked.slopes(pose).reshape(off.size, -1) / noise]
        return np.concatenate(left), np.vstack(by)

    count = rows.shape[1] - 1 + centred * (frame.hidden - 1)  # a mean is a link more
    begin = [open_.pose_of(*frame.affine(one)) for one in _starts(frame, rng, count)]
    best, _ = _best(equations, begin, effort, 0.0 if noise else TUNING.solved * np.sqrt(len(rows)))
    return FittedMotion("variances", open_, best, effort.used)


def by_ends(situation: Situation, rows: FloatArray, effort: Evaluations, rng: np.random.Generator) -> FittedMotion:
    """Find a rotation under which the least value of every column is 0, and the greatest 1.

    Parameters
    ----------
    situation
        Links, at least one, and motion.
    rows
        Released rows.
    effort
        Evaluations that may be made.
    rng
        Draws starts.
    """
    links = situation.known, situation.released
    frame = frame_of(*links, rows, situation.sample, translates=situation.translates, noise=0.0)
    spread = np.linalg.norm((rows - rows.mean(axis=0)) @ np.linalg.pinv(np.linalg.cholesky(_floored(rows)).T), axis=1)
    outer = rows[np.argsort(spread, kind="stable")[-TUNING.rows :]]

    def equations_of(some: FloatArray) -> Equations:
        seen = _Seen.of(frame, some)

        def equations(pose: Pose) -> tuple[FloatArray, FloatArray]:
            estimates, columns = seen.estimates(pose), np.arange(some.shape[1])
            low, high = estimates.argmin(axis=0), estimates.argmax(axis=0)
            left = np.concatenate([estimates[low, columns], estimates[high, columns] - 1])
            places = np.concatenate([low, high])
            ends = replace(seen, visible=seen.visible[places], hidden=seen.hidden[places]).slopes(pose)
            return left, ends[np.arange(len(places)), np.tile(columns, 2)]

        return equations

    best, _ = _best(equations_of(outer), _starts(frame, rng, 2 * rows.shape[1]), effort, TUNING.solved)
    best, left = _best(equations_of(rows), [best], effort, TUNING.solved)
    return FittedMotion("ends", frame, best, effort.used, exact=left <= TUNING.solved)


def _starts(frame: Frame, rng: np.random.Generator, equations: int) -> list[Pose]:
    """Random rotations, each with a mirror image; few where the angles outnumber the equations."""
    h, found = frame.hidden, []
    several = TUNING.starts if h * (h - 1) / 2 <= equations else TUNING.loose
    for _ in range(several if h else 1):
        turn = haar(h, rng)
        mirrors = (1.0, -1.0)[: 1 + (h > 0)]
        found += [frame.start(turn * np.where(np.arange(h) == 0, sign, 1.0)[:, None]) for sign in mirrors]
    return found


def _best(equations: Equations, starts: list[Pose], effort: Evaluations, solved: float) -> tuple[Pose, float]:
    """The pose that leaves least, and the root mean square of what it leaves; the first that solves the equations."""
    found: list[tuple[Pose, float]] = []
    for start in starts:
        if effort.left or not found:
            found.append(_solved(equations, start, effort))
            if found[-1][1] <= solved:
                break
    return min(found, key=lambda one: one[1])


def _solved(equations: Equations, pose: Pose, effort: Evaluations) -> tuple[Pose, float]:
    """Levenberg and Marquardt: least squares of the equations from a pose on."""
    left, slopes = equations(pose)
    effort.spend(1)
    damping = 1e-3
    for _ in range(TUNING.steps if slopes.shape[1] else 0):
        normal = slopes.T @ slopes
        size = max(float(np.trace(normal)) / len(normal), np.finfo(np.float64).tiny)
        step = np.linalg.solve(normal + damping * size * np.eye(len(normal)), -slopes.T @ left)
        trial = moved(pose, np.asarray(step, dtype=np.float64))
        after, by = equations(trial)
        effort.spend(1)
        gained = float(left @ left - after @ after)
        if gained > 0:
            small = gained <= 1e-9 * float(left @ left)
            pose, left, slopes, damping = trial, after, by, damping / 5
            if small:
                break
        elif damping > 1e6:
            break
        else:
            damping *= 4
    return pose, float(np.sqrt((left**2).mean()))


def _points(rows: FloatArray) -> FloatArray:
    """2 n points with mean and covariance of the rows."""
    mean, n = rows.mean(axis=0), rows.shape[1]
    values, axes = np.linalg.eigh((rows - mean).T @ (rows - mean) / len(rows))
    arms = np.sqrt(n * np.maximum(values, 0.0))[:, None] * axes.T
    return np.asarray(mean + np.vstack([arms, -arms]))


def _floored(rows: FloatArray) -> FloatArray:
    """The covariance, with a floor for columns that depend on others."""
    covariance = np.cov(rows.T).reshape(rows.shape[1], rows.shape[1])
    floor = 1e-9 * float(np.trace(covariance)) + np.finfo(np.float64).tiny
    return np.asarray(covariance + floor * np.eye(len(covariance)))


def _centred(situation: Situation, rows: FloatArray) -> bool:
    """Whether linked records are as long as their rows are from the mean, behind a translation."""
    if not situation.translates:
        return False  # a rotation about the origin keeps the length of the mean, whatever it is
    mean, n = rows.mean(axis=0), rows.shape[1]
    lengths, reach = (np.linalg.norm(one, axis=1) for one in (situation.known, situation.released - mean))
    allowed = TUNING.rounding * reach + np.sqrt(n) * (situation.noise + TUNING.by_chance / np.sqrt(len(rows)))
    return bool((np.abs(lengths - reach) <= allowed).all())
