# SPDX-License-Identifier: BSD-3-Clause
"""A sheet of an Excel workbook, as an Arrow table."""

from collections.abc import Sequence
from typing import Any

from isobreach._naming import way
from isobreach._phrases import count
from isobreach.errors import InputError, MissingExtraError
from isobreach.io.content import Content


def read_excel(content: Content, name: str, sheet: str | None) -> tuple[list[list[Any]], tuple[str, ...]]:
    """Return the rows of a sheet, without empty ones, and notes; empty cells are None.

    Parameters
    ----------
    content, name
        The workbook, and what an error calls it.
    sheet
        The sheet's name, or its place, the first is 1; None for the first.
    """
    try:
        import python_calamine as calamine
    except ImportError as error:
        raise MissingExtraError("a table in an Excel file", "python-calamine", "excel") from error
    try:
        # Opened here, so that an error of the operating system is told from a damaged file.
        with content.open() as file:
            book = calamine.CalamineWorkbook.from_filelike(file)
            sheets = book.sheet_names
            place = _place(sheets, sheet) if sheets else None
            rows: list[list[Any]] = [] if place is None else book.get_sheet_by_index(place).to_python()
    except calamine.CalamineError:
        raise InputError(name, "must be readable as an Excel workbook", "a damaged file or another format") from None
    cells = [[None if cell == "" else cell for cell in row] for row in rows]
    others = ", ".join(map(repr, sheets[1:]))
    first = [
        f"read the first of {len(sheets)} sheets, {name!r}; {way('--sheet names another', 'others')}: {others}"
        for name in sheets[:1]
    ]
    notes = first if sheet is None and others else []
    cells = [row for row in cells if any(cell is not None for cell in row)]
    return cells, (*notes, *_without_values(cells))


def _without_values(cells: list[list[Any]]) -> list[str]:
    """A note on columns that have a name and no value: what formulas give is stored by whatever program ran them."""
    named = [str(name) for name, *below in zip(*cells, strict=False) if name is not None and set(below) == {None}]
    if not named:
        return []
    again = "open the workbook in a spreadsheet program and save it there, which stores what they give"
    return [
        f"{count(len(named), 'column')} ({', '.join(map(repr, named))}) without a stored value. If formulas: {again}"
    ]


def _place(sheets: Sequence[str], sheet: str | None) -> int:
    """Where the sheet is that was asked for: by its name, or by its number if none is called like that."""
    if sheet is None or sheet in sheets:
        return 0 if sheet is None else sheets.index(sheet)
    if sheet.isdecimal() and 1 <= int(sheet) <= len(sheets):
        return int(sheet) - 1
    rule = f"must be a sheet of the workbook, by name or number: {', '.join(map(repr, sheets))}"
    raise InputError("sheet", rule, repr(sheet))


def arrow_column(cells: Sequence[Any]) -> Any:
    """Return cells of one column as an Arrow array: of one type where they have one, else of text."""
    import pyarrow as pa

    kinds = {type(cell) for cell in cells if cell is not None}
    if not kinds:
        return pa.chunked_array([pa.nulls(len(cells))])
    if kinds <= {int, float}:
        whole = all(cell is None or (float(cell).is_integer() and abs(cell) < 2**53) for cell in cells)
        return pa.chunked_array([pa.array(cells, pa.float64())]).cast(pa.int64() if whole else pa.float64())
    if len(kinds) > 1:
        cells = [None if cell is None else _written(cell) for cell in cells]
    return pa.chunked_array([pa.array(cells)])


def _written(cell: Any) -> str:
    """A cell as it reads: whole numbers without a decimal point."""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
