# SPDX-License-Identifier: BSD-3-Clause
"""The rules that an axis must pass before it is claimed, in one table.

A path proposes a frame of axes and says which are certain by their steps or readings (``certainty``, ``tight``). Each
rule here then strikes out axes that the rows do not bear out. A rule names its counterexample: a table of which
something false would be claimed without it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from isobreach._arrays import BoolArray, FloatArray
from isobreach.attacks.lattice.blur import is_explained
from isobreach.attacks.lattice.certainty import judged_steps
from isobreach.attacks.lattice.evidence import are_at_right_angles, evidence, has_step, reach, telling_rows
from isobreach.attacks.lattice.frame import AxisFrame, Doubt, Path, complement, spans


@dataclass(frozen=True)
class Thresholds:
    """When a grid is the release's own, and what says nothing."""

    parallel: float = 0.999  # Largest part of a direction along one released column: one in twenty of random planes.
    coarser: float = 8.0  # Steps in units of the release's rounding: below, every coarser lattice fits rounded rows.
    finest: float = 1e-12  # Residuals, in steps, below which roundoff decides.
    step_error: float = 1e-12  # Relative error of steps that a path has already found to be certain.


THRESHOLDS = Thresholds()


@dataclass(frozen=True, eq=False)
class Sight:
    """A frame and the rows that it was found on.

    ``spacing``: of the grid on which released coordinates themselves lie. ``explained``: the most that rows may be off
    a grid, as a standard deviation, for no other reason than the release's precision and known noise.
    """

    frame: AxisFrame
    rows: FloatArray
    spacing: float
    explained: float
    _complete: dict[bytes, bool] = field(default_factory=dict, repr=False)

    @cached_property
    def positions(self) -> FloatArray:
        """Positions of the rows along the axes, in steps."""
        return self.frame.positions(self.rows)

    @cached_property
    def reach(self) -> FloatArray:
        """How far from the grid of each axis rows may be that are on it."""
        return reach(self.positions)

    def is_complete(self, sound: BoolArray) -> bool:
        """Whether the sound axes leave nothing over that varies."""
        key = sound.tobytes()
        if key not in self._complete:
            self._complete[key] = bool(sound.any()) and self._spans(self.frame.only(sound))
        return self._complete[key]

    def _spans(self, frame: AxisFrame) -> bool:
        outside = complement(frame.directions)
        return not len(outside) or spans(frame, frame.positions(self.rows), self.rows @ outside.T)


@dataclass(frozen=True)
class ClaimRule:
    """What an axis must satisfy: of those that are sound so far, ``holds`` gives the ones that do.

    ``doubt``: said where one does not; None says nothing. ``overrides``: it is said even where there is a doubt
    already. ``counterexample``: a table of which something false would be claimed otherwise. ``paths``: whose frames.
    """

    holds: Callable[[Sight, BoolArray], BoolArray]
    doubt: Doubt | None
    counterexample: str
    overrides: bool = False
    paths: frozenset[Path] = frozenset(Path)


def _are_on_grid(sight: Sight, sound: BoolArray) -> BoolArray:
    """Beyond chance. Rows that are copies, or only determine the axis, do not count, nor residuals below the rounding.

    Axes that all rows together do not bear out go first, as their errors would make copies of the others' rows.
    """
    near = sound.copy()
    near[sound] = evidence(sight.positions[:, sound], sight.reach[sound]).on_grid
    held = np.zeros_like(sound)
    if near.any():
        frame = sight.frame.only(near)
        finest = THRESHOLDS.finest + 0.5 * sight.spacing / frame.steps
        counts, free = telling_rows(frame, sight.rows)
        held[near] = evidence(sight.positions[:, near], sight.reach[near], counts, free, finest).on_grid
    return held[sound]


def _have_their_steps(sight: Sight, sound: BoolArray) -> BoolArray:
    return has_step(sight.positions[:, sound])


def _are_at_right_angles(sight: Sight, sound: BoolArray) -> BoolArray:
    return are_at_right_angles(sight.frame.only(sound), sight.rows)


def _are_not_the_releases(sight: Sight, sound: BoolArray) -> BoolArray:
    frame = sight.frame.only(sound)
    along = np.abs(frame.directions).max(axis=1) > THRESHOLDS.parallel
    return np.asarray(~(along | (frame.steps < THRESHOLDS.coarser * sight.spacing)))


def _are_certain(sight: Sight, sound: BoolArray) -> BoolArray:
    return (sight.frame.certain & still_certain(sight.frame, sound))[sound]


def _leave_nothing_over(sight: Sight, sound: BoolArray) -> BoolArray:
    return np.full(int(sound.sum()), bool(sound.all()) and sight.is_complete(sound))


def _are_explained(sight: Sight, sound: BoolArray) -> BoolArray:
    complete = bool(sound.all()) and sight.is_complete(sound)
    return is_explained(sight.frame, sight.positions, sight.explained, sound, complete=complete)[sound]


RULES = (
    ClaimRule(_are_on_grid, Doubt.CHANCE, "Three clusters in a plane, nearly at right angles: a lattice has them all."),
    ClaimRule(_have_their_steps, None, "Steps of 2.001, 2.003 and 1.999 with few values, read as steps of 2."),
    ClaimRule(
        _are_at_right_angles,
        None,
        "x2 - x1 is a multiple of 3, and 3 nearly one of two steps of x1: a lattice that is nearly orthogonal.",
        paths=frozenset({Path.PRECISION, Path.DUAL}),
    ),
    ClaimRule(
        _are_not_the_releases,
        Doubt.RELEASE_GRID,
        "Continuous records behind a rotation by halves, rounded to whole numbers: the rounding is a grid.",
        overrides=True,
    ),
    ClaimRule(_are_certain, None, "x1 + x2 is even: axes at 45 degrees with steps of the root of two."),
    ClaimRule(
        _leave_nothing_over,
        Doubt.SOME_DIRECTIONS,
        "x1 + x2 + x3 + x4 is even, under noise: (1, 1, 1, 1)/2 is as good as an axis.",
        overrides=True,
        paths=frozenset({Path.CLIMBING}),
    ),
    ClaimRule(
        _are_explained, Doubt.UNEXPLAINED, "Steps of 0.96 with two or three values, read as steps of 1 under noise."
    ),
)


def judged(sight: Sight) -> AxisFrame:
    """The frame with those axes certain that pass every rule, and the doubt about the others."""
    frame = sight.frame
    sound, doubt = np.ones(len(frame.steps), dtype=np.bool_), frame.doubt
    for rule in RULES:
        if frame.path not in rule.paths or not sound.any():
            continue
        held = rule.holds(sight, sound)
        if not held.all() and rule.doubt is not None and (doubt is None or rule.overrides):
            doubt = rule.doubt
        sound[sound] = held
    return replace(frame, certain=sound, doubt=doubt)


def still_certain(frame: AxisFrame, sound: BoolArray) -> BoolArray:
    """Of the sound axes, those that are certain although others turned out to be no grid's: columns without an axis."""
    if sound.all() or not frame.path.fits_freely:
        return sound
    steps = frame.steps[sound]
    errors = np.full(len(steps), THRESHOLDS.step_error)
    sure = sound.copy()
    sure[sound] = judged_steps(steps, errors, missing=frame.directions.shape[1] - len(steps))[1]
    return sure
