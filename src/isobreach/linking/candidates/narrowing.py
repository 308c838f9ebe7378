# SPDX-License-Identifier: BSD-3-Clause
r"""Fewer candidate values, by the distances between them: for releases whose norms say nothing.

Behind a translation, or among vectors of length one, every released row could be any record. Distances still tell. The
records are taken in the order in which their distances are rarest in the release, and partial assignments are built up:

1. all pairs of values at the rarest known distance (one join of the release with itself);
2. each extended by the values that stand right to all records placed so far, record after record, until few are left;
3. for the records that remain, the values that agree with one of the partial assignments.

Every valid assignment of *all* records survives this, so that the search for the largest ones loses nothing. If there
is none, records are absent: then every pair of the few most telling records is joined, and values are kept that stand
in a triangle of three of them. Three points are the least that say anything: two can always be swapped.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray, IntArray
from isobreach._compiled import compiled, copy, first_from, grown, grown_rows
from isobreach._progress import Progress
from isobreach.engine import Workers, total_memory
from isobreach.linking.candidates.pairs import Cloud, TooManyError
from isobreach.linking.chance import Rates
from isobreach.linking.search import distance
from isobreach.release import Bounds

Lists = dict[int, IntArray]


@dataclass(frozen=True)
class Narrowing:
    """How far partial assignments are followed.

    Attributes
    ----------
    least_pairs, pair_bytes, memory
        Pairs kept from a join: so many anywhere, or what fits into a share of all memory, whatever else uses it.
    predicted
        Times as many pairs as may be kept: a join of which a sample predicts more is not begun.
    most_partial
        Partial assignments kept: a few hundred megabytes.
    least_placed, most_placed, few
        Records placed before the remaining ones are looked for: at least, at most, and in between as soon as so few
        partial assignments are left that every one of them can place the rest.
    most_extended
        Partial assignments to place the remaining records by.
    part
        Partial assignments that a thread extends at a time.
    core, most_cores
        Records among which at least three must be present, and such groups that are tried.
    most_ordered
        Records whose mutual distances are weighed against each other.
    """

    least_pairs: int = 20_000_000
    pair_bytes: int = 100
    memory: float = 0.25
    predicted: float = 4.0
    most_partial: int = 4_000_000
    least_placed: int = 4
    most_placed: int = 12
    few: int = 32
    most_extended: int = 2048
    part: int = 1 << 15
    core: int = 8
    most_cores: int = 4
    most_ordered: int = 512

    @property
    def most_pairs(self) -> int:
        """Pairs that a join may keep."""
        return max(self.least_pairs, int(self.memory * total_memory() / self.pair_bytes))


NARROWING = Narrowing()


@dataclass(frozen=True, eq=False)
class Field:
    """Released values: their points ready for joins, the rows of each, how common their distances are."""

    cloud: Cloud
    copies: IntArray
    rates: Rates
    workers: Workers

    @classmethod
    def of(cls, points: FloatArray, copies: IntArray, widest: float, workers: Workers) -> "Field":
        """Field of the points; ``widest``: width of the intervals, on squared distances, that will be asked for."""
        cloud = Cloud(points, workers=workers)
        spread = float(np.var(points, axis=0).sum())
        # Where single precision blurs much more than the release itself does, the filter must be in double precision.
        if cloud.error() > max(widest, 1e-3 * spread):
            cloud = Cloud(points, np.float64, workers)
        return cls(cloud, copies, Rates.between(points), workers)

    @property
    def points(self) -> FloatArray:
        """The values themselves."""
        return self.cloud.points


def telling_order(bounds: Bounds, rates: Rates, records: IntArray, share: FloatArray | None = None) -> IntArray:
    """Records in the order in which their distances to those before them are rarest in the release.

    ``share``: log of the share of rows that a record could be at all.
    """
    records = records[: NARROWING.most_ordered]
    if len(records) < 2:
        return records
    log = np.stack(
        [rates.log_share(*(b[0] for b in bounds.distances(records[[i]], records))) for i in range(len(records))]
    )
    if share is not None:
        log = log + share[records]
    np.fill_diagonal(log, np.inf)
    first = np.unravel_index(int(np.argmin(log)), log.shape)
    order = [int(i) for i in first]
    np.fill_diagonal(log, 0.0)
    total = log[order[0]] + log[order[1]]
    while len(order) < len(records):
        total[order] = np.inf
        order.append(int(np.argmin(total)))
        total = total + log[order[-1]]
    return records[order]


def lists_of_all(bounds: Bounds, field: Field, allowed: Lists | None, progress: Progress) -> Lists:
    """Candidate values of every record in the valid assignments of all of them."""
    everyone = np.arange(len(bounds.known))
    if len(everyone) < 2:
        return allowed or {0: np.arange(len(field.points))}
    order = telling_order(bounds, field.rates, everyone)
    masks = (
        None if allowed is None else [_mask(allowed[int(r)], len(field.points)) for r in order[: NARROWING.most_placed]]
    )
    partial = _first_pairs(bounds, field, order[:2], masks, progress)
    placed = 2
    while (
        placed < min(len(order), NARROWING.most_placed)
        and len(partial)
        and not (placed >= NARROWING.least_placed and len(partial) <= NARROWING.few)
    ):
        partial = _extended(bounds, field, order[: placed + 1], partial, None if masks is None else masks[placed])
        placed += 1
    lists = {int(r): np.unique(partial[:, k]) for k, r in enumerate(order[:placed])}
    rest = np.setdiff1d(everyone, order[:placed])
    if len(rest):
        lists |= extension(bounds, field, order[:placed], partial, rest, allowed)
    return lists


def cores(bounds: Bounds, field: Field) -> list[IntArray]:
    """The most telling records, a few at a time."""
    order = telling_order(bounds, field.rates, np.arange(len(bounds.known)))
    return [
        order[start : start + NARROWING.core]
        for start in range(0, min(len(order), NARROWING.most_cores * NARROWING.core), NARROWING.core)
    ]


def lists_of_some(bounds: Bounds, field: Field, order: IntArray, allowed: Lists | None, progress: Progress) -> Lists:
    """Candidate values of the records of a core in valid assignments of at least three of them."""
    if len(order) < 3:
        return {}
    first, second = np.triu_indices(len(order), 1)
    low, high = bounds.distances(order, order)
    u, v, target = field.cloud.pairs(low[first, second], high[first, second], NARROWING.most_pairs // 4, progress)
    edges = []
    for a, b in ((u, v), (v, u)):
        keep = (a != b) | ((field.copies[a] > 1) & (u is a))
        if allowed is not None:
            masks = np.stack([_mask(allowed[int(r)], len(field.points)) for r in order])
            keep = keep & masks[first[target], a] & masks[second[target], b]
        edges.append((first[target][keep], a[keep], second[target][keep], b[keep]))
    one, a, two, b = (np.concatenate(parts) for parts in zip(*edges, strict=True))
    kept = _in_triangles(one, a, two, b, len(order), len(field.points))
    return {
        int(r): np.unique(np.concatenate([a[kept & (one == k)], b[kept & (two == k)]])) for k, r in enumerate(order)
    }


def extension(
    bounds: Bounds, field: Field, placed: IntArray, partial: IntArray, records: IntArray, allowed: Lists | None
) -> Lists:
    """Values of further ``records`` that agree with one of the ``partial`` assignments of the ``placed`` records."""
    if len(partial) > NARROWING.most_extended:
        raise TooManyError.of(f"{len(partial):,}", NARROWING.most_extended, "assignments of some known records")
    low, high = bounds.distances(placed, records)
    found: list[list[IntArray]] = [[] for _ in records]
    for values in partial:
        start, hits = values_agreeing(field.points, field.copies, values, low, high)
        for k in range(len(records)):
            found[k].append(hits[start[k] : start[k + 1]])
    none = np.empty(0, dtype=np.int64)
    lists = {int(r): np.unique(np.concatenate([none, *found[k]])) for k, r in enumerate(records)}
    return lists if allowed is None else {r: np.intersect1d(values, allowed[r]) for r, values in lists.items()}


def values_agreeing(
    points: FloatArray, copies: IntArray, placed: IntArray, low: FloatArray, high: FloatArray
) -> tuple[IntArray, IntArray]:
    """Values at a distance in [low[j, k], high[j, k]] from each placed value j: hits[start[k] : start[k + 1]] for k."""
    gaps = np.stack([distances_from(points, value) for value in placed.tolist()])
    order = np.argsort(gaps[0], kind="stable")
    return _agreeing(gaps[:, order], order, low, high, placed, copies)


def _mask(values: IntArray, total: int) -> NDArray[np.bool_]:
    mask = np.zeros(total, dtype=np.bool_)
    mask[values] = True
    return mask


def _first_pairs(
    bounds: Bounds, field: Field, pair: IntArray, masks: list[NDArray[np.bool_]] | None, progress: Progress
) -> IntArray:
    low, high = bounds.distances(pair[:1], pair[1:])
    total, most = len(field.points), NARROWING.most_pairs
    likely = 0.5 * total * (total - 1) * float(np.exp(field.rates.log_share(low[0], high[0])[0]))
    if masks is None and likely > NARROWING.predicted * most:
        raise TooManyError.of(f"about {likely:.1e}", most)
    u, v, _ = field.cloud.pairs(low[0], high[0], most, progress)
    possible = (u != v) | (field.copies[u] > 1)
    u, v = u[possible], v[possible]
    twice = np.concatenate([np.stack([u, v], axis=1), np.stack([v, u], axis=1)[u != v]])
    if masks is not None:
        twice = twice[masks[0][twice[:, 0]] & masks[1][twice[:, 1]]]
    return twice


def neighbours(
    field: Field, partial: IntArray, low: FloatArray, high: FloatArray, mask: NDArray[np.bool_] | None
) -> tuple[int, IntArray, IntArray, IntArray]:
    """Values at the right distance from one of the placed ones, the *pivot*, chosen so that they are few.

    Returns (pivot, place, start, near): for partial assignment i they are near[start[place[i]] : start[place[i] + 1]].
    """
    centres = [np.unique(partial[:, k]) for k in range(partial.shape[1])]
    log = field.rates.log_share(low, high) + np.log([len(c) for c in centres])
    pivot = int(np.argmin(log))
    start, near = field.cloud.around(centres[pivot], float(low[pivot]), float(high[pivot]), NARROWING.most_pairs)
    if mask is not None:
        counts = np.concatenate([[0], np.cumsum(mask[near])])
        start, near = counts[start], near[mask[near]]
    return pivot, np.searchsorted(centres[pivot], partial[:, pivot]), start, near


def _extended(
    bounds: Bounds, field: Field, records: IntArray, partial: IntArray, mask: NDArray[np.bool_] | None
) -> IntArray:
    """Partial assignments with one more record, the last of ``records``."""
    low, high = (b[:, 0] for b in bounds.distances(records[:-1], records[-1:]))
    if not len(partial):
        return np.empty((0, len(records)), dtype=np.int64)
    pivot, place, start, near = neighbours(field, partial, low, high, mask)
    found, count = [], 0
    parts = [
        (partial[a : a + NARROWING.part], place[a : a + NARROWING.part]) for a in range(0, len(partial), NARROWING.part)
    ]
    step = _Step(field.points, field.copies, start, near, low, high, pivot)
    for longer in field.workers.run(_longer, parts, step):
        found.append(longer)
        count += len(longer)
        if count > NARROWING.most_partial:
            raise TooManyError.of(f"more than {count:,}", NARROWING.most_partial, "assignments of some known records")
    return np.concatenate(found)


@dataclass(frozen=True, eq=False)
class _Step:
    """What extending partial assignments by one record needs: see ``_extend``."""

    points: FloatArray
    copies: IntArray
    start: IntArray
    near: IntArray
    low: FloatArray
    high: FloatArray
    pivot: int


def _longer(part: tuple[IntArray, IntArray], step: _Step) -> IntArray:
    """Some partial assignments, given with the places of their pivots, with one more value."""
    return _extend(step.points, step.copies, *part, step.start, step.near, step.low, step.high, step.pivot)


@compiled()
def distances_from(points: FloatArray, centre: int) -> FloatArray:
    """Distance of every point from one of them."""
    out = np.empty(len(points))
    for u in range(len(points)):
        out[u] = distance(points, u, points, centre)
    return out


@compiled()
def _extend(
    points: FloatArray,
    copies: IntArray,
    partial: IntArray,
    place: IntArray,
    start: IntArray,
    near: IntArray,
    low: FloatArray,
    high: FloatArray,
    pivot: int,
) -> IntArray:
    """Partial assignments with one more value, out of the pivot's neighbours ``near``."""
    longer = np.empty((1024, partial.shape[1] + 1), dtype=np.int64)
    count = 0
    for i in range(len(partial)):
        for b in range(start[place[i]], start[place[i] + 1]):
            w = near[b]
            fits = True
            for k in range(partial.shape[1]):
                v = partial[i, k]
                if v == w and copies[w] < 2:  # one row cannot be two records
                    fits = False
                elif k != pivot:
                    gap = distance(points, v, points, w)
                    fits = low[k] <= gap <= high[k]
                if not fits:
                    break
            if fits:
                if count == len(longer):
                    longer = grown_rows(longer)
                copy(longer[count], partial[i])
                longer[count, -1] = w
                count += 1
    return longer[:count]


