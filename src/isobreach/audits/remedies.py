# SPDX-License-Identifier: BSD-3-Clause
r"""What would help: noise on top of the rotation, what it hides and what it costs; and jitter.

At each level of noise the table is protected anew (``isobreach.schemes.Noisy``, a rotation and Gaussian noise relative
to the table's spread), a random coalition attacks, and the estimates of all other records are compared with the truth:
breaches are counted, not computed, on a sample of the others: whoever knows the insiders' rows needs no other row to
estimate one. The insiders are *given* their rows. Finding these is what noise makes hard first, but insiders may know
them otherwise, and a defence should not rest on that: who has to search breaches no more, so the rate is an upper bound
for them. A level meets the owner's target if the upper end of the 95% interval of its breach rate does and, where the
lattice attack is among the attackers, if that does not breach more either: it is tried on the levels that stop the
insiders, upwards, until one stops both.

*Jitter* takes away what the lattice attack needs, values on a grid: each is moved at random within a part of its own
step. Where that attack succeeds it is tried upwards until a level stops it, and against insiders, to whom it is a
little noise.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from isobreach._progress import Progress
from isobreach.attacks import attack_linked
from isobreach.audits.attackers import AttackerFigures, attackers
from isobreach.audits.intervals import Sampled, mean_interval
from isobreach.audits.kept import Kept
from isobreach.audits.settings import Settings
from isobreach.audits.utility import yardstick
from isobreach.blocks import processors, run_in_order
from isobreach.geometry import row_norms
from isobreach.linking import Linkage, Precision, grid_spacing
from isobreach.schemes import Noisy, Release, perturb

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

NOISE_LEVELS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0)
JITTER_LEVELS = (0.25, 0.5, 1.0)
REPEATS, TARGETS = 100, 2000
EXACT = Precision(0.0, 0.0, 2.0**-53, "float64 values")


@dataclass(frozen=True)
class NoiseFigures:
    """One level of noise: share of others breached by given insiders, and what is left of the table's use.

    ``breach_rate``: mean over releases and coalitions. ``neighbours`` (mean over records) and ``clusters``: of one.
    ``lattice``: share of records that the lattice attack breaches, on one release; None where it was not tried.
    """

    noise: float
    breach_rate: Sampled
    neighbours: Sampled
    clusters: float
    lattice: float | None


@dataclass(frozen=True)
class JitterFigures:
    """Values moved by up to half of ``jitter`` times their step: share of records that the lattice attack breaches.

    ``insiders``: share of others breached by given insiders, mean over releases and coalitions.
    """

    jitter: float
    claimed: bool
    breach_rate: float
    insiders: Sampled
    neighbours: Sampled
    clusters: float


@dataclass(frozen=True)
class Remedies:
    """Levels of noise in turn, and the smallest that meets the target, None if none of these does.

    ``insiders``: size of the coalitions. ``stability``: agreement of k-means on the original with itself, started
    elsewhere. ``column_means``: share breached by guessing the column means, which no noise prevents. ``jitter``: tried
    against the lattice attack, one release each; empty where that attack does not succeed or was not asked for.
    """

    insiders: int
    target: float
    repeats: int
    levels: tuple[NoiseFigures, ...]
    smallest: float | None
    stability: float
    column_means: float
    jitter: tuple[JitterFigures, ...]

    @property
    def smallest_jitter(self) -> float | None:
        """The smallest jitter that meets the target against the lattice attack, None if none of these does."""
        return next((one.jitter for one in self.jitter if one.breach_rate <= self.target), None)


def remedies(
    records: FloatArray,
    settings: Settings,
    column_means: float,
    *,
    readable: bool,
    draws: np.random.Generator,
    kept: Kept,
    progress: Progress,
) -> Remedies:
    """Try every level; coalitions are the same at each of them, noise and rotation are not.

    ``readable``: the lattice attack succeeds on the release as it is planned, so that jitter is worth a try.
    """
    levels, target, insiders = settings.noise_levels, settings.target, settings.sizes[-1]
    repeats, lattice = min(settings.trials, REPEATS), "lattice" in settings.others
    stick = yardstick(records, draws)
    coalitions = [draws.choice(len(records), insiders, replace=False) for _ in range(repeats)]
    seeds = draws.integers(0, 2**62, (len(levels), repeats))
    jitter_seeds = draws.integers(0, 2**62, (len(JITTER_LEVELS), repeats))
    tried = _Tried(records, coalitions, settings.epsilon, kept, progress)
    steps = np.array([grid_spacing(column) for column in records.T]) if readable else np.zeros(records.shape[1])
    spread = float(np.sqrt(np.var(records, axis=0).mean()))
    figures, smallest = [], None
    for level, own in zip(levels, seeds, strict=True):
        rate = tried.insiders(f"noise {level!r}", own, _Noise(level * spread))
        release = perturb(records, Noisy(noise=level), int(own[0]))
        broken = None
        if rate.high <= target and smallest is None:
            if lattice:
                broken = tried.lattice(f"noise {level!r}, lattice", release, int(own[0])).named
            smallest = level if broken is None or broken <= target else None
        figures.append(NoiseFigures(level, rate, *stick.left(release.data[release.key.order]), broken))
    jittered: list[JitterFigures] = []
    for level, own in zip(JITTER_LEVELS if steps.any() else (), jitter_seeds, strict=False):
        move = _Jitter(level * steps)
        release = perturb(move(records, np.random.default_rng(own[0])), settings.scheme, int(own[0]))
        attacked = tried.lattice(f"jitter {level!r}, lattice", release, int(own[0]))
        rate = tried.insiders(f"jitter {level!r}", own, move)
        left = stick.left(release.data[release.key.order])
        jittered.append(JitterFigures(level, attacked.claimed, attacked.named, rate, *left))
        if attacked.named <= target:
            break
    return Remedies(
        insiders=insiders,
        target=target,
        repeats=repeats,
        levels=tuple(figures),
        smallest=smallest,
        stability=stick.stability,
        column_means=column_means,
        jitter=tuple(jittered),
    )


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

    records: FloatArray
    coalitions: Sequence[IntArray]
    epsilon: float
    kept: Kept
    progress: Progress

    def insiders(self, name: str, seeds: IntArray, move: _Move) -> Sampled:
        """Share of others breached, over as many releases as there are coalitions."""
        saved = self.kept.part(name)
        rates: list[float] = [] if saved is None else saved["rates"].tolist()
        rest = range(len(rates), len(self.coalitions))

        def run(k: int) -> float:
            return _breached(self.records, move, self.coalitions[k], self.epsilon, int(seeds[k]))

        for rate in run_in_order(run, rest, processors()):
            rates.append(rate)
            self.progress(f"trying {name}", len(rates), len(self.coalitions))
            self.kept.done(name, lambda: {"rates": np.array(rates)})
        if len(rest):
            self.kept.done(name, lambda: {"rates": np.array(rates)}, whole=True)
        return mean_interval(rates)

    def lattice(self, name: str, release: Release, seed: int) -> AttackerFigures:
        """The lattice attack on one release."""
        table = (self.records, release.data, release.key.order, self.epsilon)
        return attackers(["lattice"], *table, seed, self.kept, self.progress, label=name)[0]


def _breached(records: FloatArray, move: _Move, insiders: IntArray, epsilon: float, seed: int) -> float:
    """Share of sampled others breached, for one release and coalition."""
    draws = np.random.default_rng(seed)
    others = np.setdiff1d(np.arange(len(records)), insiders)
    targets = draws.choice(others, min(len(others), TARGETS), replace=False)
    part = records[np.concatenate([insiders, targets])]
    release = perturb(move(part, draws), "orthogonal", seed)
    places = np.arange(len(insiders))
    result = attack_linked(part[places], release.data, _given(release, places, move.deviation), epsilon, seed=seed)
    rows = release.key.order[len(insiders) :]
    hits = row_norms(result.estimate(rows) - part[len(insiders) :]) <= epsilon * row_norms(part[len(insiders) :])
    return float(np.mean(hits))


def _given(release: Release, insiders: IntArray, noise: float) -> Linkage:
    """The linkage of insiders who know their own rows."""
    rows = release.key.order[insiders]
    norms = row_norms(release.data[rows])
    return Linkage(
        rows=rows,
        status=np.full(len(rows), "linked", dtype="U9"),
        candidates=tuple(row[None] for row in rows),
        complete=True,
        chance=None,
        precision=EXACT,
        radius=EXACT.radius(norms, release.data.shape[1]),
        rule="backbone",
        motion="orthogonal",
        noise=noise,
    )
