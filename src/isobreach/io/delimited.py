# SPDX-License-Identifier: BSD-3-Clause
"""CSV text in and out, through Arrow's parallel parser; its relatives too: tabs between fields, packed by gzip.

Arrow parses; what it leaves open is decided here: which separator, whether the first line is a header, whether a
column with text in it is a text column or a numeric one with a mistake (``cells``). Arrow's
own messages quote the text of a row, which is private: they are replaced, never chained.
"""

import codecs
import csv
import io
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from itertools import islice, pairwise
from typing import IO, Any, NamedTuple

from isobreach._naming import way
from isobreach._phrases import place
from isobreach._validation import check_names
from isobreach.errors import InputError
from isobreach.io.cells import MISSING, check_points, decimal_commas, leading_zeros, settled, settled_ids, without_marks
from isobreach.io.content import Content
from isobreach.io.tables import default_columns

# A row must fit in a block, so this bounds the width of a table: about a million columns.
_BLOCK_BYTES = 1 << 24

_YEARS = (1800, 2200)
_FEWEST = 3  # numbers that count: two, such as 0 and 1, may well be a record


def _encoded() -> str:
    return way(
        "Name its encoding, such as --encoding latin-1",
        "Name its encoding, such as ib.prepare(path, encoding='latin-1') or, for known records, "
        "table.apply(path, encoding='latin-1')",
    )


class Written(NamedTuple):
    """Delimited text: its bytes, what errors call the table, and its encoding, UTF-8 where none is named."""

    content: Content
    name: str
    encoding: str | None = None

    def open(self) -> IO[str]:
        """Return the text as a file."""
        return io.TextIOWrapper(self.content.open(), encoding=self.encoding or "utf-8-sig", newline="")

    def error(self, got: str) -> InputError:
        """Return what to say of bytes that are not of this encoding."""
        if self.encoding is not None:
            step = way("Name another one with --encoding.", "Name another one.")
            return InputError(self.name, f"must be text in the encoding {self.encoding}", got, step)
        step = f"{_encoded()}, or save it as UTF-8."
        return InputError(self.name, "must be CSV in UTF-8", got, step)


def checked_encoding(encoding: str | None) -> str | None:
    """Return an encoding, or refuse one that Python does not know, or that is none of text.

    Tables that are called latin-1 are those of Windows, where a euro sign takes the place of a control character: they
    are read as such, as browsers do.
    """
    if encoding is None:
        return None
    try:
        "".encode(encoding)
        found = codecs.lookup(encoding).name
    except (LookupError, ValueError, UnicodeError):
        raise InputError("encoding", "must be a text encoding, such as latin-1 or cp1252", repr(encoding)) from None
    return "cp1252" if found == "iso8859-1" else encoding


class Layout(NamedTuple):
    """What the first two lines of a CSV file tell; ``counting``: names of columns are numbers that count."""

    separator: str
    raw: tuple[str, ...]  # the names as Arrow will see them
    names: tuple[str, ...]
    header: bool
    counting: bool = False


def read_layout(written: Written) -> Layout:
    """Return separator and column names of a CSV file."""
    # The comma last: it may also be a decimal comma.
    for separator in "\t" if written.content.form.startswith(".tsv") else ";\t,":
        first, *more = _records(written, separator)
        if len(first) > 1 and all(len(record) == len(first) for record in more):
            break
    if not first:
        raise InputError(written.name, "must be CSV", "one endless field in its first two lines")
    return layout_of(written.name, first, separator)


def layout_of(name: str, first: Sequence[str], separator: str = "") -> Layout:
    """Return the layout of a table by its first line.

    Numbers name columns where they count: 0, 1, 2, ... as pandas writes, or years. Other numbers are a record.
    """
    numbers = [_is_number(field) for field in first]
    counting = counts_columns([field for field, number in zip(first, numbers, strict=True) if number])
    header = counting or not all(numbers)
    if header and any(numbers) and not counting:  # a record without a header would become column names, and public
        where = f"a number in column {numbers.index(True) + 1} of the first line"
        step = "Write a name over every column; only 0, 1, 2, ... and years may be numbers."
        raise InputError(name, "must begin with a line of column names, none of them a number", where, step)
    raw = tuple(first) if header else tuple(f"f{j}" for j in range(len(first)))
    names = tuple(field.strip() for field in first) if header else default_columns(len(first))
    check_names(name, names)
    return Layout(separator, raw, names, header, counting)


