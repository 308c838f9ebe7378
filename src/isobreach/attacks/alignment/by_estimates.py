# SPDX-License-Identifier: BSD-3-Clause
"""Objectives that need no sample: independent attributes, and values inside their ranges."""

from dataclasses import dataclass, replace

import numpy as np

from isobreach._arrays import FloatArray
from isobreach.attacks.alignment.components import sharpened
from isobreach.attacks.alignment.descent import Evaluations, descend
from isobreach.attacks.alignment.estimating import Estimating, Within
from isobreach.attacks.alignment.frames import Frame, Pose, frame_of
from isobreach.attacks.alignment.naming import named
from isobreach.attacks.alignment.situation import Situation
from isobreach.attacks.alignment.solution import FittedMotion
from isobreach.geometry import haar


@dataclass(frozen=True)
class RangesTuning:
    """How possible rotations are sought."""

    starts: int = 12  # random rotations, besides the named components
    rows: int = 1_500  # released rows that the search looks at
    steps: int = 60  # of a descent at most, which mostly ends by what it gains


TUNING = RangesTuning()


def by_independence(
    situation: Situation, rows: FloatArray, axes: FloatArray, effort: Evaluations, *, judged: FloatArray | None = None
) -> FittedMotion:
    """Name the independent components of the release, and let them descend within what links allow.

    Parameters
    ----------
    situation
        Links, motion, noise, and what else is known.
    rows, axes
        Released rows; their components, one a column.
    effort
        Counts evaluations.
    judged
        Rows whose estimates are made independent, if not the released ones: their directions.
    """
    frame, pose = _placed(situation, rows, axes)
    pose = sharpened(frame, rows if judged is None else judged, pose, effort)
    return FittedMotion("independence", frame, _shifted(frame, pose, rows, situation), effort.used)


def by_ranges(
    situation: Situation,
    rows: FloatArray,
    axes: FloatArray,
    effort: Evaluations,
    rng: np.random.Generator,
) -> FittedMotion:
    """Find a rotation under which all estimates lie inside their ranges.

    Parameters
    ----------
    situation
        Links, motion, noise, and what else is known.
    rows, axes
        Released rows; their components, where a search may begin.
    effort
        Evaluations that may be made.
    rng
        Draws starts.
    """
    assert situation.bounds is not None
    frame, first = _placed(situation, rows, axes)
    within = Within(situation.bounds[:, 0], situation.bounds[:, 1], float(rows.var(axis=0).mean()))
    part = rows[rng.permutation(len(rows))[: TUNING.rows]]
    objective = Estimating(frame, part, within)
    begun = [first, *(frame.start(haar(frame.hidden, rng)) for _ in range(TUNING.starts if frame.hidden else 0))]
    begun = [_shifted(frame, one, rows, situation) for one in begun]
    found: list[tuple[Pose, float]] = []
    for pose in begun:
        if effort.left or not found:
            found.append(descend(objective, pose, effort, steps=TUNING.steps, gain=1e-9))
    best = min(found, key=lambda one: one[1])[0]
    best, _ = descend(replace(objective, rows=rows), best, effort, steps=TUNING.steps, gain=1e-9)
    return FittedMotion("ranges", frame, best, effort.used)


def _placed(situation: Situation, rows: FloatArray, axes: FloatArray) -> tuple[Frame, Pose]:
    """The frame of the links, and the pose of the named components in it."""
    frame = frame_of(
        situation.known,
        situation.released,
        rows,
        situation.sample,
        translates=situation.translates,
        noise=situation.noise,
    )
    links = situation.known, situation.released
    matrix = named(axes, rows, links, situation.sample, situation.bounds, translates=situation.translates)
    if situation.noise and len(situation.known):
        frame = frame.loosened(situation.known, situation.released, situation.noise, situation.translates)
    return frame, frame.pose_of(matrix)


def _shifted(frame: Frame, pose: Pose, rows: FloatArray, situation: Situation) -> Pose:
    """The pose with an offset that no link tells: the sample's mean to the mean, or estimates to the ends of ranges."""
    if not frame.floats or frame.hold or situation.sample is not None or situation.bounds is None:
        return pose  # known, or the frame's centres are the means already
    matrix, shift = frame.affine(replace(pose, offset=np.zeros_like(pose.offset)))
    ends = np.quantile(rows @ matrix + shift, (0.001, 0.999), axis=0)
    low, high = situation.bounds.T - ends
    both = np.isfinite(low) & np.isfinite(high)
    move = np.where(both, (np.where(both, low, 0) + np.where(both, high, 0)) / 2, np.where(np.isfinite(low), low, high))
    return frame.pose_of(matrix, shift + np.where(np.isfinite(move), move, 0.0))
