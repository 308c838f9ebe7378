# SPDX-License-Identifier: BSD-3-Clause
"""Every check of an argument or a table, each with its one message."""

import math
import operator
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._naming import way
from isobreach._phrases import place
from isobreach.errors import InputError

# Squares of anything outside underflow or overflow in float64, and equal norms would mean nothing.
SMALLEST, LARGEST = 1e-140, 1e140


def check_choice(name: str, value: object, choices: Collection[str]) -> str:
    """Return ``value`` if it is one of ``choices``."""
    if not isinstance(value, str) or value not in choices:
        raise InputError(name, f"must be one of {', '.join(choices)}", repr(value))
    return value


def check_epsilon(value: Any) -> float:
    """Return a relative error bound as a float: finite and > 0."""
    return check_positive("epsilon", value)


def check_tolerance(value: Any) -> float | None:
    """Return the largest error of a released coordinate (finite, >= 0), or None to derive it."""
    if value is None:
        return None
    number = _as_float(value)
    if number is None or not math.isfinite(number) or number < 0:
        raise InputError("tolerance", "must be None or a finite number >= 0", repr(value))
    return number


def check_positive(name: str, value: Any) -> float:
    """Return ``value`` as a float: finite and > 0."""
    number = _as_float(value)
    if number is None or not math.isfinite(number) or number <= 0:
        raise InputError(name, "must be a finite number > 0", repr(value))
    return number


def check_not_negative(name: str, value: Any) -> float:
    """Return ``value`` as a float: finite and >= 0."""
    number = _as_float(value)
    if number is None or not math.isfinite(number) or number < 0:
        raise InputError(name, "must be a finite number >= 0", repr(value))
    return number


def check_probability(name: str, value: Any) -> float:
    """Return ``value`` as a float: above 0, at most 1."""
    number = _as_float(value)
    if number is None or not 0 < number <= 1:
        raise InputError(name, "must be a number above 0 and at most 1", repr(value))
    return number


def check_limit(name: str, value: Any) -> float:
    """Return a limit as a float: > 0, and infinity for none."""
    number = _as_float(value)
    if number is None or not number > 0:
        raise InputError(name, "must be a number > 0", repr(value))
    return number


def check_integer(name: str, value: Any, *, least: int) -> int:
    """Return ``value`` as an int if it is a whole number >= ``least``."""
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if isinstance(value, bool) or not least <= number < 2**63:
        most = " and < 2^63" if number >= 2**63 else ""
        raise InputError(name, f"must be a whole number >= {least}{most}", repr(value)[:40])
    return number


def check_seed(value: Any) -> int | None:
    """Return a seed: None, or a whole number >= 0."""
    return None if value is None else check_integer("seed", value, least=0)


def check_names(name: str, columns: Sequence[str]) -> None:
    """Refuse column names that stand twice."""
    seen: set[str] = set()
    for column in columns:
        if column in seen:
            raise InputError(name, "must have distinct column names", f"{column!r} more than once")
        seen.add(column)


def check_shape(name: str, values: NDArray[Any]) -> None:
    """Refuse what is not a numeric table with at least one row and one column."""
    if values.ndim != 2:
        raise InputError(
            name, "must be a table: two dimensions", f"{values.ndim} dimension{'' if values.ndim == 1 else 's'}"
        )
    if values.dtype.kind not in "fiub":
        raise InputError(name, "must hold real numbers", f"values of type {values.dtype}")
    if values.shape[0] == 0:
        raise InputError(name, "must have at least one row", "0 rows")
    if values.shape[1] == 0:
        raise InputError(name, "must have at least one numeric column", "0 numeric columns")


def check_finite(
    name: str, values: NDArray[Any], columns: Sequence[str] | None = None, *, partial: bool = False
) -> None:
    """Refuse NaN and infinity: say how many and where the first one stands.

    ``partial``: NaN is an attribute that is not known, and allowed unless a record has no other.
    """
    with np.errstate(all="ignore"):
        if values.dtype.kind != "f" or np.isfinite(np.sum(values)):
            return
    bad = np.isinf(values) if partial else ~np.isfinite(values)
    count = int(bad.sum())
    if not count:  # finite entries whose sum overflows, or what is not known
        empty = np.flatnonzero(np.isnan(values).all(axis=1))
        if len(empty):
            got = f"{len(empty)} without; the first in {place(int(empty[0]))}"
            raise InputError(name, "must have a number in every record", got, "Leave empty records out.")
        return
    row, column = (int(i) for i in np.argwhere(bad)[0])
    what = "infinite" if partial else "missing, NaN or infinite"
    raise InputError(
        name,
        "must hold finite numbers, or none where one is not known" if partial else "must be finite everywhere",
        f"{count} {what}; the first in {place(row, column if columns is None else columns[column])}",
        "Drop or fill them: isobreach.prepare(X, missing='drop') or 'mean'." if name == "X" else "",
    )


def check_magnitude(name: str, values: NDArray[Any]) -> None:
    """Refuse sizes whose squares leave the range of float64."""
    if values.dtype.kind != "f" or not values.size:
        return
    largest = max(float(np.nanmax(values)), -float(np.nanmin(values)))
    if largest > LARGEST or 0 < largest < SMALLEST:
        rule = f"must have its largest entry between {SMALLEST:g} and {LARGEST:g} in size"
        raise InputError(name, rule, f"one of the order {largest:.0e}", "Rescale it.")


def check_table(
    name: str, values: NDArray[Any], columns: Sequence[str] | None = None, *, partial: bool = False
) -> None:
    """Every check of a table held in memory; ``partial``: it may hold NaN where an attribute is not known."""
    check_shape(name, values)
    check_finite(name, values, columns, partial=partial)
    check_magnitude(name, values)


def check_widths(known: int, released: int, name: str = "known") -> None:
    """Refuse a release narrower than the records: a motion keeps all dimensions; more columns are padding."""
    if known > released:
        raise InputError(
            name,
            f"must not have more numeric columns than released, {released}",
            f"{known}",
            way(
                "If the table was prepared before its release, add --steps FILE, which lies beside the key. Else "
                "choose columns with --columns and --released-columns.",
                "If the table was prepared before its release, prepare the records alike: table.apply(records). Else "
                "select columns before the call.",
            ),
        )


def check_same_width(records: int, others: int, name: str = "known", table: str = "dictionary") -> None:
    """Refuse a dictionary, or another ``table``, of other columns than the known records, or than those of another."""
    if records != others:
        rule = f"must have as many numeric columns as {name}, {records}"
        step = way("Choose them with --columns.", "Select them before the call.")
        raise InputError(table, rule, f"{others}", step)


def _as_float(value: Any) -> float | None:
    if isinstance(value, bool | str | bytes):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None
