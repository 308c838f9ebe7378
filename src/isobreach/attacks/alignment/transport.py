# SPDX-License-Identifier: BSD-3-Clause
r"""Fit of an alignment in many columns: Procrustes rotations on soft matches of rows and records, in growing rank.

The rotation P of centred rows a to centred records b (in their principal axes) is improved in rounds. With the cosines
s_ij of a_i P and b_j in the leading axes, the entropic optimal transport

    T = argmax <T, s> + e H(T),     rows of T sum to 1/N, columns to 1/m        (Cuturi 2013, Sinkhorn's iteration)

matches rows and records softly, and P becomes the polar factor of

    A' T B / |.|  +  A' S2 B / |.|  +  w sum of pairs' a b',

with S2 the squares of the inner products a_i P b_j: the second term is the gradient of their mean cube, which is the
inner product of the two third-moment tensors in *all* axes. Alone, transport overfits the matches that it makes
(Procrustes-Wasserstein: Grave, Joulin and Berthet 2019) and third moments have poor optima; together they have neither
fault. The means, where the motion fixes the origin, and links are pairs. The number of leading axes grows, so that
axes are matched by those that are right already.

A motion is judged without the truth by

    rho = mean (a_i P b_j)^3 / sqrt(mean (a_i a_k)^3 mean (b_j b_l)^3)        over pairs of different rows,

whose expectation is one at the true motion: all three estimate |E xxx|^2.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach.attacks.alignment.descent import Evaluations

SingleArray = NDArray[np.float32]


@dataclass(frozen=True)
class TransportTuning:
    """How matches are made, chosen on sentence embeddings in 256 to 512 columns.

    Attributes
    ----------
    blur
        Entropy e of the transport, in cosines: .05 overfits, at .25 matches say little.
    third
        Weight of the third moments beside the matches: read-out suffers at .3, cosines at 3.
    pairs
        Weight of a pair: exact, so that it outweighs any one direction of the others.
    ranks, rounds
        Leading axes in which cosines are taken, and rounds at each.
    block
        Axes that are rotated beside those in which cosines are taken, as a multiple.
    last
        Rounds in all axes at the end.
    sinkhorn
        Iterations of a transport, which begins where the one before ended.
    ahead
        Share of a round's change that is made once more: rounds are many and alike.
    dear
        Products of numbers that count as one evaluation.
    none
        Of the cube of the mean squared length: mean cubes of inner products that single precision cannot tell from 0.
    """

    blur: float = 0.16
    third: float = 1.0
    pairs: float = 1.0
    ranks: tuple[int, ...] = (24, 40, 70, 120, 200, 320)
    rounds: int = 2
    block: int = 2
    last: int = 20
    sinkhorn: int = 4
    ahead: float = 1.2
    dear: float = 1e8
    none: float = 1e-6


TUNING = TransportTuning()


def transported(
    rows: SingleArray, records: SingleArray, pull: FloatArray, start: FloatArray, effort: Evaluations
) -> FloatArray:
    """Return the rotation of rows to records, from one that is right in some leading axes.

    Parameters
    ----------
    rows, records
        Centred coordinates in principal axes, N x q and m x q.
    pull
        Sum of outer products of pairs of unit length, q x q.
    start
        Rotation, q x q.
    effort
        Counts evaluations.
    """
    q, rotation = rows.shape[1], start
    growing = [r for r in TUNING.ranks if TUNING.block * r < q]
    for r in growing:  # in as many axes as those that are right can tell apart
        k = TUNING.block * r
        found = _rounds(rows[:, :k], records[:, :k], pull[:k, :k], _polar(rotation[:k, :k]), r, TUNING.rounds, effort)
        rotation = rotation.copy()
        rotation[:k, :k] = found
    for r in TUNING.ranks:
        if TUNING.block * r >= q > r:
            rotation = _rounds(rows, records, pull, rotation, r, TUNING.rounds, effort)
    return _rounds(rows, records, pull, rotation, q, TUNING.last, effort)


def _rounds(
    rows: SingleArray,
    records: SingleArray,
    pull: FloatArray,
    rotation: FloatArray,
    r: int,
    rounds: int,
    effort: Evaluations,
) -> FloatArray:
    """The rotation after some rounds, with cosines in r leading axes."""
    rows, records, weights = np.ascontiguousarray(rows), np.ascontiguousarray(records), np.ones(len(rows), np.float32)
    sizes = np.maximum(np.linalg.norm(records[:, :r], axis=1), 1e-12)
    before: FloatArray | None = None
    for _ in range(rounds):
        turned = rows @ rotation[:, :r].astype(np.float32)
        inner = turned @ records[:, :r].T
        lengths = np.maximum(np.linalg.norm(turned, axis=1), 1e-12)
        plan, weights = _plan(inner / lengths[:, None] / sizes, weights)
        matched = _sized(rows.T @ (plan @ records))
        np.square(inner, out=inner)
        thirds = _sized(rows.T @ (inner @ records))
        says = matched + TUNING.third * thirds + TUNING.pairs * pull + 1e-6 * rotation
        ahead = says if before is None else says + TUNING.ahead * (says - before)
        before, rotation = says, _polar(ahead)
        effort.spend(max(1, int(len(rows) * len(records) * (r + 2 * rows.shape[1]) / TUNING.dear)))
    return rotation


def third_moment_ratio(rows: SingleArray, records: SingleArray, rotation: FloatArray) -> float:
    """Return rho: about one at the true motion, lower elsewhere; more where it was fitted to the same records.

    Third moments of symmetric tables are noise, and their means may be below zero: they count for next to nothing then.

    Parameters
    ----------
    rows, records
        Centred coordinates.
    rotation
        Of rows to records.
    """
    across = float(_cubes(rows @ rotation.astype(np.float32), records)) / (len(rows) * len(records))
    for one in (rows, records):
        squares = (one.astype(np.float64) ** 2).sum(axis=1)
        own = (float(_cubes(one, one)) - float((squares**3).sum())) / (len(one) * (len(one) - 1))
        across /= float(np.sqrt(max(own, TUNING.none * float(squares.mean()) ** 3, np.finfo(np.float64).tiny)))
    return across


def _cubes(left: SingleArray, right: SingleArray) -> np.float64:
    inner = left @ right.T
    return np.float64((inner * inner * inner).sum(dtype=np.float64))


def _plan(cosines: SingleArray, weights: SingleArray) -> tuple[SingleArray, SingleArray]:
    """The transport, and weights of the rows for the next one."""
    kernel = np.exp((cosines - cosines.max()) / np.float32(TUNING.blur))
    count, m = kernel.shape
    for _ in range(TUNING.sinkhorn):
        others = np.float32(1 / m) / (weights @ kernel)
        weights = np.float32(1 / count) / (kernel @ others)
    return weights[:, None] * kernel * others, weights


def _sized(values: NDArray[Any]) -> FloatArray:
    """The same with norm one."""
    return np.asarray(values / max(float(np.linalg.norm(values)), 1e-30), dtype=np.float64)


def _polar(matrix: FloatArray) -> FloatArray:
    """The orthogonal matrix nearest to a square one: in single precision, and orthogonal to double."""
    left, _, right = np.linalg.svd(matrix.astype(np.float32))
    near = (left @ right).astype(np.float64)
    return np.asarray(1.5 * near - 0.5 * near @ (near.T @ near))  # a step of Newton and Schulz
