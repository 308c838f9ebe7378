# SPDX-License-Identifier: BSD-3-Clause
"""How exposed every record is where no closed form tells: the attacks that suit the scheme are played instead.

A scheme that is no motion (a projection, noise on the attributes themselves, groups of records) leaves nothing that the
geometry of links decides. Every coalition then meets one of a few releases, made once, knows its own rows, and plays
every attack that suits the scheme. Of all estimates and their variants those count that breach the most: the owner
supposes that insiders choose well. A record's breach probability on one release is 0 or 1; its exposure is a mean over
coalitions and releases.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray, IntArray
from isobreach._random import generator
from isobreach.attacks import ATTACKS, Knowledge
from isobreach.audits.coalitions import Growth
from isobreach.audits.declared import playable
from isobreach.audits.exposure import NOBODY, Exposed, OwnersTable
from isobreach.audits.groups import Groups
from isobreach.audits.players import Player, filled, public_settings
from isobreach.audits.playing import hits
from isobreach.engine import as_engine
from isobreach.geometry import row_norms
from isobreach.release import EXACT
from isobreach.schemes import Release, Scheme, perturb

CANDIDATES = 16  # for the insider who alone exposes the most
RELEASES = 8  # that coalitions meet in turn: a scheme that sorts or clusters a table takes longer than an attack


@dataclass(frozen=True, eq=False)
class Met:
    """One release, and who attacks it."""

    release: Release
    attacks: tuple[str, ...]
    given: Mapping[str, Any]
    seed: int

    @property
    def order(self) -> IntArray:
        """Released row of every record."""
        return self.release.key.order

    @cached_property
    def players(self) -> tuple[Player, ...]:
        """Each studies the release when it is first needed."""
        rows, noise = as_engine(self.release.data), self.release.key.noise or None
        return tuple(Player(ATTACKS[name], rows, noise, self.seed, self.given) for name in self.attacks)

    @cached_property
    def read(self) -> list[Any]:
        """Estimates of attacks that insiders' records tell nothing: the same for every coalition."""
        knowledge = Knowledge(noise=self.release.key.noise or None)
        return [one for player in self.players if not _told(player) for one in player.estimates(knowledge).values()]

    def estimates(self, known: FloatArray, rows: IntArray) -> list[Any]:
        """Everything that a coalition may estimate."""
        noise = self.release.key.noise or None
        knowledge = Knowledge(known=known, rows=rows, noise=noise)
        told = (player for player in self.players if _told(player))
        return [*self.read, *(one for player in told for one in player.estimates(knowledge).values())]


def _told(player: Player) -> bool:
    """Whether insiders' records tell an attack anything."""
    attack = player.attack
    return bool({"known", "rows"} & (attack.needs | attack.needs_any | attack.uses))


@dataclass(frozen=True, eq=False)
class AttackedTable(OwnersTable):
    """A table behind a scheme that is no motion; ``releases``: of which a coalition meets one, ``at`` its place."""

    releases: tuple[Met, ...]
    at: int = field(default=0, kw_only=True)

    @classmethod
    def of(
        cls,
        records: NDArray[Any],
        scheme: Scheme,
        attacks: tuple[str, ...],
        epsilon: float,
        tolerance: FloatArray,
        groups: Groups,
        seed: int,
    ) -> "AttackedTable":
        """Make the releases.

        Parameters
        ----------
        records, scheme
            The owner's table, and how it is protected.
        attacks
            Names of those that suit the scheme and need no more than insiders.
        epsilon, tolerance, groups
            What counts as breached and learned.
        seed
            Of the releases.
        """
        values = np.ascontiguousarray(records, dtype=np.float64)
        seeds = generator(seed, "releases").integers(0, 2**31, RELEASES).tolist()
        given = public_settings(playable(scheme), epsilon)
        releases = tuple(Met(perturb(records, scheme, one), attacks, given, one) for one in seeds)
        radius = EXACT.radius(row_norms(values), values.shape[1])
        return cls(values, radius, True, epsilon, tolerance, releases, groups=groups)

    @property
    def redrawn(self) -> bool:
        """Yes: figures are means over releases."""
        return True

    @property
    def releases_met(self) -> int:
        """All of them."""
        return len(self.releases)

    @property
    def candidates(self) -> int:
        """Few: each of them attacks releases in earnest."""
        return CANDIDATES

    @property
    def proved(self) -> bool:
        """No: a stronger attack may exist."""
        return False

    def met(self, seed: int) -> "AttackedTable":
        """The table behind one of the releases."""
        return replace(self, at=seed % len(self.releases))

    def exposed(self, order: IntArray, growth: Growth, sizes: tuple[int, ...], watched: IntArray = NOBODY) -> Exposed:
        """Who is breached by order[:size], for each size, and what is learned of those ``watched``."""
        release, groups = self.releases[self.at], self.groups.take(watched)
        total, columns = self.records.shape
        probability, learnt = np.zeros((len(sizes), total)), np.zeros((len(sizes), len(groups.attributes(columns))))
        for place, size in enumerate(sizes):
            insiders = order[:size]
            known = self.records[insiders]
            for one in release.estimates(known, release.order[insiders]):
                told = np.asarray(one, dtype=np.float64)[release.order, :columns]
                if told.shape != self.records.shape:
                    continue
                told = filled(told, known.mean(axis=0))
                breached = hits(self.records, told, self.epsilon)
                if breached.sum() > probability[place].sum():
                    probability[place] = breached
                if len(watched):
                    close = np.abs(told[watched] - self.records[watched]) <= self.tolerance
                    learnt[place] = np.maximum(learnt[place], groups.shares(close, told[watched]))
        return Exposed(probability, learnt, np.full(len(sizes), columns))
