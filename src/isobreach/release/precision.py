# SPDX-License-Identifier: BSD-3-Clause
r"""How far a released row may lie from the motion's exact image of its record.

Two bounds. The *error radius* r(x) of a record x: its released row is within r(x) of the exact image. Its *length
error* l(x): the row's norm is within l(x) of the exact one, and the distance of two rows within l(x) + l(x'). A true
row is never excluded, so an answer that is unique is right, and a release too coarse for one ends in "ambiguous".

    r(x) = sqrt(n) * step + (relative + (4 + sqrt(n)) * unit + 8 * sqrt(n) * 2^-53) * |x|
    l(x) = sqrt(n) * step + (relative +  4            * unit + 8 * sqrt(n) * 2^-53) * |x|

``step``: largest absolute error of a coordinate (half a unit of the last decimal). ``relative``: largest relative
error of a coordinate (storage, significant digits). ``unit``: unit roundoff of the arithmetic in which the product was
formed. Of a product's error, which points anywhere, a length sees one direction only, so that the number of columns
does not matter to it. For a rotation rounded to single precision, 2 to 384 columns, Gaussian, positive, sparse and
heavy-tailed records, summed by BLAS or one term after the other, lengths erred by at most 2.7 units and rows by at most
0.4 * sqrt(n) + 2: the factors leave room beyond that. The last term is for the arithmetic of this package.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach._phrases import first_few
from isobreach.engine import Engine
from isobreach.release.levels import READING, levels_of
from isobreach.release.steps import DOUBLE, are_whole, grid_decimals


@dataclass(frozen=True)
class Recognising:
    """How the precision of released values is recognised.

    Attributes
    ----------
    factor, own_factor
        Of the unit roundoff: lengths were seen to err by 2.7 units; the second is for this package's own products.
    sample_rows, head_rows, head_values
        Released rows that are looked at; the first of them, and values of each of their columns, that show at once
        that nothing was rounded.
    most_digits
        A float64 holds no more.
    few_bits, half_bits
        Of a mantissa: more than the first are a float64's own; the second is float16.
    undetected
        Fifteen significant digits, as spreadsheets write them, cannot be told from a float64 by looking.
    single_digits
        Digits of a float32 in text; with fewer, the error of the decimals is the larger one.
    enough
        Values of smaller size that show no further decimal, before decimals are believed over significant digits.
    enough_distinct
        Distinct whole numbers whose common divisor is a step: a few share one by chance.
    level_rows
        First rows, in which the levels of 8 bits repeat often enough to be seen.
    level_columns
        Columns of a release whose values are read as levels: fewer may hold a few values of their own.
    chance
        Probability that values look rounded that are not.
    """

    factor: float = 4.0
    own_factor: float = 8.0
    sample_rows: int = 2048
    head_rows: int = 32
    head_values: int = 8
    most_digits: int = 15
    few_bits: int = 40
    half_bits: int = 11
    undetected: float = 5e-15
    single_digits: tuple[int, ...] = (8, 9)
    enough: int = 3
    enough_distinct: int = 8
    level_rows: int = 256
    level_columns: int = 32
    chance: float = 1e-3


_SEEN = Recognising()

_SINGLE = 2.0**-24  # unit roundoff of float32
_NAMES = {DOUBLE: "float64", _SINGLE: "float32", 2.0**-11: "float16", 2.0**-8: "bfloat16"}
_UNDERFLOW = 2.0**-25  # half the smallest number of float16


@dataclass(frozen=True)
class Precision:
    """Error of the released coordinates, and the sentence that says where it comes from.

    ``unrounded``: the precision if nothing was rounded, where some columns lie on a grid and others need all bits; None
    elsewhere. Sums of whole numbers are such a column without any rounding. ``rounding``: standard deviation of a
    coordinate's error where the values themselves show it, and ``gain`` what becomes of lengths (``levels``).
    ``bounded``: whether there is a largest error at all: values beyond the last level may be anywhere.
    """

    step: float
    relative: float
    unit: float
    reason: str
    unrounded: "Precision | None" = None
    rounding: float | None = None
    gain: float = 1.0
    bounded: bool = True

    def radius(self, norms: FloatArray, columns: int) -> FloatArray:
        """Error radius of records with the given norms."""
        return np.asarray(self.length_error(norms, columns) + np.sqrt(columns) * self.unit * norms)

    def length_error(self, norms: FloatArray, columns: int) -> FloatArray:
        """Length error of records with the given norms."""
        root = np.sqrt(columns)
        share = self.relative + _SEEN.factor * self.unit + _SEEN.own_factor * root * DOUBLE
        return np.asarray(root * self.step + share * norms)

    def deviation(self, norm: float, columns: int) -> float:
        """Standard deviation of a released coordinate of a record of this norm, if rounding is taken as noise.

        An error that is uniform within a largest one has that divided by the root of 3.
        """
        if self.rounding is not None:
            return self.rounding
        share = np.hypot(self.relative, self.unit) * norm / np.sqrt(columns)
        return float(np.hypot(self.step, share) / np.sqrt(3))


# Nothing but the rounding of arithmetic: a table that was never rotated, say, or only had columns swapped.
EXACT = Precision(0.0, 0.0, DOUBLE, "values on a common grid, read as exact")


def given_precision(tolerance: float) -> Precision:
    """Precision from the caller's number: the largest error of a released coordinate."""
    return Precision(tolerance, 0.0, DOUBLE, f"given: coordinates within {tolerance:g}")


