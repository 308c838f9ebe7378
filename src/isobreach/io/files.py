# SPDX-License-Identifier: BSD-3-Clause
"""Tables read from files, by extension: CSV, Parquet (one file or a folder of parts), Arrow, Excel, exports of vectors.

Reading turns every way in which a file can be wrong into one line that says where, without quoting the file:
what stands in it is private.
"""

import glob
import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from isobreach._naming import way
from isobreach._phrases import first_few, names_like
from isobreach._validation import check_names
from isobreach.errors import InputError
from isobreach.io.cells import settled
from isobreach.io.content import READ, Content, form, listed, readable
from isobreach.io.delimited import Layout, Written, layout_of, read_csv, read_layout
from isobreach.io.excel import arrow_column, read_excel
from isobreach.io.exports import read_fvecs, read_json_lines, read_npz
from isobreach.io.stores import read_faiss
from isobreach.io.tables import NumericTable, as_ids, from_arrow, from_numpy


class Stored(NamedTuple):
    """A table as it is stored: Arrow columns, which of them names the rows, and what was said while reading.

    ``required``: columns were asked for by name. ``commas``: a comma separates the fields of a text file. ``numbers``:
    what a file without names holds, in the place of all that.
    """

    arrow: Any
    id_column: str | None
    required: bool
    notes: tuple[str, ...]
    commas: bool = False
    numbers: NumericTable | None = None

    def table(self, name: str) -> NumericTable:
        """Return its numbers, and its ids."""
        if self.numbers is not None:
            return self.numbers
        return _with_ids(self.arrow, name, self.id_column, required=self.required, notes=self.notes)


def read_path(
    path: Path,
    name: str,
    columns: Sequence[str] | None,
    id_column: str | None,
    encoding: str | None,
    sheet: str | None = None,
    *,
    raw: bool = False,
) -> Stored:
    """Return the table in a file or a folder of Parquet parts; ``raw``: text is left as it is, whatever it holds."""
    with readable(path, name):
        parts = parts_of(path, name)
        if parts is not None:
            return _read_parquet(parts, name, columns, id_column)
        if not path.exists():
            raise InputError(name, "must be an existing file or folder", str(path))
        check_regular(path, name)
        if form(path) not in READ:
            raise InputError(name, f"must be a {listed(READ)} file, or a folder of .parquet parts", str(path))
        return read_content(Content(path, form(path)), name, columns, id_column, encoding, sheet, raw=raw)


def read_content(
    content: Content,
    name: str,
    columns: Sequence[str] | None,
    id_column: str | None,
    encoding: str | None,
    sheet: str | None = None,
    *,
    raw: bool = False,
) -> Stored:
    """Return the table that some bytes are; ``raw``: as for ``read_path``."""
    if content.text:
        return _read_csv(Written(content, name, encoding), columns, id_column, raw=raw)
    match content.form:
        case ".parquet":
            return _read_parquet([content.raw], name, columns, id_column)
        case ".npy":
            return Stored(None, None, False, (), numbers=_read_npy(content, name, columns, id_column))
        case ".xlsx":
            return _read_excel(content, name, columns, id_column, sheet, raw=raw)
        case ".jsonl" | ".jsonl.gz":
            return read_arrow(read_json_lines(content, name), name, columns, id_column)
        case ".npz":
            return read_arrow(read_npz(content, name), name, columns, id_column)
        case ".faiss" | ".index":
            return read_arrow(read_faiss(content, name), name, columns, id_column)
        case ".fvecs":
            return read_arrow(read_fvecs(content, name), name, columns, id_column)
        case _:
            return _read_arrow(content, name, columns, id_column)


def select_columns(table: NumericTable, name: str, columns: Sequence[str] | None) -> NumericTable:
    """Return the named columns of a table, in the order asked for; all where none are named."""
    if columns is None:
        return table
    wanted = wanted_columns(name, table.columns, columns, None)
    values = table.values[:, [table.columns.index(column) for column in wanted]]
    return replace(table, values=values, columns=wanted)


def matched_columns(table: NumericTable, name: str, like: NumericTable, other: str) -> NumericTable:
    """Return a table with the columns of another one, by their names where both have such; else as it is.

    Arrays have none, and tables that share no name at all are taken by position.
    """
    nameless = "numpy" in (table.kind, like.kind) or not set(table.columns) & set(like.columns)
    if nameless or table.columns == like.columns:
        return table
    missing = [column for column in like.columns if column not in table.columns]
    if missing:
        listed = first_few(list(map(repr, missing)), 8)
        raise InputError(name, f"must have the columns of {other}", f"a table without {listed}")
    return select_columns(table, name, like.columns)


