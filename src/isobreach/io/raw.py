# SPDX-License-Identifier: BSD-3-Clause
"""Tables as their owners have them: columns of numbers, truths, dates and text, with cells that are missing.

Any frame that narwhals reads, and any file, goes through Arrow into NumPy columns of few kinds. What becomes of them is
decided by ``isobreach.preparation``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from isobreach._phrases import names_like
from isobreach._validation import check_names
from isobreach.errors import InputError
from isobreach.io.files import named, wanted_columns
from isobreach.io.sources import Source, as_table
from isobreach.io.tables import NumericTable, as_ids
from isobreach.io.vectors import chosen, entry_names, matrix

Kind = Literal["number", "truth", "date", "text", "other"]
_DAY = 86_400_000_000  # microseconds


@dataclass(frozen=True, eq=False)
class RawColumn:
    """One column: numbers (NaN where missing), truths as 0 and 1, dates as days since 1970-01-01, or text (None)."""

    name: str
    kind: Kind
    values: NDArray[Any]

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which cells are missing."""
        if self.kind in ("text", "other"):
            return np.array([value is None for value in self.values], dtype=np.bool_)
        return np.isnan(self.values) if self.values.dtype.kind == "f" else np.zeros(len(self.values), dtype=np.bool_)

    def take(self, rows: NDArray[Any]) -> "RawColumn":
        """The same column, with these of its rows alone."""
        return replace(self, values=self.values[rows])


@dataclass(frozen=True, eq=False)
class RawTable:
    """Columns as they came, with the ids of the rows and the kind of container.

    ``commas``: a comma separates the fields of the file, so that it is no decimal mark. ``beside``: columns that were
    left out because they only stand beside vectors.
    """

    columns: tuple[RawColumn, ...]
    rows: int
    ids: NDArray[Any] | None = None
    kind: str = "numpy"
    notes: tuple[str, ...] = ()
    commas: bool = False
    beside: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)


def as_raw(
    given: Any,
    name: str,
    columns: Sequence[str] | None = None,
    id_column: str | None = None,
    *,
    encoding: str | None = None,
) -> RawTable:
    """Return a file, a frame of any kind, an array or a table as raw columns.

    ``columns`` selects and orders; ``id_column`` leaves the columns and becomes the ids; ``encoding`` is that of a text
    file which a path names.
    """
    if isinstance(given, str | Path):
        given = Source(given, name, encoding=encoding)
    elif encoding is not None:
        raise InputError("encoding", f"must be left out where {name} is no path", repr(encoding))
    if isinstance(given, RawTable):
        return _selected(given, name, columns, id_column)
    if isinstance(given, Source):
        stored = given.stored(columns, id_column, raw=True)
        if stored.numbers is not None:  # a .npy file, which has no names
            return _from_table(stored.numbers)
        found = _from_arrow(stored.arrow, name, stored.id_column, required=stored.required)
        return replace(found, notes=stored.notes + found.notes, commas=stored.commas)
    frame = None if isinstance(given, NumericTable | np.ndarray | list | tuple) else _narwhals(given)
    if frame is None:
        return _selected(_from_table(as_table(given, name)), name, columns, id_column)
    return _from_frame(frame, name, columns, id_column)


def without_column(table: RawTable, name: str, column: str) -> tuple[RawTable, RawColumn]:
    """Return a table without one of its columns, and that column."""
    if column not in table.names:
        raise InputError("label", f"must name a column of {name}", repr(column), names_like(column, table.names))
    rest = tuple(one for one in table.columns if one.name != column)
    if not rest:
        raise InputError(name, f"must have a column besides {column!r}", "none")
    return replace(table, columns=rest), next(one for one in table.columns if one.name == column)


def numbers_of(table: RawTable, name: str) -> NumericTable:
    """Return the columns of numbers as a table; the others are left out."""
    numeric = [one for one in table.columns if one.kind in ("number", "truth")]
    if not numeric:
        raise InputError(name, "must have a column of numbers", "none")
    values = np.stack([one.values for one in numeric], axis=1)
    left_out = (*(one.name for one in table.columns if one not in numeric), *table.beside)
    return NumericTable(values, tuple(one.name for one in numeric), table.ids, table.kind, table.notes, left_out)


def frame_of(kind: str, columns: Mapping[str, NDArray[Any]], ids: NDArray[Any] | None = None) -> Any:
    """Return columns of any type as a frame of the given kind; an Arrow table where the kind has no names."""
    if kind == "pandas":
        import pandas as pd

        return pd.DataFrame(dict(columns), index=ids)
    import pyarrow as pa

    table = pa.table({name: pa.array(values) for name, values in columns.items()})
    if kind == "polars":
        import polars as pl

        return pl.from_arrow(table)
    return table


def _narwhals(given: Any) -> Any:
    import narwhals as nw

    try:
        return nw.from_native(given, eager_only=True)
    except TypeError:
        return None


