# SPDX-License-Identifier: BSD-3-Clause
"""Where a table comes from: a file, a folder of Parquet parts, the standard input (``-``) or a database.

Wherever a table goes in, any of these does too, as text or path.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from isobreach._calls import table_title
from isobreach._text import visible
from isobreach.errors import InputError
from isobreach.io.content import Content, form, readable, standard_input
from isobreach.io.databases import address, check_no_database, fetch, is_url
from isobreach.io.delimited import Written, checked_encoding
from isobreach.io.files import Stored, check_regular, file_hash, parts_of, read_arrow, read_content, read_path
from isobreach.io.scans import Scan, parquet_size, scanned, scanned_text
from isobreach.io.tables import NumericTable, from_memory

STANDARD_INPUT = "-"
_LARGE = 1 << 24  # entries of a release that stays in its files: 128 MiB. A smaller one is quicker read once
_TEXT_BYTES = 8  # of CSV that an entry takes at least, for the same decision: few digits take fewer, and memory too


class Source:
    """A place where a table is, as it was given, and how to read it there.

    Parameters
    ----------
    given
        A path, ``-`` or a database's URL.
    role
        What errors call the table.
    query
        What to ask of a database, instead of what stands after the # of its URL.
    encoding
        Of CSV and TSV, if it is not UTF-8.
    sheet
        Of an Excel workbook: its name or its number; the first where None.
    """

    def __init__(
        self,
        given: str | Path,
        role: str,
        *,
        query: str | None = None,
        encoding: str | None = None,
        sheet: str | None = None,
    ) -> None:
        self._given, self._role, self._sheet = given, role, sheet
        self._hash: str | None = None
        self._piped: Content | None = None
        self._encoding = checked_encoding(encoding)
        self._address = address(given, role) if isinstance(given, str) and is_url(given) else None
        if self._address is None:
            check_no_database(str(given), role)
        if query is not None:
            if self._address is None:
                raise InputError("query", f"must be left out where {role} is not a database", "a query")
            self._address = self._address._replace(asked=query)

    @property
    def name(self) -> str:
        """What records call it: the name of a file, a database without its password; no folder."""
        if self._address is not None:
            asked = self._address.asked
            return visible(f"{self._address.name}#{asked}" if asked else self._address.name)
        return STANDARD_INPUT if self._given == STANDARD_INPUT else Path(self._given).name

    @property
    def title(self) -> str:
        """What a page calls it: the name of a file without its ending, or of a table in a database."""
        if self._address is not None:
            return visible(self._address.title)
        return "Standard input" if self.elsewhere else table_title(self.name)

    @property
    def elsewhere(self) -> bool:
        """Whether it is neither a file nor a folder."""
        return self._address is not None or self._given == STANDARD_INPUT

    @property
    def workbook(self) -> bool:
        """Whether it is an Excel file."""
        return not self.elsewhere and form(Path(self._given)) == ".xlsx"

    @property
    def named(self) -> bool:
        """Whether its columns have names, as far as can be told before it is read."""
        return form(Path(self._given)) != ".npy"

    def read(self, columns: Sequence[str] | None = None, id_column: str | None = None) -> NumericTable:
        """Return the table.

        Parameters
        ----------
        columns
            Those to read, in this order; all where None.
        id_column
            Leaves the values and becomes the ids. Without it, the index that pandas wrote beside the columns does.
        """
        return self.stored(columns, id_column).table(self._role)

    def scanned(
        self, columns: Sequence[str] | None = None, id_column: str | None = None, least: int = 0
    ) -> Scan | None:
        """Return the table as one that stays in its files, if these are Parquet or CSV.

        Parameters
        ----------
        columns, id_column
            As for ``read``.
        least
            Entries from which on it does.
        """
        path = Path(self._given)
        if self.elsewhere:
            return None
        parts = parts_of(path, self._role)
        if parts is None:
            text = Content(path, form(path)).text
            if not (text or form(path) == ".parquet") or not path.exists():
                return None
            check_regular(path, self._role)
            if text and path.stat().st_size < _TEXT_BYTES * least:
                return None
            if text:
                with readable(path, self._role):
                    return scanned_text(
                        Written(Content(path, form(path)), self._role, self._encoding), columns, id_column
                    )
        return scanned(parts or [path], self._role, columns, id_column, least=least)

    def size(self) -> tuple[int, int] | None:
        """Return rows, and numbers of a row, of a table in Parquet files; None where only reading tells."""
        if self.elsewhere:
            return None
        path = Path(self._given)
        parts = parts_of(path, self._role)
        if parts is None and (form(path) != ".parquet" or not path.is_file()):
            return None
        return parquet_size(parts or [path], self._role)

    def released(self, columns: Sequence[str] | None = None, id_column: str | None = None) -> NumericTable | Scan:
        """Return a released table: one that stays in its files where it is large.

        Parameters
        ----------
        columns, id_column
            As for ``read``.
        """
        return self.scanned(columns, id_column, _LARGE) or self.read(columns, id_column)

    def spread(self, scheduler: str | None, columns: Sequence[str] | None = None, id_column: str | None = None) -> Scan:
        """Return a released table that the workers of a Dask cluster read.

        Parameters
        ----------
        scheduler
            Its address; None for processes of this machine.
        columns, id_column
            As for ``read``.
        """
        from isobreach.engine import DaskEngine

        if not self.elsewhere and Content(Path(self._given), form(Path(self._given))).text:
            # Text becomes a temporary file, in a folder that workers are asked whether they share it, before.
            DaskEngine.reached(scheduler)
        found = self.scanned(columns, id_column)
        if found is None:
            rule = (
                f"must be local where {self._role} is not in Parquet files, with numbers or vectors of a fixed length, "
                "or in CSV whose numbers have a decimal point"
            )
            raise InputError("engine", rule, f"dask for {self.name}")
        return found.on_cluster(scheduler)

    def stored(
        self, columns: Sequence[str] | None = None, id_column: str | None = None, *, raw: bool = False
    ) -> Stored:
        """Return the table as it is stored.

        Parameters
        ----------
        columns, id_column
            As for ``read``.
        raw
            Leave text as it is, whatever it holds.
        """
        if self._address is not None:
            frame = fetch(self._address, self._role, id_column, raw=raw)
            self._hash = _frame_hash(frame)
            return read_arrow(frame, self._role, columns, id_column)
        if self._given == STANDARD_INPUT:
            if self._piped is None:  # it can be read once only
                self._piped = standard_input(self._role)
            self._hash = f"sha256:{hashlib.sha256(self._piped.place).hexdigest()}"  # type: ignore[arg-type]
            return read_content(self._piped, self._role, columns, id_column, self._encoding, self._sheet, raw=raw)
        return read_path(Path(self._given), self._role, columns, id_column, self._encoding, self._sheet, raw=raw)

    def hash(self) -> str:
        """Return the hash of a file, or of what was read: bytes of the standard input, rows of a query."""
        return file_hash(self._given) if self._hash is None else self._hash


def asks_nothing(given: str) -> bool:
    """Return whether a text is a database's URL that names no table and no query."""
    return is_url(given) and not given.partition("#")[2]


