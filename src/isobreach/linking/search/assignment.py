# SPDX-License-Identifier: BSD-3-Clause
"""The largest valid assignments of known records to released values.

With a record and one of its candidate values as a vertex, and vertices that agree in distance adjacent, a valid
assignment is a clique (see ``isobreach.linking.search.cliques``). The wanted ones are the largest: all of them, up to a
cap.

Branch and bound: take the record with the fewest remaining values, try each value (which strikes out whatever is not
adjacent to it), then go on without the record. The bound is the number of records that still have a value. While the
graph is too large for a bit matrix the same step is made with distances computed on the fly; most values then die
against the few next records.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray, IntArray
from isobreach.linking.search.cliques import BitArray, adjacent, bit_matrix, largest_cliques, supported


@dataclass(frozen=True)
class SearchCosts:
    """When a search makes a bit matrix, and what its parts cost in nodes of the search, which are what is limited.

    Attributes
    ----------
    small_matrix
        Vertices up to which a bit matrix is made without further thought.
    most_vertices, most_values
        Of any bit matrix: 50 MB, and 134 MB of distances while it is made.
    few_values
        Values that survive a first look: where there are more, the data are symmetric, and only the matrix is fast.
    pairs
        Pairs of vertices in a bit matrix that cost about as much as a node.
    distances
        Distances, each computed when it is asked for, that cost about as much as a node.
    record
        Nodes that it costs to make the domains of a record anew.
    """

    small_matrix: int = 1024
    most_vertices: int = 20_000
    most_values: int = 4096
    few_values: int = 16
    pairs: int = 512
    distances: int = 32
    record: int = 8


_COSTS = SearchCosts()


_NEVER = 1 << 60  # a size that no assignment has


@dataclass(frozen=True, eq=False)
class Geometry:
    """Known records, their error radii, and the released values they may be, with the number of rows of each."""

    known: FloatArray
    radius: FloatArray
    values: FloatArray
    copies: IntArray

    @property
    def arrays(self) -> tuple[FloatArray, FloatArray, FloatArray, IntArray]:
        """For the compiled kernels."""
        return self.known, self.radius, self.values, self.copies


@dataclass(frozen=True, eq=False)
class Domains:
    """Candidate values of some records: ``records[k]`` may be ``values[start[k] : start[k + 1]]``, never none."""

    records: IntArray
    start: IntArray
    values: IntArray

    @classmethod
    def from_lists(cls, lists: dict[int, IntArray]) -> "Domains":
        """Domains by increasing size; records without a value are left out."""
        items = sorted(((len(v), r) for r, v in lists.items() if len(v)))
        return cls(
            records=np.array([r for _, r in items], dtype=np.int64),
            start=np.cumsum([0, *(size for size, _ in items)]),
            values=np.concatenate([np.empty(0, dtype=np.int64), *(lists[r] for _, r in items)]),
        )

    @property
    def arrays(self) -> tuple[IntArray, IntArray, IntArray]:
        """For the compiled kernels."""
        return self.records, self.start, self.values

    @property
    def size(self) -> int:
        """Number of vertices."""
        return len(self.values)

    @property
    def cost(self) -> int:
        """Nodes that it is worth to strike out what disagrees with a vertex."""
        return self.size // _COSTS.distances + _COSTS.record * len(self.records)

    def of(self, k: int) -> IntArray:
        """Candidate values of the k-th record."""
        return self.values[self.start[k] : self.start[k + 1]]

    def without_first(self) -> "Domains":
        """Domains of all records but the first."""
        skip = self.start[1]
        return Domains(self.records[1:], self.start[1:] - skip, self.values[skip:])

    def vertex(self, record: int, value: int) -> int:
        """Index of a vertex."""
        k = int(np.flatnonzero(self.records == record)[0])
        return int(self.start[k] + np.flatnonzero(self.of(k) == value)[0])

    @property
    def fits_matrix(self) -> bool:
        """Whether a bit matrix of all vertices can be afforded."""
        return self.size <= _COSTS.most_vertices and len(np.unique(self.values)) <= _COSTS.most_values

    def agreeing(self, geometry: Geometry, record: int, value: int) -> "Domains":
        """Domains of the other records once ``record`` is ``value``."""
        return self.kept(adjacent(*geometry.arrays, *self.arrays, record, value))

    def kept(self, mask: NDArray[np.bool_]) -> "Domains":
        """Domains with the masked vertices only."""
        spans = zip(self.records, self.start[:-1], self.start[1:], strict=True)
        return Domains.from_lists({int(r): self.values[a:b][mask[a:b]] for r, a, b in spans})


@dataclass
class Budget:
    """Nodes that a search may still visit."""

    nodes: int

    @property
    def spent(self) -> bool:
        """Whether the limit was reached."""
        return self.nodes <= 0


@dataclass
class SearchOutcome:
    """What a search found.

    ``size``: number of records in the largest assignments. ``assignments``: such assignments, each record -> value.
    ``exhaustive``: they are all of them. ``complete``: the question is answered (the node limit was not reached).
    ``enough``: size at which a full list ends the search; larger ones do not matter.
    """

    size: int
    enough: int
    assignments: list[dict[int, int]] = field(default_factory=list)
    exhaustive: bool = True
    complete: bool = True

    @property
    def needed(self) -> int:
        """Size of interest: as large as the best so far, larger once the list is full."""
        if self.exhaustive:
            return self.size
        return self.size + 1 if self.size < self.enough else _NEVER


class Search:
    """Questions about the valid assignments of some records to their candidate values.

    ``lists``: record -> candidate values.
    """

    def __init__(self, geometry: Geometry, lists: dict[int, IntArray], budget: Budget) -> None:
        self.geometry = geometry
        self.domains = Domains.from_lists(lists)
        self.budget = budget
        self._matrix: BitArray | None = None

    def largest(self, *, least: int, cap: int) -> SearchOutcome:
        """The largest assignments of at least ``least`` records; at most ``cap`` of them are listed."""
        return self._run(self.domains, {}, least, cap)

    def another(self, record: int, value: int, size: int) -> SearchOutcome:
        """An assignment of ``size`` records in which ``record`` is not ``value``."""
        vertex = self.domains.vertex(record, value)
        if self._prepared():
            closed = np.zeros(self.domains.size, dtype=np.bool_)
            closed[vertex] = True
            return self._run(self.domains, {}, size, 1, closed, enough=size)
        return self._run(self.domains.kept(np.arange(self.domains.size) != vertex), {}, size, 1, enough=size)

    def containing(self, record: int, value: int, size: int) -> SearchOutcome:
        """An assignment of ``size`` records in which ``record`` is ``value``."""
        self.budget.nodes -= self.domains.cost
        return self._run(self.domains.agreeing(self.geometry, record, value), {record: value}, size, 1, enough=size)

    def _prepared(self) -> bool:
        """Many questions to come: make the bit matrix once, if it can be made at all."""
        if self._matrix is None and self.domains.fits_matrix:
            self._matrix = _adjacency(self.geometry, self.domains)
        return self._matrix is not None

    def _run(
        self,
        domains: Domains,
        assigned: dict[int, int],
        least: int,
        cap: int,
        closed: NDArray[np.bool_] | None = None,
        enough: int = _NEVER,
    ) -> SearchOutcome:
        found = SearchOutcome(size=max(least, 0), enough=enough)
        if closed is not None and self._matrix is not None:
            _bit_search(self._matrix, domains, closed, assigned, found, cap, self.budget)
        else:
            _explore(self.geometry, domains, assigned, found, cap, self.budget)
        if not found.assignments:
            found.size = 0
        found.complete = not self.budget.spent or found.needed == _NEVER
        found.exhaustive = found.exhaustive and found.complete
        return found


def _explore(
    geometry: Geometry, domains: Domains, assigned: dict[int, int], found: SearchOutcome, cap: int, budget: Budget
) -> None:
    while not budget.spent:
        slack = len(assigned) + len(domains.records) - found.needed
        if slack < 0:
            return
        direct = domains.size <= _COSTS.small_matrix
        if not direct:
            alive, work = supported(*geometry.arrays, *domains.arrays, slack, budget.nodes * _COSTS.distances)
            budget.nodes -= 1 + work // _COSTS.distances
            direct = int(alive.sum()) > _COSTS.few_values and domains.fits_matrix
        if direct:
            matrix = _adjacency(geometry, domains)
            budget.nodes -= domains.size**2 // _COSTS.pairs
            _bit_search(matrix, domains, np.zeros(domains.size, dtype=np.bool_), assigned, found, cap, budget)
            return
        # The record with the fewest values: each value in turn, then the rest without this record.
        record, values = int(domains.records[0]), domains.of(0)[alive]
        rest, rest_assigned = domains.without_first(), assigned
        for value in values:
            if budget.spent or len(assigned) + len(domains.records) < found.needed:
                return  # enough was spent, or found, meanwhile
            budget.nodes -= domains.cost
            agreeing, with_value = domains.agreeing(geometry, record, int(value)), {**assigned, record: int(value)}
            if slack == 0 and value == values[-1]:
                rest, rest_assigned = agreeing, with_value  # nothing to come back for: go on here, not deeper
            else:
                _explore(geometry, agreeing, with_value, found, cap, budget)
        domains, assigned = rest, rest_assigned


def _bit_search(
    matrix: BitArray,
    domains: Domains,
    closed: NDArray[np.bool_],
    assigned: dict[int, int],
    found: SearchOutcome,
    cap: int,
    budget: Budget,
) -> None:
    room = cap if found.exhaustive else 1
    kept = np.full((room, len(domains.records)), -1, dtype=np.int64)
    least, enough = found.needed - len(assigned), found.enough - len(assigned)
    size, count, nodes = largest_cliques(matrix, domains.start, closed, kept, least, enough, budget.nodes)
    budget.nodes -= nodes
    if not count:
        return
    if len(assigned) + size > found.size:
        found.assignments.clear()
        found.exhaustive = True
        found.size = len(assigned) + size
    for row in kept[: min(count, cap - len(found.assignments))].tolist():
        chosen = {int(domains.records[k]): int(domains.values[v]) for k, v in enumerate(row) if v >= 0}
        found.assignments.append({**assigned, **chosen})
    # A full list stopped being added to: there may be more.
    found.exhaustive = found.exhaustive and count < room and len(found.assignments) < cap


def _adjacency(geometry: Geometry, domains: Domains) -> BitArray:
    distinct, place = np.unique(domains.values, return_inverse=True)
    points, copies = geometry.values[distinct], geometry.copies[distinct]
    vertices, distances = (domains.records, domains.start, place), np.empty((len(points), len(points)))
    adjacency = np.zeros((len(place), (len(place) + 63) >> 6), dtype=np.uint64)
    bit_matrix(geometry.known, geometry.radius, points, copies, *vertices, distances, adjacency)
    return adjacency
