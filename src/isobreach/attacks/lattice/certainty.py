# SPDX-License-Identifier: BSD-3-Clause
r"""Which axes of an orthogonal lattice are attributes' for sure.

The rows of a table generate a lattice L inside the grid of its attributes, the sum of d_j Z over its axes. If L is that
grid, its orthogonal basis is the attributes' (``reduction``). It is not if the table obeys a congruence that ties
attributes: with x1 + x2 even, L has the orthogonal basis (1, 1), (1, -1), at 45 degrees and with steps sqrt(2). Vectors
(a d1, b d2), (a' d1, b' d2) are orthogonal only if a a' d1^2 + b b' d2^2 = 0, so a false axis is *tied* to another one:
their squared steps are in a ratio of small whole numbers. And in a false frame of small index some steps are
irrational multiples of the attributes' own. So an axis is certain if

- its step is natural, 1, 2 or 5 times a power of ten (whole numbers, decimals) or one over a whole number (columns
  scaled to [0, 1]), and it is tied to none whose step is not. Four equal columns of step d look like one of step 2d,
  and a whole-number total of four parts like one of step 1/2: where three or more columns have no axis, only the most
  usual steps, powers of ten, count as natural, and none where a hundred columns might look like one;

or, if there are axes for all columns (else attributes may be multiples of each other, or have sums on a grid without
being on one themselves, and one axis may stand for several),

- it is tied to no other, as in a standardised table;
- or it is tied only to axes of the same step up to small factors, and they are an odd number, which pairs do not leave
  over, or at least ten, for which all attributes of that step would have to be tied in pairs, and their step is not
  the root of 2, or the like, times a number of few digits, as it is if they are.

Whatever the step, it must have no reading in whole numbers of index below 50: two columns of step 5 may be (3, 4),
(-4, 3) times whole numbers, three of step 3 may be (1, 2, 2), (2, 1, -2), (2, -2, 1), four of step 2 the rows of a
Hadamard matrix, and columns without an axis may be the rest of such a frame (three and four times the same attribute).
So there must be fewer of them, or at least ten.

What remains possible is a table whose grid is finer than it looks: every row obeys a congruence of index 16 or more
that makes a power of ten of a finer step, as (0.6, 0.8), (-0.8, 0.6) times whole numbers do, or four equal columns of
halves beside three constants. Such a release is the same, number for number, as that of a table of the coarser grid.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components

from isobreach._arrays import BoolArray, FloatArray

_INDEX = 16  # from which on a false frame remains possible: see above
# Vectors of squared lengths N1, N2, ... in units span a sublattice of index sqrt(N1 N2 ...), so below 16 N1 N2 < 256.
_SQUARE_RATIOS = np.unique([p / q for p in range(1, _INDEX**2) for q in range(1, _INDEX**2) if p * q < _INDEX**2])
_RATIOS = np.unique([p / q for p in range(1, _INDEX) for q in range(1, _INDEX) if p * q < _INDEX])


@dataclass(frozen=True)
class Certainty:
    """Which steps are natural, and which may be those of a turned frame."""

    many: int = 10  # Axes of one step for which all attributes of that step would have to be tied in pairs.
    leading: tuple[float, ...] = (5.0, 2.0, 1.0)  # Digits of decimals in use; the last that fits counts.
    largest_fraction: int = 10_000  # Ranges of columns scaled to [0, 1]; beyond, one over a whole number is any step.
    telling: float = 1e-3  # The chance that any step is taken for one over a whole number.
    telling_if_missing: float = 1e-5  # Less where columns have no axis, as false axes are more usual there.
    largest_error: float = 1e-3  # Relative, of a step: within a larger one any step is natural.
    few_digits: int = 3  # Of a scale that people choose, as 0.37 and 2.54.


_CERTAINTY = Certainty()
# A leading digit, and how many columns make a frame of vectors of that length in whole numbers.
_TURNED = ((5.0, 2), (3.0, 3), (2.0, 4))
_ROOTS = np.array([np.sqrt(p) for p in range(2, _INDEX) if round(np.sqrt(p)) ** 2 != p])


def judged_steps(steps: FloatArray, errors: FloatArray, *, missing: int) -> tuple[FloatArray, BoolArray]:
    """Steps known within relative ``errors``, exact where they are natural, and which axes are attributes' for sure.

    ``missing``: how many released columns there are beyond the axes.
    """
    exact = _natural(steps, errors, _CERTAINTY.telling_if_missing if missing else _CERTAINTY.telling)
    natural = np.isfinite(exact)
    ratios = steps[:, None] / steps
    doubt = errors[:, None] + errors
    tied = _is_one_of(_SQUARE_RATIOS, ratios**2, 2 * doubt) | _are_far_multiples(ratios, doubt)
    np.fill_diagonal(tied, False)
    certain = natural & ~tied[:, ~natural].any(axis=1)
    if missing == 0:
        _, classes = connected_components(_is_one_of(_RATIOS, ratios, doubt), directed=False)
        sizes = np.bincount(classes)[classes]
        outside = (tied & (classes[:, None] != classes)).any(axis=1)
        many = ((sizes >= _CERTAINTY.many) & ~_are_roots(steps, errors)) | ((sizes >= 3) & (sizes % 2 == 1))
        certain |= ~natural & ~outside & (many | ~tied.any(axis=1))
    # Within a large error any step is natural: rows that hardly vary in a direction leave such errors.
    certain &= errors <= _CERTAINTY.largest_error
    certain &= ~_may_be_turned(steps, errors, missing)
    if missing >= 3:
        certain &= are_decimal(np.where(natural, exact, np.nan), (1.0,)) & (missing < 99)
    return np.where(natural, exact, steps), certain


def _may_be_turned(steps: FloatArray, errors: FloatArray, missing: int) -> BoolArray:
    """Whether axes may be those of columns in steps of a power of ten, turned, some of them without an axis."""
    turned = np.zeros(len(steps), dtype=np.bool_)
    for leading, columns in _TURNED:
        nearest = _nearest_decimal(steps, leading)
        near = np.abs(steps / nearest - 1) <= errors
        for step in np.unique(nearest[near]):
            group = near & (nearest == step)
            if columns <= group.sum() + missing and (missing or group.sum() < _CERTAINTY.many):
                turned |= group
    return turned


def _are_far_multiples(ratios: FloatArray, doubt: FloatArray) -> BoolArray:
    """Whether ratios beyond the small ones are multiples of one half: of (d, d), (-t d, t d), however large t is.

    So are the steps of two columns that differ by a coarser grid than their own: a price, and the price and a fee.
    """
    doubled = 2 * np.maximum(ratios, 1 / ratios)
    return np.asarray((doubled >= _INDEX) & (np.abs(doubled - np.rint(doubled)) <= doubt * doubled))


def _are_roots(steps: FloatArray, errors: FloatArray) -> BoolArray:
    """Whether steps are the root of a small whole number, no square, times a number of few digits."""
    numbers = steps[:, None] / _ROOTS
    unit = 10.0 ** (np.floor(np.log10(numbers)) + 1 - _CERTAINTY.few_digits)
    short = np.rint(numbers / unit) * unit
    return np.asarray((np.abs(numbers / short - 1) <= errors[:, None]).any(axis=1))


def _nearest_decimal(steps: FloatArray, leading: float) -> FloatArray:
    """The nearest power of ten times a leading digit."""
    return np.asarray(leading * 10.0 ** np.rint(np.log10(steps / leading)))


def are_decimal(steps: FloatArray, leading: tuple[float, ...] = _CERTAINTY.leading) -> BoolArray:
    """Whether steps are exactly 1, 2 or 5 times a power of ten, as those are that were found to be."""
    nearest = [_nearest_decimal(steps, digit) for digit in leading]
    return np.asarray(np.isclose(steps, nearest, rtol=1e-14, atol=0.0).any(axis=0))


def _natural(steps: FloatArray, errors: FloatArray, most_chance: float) -> FloatArray:
    """The natural step that each step is within its relative error, NaN where there is none."""
    found = np.full(len(steps), np.nan)
    inverse = np.rint(1 / steps)
    telling = (inverse >= 1) & (inverse < _CERTAINTY.largest_fraction) & (errors * inverse < most_chance)
    candidates = [np.where(telling, 1 / np.maximum(inverse, 1), np.nan)]
    candidates += [_nearest_decimal(steps, leading) for leading in _CERTAINTY.leading]
    for candidate in candidates:
        found = np.where(np.abs(steps / candidate - 1) <= errors, candidate, found)
    return found


def _is_one_of(ratios: FloatArray, values: FloatArray, doubt: FloatArray) -> BoolArray:
    """Whether values are among these ratios within relative doubt."""
    place = np.clip(np.searchsorted(ratios, values), 1, len(ratios) - 1)
    nearest = np.minimum(np.abs(values / ratios[place] - 1), np.abs(values / ratios[place - 1] - 1))
    return np.asarray(nearest <= doubt)
