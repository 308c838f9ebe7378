# SPDX-License-Identifier: BSD-3-Clause
"""The first sheet of an Excel workbook, as an Arrow table."""

from collections.abc import Sequence
from typing import Any

from isobreach.errors import InputError, MissingExtraError
from isobreach.io.content import Content


def read_excel(content: Content, name: str) -> tuple[list[list[Any]], tuple[str, ...]]:
    """Return the rows of the first sheet, without empty ones, and notes; empty cells are None."""
    try:
        import python_calamine as calamine
    except ImportError as error:
        raise MissingExtraError("a table in an Excel file", "python-calamine", "excel") from error
    try:
        # Opened here, so that an error of the operating system is told from a damaged file.
        with content.open() as file:
            book = calamine.CalamineWorkbook.from_filelike(file)
            sheets = book.sheet_names
            rows: list[list[Any]] = book.get_sheet_by_index(0).to_python() if sheets else []
    except calamine.CalamineError:
        raise InputError(name, "must be readable as an Excel workbook", "a damaged file or another format") from None
    cells = [[None if cell == "" else cell for cell in row] for row in rows]
    notes = () if len(sheets) < 2 else (f"read the first of {len(sheets)} sheets, {sheets[0]!r}",)
    return [row for row in cells if any(cell is not None for cell in row)], notes


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
