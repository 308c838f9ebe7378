# SPDX-License-Identifier: BSD-3-Clause
r"""The dual path under heavy noise: directions along which rows pile up at whole numbers, found by climbing.

For a unit vector w, rho(w) = |mean exp(2 pi i y.w)| over rows y of a whole-number table has a sharp maximum of
exp(-2 pi^2 sigma^2) at each axis, however many attributes there are: a sum over rows, in which noise averages out. It
is climbed from differences between near neighbours, many of which are single steps along an axis.

Maxima are no proof: they were looked for. So directions are found on one half of the rows and judged on the other
(``evidence``), on rows that are no near copies of each other or of rows of the first half, or a few tight clusters
would pass for a grid. Wrong dual axes remain: for a table with x1 + x2 + x3 + x4 even, (1, 1, 1, 1)/2 is as good as
an axis. So whatever has a rival at another angle than 90 degrees is dropped, every axis must have been found several
times, or rivals might have been missed, and the values found must obey no congruence.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from isobreach.attacks.lattice.evidence import LEVELS, grid_evidence
from isobreach.attacks.lattice.frame import Frame, Path, phased, refined
from isobreach.attacks.lattice.generators import short_differences
from isobreach.geometry.integers import rank_modulo
from isobreach.geometry.lattice import Deadline, OutOfTimeError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True)
class Climbing:
    """How climbing searches, and what it believes."""

    # Half are the shortest differences, half random ones; set by hand, it only decides what is missed.
    starts: int = 400
    differences: int = 3000  # The cost of a climb grows with them; set by hand, it only decides what is missed.
    steps: int = 25  # Of a climb; set by hand, it only decides what is missed.
    damping: float = 0.7  # Of a Newton step, which overshoots where the height is not quadratic; set by hand.
    longest: float = 6.0  # Median length of short differences, in units, beyond which no climb gets anywhere.
    same: float = 0.95  # Cosine from which on two directions are one.
    rival: float = 0.1  # Cosine of a direction at another angle than 90 degrees: (1, 1, 1, 1)/2 has 1/2.
    most_distinct: int = 16  # Directions kept beyond four for each column: rivals must be seen too.
    least_hits: int = 3  # Climbs that end in an axis: an axis met once may have rivals that were missed.
    # Shares of the rows, the densest first: a small error of direction moves far rows by steps.
    cores: tuple[float, ...] = (0.05, 0.2, 0.5, 1.0)
    unit_length: float = 2e-2  # The most that the length of an axis of one unit may be off, whatever its error.
    # Height from which on a direction is a rival: below that of an axis that could be claimed.
    rival_height: float = 0.4
    levels: int = 4  # Values that an axis must have: two or three clusters may be a whole number apart by chance.
    level_rows: int = 5  # Rows that make a value.
    judges: int = 1200  # Rows of the second half, at most, as all pairs with the first are compared.
    apart: float = 0.9  # Distance, in units, of rows that are no copies: below one step.
    # Rows of the least height that is claimed, 0.7, then have z = 7.9, about the least that is asked for.
    least_judges: int = 64
    confident: float = 0.25  # Residuals of rows whose values are read for sure: half of the way to being misread.
    rounds: int = 4  # Searches in what is orthogonal to the axes found.
    least_axes: int = 3  # A sum of attributes may be one unit long by chance; three at right angles may not.
    sure: float = 6.0  # Standard errors: 2e-9 for a normal error.


_CLIMBING = Climbing()
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31)  # (3, 4) ties two columns modulo 5, (1, 2, 2) three modulo 3


def climbed_frame(rows: FloatArray, unit: float, random: np.random.Generator, deadline: Deadline) -> Frame | None:
    """Frame of the attributes that are whole numbers of this unit; None where no directions stand out."""
    order = random.permutation(len(rows))
    middle = np.median(rows, axis=0)
    scaled = (rows - middle) / unit
    first, second = scaled[order[::2]], scaled[order[1::2]]
    columns = rows.shape[1]
    if len(second) < 4 * columns or len(first) < 8:
        return None
    differences = short_differences(first, random, 0.3)[: _CLIMBING.differences]
    if len(differences) < 2 * columns or np.median(np.linalg.norm(differences, axis=1)) > _CLIMBING.longest:
        return None
    judges = _apart(first, second[: _CLIMBING.judges])
    if len(judges) < _CLIMBING.least_judges:
        return None
    found = np.empty((0, columns))
    for _ in range(_CLIMBING.rounds):  # again in what is orthogonal to the axes found: the highest hide the others
        new = _axes(differences, first, second, judges, found, random, deadline)
        found = np.concatenate([found, new])
        if not len(new) or len(found) == columns:
            break
    # A sum of attributes may be one unit long by chance; several of them, at right angles, may not.
    if len(found) < _CLIMBING.least_axes:
        return None
    certain = np.ones(len(found), dtype=np.bool_)
    directions = found / np.linalg.norm(found, axis=1)[:, None]
    frame = phased(Frame(directions, np.full(len(found), unit), certain, middle, False, Path.CLIMBING), rows)
    if len(found) == columns:
        frame = refined(frame, rows, steps=False)
    return replace(frame, certain=_incongruent(frame.positions(rows)))


def _axes(
    differences: FloatArray,
    first: FloatArray,
    second: FloatArray,
    judges: FloatArray,
    found: FloatArray,
    random: np.random.Generator,
    deadline: Deadline,
) -> FloatArray:
    """Functionals of further axes, orthogonal to those found."""
    free = np.linalg.svd(found)[2][len(found) :] if len(found) else np.eye(first.shape[1])
    directions, heights = _climb(differences @ free.T, random, deadline)
    directions, hits = _distinct(directions @ free, heights)
    directions = _fitted(directions, first, deadline)
    return directions[_sound(directions, hits, judges, first, second)]


def _climb(differences: FloatArray, random: np.random.Generator, deadline: Deadline) -> tuple[FloatArray, FloatArray]:
    """Unit vectors after Newton-like steps uphill on mean cos(2 pi d.w), and that mean."""
    half = _CLIMBING.starts // 2
    others = half + random.permutation(max(len(differences) - half, 0))[:half]
    starts = differences[np.concatenate([np.arange(min(half, len(differences))), others]).astype(np.int64)]
    lengths = np.linalg.norm(starts, axis=1)
    directions = starts[lengths > 0.1] / lengths[lengths > 0.1, None]
    inverse = np.linalg.pinv(differences)
    for _ in range(_CLIMBING.steps):
        if deadline.left <= 0:
            raise OutOfTimeError
        turn = inverse @ np.sin(2 * np.pi * (differences @ directions.T)) / (2 * np.pi)
        directions = directions - _CLIMBING.damping * turn.T
        directions /= np.linalg.norm(directions, axis=1)[:, None]
    return directions, np.cos(2 * np.pi * (differences @ directions.T)).mean(axis=0)


def _distinct(directions: FloatArray, heights: FloatArray) -> tuple[FloatArray, IntArray]:
    """One direction of each group of (anti)parallel ones, the highest, and how many were in the group."""
    left = np.argsort(-heights, kind="stable")
    chosen, hits = list[int](), list[int]()
    while len(left) and len(chosen) < _CLIMBING.most_distinct + 4 * directions.shape[1]:
        same = np.abs(directions[left] @ directions[left[0]]) > _CLIMBING.same
        same[0] = True
        chosen.append(int(left[0]))
        hits.append(int(same.sum()))
        left = left[~same]
    return directions[chosen], np.array(hits, dtype=np.int64)


def _fitted(directions: FloatArray, rows: FloatArray, deadline: Deadline) -> FloatArray:
    """Functionals fitted to rows, the densest part first: their lengths are free and tell whether the unit is right."""
    order = np.argsort(np.einsum("ij,ij->i", rows, rows), kind="stable")
    for share in _CLIMBING.cores:
        core = rows[order[: max(min(len(rows), 500), int(share * len(rows)))]]
        centred = core - core.mean(axis=0)
        inverse = np.linalg.pinv(centred)
        for _ in range(8):
            if deadline.left <= 0:
                raise OutOfTimeError
            positions = core @ directions.T
            phases = np.angle(np.exp(2j * np.pi * positions).mean(axis=0))
            directions = directions - 0.8 * (inverse @ (np.sin(2 * np.pi * positions - phases) / (2 * np.pi))).T
            if share < _CLIMBING.cores[-1]:
                directions /= np.linalg.norm(directions, axis=1)[:, None]
    return directions


def _apart(first: FloatArray, second: FloatArray) -> FloatArray:
    """Rows of the second half that are no near copies of rows of the first, or of each other."""
    squares = np.einsum("ij,ij->i", first, first)
    own = np.einsum("ij,ij->i", second, second)
    alone = np.array(
        [(squares + s - 2 * (first @ row)).min() > _CLIMBING.apart**2 for row, s in zip(second, own, strict=True)]
    )
    left = second[alone]
    kept = list[FloatArray]()
    for row in left:
        if not kept or (((np.array(kept) - row) ** 2).sum(axis=1)).min() > _CLIMBING.apart**2:
            kept.append(row)
    return np.array(kept).reshape(-1, second.shape[1])


def _sound(
    directions: FloatArray, hits: IntArray, judges: FloatArray, first: FloatArray, second: FloatArray
) -> BoolArray:
    """Directions that are axes of one unit beyond chance, without a rival."""
    lengths = np.linalg.norm(directions, axis=1)
    heights = _height(judges, directions)
    # Of a height exp(-2 pi^2 s^2), the standard error of a length is s over the spread of the rows along it.
    deviation = np.sqrt(-np.log(np.clip(heights, 1e-9, 1 - 1e-12)) / (2 * np.pi**2))
    errors = deviation / ((first @ directions.T).std(axis=0) * np.sqrt(len(first)))
    # Noise in the rows also shortens it, by the noise's share of the variance that other directions do not explain.
    inverse = np.linalg.pinv(np.cov(first.T))
    shortening = deviation**2 * np.einsum("ij,jk,ik->i", directions, inverse, directions)
    unit = np.abs(lengths - 1) < np.minimum(_CLIMBING.sure * errors + 2 * shortening + 1e-9, _CLIMBING.unit_length)
    shown = heights * np.sqrt(2 * len(judges)) > LEVELS.least_z
    rivals = np.flatnonzero(
        shown & (heights > _CLIMBING.rival_height) & (np.abs(lengths - 1) < 2 * _CLIMBING.unit_length)
    )
    cosines = np.abs((directions @ directions[rivals].T) / (lengths[:, None] * lengths[rivals]))
    rivalled = ((cosines > _CLIMBING.rival) & (cosines < _CLIMBING.same)).any(axis=1)
    own = np.abs(directions).max(axis=1) > 0.999 * lengths
    certain = unit & shown & (heights > LEVELS.least_cosine) & (hits >= _CLIMBING.least_hits) & ~rivalled & ~own
    for place in np.flatnonzero(certain):
        certain[place] = _levels(second @ directions[place]) >= _CLIMBING.levels
    return np.asarray(certain)


def _height(rows: FloatArray, directions: FloatArray) -> FloatArray:
    return np.asarray(np.abs(np.exp(2j * np.pi * (rows @ directions.T)).mean(axis=0)))


def _levels(positions: FloatArray) -> int:
    """Number of whole numbers with several rows: two or three clusters may be a whole number apart by chance."""
    phase = np.angle(np.exp(2j * np.pi * positions).mean()) / (2 * np.pi)
    _, counts = np.unique(np.rint(positions - phase), return_counts=True)
    return int((counts >= _CLIMBING.level_rows).sum())


def _incongruent(positions: FloatArray) -> BoolArray:
    """Axes whose values obey no congruence with others, judged on rows that are read for sure."""
    shown = grid_evidence(positions).on_grid
    whole = np.rint(positions)
    sure = (np.abs(positions - whole)[:, shown] < _CLIMBING.confident).all(axis=1)
    values = whole[sure][:, shown].astype(np.int64)
    if len(values) <= values.shape[1] + 8:
        return np.zeros(len(shown), dtype=np.bool_)
    differences = values[1:] - values[0]
    few = differences[: 8 * values.shape[1]]  # nearly always enough, and soon done
    full = all(any(rank_modulo(some, prime) == values.shape[1] for some in (few, differences)) for prime in _PRIMES)
    return shown if full else np.zeros(len(shown), dtype=np.bool_)
