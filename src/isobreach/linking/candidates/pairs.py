# SPDX-License-Identifier: BSD-3-Clause
r"""Pairs of points at given distances: a blocked product as a filter, differences to verify.

Squared distances of all pairs come from a matrix product, tile by tile, |a - b|^2 = |a|^2 + |b|^2 - 2 a.b, in single
precision; what falls into a wanted interval, widened by the most that the product can err, is computed again from
differences in double precision. With u the unit roundoff, n columns, and A and B the largest norms on a tile's two
sides, that error is at most

    (n / 2 + 8) * u * (A + B)^2

whatever the order of summation: rounding the rows costs 2 u (A+B)^2, the dot product n u |a| |b|, the sums the rest.
Points are centred, which makes the norms small, and sorted by norm, which makes a tile's rows alike: or along their
longest axis, where that holds most of their spread. Two points are at least as far apart as their norms, and as their
places along any axis, and at most as far as the sum of their norms: a tile that is too far or too near by these bounds
is left out. That spares most tiles where one axis is long beside the distances asked for, and none where all are alike.
Memory: a copy of the points, a tile for each thread, and the pairs found; never a matrix of all pairs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray, IntArray
from isobreach._compiled import compiled, first_from
from isobreach._progress import Progress, no_progress
from isobreach.engine import Workers, default_workers
from isobreach.linking.candidates.ready import BUFFER, Ready

ShortArray = NDArray[np.int32]
Hits = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]  # first and second of each pair, and its interval
P = TypeVar("P")


@dataclass(frozen=True)
class PairScan:
    """How a tile of products is looked through."""

    targets: int = 6  # Intervals that one pass looks for: the scan then costs less than the product.
    room: int = 1 << 14  # Hit buffer of a tile; a tile with more is scanned again with room for all.
    bits: int = 1 << 17  # Cells that many intervals are looked up in: a bit each, half of a first-level cache.


SCAN = PairScan()


class TooManyError(Exception):
    """More lie in the wanted intervals than may be kept."""

    @classmethod
    def of(cls, found: str, most: int, what: str = "pairs of rows") -> "TooManyError":
        """Say how many there are, in words, how many may be kept, and of what."""
        return cls(f"{found} {what} fit the distances of the known records; {most:,} may be kept here")


_NO_HITS: Hits = tuple(np.empty(0, dtype=np.int64) for _ in range(3))  # type: ignore[assignment]


def _listed(find: Callable[..., int], *arguments: Any) -> tuple[IntArray, IntArray]:
    """Places that a compiled search writes into a buffer; it is repeated with room for all if there are more."""
    if not hasattr(BUFFER, "hits"):
        BUFFER.hits = np.empty((2, SCAN.room), dtype=np.int64)
    count = find(*arguments, BUFFER.hits)
    if count > BUFFER.hits.shape[1]:
        BUFFER.hits = np.empty((2, count), dtype=np.int64)
        count = find(*arguments, BUFFER.hits)
    return BUFFER.hits[0, :count].copy(), BUFFER.hits[1, :count].copy()


@dataclass(frozen=True, eq=False)
class _Wanted:
    """Distances that are asked for: a few intervals of all pairs, or of pairs with the rows ``left``.

    ``names[i]``: what to call the i-th of these rows.
    """

    ready: Ready
    low: FloatArray
    high: FloatArray
    left: IntArray | None = None
    names: IntArray | None = None


def _joined(tile: tuple[slice, slice], wanted: _Wanted) -> Hits:
    """Pairs of a tile in one of a few intervals; of all pairs, those with the second from the first on."""
    ready, (part, b) = wanted.ready, tile
    a = part if wanted.left is None else wanted.left[part]  # a slice where it will do: rows are then not copied
    precision = ready.rows.dtype
    least, most = ready.apart(a, b)
    if least > ready.scale * float(wanted.high.max()) or most < ready.scale * float(wanted.low.min()):
        return _NO_HITS
    slack = ready.slack(float(ready.norms[a].max()), float(ready.norms[b].max()))
    # Nothing is farther apart than 2 within the unit ball.
    below = np.clip(wanted.low * ready.scale, 0.0, 4.0) ** 2 - slack
    above = np.clip(wanted.high * ready.scale, 0.0, 4.0) ** 2 + slack
    # The diagonal tile of a triangle: the second counts from the place of the first on.
    first = part.start - b.start if wanted.left is None else part.start - part.stop
    limits = below.astype(precision), above.astype(precision), first
    i, j = _listed(_hits, ready.products(a, b), ready.squares[a], ready.squares[b], *limits)
    places = part.start + i if wanted.left is None else wanted.left[part.start + i]
    u, v = ready.order[places], ready.order[b.start + j]
    names = u if wanted.names is None else wanted.names[part.start + i]
    keep, target = _verified(ready.points, u, v, wanted.low, wanted.high)
    return names[keep], v[keep], target


@dataclass(frozen=True, eq=False)
class _Classes:
    """Any number of disjoint intervals, and the cells of squared distances that they touch."""

    ready: Ready
    low: FloatArray
    high: FloatArray
    marked: NDArray[np.uint64]


def _classed(tile: tuple[slice, slice], classes: _Classes) -> Hits:
    """Pairs of a tile, the second from the first on, in one of the intervals."""
    ready, (a, b) = classes.ready, tile
    least, most = ready.apart(a, b)
    if least > ready.scale * float(classes.high[-1]) or most < ready.scale * float(classes.low[0]):
        return _NO_HITS
    arguments = ready.squares[a], ready.squares[b], classes.marked, a.start - b.start
    i, j = _listed(_marked_hits, ready.products(a, b), *arguments)
    u, v = ready.order[a.start + i], ready.order[b.start + j]
    keep, target = _classified(ready.points, u, v, classes.low, classes.high)
    return u[keep].astype(np.int32), v[keep].astype(np.int32), target.astype(np.int32)


class Cloud:
    """Points made ready for questions about their distances.

    Parameters
    ----------
    points
        The points, m x n.
    precision
        In which pairs are filtered.
    workers
        Who compare them; those of the default engine for None.
    """

    def __init__(
        self, points: FloatArray, precision: type[np.floating[Any]] = np.float32, workers: Workers | None = None
    ) -> None:
        self.points = points
        self._workers, self._ready = workers, Ready.of(points, precision)

    def error(self) -> float:
        """Most that the filter may err in a squared distance, between points of the largest norm."""
        return self._slack() / self._ready.scale**2

    def _slack(self) -> float:
        longest = float(self._ready.norms.max())
        return self._ready.slack(longest, longest)

    def pairs(
        self, low: FloatArray, high: FloatArray, most: int, progress: Progress = no_progress
    ) -> tuple[IntArray, IntArray, IntArray]:
        """All (u, v, t) with u before v, or u = v, at a distance in [low[t], high[t]], each pair once a target."""
        offsets = range(0, len(low), SCAN.targets)
        parts = [slice(start, start + SCAN.targets) for start in offsets]
        found = [self._all(_joined, _Wanted(self._ready, low[p], high[p]), most, progress) for p in parts]
        return (
            np.concatenate([u for u, _, _ in found]),
            np.concatenate([v for _, v, _ in found]),
            np.concatenate([t + offset for (_, _, t), offset in zip(found, offsets, strict=True)]),
        )

    def classes(
        self, low: FloatArray, high: FloatArray, most: int, progress: Progress = no_progress
    ) -> tuple[ShortArray, ShortArray, ShortArray]:
        """As ``pairs`` for any number of disjoint intervals, ascending: one pass, whatever their number.

        A squared distance is looked up in a table of cells, of which those that an interval touches are marked.
        Millions of pairs are kept at a time, so in four bytes a number.
        """
        marked = _marked_cells(low * self._ready.scale, high * self._ready.scale, self._slack())
        return self._all(_classed, _Classes(self._ready, low, high, marked), most, progress)

    def around(self, centres: IntArray, low: float, high: float, most: int) -> tuple[IntArray, IntArray]:
        """Points at a distance in [low, high] from each centre: those of centre k are w[start[k] : start[k + 1]]."""
        place = np.empty_like(self._ready.order)
        place[self._ready.order] = np.arange(len(self.points))
        left, names = np.sort(place[centres]), np.argsort(place[centres], kind="stable")
        wanted = _Wanted(self._ready, np.array([low]), np.array([high]), left, names)
        k, w, _ = self._found(_joined, wanted, len(left), most, no_progress, triangle=False)
        order = np.argsort(k, kind="stable")
        start = np.searchsorted(k[order], np.arange(len(centres) + 1))
        return start, w[order]

    def _all(self, kernel: Callable[[tuple[slice, slice], P], Hits], params: P, most: int, progress: Progress) -> Hits:
        """All pairs of points, the lower of a pair first."""
        first, second, target = self._found(kernel, params, len(self.points), most, progress, triangle=True)
        return np.minimum(first, second), np.maximum(first, second), target

    def _found(
        self,
        kernel: Callable[[tuple[slice, slice], P], Hits],
        params: P,
        left: int,
        most: int,
        progress: Progress,
        *,
        triangle: bool,
    ) -> Hits:
        """What all tiles hold, joined."""
        workers = default_workers() if self._workers is None else self._workers
        found: list[Hits] = []
        count = 0
        for part in workers.join(
            kernel, params, left, len(self.points), "comparing distances", progress, triangle=triangle
        ):
            count += len(part[0])
            if count > most:
                raise TooManyError.of(f"more than {count:,}", most)
            found.append(part)
        first, second, target = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
        return first, second, target


def _marked_cells(low: FloatArray, high: FloatArray, slack: float) -> NDArray[np.uint64]:
    """Bits of the cells of [0, 4] that squares of the intervals may fall into, erring by ``slack``, and one more."""
    below = np.clip(low, 0.0, 2.0) ** 2 - slack
    above = np.clip(high, 0.0, 2.0) ** 2 + slack
    scale = SCAN.bits / 4.0
    first = np.clip(np.floor(below * scale).astype(np.int64) - 1, 0, SCAN.bits - 1)
    last = np.clip(np.floor(above * scale).astype(np.int64) + 1, 0, SCAN.bits - 1)
    steps = np.zeros(SCAN.bits + 1, dtype=np.int64)
    np.add.at(steps, first, 1)
    np.add.at(steps, last + 1, -1)
    return np.packbits(np.cumsum(steps[:-1]) > 0, bitorder="little").view(np.uint64)


@compiled(reorder=True)
def _marked_hits(
    products: NDArray[Any],
    left: NDArray[Any],
    right: NDArray[Any],
    marked: NDArray[np.uint64],
    first: int,
    hits: IntArray,
) -> int:
    rows, columns = products.shape
    room, cells = hits.shape[1], 64 * len(marked)
    scale = np.float32(cells / 4.0)
    count = 0
    for i in range(rows):
        for j in range(max(0, first + i), columns):
            place = (right[j] + products[i, j] + left[i]) * scale
            cell = int(min(max(place, 0.0), cells - 1.0))
            if (marked[cell >> 6] >> np.uint64(cell & 63)) & np.uint64(1):
                if count < room:
                    hits[0, count], hits[1, count] = i, j
                count += 1
    return count


@compiled()
def _classified(
    points: FloatArray, u: IntArray, v: IntArray, low: FloatArray, high: FloatArray
) -> tuple[IntArray, IntArray]:
    """Which pairs are in which of the disjoint intervals: (place in u and v, interval)."""
    keep, target = np.empty(len(u), dtype=np.int64), np.empty(len(u), dtype=np.int64)
    count = 0
    for k in range(len(u)):
        square = 0.0
        for c in range(points.shape[1]):
            gap = points[u[k], c] - points[v[k], c]
            square += gap * gap
        distance = np.sqrt(square)
        t = first_from(high, distance)
        if t < len(low) and low[t] <= distance:
            keep[count], target[count] = k, t
            count += 1
    return keep[:count], target[:count]


@compiled(reorder=True)
def _hits(
    products: NDArray[Any],
    left: NDArray[Any],
    right: NDArray[Any],
    low: NDArray[Any],
    high: NDArray[Any],
    first: int,
    hits: IntArray,
) -> int:
    rows, columns = products.shape
    room = hits.shape[1]
    count = 0
    for i in range(rows):
        for start in range(max(0, (first + i) // 256 * 256), columns, 256):
            part, squares = products[i, start : start + 256], right[start : start + 256]
            inside = np.int32(0)
            for t in range(len(low)):
                least, most = low[t] - left[i], high[t] - left[i]
                for j in range(len(part)):
                    gap = squares[j] + part[j]
                    inside += np.int32((gap >= least) & (gap <= most))
            if inside:
                for j in range(max(0, first + i - start), len(part)):
                    gap = squares[j] + part[j]
                    for t in range(len(low)):
                        if gap >= low[t] - left[i] and gap <= high[t] - left[i]:
                            if count < room:
                                hits[0, count], hits[1, count] = i, start + j
                            count += 1
                            break
    return count


@compiled()
def _verified(
    points: FloatArray, u: IntArray, v: IntArray, low: FloatArray, high: FloatArray
) -> tuple[IntArray, IntArray]:
    """Which pairs are in which interval: (place in u and v, target), by target within a pair."""
    keep, target = np.empty(len(u) * len(low), dtype=np.int64), np.empty(len(u) * len(low), dtype=np.int64)
    count = 0
    for k in range(len(u)):
        square = 0.0
        for c in range(points.shape[1]):
            gap = points[u[k], c] - points[v[k], c]
            square += gap * gap
        distance = np.sqrt(square)
        for t in range(len(low)):
            if low[t] <= distance <= high[t]:
                keep[count], target[count] = k, t
                count += 1
    return keep[:count], target[:count]
