# SPDX-License-Identifier: BSD-3-Clause
"""What the attacker can tell of an alignment without the truth: a certificate, and a forecast.

Both are one-sided. The certificate says when an alignment was *not* found: the sample's levels -log q, at its place,
against those of released rows that q was not fitted to, by the rank sum of Mann and Whitney. It passes wrong optima.
The forecast of the breached share halves sample and release, fits each half anew from the pose found, and takes half of
the estimates' disagreement for the size of their error; optima whose likelihoods tie share the belief. A wrong optimum
far above the others is not noticed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from isobreach._arrays import FloatArray
from isobreach.attacks.alignment.descent import Evaluations, descend
from isobreach.attacks.alignment.frames import Frame, Pose
from isobreach.attacks.alignment.mixture import Density, MixtureRecipe, Whitening, fitted
from isobreach.attacks.alignment.placing import Placing

NOT_FOUND = 3.0  # z above which the sample does not lie like released rows: 1 in 700 by chance at the true motion


@dataclass(frozen=True)
class Certifying:
    """On how much a forecast rests.

    Attributes
    ----------
    rows
        Rows of the release: the share's own standard error is then at most .02.
    rounds
        Steps of EM for half a release.
    """

    rows: int = 500
    rounds: int = 15


_CERTIFYING = Certifying()


def certificate(frame: Frame, pose: Pose, density: Density, sample: FloatArray) -> float:
    """Mann-Whitney z of the sample's levels against released rows held out: positive where the sample fits worse.

    Parameters
    ----------
    frame, pose
        Where the sample is placed.
    density
        Of the release, with its judges.
    sample
        Records, with the release's noise added.
    """
    information = np.zeros(0)  # no descent is made
    ranks, held = [], 0
    for whitening, mixture, levels in density.judges:
        mine = Placing(frame, whitening, mixture, sample, len(sample), information).levels(pose)
        below = np.searchsorted(np.sort(levels), mine, side="left")
        above = np.searchsorted(np.sort(levels), mine, side="right")
        ranks.append(float(((below + above) / 2).sum()))
        held += len(levels)
    m = len(sample)
    share = sum(ranks) / (m * held)
    return float((share - 0.5) / np.sqrt((m + held + 1) / (12.0 * m * held)))


def forecast(
    placing: Placing,
    density: Density,
    rows: FloatArray,
    leaders: Sequence[tuple[Pose, float]],
    epsilon: float,
    effort: Evaluations,
    rng: np.random.Generator,
) -> float:
    """The breached share that the attacker expects.

    Parameters
    ----------
    placing
        Of the whole sample.
    density
        Of the release.
    rows
        Released rows.
    leaders
        Poses and their values, the chosen one first.
    epsilon
        Relative error that counts as a breach.
    effort
        Counts evaluations.
    rng
        Draws the halves.
    """
    frame, sample = placing.frame, placing.sample
    if frame.hidden == 0:
        return 1.0
    (chosen, value), recipe = leaders[0], density.parts[0][0]
    smaller = MixtureRecipe(max(1, recipe.components // 2), recipe.pseudo_rows, max(recipe.ridge, 1e-2))
    seen = rows[rng.permutation(len(rows))[: _CERTIFYING.rows]]
    sample_order, row_order = rng.permutation(len(sample)), rng.permutation(len(rows))

    def estimates(pose: Pose) -> FloatArray:
        matrix, shift = frame.affine(pose)
        return seen @ matrix + shift

    halves = []
    for half in (0, 1):
        part = rows[row_order[half::2]]
        whitening = Whitening.of(part)
        mixture = fitted(whitening(part), smaller, rng, _CERTIFYING.rounds)
        own = replace(
            placing,
            whitening=whitening,
            mixture=mixture,
            sample=sample[sample_order[half::2]],
            records=placing.records // 2,
        )
        halves.append(estimates(descend(own, chosen, effort, steps=60, gain=1e-4)[0]))
    best = estimates(chosen)
    reach = epsilon * np.linalg.norm(best, axis=1)
    stable = float((np.linalg.norm(halves[0] - halves[1], axis=1) / 2 <= reach).mean())
    told = placing.records / (1 + placing.records / len(rows))
    weights = np.array([np.exp(-told * max(0.0, other - value)) for _, other in leaders])
    same = [float((np.linalg.norm(estimates(pose) - best, axis=1) <= reach).mean()) for pose, _ in leaders]
    return stable * float(weights @ np.array(same) / weights.sum())
