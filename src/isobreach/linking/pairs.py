# SPDX-License-Identifier: BSD-3-Clause
r"""Pairs of points at given distances: a blocked product as a filter, differences to verify.

Squared distances of all pairs come from a matrix product, tile by tile, |a - b|^2 = |a|^2 + |b|^2 - 2 a.b, in single
precision; what falls into a wanted interval, widened by the most that the product can err, is computed again from
differences in double precision. With u the unit roundoff, n columns, and A and B the largest norms on a tile's two
sides, that error is at most

    (n / 2 + 8) * u * (A + B)^2

whatever the order of summation: rounding the rows costs 2 u (A+B)^2, the dot product n u |a| |b|, the sums the rest.
Points are centred, which makes the norms small, and sorted by norm, which makes a tile's rows alike. Memory: a copy of
the points, a tile for each thread, and the pairs found; never a matrix of all pairs.
"""

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._compiled import compiled
from isobreach._progress import Progress, no_progress
from isobreach.blocks import processors, run_in_order
from isobreach.geometry import row_norms

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
ShortArray = NDArray[np.int32]

_TILE_ROWS, _TILE_COLUMNS = 512, 1024
_TARGETS = 6  # intervals that one pass looks for: the scan then costs less than the product
_ROOM = 1 << 14  # hit buffer of a tile; a tile with more is scanned again with room for all
_TINY = 1e-36  # squares of that size, relative to the largest, may underflow
_BITS = 1 << 17  # cells that many intervals are looked up in: a bit each, 16 KiB, half of a first-level cache


class TooManyError(Exception):
    """More pairs lie in the wanted intervals than may be kept."""


