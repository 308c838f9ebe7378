# SPDX-License-Identifier: BSD-3-Clause
r"""Whether a release holds the shape of some records a second time, somewhere else.

An owner knows where every record went. What is left to ask, where only distances are kept, is whether the records
1, ..., k of a coalition could *all* be somewhere else: a **displaced copy** is an assignment that keeps all their
distances and gives none of them its true value. Two facts make it cheap to ask for every k at once.

* A displaced copy of 1, ..., k + 1 contains one of 1, ..., k. So there is a largest k that has one, and below it no
  record is linked. Two records can always be swapped: that largest k is at least 2.
* Where there is none, every valid assignment leaves some record in its true place, and distances from that place
  find the others (``isobreach.audits.coalitions.growing``).

The search: one pass over all pairs of values finds those at two or three distances from a record to others (the rarest,
for many coalitions at a time: ``Shapes.joined``). Around every value these are put together to triangles and
tetrahedra of the right shape, and the few that come out are extended record by record. The pass is made for the
smallest k that few copies by chance are expected of; one record fewer, and copies are so common that some value taken
at random shows one.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray, IntArray
from isobreach._progress import Progress, no_progress
from isobreach.audits.coalitions.tetrahedra import Neighbours, by_class, neighbours, one_more, put_together
from isobreach.linking import Cloud, Rates, TooManyError, distances_from
from isobreach.release import Bounds, merged


@dataclass(frozen=True)
class CopySearch:
    """How displaced copies are sought.

    Attributes
    ----------
    joined
        Pairs kept from one pass, by all coalitions together.
    few
        Copies expected by chance, few enough to list.
    looked_at
        Records of a coalition that the expectation is worked out for.
    copies
        Copies that are listed at most: more than an audit can tell apart.
    fair_work, most_work
        Distances that putting shapes together may cost: rather, and at all.
    steps
        Records that are added where there are too many copies of fewer.
    some
        Copies that are followed where one is enough.
    tries
        Values that a copy is looked for around before all are looked at.
    """

    joined: int = 4_000_000
    few: float = 1000.0
    looked_at: int = 16
    copies: int = 1_000_000
    fair_work: float = 5e8
    most_work: float = 2e9
    steps: tuple[int, ...] = (2, 4, 16)
    some: int = 256
    tries: int = 300


SEARCH = CopySearch()


@dataclass(frozen=True, eq=False)
class Plan:
    """How to find the copies of the first ``size`` records: ``corners`` are the three or four to begin with.

    ``low`` and ``high``: released distances between all records that are looked at. ``pairs``: expected pairs of values
    at the distances of the first corner from the others. ``few``: so are the copies that chance makes. ``share``: log
    of the share of pairs of values at the distance of each pair of records.
    """

    size: int
    corners: IntArray
    low: FloatArray
    high: FloatArray
    pairs: float
    few: bool
    share: FloatArray


@dataclass(frozen=True, eq=False)
class Joined:
    """Pairs of values at some distances: those in [low[k], high[k]] are (u, v)[ends[k] : ends[k + 1]], u <= v."""

    low: FloatArray
    high: FloatArray
    ends: IntArray
    u: NDArray[np.int32]
    v: NDArray[np.int32]

    def at(self, high: float, copies: IntArray) -> Neighbours:
        """Neighbours in the interval that contains this bound; a few more than asked for where several were merged."""
        k = int(np.searchsorted(self.high, high))
        part = slice(self.ends[k], self.ends[k + 1])
        return neighbours(self.u[part], self.v[part], copies)


def _corners(share: FloatArray, size: int) -> tuple[IntArray, float]:
    """Three or four of the first ``size`` records to begin with, the rarest distances from one of them; and the log of
    the share of triples of values that putting them together looks at.
    """
    part = share[:size, :size].copy()
    np.fill_diagonal(part, np.inf)
    width = min(size - 1, 3)
    first = int(np.argmin(np.sort(part, axis=1)[:, :width].sum(axis=1)))
    others = np.argsort(part[first], kind="stable")[:width]
    return np.concatenate([[first], others]), float(part[first, others[:2]].sum())


class Shapes:
    """Released values, asked for copies of the shapes that coalitions have."""

    def __init__(self, points: FloatArray, copies: IntArray) -> None:
        self.points, self.copies = points, copies
        self._columns = np.ascontiguousarray(points.T)
        self._rates = Rates.between(points)
        self._cloud = Cloud(points)
        spread = float(np.var(points, axis=0).sum())
        if self._cloud.error() > 1e-3 * spread:
            self._cloud = Cloud(points, np.float64)

    def plan(self, known: FloatArray, error: FloatArray, size: int | None = None) -> Plan:
        """Plan for the smallest number of records that few copies by chance are expected of, at a fair cost; or for
        ``size``.

        With p_ij the share of pairs of values at the distance of records i and j, chance makes about
        m^k prod_(i<j<=k) p_ij copies of k records; of a record's distances only n count, the most telling ones.
        """
        count = min(len(known), SEARCH.looked_at)
        everyone = np.arange(count)
        low, high = Bounds(known[:count], error[:count]).distances(everyone, everyone)
        share = np.stack([self._rates.log_share(low[i], high[i]) for i in range(count)])
        log_rows = np.log(len(self.points))
        expected = np.cumsum([log_rows + float(np.sort(share[k, :k])[: known.shape[1]].sum()) for k in range(count)])
        chosen = count if size is None else min(size, count)
        for k in range(3, count) if size is None else ():
            if expected[k - 1] <= np.log(SEARCH.few) and _corners(share, k)[1] + 3 * log_rows <= np.log(
                SEARCH.fair_work
            ):
                chosen = k
                break
        corners, work = _corners(share, chosen)
        few = bool(expected[chosen - 1] <= np.log(SEARCH.few) and work + 3 * log_rows <= np.log(SEARCH.most_work))
        pairs = float(np.exp(np.logaddexp.reduce(share[corners[0], corners[1:]]) + 2 * log_rows))
        return Plan(chosen, corners, low, high, pairs, few, share)

    def joined(self, plans: Sequence[Plan], progress: Progress = no_progress) -> Joined:
        """All pairs of values at the distances that the plans begin with, found in one pass."""
        low = np.concatenate([plan.low[plan.corners[0], plan.corners[1:]] for plan in plans])
        high = np.concatenate([plan.high[plan.corners[0], plan.corners[1:]] for plan in plans])
        low, high = merged(low, high)
        u, v, which = self._cloud.classes(low, high, 4 * SEARCH.joined, progress)
        return Joined(low, high, *by_class(u, v, which, len(low)))

    def displaced(
        self,
        known: FloatArray,
        error: FloatArray,
        values: IntArray,
        spans: IntArray,
        plan: Plan,
        joined: Joined | None = None,
    ) -> tuple[int, int]:
        """Return (k, K): the first k records have a displaced copy, the first K + 1 have none; 2 <= k <= K.

        k = K is the largest number that has one, unless some search would be too large. ``values``: the true value of
        each record; ``spans``: first and last + 1 of those that it may have at all; the first two records are in each
        other's.
        """
        if not plan.few:
            shown = self._sampled(plan, known, error, values, spans)
            return plan.size if shown else 2, len(known)
        try:
            joined = self.joined([plan]) if joined is None else joined
            found = self._copies(plan, known, error, values, spans, joined)
            if len(found):
                return self._longest(known, error, values, spans, found)
        except TooManyError:
            return self._of_more(plan, known, error, values, spans)
        for size in range(plan.size - 1, 2, -1):
            shorter = self.plan(known[:size], error, size)
            if self._sampled(shorter, known, error, values, spans):
                return size, size
            try:
                if len(self._copies(shorter, known, error, values, spans, self.joined([shorter]))):
                    return size, size
            except TooManyError:
                return 2, size
        return 2, 2

    def _of_more(
        self, plan: Plan, known: FloatArray, error: FloatArray, values: IntArray, spans: IntArray
    ) -> tuple[int, int]:
        """As ``displaced`` where so few records have too many copies to list: more of them may have rarer distances."""
        shown = plan.size if self._sampled(plan, known, error, values, spans) else 2
        for more in sorted(
            {min(plan.size + step, len(known), SEARCH.looked_at) for step in SEARCH.steps} - {plan.size}
        ):
            plan = self.plan(known, error, more)
            try:
                found = self._copies(plan, known, error, values, spans, self.joined([plan]))
            except TooManyError:
                shown = more if self._sampled(plan, known, error, values, spans) else shown
                continue
            if len(found):
                return self._longest(known, error, values, spans, found)
            return shown, more - 1
        return shown, len(known)

    def _copies(
        self, plan: Plan, known: FloatArray, error: FloatArray, values: IntArray, spans: IntArray, joined: Joined
    ) -> IntArray:
        """All displaced copies of the first ``plan.size`` records, a row each."""
        corners = plan.corners
        lists = [joined.at(float(plan.high[corners[0], c]), self.copies) for c in corners[1:]]
        work = np.diff(lists[0][0]).astype(np.float64) @ np.diff(lists[1][0]).astype(np.float64)
        if work > SEARCH.most_work:
            raise TooManyError
        low, high = plan.low[np.ix_(corners, corners)], plan.high[np.ix_(corners, corners)]
        shapes = self._put_together(lists, low, high, values[corners], spans[corners])
        return self._completed(plan, corners, shapes, known, error, values, spans)

    def _put_together(
        self, lists: list[Neighbours], low: FloatArray, high: FloatArray, true: IntArray, spans: IntArray
    ) -> IntArray:
        none = (np.zeros(len(self.points) + 1, dtype=np.int64), np.empty(0, dtype=np.int64))
        near = (lists[0], lists[1], lists[2] if len(lists) > 2 else none)
        return put_together(self.points, self.copies, near, low, high, true, spans, SEARCH.copies)

    def _completed(
        self,
        plan: Plan,
        corners: IntArray,
        shapes: IntArray,
        known: FloatArray,
        error: FloatArray,
        values: IntArray,
        spans: IntArray,
        some: int | None = None,
    ) -> IntArray:
        """Copies of the corners, extended to all records of the plan, in the records' order; ``some``: no more."""
        if len(shapes) >= SEARCH.copies:
            raise TooManyError
        placed = corners
        rest = set(range(plan.size)) - set(corners.tolist())
        while rest:
            # The record that is rarest where some other one is placed, looked for around that one.
            record = min(rest, key=lambda r: float(plan.share[r, placed].min()))
            pivot = int(np.argmin(plan.share[record, placed]))
            true, span = int(values[record]), spans[record]
            shapes = self._extended(known, error, placed, shapes[:some], record, true, span, pivot, some)
            placed = np.append(placed, record)
            rest.discard(record)
        return shapes[:, np.argsort(placed)]

    def _extended(
        self,
        known: FloatArray,
        error: FloatArray,
        placed: IntArray,
        shapes: IntArray,
        record: int,
        true: int,
        span: IntArray,
        pivot: int | None = None,
        some: int | None = None,
    ) -> IntArray:
        low, high = (b[:, 0] for b in Bounds(known, error).distances(placed, np.array([record])))
        if pivot is None:  # the record with the fewest values
            pivot = int(np.argmin([len(np.unique(column)) for column in shapes.T]))
        swap = np.arange(len(placed))
        swap[[0, pivot]] = swap[[pivot, 0]]
        shapes = shapes[np.argsort(shapes[:, pivot], kind="stable")][:, swap]
        more, whole = one_more(
            self.points,
            self._columns,
            self.copies,
            shapes,
            low[swap],
            high[swap],
            true,
            span,
            SEARCH.copies if some is None else some,
            int(SEARCH.most_work / 8),
        )
        if not whole and some is None:
            raise TooManyError
        return more[:, np.append(swap, len(placed))]

    def _longest(
        self, known: FloatArray, error: FloatArray, values: IntArray, spans: IntArray, found: IntArray
    ) -> tuple[int, int]:
        """The most records that one of these copies can be extended to, as ``displaced`` says it."""
        size = int(found.shape[1])
        while size < len(known):
            try:
                found = self._extended(known, error, np.arange(size), found, size, int(values[size]), spans[size])
            except TooManyError:
                return size, len(known)
            if not len(found):
                break
            size += 1
        return size, size

    def _sampled(self, plan: Plan, known: FloatArray, error: FloatArray, values: IntArray, spans: IntArray) -> bool:
        """Whether a displaced copy shows around one of a few values taken at random."""
        corners = plan.corners
        low, high = plan.low[np.ix_(corners, corners)], plan.high[np.ix_(corners, corners)]
        total = len(self.points)
        for u in np.random.default_rng(0).permutation(total)[: SEARCH.tries].tolist():
            gaps = distances_from(self.points, u)
            lists: list[Neighbours] = []
            for c in range(1, len(corners)):
                near = np.flatnonzero((gaps >= low[0, c]) & (gaps <= high[0, c]))
                near = near[(near != u) | (self.copies[near] > 1)]
                lists.append((np.where(np.arange(total + 1) > u, len(near), 0), near))
            if np.prod([float(len(near)) for _, near in lists]) > SEARCH.most_work / SEARCH.tries:
                return False
            shapes = self._put_together(lists, low, high, values[corners], spans[corners])
            with suppress(TooManyError):  # then around another one
                if len(shapes) and len(
                    self._completed(plan, corners, shapes, known, error, values, spans, SEARCH.some)
                ):
                    return True
        return False
