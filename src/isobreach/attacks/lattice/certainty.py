# SPDX-License-Identifier: BSD-3-Clause
r"""Which axes of an orthogonal lattice are attributes' for sure.

The rows of a table generate a lattice L inside the grid of its attributes, the sum of d_j Z over its axes. If L is that
grid, its orthogonal basis is the attributes' (``reduction``). It is not if the table obeys a congruence that ties
attributes: with x1 + x2 even, L has the orthogonal basis (1, 1), (1, -1), at 45 degrees and with steps sqrt(2). Vectors
(a d1, b d2), (a' d1, b' d2) are orthogonal only if a a' d1^2 + b b' d2^2 = 0, so a false frame needs squared steps in a
ratio of small whole numbers, and the smallest one, the pair above, turns natural steps into unnatural ones. An axis is
certain if

- its step is natural: a power of ten (whole numbers, decimals), or one over a whole number (columns scaled to [0, 1]);

or if there are axes for all columns (else attributes may be multiples of each other, or have sums on a grid without
being on one themselves, and an axis may stand for several) and

- no axis without a natural step has a squared step in such a ratio to its own, as in a standardised table;
- or its step is shared, up to small factors, by an odd number of axes, which pairs do not leave over, or by at least
  ten, for which all attributes of that step would have to be tied in pairs.

What remains possible is a congruence of index 16 or more that holds for every row of the table and ties attributes
into a false frame with natural steps, such as (6, 8), (-8, 6). The Gram path excludes these too (``tight``).
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

_INDEX = 16
# Vectors of squared lengths N1, N2, ... in units span a sublattice of index sqrt(N1 N2 ...), so below 16 N1 N2 < 256.
_SQUARE_RATIOS = np.unique([p / q for p in range(1, _INDEX**2) for q in range(1, _INDEX**2) if p * q < _INDEX**2])
_RATIOS = np.unique([p / q for p in range(1, _INDEX) for q in range(1, _INDEX) if p * q < _INDEX])
_MANY = 10
_LARGEST_FRACTION = 10_000
_TELLING = 1e-3


def judged_steps(steps: FloatArray, errors: FloatArray, *, complete: bool) -> tuple[FloatArray, BoolArray]:
    """Steps known within relative ``errors``, exact where they are natural, and which axes are attributes' for sure.

    ``complete``: whether there is one axis for each released column.
    """
    natural = _natural(steps, errors)
    certain = np.isfinite(natural)
    exact = np.where(certain, natural, steps)
    if complete:
        others = np.flatnonzero(~certain)
        ratios = steps[others][:, None] / steps[others]
        doubt = errors[others][:, None] + errors[others]
        _, classes = connected_components(_is_one_of(_RATIOS, ratios, doubt), directed=False)
        sizes = np.bincount(classes, minlength=1)[classes]
        tied = _is_one_of(_SQUARE_RATIOS, ratios**2, 2 * doubt).sum(axis=1) > 1  # an axis is tied to itself
        certain[others] = ~tied | (sizes >= _MANY) | ((sizes >= 3) & (sizes % 2 == 1))
    return exact, certain


def _natural(steps: FloatArray, errors: FloatArray) -> FloatArray:
    """The power of ten or one over a whole number that a step is within its relative error, NaN where it is neither."""
    power = 10.0 ** np.rint(np.log10(steps))
    inverse = np.rint(1 / steps)
    fraction = 1 / np.maximum(inverse, 1)
    telling = (inverse >= 1) & (inverse < _LARGEST_FRACTION) & (errors * inverse < _TELLING)
    is_power = np.abs(steps / power - 1) <= errors
    is_fraction = telling & (np.abs(steps / fraction - 1) <= errors)
    return np.where(is_power, power, np.where(is_fraction, fraction, np.nan))


def _is_one_of(ratios: FloatArray, values: FloatArray, doubt: FloatArray) -> BoolArray:
    """Whether values are among these ratios within relative doubt."""
    place = np.clip(np.searchsorted(ratios, values), 1, len(ratios) - 1)
    nearest = np.minimum(np.abs(values / ratios[place] - 1), np.abs(values / ratios[place - 1] - 1))
    return np.asarray(nearest <= doubt)
