# SPDX-License-Identifier: BSD-3-Clause
"""Codes of digits, such as postcodes: a zero in front says that a number is none."""

import polars as pl
import pytest

import isobreach as ib
from isobreach.preparation import done_words

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
    reason = "a code (digits with zeros in front), and categories were not asked for"
    assert said == [f"Column 'zip' was left out: {reason} (categories='one-hot' keeps them)."]
    assert table.left_out == ("zip",)


def test_a_file_in_another_encoding_keeps_its_codes_and_the_message_says_how(tmp_path):
    """Whoever reads it into a frame instead may lose the zeros: 02139 becomes 2139."""
    path = write(tmp_path, copies=3)
    path.write_bytes(path.read_text().replace("sons", "söhne").encode("latin-1"))
    for call in (ib.prepare, ib.perturb, ib.audit):
        with pytest.raises(ib.InputError, match=r"ib\.prepare\(path, encoding='latin-1'\) or, for known records, "):
            call(path)
    table = ib.prepare(path, categories="one-hot", encoding="latin-1")
    assert table.attributes == ("age", "zip", "söhne")
    assert table.columns[1] == "zip=00501"
    assert table.apply(path, encoding="latin-1").values.tolist() == table.values.tolist()
    with pytest.raises(ib.InputError, match=r"encoding must be left out where frame is no path\. Got 'latin-1'\."):
        ib.prepare(pl.read_csv(path, encoding="latin-1"), encoding="latin-1")


def test_a_code_of_many_values_has_one_reason_to_be_left_out_and_names_no_rows(tmp_path):
    """A postcode that is another in every row does not name the rows, whatever chance did; one called id does."""
    zips = [f"{7 * i:05d}" for i in range(60)]
    table = ib.prepare(write(tmp_path, zips), categories="one-hot")
    assert [step.sentence for step in table.steps if step.column == "zip"] == [
        "Column 'zip' was left out: a code (digits with zeros in front) with too many different values for categories."
    ]
    assert table.left_out == ("zip",)
    path = write(tmp_path, zips)
    path.write_text(path.read_text().replace("zip", "case_id"))
    table = ib.prepare(path, categories="one-hot")
    assert [step.parameters["reason"] for step in table.steps if step.column == "case_id"] == ["id"]
    assert table.left_out == ()


def test_amounts_say_how_they_were_written_and_each_way_has_its_sentence(tmp_path):
    rows = [f"{i},5;{i * i},25;2{i % 10}.362,{i % 10}8 EUR;{i}" for i in range(30)]
    (tmp_path / "costs.csv").write_text("\n".join(["age;weight;cost;visits", *rows]))
    table = ib.prepare(tmp_path / "costs.csv", columns=["age", "weight", "cost", "visits"])
    several = "decimal commas, a currency and separators of thousands"
    assert done_words(table.steps) == [
        "2 columns ('age', 'weight') were read as numbers: they were written with decimal commas.",
        f"Column 'cost' was read as numbers: it was written with {several}.",
    ]


def test_whole_numbers_that_may_be_codes_are_said_to_be_taken_as_amounts(tmp_path):
    rows = [f"{20.5 + i},{i % 4},{(4100, 4200, 4710, 9999)[i % 4]},{i % 2},{i * i % 37}" for i in range(60)]
    path = tmp_path / "wards.csv"
    path.write_text("\n".join(["age,stage,cost_code,sex,visits", *rows]))
    table = ib.prepare(path)
    said = "2 columns ('stage' and 'cost_code') hold few different whole numbers, which were taken as amounts."
    name_them = "If they are codes, name them: codes=['stage', 'cost_code'], categories='one-hot'"
    assert table.notes == (f"{said} {name_them}",)
    assert table.columns == ("age", "stage", "cost_code", "sex", "visits")
    assert not table.steps  # nothing was done to them
    assert not ib.prepare(path, columns=list(table.columns)).notes  # whoever names them has looked
    shares = "\n".join(["age,part", *(f"{20.5 + i},{(50, 75, 80, 100)[i % 4]}%" for i in range(60))])
    (tmp_path / "shares.csv").write_text(shares)
    assert not ib.prepare(tmp_path / "shares.csv").notes  # a percent sign says that it is an amount
    named = ib.prepare(path, codes=["stage", "cost_code"], categories="one-hot")  # the advice does what it says
    assert named.attributes == table.columns
    assert named.columns[1:6] == ("stage=0", "stage=1", "stage=2", "stage=3", "cost_code=4100")
    assert not named.notes


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


def coded(folder):
    rows = [f"{20 + i % 31},{(4100, 4200, 9999)[i % 3]},{i % 7}" for i in range(60)]
    path = folder / "wards.csv"
    path.write_text("\n".join(["age,ward,visits", *rows]))
    return path


def test_codes_that_are_named_are_one_attribute_that_goes_back_and_again(tmp_path):
    path = coded(tmp_path)
    table = ib.prepare(path, codes=["ward"], categories="one-hot")
    assert table.columns == ("age", "ward=4100", "ward=4200", "ward=9999", "visits")
    assert table.groups == ((1, 2, 3),)
    assert [step.what for step in table.steps] == ["codes as text", "one-hot"]
    assert table.restore(table.values)["ward"].to_pylist()[:3] == ["4100", "4200", "9999"]
    (tmp_path / "known.csv").write_text("age,ward,visits\n30,9999,1\n31,4100,0\n")
    assert table.apply(tmp_path / "known.csv").values[:, 1:4].tolist() == [[0, 0, 1], [1, 0, 0]]
    frame = pl.read_csv(path)
    assert ib.prepare(frame, codes=["ward"], categories="one-hot").values.tolist() == table.values.tolist()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"codes": ["wrad"]}, r"codes must name columns of frame that are kept\. Got 'wrad'\. Did you mean 'ward'\?"),
        ({"codes": ["ward"], "leave_out": ["ward"]}, r"codes must name columns of frame that are kept\. Got 'ward'"),
        (
            {"codes": ["ward"], "categories": "leave-out"},
            r"codes must come with one-hot categories\. Got categories 'leave-out'\. Add categories='one-hot', or",
        ),
    ],
)
def test_codes_that_cannot_be_are_refused(tmp_path, asked, message):
    with pytest.raises(ib.InputError, match=message):
        ib.prepare(coded(tmp_path), **{"categories": "one-hot", **asked})