def counts_columns(fields: Sequence[str]) -> bool:
    """Whether numbers name columns: at least three that are 0, 1, 2, ..., or years at equal steps.

    >>> counts_columns(["0", "1", "2"]), counts_columns(["1990", "1995", "2000"]), counts_columns(["1", "2", "3"])
    (True, True, False)
    """
    if len(fields) < _FEWEST or not all(field.strip().isdecimal() for field in fields):
        return False
    found = [int(field) for field in fields]
    step = found[1] - found[0]
    even = step > 0 and all(later - earlier == step for earlier, later in pairwise(found))
    return even and (found[:2] == [0, 1] or (found[0] >= _YEARS[0] and found[-1] <= _YEARS[1]))


def read_csv(
    written: Written, layout: Layout, wanted: tuple[str, ...], id_column: str | None, *, raw: bool = False
) -> Any:
    """Return the wanted columns as an Arrow table: numbers as numbers, ids as written, text as text.

    ``raw``: text is left as it is, whatever it holds; cells that say that a value is missing are null.
    """
    import pyarrow as pa
    from pyarrow import csv as pacsv

    name = written.name

    missing: dict[str, Any] = {"null_values": MISSING, "strings_can_be_null": True} if raw else {}
    odd_rows: list[Any] = []

    def parse(columns: Sequence[str], as_text: Collection[str], *, use_threads: bool = True) -> Any:
        types = dict.fromkeys(as_text, pa.string())
        options = arrow_options(written, layout, columns, types, odd_rows, use_threads=use_threads, **missing)
        return pacsv.read_csv(written.content.stream(), *options)

    check_quotes(written, layout.separator)
    ids = [] if id_column is None else [id_column]  # kept as written: 007 is not 7
    try:
        table = parse(wanted, ids)
    except pa.ArrowInvalid:
        if odd_rows:  # again with one thread: only then does Arrow count the rows
            with suppress(pa.ArrowInvalid):
                parse(wanted, ids, use_threads=False)
        raise malformed(written, layout, odd_rows) from None
    except UnicodeError:
        raise written.error("other bytes") from None
    columns = dict(zip(wanted, table.columns, strict=True))
    for label, cells in columns.items():
        if label != id_column and pa.types.is_binary(cells.type):  # what Arrow makes of text that is not UTF-8
            raise written.error(f"other bytes in {label!r}")

    def as_written(labels: Sequence[str]) -> Any:
        return parse(labels, labels).columns

    if raw:
        whole = [label for label in columns if label != id_column and pa.types.is_integer(columns[label].type)]
        texts = dict(zip(whole, as_written(whole) if whole else (), strict=True))
        columns |= {label: cells for label, cells in texts.items() if leading_zeros(cells)}  # 01234 is not 1234
        columns = {label: cells if label == id_column else without_marks(cells) for label, cells in columns.items()}
    if not raw:
        columns = settled(columns, name, id_column, commas=layout.separator != ",", as_written=as_written)
    elif layout.separator != "," and any(decimal_commas(cells) for cells in columns.values()):
        floats = [label for label in columns if label != id_column and pa.types.is_floating(columns[label].type)]
        for label, cells in zip(floats, as_written(floats) if floats else (), strict=True):
            check_points(name, label, cells)
    columns |= {label: settled_ids(columns[label]) for label in ids}
    if "" in columns and pa.types.is_null(columns[""].type):
        del columns[""]  # without a name and without a value: lines that end with a separator
    return pa.table(columns)


