# SPDX-License-Identifier: BSD-3-Clause
"""Sums among columns confine all rows to a flat, whose normals are links: linked records tell which they are.

Where a total stands beside its parts, w.x = c for everybody, with few and whole coefficients w. Released rows then lie
in a flat of as many dimensions less as there are such relations. Its normals are seen in the release, and the w span
them among the attributes. A motion takes normals to normals, and how it turns them among themselves changes no row of
a flat through the origin: they are links, as good as records.

Linked records that span the flat show its normals themselves. Fewer of them fulfil other relations too, but none with
small whole coefficients, unless by chance: w.x is one of about |x| / d numbers, d the precision or the step of the
values, so that of (2 b + 1)^n relations with coefficients up to b

    (2 b + 1)^n  prod over records of 4 d / |x|

are fulfilled by chance, up to d b. Weights of a mark or a tax rate are whole numbers too: 3 a + 7 b - 10 c = 0. The
shortest relations are short vectors of the lattice of rows (e_j, x_j / d), one number for each record (Lenstra,
Lenstra, Lovasz 1982). Relations count where they span exactly as many dimensions as the release shows normals. Records
that have zeros in common, say, fulfil more, and tell nothing.

Components of rows in a flat are no attributes. So the rotation that is left is sought by descents from the best of many
random ones, and the one under which the columns' entropies have the least sum is taken: mirror images have larger ones.
"""

from dataclasses import dataclass, replace

import numpy as np

from isobreach._arrays import FloatArray
from isobreach.attacks.alignment.components import entropy, sharpened
from isobreach.attacks.alignment.descent import Evaluations
from isobreach.attacks.alignment.frames import FLAT, Frame, Pose, frame_of, matched_normals, normals
from isobreach.attacks.alignment.situation import Situation
from isobreach.attacks.alignment.solution import FittedMotion
from isobreach.geometry import haar, integers
from isobreach.linking import CHANCE_LIMIT
from isobreach.release import grid_spacing


@dataclass(frozen=True)
class FlatTuning:
    """Which relations are sought, and how the rotation that they leave."""

    exact: float = 1e-9  # of a record's size: what is left of a relation, which was computed or read from a file
    drawn: int = 500  # random rotations, each with a mirror image: optima of three dimensions are narrow
    starts: int = 12  # of these, the best
    rows: int = 1_500  # released rows that the search looks at


TUNING = FlatTuning()


def by_sums(
    situation: Situation, rows: FloatArray, effort: Evaluations, rng: np.random.Generator
) -> FittedMotion | None:
    """Return the motion under which columns are least entropic, normals of the flat being links; None without these.

    The frame is that of the links alone: what normals fix is not known, but guessed, however good the guess is.

    Parameters
    ----------
    situation
        Links, motion, and perhaps a sample.
    rows
        Released rows.
    effort
        Evaluations that may be made.
    rng
        Draws starts.
    """
    told = linked_flat(situation, rows)
    if told is None:
        return None
    sample, translates = situation.sample, situation.translates
    frame = frame_of(told.known, told.released, rows, sample, translates=translates, noise=0.0)
    best = _least_entropic(frame, rows, effort, rng) if frame.hidden else frame.start()
    links = frame_of(situation.known, situation.released, rows, sample, translates=translates, noise=0.0)
    return FittedMotion("sums", links, links.pose_of(*frame.affine(best)), effort.used, exact=not frame.hidden)


