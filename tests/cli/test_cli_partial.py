# SPDX-License-Identifier: BSD-3-Clause
"""Partial records on the command line: empty cells of ``--known``."""

import csv

import numpy as np
import pytest

import isobreach as ib


@pytest.fixture
def files(tmp_path):
    """(known.csv with 3 complete and 2 partial records, released.csv, rows)."""
    rng = np.random.default_rng(0)
    records = rng.normal(50, 20, (200, 5))
    release = ib.perturb(records, "orthogonal", seed=1)
    known, released = tmp_path / "known.csv", tmp_path / "released.csv"
    cells = [[repr(float(value)) for value in record] for record in records[:5]]
    cells[3][1] = cells[3][4] = cells[4][0] = ""
    for path, rows in ((known, cells), (released, release.data.tolist())):
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([["age", "height", "weight", "income", "visits"], *rows])
    return known, released, release.key.order[:5].tolist(), records


def test_link_says_how_many_were_completed(run, files):
    known, released, rows, _ = files
    done = run("link", "--known", known, "--released", released)
    assert "5 of 5 known records linked, 0 ambiguous, 0 absent." in done.out
    assert "2 of 2 partial records were completed." in done.out
    result = run("link", "--known", known, "--released", released, "--json").json
    assert (result["partial"], result["completed"]) == (2, 2)
    assert [link["row"] for link in result["links"]] == rows
    assert [link["partial"] for link in result["links"]] == [False] * 3 + [True] * 2


def test_attack_writes_it_on_the_page_and_no_private_value(run, files, tmp_path):
    known, released, _, records = files
    done = run("attack", "--known", known, "--released", released, "--seed", "0", "--out", tmp_path / "out")
    assert "2 of 2 partial records were completed." in done.out
    page, result = ((tmp_path / "out" / name).read_text() for name in ("report.html", "result.json"))
    assert "2 of 2 partial records were completed." in page
    for value in records[[3, 3, 4], [1, 4, 0]]:
        assert f"{value:.5f}" not in page + result + done.out


def test_empty_cells_of_a_release_and_empty_records_are_refused(run, files):
    known, released, _, _ = files
    lines = released.read_text().splitlines()
    released.write_text("\n".join([*lines[:3], ",".join(["", *lines[3].split(",")[1:]]), *lines[4:]]))
    done = run("link", "--known", known, "--released", released)
    assert "Got 1 missing, NaN or infinite; the first in row 2 (counted from 0), column 'age'." in done.err
    known.write_text(known.read_text() + ",,,,\n")
    done = run("link", "--known", known, "--released", released)
    assert "must have a number in every record. Got 1 without; the first in row 5 (counted from 0)." in done.err
