# SPDX-License-Identifier: BSD-3-Clause
import hashlib
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from pyarrow import parquet

from isobreach.errors import InputError, OutputError
from isobreach.io import file_hash, read_table, write_table

SECRET = "secret-4711"

real_tables = st.one_of(
    arrays(
        np.float64,
        array_shapes(min_dims=2, max_dims=2, max_side=8),
        elements=st.floats(-1e140, 1e140, allow_subnormal=False),
    ),
    arrays(np.int64, array_shapes(min_dims=2, max_dims=2, max_side=8)),
    arrays(
        np.float32,
        array_shapes(min_dims=2, max_dims=2, max_side=8),
        elements=st.floats(-(2.0**99), 2.0**99, width=32, allow_subnormal=False),
    ),
).filter(lambda values: values.dtype.kind == "i" or not 0 < abs(values).max() < 1e-140)


def write(folder, text, name="t.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def read(folder, text, name="known", **options):
    return read_table(write(folder, text), name=name, **options)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(values=real_tables, suffix=st.sampled_from([".csv", ".parquet", ".npy"]), with_ids=st.booleans())
def test_what_is_written_is_read_again_number_for_number(tmp_path, values, suffix, with_ids):
    path = tmp_path / f"t{suffix}"
    columns = [f"k{j}" for j in range(values.shape[1])]
    ids = np.array([f"p{i}" for i in range(len(values))]) if with_ids and suffix != ".npy" else None
    write_table(path, values, columns, ids=ids, force=True)
    table = read_table(path, name="known", id_column=None if ids is None else "id")
    np.testing.assert_array_equal(table.values.astype(values.dtype), values)
    if values.dtype != np.float32:
        np.testing.assert_array_equal(table.values, values)
    assert suffix == ".csv" or table.values.dtype == values.dtype
    assert suffix == ".npy" or table.columns == tuple(columns)
    assert ids is None or table.ids.tolist() == ids.tolist()


def test_float32_in_csv_is_the_same_number_not_only_the_same_float32(tmp_path):
    values = np.array([[0.1]], dtype=np.float32)
    write_table(tmp_path / "t.csv", values, ["a"])
    assert read_table(tmp_path / "t.csv", name="known").values[0, 0] == float(values[0, 0])


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,2\n3,4\n",
        "a,b\n1,2\n3,4",
        "a,b\r\n1,2\r\n3,4\r\n",
        b"\xef\xbb\xbfa,b\n1,2\n3,4\n",
        '"a","b"\n"1","2"\n3,4\n',
        "a, b \n 1, 2\n3 ,4\n",
        "a;b\n1;2\n3;4\n",
        "a\tb\n1\t2\n3\t4\n",
        "\na,b\n\n1,2\n\n3,4\n\n",
        "a,b,\n1,2,\n3,4,\n",
    ],
)
def test_every_usual_form_of_csv_is_understood(tmp_path, text):
    table = read(tmp_path, text)
    assert table.columns == ("a", "b")
    assert table.values.dtype == np.int64
    np.testing.assert_array_equal(table.values, [[1, 2], [3, 4]])


def test_one_column_with_fractions_makes_the_table_float(tmp_path):
    assert read(tmp_path, "a,b\n1,2\n3,4.5\n").values.dtype == np.float64


@pytest.mark.parametrize("text", ["1,2.5\n3,4\n", "1;2,5\n3;4,0\n"])
def test_a_file_without_header_gets_names_and_a_note(tmp_path, text):
    table = read(tmp_path, text)
    assert table.columns == ("c1", "c2")
    np.testing.assert_array_equal(table.values, [[1, 2.5], [3, 4]])
    assert table.notes == ("no header line, as the first one is all numbers: the columns are called c1, c2, ...",)
    assert read(tmp_path, text, columns=["c2"]).values.tolist() == [[2.5], [4]]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("0,1,2\n5,6,7\n", ("0", "1", "2")),  # as pandas writes a frame without names
        (",0,1,2\nx,5,6,7\n", ("0", "1", "2")),  # and with its index
        ("country,1990,1995,2000\nx,5,6,7\n", ("1990", "1995", "2000")),
    ],
)
def test_numbers_that_count_name_columns_and_a_note_says_so(tmp_path, text, names):
    table = read(tmp_path, text, "released")
    assert (table.columns, table.values.tolist()) == (names, [[5, 6, 7]])
    assert "the first line counts, and was read as column names" in table.notes


