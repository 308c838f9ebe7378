# SPDX-License-Identifier: BSD-3-Clause
"""All pairs of records: which two are nearest for their length, and how near two directions can be.

Up to ``MOST_COMPARED`` records, else of as many at even steps. In single precision, which tells gaps apart down to a
few thousandths of a length: records nearer than that are near enough whatever they are asked for. What is to be proved
allows for the rounding.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach.engine import default_workers

Single = NDArray[np.float32]

MOST_COMPARED = 150_000  # records: about a minute
_ROWS, _OTHERS = 512, 1024  # at a time: their pairs stay in the cache
_TINY = 1e-9  # of the longest record, which stands for shorter ones


@dataclass(frozen=True)
class NearestPair:
    """``other`` is the nearest to ``record`` for the record's length; ``gap``: their squared distance, or sine."""

    gap: float
    record: int
    other: int


def nearest_pair(records: FloatArray, norms: FloatArray, *, in_place: bool) -> NearestPair:
    """Of all pairs the nearest: |x - y| / |x| ``in_place``, x the longer one, else the sine of their angle."""
    if len(records) > MOST_COMPARED:
        some = np.linspace(0, len(records) - 1, MOST_COMPARED).astype(np.int64)
        pair = nearest_pair(records[some], norms[some], in_place=in_place)
        return NearestPair(pair.gap, int(some[pair.record]), int(some[pair.other]))
    if not in_place:
        directions = records / np.where(norms > 0, norms, 1.0)[:, None]
        return _smallest(_Points(directions.astype(np.float32)))
    scale = max(float(norms.max()), 1e-300)
    points, lengths = (records / scale).astype(np.float32), np.maximum(norms / scale, _TINY).astype(np.float32)
    pair = _smallest(_Points(points, lengths, np.einsum("ij,ij->i", points, points)))
    one, two = sorted((pair.record, pair.other), key=lambda i: -norms[i])
    return NearestPair(pair.gap, one, two)


def coherence(by_angle: NearestPair, columns: int) -> float:
    """The largest |cosine| between two records, rounded up."""
    # A product of n single-precision numbers of length one errs by at most n + 2 units in the last place, 2^-24 each.
    rounding = 4 * (columns + 2) * 2.0**-24
    return float(min(np.sqrt(max(1 - by_angle.gap, 0.0) + rounding) + rounding, 1.0))


@dataclass(frozen=True, eq=False)
class _Points:
    """Directions; or points in place, with lengths that gaps are relative to, and squared norms."""

    points: Single
    lengths: Single | None = None
    squares: Single | None = None

    def gaps(self, rows: slice, others: slice) -> Single:
        """Squared sine, or squared relative distance, of some points from others: the same either way round."""
        products = self.points[rows] @ self.points[others].T
        if self.lengths is None or self.squares is None:
            return np.asarray(1 - products**2)
        apart = self.squares[rows, None] + self.squares[others] - 2 * products
        return np.asarray(apart / np.maximum(self.lengths[rows, None], self.lengths[others]) ** 2)


def _smallest(points: _Points) -> NearestPair:
    """The pair with the smallest gap."""
    return NearestPair(*min(default_workers().run(_nearest, range(0, len(points.points), _ROWS), points)))


def _nearest(start: int, points: _Points) -> tuple[float, int, int]:
    """The smallest gap of some points, from ``start`` on, to those after them, and the two."""
    total = len(points.points)
    rows, best = slice(start, min(start + _ROWS, total)), (np.inf, start, start)
    for first in range(start, total, _OTHERS):
        others = slice(first, min(first + _OTHERS, total))
        apart = points.gaps(rows, others)
        if first == start:
            apart[np.tril_indices(len(apart), m=apart.shape[1])] = np.inf  # each pair once, no record with itself
        row, column = divmod(int(apart.argmin()), apart.shape[1])
        best = min(best, (float(apart[row, column]), start + row, first + column))
    return best
