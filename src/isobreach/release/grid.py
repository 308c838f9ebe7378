# SPDX-License-Identifier: BSD-3-Clause
r"""A release on a decimal grid: rounded, or exact?

A table of whole numbers, or of prices, may be released as it is, or with columns swapped and flipped: then it is
exact, and reading it as a rotated table rounded to its last decimal would throw nearly every link away. So the exact
reading is tried first where the known records lie on the same grid. It stands only if the links it yields look like
that: one signed permutation of columns takes every linked record to its row, and chance would not have made this,

    2^n n! * prod over linked records (m * prod over columns of the most frequent value's share)  <  limit.

Otherwise it is read as rounded, which costs links in small tables and never makes a wrong one.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from isobreach.engine import Engine
from isobreach.release.steps import grid_spacing


@dataclass(frozen=True)
class ExactReading:
    """When links bear out that released numbers on a grid are exact.

    Attributes
    ----------
    limit
        Expected readings by chance, below which they do: as of a link.
    rows
        Rows that show how common the most common value of a column is, within .02.
    """

    limit: float = 1e-3
    rows: int = 2048


_EXACT = ExactReading()


def on_grid(known: NDArray[Any], step: float) -> bool:
    """Whether the known records lie on the grid of a release whose coordinates are rounded by ``step`` at most."""
    return 0.5 * grid_spacing(known.astype(np.float64)) >= step * (1 - 1e-9)


def reads_exactly(known: NDArray[Any], rows: NDArray[np.int64], source: Engine) -> bool:
    """Whether links found by the exact reading (``rows``, -1 where none) bear it out."""
    linked = np.flatnonzero(rows >= 0)
    ours, theirs = known[linked].astype(np.float64), source.gather(rows[linked])
    if not _signed_permutation(ours, theirs):
        return False
    return bool(np.exp(min(_log_chance(len(np.unique(rows[linked])), source), 0.0)) < _EXACT.limit)


def _signed_permutation(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> bool:
    from scipy.optimize import linear_sum_assignment  # a large package, seldom needed

    scale = 1e-12 * max(float(np.abs(ours).max(initial=0.0)), 1e-300)
    same = np.ones((2, ours.shape[1], theirs.shape[1]), dtype=np.bool_)  # sign, column of ours, column of theirs
    for our, their in zip(ours, theirs, strict=True):
        same[0] &= np.abs(our[:, None] - their) <= scale
        same[1] &= np.abs(our[:, None] + their) <= scale
    differ = np.asarray(~same.any(axis=0))
    return not differ[linear_sum_assignment(differ)].any()


def _log_chance(links: int, source: Engine) -> float:
    rows, columns = source.shape
    sample = source.gather(np.linspace(0, rows - 1, min(rows, _EXACT.rows)).astype(np.intp))
    shares = [np.unique(column, return_counts=True)[1].max() / len(sample) for column in sample.T]
    return float(columns * np.log(2) + gammaln(columns + 1) + links * (np.log(rows) + np.sum(np.log(shares))))