@pytest.mark.parametrize("text", ["0,1\n5,6\n", "1,2,3\n5,6,7\n", "1990,1991,1993\n5,6,7\n", "0,1,2.5\n5,6,7\n"])
def test_other_numbers_are_a_record(tmp_path, text):
    assert len(read(tmp_path, text).values) == 2


def test_a_record_beside_text_never_becomes_column_names(tmp_path):
    with pytest.raises(InputError, match="none of them a number") as error:
        read(tmp_path, "anna,0,1\nbert,1,0\n")
    assert "Write a name over every column" in str(error.value)


@pytest.mark.parametrize("mark", ["-", "--", "?", ".", "n/a", "N/A", "NA", "null", "NULL", "–", "n.a."])
def test_marks_in_a_column_of_numbers_are_missing_values(tmp_path, mark):
    table = read(tmp_path, f"a,b\n1,2\n{mark},3\n4,5\n", "known")
    assert np.isnan(table.values[:, 0]).tolist() == [False, True, False]


def test_decimal_commas_are_read_where_semicolons_separate(tmp_path):
    np.testing.assert_array_equal(read(tmp_path, "a;b\n1,5;2\n-2,25e1;3\n").values, [[1.5, 2], [-22.5, 3]])


def test_text_and_dates_are_left_out_with_a_note(tmp_path):
    text = f'name,x,day,flag,none\n"{SECRET}, x\ny",1,2020-01-01,true,\nb,2,2020-01-02,false,NA\n'
    table = read(tmp_path, text, "released")
    assert table.columns == ("x", "flag")
    assert table.left_out == ("name", "day", "none")
    np.testing.assert_array_equal(table.values, [[1, 1], [2, 0]])
    assert table.notes == ("left out 3 non-numeric columns: 'name', 'day', 'none'",)


def test_a_text_column_may_hold_a_few_numbers(tmp_path):
    table = read(tmp_path, "a,b\n1,x\n2,7\n3,y\n", "released")
    assert table.columns == ("a",)


def test_columns_select_and_order(tmp_path):
    text = "a,b,c\n1,2,3\n4,5,6\n"
    for path in (write(tmp_path, text), tmp_path / "t.parquet"):
        if path.suffix == ".parquet":
            parquet.write_table(pa.table({"a": [1, 4], "b": [2, 5], "c": [3, 6]}), path)
        table = read_table(path, name="known", columns=["c", "a"])
        assert table.columns == ("c", "a")
        np.testing.assert_array_equal(table.values, [[3, 1], [6, 4]])


@pytest.mark.parametrize(
    ("written", "ids"),
    [
        (["7", "8"], [7, 8]),
        (["007", "8"], ["007", "8"]),
        (["NA", "b"], ["NA", "b"]),
        (["1.0", "2"], ["1.0", "2"]),
    ],
)
def test_ids_leave_the_values_and_stay_as_written(tmp_path, written, ids):
    table = read(tmp_path, f"a,who\n1,{written[0]}\n2,{written[1]}\n", id_column="who")
    assert table.columns == ("a",)
    assert table.ids.tolist() == ids


def test_ids_of_parquet_keep_their_type(tmp_path):
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"who": ["7", "8"], "a": [1, 2]}), path)
    assert read_table(path, name="known", id_column="who").ids.tolist() == ["7", "8"]
    assert read_table(path, name="known", columns=["a"], id_column="who").columns == ("a",)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_index_that_pandas_writes_is_no_attribute(tmp_path, suffix):
    frame = pd.DataFrame({"a": [1, 2], "b": [3, 4]}, index=[10, 12])
    path = tmp_path / f"t.{suffix}"
    getattr(frame, f"to_{suffix}")(path)
    table = read_table(path, name="known")
    assert table.columns == ("a", "b")
    assert table.ids.tolist() == [10, 12]
    assert "as ids" in table.notes[0]