def _least_entropic(frame: Frame, rows: FloatArray, effort: Evaluations, rng: np.random.Generator) -> Pose:
    """The pose under which the columns' entropies have the least sum: descents from the best of many."""
    part, h = rows[rng.permutation(len(rows))[: TUNING.rows]], frame.hidden
    count = 1 if h == 1 else max(min(TUNING.drawn, effort.most // 8), 1)  # a quarter of the evaluations
    mirror = np.diag(np.r_[np.ones(h - 1), -1.0])
    begun = [frame.start(turn @ way) for turn in (haar(h, rng) for _ in range(count)) for way in (np.eye(h), mirror)]
    levels = np.array([entropy(frame, part, pose) for pose in begun])
    effort.spend(len(begun))
    found: list[tuple[float, int, Pose]] = []
    for place in np.argsort(levels, kind="stable")[: TUNING.starts]:
        if effort.left or not found:
            pose = sharpened(frame, part, begun[place], effort)
            found.append((entropy(frame, part, pose), len(found), pose))
    return sharpened(frame, rows, min(found)[2], effort)


def linked_flat(situation: Situation, rows: FloatArray) -> Situation | None:
    """Return the situation with the normals of the release's flat for further links, or None where they are not told.

    Parameters
    ----------
    situation
        Links, motion, and perhaps a sample.
    rows
        Released rows.
    """
    if situation.noise or not len(situation.known) or len(rows) <= rows.shape[1]:
        return None
    of_rows = normals(rows)
    held = situation.known if situation.sample is None else np.vstack([situation.known, situation.sample])
    size = float(np.sqrt((rows**2).sum() / len(rows)))
    away = situation.translates or np.abs(of_rows @ rows.mean(axis=0)).max(initial=0.0) > FLAT * size
    told = normals_told(held[1:] - held[0] if away else held, len(of_rows))
    if told is None:
        return None
    begin = (situation.known[:1], situation.released[:1]) if situation.translates else (0.0, 0.0)
    links = situation.known - begin[0], situation.released - begin[1]
    matched = matched_normals(*links, told, of_rows)
    return replace(
        situation,
        known=np.vstack([situation.known, begin[0] + size * matched]),
        released=np.vstack([situation.released, begin[1] + size * of_rows]),
    )


def normals_told(points: FloatArray, count: int) -> FloatArray | None:
    """Return so many orthonormal rows, normal to a flat that holds the points, or None where these do not tell them.

    Parameters
    ----------
    points
        Held records, or arrows between them; one a row.
    count
        Normals that the release shows.
    """
    points = points[points.any(axis=1)]
    if not count or not len(points):
        return None
    axes, rank = _ranked(points / np.linalg.norm(points, axis=1, keepdims=True))
    if len(axes) - rank > count:
        axes, rank = _ranked(whole_relations(points))
        return axes[:rank] if rank == count else None
    return axes[rank:] if len(axes) - rank == count else None


def whole_relations(points: FloatArray, apart: FloatArray | float = 0.0) -> FloatArray:
    """Return relations with whole coefficients, one a row, that all points fulfil, beyond chance.

    Parameters
    ----------
    points
        One a row, none of them zero.
    apart
        How far different values are apart at least, over the length of each point; more if its digits say so.
    """
    n, sizes = points.shape[1], np.linalg.norm(points, axis=1)
    steps = np.maximum(np.array([grid_spacing(point) for point in points]) / sizes, apart)
    steps = np.clip(steps, TUNING.exact, 1.0)
    unit, rare = points / sizes[:, None], np.log(CHANCE_LIMIT) - np.log(4 * steps).sum()
    if n * np.log(3) > rare:
        return np.zeros((0, n))
    lattice = np.hstack([np.eye(n), np.rint(unit.T / steps)]).astype(np.int64)
    found = integers.reduced_basis(lattice)[:, :n].astype(np.float64)
    largest = np.abs(found).max(axis=1)
    held = (np.abs(found @ unit.T) <= TUNING.exact * largest[:, None]).all(axis=1)
    return np.asarray(found[held & (n * np.log(2 * largest + 1) <= rare)])


def _ranked(rows: FloatArray) -> tuple[FloatArray, int]:
    """Orthonormal axes, those that the rows span first, and how many these are."""
    _, values, axes = np.linalg.svd(rows, full_matrices=True) if len(rows) else (0, np.zeros(0), np.eye(rows.shape[1]))
    return np.asarray(axes), int((values > FLAT * values.max(initial=0.0)).sum())