def read_table(
    given: str | Path, *, name: str, columns: Sequence[str] | None = None, id_column: str | None = None
) -> NumericTable:
    """Return the table in a file, a folder of Parquet parts, the standard input or a database: see ``Source``."""
    return Source(given, name).read(columns, id_column)


def as_table(obj: Any, name: str) -> NumericTable:
    """Return a checked table: of an object in memory, or of what a path or a URL names.

    >>> as_table([[1, 2], [3, 4]], "known").columns
    ('c1', 'c2')
    """
    if isinstance(obj, Scan):
        return obj.table()
    if not isinstance(obj, str | Path):
        return from_memory(obj, name)
    table = Source(obj, name).read()
    # Names and numbers come out again as they came in, in the container that needs no other package.
    return table if form(Path(obj)) == ".npy" else replace(table, kind="arrow")


def as_released(obj: Any, name: str) -> NumericTable | Scan:
    """Return a released table as ``as_table`` does; a large one in Parquet or CSV files stays there."""
    if isinstance(obj, Scan):
        return obj
    found = Source(obj, name).scanned(least=_LARGE) if isinstance(obj, str | Path) else None
    return as_table(obj, name) if found is None else found


def _frame_hash(frame: Any) -> str:
    """Hash of an Arrow table: of the stream that Arrow writes of it, as one batch."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, frame.schema) as writer:
        writer.write_table(frame.combine_chunks())
    return f"sha256:{hashlib.sha256(sink.getvalue()).hexdigest()}"
