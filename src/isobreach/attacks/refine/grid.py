# SPDX-License-Identifier: BSD-3-Clause
r"""The grid that an attribute's values lie on, as far as some of them show it.

Values v_1 < ... < v_D (distinct ones) lie on the grid v_1 + step * Z if every difference is a multiple of the step. The
largest such step is the greatest common divisor of the differences, found by Euclid's algorithm on numbers that are
exact up to rounding. Two questions decide whether it is believed.

*Is there a grid at all?* Values of a continuous attribute in [v_1, v_D], each known up to t, lie on one of L steps or
fewer by chance with a probability of at most L (2 L t / (v_D - v_1))^(D - 2), which must be below 1e-3. Two distinct
values always lie on a grid; they show one if both repeat, which values of a continuous attribute do not.

*Is the step too wide?* A few values share a divisor by chance. D values in general position have one of their own with
probability 1 - 1/zeta(D - 1), 8% for five. So the step is believed from five distinct values on, or where every value
repeats: by Good and Turing, values that are still unseen are then rare. Otherwise the decimals of the values are the
grid, if they have few.

*Has an attribute the grid of the others?* Of few records all may have the same value of an attribute, or odd ones only.
Where at least half of the attributes show one and the same grid, an attribute whose values lie on it and that shows no
grid has it too: values of a continuous attribute do not lie there. So has one that shows a step k times as wide, unless
that is too improbable by chance: N values out of L in their range, each as likely as any other, all lie among the
M = (L - 1) / k + 1 of one of the k wider grids with a probability of k (M / L)^N, for each of n attributes.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isobreach._arrays import FloatArray
from isobreach.release import common_step, decimal_step


@dataclass(frozen=True)
class GridTest:
    """When a grid is believed.

    Attributes
    ----------
    chance
        Largest probability that values of a continuous attribute lie on such a grid.
    distinct
        Distinct values from which on their common divisor is the step, whether they repeat or not.
    roundings
        Error of a value, in roundings of the largest one: scaling and centring a table take a few operations.
    """

    chance: float = 1e-3
    distinct: int = 5
    roundings: float = 16.0


_TEST = GridTest()


@dataclass(frozen=True, eq=False)
class ValueGrid:
    """Values that attributes can have: offset + step * Z; NaN where an attribute has no grid.

    Attributes
    ----------
    step, offset
        One number for each attribute.
    """

    step: FloatArray
    offset: FloatArray

    @property
    def there(self) -> NDArray[np.bool_]:
        """Which attributes have a grid."""
        return np.isfinite(self.step) & np.isfinite(self.offset)

    def or_else(self, other: "ValueGrid") -> "ValueGrid":
        """Return this grid, and the other one where an attribute has none.

        Parameters
        ----------
        other
            Grid of the same attributes.
        """
        return ValueGrid(np.where(self.there, self.step, other.step), np.where(self.there, self.offset, other.offset))

    def shared(self, records: FloatArray, unit: float) -> "ValueGrid":
        """Return the same, but the grid that at least half of the attributes share where others may have it too.

        Parameters
        ----------
        records
            Records, N x n; NaN where a value is not known.
        unit
            Unit roundoff of the type that they came in.
        """
        there = np.flatnonzero(self.there)
        if not len(there):
            return self
        error = _TEST.roundings * unit * float(np.nanmax(np.abs(records)))
        model = there[np.argsort(self.step[there])[(len(there) - 1) // 2]]  # of which most have the step, if any has
        step, offset = float(self.step[model]), float(self.offset[model])
        same = [
            j for j in there if abs(self.step[j] - step) <= error and _off_grid(self.offset[j], step, offset) <= error
        ]
        if 2 * len(same) < len(self.step):
            return self
        steps, offsets = self.step.copy(), self.offset.copy()
        for j in np.setdiff1d(np.arange(len(steps)), same):
            values = records[np.isfinite(records[:, j]), j]
            if not len(values) or _off_grid(values, step, offset) > error:
                continue
            times = 1.0 if np.isnan(steps[j]) else max(steps[j] / step, 1.0)
            levels = float(np.ptp(values)) / step + 1
            among = ((levels - 1) / times + 1) / levels
            if len(steps) * times * among ** len(values) >= _TEST.chance:
                steps[j], offsets[j] = step, offset
        return ValueGrid(steps, offsets)

    def rounded(self, values: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return values rounded to the nearest point of the grid within the ranges; others are only clipped.

        A value within half a step of a true one on the grid becomes exact.

        Parameters
        ----------
        values
            Estimates, m x n.
        low, high
            Ranges of the attributes, infinite where there is none.
        """
        there = self.there
        step, offset = np.where(there, self.step, 1.0), np.where(there, self.offset, 0.0)
        # The outermost points of the grid within the range; a range that holds none is no range of this grid.
        least, most = np.ceil((low - offset) / step - 1e-9), np.floor((high - offset) / step + 1e-9)
        empty = least > most
        least, most = np.where(empty, -np.inf, least), np.where(empty, np.inf, most)
        nearest = np.clip(np.rint((values - offset) / step), least, most) * step + offset
        return np.where(there, nearest, np.clip(values, low, high))


def no_grid(columns: int) -> ValueGrid:
    """Return what is known of the grid of attributes that show none.

    Parameters
    ----------
    columns
        Number of attributes.
    """
    return ValueGrid(np.full(columns, np.nan), np.full(columns, np.nan))


def _off_grid(values: ArrayLike, step: float, offset: float) -> float:
    """Greatest distance of values from a grid."""
    beyond = np.asarray(values, dtype=np.float64) - offset
    return float(np.abs(beyond - step * np.rint(beyond / step)).max())


def shown_grid(records: FloatArray, unit: float = 2.0**-53) -> ValueGrid:
    """Return the grid that the values of some records show, attribute by attribute.

    Parameters
    ----------
    records
        Records, N x n; NaN where a value is not known.
    unit
        Unit roundoff of the type that they came in.
    """
    found = [_attribute_grid(column[np.isfinite(column)], unit) for column in np.asarray(records, dtype=np.float64).T]
    shown = ValueGrid(np.array([step for step, _ in found]), np.array([offset for _, offset in found]))
    return shown.shared(records, unit)


def _attribute_grid(values: FloatArray, unit: float) -> tuple[float, float]:
    """Step and offset of one attribute's grid; NaN where it shows none."""
    if not len(values):
        return np.nan, np.nan
    error = _TEST.roundings * unit * float(np.abs(values).max())
    values = np.sort(values)
    starts = np.flatnonzero(np.concatenate([[True], np.diff(values) > 2 * error]))
    distinct, counts = values[starts], np.diff(np.append(starts, len(values)))
    differences, repeated = distinct[1:] - distinct[0], bool((counts > 1).all())
    if repeated or len(distinct) >= _TEST.distinct:
        step = float(differences[0]) if repeated and len(distinct) == 2 else common_step(differences, error)
        if step:
            return step, float(distinct[0])
    decimal = decimal_step(values) if unit <= 2.0**-53 and len(distinct) > 1 else 0.0
    # Steps near the roundoff fit any number: all values must be nearer to multiples than chance would bring them.
    believed = decimal > 0 and min(2 * error / decimal, 1.0) ** len(distinct) < _TEST.chance
    return (decimal, 0.0) if believed else (np.nan, np.nan)