def _from_frame(frame: Any, name: str, columns: Sequence[str] | None, id_column: str | None) -> RawTable:
    """A frame that narwhals knows; the index of a pandas frame as ids, unless it only counts the rows."""
    import pyarrow as pa

    native, kind = frame.to_native(), str(frame.implementation).lower()
    labels = [str(label) for label in frame.columns]
    check_names(name, labels)
    ids = None
    if kind == "pandas":
        index = native.index
        counts = type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1
        ids = None if counts else as_ids(index)
    try:
        arrow = frame.to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        rule = "must have columns of one type each"
        raise InputError(name, rule, "a column of mixed types", "Convert it to text or to numbers.") from None
    arrow = arrow.select(range(len(labels))).rename_columns(labels)
    arrow = arrow.select(wanted_columns(name, labels, columns, id_column))
    found = _from_arrow(arrow, name, id_column, required=named(columns))
    return replace(found, ids=ids if found.ids is None else found.ids, kind={"pyarrow": "arrow"}.get(kind, kind))


def _from_table(table: NumericTable) -> RawTable:
    pairs = zip(table.columns, table.values.T, strict=True)
    columns = tuple(RawColumn(label, "number", values) for label, values in pairs)
    return RawTable(columns, len(table.values), table.ids, table.kind, table.notes)


def _from_arrow(arrow: Any, name: str, id_column: str | None, *, required: bool) -> RawTable:
    labels = arrow.column_names
    check_names(name, labels)
    if not arrow.num_rows or not labels:
        raise InputError(name, "must have at least one row and one column", f"{arrow.num_rows} x {len(labels)}")
    data = chosen(arrow, name, required=required, ids=id_column)
    columns: list[RawColumn] = []
    for label in labels:
        if label in data.vectors:
            rows = matrix(arrow.column(label), name, label)
            entries = zip(entry_names(label, rows.shape[1]), rows.T, strict=True)
            columns += [RawColumn(entry, "number", values) for entry, values in entries]
        elif label in data.kept or label == id_column:
            columns.append(_column(label, arrow.column(label)))
    check_names(name, [column.name for column in columns])
    # What was left out beside them is a step of the preparation, and said there.
    notes = tuple(f"read the vectors in column {label!r}" for label in data.vectors if data.notes)
    table = RawTable(tuple(columns), arrow.num_rows, notes=notes, beside=data.beside)
    return _with_ids(table, name, id_column)


def _column(label: str, cells: Any) -> RawColumn:
    """One Arrow column."""
    import pyarrow as pa
    from pyarrow import compute as pc

    kind = pa.types
    if kind.is_dictionary(cells.type):
        cells = cells.cast(cells.type.value_type)
    arrow = cells.type
    if kind.is_boolean(arrow):
        return RawColumn(label, "truth", _floats(cells.cast(pa.int8())))
    if kind.is_integer(arrow) or kind.is_floating(arrow):
        whole = not cells.null_count
        return RawColumn(label, "number", np.asarray(cells.to_numpy()) if whole else _floats(cells))
    if kind.is_decimal(arrow):
        return RawColumn(label, "number", _floats(cells))
    if kind.is_date(arrow) or kind.is_timestamp(arrow):
        moments = _floats(cells.cast(pa.timestamp("us"), safe=False).cast(pa.int64()))
        return RawColumn(label, "date", moments / _DAY)
    if kind.is_duration(arrow):
        return RawColumn(label, "number", _floats(cells.cast(pa.duration("us"), safe=False).cast(pa.int64())) / _DAY)
    if kind.is_string(arrow) or kind.is_large_string(arrow) or kind.is_string_view(arrow):
        text = pc.utf8_trim_whitespace(cells.cast(pa.large_string()))
        values = [value or None for value in text.to_pylist()]
        return RawColumn(label, "text", np.array(values, dtype=object))
    return RawColumn(label, "text" if kind.is_null(arrow) else "other", np.full(len(cells), None, dtype=object))


def _floats(cells: Any) -> NDArray[np.float64]:
    import pyarrow as pa

    filled = cells.cast(pa.float64(), safe=False).fill_null(float("nan"))
    return np.asarray(filled.to_numpy(), dtype=np.float64)


def _selected(table: RawTable, name: str, columns: Sequence[str] | None, id_column: str | None) -> RawTable:
    wanted = wanted_columns(name, table.names, columns, id_column)
    by_name = {column.name: column for column in table.columns}
    return _with_ids(replace(table, columns=tuple(by_name[label] for label in wanted)), name, id_column)


def _with_ids(table: RawTable, name: str, id_column: str | None) -> RawTable:
    if id_column is None:
        return table
    chosen = next(column for column in table.columns if column.name == id_column)
    missing = int(chosen.missing.sum())
    if missing:
        raise InputError(name, f"must have an id in every row of {id_column!r}", f"{missing} missing")
    rest = tuple(column for column in table.columns if column.name != id_column)
    if not rest:
        raise InputError(name, "must have a column besides its ids", repr(id_column))
    return replace(table, columns=rest, ids=as_ids(chosen.values.tolist()))