class Cloud:
    """Points made ready for questions about their distances."""

    def __init__(self, points: FloatArray, precision: type[np.floating[Any]] = np.float32) -> None:
        self.points = points
        self._threads = processors()
        self._unit = float(np.finfo(precision).eps) / 2
        centred = points - points.mean(axis=0)
        norms = row_norms(centred)
        self._order = np.argsort(norms, kind="stable")
        self._place = np.empty_like(self._order)
        self._place[self._order] = np.arange(len(points))
        # Within the unit ball nothing overflows; a power of two rounds nothing.
        self._scale = 2.0 ** -np.ceil(np.log2(norms.max())) if norms.max() > 0 else 1.0
        self._rows = (centred[self._order] * self._scale).astype(precision)
        self._norms = norms[self._order] * self._scale
        self._squares = np.einsum("ij,ij->i", self._rows, self._rows, dtype=np.float64).astype(precision)

    def error(self) -> float:
        """Most that the filter may err in a squared distance, between points of the largest norm."""
        return self._slack(float(self._norms[-1]), float(self._norms[-1])) / self._scale**2

    def pairs(
        self, low: FloatArray, high: FloatArray, most: int, progress: Progress = no_progress
    ) -> tuple[IntArray, IntArray, IntArray]:
        """All (u, v, t) with u before v, or u = v, at a distance in [low[t], high[t]], each pair once a target."""
        found = [
            self._join(None, low[part], high[part], most, progress)
            for part in (slice(start, start + _TARGETS) for start in range(0, len(low), _TARGETS))
        ]
        offsets = range(0, len(low), _TARGETS)
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
        room = threading.local()
        slack = self._slack(float(self._norms[-1]), float(self._norms[-1]))
        marked = _marked_cells(low * self._scale, high * self._scale, slack)

        def run(tile: tuple[slice, slice]) -> tuple[ShortArray, ShortArray, ShortArray]:
            a, b = tile
            i, j = self._looked_up(a, b, marked, room)
            u, v = self._order[a.start + i], self._order[b.start + j]
            keep, target = _classified(self.points, u, v, low, high)
            return u[keep].astype(np.int32), v[keep].astype(np.int32), target.astype(np.int32)

        return self._gather(run, list(self._tiles(len(self.points), triangle=True)), most, progress)

    def around(self, centres: IntArray, low: float, high: float, most: int) -> tuple[IntArray, IntArray]:
        """Points at a distance in [low, high] from each centre: those of centre k are w[start[k] : start[k + 1]]."""
        k, w, _ = self._join(centres, np.array([low]), np.array([high]), most, no_progress)
        order = np.argsort(k, kind="stable")
        start = np.searchsorted(k[order], np.arange(len(centres) + 1))
        return start, w[order]

    def _join(
        self, centres: IntArray | None, low: FloatArray, high: FloatArray, most: int, progress: Progress
    ) -> tuple[IntArray, IntArray, IntArray]:
        total = len(self.points)
        left = np.arange(total) if centres is None else np.sort(self._place[centres])
        which = None if centres is None else np.argsort(self._place[centres], kind="stable")
        room = threading.local()

        def run(tile: tuple[slice, slice]) -> tuple[IntArray, IntArray, IntArray]:
            # A slice where it will do: rows are then not copied.
            a, b = (tile[0], tile[1]) if centres is None else (left[tile[0]], tile[1])
            i, j = self._filter(a, b, low, high, room)
            u, v = self._order[left[tile[0].start + i]], self._order[b.start + j]
            names = u if which is None else which[tile[0].start + i]
            keep, target = _verified(self.points, u, v, low, high)
            return names[keep], v[keep], target

        tiles = list(self._tiles(len(left), triangle=centres is None))
        first, second, target = self._gather(run, tiles, most, progress, ordered=centres is None)
        return first, second, target

    def _gather(
        self, run: Any, tiles: list[tuple[slice, slice]], most: int, progress: Progress, *, ordered: bool = True
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """What all tiles hold, joined; ``ordered``: the lower of a pair first."""
        found: list[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]] = []
        count = 0
        for done, part in enumerate(run_in_order(run, tiles, self._threads), start=1):
            count += len(part[0])
            if count > most:
                raise TooManyError
            found.append(part)
            progress("comparing distances", done, len(tiles))
        first, second, target = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
        if ordered:
            first, second = np.minimum(first, second), np.maximum(first, second)
        return first, second, target

    def _tiles(self, left: int, *, triangle: bool) -> Iterator[tuple[slice, slice]]:
        total = len(self.points)
        for a in range(0, left, _TILE_ROWS):
            stop = min(a + _TILE_ROWS, left)
            begin = a // _TILE_COLUMNS * _TILE_COLUMNS if triangle else 0
            for b in range(begin, total, _TILE_COLUMNS):
                yield slice(a, stop), slice(b, min(b + _TILE_COLUMNS, total))

    def _slack(self, a: float, b: float) -> float:
        return float((self._rows.shape[1] / 2 + 8) * self._unit * (a + b) ** 2 + _TINY)

    def _filter(
        self, a: IntArray | slice, b: slice, low: FloatArray, high: FloatArray, room: Any
    ) -> tuple[IntArray, IntArray]:
        """Places (i in a, j in b) of the pairs that may be in an interval; of a slice a, those with j from i on."""
        rows, columns, precision = self._rows[a], self._rows[b], self._rows.dtype
        if not hasattr(room, "products"):
            room.products = np.empty((_TILE_ROWS, _TILE_COLUMNS), dtype=precision)
            room.hits = np.empty((2, _ROOM), dtype=np.int64)
        products = np.matmul(-2 * rows, columns.T, out=room.products[: len(rows), : len(columns)])
        slack = self._slack(float(self._norms[a][-1]), float(self._norms[b.stop - 1]))
        # Nothing is farther apart than 2 within the unit ball.
        below = np.clip(low * self._scale, 0.0, 4.0) ** 2 - slack
        above = np.clip(high * self._scale, 0.0, 4.0) ** 2 + slack
        # The diagonal tile of a triangle: j counts from the place of i on.
        first = a.start - b.start if isinstance(a, slice) else -len(rows)
        arguments = (
            products,
            self._squares[a],
            self._squares[b],
            below.astype(precision),
            above.astype(precision),
            first,
        )
        count = _hits(*arguments, room.hits)
        if count > room.hits.shape[1]:
            room.hits = np.empty((2, count), dtype=np.int64)
            count = _hits(*arguments, room.hits)
        return room.hits[0, :count].copy(), room.hits[1, :count].copy()

    def _looked_up(self, a: slice, b: slice, marked: NDArray[np.uint64], room: Any) -> tuple[IntArray, IntArray]:
        """Places (i in a, j in b), j from i on, of the pairs whose squared distance falls into a marked cell."""
        rows, columns, precision = self._rows[a], self._rows[b], self._rows.dtype
        if not hasattr(room, "products"):
            room.products = np.empty((_TILE_ROWS, _TILE_COLUMNS), dtype=precision)
            room.hits = np.empty((2, _ROOM), dtype=np.int64)
        products = np.matmul(-2 * rows, columns.T, out=room.products[: len(rows), : len(columns)])
        arguments = (products, self._squares[a], self._squares[b], marked, a.start - b.start)
        count = _marked_hits(*arguments, room.hits)
        if count > room.hits.shape[1]:
            room.hits = np.empty((2, count), dtype=np.int64)
            count = _marked_hits(*arguments, room.hits)
        return room.hits[0, :count].copy(), room.hits[1, :count].copy()


def _marked_cells(low: FloatArray, high: FloatArray, slack: float) -> NDArray[np.uint64]:
    """Bits of the cells of [0, 4] that squares of the intervals may fall into, erring by ``slack``, and one more."""
    below = np.clip(low, 0.0, 2.0) ** 2 - slack
    above = np.clip(high, 0.0, 2.0) ** 2 + slack
    scale = _BITS / 4.0
    first = np.clip(np.floor(below * scale).astype(np.int64) - 1, 0, _BITS - 1)
    last = np.clip(np.floor(above * scale).astype(np.int64) + 1, 0, _BITS - 1)
    steps = np.zeros(_BITS + 1, dtype=np.int64)
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
        t = np.searchsorted(high, distance)
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
