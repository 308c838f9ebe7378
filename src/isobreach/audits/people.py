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

from collections import Counter
from collections.abc import Iterator

import numpy as np

from isobreach.audits.baselines import Baselines
from isobreach.audits.exposure import OwnersTable
from isobreach.audits.figures import ExposedPerson, RecordFigures
from isobreach.audits.intervals import Sampled
from isobreach.geometry import row_norms

MOST = 100  # people whom a report lists, at most
_TENTH = 0.1
_DIGITS = 12  # of an exposure: what differs by less differs by rounding


def exposed_people(
    table: OwnersTable, figures: RecordFigures, sizes: tuple[int, ...], guessed: Baselines
) -> tuple[ExposedPerson, ...]:
    """Return the most exposed people, the first of them the most, without those whom a blind guess breaches.

    Of people who are as exposed as each other, those come first whom fewer insiders breach. The others share a rank.
    """
    exposure = np.round(figures.mean, _DIGITS)
    order = np.lexsort((figures.needed, -exposure))
    order = order[(exposure[order] > 0) & ~guessed.blind_records[order]]
    equals = list(zip(exposure[order].tolist(), figures.needed[order].tolist(), strict=True))
    alike = Counter(equals)
    first = {one: place for place, one in reversed(list(enumerate(equals, start=1)))}
    ranks = {row: (first[one], alike[one]) for row, one in zip(order[:MOST].tolist(), equals, strict=False)}
    return tuple(_people(table, figures, sizes, ranks))


def _people(
    table: OwnersTable, figures: RecordFigures, sizes: tuple[int, ...], ranks: dict[int, tuple[int, int]]
) -> Iterator[ExposedPerson]:
    apart, norms = row_norms(table.records - table.records.mean(axis=0)), table.norms
    near, large = np.quantile(apart, _TENTH), np.quantile(norms, 1 - _TENTH)
    low, high = figures.limits()
    for row, (rank, alike) in ranks.items():
        needed = int(figures.needed[row])
        close = row_norms(table.records - table.records[row]) <= table.epsilon * norms[row]
        yield ExposedPerson(
            row=row,
            exposure=Sampled(float(figures.mean[row]), float(low[row]), float(high[row])),
            needed=sizes[needed] if needed < len(sizes) else None,
            near_average=bool(apart[row] < near),
            large=bool(norms[row] > large),
            copies=int(close.sum()) - 1,
            rank=rank,
            alike=alike,
        )
