# SPDX-License-Identifier: BSD-3-Clause
r"""The most exposed people, and what makes them easy to estimate.

An estimate of a record x errs by a part of how far x lies from what the insiders' records span, and may err by
epsilon |x|. Three things therefore make x easy, and distances and lengths alone show them:

- it is *close to the average*: |x - mean| is below that of nine tenths of the people, so that any few records nearly
  span it;
- it has *large values*: |x| is above that of nine tenths of the people, so that an estimate may err by more;
- it has *near copies*: other records within epsilon |x| of it, each of which is an estimate of it.

They go with exposure (``tests/audits/test_audits_people.py``); they do not prove why one person is exposed.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray, IntArray
from isobreach.audits.exposure import OwnersTable
from isobreach.audits.figures import ExposedPerson, RecordFigures
from isobreach.audits.intervals import Sampled
from isobreach.geometry import row_norms

MOST = 100  # people whom a report lists, at most
_TENTH = 0.1  # of the people: fewer than that stand apart
_DIGITS = 12  # of an exposure: what differs by less differs by rounding


@dataclass(frozen=True, eq=False)
class Ranks:
    """The rows of the most exposed people, the rank of each, and how many share it."""

    rows: IntArray
    rank: IntArray
    alike: IntArray

    @classmethod
    def of(cls, figures: RecordFigures, blind: NDArray[np.bool_]) -> "Ranks":
        """Return the most exposed people, the first of them the most, without those whom a blind guess breaches.

        Of people who are as exposed as each other, those come first whom fewer insiders breach. The others share a
        rank.

        Parameters
        ----------
        figures
            Of every record.
        blind
            Whether a blind guess breaches a record.
        """
        exposure = np.round(figures.mean, _DIGITS)
        able = np.flatnonzero((exposure > 0) & ~blind)
        order = able[np.lexsort((figures.needed[able], -exposure[able]))]
        told, needed = exposure[order], figures.needed[order]
        starts = np.flatnonzero(np.append(True, (np.diff(told) != 0) | (np.diff(needed) != 0)))[: len(order)]
        group = np.searchsorted(starts, np.arange(min(MOST, len(order))), side="right") - 1
        return cls(order[:MOST], starts[group] + 1, np.diff(np.append(starts, len(order)))[group])


@dataclass(frozen=True, eq=False)
class Looks:
    """What makes people easy: of those listed, the distance from the average, the length, and near copies.

    ``near``, ``large``: a tenth of all records is nearer, and longer.
    """

    apart: FloatArray
    norms: FloatArray
    copies: IntArray
    near: float
    large: float

    @classmethod
    def of(cls, table: OwnersTable, rows: IntArray) -> "Looks":
        """How some people of a table look."""
        apart, norms = row_norms(table.records - table.records.mean(axis=0)), table.norms
        copies = [
            int((row_norms(table.records - table.records[row]) <= table.epsilon * norms[row]).sum()) for row in rows
        ]
        return cls(apart[rows], norms[rows], np.array(copies, dtype=np.int64) - 1, *tenths(apart, norms))


def tenths(apart: FloatArray, norms: FloatArray) -> tuple[float, float]:
    """The distance from the average that a tenth of records is within, and the length that a tenth exceeds."""
    return float(np.quantile(apart, _TENTH)), float(np.quantile(norms, 1 - _TENTH))


def exposed_people(
    ranks: Ranks, looks: Looks, figures: RecordFigures, sizes: tuple[int, ...]
) -> Iterator[ExposedPerson]:
    """Return the people of some ranks, and what makes them easy."""
    low, high = figures.limits()
    for place, row in enumerate(ranks.rows.tolist()):
        needed = int(figures.needed[row])
        yield ExposedPerson(
            row=row,
            exposure=Sampled(float(figures.mean[row]), float(low[row]), float(high[row])),
            needed=sizes[needed] if needed < len(sizes) else None,
            near_average=bool(looks.apart[place] < looks.near),
            large=bool(looks.norms[place] > looks.large),
            copies=int(looks.copies[place]),
            rank=int(ranks.rank[place]),
            alike=int(ranks.alike[place]),
        )
