# SPDX-License-Identifier: BSD-3-Clause
"""One numeric table, whatever container it came in, and the way back into that container.

Everything behind this module works on NumPy arrays alone. Column names and ids travel beside the values, so
that results can name what they speak of. Frame libraries are recognised by the name of their module and
imported only when an object of theirs is at hand: neither is needed to use isobreach.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._arrow import fill, is_numeric, numpy_type, plain
from isobreach._naming import way
from isobreach._phrases import first_few
from isobreach._validation import check_choice, check_names, check_shape, check_table
from isobreach.errors import InputError, MissingExtraError
from isobreach.io.vectors import Chosen, chosen, entry_names, from_objects, is_vectors, matrix

KINDS = ("numpy", "pandas", "polars", "arrow")

# Records that are compared with whole released rows: one that lost an attribute would pass for a narrower one.
_WHOLE = frozenset({"known", "dictionary", "sample"})
_PARTIAL = frozenset({"known", "values"})  # records that may lack attributes: empty cells, nulls, NaN
_LISTED = 20  # columns that a message names: as many as fit into two lines

# Rows copied at a time out of columnar memory: a block of a hundred columns stays in the cache.
_BATCH_ROWS = 4096


@dataclass(frozen=True, eq=False)
class NumericTable:
    """Numbers, the names of their columns, the ids of their rows, and what was said while reading them.

    ``left_out``: names of the columns that hold no numbers.
    """

    values: NDArray[Any]
    columns: tuple[str, ...]
    ids: NDArray[Any] | None = None
    kind: str = "numpy"
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


class TextColumnsError(InputError):
    """Records have columns of text, which released rows do not have: they may have to be prepared like the release."""


def numbers_hash(values: NDArray[Any]) -> str:
    """Return a hash of a table's numbers, the same whatever file holds them."""
    numbers = np.ascontiguousarray(values, dtype=np.float64) + 0.0  # there is one zero
    return f"sha256:{hashlib.sha256(f'{numbers.shape} '.encode() + numbers.tobytes()).hexdigest()}"


def from_memory(obj: Any, name: str) -> NumericTable:
    """Return a NumPy array, a pandas or polars frame, an Arrow table or nested lists as a checked table."""
    if isinstance(obj, NumericTable):
        return obj
    kind = _kind(obj)
    if kind == "pandas":
        return _from_pandas(obj, name)
    if kind == "polars":
        return from_arrow(obj.to_arrow(), name, kind=kind)
    if kind == "arrow":
        return from_arrow(obj, name, kind=kind)
    return from_numpy(obj, name)


def like(kind: str, values: NDArray[Any], columns: Sequence[str], ids: NDArray[Any] | None = None) -> Any:
    """Return the values in a container of the given kind; only pandas has a place for ids, its index."""
    check_choice("kind", kind, KINDS)
    if kind == "numpy":
        return values
    if kind == "arrow":
        import pyarrow as pa

        return pa.table(dict(zip(columns, values.T, strict=True)))
    try:
        if kind == "pandas":
            import pandas as pd

            return pd.DataFrame(values, columns=list(columns), index=ids)
        import polars as pl

        return pl.from_numpy(values, schema=list(columns), orient="row")
    except ImportError as error:
        raise MissingExtraError(f"a {kind} frame", kind, "frames") from error


def frame(columns: Mapping[str, NDArray[Any]]) -> Any:
    """Return named columns as a pandas frame, or as an Arrow table where pandas is not installed.

    Parameters
    ----------
    columns
        Arrays of the same length, each of its own type.
    """
    try:
        import pandas as pd
    except ImportError:
        import pyarrow as pa

        return pa.table(dict(columns))
    return pd.DataFrame(dict(columns))


def default_columns(count: int) -> tuple[str, ...]:
    """Names for the columns of a table that has none, and of a release, whose columns mix the owner's: c1, c2, ..."""
    return tuple(f"c{j + 1}" for j in range(count))


