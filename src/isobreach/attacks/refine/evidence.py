# SPDX-License-Identifier: BSD-3-Clause
r"""What the attacker knows that bears on estimates.

Every field may be missing, and a step that needs a missing one is not taken. *Ranges* are those given; where none is,
those that the attacker's records show. An end of a shown range is believed as it is where two or more records lie on
it, or where the attribute has a grid with fewer values than there are records. Of a continuous attribute a further
record lies outside with probability 2 / (N + 1). Its ends are believed where at most a tenth of all further records lie
outside in any of n attributes, 2 n / (N + 1) <= 0.1, and then moved out by (greatest - least) / (N - 1), by which the
extremes of N uniform values fall short on average.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach.attacks.refine.grid import Grid, no_grid, shown_grid
from isobreach.release import unit_roundoff

FloatArray = NDArray[np.float64]

_OUTSIDE = 0.1  # share of records that may lie outside of ranges that a sample shows: clipping gains more than that


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the attacker knows that bears on estimates of m released rows' records; nothing by default.

    Attributes
    ----------
    known
        Records that are in the release, linked or not; NaN where a value is not known.
    sample
        Records of the same population: a public sample.
    bounds
        Least and greatest value of each attribute, n x 2; infinite where there is none.
    grid
        The grid of the attributes, where something else than the records shows it; NaN where it does not.
    epsilon
        Relative error that counts as a breach.
    noise
        Standard deviation of the error of a visible coordinate.
    norms
        True length of each row's record, where the motion keeps it: m numbers; None behind a translation.
    visible
        Orthonormal basis, n x k, of the directions in which raw estimates are right; None where there is no such part.
    centre
        A point that raw estimates have right, where the motion has a translation: visible parts are taken from it.
    residuals
        Length of the hidden part of each row's record: m numbers.
    """

    known: NDArray[Any] | None = field(default=None, repr=False)
    sample: NDArray[Any] | None = field(default=None, repr=False)
    bounds: FloatArray | None = None
    grid: Grid | None = None
    epsilon: float = 0.1
    noise: float = 0.0
    norms: FloatArray | None = field(default=None, repr=False)
    visible: FloatArray | None = field(default=None, repr=False)
    centre: FloatArray | None = field(default=None, repr=False)
    residuals: FloatArray | None = field(default=None, repr=False)

    @cached_property
    def population(self) -> FloatArray | None:
        """All records that the attacker holds, N x n; None where there is none."""
        held = [np.asarray(one, dtype=np.float64) for one in (self.known, self.sample) if one is not None and len(one)]
        return np.concatenate(held) if held else None

    def about(self, **rows: Any) -> "Evidence":
        """Return the same with what is known of some released rows; what records show stays as it is.

        Parameters
        ----------
        rows
            ``norms``, ``visible``, ``centre`` and ``residuals``.
        """
        told = replace(self, **rows)
        vars(told).update({name: getattr(self, name) for name in ("population", "means", "ranges", "steps")})
        return told

    @cached_property
    def means(self) -> FloatArray | None:
        """Mean of each attribute among the attacker's records; None where there is none."""
        records = self.population
        if records is None or not np.isfinite(records).any(axis=0).all():
            return None
        return np.asarray(np.nanmean(records, axis=0))

    @cached_property
    def ranges(self) -> tuple[FloatArray, FloatArray] | None:
        """Least and greatest value of each attribute: given, or else shown; None where nothing bounds any."""
        records, grid = self.population, self.steps
        shown = None
        if records is not None:
            step = np.full(records.shape[1], np.nan) if grid is None else grid.step
            shown = np.array(
                [_shown_range(values, one, len(step)) for values, one in zip(records.T, step, strict=True)]
            )
        if self.bounds is None:
            return None if shown is None else (shown[:, 0], shown[:, 1])
        bounds = np.asarray(self.bounds, dtype=np.float64)
        both = bounds if shown is None else np.where(np.isfinite(bounds), bounds, shown)
        return both[:, 0], both[:, 1]

    @cached_property
    def steps(self) -> Grid | None:
        """The grid of the attributes, given or shown by records; None where no attribute has one."""
        tables = [one for one in (self.known, self.sample) if one is not None]
        unit = max([2.0**-53, *(unit_roundoff(np.asarray(one)) for one in tables)])
        shown = None if self.population is None else shown_grid(self.population, unit)
        columns = next((len(one.step) for one in (self.grid, shown) if one is not None), 0)
        found = (self.grid or no_grid(columns)).or_else(shown or no_grid(columns))
        return found if found.there.any() else None


def _shown_range(values: FloatArray, step: float, columns: int) -> tuple[float, float]:
    """Range of one attribute that some of its values show; infinite where it is not believed."""
    values = values[np.isfinite(values)]
    if len(values) < 2:
        return -np.inf, np.inf
    low, high = float(values.min()), float(values.max())
    repeated = [int((values == end).sum()) > 1 or (high - low) < step * (len(values) - 1) for end in (low, high)]
    beyond = (high - low) / (len(values) - 1) if 2 * columns <= _OUTSIDE * (len(values) + 1) else np.inf
    return low if repeated[0] else low - beyond, high if repeated[1] else high + beyond
