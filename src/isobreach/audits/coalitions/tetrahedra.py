# SPDX-License-Identifier: BSD-3-Clause
"""Compiled kernels of the search for copies: neighbours put together to triangles and tetrahedra, and extended.

Distances from a value to many others are computed together, on coordinates that stand side by side, as a filter; what
passes is measured again, one distance at a time, as everywhere in linking.
"""

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray, IntArray
from isobreach._compiled import compiled, copy, fill, grown, grown_rows
from isobreach.linking import distance

Neighbours = tuple[IntArray, IntArray]  # (start, near): those of value u are near[start[u] : start[u + 1]]


@compiled()
def by_class(
    u: NDArray[np.int32], v: NDArray[np.int32], which: NDArray[np.int32], classes: int
) -> tuple[IntArray, NDArray[np.int32], NDArray[np.int32]]:
    """Pairs sorted by their class: (ends, u, v)."""
    ends, place = np.empty(classes + 1, dtype=np.int64), np.empty(classes + 1, dtype=np.int64)
    fill(ends, 0)
    for k in which:
        ends[k + 1] += 1
    _add_up(ends, place)
    first, second = np.empty(len(u), dtype=np.int32), np.empty(len(u), dtype=np.int32)
    for i in range(len(u)):
        k = place[which[i]]
        first[k], second[k] = u[i], v[i]
        place[which[i]] += 1
    return ends, first, second


@compiled()
def _add_up(counts: IntArray, again: IntArray) -> None:
    """Turn numbers into the sums of all up to them, in both arrays."""
    total = 0
    for k in range(len(counts)):
        total += counts[k]
        counts[k] = again[k] = total


@compiled()
def neighbours(u: NDArray[np.int32], v: NDArray[np.int32], copies: IntArray) -> tuple[IntArray, IntArray]:
    """Neighbours of every value, both ways; one row cannot be two records."""
    start, place = np.empty(len(copies) + 1, dtype=np.int64), np.empty(len(copies) + 1, dtype=np.int64)
    fill(start, 0)
    for i in range(len(u)):
        if u[i] != v[i]:
            start[u[i] + 1] += 1
            start[v[i] + 1] += 1
        elif copies[u[i]] > 1:
            start[u[i] + 1] += 1
    _add_up(start, place)
    near = np.empty(start[-1], dtype=np.int64)
    for i in range(len(u)):
        if u[i] != v[i]:
            near[place[u[i]]], near[place[v[i]]] = v[i], u[i]
            place[u[i]] += 1
            place[v[i]] += 1
        elif copies[u[i]] > 1:
            near[place[u[i]]] = u[i]
            place[u[i]] += 1
    return start, near


@compiled(reorder=True)
def _squares_from(point: FloatArray, others: FloatArray, out: FloatArray) -> None:
    """Squared distances of a point from others, which are columns."""
    for j in range(len(out)):
        out[j] = 0.0
    for k in range(len(point)):
        row, x = others[k], point[k]
        for j in range(len(out)):
            gap = row[j] - x
            out[j] += gap * gap


@compiled()
def put_together(
    points: FloatArray,
    copies: IntArray,
    near: tuple[Neighbours, Neighbours, Neighbours],
    low: FloatArray,
    high: FloatArray,
    true: IntArray,
    spans: IntArray,
    most: int,
) -> IntArray:
    """Displaced triangles or tetrahedra (by the size of ``low``) out of each value's neighbours; at most ``most``.

    ``near``: neighbours at the distances of the first corner from the second, the third and the fourth.
    """
    (start_b, near_b), (start_c, near_c), (start_d, near_d) = near
    corners = len(true)
    out = np.empty((1024, corners), dtype=np.int64)
    count = 0
    for u in range(spans[0, 0], spans[0, 1]):
        if u == true[0] or count >= most or start_c[u] == start_c[u + 1] or start_b[u] == start_b[u + 1]:
            continue
        # Neighbours were found for several coalitions at a time, so there may be a little too many.
        third = _around(points, u, near_c[start_c[u] : start_c[u + 1]], true[2], spans[2], low[0, 2], high[0, 2])
        fourth = near_d[:0]
        if corners == 4:
            fourth = _around(points, u, near_d[start_d[u] : start_d[u + 1]], true[3], spans[3], low[0, 3], high[0, 3])
            if not len(fourth):
                continue
        columns_c, columns_d = _columns(points, third), _columns(points, fourth)
        squares_c, squares_d = np.empty(len(third)), np.empty(len(fourth))
        for b in range(start_b[u], start_b[u + 1]):
            v = near_b[b]
            if v == true[1] or v < spans[1, 0] or v >= spans[1, 1]:
                continue
            if not _within(points, u, v, low[0, 1], high[0, 1]):
                continue
            w_hits = _hits(points, copies, v, third, columns_c, squares_c, low[1, 2], high[1, 2])
            if not len(w_hits):
                continue
            x_hits = near_d[:0]
            if corners == 4:
                x_hits = _hits(points, copies, v, fourth, columns_d, squares_d, low[1, 3], high[1, 3])
            for w in w_hits:
                for d in range(len(x_hits) if corners == 4 else 1):
                    if corners == 4:
                        x = x_hits[d]
                        if (x == w and copies[x] < 2) or not _within(points, w, x, low[2, 3], high[2, 3]):
                            continue
                    if count == len(out):
                        out = grown_rows(out)
                    out[count, 0], out[count, 1], out[count, 2] = u, v, w
                    if corners == 4:
                        out[count, 3] = x_hits[d]
                    count += 1
    return out[:count]


