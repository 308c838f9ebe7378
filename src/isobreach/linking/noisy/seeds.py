# SPDX-License-Identifier: BSD-3-Clause
r"""A first few links under noise: partial assignments by a joint test of all their lengths.

For records x_1, ..., x_L placed on rows, the squared distances (and norms, where the motion keeps them) of the rows are
normal to first order. Writing each squared length as that of c'Y, c a row of +1 and -1 over the L rows and z = c'X its
exact value, independent noise of standard deviation s on N coordinates makes

    mean  |z|^2 + N s^2 c.c,      covariance of two  4 s^2 (c.c') (z.z') + 2 N s^4 (c.c')^2

so that Q = (o - mean)' covariance^-1 (o - mean) is about chi-square: one test of all lengths together, where a cut for
each would either lose true pairs or pass too many false ones. Partial assignments grow record by record, the next
record being the one that leaves the fewest (counted on a sample); of too many, those with the smallest Q go on.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from isobreach._compiled import compiled, copy, fill, grown_rows
from isobreach._progress import Progress
from isobreach.geometry import row_norms
from isobreach.linking.candidates import NARROWING, Field, neighbours, telling_order
from isobreach.release import Bounds

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Seeding:
    """How seeds are sought.

    Attributes
    ----------
    records
        Records of a seed, at most: they have 28 distances, and eight norms where these are kept.
    beam
        Partial assignments that go on, those of the least misfit first.
    miss
        Probability that the joint test loses the truth: a thousandth of the limit on chance matches.
    sample, choices
        Partial assignments on which the next record is chosen, and records among which it is.
    part
        Partial assignments that a task extends at a time.
    longer
        Extensions after which the rest is left: the best were extended first.
    """

    records: int = 8
    beam: int = 50_000
    miss: float = 1e-6
    sample: int = 128
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


def seeds(bounds: Bounds, field: Field, first: IntArray, *, norms_kept: bool, progress: Progress) -> Seeds:
    """Partial assignments of a few records that pass the joint test, from the most telling pair of ``first`` on."""
    everyone = np.arange(len(bounds.known))
    masks = _norm_masks(bounds, field) if norms_kept else np.ones((len(everyone), len(field.points)), dtype=np.bool_)
    share = np.log(np.maximum(masks.mean(axis=1), 1e-9))
    order = telling_order(bounds, field.rates, first, share)[:2].tolist()
    low, high = bounds.distances(np.array(order[:1]), np.array(order[1:]))
    u, v, _ = field.cloud.pairs(low[0], high[0], NARROWING.most_pairs, progress)
    u, v = u[u != v], v[u != v]
    partial = np.concatenate([np.stack([u, v], axis=1), np.stack([v, u], axis=1)])
    partial = partial[masks[order[0]][partial[:, 0]] & masks[order[1]][partial[:, 1]]]
    partial, misfit = _tested(bounds, field, np.array(order), partial, norms_kept)
    while len(order) < min(len(everyone), SEEDING.records) and len(partial):
        progress("placing records", len(order), SEEDING.records)
        order.append(_next_record(bounds, field, order, partial, masks))
        partial = _longer(bounds, field, np.array(order), partial, masks[order[-1]], norms_kept)
        partial, misfit = _tested(bounds, field, np.array(order), partial, norms_kept)
    progress("placing records", SEEDING.records, SEEDING.records)
    return Seeds(np.array(order), partial, misfit)


def _norm_masks(bounds: Bounds, field: Field) -> NDArray[np.bool_]:
    norms = row_norms(field.points)
    low, high = bounds.norms(np.arange(len(bounds.known)))
    return np.asarray((norms >= low[:, None]) & (norms <= high[:, None]))


def _lengths(count: int, norms_kept: bool) -> IntArray:
    """Lengths of ``count`` rows as pairs (i, j), i < j, or (-1, j) for a norm; a row's come after those before it."""
    first = -1 if norms_kept else 0
    return np.array([(i, j) for j in range(count) for i in range(first, j)], dtype=np.int64).reshape(-1, 2)


def joint_law(records: FloatArray, lengths: IntArray, deviation: float, columns: int) -> tuple[FloatArray, FloatArray]:
    """Mean and covariance of the squared lengths of the records' rows."""
    signs = np.zeros((len(lengths), len(records)))
    signs[np.arange(len(lengths)), lengths[:, 1]] = 1.0
    pairs = np.flatnonzero(lengths[:, 0] >= 0)
    signs[pairs, lengths[pairs, 0]] = -1.0
    exact, shared = signs @ records, signs @ signs.T
    mean = (exact**2).sum(axis=1) + columns * deviation**2 * np.diag(shared)
    return mean, 4 * deviation**2 * shared * (exact @ exact.T) + 2 * columns * deviation**4 * shared**2


def _tested(
    bounds: Bounds, field: Field, order: IntArray, partial: IntArray, norms_kept: bool
) -> tuple[IntArray, FloatArray]:
    """Partial assignments that pass the joint test, by increasing Q, as many as the beam takes."""
    lengths = _lengths(len(order), norms_kept)
    mean, covariance = joint_law(bounds.known[order], lengths, bounds.deviation, bounds.columns)
    misfit = _misfits(field.points, partial, lengths, mean, _inverse(covariance))
    keep = np.flatnonzero(misfit <= chdtri(len(lengths), SEEDING.miss))
    keep = keep[np.argsort(misfit[keep], kind="stable")[: SEEDING.beam]]
    return partial[keep], misfit[keep]


def _inverse(covariance: FloatArray) -> FloatArray:
    widened = covariance.copy()
    widened[np.diag_indices_from(widened)] *= 1 + 1e-9  # more lengths than dimensions: nearly singular
    return np.asarray(np.linalg.inv(widened), dtype=np.float64)


