# SPDX-License-Identifier: BSD-3-Clause
"""Compiled kernels of the search for assignments: which vertices agree, and the largest sets that all do.

A *vertex* is a record with one of its candidate values. Two vertices of different records are adjacent when the
distance of the records equals that of the values, within the records' error radii, and the values can be had at once:
one released row cannot be two records.
"""

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray, IntArray
from isobreach._compiled import compiled, copy, fill

BitArray = NDArray[np.uint64]

CHAIN = 4  # records that a value must extend to before it is tried in earnest


@compiled(reorder=True)
def distance(a: FloatArray, i: int, b: FloatArray, j: int) -> float:
    """Distance of row i of a from row j of b."""
    total = 0.0
    for k in range(a.shape[1]):
        gap = a[i, k] - b[j, k]
        total += gap * gap
    return float(np.sqrt(total))


@compiled()
def supported(
    known: FloatArray,
    radius: FloatArray,
    points: FloatArray,
    copies: IntArray,
    records: IntArray,
    start: IntArray,
    values: IntArray,
    slack: int,
    work_limit: int,
) -> tuple[NDArray[np.bool_], int]:
    """Which values of the first record extend to the next few records, all but ``slack`` of them: (which, work).

    A depth-first walk over the next records, which are those with the fewest values: false values die within a few
    distances, true ones are through at once.
    """
    depth = min(len(records) - 1, CHAIN + min(slack, CHAIN))
    wanted = np.empty((depth + 1, depth + 1))
    for k in range(depth + 1):
        for j in range(k):
            wanted[k, j] = distance(known, records[k], known, records[j])
    chain = np.empty(depth + 2, dtype=np.int64)  # value at each level, -1 where the record is skipped
    place = np.empty(depth + 2, dtype=np.int64)  # next vertex to try at each level
    alive = np.empty(start[1], dtype=np.bool_)
    fill(chain, -1)
    fill(place, 0)
    fill(alive, 0)
    work = 0
    for a in range(start[1]):
        chain[0] = values[a]
        skipped, k = 0, 1
        place[1] = start[1]
        while 0 < k <= depth and work <= work_limit:
            found = -1
            while found < 0 and place[k] < start[k + 1]:
                value = values[place[k]]
                place[k] += 1
                work += 1
                fits = True
                for j in range(k):
                    if chain[j] >= 0:
                        gap = abs(distance(points, chain[j], points, value) - wanted[k, j])
                        taken = chain[j] == value and copies[value] < 2
                        if taken or gap > radius[records[k]] + radius[records[j]]:
                            fits = False
                            break
                if fits:
                    found = value
            if found < 0 and place[k] == start[k + 1]:
                place[k] += 1  # all values tried: once without the record, if that is allowed
                if skipped < slack:
                    skipped += 1
                    chain[k] = -1
                    k += 1
                    place[k] = start[k] if k <= depth else 0
                else:
                    k -= 1
            elif found < 0:
                skipped -= 1  # back from having gone on without it
                k -= 1
            else:
                chain[k] = found
                k += 1
                place[k] = start[k] if k <= depth else 0
        alive[a] = k > depth
        if work > work_limit:
            break
    return alive, work


@compiled()
def adjacent(
    known: FloatArray,
    radius: FloatArray,
    points: FloatArray,
    copies: IntArray,
    records: IntArray,
    start: IntArray,
    values: IntArray,
    record: int,
    value: int,
) -> NDArray[np.bool_]:
    """Which vertices agree with ``record`` being ``value``."""
    mask = np.empty(len(values), dtype=np.bool_)
    fill(mask, 0)
    for k in range(len(records)):
        if records[k] == record:
            continue
        wanted = distance(known, record, known, records[k])
        reach = radius[record] + radius[records[k]]
        for b in range(start[k], start[k + 1]):
            taken = values[b] == value and copies[value] < 2  # one row cannot be two records
            mask[b] = not taken and abs(distance(points, value, points, values[b]) - wanted) <= reach
    return mask