@compiled()
def _agreeing(
    gaps: FloatArray, order: IntArray, low: FloatArray, high: FloatArray, values: IntArray, copies: IntArray
) -> tuple[IntArray, IntArray]:
    """Per record, the values at the right distance from all placed ones: hits[start[k] : start[k + 1]]."""
    records = low.shape[1]
    start = np.empty(records + 1, dtype=np.int64)
    start[0] = 0
    hits = np.empty(max(64, len(order)), dtype=np.int64)
    count = 0
    for k in range(records):
        a = first_from(gaps[0], low[0, k])
        while a < len(order) and gaps[0, a] <= high[0, k]:
            fits = True
            for j in range(1, len(values)):
                if not low[j, k] <= gaps[j, a] <= high[j, k]:
                    fits = False
                    break
            if fits:
                for j in range(len(values)):
                    if values[j] == order[a] and copies[order[a]] < 2:
                        fits = False
            if fits:
                if count == len(hits):
                    hits = grown(hits)
                hits[count] = order[a]
                count += 1
            a += 1
        start[k + 1] = count
    return start, hits[:count]


def _in_triangles(
    one: IntArray, a: IntArray, two: IntArray, b: IntArray, records: int, total: int
) -> NDArray[np.bool_]:
    """Which edges (record one is a, record two is b) have a third record with a value joined to both ends."""
    # Neighbours of each vertex (record, value), sorted, as keys record * total + value.
    tail = np.concatenate([one * total + a, two * total + b])
    head = np.concatenate([two * total + b, one * total + a])
    order = np.lexsort((head, tail))
    tail, head = tail[order], head[order]
    vertices, start = np.unique(tail, return_index=True)
    start = np.append(start, len(tail))
    ends = np.searchsorted(vertices, one * total + a), np.searchsorted(vertices, two * total + b)
    return _share_neighbour(start, head, *ends)


@compiled()
def _share_neighbour(start: IntArray, head: IntArray, first: IntArray, second: IntArray) -> NDArray[np.bool_]:
    out = np.empty(len(first), dtype=np.bool_)
    for e in range(len(first)):
        out[e] = False
        i, j = start[first[e]], start[second[e]]
        while i < start[first[e] + 1] and j < start[second[e] + 1]:
            if head[i] == head[j]:
                out[e] = True
                break
            if head[i] < head[j]:
                i += 1
            else:
                j += 1
    return out
