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
_MOST_DECIMALS = _MOST_DIGITS = 15
_DOUBLE, _SINGLE = 2.0**-53, 2.0**-24
# Fifteen significant digits, as spreadsheets write them, cannot be told from a float64 by looking.
_UNDETECTED = 5e-15
# Digits of a float32 in text; with fewer, the error of the decimals is the larger one.
_SINGLE_DIGITS = (8, 9)
# Values of smaller size that show no further decimal, before decimals are believed over significant digits.
_ENOUGH = 3


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


# A table that was never rotated, or only had columns swapped.
EXACT = Precision(0.0, 0.0, _DOUBLE, "values on a common grid, read as exact")


def given_precision(tolerance: float) -> Precision:
    """Precision from the caller's number: the largest error of a released coordinate."""
    return Precision(tolerance, 0.0, _DOUBLE, f"given: coordinates within {tolerance:g}")


def released_precision(source: Source) -> Precision:
    """Precision read off a sample of the release: its type, else decimals or significant digits in its values."""
    if source.dtype.kind in "iub":
        return Precision(0.5, 0.0, _DOUBLE, "whole numbers")
    rows, columns = source.shape
    precision = _sample_precision(_spread_rows(source, max(2, 128 // columns)), source.dtype)
    if precision.reason == "float64 values":  # a few values decide against every grid; only all of them decide for one
        return precision
    return _sample_precision(_spread_rows(source, min(rows, _SAMPLE_ROWS)), source.dtype)


def _spread_rows(source: Source, count: int) -> FloatArray:
    return source.take(np.linspace(0, source.shape[0] - 1, count).astype(np.intp))


def _sample_precision(sample: FloatArray, dtype: np.dtype[Any]) -> Precision:
    values = sample.ravel()
    values = np.abs(values[np.isfinite(values) & (values != 0)])
    unit = max(float(np.finfo(dtype).eps) / 2, _DOUBLE)
    if unit == _DOUBLE and _is_single(values):
        unit = _SINGLE
    if not len(values):
        return Precision(0.5, max(unit, _UNDETECTED), unit, "whole numbers")  # nothing but zeros
    reasons = []
    step, relative = 0.0, max(unit, _UNDETECTED)
    decimals, digits = grid_decimals(values, unit), _significant_digits(values, unit)
    if decimals is not None:
        step = 0.5 * 10.0**-decimals
        reasons.append("whole numbers" if decimals == 0 else f"{decimals} decimal{'s' * (decimals > 1)}")
    if digits is not None and (decimals is None or not _decimals_prevail(values, decimals)):
        relative = max(relative, 0.5 * 10.0 ** (1 - digits))
        reasons.append(f"{digits} significant digits")
    if unit == _DOUBLE and digits in _SINGLE_DIGITS and _is_single_text(values):
        unit, relative = _SINGLE, max(relative, _SINGLE)
        reasons.append("float32 values in text")
    stored = {_DOUBLE: "float64", _SINGLE: "float32"}.get(unit, str(dtype))
    return Precision(step, relative, unit, " or ".join(reasons) or f"{stored} values")


def _is_single(values: FloatArray) -> bool:
    return bool((values < np.finfo(np.float32).max).all()) and np.array_equal(values.astype(np.float32), values)


def _is_single_text(values: FloatArray) -> bool:
    """Whether values are float32 numbers in their shortest decimal form, which is not a float32 once read back."""
    if not (values < np.finfo(np.float32).max).all():
        return False
    return all(float(str(single)) == value for single, value in zip(values.astype(np.float32), values, strict=True))


def grid_decimals(values: FloatArray, unit: float = _DOUBLE) -> int | None:
    """Fewest decimals that write every value (all >= 0); None where the type's own precision is needed."""
    largest = float(values.max(initial=0.0))
    for decimals in range(_MOST_DECIMALS + 1):
        scale = 10.0**decimals
        if largest * scale * unit > 0.05:  # the type hardly tells a multiple of the step from its neighbours
            return None
        if _whole(values * scale, unit):
            return decimals
    return None


def _significant_digits(values: FloatArray, unit: float) -> int | None:
    """Fewest significant digits that write every value; None where the type's own precision is needed."""
    mantissa = values / 10.0 ** np.floor(np.log10(values))
    for digits in range(1, _MOST_DIGITS + 1):
        if 10.0**digits * unit > 0.05:
            return None
        if _whole(mantissa * 10.0 ** (digits - 1), 4 * unit):
            return digits
    return None


def _decimals_prevail(values: FloatArray, decimals: int) -> bool:
    """Whether a grid of ``decimals`` is the only sensible reading beside one of significant digits.

    With significant digits, smaller values show more decimals than larger ones. So decimals it is when values of the
    largest order need all of them, and enough smaller values exist that need no more.
    """
    order = np.floor(np.log10(values))
    top = values[order == order.max()]
    return len(top) == len(values) or (
        len(values) - len(top) >= _ENOUGH and not _whole(top * 10.0 ** (decimals - 1), _DOUBLE)
    )


def _whole(scaled: FloatArray, unit: float) -> bool:
    """Whether values are whole numbers, as far as their type can tell."""
    return bool((np.abs(scaled - np.rint(scaled)) <= 4 * unit * scaled).all())
