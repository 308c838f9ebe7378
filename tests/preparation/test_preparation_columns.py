# SPDX-License-Identifier: BSD-3-Clause
"""What becomes of a column: the same number whatever way it is written, or a refusal; and back again."""

import datetime as dt
import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isobreach as ib
from isobreach.errors import InputError
from isobreach.preparation import Steps, done_words, repeated
from isobreach.preparation.recognising import amounts, dates

AMOUNTS = st.lists(st.integers(-(10**8), 10**8), min_size=1, max_size=8)
STYLES = {
    "dollars": lambda value: f"${value:,.2f}",
    "dollars, the sign first": lambda value: f"{'-' if value < 0 else ''}${abs(value):,.2f}",
    "euros": lambda value: f"{value:,.2f} €".translate(str.maketrans(",.", ".,")),
    "euros with spaces": lambda value: f"{value:,.2f} €".translate(str.maketrans(",.", "\u202f,")),
    "francs": lambda value: f"CHF {abs(value):,.2f}".replace(",", "'"),
    "bookkeeping": lambda value: f"({-value:,.2f})" if value < 0 else f"{value:,.2f}",
    "percent": lambda value: f"{value:.2f}%",
}


@pytest.mark.parametrize("style", STYLES)
@given(cents=AMOUNTS)
def test_an_amount_is_the_same_number_however_it_is_written(style, cents):
    values = [abs(one) / 100 if style == "francs" else one / 100 for one in cents]
    found = amounts([STYLES[style](value) for value in values], "pay", "X", commas=False)
    assert found is not None
    np.testing.assert_allclose(found[0], values, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("cells", "commas", "values"),
    [
        (["1,000", "2,500"], True, [1000, 2500]),  # a comma separates the fields: it is no decimal mark
        (["$1,000", "$2,500"], False, [1000, 2500]),
        (["1,000", "950"], False, [1000, 950]),
        (["0,125", "1,000"], False, [0.125, 1]),
        (["1,5", "1,000"], False, [1.5, 1]),
        (["1,000,000", "1,000"], False, [1e6, 1000]),
        (["1.5e3", None, "2"], False, [1500, np.nan, 2]),
    ],
)
def test_one_decimal_mark_holds_for_a_column(cells, commas, values):
    np.testing.assert_array_equal(amounts(cells, "pay", "X", commas=commas)[0], values)


def test_what_could_be_another_number_is_refused():
    with pytest.raises(ib.InputError, match=r"column 'pay' whose decimal mark is clear\. Got commas that may separate"):
        amounts(["1,000", "2,500"], "pay", "X", commas=False)
    with pytest.raises(ib.InputError, match=r"Got text in 1 row, the first in row 2 \(counted from 0\)\. Correct it"):
        amounts([*["$5"] * 2, "secret", *["$7"] * 17], "pay", "X", commas=False)


@pytest.mark.parametrize("cells", [["V27", "250"], ["a", "b"], ["1-2", "3-4"], ["10.0.0.1", "x"], ["", "-"]])
def test_codes_are_no_amounts(cells):
    assert amounts(cells, "code", "X", commas=False) is None


@given(st.lists(st.dates(dt.date(1800, 1, 1), dt.date(2200, 1, 1)), min_size=1, max_size=6))
def test_dates_count_days_or_are_refused(days):
    expected = [(day - dt.date(1970, 1, 1)).days for day in days]
    for form in ("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y"):
        cells = [day.strftime(form).zfill(10) for day in days]
        if "/" in form and all(max(day.day, day.month) <= 12 for day in days):
            with pytest.raises(ib.InputError, match="order of day and month is clear"):
                dates(cells, "born", "X")
        else:
            np.testing.assert_array_equal(dates(cells, "born", "X")[0], expected)
    assert dates(["2024-02-30"], "born", "X") is None
    np.testing.assert_allclose(dates(["1970-01-02T12:00:00"], "born", "X")[0], [1.5])


