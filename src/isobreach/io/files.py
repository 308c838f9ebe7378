# SPDX-License-Identifier: BSD-3-Clause
"""Tables in files: CSV, Parquet (one file or a folder of parts) and .npy, chosen by extension.

Reading turns every way in which a file can be wrong into one line that says where, without quoting the file:
what stands in it is private. Writing is atomic.
"""

import difflib
import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._validation import check_names
from isobreach.errors import InputError
from isobreach.io.atomic import atomic_file
from isobreach.io.delimited import read_csv, read_layout, write_csv
from isobreach.io.tables import Table, as_ids, from_arrow, from_numpy, like

_EXTENSIONS = ".csv, .parquet or .npy"


def read_table(
    path: str | Path, *, name: str, columns: Sequence[str] | None = None, id_column: str | None = None
) -> Table:
    """Return the table in a file or a folder of Parquet parts.

    ``columns`` selects and orders; ``id_column`` leaves the values and becomes the ids. Without it, the index
    that pandas wrote beside the columns does.
    """
    path = Path(path)
    with readable(path, name):
        if not path.exists():
            raise InputError(name, "must be an existing file or folder", str(path))
        if path.is_dir():
            return _read_parquet(_parts(path, name), name, columns, id_column)
        check_regular(path, name)
        match path.suffix.lower():
            case ".csv":
                return _read_csv(path, name, columns, id_column)
            case ".parquet":
                return _read_parquet([path], name, columns, id_column)
            case ".npy":
                return _read_npy(path, name, columns, id_column)
    raise InputError(name, f"must be a {_EXTENSIONS} file, or a folder of .parquet parts", str(path))


def select_columns(table: Table, name: str, columns: Sequence[str] | None) -> Table:
    """Return the named columns of a table, in the order asked for; all where none are named."""
    if columns is None:
        return table
    wanted = _wanted(name, table.columns, columns, None)
    values = table.values[:, [table.columns.index(column) for column in wanted]]
    return replace(table, values=values, columns=wanted)


def write_table(
    path: str | Path,
    values: NDArray[Any],
    columns: Sequence[str],
    *,
    ids: NDArray[Any] | None = None,
    id_column: str = "id",
    mode: int = 0o644,
    force: bool = False,
) -> None:
    """Write a table, ids first, in the format that the extension names."""
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in (".csv", ".parquet", ".npy"):
        raise InputError("output", f"must be a {_EXTENSIONS} file", str(path))
    if suffix == ".npy" and ids is not None:
        raise InputError("output", "must be a .csv or .parquet file to hold ids", str(path))
    with atomic_file(path, mode=mode, force=force) as temporary:
        if suffix == ".npy":
            with temporary.open("wb") as file:  # given a path, np.save may change its suffix
                np.save(file, values)
            return
        table = like("arrow", values, columns)
        if ids is not None:
            check_names("output", [id_column, *columns])
            table = table.add_column(0, id_column, [as_ids(ids)])
        if suffix == ".csv":
            write_csv(table, temporary)
        else:
            from pyarrow import parquet

            parquet.write_table(table, temporary)


def write_columns(path: str | Path, columns: Mapping[str, NDArray[Any]], *, mode: int = 0o644) -> None:
    """Write named columns, each of its own type, as Parquet."""
    import pyarrow as pa
    from pyarrow import parquet

    with atomic_file(path, mode=mode) as temporary:
        parquet.write_table(pa.table(dict(columns)), temporary)


def file_hash(path: str | Path) -> str:
    """Return the SHA-256 of a file; of a folder's parts, that of the list which ``sha256sum`` prints."""
    path = Path(path)
    if not path.is_dir():
        return f"sha256:{_hex_digest(path)}"
    listing = "".join(f"{_hex_digest(part)}  {part.name}\n" for part in _parts(path, "folder"))
    return f"sha256:{hashlib.sha256(listing.encode()).hexdigest()}"


