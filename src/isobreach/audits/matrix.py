# SPDX-License-Identifier: BSD-3-Clause
"""Who can do what: for so many insiders and such public knowledge, what the best attacker achieves.

Which attack and which variant of its estimates is best is chosen on one half of the splits and told from the other,
both ways round; so a lucky draw is not told as skill. On half of the splits several ways may breach everybody, and some
of them by luck: a choice then misses who does so on all splits. A way that is better than what was told beyond doubt
is told instead: its interval, one of those that hold for all ways together, lies above. The choice is made by the mean
or by the mean less its standard error, for a sure way may be worth more than one that sometimes succeeds; for an
attribute by that attribute or by all of them; whichever tells more. Nobody who plays by himself breaches more than the
best of all, no attack and none of an attack's objectives: one that is added takes nothing away from what another one
reaches, however the halves choose. An attacker may ignore what he knows, and the release itself: no figure falls with
more knowledge, and none is below the blind guess. So between two numbers of insiders that were played, or two samples,
a figure lies between those of both: its upper end is that of the larger.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from isobreach.audits.intervals import Sampled, SampledShares, mean_interval, mean_limits
from isobreach.audits.players import FITTED, PLAIN
from isobreach.audits.playing import EFFORT, Cell, Scores

FloatArray = NDArray[np.float64]

NOTHING_READ = SampledShares.exact(np.zeros(0))


@dataclass(frozen=True, eq=False)
class PlayedAttacker:
    """An attack with so much knowledge, played on every split.

    Attributes
    ----------
    name
        The attack.
    cell
        What the attacker knows.
    variant
        What he does to his raw estimates.
    breached
        Share of others breached: mean over splits, with its 95% interval.
    learned
        Of each attribute, the share of others of whom it is learned: likewise.
    splits
        How many were played.
    read
        Shares of others whose own record is nearest to its estimate, and among the five nearest; empty where the table
        is not one of vectors.
    """

    name: str
    cell: Cell
    variant: str
    breached: Sampled
    learned: SampledShares = field(repr=False)
    splits: int
    read: SampledShares = field(default=NOTHING_READ, repr=False)

    @property
    def insiders(self) -> int:
        """Insiders who pool their records."""
        return self.cell.insiders

    @property
    def sample(self) -> int:
        """Records of the public sample."""
        return self.cell.sample

    @property
    def ranges(self) -> bool:
        """Whether ranges of the attributes are known."""
        return self.cell.ranges


@dataclass(frozen=True)
class Refused:
    """An attack that did not play with the knowledge of a cell, on so many splits, and why."""

    name: str
    cell: Cell
    reason: str
    splits: int


@dataclass(frozen=True, eq=False)
class Best:
    """The best attacker of a cell."""

    attack: str
    variant: str
    breached: Sampled
    learned: SampledShares = field(repr=False)
    read: SampledShares = field(default=NOTHING_READ, repr=False)

    @property
    def upper(self) -> "Best":
        """What is known by it of an attacker who knows less: that he reaches no more."""
        learned, read = (SampledShares(0 * one.high, 0 * one.high, one.high) for one in (self.learned, self.read))
        return replace(self, breached=Sampled(0.0, 0.0, self.breached.high), learned=learned, read=read)


@dataclass(frozen=True, eq=False)
class AttackerMatrix:
    """All cells that were played.

    Attributes
    ----------
    sizes, samples
        Numbers of insiders and sample sizes that were played; both begin with 0.
    ranges
        Whether ranges of the attributes count as known.
    attackers
        Every attack in every cell, the most dangerous first.
    best
        The best attacker of each cell.
    splits
        How many were played.
    unsuited
        Attacks that cannot work on such a release, and why.
    refused
        Attacks that did not play on some splits, and why.
    published
        Records that a split publishes, at most.
    """

    sizes: tuple[int, ...]
    samples: tuple[int, ...]
    ranges: bool
    attackers: tuple[PlayedAttacker, ...]
    best: Mapping[Cell, Best]
    splits: int
    unsuited: Mapping[str, str]
    refused: tuple[Refused, ...] = ()
    published: int = 0

    @property
    def never_played(self) -> dict[str, str]:
        """Attacks that played nowhere, by their names, and why."""
        played = {one.name for one in self.attackers}
        return {**self.unsuited, **{one.name: one.reason for one in self.refused if one.name not in played}}

    def within(self, insiders: int, sample: int, *, ranges: bool = True) -> list[tuple[Cell, Best]]:
        """The best of every cell with at most so much knowledge.

        Where exactly so much was not played, what the next larger knowledge reaches comes last, as an upper end alone.
        """
        found = [
            (cell, best)
            for cell, best in self.best.items()
            if cell.insiders <= insiders and cell.sample <= sample and (ranges or not cell.ranges)
        ]
        size = next((one for one in self.sizes if one >= insiders), None)
        public = next((one for one in self.samples if one >= sample), None)
        if size is None or public is None or (size, public) == (insiders, sample):
            return found
        cell = Cell(size, public, self.ranges and (ranges or public > 0))
        return found + [(cell, best.upper) for played, best in self.best.items() if played == cell]

    def read(self, insiders: int, sample: int, *, ranges: bool = True) -> list[SampledShares]:
        """Shares of others who are read, in every cell with at most so much knowledge; none but of vectors."""
        return [best.read for _, best in self.within(insiders, sample, ranges=ranges) if len(best.read.value)]

    def learned(self, insiders: int, sample: int) -> list[SampledShares]:
        """Of each attribute the share of others of whom it is learned, in every cell with at most so much knowledge."""
        return [best.learned for _, best in self.within(insiders, sample)]


def matrix(
    played: Sequence[Sequence[Scores]],
    sizes: Sequence[int],
    samples: Sequence[int],
    *,
    ranges: bool,
    unsuited: Mapping[str, str],
    people: int | None = None,
) -> AttackerMatrix:
    """Sum up what was played on every split; ``people``: records that one publishes, insiders among them."""
    cells = sorted({score.cell for split in played for score in split})
    attackers: list[PlayedAttacker] = []
    best: dict[Cell, Best] = {}
    for cell in cells:
        own = [[score for score in split if score.cell == cell] for split in played]
        names = sorted({score.attack for split in own for score in split if not score.refused})
        if not names:
            continue
        others = None if people is None else max(people - cell.insiders, 1)
        for name in names:
            # Not on every split: where others with less knowledge read everything, nobody else is tried.
            mine = [[score for score in split if score.attack == name and not score.refused] for split in own]
            mine = [split for split in mine if split]
            one = _best(mine, others)
            attackers.append(PlayedAttacker(name, cell, one.variant, one.breached, one.learned, len(mine), one.read))
        every = [split for split in own if split]
        alone = [one for one in attackers if one.cell == cell and one.splits == len(every)]
        best[cell] = _at_least(_best(every, others), alone)
    attackers.sort(key=lambda one: (-one.breached.value, one.cell, one.name))
    published = 0 if people is None else people
    return AttackerMatrix(
        (0, *sizes),
        (0, *samples),
        ranges,
        tuple(attackers),
        best,
        len(played),
        dict(unsuited),
        _refused(played),
        published,
    )


def _refused(played: Sequence[Sequence[Scores]]) -> tuple[Refused, ...]:
    """Who did not play where, and why."""
    every = Counter((one.attack, one.cell, one.refused) for split in played for one in split if one.refused)
    return tuple(Refused(*which, splits) for which, splits in sorted(every.items()))


def _best(splits: Sequence[Sequence[Scores]], people: int | None) -> Best:
    """The best of all that was played in one cell; ``people``: others, whose records are to be breached."""
    ways = sorted({(score.attack, score.variant) for split in splits for score in split if not score.refused})
    every = zip(*(_figures(split, ways) for split in splits), strict=True)
    shares, learned, read = (np.array(figures) for figures in every)
    attack, variant = ways[int(shares.mean(axis=0).argmax())]
    alone = _objectives(ways)
    breached = mean_interval(_told(shares, (shares,), alone, people), people)
    looked_up = None if people is None else min(people, EFFORT.looked_up)
    return Best(attack, variant, breached, _each(learned, alone, people), _each(read, alone, looked_up))


def _each(values: FloatArray, alone: Sequence[list[int]], people: int | None) -> SampledShares:
    """Of each of several figures, what the best choice tells: splits, ways and figures are the axes."""
    if not values.shape[2]:
        return NOTHING_READ
    of_all = values.mean(axis=2)
    told = np.stack([_told(own, (own, of_all), alone, people) for own in np.moveaxis(values, 2, 0)], axis=1)
    return SampledShares(told.mean(axis=0), *mean_limits(told, people))


def _objectives(ways: Sequence[tuple[str, str]]) -> list[list[int]]:
    """Places of the ways of each objective: its refined estimates, and those as it fitted them."""
    fitted = {(attack, f"{variant}, {FITTED}"): (attack, variant) for attack, variant in ways}
    return [[ways.index(fitted[way]), place] for place, way in enumerate(ways) if way in fitted]


def _at_least(best: Best, alone: Sequence[PlayedAttacker]) -> Best:
    """The best, or the attacker who breaches more by himself, on all splits: halves may disagree on whom to choose."""
    rival = max(alone, key=lambda one: one.breached.value, default=None)
    if rival is None or rival.breached.value <= best.breached.value:
        return best
    return replace(best, attack=rival.name, variant=rival.variant, breached=rival.breached)


def _told(
    values: FloatArray, merits: Sequence[FloatArray], alone: Sequence[list[int]], people: int | None
) -> FloatArray:
    """Of each split, what the best choice tells, among all ways or those of an objective: see the module's text."""
    choices = [
        told_from_halves(values[:, some], merit[:, some], careful=careful)
        for some in ([*range(values.shape[1])], *alone)
        for merit in merits
        for careful in (False, True)
    ]
    told = max(choices, key=lambda one: float(one.mean()))
    low, _ = mean_limits(values, people, comparisons=values.shape[1])
    best = int(low.argmax())
    return np.asarray(values[:, best]) if low[best] > mean_limits(told, people)[1] else told