def from_numpy(obj: Any, name: str) -> NumericTable:
    """Return what NumPy can read as an array; a memory map stays one."""
    if np.ma.is_masked(obj):  # its hidden entries are missing ones, which asarray would uncover
        obj = obj.astype(np.float64).filled(np.nan)
    try:
        values = np.asarray(obj)
    except (TypeError, ValueError):
        # From None here and wherever data is parsed: the library's own text may quote an entry.
        raise InputError(name, "must be a table: rows of equal length", f"a {type(obj).__name__}") from None
    check_shape(name, values)
    values = values.astype(_settled(values.dtype), copy=False)
    columns = default_columns(values.shape[1])
    check_table(name, values, columns, partial=name in _PARTIAL)
    return NumericTable(values, columns)


def from_arrow(
    table: Any,
    name: str,
    *,
    kind: str = "numpy",
    required: bool = False,
    ids: NDArray[Any] | None = None,
    notes: tuple[str, ...] = (),
    beside: Sequence[str] = (),
) -> NumericTable:
    """Return the numeric columns of an Arrow table, or its vectors.

    ``required`` makes a column without numbers an error; ``beside``: columns that the table had besides.
    """
    import pyarrow as pa

    _check_size(name, table.shape)
    check_names(name, table.column_names)
    data = chosen(table, name, required=required, beside=beside)
    if data.vectors:
        return _from_vectors(table, name, data, kind, ids, notes)
    columns, left_out, more = numeric_columns(table.schema, name, required=required)
    notes += more
    parts = [plain(table.column(label)) for label in columns]
    dtype = np.result_type(*(numpy_type(part.type) for part in parts))
    values = np.empty((table.num_rows, len(parts)), dtype=dtype)
    start = 0
    for batch in pa.table(parts, names=list(columns)).to_batches(max_chunksize=_BATCH_ROWS):
        stop = start + batch.num_rows
        fill(values[start:stop], batch.columns)
        start = stop
    check_table(name, values, columns, partial=name in _PARTIAL)
    return NumericTable(values, columns, ids, kind, notes, left_out)


