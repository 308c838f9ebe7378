# SPDX-License-Identifier: BSD-3-Clause
"""Insiders: how they come to their rows, and which one of them alone exposes the most."""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from isobreach._arrays import IntArray
from isobreach._progress import Progress
from isobreach.audits.coalitions import Growth
from isobreach.audits.exposure import OwnersTable
from isobreach.audits.figures import SingleInsider
from isobreach.engine import default_workers

_CHOOSING = 8  # releases with noise on which single insiders are compared


class Linker(Protocol):
    """Tells which insiders of a growing coalition know their released rows: ``GrowingLinks`` or ``RowsKnown``."""

    def batches(self, orders: Sequence[IntArray], progress: Progress) -> Iterator[tuple[range, Any]]:
        """Coalitions to be linked together."""

    def grow(self, order: IntArray, joined: Any = None) -> Growth:
        """Links of the coalitions order[:1], order[:2], ..."""


class RowsKnown:
    """Every insider knows the own row, from whatever source: nothing has to be found out."""

    def batches(self, orders: Sequence[IntArray], progress: Progress) -> Iterator[tuple[range, Any]]:
        """All at once."""
        yield range(len(orders)), None

    def grow(self, order: IntArray, joined: Any = None) -> Growth:
        """Each is linked as soon as there."""
        return Growth.rows_known(len(order))


def single_insider(table: OwnersTable, links: Linker, draws: np.random.Generator, progress: Progress) -> SingleInsider:
    """The insider out of a sample who alone breaches the most others."""
    total = len(table.records)
    pool = np.sort(draws.choice(total, min(total, table.candidates), replace=False))
    if total < 2:
        return SingleInsider(None, 0.0, len(pool))
    # Under noise chosen by the mean over some releases, told by the mean over others: the best of means is too high.
    met = table.releases_met
    choosing, telling = draws.integers(0, 2**62, (2, met)).tolist() if table.redrawn else ([0], [])
    choosing, expected = choosing[:_CHOOSING], np.zeros(len(pool))
    for done, seed in enumerate(choosing):
        for place, one in enumerate(default_workers().run(_breaches, pool.tolist(), (links, table.met(seed)))):
            expected[place] += one / len(choosing)
            progress("insiders alone", done * len(pool) + place + 1, len(choosing) * len(pool))
    best = int(np.argmax(expected))
    if expected[best] < 0:
        return SingleInsider(None, 0.0, len(pool))
    record, told = int(pool[best]), float(expected[best])
    if telling:
        told = float(np.mean([_breaches(record, (links, table.met(seed))) for seed in telling]))
    return SingleInsider(record, told, len(pool))


def _breaches(record: int, params: tuple[Linker, OwnersTable]) -> float:
    """How many others one insider alone breaches; -1 without a link."""
    links, met = params
    order = np.array([record])
    growth = links.grow(order)
    if not len(growth.linked(1)):
        return -1.0
    return float(np.delete(met.exposed(order, growth, (1,)).probability[0], record).sum())
