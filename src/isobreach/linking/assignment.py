# SPDX-License-Identifier: BSD-3-Clause
"""The largest valid assignments of known records to released values.

A *vertex* is a record with one of its candidate values; two vertices of different records are adjacent when the
distance of the records equals that of the values, within the records' error radii. A valid assignment is a clique, and
the wanted ones are the largest: all of them, up to a cap.

Branch and bound: take the record with the fewest remaining values, try each value (which strikes out whatever is not
adjacent to it), then go on without the record. The bound is the number of records that still have a value. While the
graph is too large for a bit matrix the same step is made with distances computed on the fly; most values then die
against the few next records.
"""

from dataclasses import dataclass, field

import numba as nb
import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BitArray = NDArray[np.uint64]

_MOST_VERTICES = 20_000  # of a bit matrix: 50 MB
_WORK_PER_NODE = 64  # on-the-fly distances that cost about as much as a node of the bit search


@dataclass(frozen=True)
class Geometry:
    """Known records, their error radii, and the released values they may be."""

    known: FloatArray
    radius: FloatArray
    values: FloatArray

    @property
    def arrays(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """For the compiled kernels."""
        return self.known, self.radius, self.values


@dataclass(frozen=True)
class Domains:
    """Candidate values of some records: record ``records[k]`` may be ``values[start[k] : start[k + 1]]`` (never none)."""

    records: IntArray
    start: IntArray
    values: IntArray

    @property
    def size(self) -> int:
        """Number of vertices."""
        return len(self.values)

    @classmethod
    def from_lists(cls, lists: dict[int, IntArray]) -> "Domains":
        """Domains by increasing size; records without a value are left out."""
        items = sorted(((r, v) for r, v in lists.items() if len(v)), key=lambda item: (len(item[1]), item[0]))
        sizes = [len(v) for _, v in items]
        return cls(
            records=np.array([r for r, _ in items], dtype=np.int64),
            start=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            values=np.concatenate([v for _, v in items]).astype(np.int64) if items else np.empty(0, dtype=np.int64),
        )

    def of(self, k: int) -> IntArray:
        """Candidate values of the k-th record."""
        return self.values[self.start[k] : self.start[k + 1]]

    def agreeing(self, geometry: Geometry, record: int, value: int) -> "Domains":
        """Domains of the other records once ``record`` is ``value``."""
        mask = _adjacent(*geometry.arrays, *self.arrays, record, value)
        spans = zip(self.records, self.start[:-1], self.start[1:], strict=True)
        return Domains.from_lists({int(r): self.values[a:b][mask[a:b]] for r, a, b in spans})

    def without_first(self) -> "Domains":
        """Domains of all records but the first."""
        skip = self.start[1]
        return Domains(self.records[1:], self.start[1:] - skip, self.values[skip:])

    @property
    def arrays(self) -> tuple[IntArray, IntArray, IntArray]:
        """For the compiled kernels."""
        return self.records, self.start, self.values


@dataclass
class Budget:
    """Nodes that a search may still visit."""

    nodes: int

    @property
    def spent(self) -> bool:
        """Whether the limit was reached."""
        return self.nodes <= 0


@dataclass
class Outcome:
    """What a search found.

    ``size``: number of records in the largest assignments. ``assignments``: such assignments, each record -> value.
    ``exhaustive``: they are all of them. ``complete``: ``size`` is proven (the node limit was not reached).
    """

    size: int
    assignments: list[dict[int, int]] = field(default_factory=list)
    exhaustive: bool = True
    complete: bool = True


def largest_assignments(geometry: Geometry, domains: Domains, *, least: int, cap: int, budget: Budget) -> Outcome:
    """The largest valid assignments of at least ``least`` records; at most ``cap`` of them are listed."""
    found = Outcome(size=max(least, 0))
    _explore(geometry, domains, {}, found, cap, budget)
    if not found.assignments:
        found.size = 0
    found.complete = not budget.spent
    found.exhaustive = found.exhaustive and found.complete
    return found


def _needed(found: Outcome) -> int:
    """Size that an assignment must reach to be of interest: as large as the best; larger once the list is full."""
    return found.size if found.exhaustive else found.size + 1


def _explore(
    geometry: Geometry, domains: Domains, assigned: dict[int, int], found: Outcome, cap: int, budget: Budget
) -> None:
    while not budget.spent:
        slack = len(assigned) + len(domains.records) - _needed(found)
        if slack < 0:
            return
        if domains.size <= _MOST_VERTICES:
            _bit_search(geometry, domains, assigned, found, cap, budget)
            return
        # The record with the fewest values: each value in turn, then the rest without this record.
        record = int(domains.records[0])
        alive, work = _supported(*geometry.arrays, *domains.arrays, slack, budget.nodes * _WORK_PER_NODE)
        budget.nodes -= 1 + work // _WORK_PER_NODE
        rest, rest_assigned = domains.without_first(), assigned
        for value in domains.of(0)[alive]:
            budget.nodes -= 1 + domains.size // _WORK_PER_NODE
            rest, rest_assigned = domains.agreeing(geometry, record, int(value)), {**assigned, record: int(value)}
            if slack == 0 and value == domains.of(0)[alive][-1]:
                break  # nothing to come back for: go on in this loop, not deeper
            _explore(geometry, rest, rest_assigned, found, cap, budget)
            rest, rest_assigned = domains.without_first(), assigned
        domains, assigned = rest, rest_assigned


def _bit_search(
    geometry: Geometry, domains: Domains, assigned: dict[int, int], found: Outcome, cap: int, budget: Budget
) -> None:
    adjacency = _bit_matrix(*geometry.arrays, *domains.arrays)
    room = cap if found.exhaustive else 1
    kept = np.full((room, len(domains.records)), -1, dtype=np.int64)
    size, count, nodes = _cliques(adjacency, domains.start, kept, _needed(found) - len(assigned), budget.nodes)
    budget.nodes -= nodes
    if not count:
        return
    if len(assigned) + size > found.size:
        found.assignments.clear()
        found.exhaustive = True
        found.size = len(assigned) + size
    for row in kept[: min(count, cap - len(found.assignments))]:
        chosen = {int(domains.records[k]): int(domains.values[v]) for k, v in enumerate(row) if v >= 0}
        found.assignments.append({**assigned, **chosen})
    # A full list stopped being added to: there may be more.
    found.exhaustive = found.exhaustive and count < room and len(found.assignments) < cap


@nb.njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def _distance(a: FloatArray, i: int, b: FloatArray, j: int) -> float:
    total = 0.0
    for k in range(a.shape[1]):
        gap = a[i, k] - b[j, k]
        total += gap * gap
    return np.sqrt(total)


@nb.njit(cache=True, nogil=True)
def _supported(
    known: FloatArray,
    radius: FloatArray,
    points: FloatArray,
    records: IntArray,
    start: IntArray,
    values: IntArray,
    slack: int,
    work_limit: int,
) -> tuple[NDArray[np.bool_], int]:
    """Which values of the first record leave a value to all but ``slack`` of the others."""
    first = records[0]
    alive = np.zeros(start[1], dtype=np.bool_)
    work = 0
    for a in range(start[1]):
        lost = 0
        for k in range(1, len(records)):
            wanted = _distance(known, first, known, records[k])
            reach = radius[first] + radius[records[k]]
            met = False
            for b in range(start[k], start[k + 1]):
                work += 1
                if abs(_distance(points, values[a], points, values[b]) - wanted) <= reach:
                    met = True
                    break
            if not met:
                lost += 1
                if lost > slack:
                    break
        alive[a] = lost <= slack
        if work > work_limit:
            break
    return alive, work


@nb.njit(cache=True, nogil=True)
def _adjacent(
    known: FloatArray,
    radius: FloatArray,
    points: FloatArray,
    records: IntArray,
    start: IntArray,
    values: IntArray,
    record: int,
    value: int,
) -> NDArray[np.bool_]:
    """Which vertices agree with ``record`` being ``value``."""
    mask = np.zeros(len(values), dtype=np.bool_)
    for k in range(len(records)):
        if records[k] == record:
            continue
        wanted = _distance(known, record, known, records[k])
        reach = radius[record] + radius[records[k]]
        for b in range(start[k], start[k + 1]):
            mask[b] = abs(_distance(points, value, points, values[b]) - wanted) <= reach
    return mask


@nb.njit(cache=True, nogil=True)
def _bit_matrix(
    known: FloatArray, radius: FloatArray, points: FloatArray, records: IntArray, start: IntArray, values: IntArray
) -> BitArray:
    """Adjacency of vertices, a bit each."""
    adjacency = np.zeros((len(values), (len(values) + 63) >> 6), dtype=np.uint64)
    for k in range(len(records)):
        for j in range(k):
            wanted = _distance(known, records[k], known, records[j])
            reach = radius[records[k]] + radius[records[j]]
            for a in range(start[k], start[k + 1]):
                for b in range(start[j], start[j + 1]):
                    if abs(_distance(points, values[a], points, values[b]) - wanted) <= reach:
                        adjacency[a, b >> 6] |= np.uint64(1) << np.uint64(b & 63)
                        adjacency[b, a >> 6] |= np.uint64(1) << np.uint64(a & 63)
    return adjacency


@nb.njit(cache=True, nogil=True)
def _ones(word: np.uint64) -> np.int64:
    """Number of bits set."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@nb.njit(cache=True, nogil=True)
def _span(first: int, last: int, word: int) -> np.uint64:
    """Bits of the vertices ``first`` to ``last - 1`` within a word."""
    mask = ~np.uint64(0)
    if word == first >> 6:
        mask &= ~np.uint64(0) << np.uint64(first & 63)
    if word == (last - 1) >> 6:
        mask &= ~np.uint64(0) >> np.uint64(63 - ((last - 1) & 63))
    return mask


@nb.njit(cache=True, nogil=True)
def _cliques(
    adjacency: BitArray, start: IntArray, kept: IntArray, least: int, node_limit: int
) -> tuple[int, int, int]:
    """Largest cliques of at least ``least`` vertices: (size, how many stand in ``kept``, nodes visited).

    A full ``kept`` may mean that there are more of that size; larger ones are still looked for.
    """
    records, words = len(start) - 1, adjacency.shape[1]
    open_ = np.zeros((records + 1, words), dtype=np.uint64)  # vertices still open, by depth
    for v in range(start[records]):
        open_[0, v >> 6] |= np.uint64(1) << np.uint64(v & 63)
    chosen = np.full(records, -1, dtype=np.int64)  # vertex, by record
    branch = np.full(records + 1, -1, dtype=np.int64)  # record whose value was last tried, by depth
    needed, best, count, nodes, depth = least, -1, 0, 0, 0
    while depth >= 0 and nodes < node_limit:
        nodes += 1
        if branch[depth] >= 0:
            chosen[branch[depth]] = -1
        # The record with the fewest open values, and how many records have any.
        remaining, fewest, record = 0, len(adjacency) + 1, -1
        for k in range(records):
            size = 0
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
            kept[count] = chosen
            count += 1
            if count == len(kept):
                needed = depth + 1  # no room for another as large
            depth -= 1
            continue
        w = start[record] >> 6
        while not open_[depth, w] & _span(start[record], start[record + 1], w):
            w += 1
        word = open_[depth, w] & _span(start[record], start[record + 1], w)
        bit = word & (~word + np.uint64(1))  # the lowest
        vertex = (w << 6) + _ones(bit - np.uint64(1))
        open_[depth, w] &= ~bit
        for w in range(words):
            open_[depth + 1, w] = open_[depth, w] & adjacency[vertex, w]
        chosen[record] = vertex
        branch[depth] = record
        branch[depth + 1] = -1
        depth += 1
    return best, count, nodes
