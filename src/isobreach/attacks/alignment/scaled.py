# SPDX-License-Identifier: BSD-3-Clause
"""Columns that were scaled alike before they were turned: to one variance, between two ends, or by their largest size.

Standard scores have mean 0 and deviation 1, T scores 50 and 10, percentiles have the moments of equal steps. Whoever
holds a record in such units knows how they came about. With x = c_x + (y - c_y - u By') R the estimates,

    *variances*   v_j - v = 0, v_j the variance of column j and v their mean: n - 1 equations, because a rotation keeps
                  v. Where the release has a mean beyond chance, also m_j - m = 0, m_j the mean of column j and m that
                  of all, if such rotations are found. Behind a translation m_j = 0 instead where v is 1, unless links
                  have other lengths than rows from the mean.
    *ends*        least x_j = 0 and greatest x_j = 1, or -1 and 1: 2 n equations; or greatest |x_j| = 1: n equations.
                  Those that all linked values allow are tried; in units of 10, 100 and so on where these are larger.

Columns that links fix, flags beside standardised numbers, may be in other units: only the others have equations.

They are solved for the h (h - 1) / 2 angles of P by Levenberg and Marquardt in so(h), from random rotations: four links
of eight columns leave six angles. Under noise variances are larger by its square, and links are equations as well, each
with the weight of its error: 1 / s, against sqrt(m / 2) of a variance of m normal values and sqrt(m) of a mean, in
units of their spread; the best of what links leave open if they are taken for exact are starts. Ends are then blurred,
and not tried.

Variances and means depend on mean and covariance of the release alone: 2 n points that have both stand for the rows.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from isobreach.attacks.alignment.descent import Evaluations, moved
from isobreach.attacks.alignment.frames import FLAT, Frame, Pose, frame_of, planes
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
    most: float = 0.1  # of the variance, at most: with large values chance would allow any table
    rounding: float = 1e-3  # the same where there is no chance: variances over N or N - 1, few digits
    starts: int = 60  # rotations, each with a mirror image: where 7 equations have 6 angles, up to 53 were needed
    loose: int = 3  # the same where there are fewer equations than angles: of all that solve them none is better
    unlikely: int = 12  # the same where only the size of linked values speaks for ends
    chance: float = 1e-3  # probability with which a part of a table is further from equations, or from a mean of zero
    damped: float = 1e-12  # least damping: directions in which no equation has a slope stay solvable
    tenth: float = 0.1  # of the greatest end that somebody linked has in each column, if that is a power of ten
    steps: int = 40  # of least squares at most, set by hand: they end where they gain nothing
    rows: int = 1_000  # the outermost ones, among which ends are sought first
    solved: float = 1e-6  # left of an equation: chance does not fulfil more equations than there are angles
    steep: float = 1e-6  # of the steepest slope: along flatter ones equations leave the rotation open


TUNING = ScaledTuning()


# Ends of a column: the least value (None: the largest size is the greatest) and the greatest.
_ENDS: tuple[tuple[float | None, float], ...] = ((0.0, 1.0), (-1.0, 1.0), (None, 1.0))


@dataclass(frozen=True, eq=False)
class Seen:
    """Rows in a frame: the visible part of their estimates, and hidden coordinates."""

    frame: Frame
    visible: FloatArray
    hidden: FloatArray

    @classmethod
    def of(cls, frame: Frame, rows: FloatArray) -> "Seen":
        """Return rows as a frame splits them."""
        apart = rows - frame.centre_y
        visible = frame.centre_x + apart @ frame.visible_y @ frame.visible_x.T
        return cls(frame, np.asarray(visible), np.asarray(apart @ frame.hidden_y))

    def estimates(self, pose: Pose) -> FloatArray:
        """Return estimates of their records at a pose."""
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


def scaled_alike(situation: Situation, rows: FloatArray) -> bool:
    """Whether open columns may have one variance: they are standardised ones, or there are more equations than angles.

    Parameters
    ----------
    situation, rows
        Links, motion and noise; released rows.
    """
    frame, open_ = frames_of(situation, rows)
    count = int(_open(frame).sum())
    if count < 2:
        return False
    return _angles(frame) < count - 1 + frame.hidden - 1 or standardised(open_, rows, situation.noise)


def standardised(frame: Frame, rows: FloatArray, noise: float) -> bool:
    """Whether the columns that a frame leaves open vary by one on average, noise aside; a part of a table is off."""
    estimates = Seen.of(frame, rows).estimates(frame.start())[:, _open(frame)]
    squares = ((estimates - estimates.mean(axis=0)) ** 2).mean(axis=1)
    allowed = TUNING.rounding + min(TUNING.by_chance * float(squares.std()) / np.sqrt(len(rows)), TUNING.most)
    return bool(abs(float(squares.mean()) - noise**2 - 1) <= allowed)


def one_variance(found: FittedMotion, rows: FloatArray) -> bool:
    """Whether columns that a motion's frame leaves open have one variance there, as far as chance allows.

    Parameters
    ----------
    found, rows
        The motion; released rows. Noise of theirs adds the same to all columns.
    """
    columns = _open(found.frame)
    squares = ((rows - rows.mean(axis=0)) @ found.affine[0][:, columns]) ** 2
    variances, error = squares.mean(axis=0), squares.std(axis=0) / np.sqrt(len(rows))
    allowed = TUNING.rounding * variances.mean() + TUNING.by_chance * error
    return bool((np.abs(variances - variances.mean()) <= allowed).all())


def between_ends(situation: Situation, frame: Frame) -> list[tuple[float | None, float]]:
    """Return the ends between which all linked values of open columns lie, some apart from them; none under noise."""
    known = situation.known[:, _open(frame)]
    if situation.noise or not known.size or not known.any():
        return []
    unit = max(1.0, 10.0 ** np.ceil(np.log10(np.abs(known).max()) - TUNING.solved))
    inside = ((np.abs(known) > 0) & (np.abs(known) < unit)).any()
    if not inside or (unit > 1 and np.abs(known).max(axis=0).min() < TUNING.tenth * unit):
        return []
    negative = bool((known < 0).any())
    allowed = [ends for ends in _ENDS if ends[0] != (0.0 if negative else -1.0)]
    return [(None if least is None else least * unit, greatest * unit) for least, greatest in allowed]


def by_variances(situation: Situation, rows: FloatArray, effort: Evaluations, rng: np.random.Generator) -> FittedMotion:
    """Find a rotation under which all open columns have one variance, and one mean where that is possible.

    Parameters
    ----------
    situation
        Links, at least one, motion and noise.
    rows
        Released rows.
    effort
        Evaluations that may be made, once for either.
    rng
        Draws starts.
    """
    frame, open_ = frames_of(situation, rows)
    noise, known = situation.noise, standardised(open_, rows, situation.noise)
    about = "zero" if known and _centred(situation, rows) else "one" if _has_mean(rows, noise) else ""
    solved = 0.0 if noise else TUNING.solved * np.sqrt(len(rows))
    for means in dict.fromkeys((about, "")):
        own = Evaluations(effort.most)
        count = _open(open_).sum() - 1 + (means != "") * (frame.hidden - 1)  # a mean is a link more
        equations = _moments(Seen.of(frame, _points(rows)), len(rows), noise, means, known=known)
        found = tried(equations, _starts(frame, rng, count), own, solved)
        if noise:
            links = Seen.of(open_, situation.released), situation.known
            loose = _moments(Seen.of(open_, _points(rows)), len(rows), noise, means, known=known, links=links)
            begin = [open_.pose_of(*frame.affine(pose)) for pose, _ in found[: 2 * TUNING.loose]]
            found = tried(loose, begin, own, solved)
        effort.spend(own.used)
        best, left = found[0]
        if left**2 * max(count, 1) <= chdtri(max(count, 1), TUNING.chance):
            break
    angles = _angles(frame)
    exact = bool(angles < count and left <= solved and determine(equations, best))
    # Of a whole scaled table equations hold better than chance lets them.
    better = not noise and left**2 * count <= chdtri(max(count - angles, 1), 1 - TUNING.chance) and angles < count
    return FittedMotion(
        "variances",
        open_,
        best,
        effort.used,
        exact=exact,
        determined=exact or bool(angles <= count and known),
        beyond_chance=exact or bool(better),
    )


def _moments(
    seen: Seen,
    count: int,
    noise: float,
    means: str,
    *,
    known: bool,
    links: tuple[Seen, FloatArray] | None = None,
) -> Equations:
    """Equations of variances, of ``means`` that are ``"zero"`` or all ``"one"``, and of noisy links.

    Parameters
    ----------
    seen, count
        Points that stand for so many rows.
    noise
        Deviation of an error of a released coordinate.
    means
        What is said of them; empty for nothing.
    known
        Whether variances are one, not only of one size.
    links
        Linked rows, and their records.
    """
    columns = _open(seen.frame)
    start = seen.estimates(seen.frame.start())[:, columns]
    size = 1.0 if known else float(start.var(axis=0).mean()) - noise**2
    size = max(size, np.finfo(np.float64).tiny)

    def equations(pose: Pose) -> tuple[FloatArray, FloatArray]:
        estimates, slopes = seen.estimates(pose)[:, columns], seen.slopes(pose)[:, columns]
        middle = estimates.mean(axis=0)
        apart = estimates - middle
        weight = np.sqrt(count / 2) / size
        left = [weight * ((apart**2).mean(axis=0) - size - noise**2)]
        by = [weight * 2 * np.einsum("qj,qjp->jp", apart, slopes) / len(apart)]
        if means:
            weight, tilt = np.sqrt(count / size), slopes.mean(axis=0)
            if means == "one":
                middle, tilt = middle - middle.mean(), tilt - tilt.mean(axis=0)
            left, by = [*left, weight * middle], [*by, weight * tilt]
        if links is not None:
            rows, records = links
            off = (rows.estimates(pose) - records) / noise
            left, by = [*left, off.ravel()], [*by, rows.slopes(pose).reshape(off.size, -1) / noise]
        return np.concatenate(left), np.vstack(by)

    return equations


def _has_mean(rows: FloatArray, noise: float) -> bool:
    """Whether the release's mean is farther from the origin than chance takes that of rows about it."""
    mean = rows.mean(axis=0)
    variance = max(float(rows.var(axis=0).max()), np.finfo(np.float64).tiny)
    return bool(float(mean @ mean) * len(rows) > chdtri(len(mean), TUNING.chance) * variance)


