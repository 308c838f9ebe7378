# SPDX-License-Identifier: BSD-3-Clause
"""Coalitions drawn and chosen, and their trials: played in order, summed up, kept.

One trial is one random order of insiders; its beginnings are coalitions of all sizes. Greedy orders are played beside
them. A trial's figures depend on the table, the seed and its number alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray, IntArray
from isobreach._progress import Progress
from isobreach._random import generator
from isobreach.audits.exposure import NOBODY, OwnersTable
from isobreach.audits.greedy import by_breaches, by_energy, by_nearest
from isobreach.audits.insiders import Linker
from isobreach.audits.kept import Arrays, Kept
from isobreach.audits.settings import Settings
from isobreach.audits.trial import Coalition, Figures, Trial, play
from isobreach.engine import default_workers

WATCHED = 1000  # others whose attributes a random coalition tries to learn, if there are more
GREEDY = ("greedy, by directions", "greedy, by breaches", "greedy, nearest records")


@dataclass
class Sums:
    """What has been played so far: figures of each coalition, sums over random ones for each record."""

    greedy: list[Figures]
    random: list[Figures]
    exposure: FloatArray
    breached: IntArray
    inside: IntArray

    def add(self, trial: Trial, order: IntArray, sizes: tuple[int, ...], level: float, *, random: bool) -> None:
        """Count a trial; ``random``: of an order that was drawn, not chosen."""
        if not random:
            self.greedy.append(trial.figures)
            return
        self.random.append(trial.figures)
        self.exposure += trial.probability
        self.breached += trial.probability >= level
        for place, size in enumerate(sizes):
            self.inside[place, order[:size]] += 1

    def arrays(self) -> dict[str, NDArray[Any]]:
        """For the store."""
        kept: dict[str, NDArray[Any]] = {}
        for kind, several in (("greedy", self.greedy), ("figures", self.random)):
            if several:
                stacked = Figures.stacked(several)
                kept |= {f"{kind}_{f.name}": getattr(stacked, f.name) for f in fields(stacked)}
        return {**kept, "exposure": self.exposure, "breached": self.breached, "inside": self.inside}

    @classmethod
    def restored(cls, arrays: Arrays) -> "Sums":
        """What ``arrays`` gave, out of the store."""

        def figures(kind: str) -> list[Figures]:
            count = len(arrays.get(f"{kind}_linked", ()))
            return [Figures(**{f.name: arrays[f"{kind}_{f.name}"][i] for f in fields(Figures)}) for i in range(count)]

        return cls(figures("greedy"), figures("figures"), arrays["exposure"], arrays["breached"], arrays["inside"])


def coalitions_of(
    greedy: Mapping[str, IntArray], total: int, settings: Settings, seed: int, releases: int
) -> list[Coalition]:
    """The greedy coalitions and the random ones; those who come next in a random order are watched.

    ``releases``: how many a greedy coalition meets; a random one meets one.
    """
    draws, size = generator(seed, "coalition"), settings.sizes[-1]
    seeds = generator(seed, "noise").integers(0, 2**62, (len(greedy) + settings.trials, releases)).tolist()
    orders = [draws.choice(total, min(total, size + WATCHED), replace=False) for _ in range(settings.trials)]
    chosen = [(order, NOBODY) for order in greedy.values()]
    drawn = [(order[:size], order[size:]) for order in orders]
    return [
        Coalition(*parts, tuple(own if k < len(greedy) else own[:1]))
        for k, (parts, own) in enumerate(zip(chosen + drawn, seeds, strict=True))
    ]


def played_trials(
    table: OwnersTable,
    links: Linker,
    coalitions: Sequence[Coalition],
    settings: Settings,
    greedy: int,
    kept: Kept,
    progress: Progress,
    threads: int | None,
) -> Sums:
    """Play all coalitions that are not kept from before, in order."""
    sizes, level = settings.sizes, settings.level
    shape = (len(sizes), len(table.records))
    saved = kept.part("coalitions")
    if saved is None:
        sums = Sums([], [], np.zeros(shape), np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.int32))
    else:
        sums = Sums.restored(saved)
    done = len(sums.greedy) + len(sums.random)
    progress("coalitions", done, len(coalitions))
    rest = coalitions[done:]
    for part, joined in links.batches([one.order for one in rest], progress):
        game = _Game(table, links, joined, level)
        items = [(rest[i], sizes if done + i >= greedy else settings.covered) for i in part]
        trials = default_workers(threads).run(_trial, items, game, ahead=0)
        for i, trial in zip(part, trials, strict=True):
            sums.add(trial, rest[i].order, sizes, level, random=done + i >= greedy)
            progress("coalitions", done + i + 1, len(coalitions))
            kept.done("coalitions", sums.arrays)
    if len(rest):
        kept.done("coalitions", sums.arrays, whole=True)
    return sums


@dataclass(frozen=True, eq=False)
class _Game:
    """What all coalitions are played with; ``joined``: of those that are linked together."""

    table: OwnersTable
    links: Linker
    joined: Any
    level: float


def _trial(asked: tuple[Coalition, tuple[int, ...]], game: _Game) -> Trial:
    """Play one coalition at some sizes."""
    coalition, sizes = asked
    return play(game.table, coalition, game.links.grow(coalition.order, game.joined), sizes, game.level)


def _greedy_order(name: str, params: tuple[OwnersTable, int, int | None, int]) -> IntArray:
    """One of the first two greedy orders."""
    table, size, first, seed = params
    if name == GREEDY[0]:
        return by_energy(table, size)
    return by_breaches(table, size, first, generator(seed, "greedy"))


def greedy_orders(
    table: OwnersTable, size: int, first: int | None, seed: int, progress: Progress
) -> dict[str, IntArray]:
    """The greedy orders by name."""
    orders = []
    for order in default_workers().run(_greedy_order, GREEDY[:2], (table, size, first, seed)):
        orders.append(order)
        progress("greedy coalitions", len(orders), len(GREEDY))
    orders.append(by_nearest(table, size))  # which has threads of its own
    progress("greedy coalitions", len(GREEDY), len(GREEDY))
    return dict(zip(GREEDY, orders, strict=True))
