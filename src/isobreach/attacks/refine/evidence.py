# SPDX-License-Identifier: BSD-3-Clause
r"""What the attacker knows that bears on estimates.

Every field may be missing, and a step that needs a missing one is not taken. *Ranges* are those given; where none is,
those that the attacker's records show. An end of a shown range is believed as it is where two or more records lie on
it, or where the attribute has a grid with fewer values than there are records. Of a continuous attribute a further
record lies outside with probability 2 / (N + 1). Its ends are believed where at most a tenth of all further records lie
outside in any of n attributes, 2 n / (N + 1) <= 0.1, and then moved out by (greatest - least) / (N - 1), by which the
extremes of N uniform values fall short on average. One value that all records share is believed to be the only one by
the same rule: two insiders who spend nothing on travel do not show that nobody does.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach.attacks.knowledge import Knowledge
from isobreach.attacks.refine.grid import ValueGrid, no_grid, shown_grid
from isobreach.attacks.refine.lists import ListPart, shown_lists
from isobreach.attacks.refine.rays import Rays, shown_rays
from isobreach.release import unit_roundoff

_OF_RECORDS = ("population", "occurring", "means", "ranges", "steps", "lists", "rays")  # the same for all rows
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
    lengths
        Length of each row's record as far as a noisy row shows it, where there are no ``norms``: for blind guesses.
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
    grid: ValueGrid | None = None
    epsilon: float = 0.1
    noise: float = 0.0
    norms: FloatArray | None = field(default=None, repr=False)
    visible: FloatArray | None = field(default=None, repr=False)
    centre: FloatArray | None = field(default=None, repr=False)
    residuals: FloatArray | None = field(default=None, repr=False)
    lengths: FloatArray | None = field(default=None, repr=False)

    @classmethod
    def held(cls, knowledge: Knowledge, columns: int, **more: Any) -> "Evidence":
        """Return what the knowledge of an attacker says; records that lack attributes show no grid.

        Parameters
        ----------
        knowledge
            What the attacker holds, checked.
        columns
            Number of attributes.
        more
            Other fields.
        """
        known = knowledge.known
        if known is not None:
            known = known[np.isfinite(np.asarray(known, dtype=np.float64)).all(axis=1)]
        return cls(known, knowledge.sample, knowledge.ranges(columns), **more)

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
        vars(told).update({name: getattr(self, name) for name in _OF_RECORDS})
        return told

    @cached_property
    def occurring(self) -> tuple[FloatArray, FloatArray] | None:
        """Distinct complete records that the attacker holds, and how often each occurs; None where there is none."""
        records = np.empty((0, 0)) if self.population is None else self.population
        records = records[np.isfinite(records).all(axis=1)]
        if not len(records):
            return None
        distinct, counts = np.unique(records, axis=0, return_counts=True)
        return distinct, counts.astype(np.float64)

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
    def steps(self) -> ValueGrid | None:
        """The grid of the attributes, given or shown by records; None where no attribute has one."""
        shown = None if self.population is None else shown_grid(self.population, self._unit)
        columns = next((len(one.step) for one in (self.grid, shown) if one is not None), 0)
        found = (self.grid or no_grid(columns)).or_else(shown or no_grid(columns))
        return found if found.there.any() else None

    @cached_property
    def lists(self) -> tuple[ListPart, ...]:
        """Lists of values, and of combinations of values, that the attacker's records show."""
        return () if self.population is None else shown_lists(self.population, self.steps)

    @cached_property
    def rays(self) -> Rays | None:
        """Whole numbers of which the attacker's records are multiples, where all have one length; None otherwise."""
        if self.occurring is None or self.population is None:
            return None
        complete = self.population[np.isfinite(self.population).all(axis=1)]
        return shown_rays(complete, self._unit, self.bounds)

    @property
    def _unit(self) -> float:
        """Unit roundoff of the type that the records came in."""
        tables = [np.asarray(one) for one in (self.known, self.sample) if one is not None]
        return max([2.0**-53, *(unit_roundoff(one) for one in tables)])


def _shown_range(values: FloatArray, step: float, columns: int) -> tuple[float, float]:
    """Range of one attribute that some of its values show; infinite where it is not believed."""
    values = values[np.isfinite(values)]
    if len(values) < 2:
        return -np.inf, np.inf
    low, high = float(values.min()), float(values.max())
    beyond = (high - low) / (len(values) - 1) if 2 * columns <= _OUTSIDE * (len(values) + 1) else np.inf
    if low == high:
        return low - beyond, high + beyond
    repeated = [int((values == end).sum()) > 1 or (high - low) < step * (len(values) - 1) for end in (low, high)]
    return low if repeated[0] else low - beyond, high if repeated[1] else high + beyond
