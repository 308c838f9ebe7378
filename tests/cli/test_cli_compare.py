# SPDX-License-Identifier: BSD-3-Clause
"""The comparison on the command line: its folder, going on after a kill, and errors in one line."""

import csv
import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from isobreach.cli.console import Console
from isobreach.cli.unfinished import unfinished
from isobreach.io import write_table
from json_schema import violations

SCHEMA = json.loads(files("isobreach.report").joinpath("comparison.schema.json").read_text(encoding="utf-8"))
FEW = ("--schemes", "rigid,noisy", "--attacks", "known-input,kaplan", "--known", 5, "--sample", 20, "--trials", 2)


@pytest.fixture
def people(tmp_path):
    """Numbers, a class that follows from one of them, and names."""
    rng = np.random.default_rng(7)
    values = rng.normal(50, 20, (90, 4)).round(3)
    lines = ["name,age,height,weight,income,group"]
    lines += [f"p{i},{','.join(map(str, row))},{'high' if row[0] > 50 else 'low'}" for i, row in enumerate(values)]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    return tmp_path / "people.csv"


def test_the_folder_holds_page_json_and_tables(run, people, tmp_path):
    out = tmp_path / "out"
    done = run("compare", people, "--id-column", "name", *FEW, "--label", "group", "--out", out, "--quiet")
    assert (done.code, done.err) == (0, "")
    names = {path.name for path in out.iterdir()}
    assert names == {"report.html", "result.json", "run.json", "cells.csv", "schemes.csv", "times.csv"}
    result = json.loads((out / "result.json").read_text())
    assert violations(result, SCHEMA) == []
    assert result["label"] == "group"
    assert result["table"] == {"rows": 90, "attributes": 4, "columns": 4}
    assert [one["scheme"] for one in result["schemes"]] == ["rigid", "noisy"]
    before, after = (result["schemes"][0]["utility"]["classifier"][name] for name in ("before", "after"))
    assert before == after > 0.7
    refused = next(one for one in result["cells"] if (one["scheme"], one["attack"]) == ("noisy", "kaplan"))
    assert refused["reason"] == "it does not cope with noise"
    assert refused["breached_share"] is None
    with (out / "cells.csv").open(newline="") as file:
        cells = list(csv.DictReader(file))
    assert len(cells) == 4
    for row, one in zip(cells, result["cells"], strict=True):
        told = one["breached_share"]
        assert (row["scheme"], row["attack"]) == (one["scheme"], one["attack"])
        assert row["breached"] == "" if told is None else float(row["breached"]) == told["value"]
    assert "seconds" in (out / "times.csv").read_text().splitlines()[0]
    assert json.loads((out / "run.json").read_text())["command_line"].startswith("isobreach compare people.csv ")
    assert (out / "result.json").stat().st_mode & 0o777 == 0o600
    assert "rigid" in done.out
    assert f"Report: {out / 'report.html'}" in done.out
    assert not unfinished(out).exists()


def test_json_is_the_same_for_the_same_seed_and_says_no_time(run, people):
    first, second = (run("compare", people, "--id-column", "name", *FEW, "--json", "--quiet") for _ in range(2))
    assert first.out == second.out
    assert 'seconds":' not in first.out
    assert violations(first.json, SCHEMA) == []
    assert first.json["seed"] == 0
    other = run("compare", people, "--id-column", "name", *FEW, "--json", "--quiet", "--seed", 3)
    assert other.json["cells"] != first.json["cells"]


def test_it_fits_a_terminal(run, people):
    done = run("compare", people, "--id-column", "name", *FEW, "--quiet")
    table = [line for line in done.out.splitlines()[1:] if line.startswith("  ")]
    assert len(table) >= 4
    assert max(map(len, table)) <= 80
    assert "known-input" in done.out


