# SPDX-License-Identifier: BSD-3-Clause
"""Ranges of attributes: a file with a line for each, or one range for all as text."""

import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from isobreach._phrases import count, names_like
from isobreach.errors import InputError
from isobreach.io.content import Content, readable
from isobreach.io.delimited import Written, read_csv, read_layout
from isobreach.io.files import check_regular
from isobreach.io.tables import default_columns

_ENDS = {"least": -np.inf, "greatest": np.inf}
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_SHORT = re.compile(rf"({_NUMBER})?:({_NUMBER})?")


class Ranges(NamedTuple):
    """Least and greatest values, n x 2, infinite where there is none; names of the attributes, if the file has them."""

    names: tuple[str, ...] | None
    values: NDArray[np.float64]


def read_ranges(given: str, name: str) -> Ranges | tuple[float, float]:
    """Return one range for all, ``0:15``, ``0:`` or ``:100``, or the ranges in a file.

    >>> read_ranges("0:15", "bounds"), read_ranges(":100", "bounds")
    ((0.0, 15.0), (-inf, 100.0))
    """
    short = _SHORT.fullmatch(given.strip())
    if short is None or Path(given).exists():
        return _from_file(Path(given), name)
    least, greatest = (
        end if text is None else float(text) for text, end in zip(short.groups(), _ENDS.values(), strict=True)
    )
    if not least <= greatest or short.groups() == (None, None):
        raise InputError(name, "must have a least value, a greatest not below it, or both", given)
    return least, greatest


def bounded_attributes(
    ranges: Ranges | tuple[float, float] | None, columns: tuple[str, ...] | None, released: int
) -> tuple[tuple[str, ...], NDArray[np.float64] | None]:
    """Return names of the attributes, and their bounds in that order.

    Parameters
    ----------
    ranges
        What ``read_ranges`` gave, if anything.
    columns
        Those of the attacker's tables, if there are any.
    released
        How many columns the release has.
    """
    names = default_columns(released) if columns is None else columns
    if ranges is None:
        return names, None
    if not isinstance(ranges, Ranges):
        return names, np.tile(ranges, (len(names), 1))
    lines, told = len(ranges.values), ranges.names
    unnamed = names == default_columns(len(names))  # as tables are that have no names
    if columns is not None and told is not None and (not unnamed or set(told) <= set(names)):
        return names, _by_name(told, ranges.values, names)
    if lines > len(names) or (lines < len(names) and (columns is not None or told is None)):
        what = count(released, "released column") if columns is None else f"{count(len(names), 'column')} of known"
        rule = f"must have a line for each attribute, {what}"
        raise InputError("bounds", rule, count(lines, "line"), "Name them in 'attribute'.")
    # Attributes that no line names have no bounds.
    values = np.tile([-np.inf, np.inf], (len(names), 1))
    values[:lines] = ranges.values
    if told is None:
        return names, values
    others = (f"other_{number + 1}" for number in range(len(names) - lines))
    return (*told, *others), values


def _by_name(told: tuple[str, ...], given: NDArray[np.float64], names: tuple[str, ...]) -> NDArray[np.float64]:
    values = np.tile([-np.inf, np.inf], (len(names), 1))
    for name, range_ in zip(told, given, strict=True):
        if name not in names:
            rule = "must name attributes that are columns of the other tables"
            raise InputError("bounds", rule, repr(name), names_like(name, names))
        values[names.index(name)] = range_
    return values


def _from_file(path: Path, name: str) -> Ranges:
    if not path.exists():
        raise InputError(name, "must be an existing file, or one range such as 0:15, 0: or :100", str(path))
    with readable(path, name):
        check_regular(path, name)
        match path.suffix.lower():
            case ".csv":
                table = _csv(path, name)
            case ".parquet":
                table = _parquet(path, name)
            case _:
                raise InputError(name, "must be a .csv or .parquet file, or one range such as 0:15", str(path))
    if not table.num_rows:
        raise InputError(name, "must have a line for each attribute", "0 lines")
    names = _names(table.column("attribute"), name) if "attribute" in table.column_names else None
    ends = [_numbers(table, label, end, name) for label, end in _ENDS.items()]
    values = np.stack(ends, axis=1)
    wrong = np.flatnonzero(~(values[:, 0] <= values[:, 1]))
    if len(wrong):
        raise InputError(name, "must have no least value above the greatest", f"one in line {wrong[0] + 1}")
    return Ranges(names, values)


def _wanted(available: Any, name: str) -> tuple[str, ...]:
    wanted = tuple(label for label in ("attribute", *_ENDS) if label in available)
    if not set(wanted) & set(_ENDS):
        raise InputError(name, "must have columns least and greatest, and attribute for names", ", ".join(available))
    return wanted


def _csv(path: Path, name: str) -> Any:
    written = Written(Content(path, ".csv"), name)
    layout = read_layout(written)
    wanted = _wanted(layout.names, name)
    return read_csv(written, layout, wanted, "attribute" if "attribute" in wanted else None)


def _parquet(path: Path, name: str) -> Any:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(path)
        return file.read(columns=list(_wanted(file.schema_arrow.names, name)))
    except pa.ArrowException:
        raise InputError(name, "must be readable as Parquet", "a damaged file or another format") from None


def _names(column: Any, name: str) -> tuple[str, ...]:
    names = tuple("" if cell is None else str(cell).strip() for cell in column.to_pylist())
    if "" in names:
        raise InputError(name, "must name the attribute in every line", f"none in line {names.index('') + 1}")
    twice = next((label for place, label in enumerate(names) if label in names[:place]), None)
    if twice is not None:
        raise InputError(name, "must name every attribute once", f"{twice!r} more than once")
    return names


def _numbers(table: Any, label: str, missing: float, name: str) -> NDArray[np.float64]:
    if label not in table.column_names:
        return np.full(table.num_rows, missing)
    cells = table.column(label).to_pylist()
    if any(isinstance(cell, str) for cell in cells):
        raise InputError(name, f"must hold numbers in column {label!r}, or nothing", "text")
    values = np.array([np.nan if cell is None else float(cell) for cell in cells])
    return np.where(np.isnan(values), missing, values)
