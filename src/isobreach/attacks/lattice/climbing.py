# SPDX-License-Identifier: BSD-3-Clause
r"""The dual path under heavy noise and jitter: directions along which rows pile up at whole numbers, found by climbing.

The height of a unit vector w is |mean exp(2 pi i y.w)| over rows y. At an axis of a whole-number table it has a sharp
maximum, however many attributes there are: exp(-2 pi^2 s^2) under normal noise s, |sin(pi a) / (pi a)| under jitter
that is uniform on [0, a). Both average out in a sum over rows.

1. Climb from differences between near neighbours, many of which are single steps along an axis, on mean cos(2 pi d.w).
2. Fit each direction to the rows, the densest part first: far from the centre a small error is a step.
3. Take the highest at right angles to each other, and polish them together: with G the gradient and S the covariance of
   the rows, W <- polar(W - G S^-1 / (2 height)), again the densest rows first.
4. Climb again in what is orthogonal to the axes found, as the highest hide the others.

All of that sees one half of the rows. Maxima are no proof, as they were looked for: ``judges`` decides with the other.
"""

from dataclasses import dataclass, replace

import numpy as np

from isobreach._arrays import FloatArray
from isobreach.attacks.lattice.frame import AxisFrame, Path, phased
from isobreach.attacks.lattice.generators import short_differences
from isobreach.attacks.lattice.judges import JUDGING, Summits, are_sound, height, incongruent, judges_of
from isobreach.geometry.lattice import ReductionEffort


@dataclass(frozen=True)
class Climbing:
    """How climbing searches. All of it was set by hand on Letter, and only decides what is missed."""

    # Climbs of a round for each dimension and at most, half from the shortest differences, half from random ones.
    starts: int = 40
    most_starts: int = 500
    differences: int = 4000  # the cost of a climb grows with them
    steps: int = 40  # of a climb
    damping: float = 0.7  # of a Newton step, which overshoots where the height is not quadratic
    longest: float = 6.0  # median length of short differences, in units, beyond which no climb gets anywhere
    least_difference: float = 0.3  # of a unit: shorter differences are noise
    same: float = 0.95  # cosine from which on two directions are one
    right_angle: float = 0.1  # cosine up to which directions that are not polished yet are at right angles
    most_distinct: int = 16  # directions kept beyond four for each column: rivals must be seen too
    # Height of a candidate: an axis that is not polished yet is lower than one that could be claimed. Chance made 0.15.
    least_height: float = 0.25
    # Shares of the rows, the densest first, and steps for each: of single directions, then of all together.
    cores: tuple[float, ...] = (0.05, 0.2, 0.5, 1.0)
    core_steps: int = 10
    polishes: tuple[float, ...] = (0.1, 0.3, 1.0)
    polish_steps: int = 20
    least_core: int = 50  # rows times the dimension in the first share
    half_step: float = 0.5  # of a Newton step on rows, whose curvature is known less well
    flat: float = 1e-3  # of the mean variance: added to every one, as some directions hardly vary
    lowest: float = 0.02  # height that a step is divided by at least: where there is none, it would be anything
    rounds: int = 5  # searches in what is orthogonal to the axes found


_CLIMBING = Climbing()


def climbed_frame(
    rows: FloatArray, unit: float, random: np.random.Generator, effort: ReductionEffort
) -> AxisFrame | None:
    """Frame of the attributes that are whole numbers of this unit; None where no directions stand out."""
    order = random.permutation(len(rows))
    middle = np.median(rows, axis=0)
    scaled = (rows - middle) / unit
    first, second = scaled[order[::2]], scaled[order[1::2]]
    columns = rows.shape[1]
    if len(second) < 4 * columns or len(first) < 8:
        return None
    differences = short_differences(first, random, _CLIMBING.least_difference)[: _CLIMBING.differences]
    if len(differences) < 2 * columns or np.median(np.linalg.norm(differences, axis=1)) > _CLIMBING.longest:
        return None
    if len(judges_of(first, second, 0.0)) < JUDGING.least:
        return None
    axes, seen = np.empty((0, columns)), Summits.none(columns)
    for _ in range(_CLIMBING.rounds):
        candidates = _candidates(differences, first, axes, random, effort)
        seen = seen.joined(candidates)
        new = _upright(candidates)
        if not len(new):
            break
        axes = _polished(np.concatenate([axes, new]), first, effort)
        if len(axes) == columns:
            break
    axes = axes[are_sound(axes, seen, first, second)]
    # A sum of attributes may be one unit long by chance; several of them, at right angles, may not.
    if len(axes) < JUDGING.least_axes:
        return None
    axes = _polished(axes, scaled, effort)
    certain = np.ones(len(axes), dtype=np.bool_)
    frame = phased(AxisFrame(axes, np.full(len(axes), unit), certain, middle, False, Path.CLIMBING), rows)
    return replace(frame, certain=incongruent(frame.positions(rows)))