def test_names_are_not_cut(monkeypatch, capsys):
    """Half of orthogonal-noise is orthogonal."""
    monkeypatch.setenv("COLUMNS", "80")
    rows = [
        ("orthogonal-noise", "weakened", "known-input-output", "39% (0 to 100%)", "0.11", "77%"),
        ("multiplicative-noise", "undone", "naive", "100% (92 to 100%)", "0", "100%"),
        ("log-noise", "refuses this table", "", "", "", ""),
    ]
    Console(json_only=False, quiet=True).table(
        ("Scheme", "Fared", "Strongest", "Breached", "Error", "Neighbours"), rows
    )
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    assert all(word in shown for word in ("orthogonal-noise", "multiplicative-noise", "Strongest", "Neighbours"))
    heads = next(line for line in shown.splitlines() if "Strongest" in line)
    place = slice(heads.index("Strongest"), heads.index("Breached"))
    letters = "".join(line[place] for line in shown.splitlines()).replace(" ", "")
    assert "known-input-output" in letters
    assert "\N{HORIZONTAL ELLIPSIS}" not in shown


def test_names_of_attacks_stay_whole_where_figures_can_be_broken(monkeypatch, capsys):
    """The widest column was broken first, a name of one word as soon as a figure of four."""
    monkeypatch.setenv("COLUMNS", "78")
    rows = [("additive-noise", "weakened", "known-input-output", "100% (99.7 to 100%)", "0.04", "100%")]
    Console(json_only=False, quiet=True).table(("Scheme", "Fared", "Strongest", "Breached", "Error", "Kept"), rows)
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 78
    assert all(word in shown for word in ("additive-noise", "weakened", "known-input-output", "(99.7"))


def test_figures_are_not_broken_under_a_long_title(monkeypatch, capsys):
    """A title of five words took the room of all figures, which were then printed a letter below the other."""
    monkeypatch.setenv("COLUMNS", "80")
    head = ("The attacker knows; insiders who pool their own records:", "0", "1", "2", "4", "8")
    Console(json_only=False, quiet=True).table(head, [("200 public records", "20%", "73%", "100%", "100%", "100%")])
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    assert "  200 public records  " in shown
    assert shown.split("records ")[1].split() == ["20%", "73%", "100%", "100%", "100%"]


def test_missing_values_categories_and_a_config_file(run, people, tmp_path):
    text = people.read_text().splitlines()
    text[3] = text[3].replace(text[3].split(",")[2], "", 1)
    people.write_text("\n".join(text) + "\n")
    refused = run("compare", people, "--id-column", "name", *FEW, "--label", "group")
    assert refused.code == 2
    assert "--missing drop" in refused.err
    config = tmp_path / "compare.toml"
    config.write_text(
        '[compare]\nmissing = "drop"\nlabel = "group"\nschemes = ["rigid"]\nattacks = "kaplan"\ntrials = 1\n'
    )
    done = run("compare", people, "--id-column", "name", "--config", config, "--sample", 20, "--json", "--quiet")
    assert done.code == 0, done.err
    assert done.json["table"]["rows"] == 89
    assert done.json["schemes"][0]["utility"]["classifier"] is not None
    assert any("missing" in one["sentence"] for one in done.json["preparation"])
    hot = run(
        "compare",
        people,
        *FEW,
        "--categories",
        "one-hot",
        "--missing",
        "drop",
        "--columns",
        "age,income,group",
        "--json",
    )
    assert hot.json["table"]["columns"] == 3


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--schemes", "rotten"), "--schemes must be one of orthogonal"),
        (("--schemes", "nosy"), "Got 'nosy'. Did you mean 'noisy'?"),
        (("--label", "name"), "--label must be another column than --id-column. Got 'name'."),
        (("--attacks", "hope"), "--attacks must be one of known-input"),
        (("--known", "-1"), "--known must be"),
        (("--known", "80"), "--known must leave 20 of 90 records beside known records and a sample of"),
        (("--trials", "0"), "--trials must be"),
        (("--epsilon", "0"), "--epsilon must be"),
        (("--label", "grup"), "--label must name a column of DATA. Got 'grup'. Did you mean 'group'?"),
        (("--label", "age", "--columns", "age,income"), "--label must be another column than those of --columns"),
    ],
)
def test_errors_are_one_line_and_nothing_is_written(run, people, tmp_path, options, said):
    done = run("compare", people, "--id-column", "name", *FEW, *options, "--out", tmp_path / "out", "--quiet")
    assert done.code == 2
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert said in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv"]