def read_toml(path: Path, name: str) -> dict[str, Any]:
    """Return what stands in a TOML file."""
    import tomllib

    if not path.exists():
        raise InputError(name, "must be an existing file", str(path))
    with readable(path, name):
        check_regular(path, name)
        try:
            return tomllib.loads(path.read_text(encoding="utf-8"))
        except tomllib.TOMLDecodeError as error:  # says where, and quotes nothing
            raise InputError(name, "must be TOML", str(error)) from None
        except UnicodeDecodeError:
            raise InputError(name, "must be TOML in UTF-8", "other bytes") from None


def file_hash(path: str | Path) -> str:
    """Return the SHA-256 of a file; of parts, that of the list which ``sha256sum`` prints."""
    parts = parts_of(Path(path), "folder")
    if parts is None:
        return f"sha256:{_hex_digest(Path(path))}"
    listing = "".join(f"{_hex_digest(part)}  {part.name}\n" for part in parts)
    return f"sha256:{hashlib.sha256(listing.encode()).hexdigest()}"


def _read_csv(written: Written, columns: Sequence[str] | None, id_column: str | None, *, raw: bool) -> Stored:
    layout = read_layout(written)
    id_column, notes = ids_of_layout(layout, id_column)
    wanted = wanted_columns(written.name, layout.names, columns, id_column)
    table = read_csv(written, layout, wanted, id_column, raw=raw)
    return Stored(table, id_column, named(columns), notes, commas=layout.separator == ",")


def ids_of_layout(layout: Layout, id_column: str | None) -> tuple[str | None, tuple[str, ...]]:
    """Return the column of ids, and what to say of the first line."""
    notes: tuple[str, ...] = ()
    if layout.counting:
        notes = ("the first line counts, and was read as column names",)
    elif not layout.header:
        notes = ("no header line, as the first one is all numbers: the columns are called c1, c2, ...",)
    if id_column is None and layout.names[0] == "":  # so pandas writes its index
        return "", (*notes, "took the unnamed first column as ids")
    return id_column, notes


def _read_excel(
    content: Content, name: str, columns: Sequence[str] | None, id_column: str | None, sheet: str | None, *, raw: bool
) -> Stored:
    import pyarrow as pa

    rows, notes = read_excel(content, name, sheet)
    if not rows:
        raise InputError(name, "must have at least one row", "an empty sheet", " ".join(notes))
    layout = layout_of(name, ["" if cell is None else str(cell) for cell in rows[0]])
    id_column, more = ids_of_layout(layout, id_column)
    wanted = wanted_columns(name, layout.names, columns, id_column)
    cells = dict(zip(layout.names, zip(*rows[layout.header :], strict=True), strict=True)) if rows[1:] else {}
    parts = {label: arrow_column(cells.get(label, ())) for label in wanted}
    table = pa.table(parts if raw else settled(parts, name, id_column))
    return Stored(table, id_column, named(columns), (*notes, *more))


def _read_arrow(content: Content, name: str, columns: Sequence[str] | None, id_column: str | None) -> Stored:
    import pyarrow as pa

    try:
        with content.stream() as stream:
            stored = pa.BufferReader(stream.read_buffer())
        try:
            table = pa.ipc.open_file(stored).read_all()
        except pa.ArrowInvalid:  # what is written row by row has no footer
            stored.seek(0)
            table = pa.ipc.open_stream(stored).read_all()
    except pa.ArrowException:
        raise InputError(name, "must be readable as Arrow or Feather", "a damaged file or another format") from None
    return read_arrow(table, name, columns, id_column)


def read_arrow(
    table: Any, name: str, columns: Sequence[str] | None, id_column: str | None, notes: tuple[str, ...] = ()
) -> Stored:
    """Return the asked columns of an Arrow table; the index that pandas left in it becomes the ids."""
    check_names(name, table.column_names)
    id_column, more = ids_of_schema(table.schema, id_column)
    table = table.select(wanted_columns(name, table.column_names, columns, id_column))
    return Stored(table, id_column, named(columns), (*notes, *more))


def ids_of_schema(schema: Any, id_column: str | None) -> tuple[str | None, tuple[str, ...]]:
    """Return the column of ids, and what to say of it."""
    if id_column is None and (index := _pandas_index(schema)) is not None:
        return index, (f"took the pandas index, {index!r}, as ids",)
    return id_column, ()


def _read_parquet(parts: Sequence[Any], name: str, columns: Sequence[str] | None, id_column: str | None) -> Stored:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        schema = parquet.read_schema(parts[0])
        for part in parts[1:]:
            if not parquet.read_schema(part).equals(schema):
                rule = "must have the same columns, of the same types, in every part"
                raise InputError(name, rule, f"{part.name}, which differs from {parts[0].name}")
        check_names(name, schema.names)
        id_column, notes = ids_of_schema(schema, id_column)
        wanted = wanted_columns(name, schema.names, columns, id_column)
        # ParquetFile, not read_table: the latter reads more columns out of folder names such as year=2020.
        table = pa.concat_tables(
            [parquet.ParquetFile(part).read(columns=list(wanted)).select(wanted) for part in parts]
        )
    except PermissionError:
        raise
    except (pa.ArrowException, OSError):
        raise InputError(name, "must be readable as Parquet", "a damaged file or another format") from None
    return Stored(table, id_column, named(columns), notes)