def people(rows=40, seed=0):
    draws = np.random.default_rng(seed)
    return {
        "id": np.arange(100, 100 + rows),
        "name": [f"person {i}" for i in range(rows)],
        "age": draws.integers(18, 90, rows),
        "pay": [f"${value:,.2f}" for value in draws.uniform(100, 9000, rows)],
        "born": [dt.date(1950, 1, 1) + dt.timedelta(int(day)) for day in draws.integers(0, 20000, rows)],
        "smokes": draws.random(rows) < 0.3,
        "sex": [("f", "m")[i % 2] for i in range(rows)],
        "town": [("Ulm", "Linz", "Graz")[i % 3] for i in range(rows)],
        "site": ["north"] * rows,
    }


CONTAINERS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}


@pytest.mark.parametrize("kind", [*CONTAINERS, "csv", "parquet"])
@pytest.mark.parametrize("standardise", [False, True])
def test_a_table_is_prepared_and_goes_back(kind, standardise, tmp_path):
    given = people()
    frame = CONTAINERS.get(kind, pd.DataFrame)(given)
    if kind in ("csv", "parquet"):
        getattr(frame, f"to_{kind}")(tmp_path / f"people.{kind}", index=False)
        frame = tmp_path / f"people.{kind}"
    table = ib.prepare(frame, categories="one-hot", standardise=standardise)
    assert table.columns == ("age", "pay", "born", "smokes", "sex=m", "town=Graz", "town=Linz", "town=Ulm")
    assert table.attributes == ("age", "pay", "born", "smokes", "sex", "town")
    assert table.groups == ((3,), (4,), (5, 6, 7))
    assert {step.column for step in table.steps if step.what == "left out"} == {"id", "name", "site"}
    if standardise:
        np.testing.assert_allclose(table.values[:, :3].mean(axis=0), 0, atol=1e-12)
        np.testing.assert_allclose(table.values[:, :3].std(axis=0), 1)
        assert set(np.unique(table.values[:, 3:])) == {0, 1}  # categories stay
    back = table.restore(table.values)
    back = back if kind == "pandas" else back.to_pandas()
    np.testing.assert_allclose(back["age"], given["age"])
    np.testing.assert_allclose(back["pay"], [float(cell[1:].replace(",", "")) for cell in given["pay"]])
    assert [moment.date() for moment in back["born"]] == given["born"]
    for column in ("smokes", "sex", "town"):
        assert list(back[column]) == list(given[column])
    blurred = table.restore(table.values + 0.2 * (-1) ** np.arange(8))  # estimates: the nearest category
    assert pa.table({"town": blurred["town"]})["town"].to_pylist() == given["town"]


def test_steps_repeat_on_new_rows_with_the_means_of_the_first(tmp_path):
    frame = pd.DataFrame(people())
    table = ib.prepare(frame, categories="one-hot", standardise=True)
    few = frame.iloc[[3, 7]]
    np.testing.assert_allclose(table.apply(few).values, table.values[[3, 7]])
    written = json.loads(json.dumps(table.recipe.to_json()))
    few.to_csv(tmp_path / "few.csv", index=False)
    alike = repeated(Steps.from_json(written), tmp_path / "few.csv", "known")
    np.testing.assert_allclose(alike.values, table.values[[3, 7]])
    unknown = few.assign(town="Rome", age=[np.nan, 3])
    with pytest.raises(ib.InputError, match=r"categories of the prepared table in column 'town'\. Got 2 rows"):
        table.apply(unknown)
    with pytest.raises(ib.InputError, match=r"must have the columns that were prepared\. Got a table without 'town'"):
        table.apply(few.drop(columns="town"))
    partial = table.apply(few.assign(town=[None, "Ulm"], age=[np.nan, 3]))
    assert np.isnan(partial.values).sum(axis=1).tolist() == [4, 0]  # not known: an attribute, whole
    with pytest.raises(ib.InputError, match="must be a file of steps"):
        Steps.from_json({"schema": "other"})