def released_precision(source: Engine) -> Precision:
    """Precision read off a sample of the release: the type's, that of a grid in the values, or of a few values."""
    by_columns = _by_columns(source)
    rows, columns = source.shape
    if columns < _SEEN.level_columns or levels_of(source.gather(np.arange(min(rows, _SEEN.level_rows)))) is None:
        return by_columns
    levels = levels_of(source.gather(np.linspace(0, rows - 1, min(rows, _SEEN.sample_rows)).astype(np.intp)))
    if levels is None:
        return by_columns
    rounded = replace(by_columns, rounding=levels.deviation, gain=levels.gain, bounded=not levels.cut_off)
    if by_columns.step > _UNDERFLOW:  # decimals, whole numbers: their worst case stands, unless large ones are cut off
        return rounded
    even = bool(levels.step) and levels.count > READING.few
    reason = f"multiples of {levels.step:.4g}" if even else f"{levels.count} different values"
    bounded = even and not levels.cut_off
    return replace(rounded, step=levels.step / 2, reason=reason, unrounded=by_columns, bounded=bounded)


def _by_columns(source: Engine) -> Precision:
    """Precision column by column."""
    rows, columns = source.shape
    unit = max(float(np.finfo(str(source.dtype)).eps) / 2, DOUBLE) if source.dtype.kind == "f" else DOUBLE
    plain = Precision(0.0, max(unit, _SEEN.undetected), unit, f"{_NAMES.get(unit, str(source.dtype))} values")
    # A few values decide against every grid; only all of them decide for one. The first rows are asked first, because
    # rows that lie apart cost a pass over files.
    if unit == DOUBLE and not len(_open_columns(source.gather(np.arange(min(rows, _SEEN.head_rows))))):
        return plain
    head, places = (
        np.linspace(0, rows - 1, min(rows, some)).astype(np.intp) for some in (_SEEN.head_rows, _SEEN.sample_rows)
    )
    sample = np.abs(source.gather(np.concatenate([head, places])))
    open_ = _open_columns(sample[: len(head)]) if unit == DOUBLE else np.arange(columns)
    if not len(open_):
        return plain
    sample = sample[len(head) :]
    told = [_column_precision(sample[:, j], unit) for j in open_ if sample[:, j].any()]
    if not told and len(open_) < columns:
        return plain  # the other columns hold nothing but zeros
    found = told or [Precision(0.5, plain.relative, unit, "whole numbers")]
    # A column of zeros says nothing of its own: it may be as coarse as the others. sqrt(n) * step is the whole row's.
    steps = [one.step for one in told] + [max(one.step for one in found)] * (len(open_) - len(told))
    step = float(np.sqrt(sum(one**2 for one in steps) / columns))
    reasons = _in_words([one.reason for one in found])
    reasons += [plain.reason] * (len(open_) < columns)
    return Precision(
        step,
        max(plain.relative, *(one.relative for one in found)),
        max(unit, *(one.unit for one in found)),
        first_few(reasons, 3),
        plain if len(open_) < columns else None,
    )


def _in_words(reasons: list[str]) -> list[str]:
    """Reasons of all columns, the commonest first. What is one of two readings elsewhere is that one.

    >>> _in_words(["whole numbers", "whole numbers or 2 significant digits", *["3 decimals"] * 3])
    ['3 decimals', 'whole numbers']
    """
    plain = [reason if (first := reason.partition(" or ")[0]) not in reasons else first for reason in reasons]
    return sorted(set(plain), key=lambda reason: (-plain.count(reason), plain.index(reason)))


def _open_columns(rows: FloatArray) -> NDArray[np.intp]:
    """Columns that may lie on a grid, as far as the smallest values of a few rows tell."""
    smallest = np.sort(np.where(rows == 0, np.inf, np.abs(rows)), axis=0)[: _SEEN.head_values]
    return np.flatnonzero(~_needs_all_bits(smallest).any(axis=0))


