# SPDX-License-Identifier: BSD-3-Clause
"""The paths in turn, from the one that bears most and claims most to the one that needs least."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from isobreach._arrays import FloatArray
from isobreach._progress import Progress
from isobreach.attacks.lattice.claims import Sight, judged
from isobreach.attacks.lattice.climbing import climbed_frame
from isobreach.attacks.lattice.dual import dual_frame
from isobreach.attacks.lattice.frame import AxisFrame, Doubt
from isobreach.attacks.lattice.generators import random_rows, short_differences, spread, wanted
from isobreach.attacks.lattice.inner_products import gram_frame
from isobreach.attacks.lattice.unknown_steps import step_frame
from isobreach.geometry.lattice import OutOfEffortError, ReductionEffort
from isobreach.release import Precision

Attempt = partial[AxisFrame | None]

# Units of whole numbers and decimals.
_UNITS = tuple(10.0**-k for k in range(7))


@dataclass(frozen=True)
class Errors:
    """What errors the search supposes."""

    largest_error: float = 0.25  # Of an inner product, in squared units, beyond which its whole number cannot be told.
    roundoff: float = 64.0  # Times that of a coordinate: fits and long sums have more; set by hand.
    least_difference: float = 0.3  # Of a unit: shorter differences are noise, as no two values are nearer than one.


_ERRORS = Errors()
_SEARCHING = "lattice paths"  # what the search is called while it goes on


@dataclass(frozen=True, eq=False)
class HeldRows:
    """Rows of a release held in memory.

    ``error``: standard deviation of a coordinate's error as the release's own precision has it. ``spacing``: that of
    the grid on which released coordinates themselves lie, 0 where they need all digits of their type. ``explained``:
    the most that rows may be off a grid, as a standard deviation, for no other reason.
    """

    rows: FloatArray
    error: float
    spacing: float
    explained: float

    @classmethod
    def measured(cls, rows: FloatArray, precision: Precision) -> "HeldRows":
        """Error and spacing from the precision read off the release."""
        largest = float(np.abs(rows).max())
        rounding, roundoff = precision.step / np.sqrt(3), 2 * precision.unit * largest
        explained = 2 * rounding + _ERRORS.roundoff * roundoff
        return cls(rows, float(np.hypot(rounding, roundoff)), max(2 * precision.step, 2 * roundoff), explained)


def search(
    release: HeldRows, noise: float | None, random: np.random.Generator, effort: ReductionEffort, progress: Progress
) -> tuple[AxisFrame | None, tuple[Doubt, ...]]:
    """The frame with the most accepted axes that any path finds, and why there is none or not more.

    Each path has half of the effort left, and random numbers of its own: what one does depends on no other.
    """
    best: AxisFrame | None = None
    doubts: list[Doubt | None] = []
    late = None
    paths = _paths(release, noise)
    for done, (path, child) in enumerate(zip(paths, random.spawn(len(paths)), strict=True)):
        progress(_SEARCHING, done, len(paths))
        if not effort.left:
            late = Doubt.UNFINISHED
            break
        try:
            frame = path(child, effort.half())
        except np.linalg.LinAlgError:
            continue  # too degenerate for this path
        except OutOfEffortError:
            late = Doubt.UNFINISHED
            continue
        if frame is None:
            continue
        sight = Sight(frame, release.rows, release.spacing, release.explained + 2 * (noise or 0.0))
        frame = judged(sight)
        doubts.append(frame.doubt)
        if best is None or frame.certain.sum() > best.certain.sum():
            best = frame
        if frame.certain.all() and sight.is_complete(frame.certain):
            break
    progress(_SEARCHING, len(paths), len(paths))
    # The best frame's own doubt, or that of the path that bears most.
    doubt = (best.doubt if best is not None else None) or next(filter(None, doubts), None)
    return best, tuple(part for part in (doubt, late) if part is not None)


def _paths(release: HeldRows, noise: float | None) -> list[Attempt]:
    rows = release.rows
    columns = rows.shape[1]
    error = float(np.hypot(release.error, noise or 0.0))
    middle = np.median(rows, axis=0)
    centre = rows[int(np.einsum("ij,ij->i", rows - middle, rows - middle).argmin())]

    def whole(base: FloatArray, short: bool, random: np.random.Generator, effort: ReductionEffort) -> AxisFrame | None:
        vectors = rows - base
        if short:
            differences = short_differences(vectors, random, _ERRORS.least_difference)
            if len(differences) < wanted(columns):
                return None
            generators = spread(differences, wanted(columns))
        else:
            generators = vectors[random_rows(vectors, wanted(columns), random, _ERRORS.least_difference * _UNITS[-1])]
        lengths = float(np.sqrt(np.einsum("ij,ij->i", generators, generators).mean()))
        units = [unit for unit in _UNITS if 2 * error * lengths <= _ERRORS.largest_error * unit**2]
        return gram_frame(rows, base, units, generators, effort)

    return [
        partial(whole, np.zeros(columns), False),
        partial(whole, centre, False),
        partial(step_frame, rows, error),
        partial(whole, centre, True),
        partial(dual_frame, rows, error),
        *(partial(climbed_frame, rows, unit) for unit in _UNITS[:3]),
    ]