def by_ends(situation: Situation, rows: FloatArray, effort: Evaluations, rng: np.random.Generator) -> FittedMotion:
    """Find a rotation under which every open column reaches its ends.

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
    frame, _ = frames_of(situation, rows)
    columns = np.flatnonzero(_open(frame))
    allowed = between_ends(situation, frame)
    starts = _starts(frame, rng, 2 * len(columns))
    starts = starts[: 2 * TUNING.unlikely] if allowed and allowed[0][1] > 1 else starts
    spread = np.linalg.norm((rows - rows.mean(axis=0)) @ np.linalg.pinv(np.linalg.cholesky(_floored(rows)).T), axis=1)
    outer = rows[np.argsort(spread, kind="stable")[-TUNING.rows :]]

    def equations_of(some: FloatArray, least: float | None, greatest: float) -> Equations:
        seen = Seen.of(frame, some)

        def equations(pose: Pose) -> tuple[FloatArray, FloatArray]:
            estimates = seen.estimates(pose)[:, columns]
            if least is None:
                places, which = np.abs(estimates).argmax(axis=0), columns
                wanted = np.sign(estimates[places, np.arange(len(columns))]) * greatest
            else:
                places = np.concatenate([estimates.argmin(axis=0), estimates.argmax(axis=0)])
                which, wanted = np.tile(columns, 2), np.repeat([least, greatest], len(columns))
            ends = replace(seen, visible=seen.visible[places], hidden=seen.hidden[places])
            each = np.arange(len(places))
            return ends.estimates(pose)[each, which] - wanted, ends.slopes(pose)[each, which]

        return equations

    found: list[tuple[float, int, Pose]] = []
    exact = False
    for ends in allowed:
        count = len(columns) * (1 if ends[0] is None else 2)
        if _angles(frame) < count:
            own = Evaluations(effort.most)  # whichever ends are tried first take nothing from the others
            solved = TUNING.solved * ends[1]
            pose, _ = tried(equations_of(outer, *ends), starts, own, solved)[0]
            pose, left = tried(equations_of(rows, *ends), [pose], own, solved)[0]
            effort.spend(own.used)
            found.append((left / ends[1], len(found), pose))
            if left <= solved:
                exact = determine(equations_of(rows, *ends), pose)
                break
    _, _, pose = min(found) if found else (np.inf, 0, starts[0])
    return FittedMotion("ends", frame, pose, effort.used, exact=exact, determined=exact, beyond_chance=exact)


def frames_of(situation: Situation, rows: FloatArray) -> tuple[Frame, Frame]:
    """Return what links leave open as if they were exact, and what is open: under noise, everything."""
    links, noise = (situation.known, situation.released), situation.noise
    frame = frame_of(*links, rows, situation.sample, translates=situation.translates, noise=noise)
    return frame, frame.loosened(*links, noise, situation.translates) if noise else frame


def _open(frame: Frame) -> NDArray[np.bool_]:
    """Which columns a frame leaves open."""
    return np.asarray((np.abs(frame.hidden_x) > FLAT).any(axis=1))


def _angles(frame: Frame) -> int:
    return frame.hidden * (frame.hidden - 1) // 2


def _starts(frame: Frame, rng: np.random.Generator, equations: int) -> list[Pose]:
    """Random rotations, each with a mirror image; few where the angles outnumber the equations."""
    return random_starts(frame, rng, TUNING.starts if _angles(frame) <= equations else TUNING.loose)


def random_starts(frame: Frame, rng: np.random.Generator, several: int) -> list[Pose]:
    """Return so many random rotations, each with a mirror image; one pose where nothing is open."""
    h, found = frame.hidden, list[Pose]()
    for _ in range(several if h else 1):
        turn = haar(h, rng)
        mirrors = (1.0, -1.0)[: 1 + (h > 0)]
        found += [frame.start(turn * np.where(np.arange(h) == 0, sign, 1.0)[:, None]) for sign in mirrors]
    return found


def tried(equations: Equations, starts: list[Pose], effort: Evaluations, solved: float) -> list[tuple[Pose, float]]:
    """Return poses and the root mean square of what each leaves, the least first; until one solves the equations."""
    found: list[tuple[Pose, float]] = []
    for start in starts:
        if effort.left or not found:
            found.append(_solved(equations, start, effort))
            if found[-1][1] <= solved:
                break
    return sorted(found, key=lambda one: one[1])


def determine(equations: Equations, pose: Pose) -> bool:
    """Whether no turn leaves the equations as they are: two equal columns fulfil theirs in many frames."""
    _, slopes = equations(pose)
    if not slopes.shape[1]:
        return True
    sizes = np.linalg.svd(slopes, compute_uv=False)
    return bool(len(sizes) == slopes.shape[1] and sizes[-1] > TUNING.steep * sizes[0])


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
            pose, left, slopes, damping = trial, after, by, max(damping / 5, TUNING.damped)
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