def test_an_output_that_is_there_is_not_replaced_unless_forced(run, people, tmp_path):
    asked = ("compare", people, "--id-column", "name", *FEW, "--out", tmp_path / "out", "--quiet")
    assert run(*asked).code == 0
    assert run(*asked).code == 2
    assert run(*asked, "--force").code == 0


# The command, with its progress as lines, each written at once, and work kept at every step.
TOLD = """
import sys
from isobreach.io import store
store.FileStore.__init__.__kwdefaults__["seconds"] = 0
from isobreach.cli import main
from isobreach.cli.console import Console
Console.progress = lambda self, label, done, total: sys.stderr.write(f"{label} {done}\\n")
main()
"""


def _until(folder, line, *arguments):
    process = subprocess.Popen(
        [sys.executable, "-c", TOLD, "compare", *map(str, arguments)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    while not (said := process.stderr.readline()).startswith(line):
        assert process.poll() is None
    return process, said


@pytest.mark.slow
def test_killed_it_goes_on_to_the_same_bytes(tmp_path):
    write_table(tmp_path / "t.csv", np.random.default_rng(0).normal(5, 1, (80, 4)), ["a", "b", "c", "d"])
    asked = ("t.csv", "--schemes", "rigid,orthogonal", "--attacks", "kaplan,known-input", "--sample", 20)
    asked = (*asked, "--known", 4, "--trials", 4, "--seed", 4)
    for number, out in ((signal.SIGKILL, "killed"), (signal.SIGINT, "interrupted")):
        process, _ = _until(tmp_path, "trials 4", *asked, "--out", out)
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
        assert unfinished(tmp_path / out).exists()
        assert not (tmp_path / out).exists()
    said = "interrupted. Finished work is kept in .interrupted.unfinished.npz: the same command goes on from there."
    assert err.splitlines()[-1] == f"isobreach: {said}"
    for out in ("killed", "interrupted", "whole"):
        again, first = _until(tmp_path, "trials ", *asked, "--out", out)
        again.communicate(timeout=300)
        assert (int(first.split()[1]) >= 3) is (out != "whole")  # progress is told before work is kept
        assert again.returncode == 0
        assert not unfinished(tmp_path / out).exists()
        for name in ("result.json", "cells.csv", "schemes.csv"):
            assert (tmp_path / out / name).read_bytes() == (tmp_path / "killed" / name).read_bytes()


@pytest.mark.slow
def test_a_terminal_shows_how_far_it_is(tmp_path):
    write_table(tmp_path / "t.csv", np.random.default_rng(0).normal(5, 1, (400, 4)), ["a", "b", "c", "d"])
    code = "from isobreach.cli.console import Console as C; C.bars.__wrapped__.__defaults__ = (0,)"
    asked = ("compare", "t.csv", "--schemes", "rigid", "--attacks", "kaplan", "--known", "4", "--trials", "6")
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", f"{code}; from isobreach.cli import main; main()", *asked],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
    )
    os.close(theirs)
    seen = b""
    with suppress(OSError):  # how the end of a terminal is read
        while part := os.read(ours, 4096):
            seen += part
    os.close(ours)
    assert process.wait(60) == 0
    assert b"trials" in seen
    assert b"\xe2\x94\x81" in seen  # a bar


def test_unfinished_work_of_another_comparison_is_refused(run, people, tmp_path):
    asked = ("compare", people, "--id-column", "name", *FEW, "--out", tmp_path / "out", "--quiet")
    unfinished(tmp_path / "out").write_bytes(b"nothing")
    done = run(*asked)
    assert done.code == 2
    assert "must be the unfinished work of a comparison. Got a damaged file." in done.err


@pytest.mark.slow
def test_quick_plays_everything_in_a_minute(tmp_path):
    """All schemes and attacks, on Letter; processor seconds, two of which make one on the clock. Measured: 47 to 70."""
    code = "from isobreach.cli import main; main()"
    before = os.times()
    done = subprocess.run(
        [sys.executable, "-c", code, "compare", "letter", "--quick", "--json", "--quiet"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    after = os.times()
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert violations(result, SCHEMA) == []
    assert len(result["cells"]) == len(result["schemes"]) * len(result["attacks"])
    assert after.children_user - before.children_user < 100
    assert Path(tmp_path, "out").exists() is False
