# SPDX-License-Identifier: BSD-3-Clause
"""Large CSV files, read once, some rows at a time, into a temporary Parquet file.

Parsing text takes ten times as long as a pass over Parquet does, and every attack takes several passes: numbers are
parsed once, and then scanned. The file is as large as the numbers, eight bytes each, in TMPDIR; it ends with the scan.
"""

import os
import shutil
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from isobreach.errors import OutputError
from isobreach.io.cells import Cells
from isobreach.io.delimited import Layout, Written, arrow_options, check_quotes, malformed
from isobreach.io.vectors import is_vectors

T = TypeVar("T")

# Bytes of text that are parsed at a time: Arrow reads 32 of these ahead, and larger ones leave the cache. Text with
# longer rows is read into memory.
_BLOCK_BYTES = 1 << 20
_GROUP = 1 << 21  # entries of a row group: 16 MiB


class _ChangingCellsError(Exception):
    """A column holds other cells further down than in its first rows: only all of them tell what they mean."""


def spooled(written: Written, layout: Layout, wanted: tuple[str, ...], id_column: str | None) -> Path | None:
    """Write the wanted columns of a CSV file to a Parquet file in a new temporary folder, which the caller removes.

    The first rows tell what a column holds: numbers, which are then float64, or something else, which is there without
    its cells. Ids are text.

    Returns
    -------
    The file. None where the table in memory could be another one: numbers with decimal commas or marks of their own for
    what is missing, vectors as text, columns that begin with empty cells or hold other cells further down.
    """
    check_quotes(written, layout.separator)
    source = _Parts(written, layout, wanted, id_column)
    folder = Path(tempfile.mkdtemp(prefix="isobreach-"))
    try:
        schema = source.schema()
        if schema is not None:
            _write(folder / "released.parquet", schema, source.parts(schema))
            return folder / "released.parquet"
    except _ChangingCellsError:
        pass
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    shutil.rmtree(folder, ignore_errors=True)
    return None


def _write(path: Path, schema: Any, parts: Iterator[Any]) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    plain = {"compression": "none", "use_dictionary": False, "write_statistics": False}
    with parquet.ParquetWriter(path, schema, **plain) as writer:
        for several in _together(parts, max(1, _GROUP // len(schema))):
            try:
                writer.write_table(pa.concat_tables(several))
            except OSError as error:
                # Arrow does not always pass the number of an error on.
                reason = f": {os.strerror(error.errno)}" if error.errno else ""
                step = "Set TMPDIR to a folder with more room."
                message = f"{tempfile.gettempdir()}: the numbers of the CSV cannot be written there{reason}. {step}"
                raise OutputError(message) from None


def _together(parts: Iterator[Any], least: int) -> Iterator[list[Any]]:
    """Parts one after the other, until there are so many rows: row groups that a pass reads well."""
    open_: list[Any] = []
    for part in parts:
        open_.append(part)
        if sum(map(len, open_)) >= least:
            yield open_
            open_ = []
    if open_:
        yield open_


class _Parts:
    """The columns of a CSV file, some rows at a time."""

    def __init__(self, written: Written, layout: Layout, wanted: tuple[str, ...], id_column: str | None) -> None:
        self._written, self._layout, self._wanted, self._id_column = written, layout, wanted, id_column
        self._odd_rows: list[Any] = []

    def schema(self) -> Any | None:
        """Types of the wanted columns by the first rows; None where these do not tell."""
        import pyarrow as pa

        ids = {} if self._id_column is None else {self._id_column: pa.string()}
        with suppress(StopIteration):
            head = self._checked(lambda: self._begun(self._wanted, ids).read_next_batch())
            types = {}
            for label, cells in zip(self._wanted, head.columns, strict=True):
                types[label] = cells.type
                if label == self._id_column:
                    continue
                if pa.types.is_integer(cells.type) or pa.types.is_floating(cells.type):
                    types[label] = pa.float64()
                elif (
                    pa.types.is_null(cells.type)
                    or pa.types.is_binary(cells.type)
                    or is_vectors(cells)
                    or Cells.of(self._written.name, label, cells) is not None
                ):
                    return None
            return pa.schema(types)
        return None

    def parts(self, schema: Any) -> Iterator[Any]:
        """All rows as tables of a schema; cells of columns without numbers are left empty."""
        import pyarrow as pa

        read = [
            one.name
            for one in schema
            if pa.types.is_float64(one.type) or pa.types.is_boolean(one.type) or one.name == self._id_column
        ]
        if not read:
            read = list(schema.names[:1])  # so that rows are counted
        types = {label: schema.field(label).type for label in read}
        reader = self._checked(lambda: self._begun(read, types))
        with suppress(StopIteration):
            while True:
                batch = self._checked(reader.read_next_batch)
                own = dict(zip(read, batch.columns, strict=True))
                cells = [own.get(one.name, pa.nulls(len(batch), one.type)) for one in schema]
                yield pa.table(cells, schema=schema)

    def _begun(self, columns: Sequence[str], types: Mapping[str, Any], *, use_threads: bool = True) -> Any:
        from pyarrow import csv as pacsv

        options = arrow_options(
            self._written, self._layout, columns, types, self._odd_rows, _BLOCK_BYTES, use_threads=use_threads
        )
        return pacsv.open_csv(self._written.content.stream(), *options)

    def _checked(self, read: Callable[[], T]) -> T:
        """What is read, or in one line why it cannot be."""
        import pyarrow as pa

        try:
            return read()
        except pa.ArrowInvalid:
            if not self._odd_rows:
                raise _ChangingCellsError from None
            with suppress(pa.ArrowInvalid):  # again with one thread: only then does Arrow count the rows
                text = dict.fromkeys(self._wanted, pa.string())
                deque(self._begun(self._wanted, text, use_threads=False), maxlen=0)
            raise malformed(self._written, self._layout, self._odd_rows) from None
        except UnicodeError:
            raise self._written.error("other bytes") from None