def _read_csv(path: Path, name: str, columns: Sequence[str] | None, id_column: str | None) -> Table:
    layout = read_layout(path, name)
    notes: tuple[str, ...] = ()
    if not layout.header:
        notes += ("no header line: the columns are called c1, c2, ...",)
    if id_column is None and layout.names[0] == "":  # so pandas writes its index
        id_column = ""
        notes += ("took the unnamed first column as ids",)
    wanted = _wanted(name, layout.names, columns, id_column)
    table = read_csv(path, name, layout, wanted, id_column)
    return _with_ids(table, name, id_column, required=columns is not None, notes=notes)


def _read_parquet(parts: Sequence[Path], name: str, columns: Sequence[str] | None, id_column: str | None) -> Table:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        schema = parquet.read_schema(parts[0])
        for part in parts[1:]:
            if not parquet.read_schema(part).equals(schema):
                rule = "must have the same columns, of the same types, in every part"
                raise InputError(name, rule, f"{part.name}, which differs from {parts[0].name}")
        check_names(name, schema.names)
        notes: tuple[str, ...] = ()
        if id_column is None and (index := _pandas_index(schema)) is not None:
            id_column = index
            notes += (f"took the pandas index, {index!r}, as ids",)
        wanted = _wanted(name, schema.names, columns, id_column)
        # ParquetFile, not read_table: the latter reads more columns out of folder names such as year=2020.
        table = pa.concat_tables(
            [parquet.ParquetFile(part).read(columns=list(wanted)).select(wanted) for part in parts]
        )
    except PermissionError:
        raise
    except (pa.ArrowException, OSError):
        raise InputError(name, "must be readable as Parquet", "a damaged file or another format") from None
    return _with_ids(table, name, id_column, required=columns is not None, notes=notes)


def _read_npy(path: Path, name: str, columns: Sequence[str] | None, id_column: str | None) -> Table:
    if id_column is not None:
        raise InputError("id_column", "must be left out for .npy, which has no column names", repr(id_column))
    try:
        array = np.lib.format.open_memmap(path, mode="c")
    except OSError:
        raise
    except Exception:  # noqa: BLE001  whatever a damaged header makes NumPy raise
        rule = "must be a .npy file of real numbers"
        raise InputError(name, rule, "Python objects or a damaged file") from None
    return select_columns(from_numpy(array, name), name, columns)


def _with_ids(table: Any, name: str, id_column: str | None, *, required: bool, notes: tuple[str, ...]) -> Table:
    """Return an Arrow table with one of its columns as ids."""
    if id_column is None:
        return from_arrow(table, name, required=required, notes=notes)
    labels = table.column(id_column)
    if labels.null_count:
        raise InputError(name, f"must have an id in every row of {id_column!r}", f"{labels.null_count} missing")
    values = table.drop_columns([id_column])
    return from_arrow(values, name, required=required, ids=as_ids(labels.to_pylist()), notes=notes)


def _wanted(
    name: str, available: Sequence[str], columns: Sequence[str] | None, id_column: str | None
) -> tuple[str, ...]:
    """Return the columns to read, the ids among them; refuse a name that the file does not have."""
    if columns is not None:
        check_names("columns", columns)
    asked = list(available if columns is None else columns)
    known = set(available)
    for option, column in [("columns", c) for c in asked] + [("id_column", id_column)]:
        if column is not None and column not in known:
            close = difflib.get_close_matches(column, available)
            hint = f"Did you mean {' or '.join(map(repr, close))}?" if close else ""
            raise InputError(option, f"must name columns of {name}", repr(column), hint)
    return tuple(asked) if id_column is None or id_column in asked else (id_column, *asked)


def _pandas_index(schema: Any) -> str | None:
    """Return the column in which pandas stored the index of a frame, if it did."""
    metadata = schema.pandas_metadata or {}
    stored = [label for label in metadata.get("index_columns", ()) if label in schema.names]
    return stored[0] if len(stored) == 1 else None


def _parts(folder: Path, name: str) -> list[Path]:
    parts = sorted(folder.glob("*.parquet"))
    if not parts:
        raise InputError(name, "must be a folder with .parquet parts", f"none in {folder}")
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


@contextmanager
def readable(path: Path, name: str) -> Iterator[None]:
    """Turn an operating system's error into the one line that names the input."""
    try:
        yield
    except OSError as error:
        raise InputError(name, "must be readable", f"{path}: {os.strerror(error.errno or 0)}") from None
