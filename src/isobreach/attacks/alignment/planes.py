# SPDX-License-Identifier: BSD-3-Clause
r"""Values that many people share exactly show the axes of a release: zeros of amounts, caps, defaults.

Records with one value v in attribute j lie in the hyperplane x_j = v. Every motion takes it to another one, whose
normal is the image of axis j. Other hyperplanes hold as many rows as it takes to determine them. So planes w.y = c are
sought that hold more rows than that, exactly, and of these a largest set at right angles, the fullest first.

A plane is a direction u of the rows z = (y, 1), made white and of length one, for which z.u = 0 often. Planes through
random rows that hold most of the others are starts (Fischler and Bolles 1981); rows that full planes hold, with a few
others, are drawn for fuller ones. From there and from random directions weighted least squares descend on
sum log(1 + (z.u / d)^2): u is the last eigenvector of sum z z' / ((z.u)^2 + d^2), while d falls. Least absolute values
would not do, because values beside a zero are mostly of one sign. What was found is projected out: across its normal
the planes of other attributes are found more easily.

That such a normal is an attribute is likely, not certain: pairs of equal values make planes too.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isobreach.attacks.alignment.descent import Evaluations
from isobreach.attacks.alignment.placing import DEAR

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class PlaneTuning:
    """How planes are sought."""

    rows: int = 1_500  # different rows that are looked at
    drawn: int = 1_000  # planes through random rows in each turn, of which the fullest are starts
    turns: int = 6
    others: int = 3  # random rows in a plane that is drawn from a full one
    halves: int = 4  # of a plane's rows, each of which must determine it
    begun: int = 40  # of either kind of starts
    steps: int = 40  # of a descent
    widths: tuple[float, float] = (0.1, 1e-10)  # d of the first step and of the last
    beyond: int = 4  # rows more than determine a plane, at least
    denser: float = 10.0  # than next to the plane: a thin cluster is no plane
    rounding: float = 1e-8  # relative error of z.u that is taken for zero, at least


TUNING = PlaneTuning()


def plane_axes(rows: FloatArray, error: float, rng: np.random.Generator, effort: Evaluations) -> FloatArray:
    """Orthonormal normals of the planes that hold more rows than chance, one a column; there may be none.

    Parameters
    ----------
    rows
        Released rows.
    error
        Of a released coordinate.
    rng
        Draws rows and starts.
    effort
        Counts evaluations.
    """
    rows = np.unique(rows, axis=0)
    rows = rows[rng.permutation(len(rows))[: TUNING.rows]]
    n, size = rows.shape[1], float(np.sqrt((rows**2).mean())) + np.finfo(np.float64).tiny
    tolerance = max(TUNING.rounding, 4 * np.sqrt(n) * error / size)
    basis, found = np.eye(n), np.zeros((n, 0))  # what is left to search, and the normals
    while basis.shape[1] > 1:
        normals = _planes(rows @ basis / size, tolerance, rng, effort)
        if not normals.shape[1]:
            break
        found = np.hstack([found, basis @ normals])
        basis = np.linalg.svd(found)[0][:, found.shape[1] :]
    return np.hstack([found, basis]) if found.shape[1] == n - 1 else found


def _planes(rows: FloatArray, tolerance: float, rng: np.random.Generator, effort: Evaluations) -> FloatArray:
    """Normals at right angles of planes found in one round, the fullest first."""
    n = rows.shape[1]
    lifted = np.hstack([rows - rows.mean(axis=0), np.ones((len(rows), 1))])
    values, axes = np.linalg.eigh(lifted.T @ lifted / len(lifted))
    if len(rows) < n + TUNING.beyond or values[0] < 1e-12 * values[-1]:
        return np.zeros((n, 0))
    whitening = axes / np.sqrt(values)
    white = lifted @ whitening
    white /= np.linalg.norm(white, axis=1, keepdims=True)
    drawn = _drawn(white, tolerance, rng)
    # Planes that are drawn and counted, and moments of all rows in every step of a descent.
    products = TUNING.turns * TUNING.drawn * (n + 1) * (len(rows) + n**2)
    products += TUNING.steps * 2 * TUNING.begun * len(rows) * (n + 1) * (n + 2) // 2
    effort.spend(1 + int(products / DEAR))
    starts = np.vstack([drawn, rng.standard_normal((TUNING.begun, n + 1))])
    directions = np.vstack([_descended(white, starts), drawn])  # a descent may leave a plane that is less full
    normals = (directions @ whitening.T)[:, :n]
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    chosen: list[FloatArray] = []
    apart = np.abs(directions @ white.T)
    for k in np.argsort(-(apart <= tolerance).sum(axis=1), kind="stable"):
        square = all(abs(float(normals[k] @ other)) < 1e-6 + 10 * tolerance for other in chosen)
        if square and _exact(white, apart[k], tolerance, rng):
            chosen.append(normals[k])
    return np.linalg.qr(np.array(chosen).T)[0] if chosen else np.zeros((n, 0))


def _exact(white: FloatArray, apart: FloatArray, tolerance: float, rng: np.random.Generator) -> bool:
    """Whether a plane holds more rows than chance, and any half of them determines it.

    Chance holds rows as densely as lie next to the plane. A plane through a crowded flat and a few rows more would be
    another one without these.
    """
    held, size = np.flatnonzero(apart <= tolerance), white.shape[1]
    chance = (np.count_nonzero(apart <= 10 * tolerance) - len(held)) / 9
    if len(held) < size - 1 + TUNING.beyond + TUNING.denser * chance:
        return False
    for _ in range(TUNING.halves):
        half = white[rng.permutation(held)[: max(size - 1, len(held) // 2)]]
        if np.linalg.svd(half, compute_uv=False)[size - 2] < 1e-6 + 10 * tolerance:
            return False
    return True


def _drawn(white: FloatArray, tolerance: float, rng: np.random.Generator) -> FloatArray:
    """The fullest planes through random rows: first any rows, then rows that full planes hold and a few others."""
    size = white.shape[1]
    best, counts = np.zeros((0, size)), np.zeros(0, dtype=np.int64)
    for turn in range(TUNING.turns):
        picked = rng.integers(0, len(white), (TUNING.drawn, size - 1))
        if turn:
            held = np.abs(best @ white.T) <= tolerance
            for k, few in enumerate(np.array_split(np.arange(TUNING.drawn), len(best))):
                kept = rng.choice(np.flatnonzero(held[k]), (len(few), max(0, size - 1 - TUNING.others)))
                picked[few, : kept.shape[1]] = kept
        square = np.concatenate([white[picked], np.zeros((TUNING.drawn, 1, size))], axis=1)
        planes = np.linalg.svd(square)[2][:, -1]
        found = np.vstack([best, planes]), np.concatenate([counts, (np.abs(planes @ white.T) <= tolerance).sum(axis=1)])
        order = np.argsort(-found[1], kind="stable")[: 10 * TUNING.begun]
        same = np.abs(found[0][order] @ found[0][order].T) > 1 - 1e-9
        fullest = order[np.argmax(same, axis=1) == np.arange(len(order))][: TUNING.begun]
        best, counts = found[0][fullest], found[1][fullest]
    return best


def _descended(white: FloatArray, starts: FloatArray) -> FloatArray:
    """Directions in which many rows are zero, by weighted least squares from all starts at once."""
    size = white.shape[1]
    first, second = np.triu_indices(size)
    products = white[:, first] * white[:, second]
    directions: FloatArray = starts / np.linalg.norm(starts, axis=1, keepdims=True)
    for width in np.geomspace(*TUNING.widths, TUNING.steps):
        weights = width**2 / ((directions @ white.T) ** 2 + width**2)
        moments = np.zeros((len(starts), size, size))
        moments[:, first, second] = weights @ products
        moments[:, second, first] = moments[:, first, second]
        directions = np.linalg.eigh(moments)[1][:, :, 0]
    return np.asarray(directions)
