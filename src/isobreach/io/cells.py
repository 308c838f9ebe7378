# SPDX-License-Identifier: BSD-3-Clause
"""Cells of text that hold numbers: what a comma means, what stands for a missing value.

A point is a decimal mark. A comma is one too, where it separates no fields, if some number of the file can be read in
no other way: 0,5 or 12,34 or 1234,567. Numbers such as 1,000 alone may be one or a thousand: they are refused. So are
numbers with thousands separators.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from isobreach._naming import way
from isobreach._phrases import place
from isobreach.errors import InputError

_POINT = r"(?i)^[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf(inity)?)$"
_COMMA = r"(?i)^[+-]?(\d+,\d*|,\d+)(e[+-]?\d+)?$"
_EITHER = r"^[+-]?[1-9]\d{0,2},\d{3}$"  # with a comma: a decimal number, or thousands
_EITHER_POINT = r"^[+-]?[1-9]\d{0,2}\.\d{3}$"  # the same with a point, in a file of decimal commas
_COMMA_AMOUNT = r"^\s*\D{0,4}\d[\d.' ]*,(\d{1,2}|\d{4,})\D{0,4}$"  # with a currency or without
_THOUSANDS = r"^[+-]?[1-9]\d{0,2}((,\d{3})+\.\d*|(,\d{3}){2,}|(\.\d{3})+,\d*|(\.\d{3}){2,})$"
# What stands for a missing value in text files: Arrow's own list, and what statistics programs write.
MISSING = [
    *("", "?", ".", "NA", "N/A", "#N/A", "#N/A N/A", "#NA", "<NA>", "n/a"),
    *("NULL", "null", "None", "NaN", "nan", "-NaN", "-nan"),
]
# In columns of numbers or dates these say the same; a category may well be called so.
MISSING_MARKS = frozenset(mark.lower() for mark in (*MISSING, "-", "--", "–", "—", "..", "n.a.", "missing"))


def without_marks(cells: Any) -> Any:
    """Return a column of text whose marks of missing values are null, with spaces around them or not; others as is."""
    import pyarrow as pa
    from pyarrow import compute as pc

    if not pa.types.is_string(cells.type):
        return cells
    return pc.if_else(pc.is_in(pc.utf8_trim_whitespace(cells), value_set=pa.array(MISSING)), None, cells)


def _plainly() -> str:
    others = way("choose other columns with --columns", "leave the column out")
    return f"Write a decimal point and no thousands separators, or {others}."


def settled(
    columns: dict[str, Any],
    name: str,
    id_column: str | None,
    *,
    commas: bool = True,
    as_written: Callable[[Sequence[str]], Sequence[Any]] | None = None,
) -> dict[str, Any]:
    """Return Arrow columns with numbers in the place of text that holds numbers; others, and ids, as they are.

    Parameters
    ----------
    columns
        By their names.
    name
        What an error calls the table.
    id_column
        Stays as it is.
    commas
        Whether a comma may be a decimal mark.
    as_written
        Gives back the text of columns that were read as numbers; None where they never were text.
    """
    import pyarrow as pa

    read = {label: Cells.of(name, label, cells) for label, cells in columns.items() if label != id_column}
    commas = commas and any(cells is not None and cells.decimal_comma for cells in read.values())
    if commas and as_written is not None:
        floats = [label for label in read if pa.types.is_floating(columns[label].type)]
        for label, cells in zip(floats, as_written(floats) if floats else (), strict=True):
            check_points(name, label, cells)
    return columns | {label: cells.numbers(name, label, commas) for label, cells in read.items() if cells is not None}


class Cells(NamedTuple):
    """A column of numbers that Arrow could not read: text without blanks around it, and which cells are missing."""

    text: Any
    missing: Any

    @classmethod
    def of(cls, name: str, label: str, cells: Any) -> "Cells | None":
        """Return a column of text as cells of numbers; None if it is none of text, or holds text rather than numbers.

        Half of the cells decide: a text column may hold a few numbers, a numeric column a few mistakes.
        """
        import pyarrow as pa
        from pyarrow import compute as pc

        if not (pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type)):
            return None
        text = pc.utf8_trim_whitespace(cells.cast(pa.string()).fill_null(""))
        missing = pc.is_in(pc.utf8_lower(text), value_set=pa.array(sorted(MISSING_MARKS)))
        found = cls(text, missing)
        number = pc.and_not(pc.or_(found.match(_POINT), pc.or_(found.match(_COMMA), found.match(_THOUSANDS))), missing)
        filled, numbers = len(text) - pc.sum(missing).as_py(), pc.sum(number).as_py()
        if 2 * numbers < filled or not filled:
            return None
        if numbers < filled:
            row = pc.index(pc.or_(number, missing), False).as_py()
            raise InputError(name, f"must hold numbers in column {label!r}", f"text in {place(row)}")
        return found

    def match(self, pattern: str) -> Any:
        """Which cells a pattern fits."""
        from pyarrow import compute as pc

        return pc.match_substring_regex(self.text, pattern)

    @property
    def decimal_comma(self) -> bool:
        """Whether the comma of some cell cannot separate thousands."""
        from pyarrow import compute as pc

        return bool(pc.any(pc.and_not(self.match(_COMMA), self.match(_EITHER))).as_py())

    def numbers(self, name: str, label: str, commas: bool) -> Any:
        """Return the cells as numbers. ``commas``: commas are known to be decimal marks."""
        import pyarrow as pa
        from pyarrow import compute as pc

        for pattern, got in ((_THOUSANDS, "thousands separators"), (_COMMA, "commas that may separate thousands")):
            odd = self.match(pattern)
            if pc.any(odd).as_py() and not (commas and pattern == _COMMA):
                row = pc.index(odd, True).as_py()
                rule = f"must hold numbers in column {label!r} whose decimal mark is clear"
                raise InputError(name, rule, f"{got}, the first in {place(row)}", _plainly())
        text = pc.replace_substring(self.text, ",", ".")
        return pa.chunked_array([pc.if_else(self.missing, "nan", text).to_numpy().astype(float)])


def decimal_commas(cells: Any) -> bool:
    """Whether most cells of a column of text are amounts with a decimal comma, in whatever currency."""
    import pyarrow as pa
    from pyarrow import compute as pc

    if not pa.types.is_string(cells.type):
        return False
    matching = pc.sum(pc.match_substring_regex(cells, _COMMA_AMOUNT)).as_py() or 0
    return bool(2 * matching > len(cells) - cells.null_count)


def leading_zeros(cells: Any) -> bool:
    """Whether whole numbers are written as codes are: a digit follows a zero in front."""
    from pyarrow import compute as pc

    return bool(pc.any(pc.match_substring_regex(cells, r"^\s*0[0-9]")).as_py())


def check_points(name: str, label: str, cells: Any) -> None:
    """Refuse points that may separate thousands, in a file of decimal commas."""
    from pyarrow import compute as pc

    text = pc.utf8_trim_whitespace(cells)
    pointed, either = pc.match_substring(text, "."), pc.match_substring_regex(text, _EITHER_POINT)
    if pc.any(either).as_py() and not pc.any(pc.and_not(pointed, either)).as_py():
        rule = f"must hold numbers in column {label!r} whose decimal mark is clear"
        row = pc.index(either, True).as_py()
        got = f"points that may separate thousands beside decimal commas, the first in {place(row)}"
        raise InputError(name, rule, got, _plainly())


def settled_ids(cells: Any) -> Any:
    """Return ids as whole numbers if that loses nothing of how they are written, else as text."""
    import pyarrow as pa

    with suppress(pa.ArrowInvalid):  # some are no whole numbers
        numbers = cells.cast(pa.int64())
        if numbers.cast(pa.string()).equals(cells):
            return numbers
    return cells