def _candidates(
    differences: FloatArray, rows: FloatArray, axes: FloatArray, random: np.random.Generator, effort: ReductionEffort
) -> Summits:
    """Directions orthogonal to these axes that climbs end in, fitted to rows."""
    free = np.linalg.svd(axes)[2][len(axes) :] if len(axes) else np.eye(rows.shape[1])
    directions = _fitted(_distinct(*_climb(differences @ free.T, random, effort)), rows @ free.T, effort) @ free
    return Summits(directions, height(rows, directions))


def _climb(
    differences: FloatArray, random: np.random.Generator, effort: ReductionEffort
) -> tuple[FloatArray, FloatArray]:
    """Unit vectors after Newton-like steps uphill on mean cos(2 pi d.w), and that mean.

    In single precision: rows are fitted in double afterwards.
    """
    half = min(_CLIMBING.starts * differences.shape[1], _CLIMBING.most_starts) // 2
    differences = differences.astype(np.float32)
    others = half + random.permutation(max(len(differences) - half, 0))[:half]
    starts = differences[np.concatenate([np.arange(min(half, len(differences))), others]).astype(np.int64)]
    lengths = np.linalg.norm(starts, axis=1)
    directions = starts[lengths > 0.1] / lengths[lengths > 0.1, None]
    turns = 2 * np.pi * differences
    inverse = _CLIMBING.damping * np.linalg.pinv(turns)
    for _ in range(_CLIMBING.steps):
        effort.check()
        directions = _units(directions - (inverse @ np.sin(turns @ directions.T)).T)
    return directions.astype(np.float64), np.cos(turns @ directions.T).mean(axis=0, dtype=np.float64)


def _distinct(directions: FloatArray, heights: FloatArray) -> FloatArray:
    """One direction of each group of (anti)parallel ones, the highest."""
    left = np.argsort(-heights, kind="stable")
    chosen = list[int]()
    while len(left) and len(chosen) < _CLIMBING.most_distinct + 4 * directions.shape[1]:
        chosen.append(int(left[0]))
        left = left[np.abs(directions[left] @ directions[left[0]]) <= _CLIMBING.same]
    return directions[chosen]


def _fitted(directions: FloatArray, rows: FloatArray, effort: ReductionEffort) -> FloatArray:
    """Unit vectors that climb the height over rows, the densest part first, each for itself: those that stand out."""
    for core, inverse in _cores(rows, _CLIMBING.cores):
        for _ in range(_CLIMBING.core_steps):
            effort.check()
            directions = _units(directions - _uphill(directions, core) @ inverse)
        heights = height(core, directions)
        high = heights > _CLIMBING.least_height
        directions = _distinct(directions[high], heights[high])
    return directions


def _polished(axes: FloatArray, rows: FloatArray, effort: ReductionEffort) -> FloatArray:
    """Orthonormal directions that climb together."""
    for core, inverse in _cores(rows, _CLIMBING.polishes):
        for _ in range(_CLIMBING.polish_steps):
            effort.check()
            left, _, right = np.linalg.svd(axes - _uphill(axes, core) @ inverse, full_matrices=False)
            axes = left @ right
    return axes


def _upright(candidates: Summits) -> FloatArray:
    """Of the candidates, the highest at right angles to each other."""
    taken = np.empty((0, candidates.directions.shape[1]))
    for direction in candidates.directions[np.argsort(-candidates.heights, kind="stable")]:
        if np.abs(taken @ direction).max(initial=0.0) < _CLIMBING.right_angle:
            taken = np.concatenate([taken, direction[None]])
    return taken


def _cores(rows: FloatArray, shares: tuple[float, ...]) -> list[tuple[FloatArray, FloatArray]]:
    """Shares of the rows, the densest first, and the inverse of each one's covariance."""
    order = np.argsort(np.einsum("ij,ij->i", rows, rows), kind="stable")
    cores = []
    for share in shares:
        core = rows[order[: max(int(share * len(rows)), min(len(rows), _CLIMBING.least_core * rows.shape[1]))]]
        covariance = np.atleast_2d(np.cov(core.T))
        covariance[np.diag_indices_from(covariance)] += _CLIMBING.flat * np.trace(covariance) / len(covariance)
        cores.append((core, np.asarray(np.linalg.inv(covariance), dtype=np.float64)))
    return cores


def _uphill(directions: FloatArray, core: FloatArray) -> FloatArray:
    """Half a Newton step of each direction's height, before the rows' covariance."""
    turns = 2 * np.pi * (core @ directions.T)
    sines, cosines = np.sin(turns), np.cos(turns)
    sine, cosine = sines.mean(axis=0), cosines.mean(axis=0)
    # sin(turn - phase), with the phase of the mean, over its size.
    residuals = (sines * cosine - cosines * sine) / np.maximum(sine**2 + cosine**2, _CLIMBING.lowest**2)
    gradient = residuals.T @ (core - core.mean(axis=0))
    return np.asarray(_CLIMBING.half_step * gradient / (2 * np.pi * len(core)))


def _units(directions: FloatArray) -> FloatArray:
    return np.asarray(directions / np.linalg.norm(directions, axis=1)[:, None])