def test_a_default_pandas_index_gives_no_ids(tmp_path):
    pd.DataFrame({"a": [1, 2]}).to_parquet(tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet", name="known").ids is None


def test_parts_are_read_in_the_order_of_their_names(tmp_path):
    folder = tmp_path / "year=2020"  # not to be taken for a column
    folder.mkdir()
    for part in (2, 0, 1):
        parquet.write_table(pa.table({"a": [part, part]}), folder / f"part-{part}.parquet")
    table = read_table(folder, name="known")
    assert table.columns == ("a",)
    assert table.values[:, 0].tolist() == [0, 0, 1, 1, 2, 2]
    parquet.write_table(pa.table({"a": [0.5]}), folder / "part-3.parquet")
    with pytest.raises(InputError, match=r"in every part. Got part-3.parquet, which differs from part-0.parquet"):
        read_table(folder, name="known")


def test_npy_is_mapped_not_copied(tmp_path):
    np.save(tmp_path / "t.npy", np.arange(6.0).reshape(2, 3))
    table = read_table(tmp_path / "t.npy", name="known")
    assert isinstance(table.values.base, np.memmap)
    chosen = read_table(tmp_path / "t.npy", name="known", columns=["c3", "c1"])
    assert chosen.columns == ("c3", "c1")
    np.testing.assert_array_equal(chosen.values, [[2, 0], [5, 3]])


def test_a_row_longer_than_a_megabyte_is_read(tmp_path):
    text = "a,note\n1,x\n2," + "y" * 5_000_000 + "\n3,z\n"
    assert read(tmp_path, text, "released").values.tolist() == [[1], [2], [3]]


def test_a_quoted_line_break_may_stand_where_arrow_divides_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr("isobreach.io.delimited._BLOCK_BYTES", 64)
    text = "a,note\n" + "".join(f'{i},"one\ntwo\nthree"\n' for i in range(50))
    assert read(tmp_path, text, "released").values[:, 0].tolist() == list(range(50))


def test_lines_longer_than_a_field_may_be_are_read(tmp_path):
    """Split at a separator that it does not have, a wide table is one field, too long for the csv module."""
    values = np.arange(10_000.0)[None] / 7
    write_table(tmp_path / "t.csv", values, [f"k{j}" for j in range(values.size)])
    np.testing.assert_array_equal(read_table(tmp_path / "t.csv", name="known").values, values)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", {}, "known must have at least one row. Got an empty file."),
        ("x" * 200_000, {}, "known must be CSV. Got one endless field in its first two lines."),
        ("\n\n", {}, "known must have at least one row. Got an empty file."),
        ("a,b\n", {}, "known must have at least one row. Got 0 rows."),
        (
            f"a,b\n1,2\n{SECRET}\n3,4\n",
            {},
            "known must have 2 fields in every row, like its first line. Got 1 in row 1 (counted from 0).",
        ),
        (f"1,2\n3,4\n5,6,{SECRET}\n", {}, "Got 3 in row 2 (counted from 0)."),
        (f"a,b\n1,2\n3,{SECRET}\n5,6\n", {}, "must hold numbers in column 'b'. Got text in row 1 (counted from 0)."),
        (f"a;b\n1;2,5\n3;{SECRET}\n5;6\n", {}, "must hold numbers in column 'b'. Got text in row 1 (counted from 0)."),
        (f"a,b\n1,\n2,{SECRET}\n5,6\n", {}, "must hold numbers in column 'b'. Got text in row 1 (counted from 0)."),
        (f"a\n{SECRET}\n", {}, "known must have at least one numeric column. Got 1 non-numeric column: 'a'."),
        (
            "a,b\n1,-inf\n3,\n",
            {},
            "known must hold finite numbers, or none where one is not known. Got 1 infinite;",
        ),
        (
            "a,b\n1,2\n,\n",
            {},
            "number in every record. Got 1 without; the first in row 1 (counted from 0). Leave",
        ),
        (
            "a\n1\n\n3\n",
            {},
            "known must have a number in every record. Got 1 without; the first in row 1 (counted from 0).",
        ),
        ("a,a\n1,2\n", {}, "known must have distinct column names. Got 'a' more than once."),
        (f'a,b\n1,"{SECRET}\n3,4\n', {}, "known must be well-formed CSV. Got quotes that do not match."),
        (b"a,b\n1,\xff\n3,4\n", {}, "known must be CSV in UTF-8. Got other"),
        (
            "a,b\n" + "1,2\n" * 5000 + "é,1\n",
            {},
            "known must hold numbers in column 'a'. Got text in row 5000 (counted from 0).",
        ),
        (
            ("a,b\n" + "1,2\n" * 5000 + "é,1\n").encode("latin-1"),
            {},
            "known must be CSV in UTF-8. Got other bytes in 'a'.",
        ),
        ("a,b\n1,2\n".encode("utf-16"), {}, "known must be CSV in UTF-8."),
        (
            "high,b\n1,2\n",
            {"columns": ["hihg"]},
            "columns must name columns of known. Got 'hihg'. Did you mean 'high'?",
        ),
        ("a,b\n1,2\n", {"columns": ["zzz"]}, "columns must name columns of known. Got 'zzz'."),
        (
            "a,b\n1,2\n",
            {"columns": ["a", "a"]},
            "columns must have distinct column names. Got 'a' more than once.",
        ),
        ("a,b\n1,2\n", {"id_column": "i"}, "id_column must name columns of known. Got 'i'."),
        (
            f"a,b\n1,{SECRET}\n",
            {"columns": ["a", "b"]},
            "columns must be numeric columns of known. Got 1 non-numeric column: 'b'.",
        ),
        (f"a,b\n1,{SECRET}\n", {"columns": ["b"], "id_column": "a"}, "columns must be numeric columns of known."),
        ("who\n1\n", {"id_column": "who"}, "known must have at least one numeric column."),
        (b"who,a\n\xff,1\n", {"id_column": "who"}, "known must be CSV in UTF-8."),
        (
            b"who,a\n" + b"x,1\n" * 5000 + b"\xff,1\n",
            {"id_column": "who"},
            "known must be well-formed CSV in UTF-8.",
        ),
        ("a,b\n1e200,2\n", {}, "known must have its largest entry between"),
    ],
)
def test_a_bad_csv_is_refused_in_one_line_without_its_contents(tmp_path, text, options, message):
    with pytest.raises(InputError) as caught:
        read(tmp_path, text, **options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert SECRET not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_an_odd_number_of_quotes_inside_text_is_fine(tmp_path):
    assert read(tmp_path, 'a,size\n1,5" pipe\n2,x\n', "released").values.tolist() == [[1], [2]]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.xls", b"", "known must be a .csv, .tsv, .csv.gz, "),
        ("t", b"1,2", "file, or a folder of .parquet parts. Got "),
        ("t.parquet", b"", "known must be readable as Parquet. Got a damaged file or another format."),
        ("t.parquet", b"PAR1" + SECRET.encode() * 9 + b"PAR1", "known must be readable as Parquet."),
        ("t.npy", b"", "known must be a .npy file of real numbers. Got Python objects or a damaged file."),
        ("t.npy", SECRET.encode(), "known must be a .npy file of real numbers."),
    ],
)
def test_what_is_no_table_file_is_refused(tmp_path, name, content, message):
    with pytest.raises(InputError) as caught:
        read_table(write(tmp_path, content, name), name="known")
    assert message in str(caught.value)
    assert SECRET not in str(caught.value)