@compiled()
def _around(points: FloatArray, u: int, near: IntArray, true: int, span: IntArray, low: float, high: float) -> IntArray:
    """Those of the neighbours of u that are within the bounds and the span, and not the true value."""
    kept = np.empty(len(near), dtype=np.int64)
    count = 0
    for w in near:
        if w != true and span[0] <= w < span[1] and _within(points, u, w, low, high):
            kept[count] = w
            count += 1
    return kept[:count]


@compiled()
def _columns(points: FloatArray, values: IntArray) -> FloatArray:
    columns = np.empty((points.shape[1], len(values)))
    for j in range(len(values)):
        for k in range(points.shape[1]):
            columns[k, j] = points[values[j], k]
    return columns


@compiled()
def _hits(
    points: FloatArray,
    copies: IntArray,
    v: int,
    values: IntArray,
    columns: FloatArray,
    squares: FloatArray,
    low: float,
    high: float,
) -> IntArray:
    """Those of the values at a distance in [low, high] from v: a filter on squares, then measured again."""
    _squares_from(points[v], columns, squares)
    least, greatest = max(low, 0.0) ** 2 * (1 - 1e-12), high**2 * (1 + 1e-12)
    kept = np.empty(8, dtype=np.int64)
    count = 0
    for j in range(len(squares)):
        if squares[j] < least or squares[j] > greatest:
            continue
        w = values[j]
        if (w == v and copies[w] < 2) or not _within(points, v, w, low, high):
            continue
        if count == len(kept):
            kept = grown(kept)
        kept[count] = w
        count += 1
    return kept[:count]


@compiled()
def _within(points: FloatArray, i: int, j: int, low: float, high: float) -> bool:
    gap = distance(points, i, points, j)
    return bool(low <= gap <= high)


@compiled()
def one_more(
    points: FloatArray,
    columns: FloatArray,
    copies: IntArray,
    shapes: IntArray,
    low: FloatArray,
    high: FloatArray,
    true: int,
    span: IntArray,
    most: int,
    most_work: int,
) -> tuple[IntArray, bool]:
    """Shapes with one more value, any but ``true``, at a distance in [low[k], high[k]] from the k-th; and whether all.

    At most ``most`` of them, after at most ``most_work`` distances or so.

    Shapes with the same first value stand together: what is at the right distance from it is found once for all.
    """
    size = shapes.shape[1]
    out = np.empty((64, size + 1), dtype=np.int64)
    count = 0
    squares = np.empty(len(points))
    near = np.empty(len(points), dtype=np.int64)
    least, greatest = max(low[0], 0.0) ** 2 * (1 - 1e-12), high[0] ** 2 * (1 + 1e-12)
    found, last, work = 0, -1, 0
    for s in range(len(shapes)):
        work += found
        if count > most or work > most_work:
            return out[:count], False
        if shapes[s, 0] != last:
            last, found = shapes[s, 0], 0
            work += len(points) // 8  # side by side they cost less
            _squares_from(points[last], columns, squares)
            for x in range(span[0], span[1]):
                if x != true and least <= squares[x] <= greatest:
                    near[found] = x
                    found += 1
        for i in range(found):
            x = near[i]
            fits = True
            for k in range(size):
                if shapes[s, k] == x and copies[x] < 2:
                    fits = False
                    break
                if not _within(points, shapes[s, k], x, low[k], high[k]):
                    fits = False
                    break
            if fits:
                if count == len(out):
                    out = grown_rows(out)
                copy(out[count], shapes[s])
                out[count, size] = x
                count += 1
    return out[:count], True
