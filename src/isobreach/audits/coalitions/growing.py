# SPDX-License-Identifier: BSD-3-Clause
r"""Links of coalitions that grow by one insider at a time, for an owner who knows every record's released row.

For a coalition whose insiders are all in the release, the links of its first k insiders are certain with more of them
too: a valid assignment of k + 1 records is one of the first k, restricted; so what all assignments of k share, those of
k + 1 share as well. Linking can therefore go on from one size to the next. With F the linked records so far and U the
others, every valid assignment is the true one on F, so

    candidates of a record in U  =  values with its norm, at its distances from the true values of F

and what the valid assignments of U within these lists share is linked next (``backbone``). That equals what ``link``
says of the coalition, because no valid assignment was left out.

Norms kept: the lists begin with the values of the right norm. Distances alone: while all records have a displaced copy
(``isobreach.audits.coalitions.copies``) nothing is linked. From then on every valid assignment leaves some record j in
its true place; and what all assignments share is what, for every j, those with j in its true place share. Each of these
is a small search: the other records' values are at their distances from one that is known.

Tolerances are those of ``link``, for the longest record of the table: the same for every coalition and size.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray, IntArray
from isobreach._progress import Progress, no_progress
from isobreach.audits.coalitions.copies import SEARCH, Joined, Plan, Shapes
from isobreach.engine import as_engine
from isobreach.geometry import row_norms
from isobreach.linking import (
    Budget,
    Geometry,
    Motion,
    Search,
    TooManyError,
    all_candidates,
    backbone,
    distances_from,
    link,
)
from isobreach.release import Precision, released_precision, unit_roundoff


@dataclass(frozen=True)
class CoalitionGrowth:
    """How far growing coalitions are searched.

    Attributes
    ----------
    nodes
        Of a search: fewer than ``link`` has, for there are many coalitions, and each of their sizes is searched.
    small
        Candidates in all, few enough to search among them without further thought.
    compared
        Pairs of candidates of two records: beyond, shapes are looked for.
    listed
        Candidates that are kept in lists at most.
    """

    nodes: int = 200_000
    small: int = 1024
    compared: int = 20_000
    listed: int = 200_000


_GROWTH = CoalitionGrowth()


@dataclass(frozen=True, eq=False)
class Growth:
    """From which size on each insider of a growing coalition is linked; beyond its length where it never is.

    ``decided[k - 1]``: False where the search for k insiders was given up: links may then have been missed, never
    invented.
    """

    since: IntArray
    decided: NDArray[np.bool_]

    @classmethod
    def rows_known(cls, count: int) -> "Growth":
        """Of insiders who know their own rows: each is linked as soon as there."""
        return cls(np.arange(count) + 1, np.ones(count, dtype=np.bool_))

    @property
    def complete(self) -> bool:
        """Whether links were decided at every size."""
        return bool(self.decided.all())

    def linked(self, size: int) -> IntArray:
        """Places of the insiders who are linked once there are so many."""
        return np.flatnonzero(self.since[:size] <= size)


class GrowingLinks:
    """Links in one release of all records: ``released[order[i]]`` is record i's row.

    ``precision``: of the release, where the owner knows it; read off it by default.
    """

    def __init__(
        self,
        records: NDArray[Any],
        released: NDArray[Any],
        order: IntArray,
        *,
        motion: Motion,
        precision: Precision | None = None,
        node_limit: int = _GROWTH.nodes,
    ) -> None:
        source = as_engine(released)
        self.source, self.motion, self.node_limit = source, motion, node_limit
        self.records = _no_negative_zeros(records)
        self.precision = released_precision(source) if precision is None else precision
        found = all_candidates(1, source, self.precision.unit, no_progress)
        self.points, self.copies = found.points, found.copies
        value_of = np.empty(source.shape[0], dtype=np.int64)
        value_of[found.rows] = np.repeat(np.arange(len(found.points)), found.copies)
        self.values = value_of[order]
        norms = row_norms(self.records)
        own = unit_roundoff(np.asarray(records)) * norms
        longest = found.longest + float(norms.max())
        lengths = norms if motion == "orthogonal" else np.full(len(norms), longest)
        self.error = self.precision.length_error(lengths, source.shape[1]) + own
        self.radius = self.precision.radius(lengths, source.shape[1]) + own
        self.squares = np.einsum("ij,ij->i", found.points, found.points)
        slack = 2.0 * source.shape[1] * 2.0**-53
        low = np.maximum(norms - self.error, 0.0) ** 2 * (1 - slack)
        high = (norms + self.error) ** 2 * (1 + slack)
        self.spans = np.stack(
            [np.searchsorted(self.squares, low, "left"), np.searchsorted(self.squares, high, "right")], axis=1
        )
        if motion != "orthogonal":
            self.spans[:] = 0, len(found.points)
        self._shapes: Shapes | None = None

    @property
    def by_hand(self) -> bool:
        """Whether the release lies on a grid of its own, which ``link`` treats in ways of its own."""
        return self.precision.step > 0

    def batches(
        self, orders: Sequence[IntArray], progress: Progress = no_progress
    ) -> Iterator[tuple[range, Joined | None]]:
        """Coalitions to be linked together, as a range of ``orders`` and what to give to ``grow``: one pass for all."""
        start = 0
        while start < len(orders):
            stop, pairs = start, 0.0
            wanted: list[Plan] = []
            while stop < len(orders):
                plan = None if self.by_hand else self._plan(orders[stop])
                pairs += plan.pairs if plan is not None and plan.few else 0.0
                if wanted and pairs > SEARCH.joined:
                    break
                wanted += [plan] if plan is not None and plan.few else []
                stop += 1
            joined = None
            if wanted:
                with suppress(TooManyError):
                    joined = self.shapes.joined(wanted, progress)
            yield range(start, stop), joined
            start = stop

    def grow(self, order: IntArray, joined: Joined | None = None) -> Growth:
        """Links of the coalitions order[:1], order[:2], ... ``joined``: from ``batches``, if at hand."""
        if self.by_hand:
            return self._one_by_one(order)
        distinct, which = self._distinct(order)
        first = np.full(len(distinct), len(order), dtype=np.int64)
        np.minimum.at(first, which, np.arange(len(order)))
        since, decided = _Grower(self, order[distinct], joined).run()
        # Sizes counted in distinct insiders become sizes of the coalition; equal records are linked together.
        sizes = np.append(first, len(order)) + 1
        own = sizes[np.minimum(since, len(distinct) + 1) - 1][which]
        known = np.maximum.accumulate(which)  # how many are distinct among the first 1, 2, ..., less one
        return Growth(np.maximum(own, np.arange(len(order)) + 1), decided[known])

    def _distinct(self, order: IntArray) -> tuple[IntArray, IntArray]:
        """Places of the distinct records in an order, by first appearance, and which of them each one is."""
        seen: dict[bytes, int] = {}
        which = np.array([seen.setdefault(self.records[i].tobytes(), len(seen)) for i in order], dtype=np.int64)
        return np.unique(which, return_index=True)[1], which

    def _plan(self, order: IntArray) -> Plan | None:
        known = order[self._distinct(order)[0]]
        if len(known) < 3 or not self.by_shape(known):
            return None
        return self.shapes.plan(self.records[known], self.error[known])

    def by_shape(self, known: IntArray) -> bool:
        """Whether lists of candidates are too long to be searched, and the first two records can be swapped."""
        if len(self.points) * len(known) <= _GROWTH.small:
            return False
        sizes, two = np.diff(self.spans[known[:2]], axis=1), self.values[known[:2]][::-1]
        swap = (self.spans[known[:2], 0] <= two) & (two < self.spans[known[:2], 1])
        return bool(swap.all()) and float(np.prod(sizes.astype(np.float64))) > _GROWTH.compared

    @property
    def shapes(self) -> Shapes:
        """The values, made ready for copies of shapes."""
        if self._shapes is None:
            self._shapes = Shapes(self.points, self.copies)
        return self._shapes

    def _one_by_one(self, order: IntArray) -> Growth:
        since, decided = np.full(len(order), len(order) + 1, dtype=np.int64), np.ones(len(order), dtype=np.bool_)
        for size in range(len(order), 0, -1):
            linkage = link(self.records[order[:size]], self.source, motion=self.motion, node_limit=self.node_limit)
            decided[size - 1] = linkage.complete
            linked = linkage.linked
            since[linked[since[linked] == size + 1]] = size
        return Growth(since, decided)


def _no_negative_zeros(records: NDArray[Any]) -> FloatArray:
    """Records in double precision, where equal ones have equal bits; a copy only where that needs one."""
    values = np.asarray(records, dtype=np.float64)
    return values + 0.0 if (np.signbit(values) & (values == 0)).any() else values


class _Grower:
    """One coalition of distinct records, growing."""

    def __init__(self, links: GrowingLinks, order: IntArray, joined: Joined | None) -> None:
        self._links, self._joined = links, joined
        self._known = links.records[order]
        self._error = links.error[order]
        self._true = links.values[order]
        self._spans = links.spans[order]
        self._points, self._copies = links.points, links.copies
        self._by_shape = links.by_shape(order)
        self._fixed: list[int] = []
        self._open: dict[int, IntArray] = {}
        self._gaps: dict[int, FloatArray] = {}
        self._decided = np.ones(len(order), dtype=np.bool_)

    def run(self) -> tuple[IntArray, NDArray[np.bool_]]:
        """From which size on each record is linked (beyond their number: never), and whether that is sure, by size."""
        count = len(self._known)
        since = np.full(count, count + 1, dtype=np.int64)
        displaced = self._displaced() if self._by_shape else 0
        for size in range(displaced + 1, count + 1):
            if self._by_shape and not self._fixed:
                linked = self._anchored(size)
            else:
                self._open[size - 1] = self._candidates(size - 1)
                linked = self._solved(size)
            for record in linked:
                since[record] = size
        return since, self._decided

    def _anchored(self, size: int) -> list[int]:
        """Records linked once no displaced copy is left: by every j alike, with j in its true place."""
        geometry = Geometry(self._known[:size], self._error[:size], self._points, self._copies)
        linked = sure = set(range(size))  # by all searches; and what those that were not given up leave
        for anchor in range(size):
            lists = {record: self._beside(record, anchor) for record in range(size)}
            if sum(map(len, lists.values())) > _GROWTH.listed:
                linked = set()
                continue
            agreement = backbone(Search(geometry, lists, Budget(self._links.node_limit)))
            shared = {record for record, value in agreement.links.items() if value == self._true[record]}
            linked = linked & shared
            sure = sure & shared if agreement.complete else sure
            if not sure:
                return []
        self._decided[size - 1] = linked == sure
        self._fixed += sorted(linked)
        if linked:
            self._open = {record: self._candidates(record) for record in range(size) if record not in linked}
        return sorted(linked)

    def _beside(self, record: int, anchor: int) -> IntArray:
        """Values of a record if the anchor is in its true place."""
        if record == anchor:
            return self._true[record : record + 1]
        values, (first, last) = self._at_distance(record, anchor), self._spans[record]
        return self._consistent(record, values[(values >= first) & (values < last)], [anchor])

    def _displaced(self) -> int:
        """Most records that have a displaced copy: none of fewer is linked."""
        count, shapes = len(self._known), self._links.shapes
        if count < 3:
            return count
        plan = shapes.plan(self._known, self._error)
        surely, most = shapes.displaced(self._known, self._error, self._true, self._spans, plan, self._joined)
        self._decided[surely:most] = False
        return most

    def _candidates(self, record: int) -> IntArray:
        """Values that a record may have, given the links so far."""
        first, last = self._spans[record]
        values = self._at_distance(record, self._fixed[0]) if self._by_shape else np.arange(first, last)
        return self._consistent(record, values[(values >= first) & (values < last)], self._fixed)

    def _at_distance(self, record: int, anchor: int) -> IntArray:
        if anchor not in self._gaps:
            self._gaps[anchor] = distances_from(self._points, int(self._true[anchor]))
        wanted = float(np.linalg.norm(self._known[record] - self._known[anchor]))
        reach = self._error[record] + self._error[anchor]
        return np.flatnonzero(np.abs(self._gaps[anchor] - wanted) <= reach)

    def _consistent(self, record: int, values: IntArray, fixed: Sequence[int]) -> IntArray:
        """Those of the values that stand right to the fixed records and are not taken by one."""
        for j in fixed:
            if not len(values):
                break
            gaps = row_norms(self._points[values] - self._points[self._true[j]])
            wanted = float(np.linalg.norm(self._known[record] - self._known[j]))
            fits = np.abs(gaps - wanted) <= self._error[record] + self._error[j]
            taken = (values == self._true[j]) & (self._copies[values] < 2)
            values = values[fits & ~taken]
        return values

    def _solved(self, size: int) -> list[int]:
        """Open records that are linked now; they become fixed, and the others' lists shrink."""
        if all(len(values) > 1 for values in self._open.values()) and len(self._open) == 1:
            return []
        records = sorted(self._open)
        sizes = sorted(len(self._open[r]) for r in records)
        if sum(sizes) > _GROWTH.listed:
            self._decided[size - 1] = False
            return []
        place = {r: k for k, r in enumerate(records)}
        geometry = Geometry(self._known[records], self._error[records], self._points, self._copies)
        lists = {place[r]: self._open[r] for r in records}
        agreement = backbone(Search(geometry, lists, Budget(self._links.node_limit)))
        self._decided[size - 1] = agreement.complete
        linked = [records[k] for k, value in sorted(agreement.links.items()) if value == self._true[records[k]]]
        for record in linked:
            del self._open[record]
        self._fixed += linked
        for record in self._open:
            self._open[record] = self._consistent(record, self._open[record], linked)
        return linked
