# SPDX-License-Identifier: BSD-3-Clause
"""Kaplan's attack on the command line."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest

import isobreach as ib
from isobreach.io import read_table


@pytest.fixture
def command(case):
    asked = ("--known", case.known, "--released", case.released, "--id-column", "name", "--motion", "orthogonal")
    return ("attack", "--method", "kaplan", *asked, "--seed", 3, "--quiet")


def test_it_says_and_writes_what_the_attack_found(run, case, command):
    out = case.folder / "out"
    done = run(*command, "--out", out, "--estimates")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Kaplan's attack: 3 of 3 known records linked;")
    assert {path.name for path in out.iterdir()} == {"run.json", "result.json", "report.html", "estimates.parquet"}
    assert json.loads((out / "run.json").read_text())["parameters"]["method"] == "kaplan"
    released = read_table(case.released, name="released").values
    knowledge = ib.Knowledge(known=case.records[:3])
    found = ib.reconstruct("kaplan", released, knowledge, seed=3, motion="orthogonal")
    written = pq.read_table(out / "estimates.parquet")
    assert written.column_names == ["released row", *case.columns]
    assert np.array_equal(np.column_stack([written[name] for name in case.columns]), found.estimates)
    assert (out / "estimates.parquet").stat().st_mode & 0o077 == 0
    result = json.loads((out / "result.json").read_text())
    assert (result["reason"], result["motion"], result["misfit"]) == (found.reason, "orthogonal", found.misfit)
    assert [(link["id"], link["status"]) for link in result["links"]] == [(f"person-{i}", "linked") for i in range(3)]
    assert [link["row"] for link in result["links"]] == found.linkage.rows.tolist()
    assert result["linked"] == 3


def test_bounds_are_where_it_starts(run, case, command):
    """As one range, or in a file by the attributes' names; the record of the run has them."""
    file = case.folder / "bounds.csv"
    file.write_text("attribute,least,greatest\nincome,10,90\nage,0,120\n")
    released = read_table(case.released, name="released").values
    by_name = np.array([[0, 120], *[[-np.inf, np.inf]] * 2, [10, 90], [-np.inf, np.inf]])
    for name, given, bounds in (("short", "0:100", (0, 100)), ("file", file, by_name)):
        done = run(*command, "--bounds", given, "--out", case.folder / name, "--estimates")
        assert (done.code, done.err) == (0, "")
        knowledge = ib.Knowledge(known=case.records[:3], bounds=bounds)
        found = ib.reconstruct("kaplan", released, knowledge, seed=3, motion="orthogonal").estimates
        written = pq.read_table(case.folder / name / "estimates.parquet")
        assert np.array_equal(np.column_stack([written[column] for column in case.columns]), found)
        record = json.loads((case.folder / name / "run.json").read_text())
        assert record["parameters"]["bounds"] == ("0:100" if name == "short" else None)
        assert ("bounds" in record["inputs"]) == (name == "file")


def test_without_a_link_it_says_what_to_try(run, case):
    done = run(
        "attack", "--method", "kaplan", "--known", case.known, "--released", case.known, "--id-column", "name",
        "--released-id-column", "name", "--motion", "orthogonal", "--columns", "age,height",
        "--released-columns", "weight,visits", "--json", "--quiet",
    )  # fmt: skip
    assert done.code == 0
    assert (done.json["claimed"], done.json["linked"], done.json["misfit"]) == (False, 0, None)
    assert done.json["reason"].startswith("none of 3 known records is linked; the known-input attack")


def test_json_is_all_there_is_on_stdout(run, command):
    done = run(*command, "--json")
    assert (done.json["schema"], done.json["claimed"], done.json["rows"]) == ("isobreach/kaplan/1", True, 60)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            ("--epsilon", 0.2),
            "--epsilon must be left out with the method kaplan. Got the option. It belongs to known-",
        ),
        (
            ("--noise", 0.2),
            "--noise must be left out with the method kaplan. Got the option. It belongs to known-",
        ),
        (("--budget", 5), "--budget must be left out with the method kaplan. Got the option. It belongs to lattice."),
        (("--bounds", "-1e308:1e308"), "--bounds must be infinite or at most 1e+140 in size for Kaplan's attack. Got "),
        (("--seed", -1), "--seed must be a whole number >= 0. Got -1."),
        (("--estimates",), "--estimates needs a folder to write to. Got no --out. Add --out DIR."),
    ],
)
def test_what_it_cannot_use_is_refused(run, command, more, said):
    done = run(*command, *more)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert done.err.startswith(f"isobreach: {said}")


def test_it_needs_known_records(run, case):
    done = run("attack", "--method", "kaplan", "--released", case.released)
    assert done.code == 2
    assert "Missing option '--known'" in done.err