def test_bad_npy_arrays_are_refused(tmp_path):
    path = tmp_path / "t.npy"
    for array, message in [
        (np.arange(3.0), "two dimensions. Got 1 dimension."),
        (np.array([[SECRET]], dtype=object), "must be a .npy file of real numbers. Got Python objects"),
        (np.array([[SECRET]]), "must hold real numbers. Got values of type <U11"),
        (np.zeros((0, 3)), "must have at least one row. Got 0 rows."),
        (np.array([[1, np.inf]]), "1 infinite; the first in row 0 (counted from 0), column 'c2'."),
    ]:
        np.save(path, array, allow_pickle=True)
        with pytest.raises(InputError) as caught:
            read_table(path, name="known")
        assert message in str(caught.value)
        assert SECRET not in str(caught.value)
    np.save(path, np.ones((9, 9)))
    with pytest.raises(InputError, match=r"id_column must be left out for .npy"):
        read_table(path, name="known", id_column="c1")
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(InputError, match=r"Python objects or a damaged file"):
        read_table(path, name="known")
    with path.open("wb") as file:
        np.savez(file, a=np.ones((2, 2)))
    with pytest.raises(InputError, match=r"must be a .npy file"):
        read_table(path, name="known")


def test_a_damaged_parquet_file_is_refused_without_arrows_text(tmp_path):
    path = tmp_path / "t.parquet"
    write_table(path, np.random.default_rng(0).normal(size=(1000, 2)), ["a", "b"])
    content = bytearray(path.read_bytes())
    content[4:400] = bytes(396)
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"known must be readable as Parquet. Got a damaged file"):
        read_table(path, name="known")


def test_missing_ids_and_missing_files_are_refused(tmp_path):
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"who": ["p", None], "a": [1, 2]}), path)
    with pytest.raises(InputError, match=r"known must have an id in every row of 'who'. Got 1 missing."):
        read_table(path, name="known", id_column="who")
    with pytest.raises(InputError, match=r"known must be an existing file or folder. Got no.csv."):
        read_table("no.csv", name="known")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"known must be a folder with .parquet parts. Got none in"):
        read_table(tmp_path / "empty", name="known")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".npy"])
