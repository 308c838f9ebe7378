# SPDX-License-Identifier: BSD-3-Clause
r"""What would help: noise on top of the rotation, what it hides and what it costs; and jitter.

At each level of noise the table is protected anew (``isobreach.schemes.Noisy``, a rotation and Gaussian noise relative
to the table's spread) for every random coalition, and the breach probability of a sample of the others is worked out
as in the audit of a scheme with noise (``audits.noisy_exposure``): its mean is the breach rate. Insiders may leave
records out, and under noise that may serve them: of a ladder of smaller sizes the one that breaches most counts. They
are *given* their rows. Finding these is what noise makes hard first, but insiders may know them otherwise, and a
defence should not rest on that: who has to search breaches no more, so the rate is an upper bound for them. There are
so many coalitions that a rate of 0 can meet the target.

A level is recommended if the release that it gives opens the owner's gate (``isobreach.audits.verdict``): it is
audited as the planned one is, with the same seed, so that whoever follows the advice and audits again finds the gate
open. To leave room for another seed, the upper end of the 95% interval of the breach rate has to meet the limit as
well, and nobody who is played may exceed it on any split of the table. The cheap parts come first: the breach rate and
the blind guess, which no noise prevents; attackers without knowledge, who may not learn an attribute of more either;
then everyone who is played. Levels are tried upwards, until one stops all.

*Jitter* takes away what some attacks need, values on a grid: each is moved at random within a part of its own step.
Where such an attack succeeds it is tried upwards until a level stops it, and against everyone else, to whom it is a
little noise. Only a whole step takes the grid away, and even that protects from such attacks alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from isobreach._progress import Progress
from isobreach._registry import ATTACKS
from isobreach.audits.attackers import AttackerFigures, attackers
from isobreach.audits.baselines import Baselines
from isobreach.audits.coalitions import Growth
from isobreach.audits.criterion import SHARE
from isobreach.audits.declared import playable
from isobreach.audits.exposure import OwnersTable
from isobreach.audits.figures import Leak
from isobreach.audits.intervals import Sampled, mean_interval
from isobreach.audits.kept import Kept
from isobreach.audits.noisy_exposure import NoisyTable
from isobreach.audits.playing import Cell, Game, Scores, exceeds, play
from isobreach.audits.settings import Settings, ladder
from isobreach.audits.utility import yardstick
from isobreach.engine import default_workers
from isobreach.release import EXACT, ReleaseModel, grid_spacing
from isobreach.schemes import Noisy, Release, Scheme, perturb

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Trying:
    """How remedies are tried.

    Attributes
    ----------
    jitter
        Levels of it, in steps of the grid: a whole step leaves no grid.
    repeats
        Coalitions that meet each level, unless fewer trials were asked for or the target is small.
    enough, most_repeats
        Over the target: the 95% interval of a share of 0 in T trials reaches up to about 4 / T. At most so many, for
        the sake of time.
    targets
        Records whose breaches are counted, at most: their share is then that of all others within .02.
    """

    jitter: tuple[float, ...] = (0.25, 0.5, 1.0)
    repeats: int = 100
    enough: float = 4.2
    most_repeats: int = 1000
    targets: int = 2000


_TRYING = Trying()


@dataclass(frozen=True)
class NoiseFigures:
    """One level of noise: what insiders breach who know their rows, and what is left of the table's use.

    ``breach_rate``: mean over releases and coalitions. ``neighbours`` (mean over records) and ``clusters``: of one.
    ``attackers``: of each attacker without knowledge, the share of records that it breaches, or of which it learns an
    attribute, on one release; empty where none was tried. ``played``: the largest share that an attacker breaches who
    was played on a split, None where none was. ``opens``: whether the gate of an audit of it is open; False where it
    was not audited, because something else had exceeded the limit. ``leaks``: attributes that an audit of it finds to
    be learned of more people than a guess tells, by over the limit.
    """

    noise: float
    breach_rate: Sampled
    neighbours: Sampled
    clusters: float
    attackers: Mapping[str, float]
    played: "Stopped | None" = None
    opens: bool = False
    leaks: tuple[Leak, ...] = ()


@dataclass(frozen=True)
class Stopped:
    """The attacker who breaches the most, on one split, of all who were played against a remedy.

    ``share``: his breached share there, of ``people``; playing ended where it exceeds the limit. ``splits``: so many
    had been played by then. A mean over all splits may be lower: a share on one of them is no figure of an audit.
    """

    attack: str
    cell: Cell
    share: float
    splits: int
    people: int

    def exceeds(self, limit: float) -> bool:
        """Whether he breaches more than a limit there by more than chance, so that a larger audit hardly differs."""
        return exceeds(self.share, self.people, limit)


@dataclass(frozen=True)
class JitterFigures:
    """Values moved by up to half of ``jitter`` times their step, and what attacks that need a grid still read.

    ``attackers``: of each, the share of records that it breaches or of which it learns an attribute. ``claimed``:
    whether one of them claims anything. ``insiders``: share of others breached by given
    insiders, mean over releases and coalitions. ``played``, ``opens``, ``leaks``: as for noise.
    """

    jitter: float
    claimed: bool
    attackers: Mapping[str, float]
    insiders: Sampled
    neighbours: Sampled
    clusters: float
    played: Stopped | None = None
    opens: bool = False
    leaks: tuple[Leak, ...] = ()

    @property
    def breach_rate(self) -> float:
        """What the strongest attack that needs a grid reads."""
        return max(self.attackers.values())


@dataclass(frozen=True)
class Remedies:
    """Levels of noise in turn, and the smallest that meets the target, None if none of these does.

    ``insiders``: size of the coalitions. ``target``, ``criterion``: limit and kind of the owner's. ``stability``:
    agreement of k-means on the original with itself, started elsewhere. ``blind``: share breached by the
    blind guess, which no noise prevents, and ``guess`` its name.
    ``jitter``: tried against attacks that need a grid, one release each; empty where none succeeds or was asked for.
    """

    insiders: int
    target: float
    repeats: int
    levels: tuple[NoiseFigures, ...]
    smallest: float | None
    stability: float
    blind: float
    guess: str
    jitter: tuple[JitterFigures, ...]
    criterion: str = SHARE

    @property
    def smallest_jitter(self) -> float | None:
        """The smallest jitter that opens the gate, None if none of these does."""
        return next((one.jitter for one in self.jitter if one.opens), None)


class Remedied(Protocol):
    """A table protected by a remedy: who plays against it, and what an audit of it finds."""

    def game(self, scheme: Scheme) -> Game:
        """Who is played on the table behind a scheme."""

    def audited(
        self, label: str, records: FloatArray, scheme: Scheme, played: Sequence[Sequence[Scores]] | None
    ) -> tuple[bool, tuple[Leak, ...]]:
        """Whether the gate of such a release is open, and what leaks; ``played``: scores of all splits, if known."""


def remedies(
    table: OwnersTable,
    settings: Settings,
    guessed: Baselines,
    remedied: Remedied,
    *,
    readable: Sequence[str],
    draws: np.random.Generator,
    kept: Kept,
    progress: Progress,
) -> Remedies:
    """Try every level; coalitions are the same at each of them, noise and rotation are not.

    ``remedied``: audits of what a remedy gives. ``readable``: attacks that need a grid and succeed on
    it: jitter is worth a try.
    """
    levels, target, insiders = settings.noise_levels, settings.met.limit, settings.limited
    needed = min(int(np.ceil(_TRYING.enough / max(target, 1e-9))), _TRYING.most_repeats)
    repeats = max(min(settings.trials, _TRYING.repeats), needed)
    records = table.records
    stick = yardstick(records, draws)
    coalitions = [draws.choice(len(records), insiders, replace=False) for _ in range(repeats)]
    seeds = draws.integers(0, 2**62, (len(levels), repeats))
    jitter_seeds = draws.integers(0, 2**62, (len(_TRYING.jitter), repeats))
    tried = _Tried(table, coalitions, kept, progress)
    alone = [name for name in settings.attackers if ATTACKS[name].alone]
    players = _Players(target, insiders, settings.splits, kept, progress)
    steps = np.array([grid_spacing(column) for column in records.T]) if readable else np.zeros(records.shape[1])
    spread = float(np.sqrt(np.var(records, axis=0).mean()))
    figures, smallest = [], None
    for level, own in zip(levels, seeds, strict=True):
        rate = tried.insiders(f"noise {level!r}", own, _Noise(level * spread))
        release = perturb(records, Noisy(noise=level), int(own[0]))
        broken: dict[str, float] = {}
        worst, opens = None, False
        leaks: tuple[Leak, ...] = ()
        if max(rate.high, guessed.blind) <= target and smallest is None:
            label, scheme = f"noise {level!r}", Noisy(noise=level)
            read = tried.attackers(alone, label, scheme.model, release, int(own[0]), level * spread)
            broken = {one.name: one.worst for one in read}
            if max(broken.values(), default=0.0) <= target:
                worst, played = players.worst(label, remedied.game(scheme))
                if played is not None:
                    opens, leaks = remedied.audited(label, records, scheme, played)
                smallest = level if opens else None
        left = stick.left(release.data[release.key.order])
        figures.append(NoiseFigures(level, rate, *left, broken, worst, opens, leaks))
    jittered: list[JitterFigures] = []
    for level, own in zip(_TRYING.jitter if steps.any() else (), jitter_seeds, strict=False):
        move = _Jitter(level * steps)
        moved = move(records, np.random.default_rng(own[0]))
        release = perturb(moved, settings.scheme, int(own[0]))
        model = playable(settings.scheme)
        label = f"jitter {level!r}"
        found = tried.attackers(readable, label, model, release, int(own[0]), move.deviation)
        rate = tried.insiders(label, own, move)
        left = stick.left(release.data[release.key.order])
        by_name = {one.name: one.worst for one in found}
        worst, opens, leaks = None, False, ()
        if max(*by_name.values(), rate.high, guessed.blind) <= target:
            # Against the values as they were: whoever rounds finds those. Then as the owner would audit what is left.
            worst, played = players.worst(label, replace(remedied.game(settings.scheme), widths=move.widths))
            if played is not None:
                opens, leaks = remedied.audited(label, moved, settings.scheme, None)
        claimed = any(one.claimed for one in found)
        jittered.append(JitterFigures(level, claimed, by_name, rate, *left, worst, opens, leaks))
        if opens:
            break
    return Remedies(
        insiders=insiders,
        target=target,
        repeats=repeats,
        levels=tuple(figures),
        smallest=smallest,
        stability=stick.stability,
        blind=guessed.blind,
        guess=guessed.guess,
        jitter=tuple(jittered),
        criterion=settings.met.kind,
    )


@dataclass(frozen=True, eq=False)
class _Players:
    """Attackers who are played against a remedy, on as many splits as the release that is planned."""

    limit: float
    insiders: int
    splits: int
    kept: Kept
    progress: Progress

    def worst(self, label: str, game: Game) -> tuple[Stopped | None, list[list[Scores]] | None]:
        """Who breaches most on one split, and all that was played; None where that ended, because it is too much."""
        best, played = None, list[list[Scores]]()
        game = replace(game, limit=(self.limit, self.insiders))
        released = min(game.rows, len(game.records) - game.held_out)
        for split in play(game, self.splits, self.kept.under(label), self.progress, label):
            played.append(split)
            for score in (one for one in split if one.cell.insiders <= self.insiders):
                if best is None or score.breached > best.share:
                    people = max(released - score.cell.insiders, 1)
                    best = Stopped(score.attack, score.cell, score.breached, len(played), people)
            if best is not None and best.share > self.limit:
                self.progress(label, self.splits, self.splits)  # the others are not played
                return best, None
        return None if best is None else replace(best, splits=len(played)), played


class _Move(Protocol):
    """What is done to values before the rotation; ``deviation``: root mean square of the errors of a coordinate."""

    @property
    def deviation(self) -> float: ...

    def __call__(self, records: FloatArray, draws: np.random.Generator) -> FloatArray: ...


@dataclass(frozen=True)
class _Noise:
    """Gaussian noise, which is the same before and after a rotation."""

    deviation: float

    def __call__(self, records: FloatArray, draws: np.random.Generator) -> FloatArray:
        return np.asarray(records + self.deviation * draws.standard_normal(records.shape))


@dataclass(frozen=True, eq=False)
class _Jitter:
    """Uniform errors within a width for each column."""

    widths: FloatArray

    @property
    def deviation(self) -> float:
        return float(np.sqrt(np.mean(self.widths**2) / 12))

    def __call__(self, records: FloatArray, draws: np.random.Generator) -> FloatArray:
        return np.asarray(records + self.widths * (draws.random(records.shape) - 0.5))


@dataclass(frozen=True, eq=False)
class _Tried:
    """Attacks on protected tables; what was done before is taken from ``kept``."""

    table: OwnersTable
    coalitions: Sequence[IntArray]
    kept: Kept
    progress: Progress

    def insiders(self, name: str, seeds: IntArray, move: _Move) -> Sampled:
        """Breach rate, over as many releases as there are coalitions."""
        saved = self.kept.part(name)
        rates: list[float] = [] if saved is None else saved["rates"].tolist()
        rest = range(len(rates), len(self.coalitions))
        items = [(self.coalitions[k], int(seeds[k])) for k in rest]
        for rate in default_workers().run(_rate, items, (self.table, move)):
            rates.append(rate)
            self.progress(f"trying {name}", len(rates), len(self.coalitions))
            self.kept.done(name, lambda: {"rates": np.array(rates)})
        if len(rest):
            self.kept.done(name, lambda: {"rates": np.array(rates)}, whole=True)
        return mean_interval(rates)

    def attackers(
        self, names: Sequence[str], name: str, model: ReleaseModel, release: Release, seed: int, noise: float
    ) -> tuple[AttackerFigures, ...]:
        """Attackers without insiders on one release, who know how much noise there is."""
        return attackers(names, self.table, release, noise, seed, self.kept, self.progress, model=model, label=name)


def _rate(played: tuple[IntArray, int], params: tuple[OwnersTable, _Move]) -> float:
    return _breached(*params, *played)


def _breached(table: OwnersTable, move: _Move, insiders: IntArray, seed: int) -> float:
    """Mean breach probability of sampled others, for one release and coalition, using as many records as serve it.

    A rotation would change nothing.
    """
    draws = np.random.default_rng(seed)
    others = np.setdiff1d(np.arange(len(table.records)), insiders)
    part = np.concatenate([insiders, draws.choice(others, min(len(others), _TRYING.targets), replace=False)])
    records, radius = table.records[part], EXACT.radius(table.norms[part], table.records.shape[1])
    noisy = NoisyTable(
        records, radius, False, table.epsilon, table.tolerance, released=move(records, draws), noise=move.deviation
    )
    size = len(insiders)
    found = noisy.exposed(np.arange(size), Growth.rows_known(size), ladder(size))
    return float(found.probability[:, size:].mean(axis=1).max())
