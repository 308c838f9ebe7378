# SPDX-License-Identifier: BSD-3-Clause
"""Codes of digits, such as postcodes: a zero in front says that a number is none."""

import polars as pl
import pytest

import isobreach as ib

ZIPS = ["02139", "10115", "00501", "02139", "94103"]


def write(folder, zips=ZIPS, copies=1):
    lines = [f"{20 + 3 * i},{code},{i % 3}" for i, code in enumerate(zips * copies)]
    path = folder / "people.csv"
    path.write_text("\n".join(["age,zip,sons", *lines, ""]))
    return path


def test_a_code_is_a_category_and_goes_back(tmp_path):
    table = ib.prepare(write(tmp_path, copies=3), categories="one-hot")
    assert table.columns[1:5] == ("zip=00501", "zip=02139", "zip=10115", "zip=94103")
    assert table.attributes == ("age", "zip", "sons")
    assert table.restore(table.values)["zip"].to_pylist() == ZIPS * 3
    assert "Column 'zip' holds digits with zeros in front: a code, which is text and no amount." in [
        step.sentence for step in table.steps
    ]
    (tmp_path / "known.csv").write_text("age,zip,sons\n30,10115,1\n31,94103,0\n")  # none has a zero in front
    assert table.apply(tmp_path / "known.csv").values[:, 1:5].tolist() == [[0, 0, 1, 0], [0, 0, 0, 1]]


def test_a_code_is_left_out_with_a_word_where_text_is(tmp_path):
    table = ib.prepare(write(tmp_path))
    assert table.columns == ("age", "sons")
    said = [step.sentence for step in table.steps if step.column == "zip"]
    assert said[0].startswith("Column 'zip' holds digits with zeros in front")
    assert said[1].startswith("Column 'zip' was left out: text")
    assert table.left_out == ("zip",)


@pytest.mark.parametrize("frame", [lambda path: path, lambda path: pl.read_csv(path, infer_schema=False)])
def test_whole_numbers_without_such_zeros_are_amounts(tmp_path, frame):
    table = ib.prepare(frame(write(tmp_path, ["2139", "10115", "0", "501", "94103"])))
    assert table.columns == ("age", "zip", "sons")


def test_whoever_names_a_code_wants_its_number(tmp_path):
    table = ib.prepare(write(tmp_path), columns=["age", "zip"])
    assert table.values[:, 1].tolist() == [2139, 10115, 501, 2139, 94103]


def test_a_category_some_of_whose_values_are_numbers(tmp_path):
    """Census Income has - 50000. and 50000+. in a column: it was refused as numbers with text among them."""
    incomes = ["- 50000."] * 28 + ["50000+."] * 2
    (tmp_path / "census.csv").write_text("\n".join(["age,income", *(f"{20 + i},{x}" for i, x in enumerate(incomes))]))
    table = ib.prepare(tmp_path / "census.csv", categories="one-hot", columns=["age", "income"])
    assert table.columns == ("age", "income=50000+.")


@pytest.mark.parametrize("odd", [["4l"], ["4l", "none", "none"]])
def test_text_that_comes_once_among_numbers_is_a_mistake(tmp_path, odd):
    (tmp_path / "people.csv").write_text("\n".join(["age,sons", *(f"{x},{x}" for x in ["1", "2", "3"] * 20 + odd)]))
    with pytest.raises(ib.InputError, match=r"must hold numbers in column 'age', as it does elsewhere. Got text in"):
        ib.prepare(tmp_path / "people.csv", categories="one-hot")


def test_marks_of_missing_values_may_have_spaces_around_them(tmp_path):
    """Census Income writes a space after each comma: a question mark was a category of its own."""
    lines = [f"{20 + i % 7}, {town}, {pay}" for i, (town, pay) in enumerate([("Ulm", 3), ("?", 4), ("Graz", "NA")] * 8)]
    (tmp_path / "census.csv").write_text("\n".join(["age, town, pay", *lines]))
    with pytest.raises(ib.InputError, match=r"16 missing values in 2 of 3 columns: 'town' 8, 'pay' 8\."):
        ib.prepare(tmp_path / "census.csv", categories="one-hot")