def _figures(
    split: Sequence[Scores], ways: Sequence[tuple[str, str]]
) -> tuple[list[float], list[FloatArray], list[FloatArray]]:
    """Shares breached, learned and read by every way on a split.

    A variant that an attack does not offer there is its plain estimate. An attack does not play where another one reads
    everything with less knowledge, nor where it refuses: its attacker would do as the best of the others does.
    """
    found = {(score.attack, score.variant): score for score in split if not score.refused}
    other = max(split, key=lambda score: score.breached)
    taken = [found.get(way, found.get((way[0], PLAIN), other)) for way in ways]
    return [score.breached for score in taken], [score.learned for score in taken], [score.read for score in taken]


def told_from_halves(values: FloatArray, merits: FloatArray | None = None, *, careful: bool = False) -> FloatArray:
    """Of each split, what was chosen on the splits of the other half.

    Parameters
    ----------
    values
        Figures, one row a split and one column a choice.
    merits
        By which a choice is made, in the same order; the figures themselves by default.
    careful
        Choose by the mean less its standard error, not by the mean.
    """
    merits = values if merits is None else merits
    told = np.empty(len(values))
    even, odd = np.arange(0, len(values), 2), np.arange(1, len(values), 2)
    for chosen_on, told_from in ((even, odd), (odd, even)):
        if len(told_from):
            fit = merits[chosen_on] if len(chosen_on) else merits
            less = fit.std(axis=0, ddof=1) / np.sqrt(len(fit)) if careful and len(fit) > 1 else 0.0
            told[told_from] = values[told_from, int((fit.mean(axis=0) - less).argmax())]
    return told