def holes():
    return pd.DataFrame(
        {
            "age": [30.0, np.nan, 50, 40, 35],
            "pay": [1.0, 2.0, np.nan, 4.0, 9.0],
            "town": ["Ulm", "Graz", "Ulm", None, "Ulm"],
            "sure": [1, 2, 3, 4, 6],
        }
    )


def test_missing_values_are_one_error_with_both_choices():
    with pytest.raises(ib.InputError) as refused:
        ib.prepare(holes(), categories="one-hot")
    assert str(refused.value) == (
        "frame must have no missing values, or a choice of what to do with them. Got 3 missing values in 3 of 4 "
        "columns: 'age' 1, 'pay' 1, 'town' 1. missing='drop' leaves 2 of 5 rows with all 4 columns, 3 without "
        "'age'; missing='mean' keeps all 5 rows and fills 3 cells with the column's mean or most common category; or "
        "leave columns out with leave_out=[...]."
    )
    said = "1 column of text is left out: categories='one-hot' keeps it, and missing='drop' then leaves 2 rows."
    with pytest.raises(ib.InputError, match=said):
        ib.prepare(holes())
    assert len(ib.prepare(holes(), categories="one-hot", missing="drop").values) == 2
    assert len(ib.prepare(holes().drop(columns="age"), categories="one-hot", missing="drop").values) == 3


@pytest.mark.parametrize("mark", ["-", "?", "n/a", "NA", "null", ".", "—"])
def test_marks_in_numbers_and_dates_are_missing_and_in_categories_are_text(mark, tmp_path):
    days = ["2020-01-31", "2020-02-01", mark, "2020-03-01"]
    frame = pd.DataFrame({"pay": ["$1,200", mark, "$950", "$700"], "day": days, "x": [1, 2, 3, 5]})
    path = tmp_path / "people.csv"
    frame.to_csv(path, index=False)
    for source in (frame, path):
        table = ib.prepare(source, missing="drop")
        assert table.values[:, 0].tolist() == [1200.0, 700.0]
        recorded = [step.what for step in table.steps].count("marks as missing")
        assert recorded == (2 if source is frame or mark in "-—" else 0)  # others are missing in any column of a CSV
        missing = np.isnan(table.apply(source).values)
        assert np.argwhere(missing).tolist() == [[1, 0], [2, 1]]
    towns = pd.DataFrame({"town": ["Ulm", "-", "Graz", "-"], "x": [1, 2, 3, 5]})
    assert "town=-" in ib.prepare(towns, categories="one-hot").columns


def test_missing_values_are_dropped_or_filled_as_said():
    dropped = ib.prepare(holes(), missing="drop", categories="one-hot")
    assert dropped.rows.tolist() == dropped.ids.tolist() == [0, 4]  # the owner's rows
    assert dropped.columns == ("age", "pay", "sure")  # of the rows that are left, all have the same town
    assert [step.what for step in dropped.steps] == ["dropped rows", "left out"]
    filled = ib.prepare(holes(), missing="mean", categories="one-hot")
    np.testing.assert_allclose(filled.values[:, 0], [30, 38.75, 50, 40, 35])
    assert filled.restore(filled.values)["town"].tolist() == ["Ulm", "Graz", "Ulm", "Ulm", "Ulm"]
    with pytest.raises(ib.InputError, match="must have a row without missing values"):
        ib.prepare(pd.DataFrame({"a": [1, np.nan], "b": [np.nan, 2]}), missing="drop")


def test_categories_are_offered_only_where_there_are_some():
    for frame, offered in ((pd.DataFrame({"id": range(9)}), False), (pd.DataFrame({"town": ["a", "b"] * 9}), True)):
        with pytest.raises(ib.InputError, match=r"a column that can be prepared\. Got none: ") as caught:
            ib.prepare(frame)
        assert ("To keep categories" in str(caught.value)) is offered


