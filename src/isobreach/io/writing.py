# SPDX-License-Identifier: BSD-3-Clause
"""Tables written to files, in the format that the extension names; whole or not at all."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._arrow import arrow_array
from isobreach._validation import check_names
from isobreach.errors import InputError
from isobreach.io.atomic import atomic_file
from isobreach.io.content import ARROW, WRITTEN, Content, form, listed
from isobreach.io.delimited import write_csv
from isobreach.io.tables import as_ids, like
from isobreach.io.vectors import from_rows


def write_table(
    path: str | Path,
    values: NDArray[Any],
    columns: Sequence[str],
    *,
    ids: NDArray[Any] | None = None,
    id_column: str = "id",
    vectors: str | None = None,
    mode: int = 0o644,
    force: bool = False,
) -> None:
    """Write a table, ids first, in the format that the extension names.

    ``vectors``: a name under which rows are vectors of one column, in formats that have such columns.
    """
    path = Path(path)
    suffix = form(path)
    check_written(path)
    if suffix == ".npy" and ids is not None:
        raise InputError("output", f"must be a {listed(WRITTEN[:-1])} file to hold ids", str(path))
    import pyarrow as pa

    with atomic_file(path, mode=mode, force=force) as temporary:
        if suffix == ".npy":
            with temporary.open("wb") as file:  # given a path, np.save may change its suffix
                np.save(file, values)
            return
        table = like("arrow", values, columns)
        if vectors is not None and holds_vectors(path):
            table = pa.table({vectors: from_rows(values)})
        if ids is not None:
            check_names("output", [id_column, *columns])
            table = table.add_column(0, id_column, [as_ids(ids)])
        if suffix in ARROW:
            from pyarrow import feather

            feather.write_feather(table, str(temporary))
        elif suffix == ".parquet":
            from pyarrow import parquet

            parquet.write_table(table, temporary)
        else:
            write_csv(table, Content(temporary, suffix))


def holds_vectors(path: Path) -> bool:
    """Whether the format that a file's extension names has columns of vectors."""
    return form(path) in (*ARROW, ".parquet")


def check_written(path: Path) -> None:
    """Refuse a table to write whose format nobody here writes."""
    if form(path) not in WRITTEN:
        raise InputError("output", f"must be a {listed(WRITTEN)} file", str(path))


def write_columns(path: str | Path, parts: Iterable[Mapping[str, NDArray[Any]]], *, mode: int = 0o644) -> None:
    """Write named columns, each of its own type, some rows at a time.

    As Parquet, or as CSV where the path says so: NaN is then empty.
    """
    import pyarrow as pa
    from pyarrow import parquet

    with atomic_file(path, mode=mode) as temporary:
        if form(Path(path)) == ".csv":
            filled = [{name: pa.array(one, from_pandas=True) for name, one in part.items()} for part in parts]
            write_csv(pa.concat_tables(map(pa.table, filled)), Content(temporary, ".csv"))
            return
        writer = None
        for part in parts:
            table = pa.table({name: arrow_array(values) for name, values in part.items()})
            # Text repeats; of numbers that do not, a dictionary is begun and given up. Numbers of rows count up.
            named = [one.name for one in table.schema if pa.types.is_string(one.type)]
            counts = {one.name: "DELTA_BINARY_PACKED" for one in table.schema if pa.types.is_integer(one.type)}
            writer = writer or parquet.ParquetWriter(
                temporary, table.schema, use_dictionary=named, column_encoding=counts or None
            )
            writer.write_table(table)
        if writer is not None:
            writer.close()
