# SPDX-License-Identifier: BSD-3-Clause
r"""Values that many people share exactly show the axes of a release: zeros of amounts, caps, defaults.

Records with one value v in attribute j lie in the hyperplane x_j = v. Every motion takes it to another one, whose
normal is the image of axis j. Other hyperplanes hold as many rows as it takes to determine them. So planes w.y = c are
sought that hold more rows than that, exactly, and of these a largest set at right angles, the fullest first.

A plane is a direction u of the rows z = (y, 1), made white and of length one, for which z.u = 0 often. Planes through
random rows that hold most of the others are starts (Fischler and Bolles 1981); rows that full planes hold, with a few
others, are drawn for fuller ones. Ends of attributes, zeros and caps, are faces of the rows' convex hull, and found as
such (``hull``), however few rows they hold. From there and from random directions weighted least squares descend on
sum log(1 + (z.u / d)^2): u is the last eigenvector of sum z z' / ((z.u)^2 + d^2), while d falls. Least absolute values
would not do, because values beside a zero are mostly of one sign. What was found is projected out: across its normal
the planes of other attributes are found more easily.

Records may lie in a flat themselves: shares of a whole, amounts beside their sum. With a.x = c for all of them, a of
length one, planes show of axis e_j what lies within the flat, g_j = (e_j - a_j a) / sqrt(1 - a_j^2). These normals
*lean*: g_i.g_j = -t_i t_j, t_j = a_j / sqrt(1 - a_j^2). Three of them give t, t_i^2 = -(g_i.g_j)(g_i.g_k) / (g_j.g_k),
and a fourth that agrees confirms it; so does a relation that they exhaust, sum a_j^2 = 1, and for two of one size a
whole number 1 / a_j^2. Then g_j + t_j u, u across the flat, are the axes, at right angles again. Once some of them are
known the rest does not lie in a flat any more, and is sought as usual.

Columns may say something of a place, the same for all who live there: where it lies, its income, its share of young
people. Those of k places, k such columns, share a plane whose normal is a mixture of these axes. So normals that are
neither parallel nor at right angles belong to one *group* of attributes, of as many as they span, if they are more than
that: the span is the image of the group.

That such a normal is an attribute is likely, not certain: pairs of equal values make planes too.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from isobreach.attacks.alignment.descent import Evaluations
from isobreach.attacks.alignment.hull import corners
from isobreach.attacks.alignment.placing import DEAR

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class PlaneTuning:
    """How planes are sought."""

    rows: int = 1_500  # different rows that are looked at
    drawn: int = 1_000  # planes through random rows in each turn, of which the fullest are starts
    turns: int = 6  # the first with any rows, the others with rows of the fullest planes so far; set by hand
    tries: int = 2  # to find another plane, once there is one
    others: int = 3  # random rows in a plane that is drawn from a full one
    halves: int = 4  # of a plane's rows, each of which must determine it
    begun: int = 40  # of either kind of starts
    faces: int = 200  # of the hull: of eight columns with a tenth of the rows at the end of each, 200 met seven
    steps: int = 40  # of a descent
    widths: tuple[float, float] = (0.1, 1e-10)  # d of the first step and of the last
    beyond: int = 4  # rows more than determine a plane, at least
    denser: float = 10.0  # than next to the plane: a thin cluster is no plane
    rounding: float = 1e-8  # relative error of z.u that is taken for zero, at least
    flat: float = 1e-12  # of the largest variance, below which rows lie in a flat
    leaning: int = 2  # times as many planes as columns are looked at in a flat
    mixed: int = 4  # times as many planes that are not at right angles, for groups


TUNING = PlaneTuning()


@dataclass(frozen=True, eq=False)
class SharedValues:
    """What planes show that hold more rows than chance.

    Attributes
    ----------
    axes
        Orthonormal normals, one a column; there may be none.
    groups
        Orthonormal bases of the images of groups of attributes, n x d each.
    normals
        Unit normals of all planes, one a column, at right angles or not: of attributes, or of sums and differences.
    """

    axes: FloatArray
    groups: list[FloatArray]
    normals: FloatArray


def shared_values(rows: FloatArray, error: float, rng: np.random.Generator, effort: Evaluations) -> SharedValues:
    """Seek planes of released rows, and what they show.

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
    groups: list[FloatArray] = []
    seen = [found]
    tries = 1
    while basis.shape[1] > 1 and tries:
        normals, several = _planes(rows @ basis / size, tolerance, rng, effort)
        seen.append(basis @ several.T)
        groups += [basis @ group for group in _groups(several, 1e-6 + 10 * tolerance)]
        tries = TUNING.tries if normals.shape[1] else tries - 1
        found = np.hstack([found, basis @ normals])
        basis = np.linalg.svd(found)[0][:, found.shape[1] :] if found.shape[1] else basis
    axes = np.hstack([found, basis]) if found.shape[1] == n - 1 else found
    return SharedValues(axes, groups, np.hstack(seen))