def _read_npy(content: Content, name: str, columns: Sequence[str] | None, id_column: str | None) -> NumericTable:
    if id_column is not None:
        raise InputError("id_column", "must be left out for .npy, which has no column names", repr(id_column))
    try:
        if isinstance(content.place, bytes):
            array = np.lib.format.read_array(content.raw, allow_pickle=False)
        else:
            array = np.lib.format.open_memmap(content.place, mode="c")
    except OSError:
        raise
    except Exception:  # noqa: BLE001  whatever a damaged header makes NumPy raise
        rule = "must be a .npy file of real numbers"
        raise InputError(name, rule, "Python objects or a damaged file") from None
    return select_columns(from_numpy(array, name), name, columns)


def _with_ids(table: Any, name: str, id_column: str | None, *, required: bool, notes: tuple[str, ...]) -> NumericTable:
    """Return an Arrow table with one of its columns as ids."""
    if id_column is None:
        return from_arrow(table, name, required=required, notes=notes)
    values, ids = table.drop_columns([id_column]), _ids(table.column(id_column), name, id_column)
    return from_arrow(values, name, required=required, ids=ids, notes=notes)


def parquet_ids(parts: Sequence[Path], name: str, id_column: str) -> NDArray[Any]:
    """Return the ids in a column of Parquet files."""
    return _ids(_read_parquet(parts, name, [id_column], id_column).arrow.column(id_column), name, id_column)


def _ids(labels: Any, name: str, id_column: str) -> NDArray[Any]:
    if labels.null_count:
        raise InputError(name, f"must have an id in every row of {id_column!r}", f"{labels.null_count} missing")
    return as_ids(labels.to_pylist())


class AllBut(tuple[str, ...]):
    """Columns to leave out, wherever columns to keep may be named."""


def selection(columns: Sequence[str] | None, leave_out: Sequence[str] | None) -> Sequence[str] | None:
    """Return which columns to read, where those to keep or those to leave out are named; None for all."""
    if not leave_out:
        return columns
    if columns is not None:
        rule = f"must be left out where {way('--columns', 'columns')} names what to keep"
        raise InputError("leave_out", rule, ", ".join(map(repr, leave_out)))
    return AllBut(leave_out)


def named(columns: Sequence[str] | None) -> bool:
    """Return whether the columns to keep are named."""
    return columns is not None and not isinstance(columns, AllBut)


def wanted_columns(
    name: str, available: Sequence[str], columns: Sequence[str] | None, id_column: str | None
) -> tuple[str, ...]:
    """Return the columns to read, the ids among them; refuse a name that the file does not have."""
    option = "leave_out" if isinstance(columns, AllBut) else "columns"
    if columns is not None:
        check_names(option, columns)
    listed = [] if columns is None else list(columns)
    known = set(available)
    for option, column in [(option, c) for c in listed] + [("id_column", id_column)]:
        if column is not None and column not in known:
            step = names_like(column, available, ids=option == "id_column")
            raise InputError(option, f"must name columns of {name}", repr(column), step)
    asked = listed if named(columns) else [one for one in available if one not in listed]
    if not asked:
        raise InputError("leave_out", f"must leave a column of {name}", f"all {len(available)}")
    return tuple(asked) if id_column is None or id_column in asked else (id_column, *asked)


def _pandas_index(schema: Any) -> str | None:
    """Return the column in which pandas stored the index of a frame, if it did."""
    metadata = schema.pandas_metadata or {}
    stored = [label for label in metadata.get("index_columns", ()) if label in schema.names]
    return stored[0] if len(stored) == 1 else None


def parts_of(path: Path, name: str) -> list[Path] | None:
    """Return the Parquet files in a folder, or those that a pattern such as ``2020-*.parquet`` names, by name.

    None for anything else, such as a single file.
    """
    if path.is_dir():
        parts = sorted(path.glob("*.parquet"))
    elif glob.has_magic(str(path)) and not path.exists():
        parts = sorted(map(Path, glob.glob(str(path))))  # noqa: PTH207 - the pattern may begin in any folder
    else:
        return None
    if not parts:
        kind = "a folder with .parquet parts" if path.is_dir() else "a pattern that names .parquet files"
        raise InputError(name, f"must be {kind}", f"none in {path}" if path.is_dir() else str(path))
    for part in parts:
        check_regular(part, name)
    return parts


def check_regular(path: Path, name: str) -> None:
    """Refuse a pipe or a device, which may never end or never begin, before it is opened."""
    if not path.is_file():
        raise InputError(name, "must be a regular file", str(path), "Pipes, devices and folders are not read.")


def _hex_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