def _needs_all_bits(values: FloatArray) -> NDArray[np.bool_]:
    """Whether a value needs a float64: no multiple of the finest decimal step that can be seen, nor a few bits."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        decimals = np.floor(np.log10(0.05 / (DOUBLE * values)))
        scaled = values * 10.0 ** np.minimum(decimals, 300)
        uneven = np.isfinite(scaled) & (np.abs(scaled - np.rint(scaled)) > 4 * DOUBLE * scaled)
    return np.asarray(uneven & (_lowest_bit(values) < 2.0 ** (53 - _SEEN.few_bits)))


def _column_precision(values: FloatArray, unit: float) -> Precision:
    """Precision of one column, from the absolute values of a sample."""
    values = values[np.isfinite(values) & (values != 0)]
    reasons = []
    spacing, relative = 0.0, max(unit, _SEEN.undetected)
    decimals = grid_decimals(values, DOUBLE)
    decimals = grid_decimals(values, unit) if decimals is None else decimals
    digits = _significant_digits(values, DOUBLE) or _significant_digits(values, unit)
    if decimals is not None:
        spacing = 10.0**-decimals * _common_divisor(values * 10.0**decimals)
        reasons.append("whole numbers" if decimals == 0 else f"{decimals} decimal{'s' * (decimals > 1)}")
    if digits is not None and (decimals is None or not _decimals_prevail(values, decimals)):
        relative = max(relative, 0.5 * 10.0 ** (1 - digits))
        reasons.append(f"{digits} significant digits")
    bits = _significant_bits(values)
    # Fewer bits than a float64 has, and smaller values finer than the largest: stored in a smaller type.
    if bits <= _SEEN.few_bits and _finer(values, spacing, bits):
        unit = max(unit, 2.0**-bits)
        reasons = [f"{_NAMES.get(unit, f'{bits}-bit')} values"]
    elif digits in _SEEN.single_digits and _is_single_text(values):
        unit = max(unit, _SINGLE)
        reasons.append("float32 values in text")
    relative = max(relative, unit)
    # What underflows in a smaller type is off by half its smallest number.
    underflow = 0.0 if unit == DOUBLE else 2.0**-150 if unit <= _SINGLE else 2.0**-25
    reason = " or ".join(reasons) or f"{_NAMES.get(unit, 'stored')} values"
    return Precision(max(0.5 * spacing, underflow), relative, unit, reason)


def _common_divisor(scaled: FloatArray) -> float:
    """Greatest common divisor of whole numbers: multiples of 0.25 have two decimals and a coarser grid."""
    whole = np.unique(np.rint(scaled[scaled < 2.0**53])).astype(np.int64)
    return float(np.gcd.reduce(whole)) if len(whole) >= _SEEN.enough_distinct else 1.0  # a few share one by chance


def _significant_bits(values: FloatArray) -> int:
    """Fewest bits of a mantissa that hold every value."""
    return 53 - int(np.log2(_lowest_bit(values).min()))


def _finer(values: FloatArray, spacing: float, bits: int) -> bool:
    """Whether larger values lie on coarser grids, as a mantissa of so many bits has it, and not by chance.

    A value of a grid is by chance a multiple of k steps once in k times. Where so many bits are used as float32 has
    that float16 does not, a few values decide: in doubt a released number errs more.
    """
    coarser = 2.0 ** (np.floor(np.log2(np.unique(values))) - bits + 1)
    if bits > _SEEN.half_bits:
        return bool(spacing < coarser[-1] * (1 - 1e-9))
    return bool(np.prod(np.minimum(spacing / coarser, 1.0)) < _SEEN.chance)


def _lowest_bit(values: FloatArray) -> FloatArray:
    """Lowest bit set in the 53-bit mantissa of each value; 0 for what is not finite."""
    mantissa = (np.frexp(np.where(np.isfinite(values), values, 0.0))[0] * 2.0**53).astype(np.int64)
    return (mantissa & -mantissa).astype(np.float64)


def _is_single_text(values: FloatArray) -> bool:
    """Whether values are float32 numbers in their shortest decimal form, which is not a float32 once read back."""
    if not (values < np.finfo(np.float32).max).all():
        return False
    return all(float(str(single)) == value for single, value in zip(values.astype(np.float32), values, strict=True))


def _significant_digits(values: FloatArray, unit: float) -> int | None:
    """Fewest significant digits that write every value; None where the type's own precision is needed."""
    mantissa = values / 10.0 ** np.floor(np.log10(values))
    for digits in range(1, _SEEN.most_digits + 1):
        if 10.0**digits * unit > 0.05:
            return None
        if are_whole(mantissa * 10.0 ** (digits - 1), 4 * unit):
            return digits
    return None


def _decimals_prevail(values: FloatArray, decimals: int) -> bool:
    """Whether a grid of ``decimals`` is the only sensible reading beside one of significant digits.

    With significant digits, smaller values show more decimals than larger ones. So decimals it is when values of the
    largest order need all of them, and either all values are of that order or enough smaller ones need no more.
    """
    order = np.floor(np.log10(values))
    top = values[order == order.max()]
    needed = not are_whole(top * 10.0 ** (decimals - 1), DOUBLE)
    return needed and (len(top) == len(values) or len(values) - len(top) >= _SEEN.enough)
