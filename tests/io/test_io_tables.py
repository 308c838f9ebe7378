# SPDX-License-Identifier: BSD-3-Clause
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from isobreach.errors import InputError
from isobreach.io import NumericTable, as_table, like
from isobreach.io.tables import KINDS

SECRET = "secret-4711"


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint64", "float32", "float64"])
def test_a_numpy_array_keeps_its_type_and_is_not_copied(dtype):
    values = np.arange(6, dtype=dtype).reshape(3, 2)
    table = as_table(values, "known")
    assert table.values.dtype == dtype
    assert np.shares_memory(table.values, values)
    assert (table.columns, table.ids, table.kind, table.notes) == (("c1", "c2"), None, "numpy", ())


def test_booleans_become_zero_and_one_and_foreign_byte_order_native():
    assert as_table(np.array([[True], [False]]), "known").values.dtype == np.int64
    swapped = as_table(np.array([[1.5]], dtype=">f8"), "known").values
    assert swapped.dtype.isnative
    assert swapped[0, 0] == 1.5


def test_a_table_goes_through_unchanged():
    table = as_table([[1, 2]], "known")
    assert as_table(table, "other") is table


@pytest.mark.parametrize(
    ("obj", "message"),
    [
        (np.arange(3), "known must be a table: two dimensions. Got 1 dimension."),
        (pd.Series([1, 2]), "known must be a table: two dimensions. Got 1 dimension."),
        ([[1, 2], [3]], "known must be a table: rows of equal length. Got a list."),
        (None, "known must be a table: two dimensions. Got 0 dimensions."),
        ([[SECRET]], "known must hold real numbers. Got values of type <U11."),
        (np.array([[SECRET, 1]], dtype=object), "known must hold real numbers. Got values of type object."),
        (np.ones((2, 2), dtype=complex), "known must hold real numbers. Got values of type complex128."),
        (np.empty((0, 2)), "known must have at least one row. Got 0 rows."),
        (np.empty((2, 0)), "known must have at least one numeric column. Got 0 numeric columns."),
        (np.array([[np.inf, np.nan], [1, 2]]), "Got 1 infinite; the first in row 0 (counted from 0), column 'c1'."),
        (np.array([[1, 2], [np.nan, np.nan]]), "known must have a number in every record. Got 1 without; the first in"),
        (pd.DataFrame({"a": []}, dtype=object), "known must have at least one row. Got 0 rows."),
        (
            pd.DataFrame({"a": [SECRET]}),
            "known must have at least one numeric column. Got 1 non-numeric column: 'a'.",
        ),
        (
            pd.DataFrame([[1, 2]], columns=["a", "a"]),
            "known must have distinct column names. Got 'a' more than once.",
        ),
        (
            pa.table([[1], [2]], names=["a", "a"]),
            "known must have distinct column names. Got 'a' more than once.",
        ),
    ],
)
def test_what_is_not_a_table_of_numbers_is_refused(obj, message):
    with pytest.raises(InputError) as caught:
        as_table(obj, "known")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert SECRET not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize(
    "table",
    [
        np.ma.masked_equal([[1, 2], [3, 0]], 3),
        np.array([[1, 2], [np.nan, 0]]),
        pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "b": [2, 0]}),
        pl.DataFrame({"a": [1, None], "b": [2, 0]}),
        pa.table({"a": [True, None], "b": [2, 0]}),
    ],
    ids=["masked", "numpy", "pandas", "polars", "arrow"],
)
def test_known_records_may_lack_attributes_and_no_others_may(table):
    np.testing.assert_array_equal(as_table(table, "known").values, [[1, 2], [np.nan, 0]])
    with pytest.raises(InputError, match=r"Got 1 missing, NaN or infinite; the first in row 1 \(counted from 0\)"):
        as_table(table, "released")


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"n": [SECRET, "b"], "x": [1, 2], "d": pd.to_datetime(["2020-01-01"] * 2), "y": [True, False]}),
        pl.DataFrame({"n": [SECRET, "b"], "x": [1, 2], "d": [object(), object()], "y": [True, False]}),
        pa.table({"n": [SECRET, "b"], "x": [1, 2], "d": pa.array([1, 2], pa.date32()), "y": [True, False]}),
    ],
    ids=["pandas", "polars", "arrow"],
)
def test_frames_give_their_numeric_columns_and_a_note_on_the_others(frame, request):
    table = as_table(frame, "released")
    assert table.values.dtype == np.int64
    assert table.left_out == ("n", "d")
    np.testing.assert_array_equal(table.values, [[1, 1], [2, 0]])
    assert table.columns == ("x", "y")
    assert table.kind == request.node.callspec.id
    assert table.notes == ("left out 2 non-numeric columns: 'n', 'd'",)


