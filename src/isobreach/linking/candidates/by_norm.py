# SPDX-License-Identifier: BSD-3-Clause
"""Released values that a known record could be, by norm.

One fused pass over the release computes each row's squared norm and looks it up among the *known* norms' intervals,
emitting only hits: m values are never sorted. Rows that hit are then gathered, equal ones merged into one value
(equal released rows are the same point), and sorted by norm, so that a record's candidates are a contiguous range.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray, IntArray
from isobreach._columns import STRETCH, Addresses, ColumnBlock, takes_columns
from isobreach._compiled import compiled
from isobreach._progress import Progress
from isobreach._validation import LARGEST
from isobreach.engine import Engine
from isobreach.errors import InputError
from isobreach.geometry import row_norms, squares_of_stretch
from isobreach.release import merged

_PAIRS_A_HOUR = 3600 * 1e8  # that a processor compares, of a few hundred numbers
_FIRST_HITS = 4096  # hit buffer of a block; a block with more is scanned again with room for all


@dataclass(frozen=True, eq=False)
class Candidates:
    """Distinct released values that hit a known norm, by increasing norm, and each record's range of them.

    Value v is the point ``points[v]`` and stands in the released rows ``rows[row_start[v] : row_start[v + 1]]``.
    Known record i may be the values ``first[i]`` to ``last[i] - 1``.
    """

    points: FloatArray
    rows: IntArray
    row_start: IntArray
    first: IntArray
    last: IntArray

    @property
    def longest(self) -> float:
        """The largest norm of a value."""
        return float(row_norms(self.points[-1:])[0])

    @property
    def copies(self) -> IntArray:
        """Number of released rows that hold each value."""
        return np.diff(self.row_start)

    def rows_of(self, value: int) -> IntArray:
        """Released rows that hold the value, ascending."""
        return self.rows[self.row_start[value] : self.row_start[value + 1]]

    @cached_property
    def _all_rows(self) -> IntArray:
        return np.sort(self.rows)

    def rows_of_all(self, values: IntArray) -> IntArray:
        """Released rows that hold one of the values, ascending."""
        if len(values) == len(self.points):
            return self._all_rows
        places = [self.rows_of(value) for value in values.tolist()]
        return places[0] if len(places) == 1 else np.sort(np.concatenate([np.empty(0, dtype=np.int64), *places]))


def norm_candidates(
    known: FloatArray, radius: FloatArray, source: Engine, unit: float, progress: Progress
) -> Candidates:
    """Candidates of each known record: released values whose norm is within ``radius`` of its own."""
    norms = row_norms(known)
    low, high = np.maximum(norms - radius, 0.0) ** 2, (norms + radius) ** 2
    # The kernel's sum of n squares errs by at most n units of roundoff.
    slack = 2.0 * source.shape[1] * 2.0**-53
    low, high = low * (1 - slack), high * (1 + slack)
    hits, points = _scan(source, *merged(low, high), progress)
    source.keep(hits, points)  # some of them will be linked
    points, rows, row_start = distinct_values(points, hits, unit)
    squares = np.einsum("ij,ij->i", points, points)
    return Candidates(
        points=points,
        rows=rows,
        row_start=row_start,
        first=np.searchsorted(squares, low, "left"),
        last=np.searchsorted(squares, high, "right"),
    )


def all_candidates(records: int, source: Engine, unit: float, progress: Progress) -> Candidates:
    """Candidates where norms say nothing: every released value, for each of so many records."""
    pairs = 0.5 * source.shape[0] ** 2
    reason = (
        f"Without norms all {pairs:.1g} pairs of rows are compared, {pairs / _PAIRS_A_HOUR:,.0f} hours of one "
        "processor or more; name the motion orthogonal if the release keeps norms."
    )
    points = source.everything(reason, progress)
    if not np.isfinite(np.einsum("ij,ij->", points, points)):
        _refuse_bad_entries(source)
    points, rows, row_start = distinct_values(points, np.arange(len(points)), unit)
    none, all_ = np.zeros(records, dtype=np.int64), np.full(records, len(points))
    return Candidates(points=points, rows=rows, row_start=row_start, first=none, last=all_)


def distinct_values(points: FloatArray, places: IntArray, unit: float) -> tuple[FloatArray, IntArray, IntArray]:
    """Distinct points by increasing norm, and the rows of each (``rows`` and ``row_start`` of Candidates)."""
    # Products of equal records may differ in their last bits. In single precision that is no longer next to nothing.
    order, start = _distinct(points, 4 * np.sqrt(points.shape[1]) * unit if unit <= 2.0**-53 else 0.0)
    points = points[order[start[:-1]]]
    by_norm = np.argsort(np.einsum("ij,ij->i", points, points), kind="stable")
    sizes = np.diff(start)[by_norm]
    row_start = np.concatenate([[0], np.cumsum(sizes)])
    within = np.arange(len(order)) - np.repeat(row_start[:-1], sizes)
    rows = places[order[np.repeat(start[:-1][by_norm], sizes) + within]]
    return np.ascontiguousarray(points[by_norm]), rows, row_start


@dataclass(frozen=True, eq=False)
class _Lookup:
    """Disjoint intervals, ascending, and for each bin of squared norms the first interval that may be there, or -1.

    The first bin is for all that is smaller, and for what is no number, the last one for all that is larger.
    """

    low: FloatArray
    high: FloatArray
    first: NDArray[np.int32]
    base: float
    scale: float


@takes_columns
def _matching(block: FloatArray | ColumnBlock, first_row: int, lookup: _Lookup) -> tuple[IntArray, FloatArray, int]:
    """Rows of a block whose squared norm lies in an interval, their numbers first; how many hold what is no number."""
    hits = np.empty(min(_FIRST_HITS, len(block)), dtype=np.int32)
    count, bad = _looked_up(block, lookup, hits)
    if count > len(hits):
        hits = np.empty(count, dtype=np.int32)
        count, bad = _looked_up(block, lookup, hits)
    return hits[:count] + np.int64(first_row), block[hits[:count]], bad


def _looked_up(block: FloatArray | ColumnBlock, lookup: _Lookup, hits: NDArray[np.int32]) -> tuple[int, int]:
    """How many rows hit an interval, as many of them in ``hits`` as have room there; how many are no numbers."""
    arguments = lookup.low, lookup.high, lookup.first, lookup.base, lookup.scale, hits
    if isinstance(block, ColumnBlock):
        return _column_hits(block.addresses, len(block), *arguments)
    return _hits(block, *arguments)


def _scan(source: Engine, low: FloatArray, high: FloatArray, progress: Progress) -> tuple[IntArray, FloatArray]:
    """Numbers of the released rows, ascending, whose squared norm lies in one of the intervals, and these rows.

    The pass sums squares in whatever order is fast where the rows are, and looks for a little more. Of what it finds,
    one sum decides that is the same everywhere.
    """
    slack = 4.0 * source.shape[1] * 2.0**-53
    wide_low, wide_high = low * (1 - slack), high * (1 + slack)
    bins = int(min(max(1024, 4 * len(low)), 1 << 16))
    base, width = wide_low[0], wide_high[-1] - wide_low[0]
    scale = bins / width * (1 - 1e-9) if width > 0 else 0.0
    # An interval is looked for from a little before the bin on: rounding may put a norm into the next bin.
    edges = base + (np.arange(bins) - 1e-3) / scale if scale > 0 else np.full(bins, base)
    first = np.searchsorted(wide_high, edges).astype(np.int32)
    first[wide_low[np.minimum(first, len(low) - 1)] > edges + 2 / max(scale, 1e-300)] = -1  # no interval near that bin
    first = np.pad(first, 1, constant_values=-1)

    lookup = _Lookup(wide_low, wide_high, first, float(base), float(scale))
    hits, points, bad = zip(*source.scan(_matching, lookup, "matching norms", progress), strict=True)
    if any(bad):
        _refuse_bad_entries(source)
    rows, found = np.concatenate(hits), np.concatenate(points)
    squares = np.einsum("ij,ij->i", found, found)
    place = np.minimum(np.searchsorted(high, squares), len(high) - 1)
    kept = (low[place] <= squares) & (squares <= high[place])
    return (rows, found) if kept.all() else (rows[kept], found[kept])


@compiled(reorder=True)
def _squares_of_rows(block: FloatArray, start: int, squares: FloatArray) -> None:
    for i in range(len(squares)):
        square = 0.0
        for j in range(block.shape[1]):
            square += block[start + i, j] * block[start + i, j]
        squares[i] = square


@compiled()
def _hits(
    block: FloatArray,
    low: FloatArray,
    high: FloatArray,
    first: NDArray[np.int32],
    base: float,
    scale: float,
    hits: NDArray[np.int32],
) -> tuple[int, int]:
    squares, places = np.empty(STRETCH), np.empty(STRETCH, dtype=np.int32)
    count = bad = 0
    for start in range(0, len(block), STRETCH):
        size = min(STRETCH, len(block) - start)
        _squares_of_rows(block, start, squares[:size])
        bad += _places(squares[:size], base, scale, len(first), places)
        count = _look_up(squares[:size], places, start, low, high, first, hits, count)
    return count, bad


@compiled()
def _column_hits(
    addresses: Addresses,
    rows: int,
    low: FloatArray,
    high: FloatArray,
    first: NDArray[np.int32],
    base: float,
    scale: float,
    hits: NDArray[np.int32],
) -> tuple[int, int]:
    squares, places = np.empty(STRETCH), np.empty(STRETCH, dtype=np.int32)
    count = bad = 0
    for start in range(0, rows, STRETCH):
        size = min(STRETCH, rows - start)
        squares_of_stretch(addresses, start, squares[:size])
        bad += _places(squares[:size], base, scale, len(first), places)
        count = _look_up(squares[:size], places, start, low, high, first, hits, count)
    return count, bad


@compiled()
def _places(squares: FloatArray, base: float, scale: float, bins: int, places: NDArray[np.int32]) -> int:
    """Bins of some squared norms, side by side in registers; returns how many are no numbers."""
    last = float(bins - 1)
    bad = 0
    for i in range(len(squares)):
        place = (squares[i] - base) * scale + 1.0
        place = place if place > 0.0 else 0.0
        places[i] = np.int32(place if place < last else last)
        bad += 0 if squares[i] < np.inf else 1
    return bad


@compiled()
def _look_up(
    squares: FloatArray,
    places: NDArray[np.int32],
    start: int,
    low: FloatArray,
    high: FloatArray,
    first: NDArray[np.int32],
    hits: NDArray[np.int32],
    count: int,
) -> int:
    """Add the rows whose squared norm lies in an interval to ``count`` others: one question for nearly every row."""
    for i in range(len(squares)):
        k = first[places[i]]
        if k >= 0:
            while k < len(low) and high[k] < squares[i]:
                k += 1
            if k < len(low) and low[k] <= squares[i]:
                if count < len(hits):
                    hits[count] = start + i
                count += 1
    return count


def _bad_entries(block: FloatArray, first_row: int, params: None) -> tuple[int, int, int]:
    """How many entries are no numbers, and row and column of the first."""
    bad = ~np.isfinite(block)
    row, column = (int(i) for i in np.unravel_index(int(np.argmax(bad)), bad.shape))
    return int(bad.sum()), first_row + row, column


def check_entries(source: Engine) -> None:
    """Refuse released rows that hold what is no number: for linking that makes no other pass over them."""
    found = [result for result in source.scan(_bad_entries, None, "checking values") if result[0]]
    if found:
        count, (_, row, column) = sum(result[0] for result in found), found[0]
        raise InputError(
            "released",
            "must be finite everywhere",
            f"{count} missing, NaN or infinite; the first in {source.where(row, column)}",
        )


def _refuse_bad_entries(source: Engine) -> None:
    check_entries(source)
    raise InputError("released", f"must have entries below {LARGEST:g} in size", "larger ones", "Rescale it.")


def _distinct(points: FloatArray, tolerance: float) -> tuple[IntArray, IntArray]:
    """Group equal points: (order, start) with group g in ``order[start[g] : start[g + 1]]``, ascending.

    Equal means within ``tolerance`` times the norm. Points are sorted along one fixed direction; only neighbours there
    are compared.
    """
    if len(points) < 2:
        return np.arange(len(points)), np.arange(len(points) + 1)
    direction = np.random.default_rng(0).standard_normal(points.shape[1])
    key = points @ (direction / np.linalg.norm(direction))
    by_key = np.argsort(key, kind="stable")
    rows = np.arange(len(points))
    leader = rows.copy()
    _lead(points, key, by_key, tolerance, leader)
    # Number the groups by their lowest row, whatever the direction of the sort.
    lowest = np.full(len(points), len(points))
    np.minimum.at(lowest, leader, rows)
    first = lowest[leader]
    group = (np.cumsum(first == rows) - 1)[first]
    order = np.argsort(group, kind="stable")
    return order, np.searchsorted(group[order], np.arange(group.max() + 2))


@compiled()
def _lead(points: FloatArray, key: FloatArray, by_key: IntArray, tolerance: float, leader: IntArray) -> None:
    """Give every point that equals one before it in the sort that one's leader."""
    m, n = points.shape
    for a in range(m):
        i = by_key[a]
        square = 0.0
        for k in range(n):
            square += points[i, k] ** 2
        reach = tolerance * np.sqrt(square)
        b = a - 1
        while b >= 0 and key[i] - key[by_key[b]] <= reach:
            j = leader[by_key[b]]
            gap = 0.0
            for k in range(n):
                gap += (points[i, k] - points[j, k]) ** 2
            if gap <= reach * reach:
                leader[i] = j
                break
            b -= 1
