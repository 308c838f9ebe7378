# SPDX-License-Identifier: BSD-3-Clause
"""Steps of the grids that numbers lie on: decimals, and common divisors such as 0.5 or 1/3."""

from dataclasses import dataclass

import numpy as np

from isobreach._arrays import FloatArray

DOUBLE = 2.0**-53  # unit roundoff of float64


@dataclass(frozen=True)
class StepTest:
    """When numbers are taken for multiples of a step.

    Attributes
    ----------
    most_decimals
        A float64 holds no more.
    roundings
        Error of a number, in roundings of the largest one: scaling and centring a table take a few operations.
    most_levels
        Multiples up to the largest number: finer steps fit anything.
    chance
        Largest probability that numbers which lie on no grid fit one.
    """

    most_decimals: int = 15
    roundings: float = 16.0
    most_levels: float = 1e9
    chance: float = 1e-3


STEPS = StepTest()


def grid_decimals(values: FloatArray, unit: float = DOUBLE) -> int | None:
    """Fewest decimals that write every value (all >= 0); None where the type's own precision is needed.

    A value too large for its type to tell a multiple of the step from its neighbours has no say, nor has 0.
    """
    values = values[values != 0] if values.any() else np.ones(1)
    for decimals in range(STEPS.most_decimals + 1):
        scaled = values * 10.0**decimals
        scaled = scaled[scaled * unit <= 0.05]
        if not len(scaled):
            return None
        if are_whole(scaled, unit):
            # Near the end of the type's digits a few values pass by chance.
            chance = np.prod(np.minimum(8 * unit * np.unique(scaled), 1.0))
            return decimals if chance < STEPS.chance else None
    return None


def are_whole(scaled: FloatArray, unit: float) -> bool:
    """Whether values are whole numbers, as far as their type can tell."""
    return bool((np.abs(scaled - np.rint(scaled)) <= 4 * unit * scaled).all())


def decimal_step(records: FloatArray) -> float:
    """Last decimal of records, 0 where the type's own precision is needed."""
    decimals = grid_decimals(np.abs(records).ravel())
    return 0.0 if decimals is None else 10.0**-decimals


def grid_spacing(records: FloatArray) -> float:
    """Step of the grid that records lie on, 0 where they lie on none.

    A few records may share a divisor by chance: whoever asks must be on the safe side where the step is too large.

    >>> grid_spacing(np.array([1.5, 3.0, 0.5])), grid_spacing(np.array([1.5, 0.25, 0.1]))
    (0.5, 0.05)
    >>> round(grid_spacing(np.arange(1, 9) / 3), 12)
    0.333333333333
    """
    step, lengths = decimal_step(records), np.unique(np.abs(records[records != 0]))
    if step:
        whole = np.rint(lengths[lengths / step < 2.0**53] / step).astype(np.int64)
        return step * max(float(np.gcd.reduce(whole)), 1.0)
    return common_step(lengths, STEPS.roundings * DOUBLE * float(lengths.max(initial=0.0)))


def offset_spacing(values: FloatArray) -> float:
    """Step of the grid, with whatever offset, that values lie on; 0 where they lie on none.

    >>> round(offset_spacing(np.array([0.3, 2.3, 1.3, 5.3])), 12)
    1.0
    """
    distinct = np.unique(values)
    error = STEPS.roundings * DOUBLE * float(np.abs(distinct).max(initial=0.0))
    return max(grid_spacing(values), common_step(distinct[1:] - distinct[:1], error))


def common_step(numbers: FloatArray, error: float) -> float:
    """Greatest common divisor of positive numbers, ascending, that err by ``error``; 0 where chance would leave one."""
    if not len(numbers):
        return 0.0
    length = float(numbers[-1])
    step = length
    for number in numbers[:-1].tolist():
        a, b = step, number
        while b > 4 * error * max(1.0, length / step):  # a remainder that rounding alone may leave
            a, b = b, abs(a - b * round(a / b))
        step = a
        if step * STEPS.most_levels < length:
            return 0.0
    multiples = np.rint(numbers / step)
    step = float(multiples @ numbers / (multiples @ multiples))
    levels, misfit = length / step, float(np.abs(numbers - multiples * step).max())
    allowed = 4 * error * max(1.0, np.sqrt(levels))
    by_chance = levels * (2 * levels * allowed / length) ** (len(numbers) - 1)
    return step if misfit <= allowed and by_chance < STEPS.chance else 0.0
