# SPDX-License-Identifier: BSD-3-Clause
"""What an objective finds: a pose, and what the attacker can tell of it without the truth."""

from dataclasses import dataclass, field

from isobreach._arrays import FloatArray
from isobreach.attacks.alignment.frames import Frame, Pose


@dataclass(frozen=True, eq=False)
class FittedMotion:
    """A motion by one objective.

    Attributes
    ----------
    objective
        Name of the objective.
    frame, pose
        The motion.
    evaluations
        Of the objective and its gradient.
    certificate
        Mann-Whitney z of the sample's levels against released rows held out; None where there is no sample.
    forecast
        Breached share that the attacker expects; None where he cannot tell.
    agreement
        Mean cosine of the estimates with those of an independent fit to a part of the sample; None where there is none.
    axes
        Axes of attributes that the release shows and links agree with.
    exact
        Whether links and axes that the release shows leave nothing open: what is wrong are names, not values.
    determined
        Whether the pose solves equations, at least as many as there are angles.
    beyond_chance
        Whether it solves more equations than there are angles, better than chance would let it.
    """

    objective: str
    frame: Frame = field(repr=False)
    pose: Pose = field(repr=False)
    evaluations: int
    certificate: float | None = None
    forecast: float | None = None
    agreement: float | None = None
    axes: int = 0
    exact: bool = False
    determined: bool = False
    beyond_chance: bool = False

    @property
    def affine(self) -> tuple[FloatArray, FloatArray]:
        """R and t: the estimate of a record is y R + t."""
        return self.frame.affine(self.pose)
