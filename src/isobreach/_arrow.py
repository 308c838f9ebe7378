# SPDX-License-Identifier: BSD-3-Clause
"""Arrow's columns as NumPy has them: which types are numbers, and how their values come out, batch by batch.

Whatever reads a table, at once or in passes, reads it through these, so that a number is the same number either way.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._columns import ColumnBlock

_MANY = 1 << 11  # rows for which a compiled kernel is worth its loading: blocks of a pass, not a small table


def is_numeric(arrow_type: Any) -> bool:
    """Whether values of an Arrow type are numbers; truths count as 0 and 1."""
    import pyarrow as pa

    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_decimal)
    return any(test(arrow_type) for test in tests)


def vector_width(arrow_type: Any) -> int | None:
    """Length of the vectors of an Arrow type: lists of numbers, all of the same length; None for any other type."""
    import pyarrow as pa

    stored = getattr(arrow_type, "storage_type", arrow_type)  # behind an extension such as a tensor
    if not pa.types.is_fixed_size_list(stored) or not is_numeric(stored.value_type):
        return None
    return int(stored.list_size)


def numpy_type(arrow_type: Any) -> np.dtype[Any]:
    """Type in which NumPy holds the numbers of an Arrow type: int64 for truths, float64 for decimals."""
    import pyarrow as pa

    if pa.types.is_boolean(arrow_type):
        return np.dtype(np.int64)
    if pa.types.is_decimal(arrow_type):
        return np.dtype(np.float64)
    # Two of Arrow's names mean something else to NumPy.
    name = str(arrow_type)
    dtype: np.dtype[Any] = np.dtype({"float": "float32", "halffloat": "float16"}.get(name, name))
    return dtype


def plain(column: Any) -> Any:
    """Return an Arrow column as NumPy has them: 0/1 for truths, float64 for decimals, NaN for what is missing."""
    import pyarrow as pa

    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int64())
    if pa.types.is_decimal(column.type) or (column.null_count and not pa.types.is_floating(column.type)):
        column = column.cast(pa.float64(), safe=False)
    return column.fill_null(float("nan")) if column.null_count else column


def arrow_array(values: NDArray[Any]) -> Any:
    """Return an array of one dimension as Arrow has it, without a copy of its numbers.

    Arrow's own way imports pandas wherever that is installed, which takes longer than a small table does.
    """
    import pyarrow as pa

    if values.dtype == np.bool_:
        bits = pa.py_buffer(np.packbits(values, bitorder="little"))
        return pa.Array.from_buffers(pa.bool_(), len(values), [None, bits])
    if values.dtype.kind in "iuf" and values.dtype.isnative:
        numbers = pa.py_buffer(np.ascontiguousarray(values))
        return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, numbers])
    if values.dtype.kind in "US":
        return pa.array(values.tolist())
    return pa.array(values)


def column_block(columns: list[Any]) -> ColumnBlock:
    """Return Arrow arrays of float64 numbers side by side as a block of rows, where they are; NaN for what is missing.

    Parameters
    ----------
    columns
        The arrays, without chunks.
    """
    numbers = [column.fill_null(float("nan")) if column.null_count else column for column in columns]
    # Arrow gives addresses at once; NumPy takes longer for that than a kernel for its work.
    addresses = [column.buffers()[1].address + 8 * column.offset for column in numbers]
    arrays: list[NDArray[Any]] = [np.from_dlpack(column) for column in numbers]
    return ColumnBlock(arrays, addresses)


def fill(into: NDArray[Any], columns: list[Any]) -> None:
    """Write Arrow arrays of numbers side by side into an array, or one array of vectors.

    Parameters
    ----------
    into
        As many rows as the arrays have, and a column for each of them, or for each entry of a vector.
    columns
        The arrays, without chunks.
    """
    if len(columns) == 1 and (width := vector_width(columns[0].type)) is not None:
        vectors = getattr(columns[0], "storage", columns[0])
        entries = vectors.values.slice(vectors.offset * width, len(vectors) * width)
        into[:] = np.from_dlpack(plain(entries)).reshape(-1, width)
        if vectors.null_count:
            into[np.from_dlpack(vectors.is_null().cast("uint8")).view(np.bool_)] = np.nan
        return
    parts: list[NDArray[Any]] = [
        np.from_dlpack(plain(column)) for column in columns
    ]  # not to_numpy, which imports pandas
    done = 0
    if into.dtype == np.float64 and len(into) >= _MANY and all(part.dtype == np.float64 for part in parts):
        from isobreach._interleaved import eight

        while done + 8 <= len(parts):
            eight(into[:, done : done + 8], *parts[done : done + 8])
            done += 8
    for place in range(done, len(parts)):
        into[:, place] = parts[place]