def _next_record(bounds: Bounds, field: Field, order: list[int], partial: IntArray, masks: NDArray[np.bool_]) -> int:
    """The record that a sample of partial assignments can be extended by in the fewest ways."""
    rest = np.setdiff1d(np.arange(len(bounds.known)), order)[: SEEDING.choices]
    open_ = masks[rest]
    low, high = bounds.distances(np.array(order), rest)
    sample = partial[:: max(1, len(partial) // SEEDING.sample)]
    count = np.zeros(len(rest), dtype=np.int64)
    for part in field.workers.run(_ways_of, np.array_split(sample, 8), (field.points, low, high, open_)):
        count += part
    return int(rest[np.argmin(count)])


def _longer(
    bounds: Bounds, field: Field, order: IntArray, partial: IntArray, mask: NDArray[np.bool_], norms_kept: bool
) -> IntArray:
    """Partial assignments with one more record that pass the joint test of the lengths to the new row."""
    low, high = (b[:, 0] for b in bounds.distances(order[:-1], order[-1:]))
    lengths = _lengths(len(order), norms_kept)
    mean, covariance = joint_law(bounds.known[order], lengths, bounds.deviation, bounds.columns)
    inverse, limit = _inverse(covariance), float(chdtri(len(lengths), SEEDING.miss))
    pivot, place, start, near = neighbours(field, partial, low, high, mask)
    squares = np.maximum(low, 0.0) ** 2, high**2
    step = (field.points, (start, near, pivot, *squares, lengths, mean, inverse, limit))
    parts = [(partial[a : a + SEEDING.part], place[a : a + SEEDING.part]) for a in range(0, len(partial), SEEDING.part)]
    found, count = [np.empty((0, len(order)), dtype=np.int64)], 0
    for longer in field.workers.run(_longer_of, parts, step):
        found.append(longer)
        count += len(longer)
        if count > SEEDING.longer:  # the best were extended first
            break
    return np.concatenate(found)


def _ways_of(sample: IntArray, params: tuple[FloatArray, FloatArray, FloatArray, NDArray[np.bool_]]) -> IntArray:
    points, low, high, masks = params
    return _ways(points, sample, low, high, masks)


def _longer_of(part: tuple[IntArray, IntArray], params: tuple[FloatArray, tuple[Any, ...]]) -> IntArray:
    points, step = params
    return _extend(points, *part, *step)


@compiled(reorder=True)
def _square(points: FloatArray, u: int, v: int) -> float:
    """Squared distance of two points; squared norm of the second where the first is -1."""
    total = 0.0
    if u < 0:
        for c in range(points.shape[1]):
            total += points[v, c] * points[v, c]
        return total
    for c in range(points.shape[1]):
        gap = points[u, c] - points[v, c]
        total += gap * gap
    return total


@compiled()
def _misfits(
    points: FloatArray, partial: IntArray, lengths: IntArray, mean: FloatArray, inverse: FloatArray
) -> FloatArray:
    out = np.empty(len(partial))
    gaps = np.empty(len(mean))
    for i in range(len(partial)):
        for k in range(len(mean)):
            u = -1 if lengths[k, 0] < 0 else partial[i, lengths[k, 0]]
            gaps[k] = _square(points, u, partial[i, lengths[k, 1]]) - mean[k]
        out[i] = _form(gaps, inverse)
    return out


@compiled()
def _form(gaps: FloatArray, inverse: FloatArray) -> float:
    total = 0.0
    for k in range(len(gaps)):
        row = 0.0
        for j in range(len(gaps)):
            row += inverse[k, j] * gaps[j]
        total += gaps[k] * row
    return total


@compiled()
def _ways(
    points: FloatArray, sample: IntArray, low: FloatArray, high: FloatArray, masks: NDArray[np.bool_]
) -> IntArray:
    """In how many ways the sampled partial assignments can be extended by each record."""
    count = np.empty(low.shape[1], dtype=np.int64)
    fill(count, 0)
    placed = sample.shape[1]
    gaps = np.empty(placed)
    for i in range(len(sample)):
        for w in range(len(points)):
            for k in range(placed):
                gaps[k] = np.sqrt(_square(points, sample[i, k], w))
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
    points: FloatArray,
    partial: IntArray,
    place: IntArray,
    start: IntArray,
    near: IntArray,
    pivot: int,
    low: FloatArray,
    high: FloatArray,
    lengths: IntArray,
    mean: FloatArray,
    inverse: FloatArray,
    limit: float,
) -> IntArray:
    """Longer partial assignments that pass."""
    placed, total = partial.shape[1], len(mean)
    new = 0
    while lengths[new, 1] < placed:
        new += 1
    longer = np.empty((1024, placed + 1), dtype=np.int64)
    gaps = np.empty(total)
    count = 0
    for i in range(len(partial)):
        for k in range(new):
            u = -1 if lengths[k, 0] < 0 else partial[i, lengths[k, 0]]
            gaps[k] = _square(points, u, partial[i, lengths[k, 1]]) - mean[k]
        for a in range(start[place[i]], start[place[i] + 1]):
            w = near[a]
            fits = True
            for k in range(new, total):
                j = lengths[k, 0]
                square = _square(points, -1 if j < 0 else partial[i, j], w)
                gaps[k] = square - mean[k]
                if j >= 0 and (w == partial[i, j] or (j != pivot and not low[j] <= square <= high[j])):
                    fits = False
                    break
            if fits and _form(gaps, inverse) <= limit:
                if count == len(longer):
                    longer = grown_rows(longer)
                copy(longer[count], partial[i])
                longer[count, placed] = w
                count += 1
    return longer[:count]
