# SPDX-License-Identifier: BSD-3-Clause
"""Released rows of known records on the command line: by commas or as a table."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest

import isobreach as ib
from isobreach.io import read_key, read_table, write_table


@pytest.fixture
def linked(case):
    """Seven insiders and the numbers of their rows."""
    order = read_key(case.folder / "key").order[:7]
    write_table(case.folder / "seven.csv", case.records[:7], case.columns)
    write_table(case.folder / "rows.csv", order[:, None], ["row"])
    return order


@pytest.mark.parametrize("method", ["known-input-output", "regression", "procrustes", "known-input"])
@pytest.mark.parametrize("by", ["commas", "file"])
def test_rows_are_given_by_commas_or_as_a_table(run, case, linked, method, by):
    given = ",".join(map(str, linked)) if by == "commas" else case.folder / "rows.csv"
    command = ("attack", method, "--known", case.folder / "seven.csv", "--released", case.released, "--rows", given)
    done = run(*command, "--seed", 0, "--quiet", "--out", case.folder / "out", "--estimates")
    assert (done.code, done.err) == (0, "")
    released = read_table(case.released, name="released").values
    found = ib.reconstruct(method, released, ib.Knowledge(known=case.records[:7], rows=linked), seed=0)
    written = pq.read_table(case.folder / "out" / "estimates.parquet")
    assert np.array_equal(np.column_stack([written[name] for name in case.columns]), found.estimates)
    record = json.loads((case.folder / "out" / "run.json").read_text())
    assert record["parameters"]["rows"] == (given if by == "commas" else None)
    assert ("rows" in record["inputs"]) == (by == "file")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("1,2,x", "--rows must be whole numbers by commas, or a table of one numeric column. Got '1,2,x'."),
        ("1,2", "--rows must be one whole number for each of 3 known records"),
        ("1,2,99", "--rows must be from 0 to 59, or -1 where a row is not known"),
        (
            "people.csv",
            "--rows must be whole numbers by commas, or a table of one numeric column. Got 5 numeric columns.",
        ),
    ],
)
def test_rows_that_cannot_be_are_one_line(run, case, given, said):
    given = case.folder / given if given.endswith("csv") else given
    asked = ("--known", case.known, "--id-column", "name", "--released", case.released, "--rows", given)
    done = run("attack", "regression", *asked, "--quiet")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert said in done.err


def test_they_are_required_where_the_attack_needs_them(run, case):
    done = run("attack", "regression", "--known", case.known, "--id-column", "name", "--released", case.released)
    assert done.code == 2
    assert "Missing option '--rows'." in done.err
    assert done.err.endswith("--help.\n")
