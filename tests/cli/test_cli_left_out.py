# SPDX-License-Identifier: BSD-3-Clause
"""Columns without numbers, on the command line: said, written down, or refused."""

import json

import numpy as np
import pytest

SAID = "Column 'note' was left out. No figure is about it."


@pytest.fixture
def noted(case):
    """The release with a column of text in it."""
    lines = case.released.read_text().splitlines()
    path = case.folder / "noted.csv"
    path.write_text("\n".join(["note," + lines[0], *(f"x,{line}" for line in lines[1:])]) + "\n")
    return path


@pytest.mark.parametrize("method", ["known-input", "alignment", "kaplan", "lattice"])
def test_an_attack_says_and_writes_what_it_left_out(case, noted, run, method):
    held = ("--known", case.known, "--id-column", "name", "--released", noted)
    more = ("--budget", 5) if method == "lattice" else ()
    done = run("attack", method, *held, *more, "--seed", 1, "--out", case.folder / "out")
    assert SAID in done.out
    assert json.loads((case.folder / "out" / "result.json").read_text())["left_out"] == ["note"]
    assert SAID.replace("'", "&#39;") in (case.folder / "out" / "report.html").read_text()
    clean = run("attack", method, *held[:-1], case.released, *more, "--seed", 1, "--json")
    assert clean.json["left_out"] == []


def test_link_and_perturb_and_audit_say_it_too(case, noted, run):
    held = ("--known", case.known, "--id-column", "name", "--released", noted)
    assert SAID in run("link", *held).out
    assert run("link", *held, "--json").json["left_out"] == ["note"]
    done = run("perturb", noted, "--out", case.folder / "again.csv", "--key", case.folder / "again.key", "--json")
    assert done.json["left_out"] == ["note"]
    assert "Column 'note' was left out: the same text in every row" in done.err
    short = ("--coalitions", "1", "--trials", 2, "--attacks", "known-input", "--seed", 1)
    assert SAID in run("audit", noted, *short).out
    assert run("audit", noted, *short, "--json").json["left_out"] == ["note"]


@pytest.mark.parametrize(
    "command", [("link",), ("attack",), ("attack", "alignment"), ("attack", "kaplan"), ("attack", "lattice")]
)
def test_known_records_that_lose_a_column_are_refused_unless_columns_are_named(case, run, command):
    held = ("--known", case.known, "--released", case.released)
    done = run(*command, *held)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "known must hold numbers in every column" in done.err
    assert "'name'. Use --columns " in done.err
    assert run(*command, *held, "--columns", ",".join(case.columns), "--quiet", "--json").code == 0
    assert run(*command, *held, "--id-column", "name", "--quiet", "--json").code == 0


def test_a_dictionary_or_a_sample_that_loses_a_column_is_refused(case, run):
    held = ("--released", case.released)
    people = case.folder / "people.csv"
    np.save(case.folder / "known.npy", case.records[:3])
    for arguments, name in (
        (("attack", "lattice", "--sample", people, *held), "sample"),
        (("link", "--known", case.folder / "known.npy", "--dictionary", people, *held), "dictionary"),
    ):
        done = run(*arguments)
        assert (done.code, done.err.count("\n")) == (2, 1)
        assert f"{name} must hold numbers in every column" in done.err


def test_columns_are_left_out_by_name_in_every_command(case, noted, run):
    """The same records without the option's column: known records with a column more link as those without it."""
    more = case.folder / "more.csv"
    lines = case.known.read_text().splitlines()
    more.write_text("\n".join(["extra," + lines[0], *(f"{k},{line}" for k, line in enumerate(lines[1:]))]) + "\n")
    held, plain = ("--known", more, "--id-column", "name", "--released", noted), ("--known", case.known)
    for command in (("link",), ("attack",), ("attack", "alignment")):
        found, usual = (
            run(*command, *which, "--json", "--seed", 1).json
            for which in ((*held, "--leave-out", "extra"), (*plain, *held[2:]))
        )
        assert found.get("links") == usual.get("links")
        assert found.get("findings") == usual.get("findings")
    short = ("--coalitions", "1", "--trials", 2, "--attacks", "known-input", "--samples", 0, "--seed", 1)
    told = "Column 'c2' was left out: this was asked for."
    done = run("audit", case.released, *short, "--leave-out", "c2", "--out", case.folder / "audit")
    assert told in done.err
    assert "Column 'c2' was left out. No figure is about it." in done.out
    result = json.loads((case.folder / "audit" / "result.json").read_text())
    assert "c2" not in [one["name"] for one in result["attributes"]]
    assert told in [step["sentence"] for step in result["preparation"]]
    key = case.folder / "less.key"
    assert told in run("perturb", case.released, "--leave-out", "c2", "--out", case.folder / "l.csv", "--key", key).err
    assert (
        "c2"
        not in run("prepare", case.released, "--leave-out", "c2", "--out", case.folder / "p.csv", "--json").json[
            "columns"
        ]
    )
    for command in (("audit", case.released), ("link", *held), ("attack", *held)):
        done = run(*command, "--leave-out", "c22")
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
        assert "--leave-out must name columns of" in done.err
        assert "Did you mean 'c2'?" in done.err or "The columns are:" in done.err
        done = run(*command, "--leave-out", "c2", "--columns", "c1")
        assert (done.code, done.out) == (2, "")
        assert "--leave-out must be left out where --columns names what to keep. Got 'c2'." in done.err