def test_columns_that_are_named_are_kept():
    frame = pd.DataFrame(people())
    table = ib.prepare(frame, columns=["id", "age"])
    np.testing.assert_array_equal(table.values, frame[["id", "age"]])
    assert table.steps == ()
    assert ib.prepare(frame, id_column="name").ids.tolist() == people()["name"]
    with pytest.raises(ib.InputError, match=r"columns must be numeric columns of frame\. Got text in 'town'\. Add"):
        ib.prepare(frame, columns=["age", "town"])
    with pytest.raises(
        ib.InputError, match=r"must have a column that can be prepared\. Got none: .*categories='one-hot'"
    ):
        ib.prepare(frame[["town", "sex"]])


def test_arrays_stay_as_they_are():
    values = np.random.default_rng(0).integers(0, 9, (30, 3)).astype(np.float32)
    table = ib.prepare(values)
    np.testing.assert_array_equal(table.values, values)
    assert (table.values.dtype, table.steps, table.columns) == (np.float32, (), ("c1", "c2", "c3"))


def test_steps_in_words_name_columns_once_and_no_value():
    table = ib.prepare(pd.DataFrame(people()), categories="one-hot", standardise=True)
    said = done_words(table.steps)
    assert "2 columns ('id', 'name') were left out: they only name or count the rows." in said
    assert "Column 'site' was left out: the same text in every row." in said
    assert len(said) < len(table.steps)
    assert not any("Ulm" in line or "north" in line for line in said)


def test_prepared_tables_go_where_tables_go(tmp_path):
    frame = pd.DataFrame(people())
    table = ib.prepare(frame, categories="one-hot", standardise=True)
    release = ib.perturb(table, "rigid", seed=0)
    linkage = ib.link(table.apply(frame.iloc[:6]), release.data)
    assert (linkage.rows == release.key.order[:6]).all()
    result = ib.attack(table.apply(frame.iloc[:10]), release.data, seed=0)
    estimated = table.restore(result.estimate(np.arange(40)))
    assert list(estimated["town"]) == [people()["town"][i] for i in np.argsort(release.key.order)]
    report = ib.audit(table, coalition_sizes=[2], trials=2, attacks=["known-input"], samples=(), splits=2, seed=0)
    assert report.names == table.attributes
    assert len(report.learned(2)) == 6
    assert [step["what"] for step in report.steps] == [step.what for step in table.steps]
    np.testing.assert_allclose(report.length_shares.sum(), 1)
    release.data.to_csv(tmp_path / "released.csv", index=False)
    table.apply(frame.iloc[:6]).restore(table.values[:6])
    np.save(tmp_path / "known.npy", table.values[:6])
    assert (ib.link(tmp_path / "known.npy", tmp_path / "released.csv").rows == linkage.rows).all()


@pytest.mark.parametrize(
    "words", [("yes", "no"), ("Y", "N"), ("TRUE", "false"), ("Yes", "NO"), ("Ja", "nein"), ("oui", "NON")]
)
def test_text_that_says_yes_or_no_is_a_truth_and_goes_back(words):
    people = pd.DataFrame({"age": [30, 41, 50], "smoker": [words[0], words[1], words[0]]})
    table = ib.prepare(people)
    assert (table.columns, table.values[:, 1].tolist()) == (("age", "smoker"), [1, 0, 1])
    assert table.restore(table.values)["smoker"].tolist() == people["smoker"].tolist()
    again = Steps.from_json(json.loads(json.dumps(table.recipe.to_json())), "steps")
    others = pd.DataFrame({"age": [1, 2], "smoker": [words[1].upper(), words[0].lower()]})
    assert repeated(again, others, "known", None).values[:, 1].tolist() == [0, 1]
    with pytest.raises(ib.InputError, match=r"must hold '.*' or '.*' in column 'smoker'. Got other text in row 1 "):
        table.apply(pd.DataFrame({"age": [1, 2], "smoker": [words[0], "secret"]}))


