# SPDX-License-Identifier: BSD-3-Clause
"""What one pass tells of all records of a table that stays in its files, and the part of them that is held."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from isobreach._arrays import FloatArray, IntArray
from isobreach.audits.declared import directions
from isobreach.audits.exposure import OwnersTable, gram
from isobreach.audits.pairs import MOST_COMPARED
from isobreach.engine import tiles
from isobreach.geometry import row_norms


@dataclass(frozen=True)
class DrawnPart:
    """How much of a table that stays in its files is held.

    Attributes
    ----------
    records
        Most of them: shares of 100,000 are known to a third of a percent, and their pairs can be compared.
    entries
        Most of them: 128 MiB.
    """

    records: int = 100_000
    entries: int = 1 << 24

    def drawn(self, shape: tuple[int, int], draws: np.random.Generator) -> IntArray:
        """Rows of the part, ascending."""
        most = max(min(self.records, self.entries // shape[1], shape[0]), 1)
        return np.sort(draws.choice(shape[0], most, replace=False))


PART = DrawnPart()


@dataclass(frozen=True, eq=False)
class Survey:
    """What one pass tells of all records, of length one where the scheme makes them so.

    ``shortest``, ``longest``: of their lengths, where not 0. ``gram``: of their directions.
    """

    bad: int
    first_bad: tuple[int, int]
    low: FloatArray
    high: FloatArray
    shortest: float
    longest: float
    gram: FloatArray
    zeros: int

    def and_more(self, other: "Survey") -> "Survey":
        """Of these records and those after them."""
        return Survey(
            self.bad + other.bad,
            self.first_bad if self.bad else other.first_bad,
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
            min(self.shortest, other.shortest),
            max(self.longest, other.longest),
            self.gram + other.gram,
            self.zeros + other.zeros,
        )


def surveyed(block: FloatArray, first_row: int, unit_length: bool) -> list[Survey]:
    """Survey the records of a block, tile by tile, so that sums do not depend on the block."""
    return [_surveyed(block[tile], first_row + tile.start, unit_length) for tile in tiles(block)]


def _surveyed(rows: FloatArray, first_row: int, unit_length: bool) -> Survey:
    bad = ~np.isfinite(rows)
    if bad.any():
        row, column = (int(i) for i in np.argwhere(bad)[0])
        nothing = np.zeros(rows.shape[1])
        return Survey(int(bad.sum()), (first_row + row, column), nothing, nothing, 1.0, 1.0, gram(rows[:0]), 0)
    lengths = row_norms(rows)
    some = lengths[lengths > 0]
    ends = (float(some.min()), float(some.max())) if len(some) else (np.inf, 0.0)
    rows = directions(rows) if unit_length else rows
    low, high = rows.min(axis=0), rows.max(axis=0)
    return Survey(0, (0, 0), low, high, *ends, gram(directions(rows)), len(lengths) - len(some))


@dataclass(frozen=True, eq=False)
class PartOfTable(OwnersTable):
    """Records that are a part of a table; what all of them are asked is known from a survey."""

    survey: Survey
    records_in_all: int

    @property
    def total(self) -> int:
        """Records of the whole table."""
        return self.records_in_all

    @cached_property
    def gram(self) -> tuple[FloatArray, int]:
        """Of all records."""
        return self.survey.gram, self.survey.zeros

    @cached_property
    def coherence(self) -> float:
        """The largest |cosine| between two records; 1 where not all of them are held, or are too many to compare."""
        return 1.0 if self.records_in_all > min(len(self.records), MOST_COMPARED) else super().coherence
