# SPDX-License-Identifier: BSD-3-Clause
"""Objectives that judge estimates of released rows, x = c_x + (y - c_y)(Vy Vx' + By P Bx'): what they have in common.

With psi = df/dx at each row's estimate, df/dP is the sum over rows of (By'(y - c_y)) (psi Bx)'. Two judges:

*independence*: F(P) = - mean over rows of sum_j log p_j(x_j), p_j the density of column j. With p_j fitted to the
estimates themselves that is the sum of the columns' entropies, and for orthogonal P their mutual information up to a
constant: independent component analysis over O(h) (Comon 1994), with no whitening, because M is orthogonal.

*ranges*: F(P) = mean over rows of sum_j (distance of x_j from its range)^2 / variance, zero where all estimates are
possible.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np

from isobreach._arrays import FloatArray
from isobreach.attacks.alignment.frames import Frame, Pose, planes
from isobreach.attacks.alignment.marginals import Marginals


class Judge(Protocol):
    """Says how unlikely estimates are."""

    def judged(self, estimates: FloatArray) -> tuple[float, FloatArray]:
        """Return f, a mean over rows, and its gradient at each estimate, not divided by the rows."""


@dataclass(frozen=True, eq=False)
class Independent:
    """-sum of log p_j."""

    marginals: Marginals

    def judged(self, estimates: FloatArray) -> tuple[float, FloatArray]:
        """Return -mean sum_j log p_j(x_j), and -(log p_j)'."""
        level, score = self.marginals.scored(estimates)
        return -level, -score


@dataclass(frozen=True, eq=False)
class Within:
    """Squared distances from ranges, over the variance of each attribute's estimates."""

    low: FloatArray
    high: FloatArray
    variance: float

    def judged(self, estimates: FloatArray) -> tuple[float, FloatArray]:
        """Return the mean squared distance from the ranges and its gradient."""
        outside = estimates - np.clip(estimates, self.low, self.high)
        return float((outside**2).sum(axis=1).mean()) / self.variance, 2 * outside / self.variance


@dataclass(frozen=True, eq=False)
class Estimating:
    """F of a judge; as an ``Objective``.

    Attributes
    ----------
    frame
        What links leave open.
    rows
        Released rows.
    judge
        Judges their estimates.
    """

    frame: Frame
    rows: FloatArray = field(repr=False)
    judge: Judge

    @cached_property
    def _parts(self) -> tuple[FloatArray, FloatArray]:
        """Visible part of the estimates, and hidden coordinates of the rows."""
        frame = self.frame
        apart = self.rows - frame.centre_y
        return frame.centre_x + apart @ frame.visible_y @ frame.visible_x.T, apart @ frame.hidden_y

    def estimates(self, pose: Pose) -> FloatArray:
        """Return the estimates of all rows."""
        visible, hidden = self._parts
        if len(pose.offset):
            hidden = hidden - pose.offset
        return np.asarray(visible + hidden @ (pose.rotation @ self.frame.hidden_x.T))

    def value(self, pose: Pose) -> float:
        """Return F."""
        return self.judge.judged(self.estimates(pose))[0] - self.frame.linked(pose) / len(self.rows)

    def gradient(self, pose: Pose) -> tuple[float, FloatArray, FloatArray]:
        """Return F, dF/dP and dF/du."""
        frame, m = self.frame, len(self.rows)
        _, hidden = self._parts
        value, slope = self.judge.judged(self.estimates(pose))
        along = slope @ frame.hidden_x
        by_rotation, by_offset = hidden.T @ along / m, np.zeros(0)
        if frame.pull is not None:
            by_rotation -= frame.pull / m
        if len(pose.offset):
            by_rotation -= np.outer(pose.offset, along.mean(axis=0))
            by_offset = frame.hold * pose.offset / m - along.mean(axis=0) @ pose.rotation.T
        return value - frame.linked(pose) / m, by_rotation, by_offset

    @property
    def cost(self) -> int:
        """Evaluations that one counts for."""
        return 1

    @cached_property
    def scale(self) -> FloatArray:
        """Inverse information of the planes, for scores as they are at the identity."""
        return np.asarray(1 / self.information)

    @cached_property
    def information(self) -> FloatArray:
        """Mean squared slope in each coordinate, by plane; a floor keeps flat ones from long steps."""
        frame = self.frame
        _, hidden = self._parts
        _, slope = self.judge.judged(self.estimates(frame.start()))
        size = float((slope**2).mean())
        spread = (hidden**2).mean(axis=0)
        told = size * (spread[:, None] + spread[None, :])[planes(frame.hidden)]
        offset = np.full(frame.hidden if frame.floats else 0, size)
        found = np.concatenate([told, offset])
        return found + 1e-3 * float(np.median(found) if len(found) else 0.0) + np.finfo(np.float64).tiny
