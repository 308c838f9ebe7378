# SPDX-License-Identifier: BSD-3-Clause
r"""What would help: noise on top of the rotation, what it hides and what it costs.

At each level of noise the table is protected anew (``isobreach.schemes.Noisy``, a rotation and Gaussian noise relative
to the table's spread), a random coalition attacks, and the estimates of all other records are compared with the truth:
breaches are counted, not computed. The insiders are *given* their rows. Finding these is what noise makes hard first,
but insiders may know them otherwise, and a defence should not rest on that: an attacker who has to search breaches no
more. A level meets the owner's target if the upper end of the 95% interval of its breach rate does.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isobreach._progress import Progress
from isobreach.attacks import attack_linked
from isobreach.audits.intervals import Sampled, mean_interval
from isobreach.audits.utility import Yardstick, yardstick
from isobreach.blocks import processors, run_in_order
from isobreach.geometry import row_norms
from isobreach.linking import Linkage, Precision
from isobreach.schemes import Noisy, Release, perturb

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

NOISE_LEVELS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0)
REPEATS = 10
_EXACT = Precision(0.0, 0.0, 2.0**-53, "float64 values")


@dataclass(frozen=True)
class NoiseFigures:
    """One level of noise: share of others breached by given insiders, and what is left of the table's use."""

    noise: float
    breach_rate: Sampled
    neighbours: Sampled
    clusters: Sampled


@dataclass(frozen=True)
class Remedies:
    """Levels of noise in turn, and the smallest that meets the target, None if none of these does.

    ``insiders``: size of the coalitions. ``stability``: agreement of k-means on the original with itself, started
    elsewhere. ``column_means``: share breached by guessing the column means, which no noise prevents.
    """

    insiders: int
    target: float
    repeats: int
    levels: tuple[NoiseFigures, ...]
    smallest: float | None
    stability: float
    column_means: float


def remedies(
    records: FloatArray,
    levels: Sequence[float],
    *,
    insiders: int,
    epsilon: float,
    target: float,
    column_means: float,
    draws: np.random.Generator,
    progress: Progress,
    repeats: int = REPEATS,
) -> Remedies:
    """Try every level; coalitions are the same at each of them, noise and rotation are not."""
    stick = yardstick(records, draws)
    coalitions = [draws.choice(len(records), insiders, replace=False) for _ in range(repeats)]
    seeds = draws.integers(0, 2**62, (len(levels), repeats))
    jobs = [(i, j) for i in range(len(levels)) for j in range(repeats)]

    def run(job: tuple[int, int]) -> tuple[float, float, float]:
        level, repeat = job
        return _attacked(records, stick, levels[level], coalitions[repeat], epsilon, int(seeds[job]))

    results = np.empty((len(levels), repeats, 3))
    for done, (job, result) in enumerate(zip(jobs, run_in_order(run, jobs, processors()), strict=True), start=1):
        results[job] = result
        progress("trying noise", done, len(jobs))
    figures = tuple(
        NoiseFigures(level, *(mean_interval(np.clip(part, 0.0, 1.0)) for part in result.T))
        for level, result in zip(levels, results, strict=True)
    )
    meeting = [one.noise for one in figures if one.breach_rate.high <= target]
    return Remedies(
        insiders, target, repeats, figures, min(meeting) if meeting else None, stick.stability, column_means
    )


def _attacked(
    records: FloatArray, stick: Yardstick, noise: float, insiders: IntArray, epsilon: float, seed: int
) -> tuple[float, float, float]:
    """Share of others breached, of neighbours kept, and agreement of clusters, for one release and coalition."""
    release = perturb(records, Noisy(noise=noise), seed)
    order = release.key.order
    result = attack_linked(records[insiders], release.data, _given(release, insiders), epsilon, seed=seed)
    hits = row_norms(result.estimates[order] - records) <= epsilon * row_norms(records)
    in_order = release.data[order]
    return (
        float(np.mean(np.delete(hits, insiders))),
        stick.neighbours(in_order).value,
        stick.clusters(in_order),
    )


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
