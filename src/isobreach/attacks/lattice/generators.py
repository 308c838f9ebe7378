# SPDX-License-Identifier: BSD-3-Clause
"""Vectors that generate the lattice of a release: rows, or differences of rows, which cancel a translation.

An inner product of two vectors errs by about their length times the error of a coordinate: short differences between
near neighbours bear about ten times more noise than differences of random rows, and cost a search.
"""

from dataclasses import dataclass

import numpy as np

from isobreach._arrays import FloatArray, IntArray


@dataclass(frozen=True)
class Choice:
    """How generators are chosen."""

    least_extra: int = 12  # Vectors beyond the rank: each is one more equation that chance would have to meet.
    far: float = 0.1  # Of the largest squared length outside a span: one such row is added at random.
    anchors: int = 1500  # Rows whose neighbours are looked for; set by hand, it only decides what is missed.
    neighbours: int = 3  # Of each: the nearest are often all along one axis.
    chunk: int = 250  # Rows compared with all others at a time: 40 MB for 20,000 rows.
    # A short difference is a new direction while this share of it lies outside the span.
    new_direction: tuple[float, ...] = (0.4, 0.2, 0.1, 0.05)
    parallel: float = 0.9  # Cosine from which on a further difference adds nothing.


_CHOICE = Choice()


def wanted(rank: int) -> int:
    """Number of generators for a lattice of this rank."""
    return rank + max(_CHOICE.least_extra, rank // 2)


def random_rows(rows: FloatArray, count: int, random: np.random.Generator, floor: float) -> IntArray:
    """``count`` random rows that span what all rows span, down to lengths of ``floor``; more if that needs more."""
    chosen = random.permutation(len(rows))[:count]
    left = _outside(rows, rows[chosen], floor)
    added = list[int]()
    while len(added) < rows.shape[1]:
        squares = np.einsum("ij,ij->i", left, left)
        far = np.flatnonzero(squares > max(_CHOICE.far * squares.max(), floor**2))
        if not len(far):
            break
        place = int(random.choice(far))
        direction = left[place] / np.sqrt(squares[place])
        left = left - np.outer(left @ direction, direction)
        added.append(place)
    return np.concatenate([chosen, np.array(added, dtype=np.int64)])


def _outside(rows: FloatArray, vectors: FloatArray, floor: float) -> FloatArray:
    """Part of each row outside the span of some vectors, down to lengths of ``floor``."""
    _, values, directions = np.linalg.svd(vectors, full_matrices=False)
    span = directions[values > max(floor, 1e-12 * float(values[0]))]
    return np.asarray(rows - (rows @ span.T) @ span)


def short_differences(rows: FloatArray, random: np.random.Generator, least: float) -> FloatArray:
    """Differences of at least ``least`` between random rows and their nearest neighbours, shortest first."""
    anchors = random.permutation(len(rows))[: _CHOICE.anchors]
    squares = np.einsum("ij,ij->i", rows, rows)
    neighbours = min(_CHOICE.neighbours, len(rows) - 2)
    pieces = list[FloatArray]()
    for start in range(0, len(anchors), _CHOICE.chunk):
        some = anchors[start : start + _CHOICE.chunk]
        distances = squares[some][:, None] + squares - 2 * (rows[some] @ rows.T)
        distances[distances < least**2] = np.inf
        nearest = np.argpartition(distances, neighbours, axis=1)[:, :neighbours]
        pieces.append((rows[some][:, None] - rows[nearest]).reshape(-1, rows.shape[1]))
    differences = np.concatenate(pieces)
    lengths = np.linalg.norm(differences, axis=1)  # once more: of large rows, squares leave nothing of a short distance
    order = np.argsort(lengths, kind="stable")
    return np.asarray(differences[order[lengths[order] >= least]])


def spread(differences: FloatArray, count: int) -> FloatArray:
    """Of differences in the order of their lengths, a short set that spans, then the next that are not parallel."""
    units = differences / np.linalg.norm(differences, axis=1)[:, None]
    outside, span, taken = np.ones(len(units)), np.empty((0, units.shape[1])), list[int]()  # outside: squared lengths
    for share in _CHOICE.new_direction:
        while len(taken) < differences.shape[1]:
            new = np.flatnonzero(outside > share**2)
            if not len(new):
                break
            direction = units[new[0]]
            for _ in range(2):  # twice is enough (Kahan)
                direction = direction - (span @ direction) @ span
            direction = direction / np.linalg.norm(direction)
            outside -= (units @ direction) ** 2
            span = np.concatenate([span, direction[None]])
            taken.append(int(new[0]))
    for place in range(len(units)):
        if len(taken) >= count:
            break
        if np.abs(units[taken] @ units[place]).max(initial=0.0) < _CHOICE.parallel:
            taken.append(place)
    return differences[taken]
