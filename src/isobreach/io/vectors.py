# SPDX-License-Identifier: BSD-3-Clause
"""Columns of vectors: lists of numbers, of one length or not, and lists that are written out as text.

Vectors are the data itself, and what stands beside them is notes: where a table has one column of them, and nobody
named columns, that column is the table. Every entry of a vector then counts as a column of its own, ``embedding[1]``,
``embedding[2]``, ...
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from isobreach._arrow import is_numeric, plain
from isobreach._naming import way
from isobreach._phrases import count, place
from isobreach.errors import InputError

_WRITTEN = r"^\s*[\[(]\s*[-+]?\.?\d[-+.\deE]*[\s,]"  # the beginning of [0.1, 0.2] or (1 2)


class Chosen(NamedTuple):
    """Columns that are the data, which of them hold vectors, those that only stand beside them, and a note on that."""

    kept: tuple[str, ...]
    vectors: tuple[str, ...]
    beside: tuple[str, ...]
    notes: tuple[str, ...]


def chosen(table: Any, name: str, *, required: bool, ids: str | None = None, beside: Sequence[str] = ()) -> Chosen:
    """Choose between vectors and what stands beside them.

    Parameters
    ----------
    table
        An Arrow table.
    name
        What errors call it.
    required
        Its columns were named: all of them are the data.
    ids
        The column that names the rows, which is neither.
    beside
        Further columns, which are no vectors and not in the table.
    """
    labels = [label for label in table.column_names if label != ids]
    found = [label for label in labels if is_vectors(table.column(label))]
    if required or not found:
        return Chosen(tuple(labels), tuple(found), (), ())
    if len(found) > 1:
        listed = ", ".join(map(repr, found))
        step = way(f"Name one: {columns_option(name)} {found[0]}.", "Select one before the call.")
        raise InputError(name, "must have one column of vectors, or a choice", f"{len(found)}: {listed}", step)
    others = (*(label for label in labels if label != found[0]), *beside)
    said = f"; the columns beside them were left out: {', '.join(map(repr, others))}" if others else ""
    return Chosen((found[0],), (found[0],), others, (f"read the vectors in column {found[0]!r}{said}",))


def columns_option(name: str) -> str:
    """The option that chooses columns of a table: the release has one of its own.

    >>> columns_option("known"), columns_option("released")
    ('--columns', '--released-columns')
    """
    return "--released-columns" if name == "released" else "--columns"


def _select(name: str) -> str:
    return way(f"choose columns with {columns_option(name)}", "select columns before the call")


def is_vectors(column: Any) -> bool:
    """Whether an Arrow column holds lists of numbers, or text that is such lists written out."""
    import pyarrow as pa
    from pyarrow import compute as pc

    stored = _stored(column.type)
    if _is_text(stored):
        written = pc.sum(pc.match_substring_regex(column, _WRITTEN)).as_py() or 0
        cells = len(column) - column.null_count
        return bool(cells and 2 * written >= cells)
    if not _is_list(stored):
        return False
    entry = stored.value_type  # of empty lists it has no type; lists of lists are refused where they are read
    return bool(is_numeric(entry) or _is_list(entry) or pa.types.is_null(entry))


def matrix(column: Any, name: str, label: str) -> NDArray[Any]:
    """Return the vectors of an Arrow column as rows, in the type in which they are stored.

    A view of the column's memory where its type gives all vectors one length and it is in one piece.

    Parameters
    ----------
    column
        As ``is_vectors`` tells.
    name, label
        What errors call the table and the column.
    """
    import pyarrow as pa

    stored = _stored(column.type)
    pieces = [getattr(piece, "storage", piece) for piece in column.chunks]
    column = pa.chunked_array(pieces, type=stored)
    if column.null_count:
        first = int(np.flatnonzero(column.is_null().to_numpy())[0])
        got = f"{count(column.null_count, 'missing vector')}, the first in {place(first)}"
        raise InputError(name, f"must have a vector in every row of {label!r}", got)
    column = _parsed(column, name, label) if _is_text(stored) else column
    lists = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if not is_numeric(lists.type.value_type):
        step = f"Keep one vector a row, or {_select(name)}."
        raise InputError(name, f"must hold vectors of numbers in {label!r}", f"lists of {lists.type.value_type}", step)
    width = _width(lists, name, label)
    entries = plain(lists.flatten())  # of the rows alone: a slice's values array begins before it
    return np.asarray(entries.to_numpy(zero_copy_only=False)).reshape(len(lists), width)


def entry_names(label: str, width: int) -> tuple[str, ...]:
    """Names of the entries of a vector.

    >>> entry_names("embedding", 2)
    ('embedding[1]', 'embedding[2]')
    """
    return tuple(f"{label}[{j + 1}]" for j in range(width))


def vector_label(columns: Sequence[str]) -> str | None:
    """Return the column of vectors whose entries these are; None where they are columns of their own.

    >>> vector_label(("embedding[1]", "embedding[2]")), vector_label(("a", "b"))
    ('embedding', None)
    """
    label = columns[0].removesuffix("[1]")
    return label if tuple(columns) == entry_names(label, len(columns)) else None


def from_rows(rows: NDArray[Any]) -> Any:
    """Return rows as an Arrow column of vectors of one length, in their own type."""
    import pyarrow as pa

    entries = pa.array(np.ascontiguousarray(rows).reshape(-1))
    return pa.FixedSizeListArray.from_arrays(entries, rows.shape[1])


def from_objects(cells: Sequence[Any], name: str, label: str) -> Any:
    """Return lists, tuples or arrays as an Arrow column of vectors."""
    import pyarrow as pa

    plain = [None if cell is None or isinstance(cell, float) else np.asarray(cell) for cell in cells]
    try:
        return pa.array(plain)
    except (pa.ArrowException, ValueError, TypeError):
        raise InputError(name, f"must hold vectors of numbers in {label!r}", "lists of other things") from None


def _width(lists: Any, name: str, label: str) -> int:
    import pyarrow as pa
    from pyarrow import compute as pc

    if pa.types.is_fixed_size_list(lists.type):
        width = int(lists.type.list_size)
    else:
        lengths = np.asarray(pc.list_value_length(lists).to_numpy(zero_copy_only=False))
        width = int(lengths[0]) if len(lengths) else 0
        other = np.flatnonzero(lengths != width)
        if len(other):
            row = int(other[0])
            got = f"{width} numbers in row 0, {int(lengths[row])} in {place(row)}"
            step = f"Keep the vectors of one model, or {_select(name)}."
            raise InputError(name, f"must hold vectors of one length in {label!r}", got, step)
    if not width:
        raise InputError(name, f"must hold vectors in {label!r}", "empty lists")
    return width


def _parsed(column: Any, name: str, label: str) -> Any:
    """Lists of numbers from their text: brackets of any kind around numbers between commas or spaces."""
    import pyarrow as pa
    from pyarrow import compute as pc

    plain = pc.utf8_trim(column.cast(pa.large_string()), " \t\r\n[](){},")
    entries = pc.split_pattern_regex(plain, r"[,\s]+")
    try:
        return entries.cast(pa.large_list(pa.float64()))
    except pa.ArrowInvalid:  # its words quote the text
        step = f"Mend the text, or {_select(name)}."
        rule = f"must hold vectors of numbers in {label!r}"
        raise InputError(name, rule, "text that is no list of numbers in some rows", step) from None


def _stored(kind: Any) -> Any:
    """The type behind an extension, such as a tensor."""
    return getattr(kind, "storage_type", kind)


def _is_text(stored: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(stored) or pa.types.is_large_string(stored) or pa.types.is_string_view(stored))


def _is_list(stored: Any) -> bool:
    import pyarrow as pa

    return bool(
        pa.types.is_list(stored)
        or pa.types.is_large_list(stored)
        or pa.types.is_fixed_size_list(stored)
        or pa.types.is_list_view(stored)
        or pa.types.is_large_list_view(stored)
    )