@pytest.mark.parametrize(
    ("column", "dtype"),
    [
        (pd.array([1, 2], dtype="Int64"), "int64"),
        (pd.array([1, 2], dtype="int32[pyarrow]"), "int32"),
        (pd.arrays.SparseArray([1.0, 2.0]), "float64"),
        (np.array([1, 2], dtype=np.float32), "float32"),
    ],
)
def test_pandas_extension_types_are_read_as_the_numbers_they_are(column, dtype):
    values = as_table(pd.DataFrame({"a": column}), "known").values
    assert values.dtype == dtype
    np.testing.assert_array_equal(values, [[1], [2]])


def test_arrow_decimals_are_numbers():
    column = pa.array(["1.5", "2.25"]).cast(pa.decimal128(5, 2))
    np.testing.assert_array_equal(as_table(pa.table({"a": column}), "known").values, [[1.5], [2.25]])


def test_arrow_values_keep_their_rows_across_chunks_and_blocks():
    count = 10_000
    chunked = pa.chunked_array([np.arange(7), np.arange(7, count)])
    other = pa.chunked_array([np.arange(5000) / 2, np.arange(5000, count) / 2])
    values = as_table(pa.table({"a": chunked, "b": other}), "known").values
    np.testing.assert_array_equal(values, np.column_stack([np.arange(count), np.arange(count) / 2]))
    assert values.flags.c_contiguous


@pytest.mark.parametrize(
    ("index", "ids"),
    [
        (None, None),
        (pd.RangeIndex(5, 7), [5, 6]),
        ([7, 3], [7, 3]),
        (["p", "q"], ["p", "q"]),
        (pd.MultiIndex.from_tuples([("p", 1), ("q", 2)]), ["('p', 1)", "('q', 2)"]),
    ],
)
def test_a_pandas_index_becomes_ids_unless_it_only_counts(index, ids):
    got = as_table(pd.DataFrame({"a": [1, 2]}, index=index), "known").ids
    assert (got if got is None else got.tolist()) == ids
    assert got is None or got.dtype.kind in "iU"


def test_subclasses_of_a_frame_are_frames():
    class Special(pd.DataFrame):
        pass

    assert as_table(Special({"a": [1]}), "known").kind == "pandas"


@given(
    arrays(np.float64, array_shapes(min_dims=2, max_dims=2), elements=st.floats(-1024, 1024, width=16)),
    st.sampled_from(KINDS),
)
def test_every_kind_of_container_round_trips(values, kind):
    columns = tuple(f"k{j}" for j in range(values.shape[1]))
    table = as_table(like(kind, values, columns), "known")
    assert table.kind == kind
    assert kind == "numpy" or table.columns == columns
    np.testing.assert_array_equal(table.values, values)


def test_ids_come_back_as_a_pandas_index():
    frame = like("pandas", np.ones((2, 1)), ["a"], np.array(["p", "q"]))
    assert list(frame.index) == ["p", "q"]


def test_an_unknown_kind_is_refused():
    with pytest.raises(InputError, match="kind must be one of numpy, pandas, polars, arrow"):
        like("dask", np.ones((1, 1)), ["a"])


def test_importing_io_loads_no_frame_library():
    heavy = {"pandas", "polars", "pyarrow", "numba"}
    code = f"import sys, isobreach.io; sys.exit(not {heavy}.isdisjoint(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_tables_compare_by_identity_since_arrays_do_not_compare():
    assert NumericTable(np.ones((1, 1)), ("a",)) != NumericTable(np.ones((1, 1)), ("a",))
