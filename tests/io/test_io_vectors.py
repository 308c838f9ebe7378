# SPDX-License-Identifier: BSD-3-Clause
"""Vectors come in as they are stored: whatever holds them, the same numbers as a plain array."""

import gzip
import json
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather, parquet

import isobreach as ib
from isobreach.errors import InputError
from isobreach.io import as_raw, as_table, numbers_of, read_table
from isobreach.io.vectors import from_rows, matrix

VECTORS = np.random.default_rng(1).standard_normal((40, 3))
NAMES = ("vector[1]", "vector[2]", "vector[3]")
BESIDE = {"page": np.arange(40), "text": [f"sentence {i}" for i in range(40)]}
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}


def frame(kind, vectors):
    return FRAMES[kind]({**BESIDE, "vector": vectors})


KINDS = {
    "pandas lists": lambda: frame("pandas", VECTORS.tolist()),
    "pandas arrays": lambda: frame("pandas", [*VECTORS]),
    "pandas tuples": lambda: frame("pandas", [*map(tuple, VECTORS)]),
    "pandas arrow": lambda: frame("pandas", pd.array(VECTORS.tolist(), dtype=pd.ArrowDtype(pa.list_(pa.float64())))),
    "pandas text": lambda: frame("pandas", [str(row.tolist()) for row in VECTORS]),
    "polars text": lambda: frame("polars", [str(tuple(row.tolist())) for row in VECTORS]),
    "polars list": lambda: frame("polars", VECTORS.tolist()),
    "polars array": lambda: frame("polars", VECTORS),
    "arrow list": lambda: frame("arrow", pa.array(VECTORS.tolist())),
    "arrow pieces": lambda: pa.concat_tables(
        [frame("arrow", from_rows(VECTORS)).slice(0, 7), frame("arrow", from_rows(VECTORS)).slice(7)]
    ),
    "arrow large list": lambda: frame("arrow", pa.array(VECTORS.tolist(), pa.large_list(pa.float64()))),
    "arrow view": lambda: frame("arrow", pa.array(VECTORS.tolist(), pa.list_view(pa.float64()))),
    "arrow fixed": lambda: frame("arrow", from_rows(VECTORS)),
    "arrow tensor": lambda: frame("arrow", pa.FixedShapeTensorArray.from_numpy_ndarray(np.ascontiguousarray(VECTORS))),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["X", "released", "known", "sample"])
def test_one_column_of_vectors_is_the_table(kind, name):
    table = as_table(KINDS[kind](), name)
    np.testing.assert_array_equal(table.values, VECTORS)
    assert (table.columns, table.left_out) == (NAMES, ("page", "text"))
    assert table.notes == (
        "read the vectors in column 'vector'; the columns beside them were left out: 'page', 'text'",
    )


@pytest.mark.parametrize("kind", KINDS)
def test_preparation_reads_the_same_vectors_and_says_what_it_left_out(kind):
    table = ib.prepare(KINDS[kind]())
    np.testing.assert_array_equal(table.values, VECTORS)
    assert (table.columns, table.left_out) == (NAMES, ("page", "text"))
    assert "Column 'page' was left out: a note beside vectors, which are the data." in {s.sentence for s in table.steps}
    np.testing.assert_array_equal(table.apply(KINDS[kind]()).values, VECTORS)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8, np.uint8])
def test_vectors_of_one_length_keep_their_type_and_their_memory(dtype):
    rows = (VECTORS * 10).astype(dtype)
    column = pa.chunked_array([from_rows(rows)])
    read = matrix(column, "released", "vector")
    assert read.dtype == dtype
    np.testing.assert_array_equal(read, rows)
    assert np.shares_memory(read, column.chunk(0).flatten().to_numpy(zero_copy_only=False))


WRITERS = {
    "v.parquet": lambda path, table: parquet.write_table(table, path, row_group_size=7),
    "v.arrow": lambda path, table: feather.write_feather(table, str(path)),
    "v.npz": lambda path, table: np.savez(path, page=BESIDE["page"], text=BESIDE["text"], vector=VECTORS),
    "v.jsonl": lambda path, table: path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist())),
    "v.jsonl.gz": lambda path, table: path.write_bytes(
        gzip.compress("".join(json.dumps(row) + "\n" for row in table.to_pylist()).encode())
    ),
    "v.csv": lambda path, table: pd.DataFrame(table.to_pylist()).to_csv(path, index=False),
}