def numeric_columns(
    schema: Any, name: str, *, required: bool
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the columns of an Arrow schema that hold numbers, the others, and the note on these."""
    columns, left_out = _split(schema.names, [is_numeric(field.type) for field in schema])
    return columns, left_out, _left_out(name, columns, left_out, required=required)


def _from_vectors(
    table: Any, name: str, data: Chosen, kind: str, ids: NDArray[Any] | None, notes: tuple[str, ...]
) -> NumericTable:
    """Return vectors, and the numbers that were named beside them, as one table; vectors alone keep their memory."""
    _left_out(name, (), tuple(label for label in data.kept if not _holds_numbers(table, label, data)), required=True)
    parts: list[NDArray[Any]] = []
    columns: list[str] = []
    for label in data.kept:
        if label in data.vectors:
            parts.append(matrix(table.column(label), name, label))
            columns += entry_names(label, parts[-1].shape[1])
        else:
            parts.append(np.asarray(plain(table.column(label)).to_numpy())[:, None])
            columns.append(label)
    values = parts[0] if len(parts) == 1 else np.hstack(parts)
    check_names(name, columns)
    check_table(name, values, columns, partial=name in _PARTIAL)
    return NumericTable(values, tuple(columns), ids, kind, notes + data.notes, data.beside)


def _holds_numbers(table: Any, label: str, data: Chosen) -> bool:
    return label in data.vectors or is_numeric(table.column(label).type)


def _from_pandas(frame: Any, name: str) -> NumericTable:
    """Return the numeric columns of a pandas frame, its index as ids unless it only counts the rows."""
    import pandas as pd

    _check_size(name, frame.shape)
    labels = [str(label) for label in frame.columns]
    check_names(name, labels)
    counts = isinstance(frame.index, pd.RangeIndex) and frame.index.start == 0 and frame.index.step == 1
    ids = None if counts else as_ids(frame.index)
    vectors = _pandas_vectors(frame, name, labels)
    if vectors.num_columns:
        beside = [label for label in labels if label not in vectors.column_names]
        return from_arrow(vectors, name, kind="pandas", ids=ids, beside=beside)
    numeric = [pd.api.types.is_numeric_dtype(dtype) for dtype in frame.dtypes]
    columns, left_out = _split(labels, numeric)
    notes = _left_out(name, columns, left_out)
    part = frame.loc[:, numeric]
    if part.isna().to_numpy().any():
        values = part.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        dtype = np.result_type(*(_numpy_dtype(dtype) for dtype in part.dtypes))
        values = part.to_numpy(dtype=_settled(dtype))
    check_table(name, values, columns, partial=name in _PARTIAL)
    return NumericTable(values, columns, ids, "pandas", notes, left_out)


def as_ids(labels: Any) -> NDArray[Any]:
    """Return labels as whole numbers where they are, else as text."""
    array = np.asarray(labels)
    return array if array.dtype.kind in "iuU" else np.array([str(label) for label in labels])


def _kind(obj: Any) -> str:
    for base in type(obj).__mro__:
        match base.__module__.partition(".")[0], base.__name__:
            case ("pandas" | "polars") as kind, "DataFrame":
                return kind
            case "pyarrow", "Table":
                return "arrow"
    return "numpy"


def _check_size(name: str, shape: tuple[int, int]) -> None:
    """Refuse a frame without rows or columns before its types are looked at: an empty column has none."""
    check_shape(name, np.broadcast_to(np.float64(0), shape))


def _split(labels: Sequence[str], numeric: Sequence[bool]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    pairs = list(zip(labels, numeric, strict=True))
    return tuple(label for label, keep in pairs if keep), tuple(label for label, keep in pairs if not keep)


def _left_out(
    name: str, columns: tuple[str, ...], left_out: tuple[str, ...], *, required: bool = False
) -> tuple[str, ...]:
    """Return the note on columns without numbers, or refuse where one was asked for or no other is left."""
    if not left_out:
        return ()
    plural = "" if len(left_out) == 1 else "s"
    listed = f"{len(left_out)} non-numeric column{plural}: {', '.join(map(repr, left_out))}"
    if required:
        raise InputError("columns", f"must be numeric columns of {name}", listed)
    if not columns:
        raise InputError(name, "must have at least one numeric column", listed)
    if name in _WHOLE:
        numeric = first_few(columns, _LISTED, ",")
        step = way(
            f"Use --columns {numeric}, or name its ids with --id-column. If the table was prepared before its release, "
            "add --steps FILE, which lies beside the key.",
            f"Select the others before the call ({numeric}). If the table was prepared before its release, prepare the "
            "records alike: table.apply(records).",
        )
        raise TextColumnsError(name, "must hold numbers in every column, as released rows do", listed, step)
    return (f"left out {listed}",)


def _object_vectors(column: Any) -> bool:
    """Whether a pandas column holds lists, tuples or arrays, which Arrow does not tell by their type."""
    if column.dtype.kind != "O" or hasattr(column.dtype, "pyarrow_dtype"):
        return False
    others = (cell for cell in column if not isinstance(cell, str | bytes | Mapping))
    return any(hasattr(cell, "__len__") for cell in others)


def _pandas_vectors(frame: Any, name: str, labels: Sequence[str]) -> Any:
    """Return the columns of a pandas frame that may be vectors as an Arrow table: lists, and text."""
    import pandas as pd
    import pyarrow as pa

    found = {}
    for j, label in enumerate(labels):
        column = frame.iloc[:, j]
        if _object_vectors(column):
            found[label] = pa.chunked_array([from_objects(column.tolist(), name, label)])
        elif hasattr(column.dtype, "pyarrow_dtype") or pd.api.types.is_string_dtype(column.dtype):
            found[label] = pa.chunked_array([pa.array(column, from_pandas=True)])
    return pa.table({label: cells for label, cells in found.items() if is_vectors(cells)})


def _numpy_dtype(dtype: Any) -> np.dtype[Any]:
    """Return the NumPy type behind a pandas one: nullable and Arrow types name it, sparse ones otherwise."""
    plain: np.dtype[Any] = np.dtype(getattr(dtype, "numpy_dtype", getattr(dtype, "subtype", dtype)))
    return plain


def _settled(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type to compute in: native byte order, and numbers for booleans, which do not subtract."""
    settled: np.dtype[Any] = np.dtype(np.int64) if dtype.kind == "b" else dtype.newbyteorder("=")
    return settled
