# SPDX-License-Identifier: BSD-3-Clause
r"""A first few links under noise: partial assignments by a joint test of all their lengths (``law``).

Partial assignments grow record by record, the next record being the one that leaves the fewest (counted on a sample).
The lengths of a new row are whitened one after the other, so that Q only grows and a row is left as soon as it is too
large. Of too many partial assignments, those with the smallest Q go on.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from isobreach._arrays import FloatArray, IntArray
from isobreach._compiled import compiled, copy, fill, grown, grown_rows
from isobreach._progress import Progress
from isobreach.linking.candidates import NARROWING, Field, neighbours, telling_order
from isobreach.linking.noisy.law import joint_law, lengths_of, whitening
from isobreach.linking.noisy.squares import Squares
from isobreach.release import Bounds


@dataclass(frozen=True)
class Seeding:
    """How seeds are sought.

    Attributes
    ----------
    records
        Records of a seed, at most: they have 28 distances, and eight norms where these are kept.
    beam
        Partial assignments that go on, those of the least misfit first: a second of work for 4,000 rows.
    miss
        Probability that the joint test of one more record loses the truth. A tenth of it passes half as many false
        rows for each length; the truth is lost once in 1,500 times, and other beginnings are tried then.
    sample, choices
        Partial assignments on which the next record is chosen, and records among which it is.
    part
        Partial assignments that a task extends at a time.
    longer
        Extensions after which the rest is left: the best were extended first.
    """

    records: int = 8
    beam: int = 100_000
    miss: float = 1e-4
    sample: int = 64
    choices: int = 64
    part: int = 1 << 11
    longer: int = 1 << 19


SEEDING = Seeding()


@dataclass(frozen=True, eq=False)
class Seeds:
    """Partial assignments ``partial`` (t x L) of ``records`` to values, best first, and their Q."""

    records: IntArray
    partial: IntArray
    misfit: FloatArray


@dataclass(frozen=True, eq=False)
class _Test:
    """The joint test of some records in an order: see ``law``."""

    lengths: IntArray
    mean: FloatArray
    factor: FloatArray
    limit: float

    @classmethod
    def of(cls, bounds: Bounds, squares: Squares, order: IntArray, norms_kept: bool) -> "_Test":
        lengths = lengths_of(len(order), norms_kept)
        mean, covariance = joint_law(
            bounds.known[order],
            lengths,
            bounds.deviation,
            bounds.columns,
            bounds.scale_error,
            bounds.projected,
        )
        covariance[np.diag_indices_from(covariance)] += squares.error(mean) ** 2
        return cls(lengths, mean, whitening(covariance), float(chdtri(len(lengths), SEEDING.miss)))

    @property
    def arrays(self) -> tuple[IntArray, FloatArray, FloatArray, float]:
        return self.lengths, self.mean, self.factor, self.limit


def seeds(
    bounds: Bounds, field: Field, squares: Squares, first: IntArray, *, norms_kept: bool, progress: Progress
) -> Seeds:
    """Partial assignments of a few records that pass the joint test, from the most telling pair of ``first`` on."""
    everyone = np.arange(len(bounds.known))
    shape = len(everyone), len(field.points)
    masks = _norm_masks(bounds, squares) if norms_kept else np.ones(shape, dtype=np.bool_)
    share = np.log(np.maximum(masks.mean(axis=1), 1e-9))
    order = telling_order(bounds, field.rates, first, share)[:2].tolist()
    low, high = bounds.distances(np.array(order[:1]), np.array(order[1:]))
    u, v, _ = field.cloud.pairs(low[0], high[0], NARROWING.most_pairs, progress)
    u, v = u[u != v], v[u != v]
    partial = np.concatenate([np.stack([u, v], axis=1), np.stack([v, u], axis=1)])
    partial = partial[masks[order[0]][partial[:, 0]] & masks[order[1]][partial[:, 1]]]
    test = _Test.of(bounds, squares, np.array(order), norms_kept)
    misfit = _misfits(squares.table, squares.points, squares.norms, partial, *test.arrays[:3])
    keep = np.flatnonzero(misfit <= test.limit)
    partial, misfit = _best(partial[keep], misfit[keep])
    while len(order) < min(len(everyone), SEEDING.records) and len(partial):
        progress("placing records", len(order), SEEDING.records)
        order.append(_next_record(bounds, field, squares, order, partial, masks))
        partial, misfit = _longer(bounds, field, squares, np.array(order), partial, masks[order[-1]], norms_kept)
        partial, misfit = _best(partial, misfit)
    progress("placing records", SEEDING.records, SEEDING.records)
    return Seeds(np.array(order), partial, misfit)


def _best(partial: IntArray, misfit: FloatArray) -> tuple[IntArray, FloatArray]:
    """By increasing Q, as many as the beam takes."""
    order = np.argsort(misfit, kind="stable")[: SEEDING.beam]
    return partial[order], misfit[order]


def _norm_masks(bounds: Bounds, squares: Squares) -> NDArray[np.bool_]:
    norms = np.sqrt(squares.norms)
    low, high = bounds.norms(np.arange(len(bounds.known)))
    return np.asarray((norms >= low[:, None]) & (norms <= high[:, None]))


def _squared(bounds: Bounds, first: IntArray, second: IntArray) -> tuple[FloatArray, FloatArray]:
    """Least and largest squared distance of each of the ``first`` records from each of the ``second``."""
    low, high = bounds.distances(first, second)
    return np.maximum(low, 0.0) ** 2, high**2


def _next_record(
    bounds: Bounds, field: Field, squares: Squares, order: list[int], partial: IntArray, masks: NDArray[np.bool_]
) -> int:
    """The record that a sample of partial assignments can be extended by in the fewest ways."""
    rest = np.setdiff1d(np.arange(len(bounds.known)), order)[: SEEDING.choices]
    if len(rest) == 1:
        return int(rest[0])
    params = squares.table, squares.points, squares.norms, *_squared(bounds, np.array(order), rest), masks[rest]
    sample = partial[:: max(1, len(partial) // SEEDING.sample)]
    count = np.zeros(len(rest), dtype=np.int64)
    for part in field.workers.run(_ways_of, np.array_split(sample, 8), params):
        count += part
    return int(rest[np.argmin(count)])


def _longer(
    bounds: Bounds,
    field: Field,
    squares: Squares,
    order: IntArray,
    partial: IntArray,
    mask: NDArray[np.bool_],
    norms_kept: bool,
) -> tuple[IntArray, FloatArray]:
    """Partial assignments with one more record that pass the joint test, and their Q."""
    low, high = (b[:, 0] for b in _squared(bounds, order[:-1], order[-1:]))
    test = _Test.of(bounds, squares, order, norms_kept)
    if len(squares.table):  # the pivot's row of the table is gone through: nobody's neighbours are listed
        pivot = int(np.argmin(field.rates.log_share_of_squares(low, high)))
        none = np.empty(0, dtype=np.int64)
        place, start, near = np.zeros(len(partial), dtype=np.int64), none, none
    else:
        pivot, place, start, near = neighbours(field, partial, np.sqrt(low), np.sqrt(high), mask)
    step = (squares.table, squares.points, squares.norms), (start, near, pivot, low, high, mask, *test.arrays)
    parts = [(partial[a : a + SEEDING.part], place[a : a + SEEDING.part]) for a in range(0, len(partial), SEEDING.part)]
    found, misfit, count = [np.empty((0, len(order)), dtype=np.int64)], [np.empty(0)], 0
    for longer, own in field.workers.run(_longer_of, parts, step):
        found.append(longer)
        misfit.append(own)
        count += len(longer)
        if count > SEEDING.longer:  # the best were extended first
            break
    return np.concatenate(found), np.concatenate(misfit)


def _ways_of(sample: IntArray, params: tuple[Any, ...]) -> IntArray:
    return _ways(sample, *params)


def _longer_of(part: tuple[IntArray, IntArray], params: tuple[tuple[Any, ...], tuple[Any, ...]]) -> Any:
    (table, points, norms), step = params
    return _extend(table, points, norms, *part, *step)


@compiled(reorder=True)
def _square(table: NDArray[np.float32], points: FloatArray, norms: FloatArray, u: int, v: int) -> float:
    """Squared distance of two points; squared norm of the second where the first is -1."""
    if u < 0:
        return float(norms[v])
    if len(table):
        return float(table[u, v])
    total = 0.0
    for c in range(points.shape[1]):
        gap = points[u, c] - points[v, c]
        total += gap * gap
    return total


@compiled()
def _whitened(gap: float, factor: FloatArray, white: FloatArray, k: int) -> float:
    """The k-th number of L^-1 (o - mean), after those before it."""
    for j in range(k):
        gap -= factor[k, j] * white[j]
    return float(gap / factor[k, k])


@compiled()
def _misfits(
    table: NDArray[np.float32],
    points: FloatArray,
    norms: FloatArray,
    partial: IntArray,
    lengths: IntArray,
    mean: FloatArray,
    factor: FloatArray,
) -> FloatArray:
    out = np.empty(len(partial))
    white = np.empty(len(mean))
    for i in range(len(partial)):
        out[i] = 0.0
        for k in range(len(mean)):
            u = -1 if lengths[k, 0] < 0 else partial[i, lengths[k, 0]]
            gap = _square(table, points, norms, u, partial[i, lengths[k, 1]]) - mean[k]
            white[k] = _whitened(gap, factor, white, k)
            out[i] += white[k] * white[k]
    return out


@compiled()
def _ways(
    sample: IntArray,
    table: NDArray[np.float32],
    points: FloatArray,
    norms: FloatArray,
    low: FloatArray,
    high: FloatArray,
    masks: NDArray[np.bool_],
) -> IntArray:
    """In how many ways the sampled partial assignments can be extended by each record."""
    count = np.empty(low.shape[1], dtype=np.int64)
    fill(count, 0)
    placed = sample.shape[1]
    gaps = np.empty(placed)
    for i in range(len(sample)):
        for w in range(len(points)):
            for k in range(placed):
                gaps[k] = _square(table, points, norms, sample[i, k], w)
            for r in range(len(count)):
                fits = masks[r, w]
                for k in range(placed):
                    if not fits:
                        break
                    fits = low[k, r] <= gaps[k] <= high[k, r]
                count[r] += fits
    return count


@compiled()
def _extend(
    table: NDArray[np.float32],
    points: FloatArray,
    norms: FloatArray,
    partial: IntArray,
    place: IntArray,
    start: IntArray,
    near: IntArray,
    pivot: int,
    low: FloatArray,
    high: FloatArray,
    mask: NDArray[np.bool_],
    lengths: IntArray,
    mean: FloatArray,
    factor: FloatArray,
    limit: float,
) -> tuple[IntArray, FloatArray]:
    """Longer partial assignments that pass, and their Q; values by the pivot's row of the table, or out of ``near``."""
    placed, total = partial.shape[1], len(mean)
    new = 0
    while lengths[new, 1] < placed:
        new += 1
    longer, misfit = np.empty((1024, placed + 1), dtype=np.int64), np.empty(1024)
    white = np.empty(total)
    count = 0
    for i in range(len(partial)):
        before = 0.0
        for k in range(new):
            u = -1 if lengths[k, 0] < 0 else partial[i, lengths[k, 0]]
            gap = _square(table, points, norms, u, partial[i, lengths[k, 1]]) - mean[k]
            white[k] = _whitened(gap, factor, white, k)
            before += white[k] * white[k]
        first, last = (0, len(points)) if len(table) else (start[place[i]], start[place[i] + 1])
        for a in range(first, last):
            w = a
            if len(table):
                if not low[pivot] <= table[partial[i, pivot], w] <= high[pivot]:
                    continue
            else:
                w = near[a]
            fits = mask[w]
            for j in range(placed):
                if not fits:
                    break
                fits = w != partial[i, j]
                if fits and j != pivot:
                    fits = low[j] <= _square(table, points, norms, partial[i, j], w) <= high[j]
            if not fits:
                continue
            own = before
            for k in range(new, total):
                u = -1 if lengths[k, 0] < 0 else partial[i, lengths[k, 0]]
                white[k] = _whitened(_square(table, points, norms, u, w) - mean[k], factor, white, k)
                own += white[k] * white[k]
                if own > limit:
                    fits = False
                    break
            if fits:
                if count == len(longer):
                    longer, misfit = grown_rows(longer), grown(misfit)
                copy(longer[count], partial[i])
                longer[count, placed], misfit[count] = w, own
                count += 1
    return longer[:count], misfit[:count]
