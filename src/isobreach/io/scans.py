# SPDX-License-Identifier: BSD-3-Clause
"""Tables that stay in files: Parquet, or CSV put into Parquet once; visited pass by pass, never read into memory."""

import shutil
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from isobreach._arrow import is_numeric, vector_width
from isobreach._validation import check_names
from isobreach.errors import InputError
from isobreach.io.cells import settled_ids
from isobreach.io.delimited import Written, read_layout
from isobreach.io.files import ids_of_layout, ids_of_schema, named, parquet_ids, wanted_columns
from isobreach.io.streamed import spooled
from isobreach.io.tables import NumericTable, as_ids, numeric_columns
from isobreach.io.vectors import chosen, entry_names

if TYPE_CHECKING:
    from isobreach.engine import FileEngine

_HEAD = 1024  # rows by which text is told from vectors that are written out


@dataclass(frozen=True, eq=False)
class Scan:
    """Rows that stay in files: goes in wherever a released table goes.

    Attributes
    ----------
    values
        The engine that visits the rows; nothing is read before somebody asks.
    columns
        Names of the columns.
    ids
        Names of the rows, which are read at once, if a column of them was named.
    notes
        What there is to say of the columns.
    left_out
        Names of the columns that hold no numbers.
    """

    values: "FileEngine"
    columns: tuple[str, ...]
    ids: NDArray[Any] | None = None
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    kind: str = "arrow"

    def __repr__(self) -> str:
        (rows, columns), files = self.values.shape, len(self.values.files.paths)
        return f"Scan({rows} x {columns}, {files} file{'s' * (files > 1)})"

    def on_cluster(self, scheduler: Any = None) -> "Scan":
        """Return the same rows, visited by the workers of a Dask cluster: see ``isobreach.scan``."""
        from isobreach.engine import DaskEngine

        return replace(self, values=DaskEngine.instead(self.values, scheduler))

    def table(self) -> NumericTable:
        """Return the same rows in memory."""
        values = self.values.everything("A table is read into memory here.")
        return NumericTable(values, self.columns, self.ids, self.kind, self.notes, self.left_out)


def scanned(
    parts: Sequence[Path],
    name: str,
    columns: Sequence[str] | None,
    id_column: str | None,
    *,
    least: int = 0,
) -> Scan | None:
    """Return a table that stays in its files.

    Parameters
    ----------
    parts
        Parquet files with the same columns.
    name
        What errors call the table.
    columns, id_column
        As for reading.
    least
        Entries from which on it is worth it.

    Returns
    -------
    None where the table is smaller, or holds vectors of a type that does not fix their length: it has to be read.
    """
    import pyarrow as pa

    from isobreach.engine import FileEngine, ParquetFiles

    files = ParquetFiles.of(parts, name)
    names = files.schema.names
    check_names(name, names)
    id_column, notes = ids_of_schema(files.schema, id_column)
    kept = [label for label in wanted_columns(name, names, columns, id_column) if label != id_column]
    rows = sum(group.rows for group in files.groups)
    if not rows:
        raise InputError(name, "must have at least one row", "0 rows")
    if not kept:
        raise InputError(name, "must have at least one numeric column", "0 numeric columns")
    head = pa.table(next(files.batches(files.groups[:1], kept, _HEAD)), names=kept)
    data = chosen(head, name, required=named(columns))
    if data.vectors:
        width = vector_width(files.schema.field(data.kept[0]).type) if len(data.kept) == 1 else None
        if width is None:
            return None
        stored, left_out, notes = data.kept, data.beside, notes + data.notes
        labels = entry_names(data.kept[0], width)
    else:
        stored, left_out, more = numeric_columns(head.schema, name, required=named(columns))
        labels, notes = stored, notes + more
    if rows * len(labels) < least:
        return None
    ids = None if id_column is None else parquet_ids(parts, name, id_column)
    return Scan(FileEngine(files, stored), labels, ids, notes, left_out)


def parquet_size(parts: Sequence[Path], name: str) -> tuple[int, int]:
    """Return rows of Parquet files, and how many numbers a row holds, in columns and in vectors."""
    from isobreach.engine import ParquetFiles

    files = ParquetFiles.of(parts, name)
    widths = [vector_width(field.type) or int(is_numeric(field.type)) for field in files.schema]
    return sum(group.rows for group in files.groups), sum(widths)


def scanned_text(written: Written, columns: Sequence[str] | None, id_column: str | None) -> Scan | None:
    """Return a CSV file as a table that stays in a temporary Parquet file, as long as the scan is there.

    Parameters
    ----------
    written
        The file.
    columns, id_column
        As for reading.

    Returns
    -------
    None where only all of the text tells what it means: it has to be read.
    """
    import pyarrow as pa

    layout = read_layout(written)
    id_column, notes = ids_of_layout(layout, id_column)
    wanted = wanted_columns(written.name, layout.names, columns, id_column)
    path = spooled(written, layout, wanted, id_column)
    if path is None:
        return None
    end = partial(shutil.rmtree, path.parent, ignore_errors=True)
    try:
        found = scanned([path], written.name, columns, id_column)
    except BaseException:
        end()
        raise
    assert found is not None  # numbers alone
    weakref.finalize(found.values.files, end)
    ids = None if found.ids is None else as_ids(settled_ids(pa.array(found.ids.tolist())).to_pylist())
    return replace(found, ids=ids, notes=notes + found.notes)
