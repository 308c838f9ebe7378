# SPDX-License-Identifier: BSD-3-Clause
"""Independent components of a release: the axes of its attributes, if these are independent, but for names and signs.

FastICA (Hyvarinen 1999; symmetric, tanh) on whitened rows gives a start for all axes at once, milliseconds a run. Its
mixing vectors are orthogonal only up to errors; the nearest orthogonal frame then descends on the sum of the columns'
entropies (``estimating``), which uses that the motion is orthogonal and every column's own density. scikit-learn's
FastICA would do the first step, and reports what does not converge by warnings of the whole process; the iteration is
ten lines.
"""

from dataclasses import dataclass

import numpy as np

from isobreach._arrays import FloatArray
from isobreach.attacks.alignment.descent import Evaluations, descend
from isobreach.attacks.alignment.estimating import Estimating, Independent
from isobreach.attacks.alignment.frames import Frame, Pose, polar
from isobreach.attacks.alignment.marginals import Marginals
from isobreach.attacks.alignment.mixture import Whitening
from isobreach.geometry import haar


@dataclass(frozen=True)
class ComponentTuning:
    """How components are sought."""

    starts: int = 3  # of FastICA; on independent columns nearly every one succeeds
    iterations: int = 100  # of FastICA at most, set by hand
    change: float = 1e-6  # of a direction's cosine, below which it has converged
    rounds: int = 6  # descents, each with marginals of the estimates so far; later ones gain less than 1e-4
    steps: int = 12  # of each


TUNING = ComponentTuning()


def components(rows: FloatArray, rng: np.random.Generator, effort: Evaluations) -> FloatArray:
    """Orthonormal axes, one a column, along which the rows are as independent as any rotation makes them.

    Parameters
    ----------
    rows
        Released rows.
    rng
        Draws starts.
    effort
        Counts evaluations.
    """
    n = rows.shape[1]
    whitening = Whitening.of(rows)
    white, mixing = whitening(rows), np.linalg.pinv(whitening.basis)
    nothing, centre = np.zeros((n, 0)), rows.mean(axis=0)
    frame = Frame(nothing, nothing, np.eye(n), np.eye(n), np.zeros(n), centre)
    best, least = frame.start(), np.inf
    for _ in range(TUNING.starts):
        vectors = _fast_ica(white, haar(n, rng)) @ mixing
        axes = polar(vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).T
        pose = frame.start(axes)
        value = entropy(frame, rows, pose)
        if value < least:
            best, least = pose, value
    return sharpened(frame, rows, best, effort).rotation


def entropy(frame: Frame, rows: FloatArray, pose: Pose) -> float:
    """Sum of the entropies of the estimates' columns at a pose."""
    return Estimating(frame, rows, _own(frame, rows, pose)).value(pose)


def _own(frame: Frame, rows: FloatArray, pose: Pose) -> Independent:
    """The judge whose marginals are those of the estimates themselves."""
    matrix, shift = frame.affine(pose)
    return Independent(Marginals.of(rows @ matrix + shift))


def sharpened(frame: Frame, rows: FloatArray, pose: Pose, effort: Evaluations) -> Pose:
    """The pose after descents on the sum of entropies, with marginals of the estimates so far.

    Parameters
    ----------
    frame, rows
        What links leave open; released rows.
    pose
        Where it begins.
    effort
        Counts evaluations.
    """
    for _ in range(TUNING.rounds):
        objective = Estimating(frame, rows, _own(frame, rows, pose))
        pose, _ = descend(objective, pose, effort, steps=TUNING.steps, gain=1e-5)
    return pose


def _fast_ica(white: FloatArray, start: FloatArray) -> FloatArray:
    """Unmixing directions of whitened rows, orthonormal rows."""
    directions = start
    for _ in range(TUNING.iterations):
        bent = np.tanh(white @ directions.T)
        after = polar(bent.T @ white / len(white) - (1 - bent**2).mean(axis=0)[:, None] * directions)
        turned = float(np.abs(np.abs((after * directions).sum(axis=1)) - 1).max())
        directions = after
        if turned < TUNING.change:
            break
    return directions
