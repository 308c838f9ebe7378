# SPDX-License-Identifier: BSD-3-Clause
"""The strongest objective: a density fitted to the release, in which the public sample is placed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from isobreach._arrays import FloatArray
from isobreach.attacks.alignment.certificate import NOT_FOUND, certificate, forecast
from isobreach.attacks.alignment.descent import Evaluations, descend
from isobreach.attacks.alignment.frames import Pose, frame_of
from isobreach.attacks.alignment.mixture import Density
from isobreach.attacks.alignment.placing import Placing, information
from isobreach.attacks.alignment.search import PoseSearch
from isobreach.attacks.alignment.situation import Situation
from isobreach.attacks.alignment.solution import FittedMotion


@dataclass(frozen=True)
class PlacingTuning:
    """Last steps, after the search."""

    joint: float = 0.05  # sample records a released row from which on both are modelled together
    joint_rounds: int = 4  # fits of the density, each followed by a descent; later ones change little
    noise_copies: int = 1_000  # sample records with noise added, copies included, that the last descents see


TUNING = PlacingTuning()


def by_density(
    situation: Situation,
    density: Density,
    rows: FloatArray,
    *,
    epsilon: float,
    effort: Evaluations,
    rng: np.random.Generator,
    also: Sequence[FittedMotion] = (),
) -> FittedMotion:
    """Place the sample in the density of the release.

    Parameters
    ----------
    situation
        Links, motion, noise and the sample.
    density, rows
        Of the release.
    epsilon
        Relative error that counts as a breach, for the forecast.
    effort
        Evaluations of the search.
    rng
        Draws kicks, signs, noise and halves.
    also
        Motions of other objectives: further starts.
    """
    noise, sample = situation.noise, situation.sample
    assert sample is not None
    frame = frame_of(situation.known, situation.released, rows, sample, translates=situation.translates, noise=noise)
    blurred = sample
    if noise:
        blurred = np.repeat(sample, max(1, TUNING.noise_copies // len(sample)), axis=0)
        blurred = blurred + noise * rng.standard_normal(blurred.shape)
    search = PoseSearch(frame, density, blurred, len(sample), rows, effort, rng)
    leaders = search.run([frame.pose_of(*one.affine) for one in also])
    placing = replace(search.sharp, mixture=density.mixture, sample=blurred)
    if noise and len(situation.known):
        loose = frame.loosened(situation.known, situation.released, noise, situation.translates)
        told = information(loose, density.whitening, density.mixture, rows, len(sample))
        placing = replace(placing, frame=loose, information=told)
    polished = sorted(
        (descend(placing, placing.frame.pose_of(*frame.affine(one.pose)), effort) for one in leaders),
        key=lambda one: one[1],
    )
    z = certificate(placing.frame, polished[0][0], density, blurred)
    if len(sample) > TUNING.joint * len(rows) and frame.hidden:
        pose = _jointly(placing, polished[0][0], density, rows, effort, rng)
        polished[0] = pose, polished[0][1]
    # Halves agree with each other about a sample of another population, too.
    share = None if z > NOT_FOUND else forecast(placing, density, rows, polished, epsilon, effort, rng)
    return FittedMotion("density", placing.frame, polished[0][0], effort.used, z, share)


def _jointly(
    placing: Placing, pose: Pose, density: Density, rows: FloatArray, effort: Evaluations, rng: np.random.Generator
) -> Pose:
    """The pose when the density is fitted to the release and the placed sample together, in turn with the pose."""
    frame, sample = placing.frame, placing.sample[:: len(placing.sample) // placing.records]
    for _ in range(TUNING.joint_rounds):
        matrix, shift = frame.affine(pose)
        density = density.refitted(np.vstack([rows, (sample - shift) @ matrix.T]), rng)
        pose, _ = descend(replace(placing, mixture=density.mixture), pose, effort, steps=40, gain=1e-5)
    return pose