def arrow_options(
    written: Written,
    layout: Layout,
    columns: Sequence[str],
    types: Mapping[str, Any],
    odd_rows: list[Any],
    block: int = _BLOCK_BYTES,
    *,
    use_threads: bool = True,
    **more: Any,
) -> tuple[Any, Any, Any]:
    """Arrow's options: columns to read, the types of some; rows with other numbers of fields go to ``odd_rows``.

    ``block``: bytes that are parsed at a time.
    """
    from pyarrow import csv as pacsv

    written_as = dict(zip(layout.names, layout.raw, strict=True))

    def note(row: Any) -> str:
        odd_rows.append(row)
        return "error"

    return (
        pacsv.ReadOptions(
            use_threads=use_threads,
            block_size=block,
            autogenerate_column_names=not layout.header,
            encoding=written.encoding or "utf8",
        ),
        pacsv.ParseOptions(
            delimiter=layout.separator,
            newlines_in_values=True,
            # In a single column an empty line is a missing value; elsewhere it is nothing.
            ignore_empty_lines=len(layout.names) > 1,
            invalid_row_handler=note,
        ),
        pacsv.ConvertOptions(
            include_columns=[written_as[column] for column in columns],
            column_types={written_as[column]: one for column, one in types.items()},
            **more,
        ),
    )


def write_csv(table: Any, content: Content) -> None:
    """Write an Arrow table so that reading it gives the same numbers: the shortest text of each float64."""
    import pyarrow as pa
    from pyarrow import csv as pacsv

    if all(_is_number(column) for column in table.column_names):
        raise InputError("columns", "must not all be numbers in a CSV file", "a header that reads like a row")
    # The shortest text of a float32 names another float64, the type that a reader will parse it as.
    wide = [pa.float64() if pa.types.is_floating(t) else t for t in table.schema.types]
    schema = pa.schema(list(zip(table.column_names, wide, strict=True)))
    separator = "\t" if content.form.startswith(".tsv") else ","
    packing = "gzip" if content.form.endswith(".gz") else None
    with pa.output_stream(str(content.place), compression=packing) as stream:
        pacsv.write_csv(table.cast(schema), stream, pacsv.WriteOptions(delimiter=separator))


def _records(written: Written, separator: str) -> list[list[str]]:
    """Return the first two lines that are not empty, split."""
    try:
        with written.open() as file:
            records = list(islice(filter(None, csv.reader(file, delimiter=separator)), 2))
    except csv.Error:  # a field beyond the module's limit: this is not what separates them
        return [[]]
    except UnicodeError:
        raise written.error("other bytes") from None
    if not records:
        raise InputError(written.name, "must have at least one row", "an empty file")
    return records


def check_quotes(written: Written, separator: str) -> None:
    """Refuse a quote that is never closed: Arrow would take the rest of the file for one cell."""
    with written.content.open() as file:
        if sum(block.count(b'"') for block in iter(lambda: file.read(_BLOCK_BYTES), b"")) % 2 == 0:
            return
    with io.TextIOWrapper(
        written.content.open(), encoding=written.encoding or "utf-8", errors="replace", newline=""
    ) as text:
        try:
            for _ in csv.reader(text, delimiter=separator, strict=True):
                pass
        except csv.Error:
            raise InputError(written.name, "must be well-formed CSV", "quotes that do not match") from None


def malformed(written: Written, layout: Layout, odd_rows: list[Any]) -> InputError:
    """Return what to say of text that Arrow could not parse."""
    if odd_rows:
        row = odd_rows[-1]
        return InputError(
            written.name,
            f"must have {len(layout.names)} fields in every row, like its first line",
            f"{row.actual_columns} in {place(row.number - layout.header - 1)}",
        )
    step = "" if written.encoding else f"If it is not UTF-8: {_encoded()}."
    rule = f"must be well-formed CSV in {written.encoding or 'UTF-8'}"
    return InputError(written.name, rule, "rows that cannot be parsed", step)


def _is_number(field: str) -> bool:
    """Whether a cell reads like a number, whatever its commas mean."""
    try:
        float(field.replace(",", ""))
    except ValueError:
        return False
    return True
