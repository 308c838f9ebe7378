# SPDX-License-Identifier: BSD-3-Clause
r"""Rows that a public sample proposes, verified by exact distances, where a release has too many pairs to compare.

Without norms the exact way compares all pairs of released rows, and no exact way below the square of their number is
known. A sample of the population tells numbers of each known record that the motion keeps
(``isobreach.linking.invariants``), and one pass finds the rows that are nearest to them, by the sample's error. Exact
distances between these few say which are right: that is a search among candidates as everywhere. Another pass finds
*all* rows that stand right to the records placed so, of every known record. So a proposal only says where to begin:
each link has exact distances from all others, no other row has them, and chance is counted on the whole release. A
record that was not proposed may be there all the same: it is never absent.
"""

from dataclasses import dataclass

import numpy as np

from isobreach._arrays import FloatArray, IntArray
from isobreach._compiled import compiled, fill, grown_rows
from isobreach._progress import Progress
from isobreach.engine import Engine, tiles
from isobreach.geometry import row_norms
from isobreach.linking.candidates import Candidates, Lists, distinct_values
from isobreach.linking.invariants import INVARIANCE, Expected
from isobreach.linking.search import distance
from isobreach.release import Bounds


@dataclass(frozen=True)
class Proposing:
    """When rows are proposed, and how many.

    Attributes
    ----------
    exact
        Products, pairs of rows times columns, up to which all pairs are compared: some minutes of one processor.
    rows
        Released rows from which moments are read: an error of theirs is small beside that of most samples.
    most
        Rows proposed for a record, the likeliest ones: of 30,000 rows of 24 columns nine right ones in ten are among
        the 200 likeliest by a sample of 500, and among the 10 likeliest by one of 3,000.
    most_fitting
        Rows that may stand right to the records placed first.
    anchors
        Of these, as many as are measured against: more tell nothing that is not known by then.
    """

    exact: float = 1e13
    rows: int = 32_768
    most: int = 512
    most_fitting: int = 1 << 20
    anchors: int = 32


PROPOSING = Proposing()


def too_many(pairs: float, columns: int) -> bool:
    """Whether so many pairs of rows are more than are compared where a sample can propose some."""
    return pairs * columns > PROPOSING.exact


def tells(sample: FloatArray | None) -> bool:
    """Whether there is a sample, and a large enough one."""
    return sample is not None and len(sample) >= INVARIANCE.least


@dataclass(frozen=True, eq=False)
class Places:
    """Some released values, and which of them each known record may be."""

    found: Candidates
    lists: Lists

    def of_length(self, norms: FloatArray, error: FloatArray) -> Lists:
        """Values of each record that have its norm."""
        lengths = row_norms(self.found.points)
        return {i: values[np.abs(lengths[values] - norms[i]) <= error[i]] for i, values in self.lists.items()}

    @classmethod
    def of(cls, rows: list[IntArray], source: Engine, unit: float) -> "Places":
        """Values in the rows of each record."""
        distinct = np.unique(np.concatenate(rows))
        points, places, start = distinct_values(source.gather(distinct), distinct, unit)
        ends = np.zeros(len(rows), dtype=np.int64)
        found = Candidates(points, places, start, ends, ends + len(points))
        value = np.empty(len(distinct), dtype=np.int64)
        value[np.searchsorted(distinct, places)] = np.repeat(np.arange(len(points)), np.diff(start))
        return cls(found, {i: np.unique(value[np.searchsorted(distinct, one)]) for i, one in enumerate(rows)})


def proposed(known: FloatArray, sample: FloatArray, source: Engine, unit: float, progress: Progress) -> Places:
    """Rows whose invariants are those of each known record, as far as a sample tells: the nearest ones.

    Parameters
    ----------
    known, sample
        Complete records, and others of the same population.
    source
        The released rows.
    unit
        Relative error of a released number.
    progress
        Called as ``progress(label, done, total)``.
    """
    drawn = np.random.default_rng(0).choice(source.shape[0], min(PROPOSING.rows, source.shape[0]), replace=False)
    expected = Expected.of(known, sample, source.gather(np.sort(drawn)))
    nearest: list[tuple[IntArray, FloatArray]] = [(np.empty(0, dtype=np.int64), np.empty(0)) for _ in known]
    for near in source.scan(_likely, expected, "rows that a sample proposes", progress):
        for i, more in enumerate(near):
            nearest[i] = _nearest(*(np.concatenate(parts) for parts in zip(nearest[i], more, strict=True)))
    return Places.of([rows for rows, _ in nearest], source, unit)


