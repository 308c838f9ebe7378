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
    assert {path.name for path in out.iterdir()} == {"run.json", "result.json", "estimates.parquet"}
    assert json.loads((out / "run.json").read_text())["parameters"]["method"] == "kaplan"
    released = read_table(case.released, name="released").values
    knowledge = ib.Knowledge(known=case.records[:3])
    found = ib.reconstruct("kaplan", released, knowledge, seed=3, motion="orthogonal")
    written = pq.read_table(out / "estimates.parquet")
    assert written.column_names == ["released row", *case.columns]
    assert np.array_equal(np.column_stack([written[name] for name in case.columns]), found.estimates)
    assert (out / "estimates.parquet").stat().st_mode & 0o077 == 0
    assert json.loads((out / "result.json").read_text())["reason"] == found.reason


def test_json_is_all_there_is_on_stdout(run, command):
    done = run(*command, "--json")
    assert (done.json["schema"], done.json["claimed"], done.json["rows"]) == ("isobreach/kaplan/1", True, 60)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--epsilon", 0.2), "--epsilon must be left out with --method kaplan. Got 0.2. It belongs to --method known-"),
        (("--noise", 0.2), "--noise must be left out with --method kaplan. Got 0.2. It belongs to --method known-"),
        (("--budget", 5), "--budget must be left out with --method kaplan. Got 5.0. It belongs to --method lattice."),
        (("--seed", -1), "seed must be a whole number >= 0. Got -1."),
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
