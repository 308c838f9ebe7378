# SPDX-License-Identifier: BSD-3-Clause
"""The likelihood of a pose under one normal density: a quadratic function of P that needs no rows once it is set up.

With whitened images z = A + H P' B (A the visible part, H hidden coordinates of the sample), up to a constant

    F(P) = mean |z|^2 / 2 = <P, X> + tr(P C P' G) / 2,     X = B A'H / m,   C = H'H / m,   G = B B'.

A value costs two small products instead of a pass over the sample, so that hundreds of sign patterns can be tried. For
normal tables that is the whole search; for others it proposes starts.
"""

from dataclasses import dataclass

import numpy as np

from isobreach._arrays import FloatArray
from isobreach.attacks.alignment.descent import Evaluations, descend
from isobreach.attacks.alignment.frames import Pose
from isobreach.attacks.alignment.placing import Placing


@dataclass(frozen=True)
class ExploringTuning:
    """How sign patterns are explored; twice as many find nothing better on normal tables of 30 columns."""

    patterns: int = 40  # random signs of the axes
    flips: int = 3  # rounds in which every axis of the best is flipped
    products: float = 3e6  # h^3 times the descents, at most: a hundred in 30 dimensions, a dozen in 60
    least: int = 12  # descents
    steps: int = 60  # of a descent at most, which mostly ends by what it gains
    gain: float = 1e-5  # of a step: a hundredth of what tells optima apart
    same: float = 1e-3  # optima whose values differ by less are one


TUNING = ExploringTuning()


@dataclass(frozen=True, eq=False)
class Quadratic:
    """F under one normal density; as an ``Objective``. An offset stays as it is: means are matched already."""

    linear: FloatArray
    sample: FloatArray
    release: FloatArray
    scale: FloatArray

    @classmethod
    def of(cls, placing: Placing) -> "Quadratic":
        """Return the quadratic of a sample under the whitening of the release."""
        visible, hidden, basis = placing.parts
        m = len(hidden)
        return cls(basis @ visible.T @ hidden / m, hidden.T @ hidden / m, basis @ basis.T, placing.scale)

    @property
    def cost(self) -> int:
        """Nothing: it is what an evaluation of the likelihood is compared with."""
        return 0

    def value(self, pose: Pose) -> float:
        """Return F."""
        return self.gradient(pose)[0]

    def gradient(self, pose: Pose) -> tuple[float, FloatArray, FloatArray]:
        """Return F, dF/dP and zeros for the offset."""
        turned = self.release @ pose.rotation @ self.sample
        value = float((pose.rotation * (self.linear + turned / 2)).sum())
        return value, self.linear + turned, np.zeros(len(pose.offset))


@dataclass(frozen=True, eq=False)
class Explorer:
    """Optima of the quadratic, from all kinds of signs."""

    quadratic: Quadratic
    rng: np.random.Generator

    def descended(self, pose: Pose) -> tuple[Pose, float]:
        """Return the optimum below a pose."""
        return descend(self.quadratic, pose, Evaluations(0), steps=TUNING.steps, gain=TUNING.gain)

    def explored(self, starts: list[Pose]) -> list[Pose]:
        """Return distinct optima, best first.

        Parameters
        ----------
        starts
            Where to begin; signs of the axes of the first are drawn at random as well.
        """
        found = [self.descended(one) for one in starts]
        h = len(starts[0].rotation)
        most = max(TUNING.least, int(TUNING.products / h**3))
        for _ in range(min(TUNING.patterns, most // 2)):
            signs = self.rng.choice([-1.0, 1.0], h)[:, None]
            found.append(self.descended(Pose(starts[0].rotation * signs, starts[0].offset)))
        for _ in range(TUNING.flips):
            pose, best = min(found, key=lambda one: one[1])
            flips = (1 - 2 * np.eye(h))[: max(0, most - len(found))]
            found += [self.descended(Pose(pose.rotation * one[:, None], pose.offset)) for one in flips]
            if min(value for _, value in found) > best - TUNING.same:
                break
        distinct: list[tuple[Pose, float]] = []
        for pose, value in sorted(found, key=lambda one: one[1]):
            if not distinct or value > distinct[-1][1] + TUNING.same:
                distinct.append((pose, value))
        return [pose for pose, _ in distinct]