@pytest.mark.parametrize("file", WRITERS)
def test_every_format_returns_the_bits_of_the_array(tmp_path, file):
    path = tmp_path / file
    WRITERS[file](path, KINDS["arrow fixed"]())
    for given_columns, ids in ((None, None), (["vector"], None), (None, "text")):
        table = read_table(path, name="released", columns=given_columns, id_column=ids)
        np.testing.assert_array_equal(table.values, VECTORS)
        assert table.columns == NAMES
        assert (table.ids is None) == (ids is None)
    np.testing.assert_array_equal(numbers_of(as_raw(path, "X"), "X").values, VECTORS)
    both = read_table(path, name="released", columns=["vector", "page"])
    np.testing.assert_array_equal(both.values, np.column_stack([VECTORS, BESIDE["page"]]))
    alone = read_table(path, name="released", columns=["page"])
    np.testing.assert_array_equal(alone.values[:, 0], BESIDE["page"])


def test_fvecs_are_read_as_they_are_written_elsewhere(tmp_path):
    rows = VECTORS.astype("<f4")
    (tmp_path / "v.fvecs").write_bytes(np.hstack([np.full((40, 1), 3, "<i4"), rows.view("<i4")]).tobytes())
    table = read_table(tmp_path / "v.fvecs", name="released")
    assert table.values.dtype == np.float32
    np.testing.assert_array_equal(table.values, rows)


@given(st.data())
def test_whatever_happened_to_an_export_it_is_one_line(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("exports")
    file = data.draw(st.sampled_from(["v.npz", "v.jsonl", "v.fvecs", "v.jsonl.gz"]))
    path = folder / file
    if file == "v.fvecs":
        path.write_bytes(np.hstack([np.full((4, 1), 3, "<i4"), VECTORS[:4].astype("<f4").view("<i4")]).tobytes())
    else:
        WRITERS[file](path, KINDS["arrow fixed"]())
    content = bytearray(path.read_bytes())
    for place, value in data.draw(st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)))):
        content[int(place * len(content))] = value
    path.write_bytes(bytes(content[: data.draw(st.integers(0, len(content)))]))
    try:
        assert read_table(path, name="released").values.ndim == 2
    except InputError as error:
        assert "\n" not in str(error)  # noqa: PT017


WRONG = {
    "lengths": (
        {"v": [[1, 2], [1, 2], [1]]},
        r"must hold vectors of one length in 'v'\. Got 2 numbers in row 0, 1 in row",
    ),
    "missing": (
        {"v": [[1, 2], None]},
        r"must have a vector in every row of 'v'\. Got 1 missing vector",
    ),
    "empty": ({"v": [[], []]}, "must hold vectors"),
    "NaN": (
        {"v": [[1.0, 2.0], [1.0, float("nan")]]},
        r"must be finite everywhere\. Got 1 .* row 1 .*, column 'v\[2\]'",
    ),
    "hole": ({"v": [[1, 2], [1, None]]}, r"must be finite everywhere\. Got 1 .* row 1 .*, column 'v\[2\]'"),
    "two columns": (
        {"v": [[1, 2]], "w": [[3]]},
        r"must have one column of vectors, or a choice\. Got 2: 'v', 'w'\.",
    ),
    "matrices": ({"v": [[[1, 2]], [[3, 4]]]}, "must hold vectors of numbers in 'v'"),
    "text": ({"v": ["[1, 2]", "[1, secret]"]}, r"must hold vectors of numbers in 'v'\. Got text that is no list"),
}


@pytest.mark.parametrize(("columns", "rule"), WRONG.values(), ids=WRONG)
def test_vectors_that_are_none_are_one_line_that_quotes_nothing(columns, rule):
    with pytest.raises(InputError, match=f"^released {rule}") as caught:
        as_table(pa.table(columns), "released")
    assert "secret" not in str(caught.value)


def test_lists_of_words_are_notes():
    table = as_table(pa.table({"tags": [["a"], ["b"]], "x": [1.0, 2.0]}), "released")
    assert (table.columns, table.left_out) == (("x",), ("tags",))


def test_lists_of_decimals_and_of_truths_are_vectors_of_numbers():
    """A database hands decimals over as such: as objects they would be no numbers."""
    cells = [[Decimal("0.5"), Decimal("1.25")], [Decimal("2"), Decimal("3")]]
    table = as_table(pa.table({"v": pa.array(cells, pa.list_(pa.decimal128(9, 4)))}), "released")
    assert (table.values.dtype, table.values.tolist()) == (np.float64, [[0.5, 1.25], [2, 3]])
    assert as_table(pa.table({"v": [[True, False], [False, True]]}), "released").values.tolist() == [[1, 0], [0, 1]]


def test_a_text_column_with_a_few_brackets_is_no_vector():
    remarks = ["[1, 2]", "(see note 3)", "[a, b]", "(1) first"]
    assert as_table(pa.table({"remark": remarks, "x": [1.0, 2, 3, 4]}), "released").left_out == ("remark",)