def _planes(
    rows: FloatArray, tolerance: float, rng: np.random.Generator, effort: Evaluations
) -> tuple[FloatArray, FloatArray]:
    """Normals at right angles of planes found in one round, the fullest first, and all normals, one a row."""
    n = rows.shape[1]
    lifted = np.hstack([rows - rows.mean(axis=0), np.ones((len(rows), 1))])
    values, axes = np.linalg.eigh(lifted.T @ lifted / len(lifted))
    flat = int((values < TUNING.flat * values[-1]).sum())
    if len(rows) < n + TUNING.beyond or flat > 1 or n - flat < 2:
        return np.zeros((n, 0)), np.zeros((0, n))
    whitening = axes[:, flat:] / np.sqrt(values[flat:])
    white = lifted @ whitening
    white /= np.linalg.norm(white, axis=1, keepdims=True)
    drawn = _drawn(white, tolerance, rng)
    # Planes that are drawn and counted, and moments of all rows in every step of a descent.
    products = TUNING.turns * TUNING.drawn * (n + 1) * (len(rows) + n**2)
    products += TUNING.steps * 2 * TUNING.begun * len(rows) * (n + 1) * (n + 2) // 2
    products += 2 * TUNING.faces * len(rows) * n**2
    effort.spend(1 + int(products / DEAR))
    starts = np.vstack([drawn, rng.standard_normal((TUNING.begun, n + 1 - flat))])
    faces = _faces(lifted[:, :n], rng) @ axes[:, flat:] * np.sqrt(values[flat:])
    directions = np.vstack([_descended(white, starts), drawn, faces])  # a descent may leave a plane that is less full
    forms = directions @ whitening.T
    forms /= np.linalg.norm(forms[:, :n], axis=1, keepdims=True)
    normals = forms[:, :n]
    chosen, others = list[int](), list[int]()
    apart = np.abs(directions @ white.T)
    near = 1e-6 + 10 * tolerance
    for k in np.argsort(-(apart <= tolerance).sum(axis=1), kind="stable").tolist():
        if not (np.abs(normals[chosen + others] @ normals[k]) < 1 - near).all():
            continue
        fits = len(chosen) < TUNING.leaning * n if flat else (np.abs(normals[chosen] @ normals[k]) < near).all()
        if (fits or (not flat and len(others) < TUNING.mixed * n)) and _exact(white, apart[k], tolerance, rng):
            (chosen if fits else others).append(k)
    found = normals[chosen]
    if flat and chosen:
        places = found @ rows.mean(axis=0) - forms[chosen, n]
        across = axes[:n, 0]
        found = _leaning(found, places, across, float(rows.mean(axis=0) @ across), near)
    return np.asarray(np.linalg.qr(found.T)[0]), np.asarray(normals[[*chosen, *others] if not flat else []])


def _groups(normals: FloatArray, near: float) -> list[FloatArray]:
    """Spans of normals that are not at right angles to one another, where they are more than they span."""
    if not len(normals):
        return []
    count, of = connected_components(np.abs(normals @ normals.T) > near)
    found = []
    for group in range(count):
        own = normals[of == group]
        _, values, axes = np.linalg.svd(own)
        rank = int((values > near * values[0]).sum())
        if rank < min(len(own), normals.shape[1]):
            found.append(axes[:rank].T)
    return found


def _leaning(normals: FloatArray, places: FloatArray, across: FloatArray, height: float, near: float) -> FloatArray:
    """Axes of which normals within a flat are all that is seen: see the module. As many as agree, or none.

    Parameters
    ----------
    normals, places
        Of planes within the flat: unit vectors g and numbers c with g.y = c, the fullest first.
    across, height
        The same of the flat itself.
    near
        Error of a cosine.
    """
    cosines = normals @ normals.T
    best, slopes = np.zeros(0, dtype=np.int64), np.zeros(0)
    for begun in (*combinations(range(len(normals)), 2), *combinations(range(len(normals)), 3)):
        first, *others = begun
        with np.errstate(divide="ignore"):
            square = abs(cosines[begun]) if len(others) == 1 else -cosines[first, others].prod() / cosines[*others]
        if not near < square < 1 / near:
            continue
        lean = -cosines[first] / np.sqrt(square)
        lean[first] = np.sqrt(square)
        agree = [*begun]
        for other in range(len(normals)):
            off = np.abs(cosines[agree, other] + lean[agree] * lean[other])
            if other not in agree and (off < 10 * near).all():
                agree.append(other)
        share = float((lean[agree] ** 2 / (1 + lean[agree] ** 2)).sum())
        count = (1 + square) / square  # of attributes in a relation with coefficients of one size
        alike = len(others) == 1 and abs(count - round(count)) < 10 * near * count**2
        told = len(agree) > 3 or alike or abs(share - 1) < 10 * near
        if told and share < 1 + 10 * near and len(agree) > len(best):
            best, slopes = np.array(agree), lean[agree]
    # Behind a translation the flat has no side. A rotation keeps the origin, through which planes of zeros go.
    side = -1.0 if places[best] @ slopes * height > 0 else 1.0
    return np.asarray((normals[best] + side * slopes[:, None] * across) / np.sqrt(1 + slopes[:, None] ** 2))


def _faces(centred: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Faces of the rows' hull, as forms of rows (y, 1): one a row."""
    values, axes = np.linalg.eigh(centred.T @ centred / len(centred))
    inner = values > TUNING.flat * values[-1]
    whitening = axes[:, inner] / np.sqrt(values[inner])
    normals = corners(centred @ whitening, TUNING.faces, rng) @ whitening.T
    return np.hstack([normals, np.full((len(normals), 1), -1.0)])


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
        # The last column is at right angles to the rows, however many of them are alike.
        planes = np.linalg.qr(white[picked].transpose(0, 2, 1), mode="complete")[0][:, :, -1]
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
