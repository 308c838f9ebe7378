# SPDX-License-Identifier: BSD-3-Clause
"""Minimising a function of a rotation: L-BFGS in the Lie algebra so(h), with Cayley steps.

At P the tangent is W P, W skew; the gradient's coordinates are those of G P' - P G' above the diagonal, G = dF/dP. A
step is the Cayley transform P <- (I - W/2)^-1 (I + W/2) P, which stays orthogonal. Coordinates (i, j) are scaled by the
inverse of their Fisher information, because planes of two axes of nearly equal variance are hundreds of times flatter
than others (preconditioned L-BFGS: Nocedal and Wright, "Numerical Optimization", 7.2; on Lie groups: Absil, Mahony and
Sepulchre, "Optimization Algorithms on Matrix Manifolds").
"""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from isobreach._arrays import FloatArray
from isobreach.attacks.alignment.frames import Pose, planes, polar


class Objective(Protocol):
    """A function of a pose, to be minimised."""

    def value(self, pose: Pose) -> float:
        """Return F."""

    def gradient(self, pose: Pose) -> tuple[float, FloatArray, FloatArray]:
        """Return F, dF/dP (h x h) and dF/du."""

    @property
    def cost(self) -> int:
        """What an evaluation counts for: one, unless it is a dear one."""

    @property
    def scale(self) -> FloatArray:
        """Inverse information of the coordinates: those of so(h) row by row above the diagonal, then those of u."""


@dataclass
class Evaluations:
    """Evaluations that may be made, and those that were: the same on every machine, unlike seconds."""

    most: int
    used: int = 0

    def spend(self, count: int = 1) -> None:
        """Count evaluations towards the most that are allowed."""
        self.used += count

    @property
    def left(self) -> bool:
        """Whether any are left."""
        return self.used < self.most


@dataclass(frozen=True)
class DescentTuning:
    """Textbook values, but for the memory, which 8 tables in 4 to 64 columns hardly notice from 5 to 20."""

    memory: int = 8  # steps that are remembered
    sufficient: float = 1e-4  # Armijo's share of the slope
    shrink: float = 0.4  # of a step that was too long
    trials: int = 12  # steps tried along a line
    longest: float = 1.0  # radians in any plane


TUNING = DescentTuning()


@dataclass
class _Memory:
    """Last steps and changes of the gradient."""

    steps: list[FloatArray] = field(default_factory=list)
    changes: list[FloatArray] = field(default_factory=list)

    def direction(self, gradient: FloatArray, scale: FloatArray) -> FloatArray:
        """Two-loop recursion from the diagonal ``scale``."""
        q, shares = gradient.copy(), []
        for step, change in zip(reversed(self.steps), reversed(self.changes), strict=True):
            share = (step @ q) / (step @ change)
            shares.append(share)
            q -= share * change
        q *= scale
        if self.steps:
            step, change = self.steps[-1], self.changes[-1]
            q *= (step @ change) / (change @ (scale * change))
        for step, change, share in zip(self.steps, self.changes, reversed(shares), strict=True):
            q += step * (share - (change @ q) / (step @ change))
        return -q

    def add(self, step: FloatArray, change: FloatArray) -> None:
        if step @ change > 1e-12 * np.linalg.norm(step) * np.linalg.norm(change):
            self.steps, self.changes = [*self.steps, step][-TUNING.memory :], [*self.changes, change][-TUNING.memory :]

    def clear(self) -> None:
        self.steps, self.changes = [], []


def moved(pose: Pose, step: FloatArray) -> Pose:
    """The pose after a step: a Cayley transform, and a move of the offset.

    Parameters
    ----------
    pose
        Where it begins.
    step
        Coordinates above the diagonal of a skew matrix, row by row, and those of the offset after them.
    """
    h = len(pose.rotation)
    count = h * (h - 1) // 2
    skew = np.zeros((h, h))
    skew[planes(h)] = step[:count] / 2
    skew -= skew.T
    eye = np.eye(h)
    rotation = np.linalg.solve(eye - skew, (eye + skew) @ pose.rotation)
    return Pose(np.asarray(rotation, dtype=np.float64), pose.offset + step[count:])


def _flat(pose: Pose, by_rotation: FloatArray, by_offset: FloatArray) -> FloatArray:
    """The gradient's coordinates."""
    tangent = by_rotation @ pose.rotation.T
    return np.concatenate([(tangent - tangent.T)[planes(len(tangent))], by_offset])


def descend(
    objective: Objective, pose: Pose, effort: Evaluations, *, steps: int = 100, gain: float = 1e-6
) -> tuple[Pose, float]:
    """A local minimum from a pose on, and its value.

    Parameters
    ----------
    objective
        What is minimised.
    pose
        Where the descent begins.
    effort
        Counts evaluations of value and gradient.
    steps
        Most steps.
    gain
        The descent ends with the first step that gains less.
    """
    value, by_rotation, by_offset = objective.gradient(pose)
    effort.spend(objective.cost)
    gradient, memory, scale = _flat(pose, by_rotation, by_offset), _Memory(), objective.scale
    if not len(gradient):
        return pose, value
    for _ in range(steps):
        direction = memory.direction(gradient, scale)
        slope = direction @ gradient
        if slope >= 0:
            memory.clear()
            direction = -scale * gradient
            slope = direction @ gradient
        length = min(1.0, TUNING.longest / (np.abs(direction).max() + np.finfo(np.float64).tiny))
        for _ in range(TUNING.trials):
            trial = moved(pose, length * direction)
            at_trial, by_rotation, by_offset = objective.gradient(trial)
            effort.spend(objective.cost)
            if at_trial < value + TUNING.sufficient * length * slope:
                break
            length *= TUNING.shrink
        else:
            if not memory.steps:
                break
            memory.clear()
            continue
        after = _flat(trial, by_rotation, by_offset)
        memory.add(length * direction, after - gradient)
        gained = value - at_trial
        pose, value, gradient = trial, at_trial, after
        if gained < gain:
            break
    return Pose(polar(pose.rotation), pose.offset), value
