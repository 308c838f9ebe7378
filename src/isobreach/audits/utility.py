# SPDX-License-Identifier: BSD-3-Clause
"""What is left of a table's use after noise: do neighbours stay neighbours, do clusters stay clusters?

Both are measured on the distances alone, which is all that a protected table is published for. *Neighbours*: the share
of a record's k nearest in the protected table that were as near in the original as its k nearest there (so that ties
do not count against it), mean over sampled records; all records are searched. *Clusters*: the adjusted Rand index
(Hubert and Arabie 1985) of k-means on the original with k-means on the protected table, started at the same clusters: 1
if they stay as they are, 0 on average for clusters that have nothing to do with each other.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from isobreach._arrays import FloatArray, IntArray
from isobreach.audits.intervals import Sampled, mean_interval
from isobreach.engine import default_workers
from isobreach.geometry import row_norms

NEIGHBOURS, QUERIES = 10, 300  # of records looked up: a share of 3,000 neighbours is known within 0.02
_DISTANCES = 1 << 23  # at a time
CLUSTERS, CLUSTERED, ROUNDS = 8, 5000, 50  # set by hand: rows and rounds of a search for clusters that takes a second


@dataclass(frozen=True, eq=False)
class Yardstick:
    """The original table's neighbours and clusters, to compare others with.

    ``stability``: adjusted Rand index of k-means on the original started at other records: what clusters are worth.
    """

    records: FloatArray
    queries: IntArray
    reach: FloatArray
    count: int
    rows: IntArray
    labels: IntArray
    stability: float

    def neighbours(self, table: FloatArray) -> Sampled:
        """Share of nearest neighbours that a table in the same row order keeps, with its interval over records."""
        found = _nearest(table, self.queries, self.count)
        gaps = row_norms((self.records[found] - self.records[self.queries][:, None]).reshape(found.size, -1))
        return mean_interval(np.mean(gaps.reshape(found.shape) <= self.reach[:, None], axis=1))

    def left(self, table: FloatArray) -> tuple[Sampled, float]:
        """Neighbours and clusters."""
        neighbours, clusters = default_workers().run(_left, range(2), (self, table))
        return neighbours, clusters

    def clusters(self, table: FloatArray) -> float:
        """Adjusted Rand index of the table's clusters with the original's."""
        return adjusted_rand(k_means(table[self.rows], _centres(table[self.rows], self.labels)), self.labels)


def _left(which: int, params: tuple[Yardstick, FloatArray]) -> Any:
    """Clusters, or neighbours."""
    before, table = params
    return before.clusters(table) if which else before.neighbours(table)


def yardstick(records: FloatArray, draws: np.random.Generator) -> Yardstick:
    """Neighbours of some records and clusters of some rows, drawn at random; all where they are few."""
    total = len(records)
    queries = np.sort(draws.choice(total, min(total, QUERIES), replace=False))
    rows = np.sort(draws.choice(total, min(total, CLUSTERED), replace=False))
    clusters = min(CLUSTERS, len(rows))
    starts, others = (draws.choice(len(rows), clusters, replace=False) for _ in range(2))
    labels = np.unique(k_means(records[rows], records[rows][starts]), return_inverse=True)[1]
    count = max(1, min(NEIGHBOURS, total - 1))
    nearest = _nearest(records, queries, count)
    gaps = row_norms((records[nearest] - records[queries][:, None]).reshape(nearest.size, -1)).reshape(nearest.shape)
    return Yardstick(
        records=records,
        queries=queries,
        reach=gaps.max(axis=1) * (1 + 1e-9),
        count=count,
        rows=rows,
        labels=labels,
        stability=adjusted_rand(k_means(records[rows], records[rows][others]), labels),
    )


def k_means(table: FloatArray, centres: FloatArray) -> IntArray:
    """Labels after at most ROUNDS of Lloyd's algorithm, from the given centres; an empty cluster keeps its own."""
    centres, labels = centres.copy(), np.full(len(table), -1)
    for _ in range(ROUNDS):
        squares = np.einsum("ij,ij->i", centres, centres)
        nearest = np.argmin(squares - 2 * table @ centres.T, axis=1)
        if np.array_equal(nearest, labels):
            break
        labels = nearest
        full = np.unique(labels)
        centres[full] = _centres(table, labels)[full]
    return labels


def _centres(table: FloatArray, labels: IntArray) -> FloatArray:
    """Mean of the rows with each label, up to the largest."""
    counts = np.bincount(labels)
    sums = np.stack([np.bincount(labels, column) for column in table.T], axis=1)
    return np.asarray(np.divide(sums, counts[:, None], out=np.zeros_like(sums), where=counts[:, None] > 0))


def adjusted_rand(first: IntArray, second: IntArray) -> float:
    """(pairs together in both - expected) / (mean of pairs together in each - expected); 1 for equal partitions."""
    table = np.zeros((int(first.max()) + 1, int(second.max()) + 1))
    np.add.at(table, (first, second), 1)

    def pairs(counts: FloatArray) -> float:
        return float((counts * (counts - 1) / 2).sum())

    both, one, two = pairs(table), pairs(table.sum(axis=1)), pairs(table.sum(axis=0))
    total = len(first) * (len(first) - 1) / 2
    expected = one * two / total if total else 0.0
    most = (one + two) / 2
    return 1.0 if most == expected else (both - expected) / (most - expected)


def _nearest(table: FloatArray, queries: IntArray, count: int) -> IntArray:
    """The ``count`` nearest other rows of each query row."""
    squares = np.einsum("ij,ij->i", table, table)
    found = np.empty((len(queries), count), dtype=np.int64)
    step = max(1, _DISTANCES // len(table))
    for start in range(0, len(queries), step):
        part = queries[start : start + step]
        gaps = squares - 2 * table[part] @ table.T
        gaps[np.arange(len(part)), part] = np.inf
        found[start : start + step] = np.argpartition(gaps, count - 1, axis=1)[:, :count]
    return found