def test_other_words_are_categories_and_missing_truths_are_missing():
    people = pd.DataFrame({"age": [30, 41, 50, 60], "smoker": ["yes", "no", "unknown", "no"]})
    assert ib.prepare(people).columns == ("age",)
    some = pd.DataFrame({"age": [30, 41, 50, 60], "smoker": ["yes", None, "no", "no"]})
    with pytest.raises(ib.InputError, match="Got 1 missing value in 1 of 2 columns: 'smoker' 1"):
        ib.prepare(some)
    assert ib.prepare(some, missing="drop").values[:, 1].tolist() == [1, 0, 0]
    assert set(ib.prepare(some, missing="mean").values[:, 1]) == {0, 1}


def test_points_beside_decimal_commas_are_not_taken_for_decimal_points(tmp_path):
    """In a file of decimal commas, 135.926 is a hundred thousand and more, or is it not: the owner has to say."""
    rows = "".join(f"{i};{i % 7},{i % 9}1;{100 + i}.{100 + 7 * i}\n" for i in range(1, 60))
    (tmp_path / "lab.csv").write_text("case;crp;platelets\n" + rows, encoding="utf-8")
    with pytest.raises(
        InputError, match=r"'platelets' whose decimal mark is clear.*points that may separate thousands"
    ):
        ib.prepare(str(tmp_path / "lab.csv"))
    (tmp_path / "lab.csv").write_text("case;crp;platelets\n" + rows.replace(",", "."), encoding="utf-8")
    assert ib.prepare(str(tmp_path / "lab.csv")).values.max() < 300  # no comma anywhere: points are decimal points


def test_text_that_one_hot_would_leave_out_as_well_is_not_said_to_be_kept_by_it():
    frame = pd.DataFrame({"x": range(100), "y": np.arange(100) ** 2, "trust": ["north"] * 100})
    frame["note"] = [f"note number {i}" if i < 99 else "note number 0" for i in range(100)]
    frame["ward"] = ["a", "b"] * 50
    said = {one.column: one.parameters["reason"] for one in ib.prepare(frame).steps if one.what == "left out"}
    assert said["trust"] == "constant text"
    assert said["ward"] == "text"
    assert said["note"] != "text"


def test_restored_rows_may_lack_attributes():
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.5], "ward": ["a", "b", "a"]})
    table = ib.prepare(frame, categories="one-hot")
    values = np.array(table.values, dtype=float)
    values[0, 0] = np.nan
    assert np.isnan(table.restore(values)["x"][0])


def test_columns_are_left_out_by_name_and_that_is_a_step():
    table = ib.prepare(holes(), missing="drop", leave_out=["age", "town"])
    assert table.columns == ("pay", "sure")
    assert [one.column for one in table.steps if one.parameters.get("reason") == "asked"] == ["age", "town"]
    assert table.steps[0].sentence == "Column 'age' was left out: this was asked for."
    assert table.left_out == ("age", "town")
    assert table.apply(holes()).columns == ("pay", "sure")
    report = ib.audit(table, coalition_sizes=[1], trials=2, attacks=["known-input"], samples=(), splits=2, seed=0)
    assert "leave_out=['age', 'town']" in report.call
    with pytest.raises(ib.InputError, match=r"leave_out must name columns of frame. Got 'agee'. Did you mean 'age'?"):
        ib.prepare(holes(), leave_out=["agee"])
    with pytest.raises(ib.InputError, match=r"must be left out where columns names what to keep. Got 'age'"):
        ib.prepare(holes(), columns=["pay"], leave_out=["age"])
    with pytest.raises(ib.InputError, match=r"leave_out must leave a column of frame. Got all 4"):
        ib.prepare(holes(), leave_out=list(holes().columns))