@compiled()
def bit_matrix(
    known: FloatArray,
    radius: FloatArray,
    points: FloatArray,
    copies: IntArray,
    records: IntArray,
    start: IntArray,
    values: IntArray,
    distances: FloatArray,
    adjacency: BitArray,
) -> None:
    """Adjacency of vertices, a bit each, none set before; the distances of all ``points`` are computed once."""
    for i in range(len(points)):
        distances[i, i] = 0.0 if copies[i] > 1 else np.inf  # one row cannot be two records
        for j in range(i):
            distances[i, j] = distances[j, i] = distance(points, i, points, j)
    for k in range(len(records)):
        for j in range(len(records)):
            if j == k:
                continue
            wanted = distance(known, records[k], known, records[j])
            reach = radius[records[k]] + radius[records[j]]
            for a in range(start[k], start[k + 1]):
                row = distances[values[a]]
                for b in range(start[j], start[j + 1]):
                    near = np.uint64(abs(row[values[b]] - wanted) <= reach)
                    adjacency[a, b >> 6] |= near << np.uint64(b & 63)


@compiled()
def _ones(word: np.uint64) -> np.int64:
    """Number of bits set."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@compiled()
def _span(first: int, last: int, word: int) -> np.uint64:
    """Bits of the vertices ``first`` to ``last - 1`` within a word."""
    mask = ~np.uint64(0)
    if word == first >> 6:
        mask &= ~np.uint64(0) << np.uint64(first & 63)
    if word == (last - 1) >> 6:
        mask &= ~np.uint64(0) >> np.uint64(63 - ((last - 1) & 63))
    return mask


@compiled()
def largest_cliques(
    adjacency: BitArray,
    start: IntArray,
    closed: NDArray[np.bool_],
    kept: IntArray,
    least: int,
    enough: int,
    node_limit: int,
) -> tuple[int, int, int]:
    """Largest cliques of at least ``least`` vertices, none of them closed: (size, how many in ``kept``, nodes visited).

    A full ``kept`` may mean that there are more of that size; larger ones than ``enough`` are not looked for then.
    """
    records, words = len(start) - 1, adjacency.shape[1]
    open_ = np.empty((records + 1, words), dtype=np.uint64)  # vertices still open, by depth
    fill(open_[0], 0)
    for v in range(start[records]):
        if not closed[v]:
            open_[0, v >> 6] |= np.uint64(1) << np.uint64(v & 63)
    chosen = np.empty(records, dtype=np.int64)  # vertex, by record
    branch = np.empty(records + 1, dtype=np.int64)  # record whose value was last tried, by depth
    fill(chosen, -1)
    fill(branch, -1)
    needed, best, count, nodes, depth = least, -1, 0, 0, 0
    while depth >= 0 and nodes < node_limit:
        nodes += 1 + (records >> 6)  # what a node costs
        if branch[depth] >= 0:
            chosen[branch[depth]] = -1
        # The record with the fewest open values, and how many records have any.
        remaining, fewest, record = 0, np.int64(len(adjacency) + 1), -1
        for k in range(records):
            size = np.int64(0)
            for w in range(start[k] >> 6, ((start[k + 1] - 1) >> 6) + 1):
                if open_[depth, w]:
                    size += _ones(open_[depth, w] & _span(start[k], start[k + 1], w))
            if size:
                remaining += 1
                if size < fewest:
                    fewest, record = size, k
        if depth + remaining < needed:
            depth -= 1
            continue
        if remaining == 0:
            if depth > best:
                best, needed, count = depth, depth, 0
            copy(kept[count], chosen)
            count += 1
            if count == len(kept):
                needed = depth + 1  # no room for another as large
                if depth >= enough:
                    break
            depth -= 1
            continue
        w = start[record] >> 6
        while not open_[depth, w] & _span(start[record], start[record + 1], w):
            w += 1
        word = open_[depth, w] & _span(start[record], start[record + 1], w)
        bit = word & (~word + np.uint64(1))  # the lowest
        vertex = np.int64(w << 6) + _ones(bit - np.uint64(1))
        open_[depth, w] &= ~bit
        for w in range(words):
            open_[depth + 1, w] = open_[depth, w] & adjacency[vertex, w]
        chosen[record] = vertex
        branch[depth] = record
        branch[depth + 1] = -1
        depth += 1
    return best, count, nodes
