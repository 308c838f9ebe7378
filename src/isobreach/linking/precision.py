# SPDX-License-Identifier: BSD-3-Clause
r"""How far a released row may lie from the motion's exact image of its record.

Linking uses a worst-case bound, the *error radius* r(x) of a record x: its released row is within r(x) of the exact
image. Norms then agree within r(x), the distance of two records within r(x) + r(x'). A true row is never excluded,
so an answer that is unique is right, and a release too coarse for an answer ends in "ambiguous".

    r(x) = sqrt(n) * step + (relative + FACTOR * sqrt(n) * unit) * |x|

``step``: largest absolute error of a coordinate (half a unit of the last decimal). ``relative``: largest relative
error of a coordinate (significant digits). ``unit``: unit roundoff of the arithmetic in which the product was formed.
A dot product of n terms errs by about ``unit * |x|`` a coordinate; FACTOR leaves room for the rotation's own rounding.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach.blocks import Source

FloatArray = NDArray[np.float64]

FACTOR = 8.0
_SAMPLE_ROWS = 2048
_MOST_DECIMALS = 9
_MOST_DIGITS = 9
_DOUBLE = 2.0**-53


@dataclass(frozen=True)
class Precision:
    """Error of the released coordinates, and the sentence that says where it comes from."""

    step: float
    relative: float
    unit: float
    reason: str

    def radius(self, norms: FloatArray, columns: int) -> FloatArray:
        """Error radius of records with the given norms."""
        root = np.sqrt(columns)
        return np.asarray(root * self.step + (self.relative + FACTOR * root * self.unit) * norms)

    def exact(self) -> "Precision":
        """Return the same without rounding: how a table that was never rotated, or only had columns swapped, reads."""
        return Precision(0.0, 0.0, _DOUBLE, "values on a common grid, read as exact")


def given_precision(tolerance: float) -> Precision:
    """Precision from the caller's number: the largest error of a released coordinate."""
    return Precision(tolerance, 0.0, _DOUBLE, f"given: coordinates within {tolerance:g}")


def released_precision(source: Source) -> Precision:
    """Precision read off a sample of the release: its type, else decimals or significant digits in its values."""
    if source.dtype.kind in "iub":
        return Precision(0.5, 0.0, _DOUBLE, "whole numbers")
    rows, columns = source.shape
    precision = _sample_precision(_spread_rows(source, max(2, 128 // columns)), source.dtype)
    if precision.relative == _DOUBLE:  # a few values decide against every grid; only all of them decide for one
        return precision
    return _sample_precision(_spread_rows(source, min(rows, _SAMPLE_ROWS)), source.dtype)


def _spread_rows(source: Source, count: int) -> FloatArray:
    return source.take(np.linspace(0, source.shape[0] - 1, count).astype(np.intp))


def _sample_precision(sample: FloatArray, dtype: np.dtype[Any]) -> Precision:
    values = sample.ravel()
    stored = float(np.finfo(dtype).eps) / 2 if dtype.kind == "f" else _DOUBLE
    values = np.abs(values[np.isfinite(values) & (values != 0)])
    decimals = grid_decimals(values, stored)
    if decimals is not None:
        unit = "whole numbers" if decimals == 0 else f"{decimals} decimal{'s' * (decimals > 1)}"
        return Precision(0.5 * 10.0**-decimals, 0.0, max(stored, _DOUBLE), unit)
    digits = _significant_digits(values, stored)
    if digits is not None:
        return Precision(0.0, 0.5 * 10.0 ** (1 - digits), max(stored, _DOUBLE), f"{digits} significant digits")
    if stored < 2.0**-24 and np.array_equal(values.astype(np.float32), values):
        return Precision(0.0, 2.0**-24, 2.0**-24, "float32 values")
    name = {2.0**-53: "float64", 2.0**-24: "float32", 2.0**-11: "float16"}.get(stored, str(dtype))
    return Precision(0.0, stored, max(stored, _DOUBLE), f"{name} values")


def grid_decimals(values: FloatArray, unit: float = _DOUBLE) -> int | None:
    """Fewest decimals, at most 9, that write every value (all >= 0); None where more are needed."""
    largest = float(values.max(initial=0.0))
    for decimals in range(_MOST_DECIMALS + 1):
        scale = 10.0**decimals
        if largest * scale * unit > 2.0**-7:  # the type cannot tell a multiple of the step from its neighbours
            return None
        scaled = values * scale
        if (np.abs(scaled - np.rint(scaled)) <= 4 * unit * scaled).all():
            return decimals
    return None


def _significant_digits(values: FloatArray, unit: float) -> int | None:
    if not len(values):
        return None
    mantissa = values / 10.0 ** np.floor(np.log10(values))
    for digits in range(3, _MOST_DIGITS + 1):
        scaled = mantissa * 10.0 ** (digits - 1)
        if 10.0**digits * unit > 2.0**-7:
            return None
        if (np.abs(scaled - np.rint(scaled)) <= 16 * unit * scaled).all():
            return digits
    return None
