# SPDX-License-Identifier: BSD-3-Clause
r"""Are these two draws from one distribution? Tests at levels so low that "no" can be relied upon.

- *Values beyond the rows' extremes*: that the k greatest of S + m exchangeable values are all among the S has
  probability at most (S / (S + m))^k.
- *Counts* in bins of about equal mass: the likelihood-ratio statistic G^2, chi-square with one degree of freedom less
  than there are bins. Beside a second variable also in bins of both.

Bins are made from the rows alone and are large enough for the other draw: computed exactly, the chance of a G^2 beyond
its chi-square level of 1e-6 to 1e-11 was at most 2.2 times that level, for 20 to 200 records.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from isobreach._arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Bins:
    """How values are counted in bins."""

    enough: int = 10  # Records expected in a bin: the chi-square distribution then holds far out, see above.
    most_bins: int = 12  # More of them spread the evidence; set by hand: the tests hold for any.
    most_beside: int = 3  # Strips of the second variable.
    most_cells: int = 18  # Bins of both variables.
    shares: int = 6  # Of the level: three tests, and a factor of two for the approximation.


_BINS = Bins()


class TwoSamples:
    """``rows`` against columns of so many records; ``beside``: a second variable, of the rows and of the records.

    ``level``: probability that draws from one distribution are told apart. ``room``: what rounding may change in a
    value that repeats.
    """

    def __init__(
        self,
        rows: FloatArray,
        records: int,
        level: float,
        room: float,
        beside: tuple[FloatArray, FloatArray] | None = None,
    ) -> None:
        self._level = level / _BINS.shares
        self._rows, self._records = len(rows), records
        self._least, self._greatest = float(rows.min()) - room, float(rows.max()) + room
        most = min(records, len(rows)) / _BINS.enough
        self._fine = _cuts(rows, int(np.clip(most, 2, _BINS.most_bins)), room)
        self._fine_counts = np.bincount(np.searchsorted(self._fine, rows), minlength=len(self._fine) + 1)
        self._cells: IntArray | None = None
        if beside is not None and most >= 4:
            strips = _cuts(beside[0], min(_BINS.most_beside, int(np.sqrt(most))), room)
            self._coarse = _cuts(rows, int(min(most, _BINS.most_cells)) // (len(strips) + 1), room)
            width = len(self._coarse) + 1
            counts = np.bincount(
                width * np.searchsorted(strips, beside[0]) + np.searchsorted(self._coarse, rows),
                minlength=width * (len(strips) + 1),
            )
            large = counts * 2 * len(counts) >= len(rows)  # the largest always is; cells with little in them join one
            self._cells = np.where(large, np.cumsum(large) - 1, 0)
            self._cell_counts = np.bincount(self._cells, counts)
            self._strip = width * np.searchsorted(strips, beside[1])

    def differ(self, sample: FloatArray) -> BoolArray:
        """Columns of records that are no draws from the rows' distribution."""
        beyond = np.maximum((sample < self._least).sum(axis=0), (sample > self._greatest).sum(axis=0))
        chance = np.log(self._records / (self._records + self._rows))
        out = beyond * chance < np.log(self._level)
        out |= self._unlike(self._fine_counts, np.searchsorted(self._fine, sample))
        if self._cells is not None:
            cells = self._cells[self._strip[:, None] + np.searchsorted(self._coarse, sample)]
            out |= self._unlike(self._cell_counts, cells)
        return np.asarray(out)

    def _unlike(self, counts: NDArray[Any], places: IntArray) -> BoolArray:
        """Whether G^2 is beyond its level, for columns of records in the bins at ``places``."""
        bins, columns = len(counts), places.shape[1]
        if bins == 1 or not columns:
            return np.zeros(columns, dtype=np.bool_)
        found = np.bincount((places + bins * np.arange(columns)).ravel(), minlength=bins * columns)
        found = found.reshape(columns, bins)
        both = _sum_logs(found) + _sum_logs(counts) - _sum_logs(found + counts)
        sizes = np.array([self._records, self._rows])
        statistic = 2 * (both - _sum_logs(sizes) + _sum_logs(sizes.sum(keepdims=True)))
        return np.asarray(statistic > chdtri(bins - 1, self._level))


def _cuts(values: FloatArray, bins: int, room: float) -> FloatArray:
    """Ends of bins that hold about equally many values, as far as values that repeat allow it; less than half none."""
    ordered = np.sort(values)
    rows = len(ordered)
    cuts, last = [], 0
    for cut in np.unique(ordered[np.arange(1, bins) * rows // bins] + room):
        end = int(np.searchsorted(ordered, cut, "right"))
        if min(end - last, rows - end) * 2 * bins >= rows:
            cuts.append(cut)
            last = end
    return np.array(cuts)


def _sum_logs(counts: NDArray[Any]) -> FloatArray:
    """Sum of n log n along the last axis."""
    return np.asarray((counts * np.log(np.maximum(counts, 1))).sum(axis=-1))
