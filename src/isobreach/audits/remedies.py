# SPDX-License-Identifier: BSD-3-Clause
r"""What would help: noise on top of the rotation, what it hides and what it costs.

At each level of noise the table is protected anew (``isobreach.schemes.Noisy``, a rotation and Gaussian noise relative
to the table's spread), a random coalition attacks, and the estimates of all other records are compared with the truth:
breaches are counted, not computed, on a sample of the others: whoever knows the insiders' rows needs no other row to
estimate one. The insiders are *given* their rows. Finding these is what noise makes hard first,
but insiders may know them otherwise, and a defence should not rest on that: an attacker who has to search breaches no
more. A level meets the owner's target if the upper end of the 95% interval of its breach rate does.

*Jitter* is what helps against the lattice attack alone, which needs values on a grid: each value is moved at random
within a part of its own step, so that whole numbers are so no longer. Insiders are another matter: see noise.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isobreach._progress import Progress
from isobreach.attacks import attack_linked
from isobreach.audits.attackers import attackers
from isobreach.audits.intervals import Sampled, mean_interval
from isobreach.audits.utility import Yardstick, yardstick
from isobreach.blocks import processors, run_in_order
from isobreach.geometry import row_norms
from isobreach.linking import Linkage, Precision, grid_spacing
from isobreach.schemes import Noisy, Release, Scheme, perturb

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

NOISE_LEVELS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0)
JITTER_LEVELS = (0.25, 0.5, 1.0)
REPEATS, TARGETS = 100, 2000
_EXACT = Precision(0.0, 0.0, 2.0**-53, "float64 values")


@dataclass(frozen=True)
class NoiseFigures:
    """One level of noise: share of others breached by given insiders, and what is left of the table's use.

    ``breach_rate``: mean over releases and coalitions. ``neighbours`` (mean over records) and ``clusters``: of one.
    """

    noise: float
    breach_rate: Sampled
    neighbours: Sampled
    clusters: float


@dataclass(frozen=True)
class JitterFigures:
    """Values moved by up to half of ``jitter`` times their step: share of records that the lattice attack breaches."""

    jitter: float
    claimed: bool
    breach_rate: float
    neighbours: Sampled
    clusters: float


@dataclass(frozen=True)
class Remedies:
    """Levels of noise in turn, and the smallest that meets the target, None if none of these does.

    ``insiders``: size of the coalitions. ``stability``: agreement of k-means on the original with itself, started
    elsewhere. ``column_means``: share breached by guessing the column means, which no noise prevents. ``jitter``: tried
    against the lattice attack, one release each; empty where the table is on no grid or that attack was not asked for.
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
    levels: Sequence[float],
    *,
    insiders: int,
    epsilon: float,
    target: float,
    column_means: float,
    lattice: bool,
    scheme: Scheme,
    draws: np.random.Generator,
    progress: Progress,
    repeats: int = REPEATS,
) -> Remedies:
    """Try every level; coalitions are the same at each of them, noise and rotation are not."""
    stick = yardstick(records, draws)
    coalitions = [draws.choice(len(records), insiders, replace=False) for _ in range(repeats)]
    seeds = draws.integers(0, 2**62, (len(levels), repeats))
    spread = float(np.sqrt(np.var(records, axis=0).mean()))
    jobs = [(i, j) for i in range(len(levels)) for j in range(repeats)]

    def run(job: tuple[int, int]) -> float:
        level, repeat = job
        return _breached(records, spread, levels[level], coalitions[repeat], epsilon, int(seeds[job]))

    rates = np.empty((len(levels), repeats))
    for done, (job, rate) in enumerate(zip(jobs, run_in_order(run, jobs, processors()), strict=True), start=1):
        rates[job] = rate
        progress("trying noise", done, len(jobs))

    def use(level: int) -> tuple[Sampled, float]:
        release = perturb(records, Noisy(noise=levels[level]), int(seeds[level, 0]))
        in_order = release.data[release.key.order]
        return stick.neighbours(in_order), stick.clusters(in_order)

    figures = tuple(
        NoiseFigures(level, mean_interval(rate), *left)
        for level, rate, left in zip(levels, rates, run_in_order(use, range(len(levels)), processors()), strict=True)
    )
    meeting = [one.noise for one in figures if one.breach_rate.high <= target]
    return Remedies(
        insiders=insiders,
        target=target,
        repeats=repeats,
        levels=figures,
        smallest=min(meeting) if meeting else None,
        stability=stick.stability,
        column_means=column_means,
        jitter=_jittered(records, stick, scheme, epsilon, draws, progress) if lattice else (),
    )


def _jittered(
    records: FloatArray,
    stick: Yardstick,
    scheme: Scheme,
    epsilon: float,
    draws: np.random.Generator,
    progress: Progress,
) -> tuple[JitterFigures, ...]:
    """The lattice attack on releases of moved values, for every level of jitter."""
    steps = np.array([grid_spacing(column) for column in records.T])
    if not steps.any():
        return ()
    found = []
    for done, level in enumerate(JITTER_LEVELS, start=1):
        moved = records + level * steps * (draws.random(records.shape) - 0.5)
        seed = int(draws.integers(0, 2**62))
        release = perturb(moved, scheme, seed)
        order = release.key.order
        attacked = attackers(["lattice"], records, release.data, order, epsilon, seed)[0]
        in_order = release.data[order]
        neighbours, clusters = stick.neighbours(in_order), stick.clusters(in_order)
        found.append(JitterFigures(level, attacked.claimed, attacked.named, neighbours, clusters))
        progress("trying jitter", done, len(JITTER_LEVELS))
    return tuple(found)


def _breached(records: FloatArray, spread: float, noise: float, insiders: IntArray, epsilon: float, seed: int) -> float:
    """Share of sampled others breached, for one release and coalition. ``spread``: of the whole table."""
    draws = np.random.default_rng(seed)
    others = np.setdiff1d(np.arange(len(records)), insiders)
    targets = draws.choice(others, min(len(others), TARGETS), replace=False)
    part = records[np.concatenate([insiders, targets])]
    own = float(np.sqrt(np.var(part, axis=0).mean()))  # noise is relative to the spread of what is released
    release = perturb(part, Noisy(noise=noise * spread / own if own > 0 else 0.0), seed)
    places = np.arange(len(insiders))
    result = attack_linked(part[places], release.data, _given(release, places), epsilon, seed=seed)
    hits = row_norms(result.estimates[release.key.order] - part) <= epsilon * row_norms(part)
    return float(np.mean(hits[len(insiders) :]))


def _given(release: Release, insiders: IntArray) -> Linkage:
    """The linkage of insiders who know their own rows."""
    rows = release.key.order[insiders]
    norms = row_norms(release.data[rows])
    return Linkage(
        rows=rows,
        status=np.full(len(rows), "linked", dtype="U9"),
        candidates=tuple(row[None] for row in rows),
        complete=True,
        chance=None,
        precision=_EXACT,
        radius=_EXACT.radius(norms, release.data.shape[1]),
        rule="backbone",
        motion="orthogonal",
        noise=release.key.noise,
    )