def test_a_forbidden_file_is_refused(tmp_path, suffix):
    path = write(tmp_path, "a\n1\n", f"t{suffix}")
    path.chmod(0)
    with pytest.raises(InputError, match=r"known must be readable. Got .*: Permission denied"):
        read_table(path, name="known")


def test_outputs_that_could_not_be_read_again_are_refused(tmp_path):
    values = np.ones((2, 2))
    with pytest.raises(InputError, match=r"output must be a .csv, .*.arrow or .npy file. Got "):
        write_table(tmp_path / "t.txt", values, ["a", "b"])
    with pytest.raises(InputError, match=r"output must be a .csv, .*.feather or .arrow file to hold ids"):
        write_table(tmp_path / "t.npy", values, ["a", "b"], ids=np.arange(2))
    with pytest.raises(InputError, match=r"columns must not all be numbers in a CSV file"):
        write_table(tmp_path / "t.csv", values, ["2019", "2020"])
    with pytest.raises(InputError, match=r"output must have distinct column names. Got 'a' more than once"):
        write_table(tmp_path / "t.csv", values, ["a", "b"], ids=np.arange(2), id_column="a")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".npy", ".NPY"])
def test_an_existing_output_is_kept_unless_forced(tmp_path, suffix):
    path = tmp_path / f"t{suffix}"
    write_table(path, np.ones((1, 1)), ["a"])
    with pytest.raises(OutputError, match=r"exists. Use force=True to replace it."):
        write_table(path, np.zeros((1, 1)), ["a"])
    assert read_table(path, name="known").values.tolist() == [[1]]
    write_table(path, np.zeros((1, 1)), ["a"], force=True)
    assert read_table(path, name="known").values.tolist() == [[0]]
    assert list(tmp_path.iterdir()) == [path]


def test_the_hash_is_that_of_the_usual_tools(tmp_path):
    path = write(tmp_path, "abc")
    assert file_hash(path) == f"sha256:{hashlib.sha256(b'abc').hexdigest()}"
    folder = tmp_path / "parts"
    folder.mkdir()
    write(folder, "x", "a.parquet")
    alone = file_hash(folder)
    write(folder, "y", "b.parquet")
    both = file_hash(folder)
    listing = "".join(f"{hashlib.sha256(c).hexdigest()}  {n}\n" for c, n in [(b"x", "a.parquet"), (b"y", "b.parquet")])
    assert both == f"sha256:{hashlib.sha256(listing.encode()).hexdigest()}"
    assert alone != both


def test_strings_are_paths_too(tmp_path):
    write_table(str(tmp_path / "t.csv"), np.ones((1, 1)), ["a"])
    assert read_table(str(tmp_path / "t.csv"), name="known").values.shape == (1, 1)
    assert file_hash(str(tmp_path / "t.csv")) == file_hash(Path(tmp_path / "t.csv"))


CELLS = {  # a cell is missing in the second row, column b
    "empty": "a,b\n1,2\n3,\n5,6\n",
    "NaN": "a,b\n1,2\n3,NaN\n5,6\n",
    "NA": "a,b\n1,2\n3,NA\n5,6\n",
    "decimal commas": "a;b\n1,5;2,5\n3,5;\n5,5;6,5\n",
}


@pytest.mark.parametrize("content", CELLS.values(), ids=CELLS)
def test_a_known_record_may_lack_cells_and_no_other_table_may(tmp_path, content):
    path = write(tmp_path, content)
    table = read_table(path, name="known")
    assert np.isnan(table.values).tolist() == [[False, False], [False, True], [False, False]]
    for name in ("released", "dictionary", "sample", "X"):
        with pytest.raises(InputError) as caught:
            read_table(path, name=name)
        rule = f"{name} must be finite everywhere. Got 1 missing, NaN or infinite; "
        rule += "the first in row 1 (counted from 0), column 'b'."
        step = " Drop or fill them: isobreach.prepare(X, missing='drop') or 'mean'." if name == "X" else ""
        assert str(caught.value) == rule + step


def test_nulls_of_parquet_are_cells_that_are_not_known(tmp_path):
    parquet.write_table(pa.table({"a": [1, None, 3], "b": [0.5, 1.5, None]}), tmp_path / "t.parquet")
    values = read_table(tmp_path / "t.parquet", name="known").values
    np.testing.assert_array_equal(values, [[1, 0.5], [np.nan, 1.5], [3, np.nan]])
    with pytest.raises(InputError, match=r"released must be finite everywhere. Got 2 missing"):
        read_table(tmp_path / "t.parquet", name="released")