def fitting(
    bounds: Bounds, anchors: dict[int, FloatArray], source: Engine, progress: Progress
) -> list[IntArray] | None:
    """All rows that stand right to the records placed so far, for every record; None where there are too many.

    Parameters
    ----------
    bounds
        The known records, and what their distances may err by.
    anchors
        Released rows of the records that are placed.
    source
        The released rows.
    progress
        Called as ``progress(label, done, total)``.
    """
    placed = np.array(sorted(anchors))[: PROPOSING.anchors]
    low, high = bounds.distances(placed, np.arange(len(bounds.known)))
    stand = _Standing(np.stack([anchors[int(i)] for i in placed]), low, high)
    rows: list[list[IntArray]] = [[] for _ in bounds.known]
    count = 0
    for hits in source.scan(_standing, stand, "rows that fit those placed", progress):
        count += len(hits)
        if count > PROPOSING.most_fitting:
            return None
        for i in np.unique(hits[:, 1]).tolist():
            rows[i].append(hits[hits[:, 1] == i, 0])
    none = np.empty(0, dtype=np.int64)
    return [np.concatenate([none, *parts]) for parts in rows]


def longest_row(source: Engine) -> float:
    """The largest norm of a released row."""
    return max(source.scan(_longest, None, "measuring lengths"), default=0.0)


def _longest(block: FloatArray, first_row: int, params: None) -> float:
    return float(row_norms(block).max(initial=0.0))


def _likely(block: FloatArray, first_row: int, expected: Expected) -> list[tuple[IntArray, FloatArray]]:
    """Rows of a block that are likeliest to be each record, and how far they are from what is expected."""
    apart = np.concatenate([expected.distances(block[part]) for part in tiles(block)], axis=1)
    return [_nearest(np.arange(first_row, first_row + len(block)), one) for one in apart]


def _nearest(rows: IntArray, apart: FloatArray) -> tuple[IntArray, FloatArray]:
    most = PROPOSING.most
    if len(rows) > most:
        near = apart <= np.partition(apart, most - 1)[most - 1]
        rows, apart = rows[near], apart[near]
    order = np.lexsort((rows, apart))[:most]
    return rows[order], apart[order]


@dataclass(frozen=True, eq=False)
class _Standing:
    """Rows of placed records, and how far from each of them every record stands, at least and at most."""

    anchors: FloatArray
    low: FloatArray
    high: FloatArray


def _standing(block: FloatArray, first_row: int, stand: _Standing) -> IntArray:
    """Rows of a block that stand right to all that are placed, and for which record: hits x 2."""
    hits = _hits(block, stand.anchors, stand.low, stand.high)
    hits[:, 0] += first_row
    return hits


@compiled()
def _hits(block: FloatArray, anchors: FloatArray, low: FloatArray, high: FloatArray) -> IntArray:
    """A row is left at the first anchor at whose distance no record stands."""
    records = low.shape[1]
    hits = np.empty((1024, 2), dtype=np.int64)
    stands = np.empty(records, dtype=np.bool_)
    count = 0
    for i in range(len(block)):
        fill(stands, True)
        left = records
        for j in range(len(anchors)):
            gap = distance(block, i, anchors, j)
            for k in range(records):
                if stands[k] and not low[j, k] <= gap <= high[j, k]:
                    stands[k] = False
                    left -= 1
            if left == 0:
                break
        for k in range(records):
            if left > 0 and stands[k]:
                if count == len(hits):
                    hits = grown_rows(hits)
                hits[count, 0], hits[count, 1] = i, k
                count += 1
    return hits[:count]
