# SPDX-License-Identifier: BSD-3-Clause
"""The paper reproduced on the command line: the numbers of a quick run, and going on after a kill."""

import contextlib
import csv
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from effort import slow
from isobreach.cli import main
from isobreach.io import alone
from isobreach.reproduction import NAMES

pytestmark = pytest.mark.slow

COMMAND = Path(sys.executable).with_name("isobreach")
PAGE = Path(__file__).parents[2] / "docs" / "reproduction.md"


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """All experiments, quick."""
    out = tmp_path_factory.mktemp("reproduce") / "out"
    with pytest.raises(SystemExit) as stop:
        main(["reproduce", "all", "--quick", "--out", str(out), "--quiet"])
    assert not stop.value.code
    return out


def curves(out, name):
    """{(table, series): {x: (mean, deviation)}} of a CSV."""
    found = {}
    with (out / f"{name}.csv").open(newline="") as file:
        for line in csv.DictReader(file):
            table, x, series, mean, deviation, _ = line.values()
            found.setdefault((table, series), {})[float(x)] = (float(mean), float(deviation))
    return found


def means(out, name, table, series):
    return {x: mean for x, (mean, _) in curves(out, name)[table, series].items()}


def contents(out, *, times=False):
    """All files that a seed decides, by name; of the page all but its run times."""
    found = {}
    for path in sorted(out.rglob("*")):
        name = str(path.relative_to(out))
        if (
            path.is_file()
            and path.suffix != ".npz"
            and not path.name.startswith(".")
            and ("_times" not in name or times)
        ):
            end = {".md": b"## Run times", ".html": b"<h2>Run times</h2>"}.get(path.suffix)
            found[name] = path.read_bytes().split(end)[0] if end else path.read_bytes()
    return found


def test_gaussian_records_are_all_linked_and_breached_in_one_step(quick):
    for rule in ("backbone", "uniquely-valid", "paper's algorithms"):
        assert set(means(quick, "gaussian-known", "gaussian", f"linked {rule}").values()) == {1}
    printed = means(quick, "gaussian-known", "gaussian", "published uniquely-valid")
    optimal = means(quick, "gaussian-known", "gaussian", "optimal backbone")
    assert printed[20] < 1e-20
    assert printed[60] < 0.1 < 0.9 < printed[80]  # "very sharply around a = 60"
    assert optimal[60] > 0.3
    assert printed[100] == optimal[100] == 1
    for x, value in means(quick, "gaussian-known", "gaussian", "uniform uniquely-valid").items():
        assert optimal[x] >= value >= 0


def test_four_known_records_breach_letter(quick):
    for series in ("published uniquely-valid", "uniform uniquely-valid", "optimal backbone"):
        at = means(quick, "letter-known", "letter", series)
        assert at[4] == at[16] == 1
        assert at[2] < 0.5
    ours, theirs = (means(quick, "letter-known", "letter", f"linked {rule}") for rule in ("backbone", "uniquely-valid"))
    assert ours[4] == ours[16] == 1
    assert all(ours[x] >= theirs[x] for x in ours)
    assert theirs == means(quick, "letter-known", "letter", "linked paper's algorithms")


def test_seven_percent_error_is_above_a_probability_of_0_8(quick):
    printed, optimal = (
        means(quick, "letter-epsilon", "letter", s) for s in ("published uniquely-valid", "optimal backbone")
    )
    assert printed[0.07] > 0.8
    assert printed[0.03] < 0.5
    assert optimal[0.05] == 1 > printed[0.05]


def test_kaplans_disadvantage_is_mostly_the_row(quick):
    for table, x, share in (("letter", 4, 0.9), ("gaussian", 60, 0.5)):
        errors = {series: at[x][0] for (name, series), at in curves(quick, "kaplan").items() if name == table}
        gap = errors["random row kaplan"] - errors["best row uniform"]
        by_row = errors["random row kaplan"] - errors["best row kaplan"]
        assert gap > 0.1
        assert by_row / gap > share
        assert abs(errors["random row kaplan"] - errors["random row uniform"]) < 0.15 * errors["random row kaplan"]
        assert errors["best row optimal"] < errors["best row uniform"] < errors["best row kaplan"]
        for row in ("random row", "best row"):
            assert errors[f"{row} centre"] <= errors[f"{row} optimal"] * (1 + 1e-9)
        assert errors["random row centre"] < 0.85 * errors["random row optimal"]
    for table, x in (("letter", 16), ("gaussian", 100)):
        errors = {series: at[x][0] for (name, series), at in curves(quick, "kaplan").items() if name == table}
        assert errors["random row uniform"] < 1e-9 < 0.05 < errors["random row kaplan"]


def test_run_times_stand_in_files_of_their_own(quick):
    paper = means(quick, "size_times", "letter", "paper's algorithms")
    assert paper[18_000] > paper[2_000] > 0
    assert not {"link backbone", "kaplan"} & {s for name in NAMES for _, s in curves(quick, name)}
    seconds = means(quick, "gaussian-known_times", "gaussian", "paper's algorithms")
    assert seconds[100] > means(quick, "gaussian-known_times", "gaussian", "paper's algorithms with norms once")[100]
    assert seconds[100] > means(quick, "gaussian-known_times", "gaussian", "link backbone")[100]


def test_every_trial_is_there(quick):
    for name, trials in (("letter-known", 3), ("kaplan", 12)):
        with (quick / f"{name}_trials.csv").open(newline="") as file:
            lines = list(csv.DictReader(file))
        table, series = lines[0]["table"], list(lines[0])[3]
        at = lines[0]["known"]
        values = [float(line[series]) for line in lines if line["table"] == table and line["known"] == at]
        assert len(values) == trials
        assert sum(values) / trials == pytest.approx(means(quick, name, table, series)[float(at)], rel=1e-8)


def test_the_page_shows_every_figure_and_claim(quick):
    page = (quick / "reproduction.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page)
    assert len(shown) == 8
    assert all((quick / path).read_bytes().startswith(b"\x89PNG") for path in shown)
    assert {path.stem for path in (quick / "figures").glob("*.svg")} == {Path(path).stem for path in shown}
    for said in ("around 60 known", "as few as 4 known", "exceeding 0.8", "450 s", "45 s", "linearly", "100 to 1000"):
        assert said in page
    assert "This is a quick run" in page
    html = (quick / "report.html").read_text(encoding="utf-8")
    assert html.count('<img src="data:image/svg+xml;base64,') == 8
    assert "This is a quick run" in html
    assert "around 60 known" in html


def test_a_second_run_writes_the_same_files_and_plays_nothing(run, quick):
    before, stored = contents(quick, times=True), {p: p.stat().st_mtime_ns for p in quick.glob("trials/*")}
    done = run("reproduce", "all", "--quick", "--out", quick, "--json", "--quiet")
    assert contents(quick, times=True) == before
    assert {p: p.stat().st_mtime_ns for p in quick.glob("trials/*")} == stored
    assert (done.code, done.json["schema"], done.err) == (0, "isobreach/reproduce/1", "")
    assert list(done.json["figures"]) == list(NAMES)
    assert len(done.json["claims"]) > 12
    for curve in done.json["figures"]["kaplan"]["curves"]:
        if curve["series"] == "best row kaplan":
            assert curve["mean"] == pytest.approx(
                list(means(quick, "kaplan", curve["table"], "best row kaplan").values())
            )


def start(out, *more, **options):
    command = [str(COMMAND), "reproduce", "kaplan", "--quick", "--out", str(out), "--quiet", *more]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, **pipes, **options)


def whole(out, *more, **options):
    process = start(out, *more, **options)
    _, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (0, "")
    return contents(out)


def trials_kept(out, beyond=0):
    """Wait until more trials are kept than so many, and return how many."""
    until = time.monotonic() + 300
    while time.monotonic() < until:
        with contextlib.suppress(FileNotFoundError), np.load(out / "trials" / "kaplan.npz") as kept:
            if len(kept["cells"]) > beyond:
                return len(kept["cells"])
        time.sleep(0.02)
    raise AssertionError("no more trials were kept")


@pytest.mark.slow
def test_a_killed_run_goes_on_to_the_same_files(tmp_path):
    """SIGKILL, again and again, at moments that nobody chose; run times aside."""
    trials, moments, out, kept = ("--trials", "100"), random.Random(0), tmp_path / "killed", [0]
    expected = whole(tmp_path / "whole", *trials)
    while len(kept) <= 2 and kept[-1] < 600:
        process = start(out, *trials)
        try:
            kept.append(trials_kept(out, beyond=kept[-1]))
            time.sleep(moments.uniform(0, 0.3))
        finally:
            process.send_signal(signal.SIGKILL)
            process.communicate()
    assert 0 < kept[1] < 600
    assert whole(out, *trials) == expected


@pytest.mark.slow
def test_threads_and_processors_change_nothing(tmp_path):
    """One processor and one BLAS thread, or all that there are."""
    if not hasattr(os, "sched_setaffinity") or len(os.sched_getaffinity(0)) < 2:
        pytest.skip("there is but one processor")
    one = whole(
        tmp_path / "one",
        "--trials",
        "3",
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}),
    )
    free = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    assert whole(tmp_path / "all", "--trials", "3", env=free) == one


@pytest.mark.parametrize("number", [signal.SIGTERM, *slow(signal.SIGINT)])
def test_an_interrupt_says_that_trials_are_kept(tmp_path, number):
    out = tmp_path / "out"
    process = start(out, "--trials", "5000")
    trials_kept(out)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    kept = f"isobreach: interrupted. Finished trials are kept in {out}: the same command goes on with them.\n"
    assert err == kept


def trials_of(out, name):
    with (out / f"{name}.csv").open(newline="") as file:
        return {line["trials"] for line in csv.DictReader(file)}


def test_experiments_add_up_in_one_folder_each_with_its_own_trials(run, tmp_path):
    """More trials than those of an earlier command, or fewer: what it made stays as it is."""
    out = tmp_path / "out"
    out.mkdir()
    (out / ".0123456789abcdef.json").write_text('{"comm')  # as a kill in the first moment leaves it
    earlier = {}
    for name, trials in (("kaplan", 3), ("letter-epsilon", 2), ("letter-known", 1)):
        done = run("reproduce", name, "--quick", "--trials", trials, "--out", out)
        assert (done.code, done.err) == (0, "")
        assert "the paper says" in done.out
        assert done.out.rstrip().endswith(f"Page: {out / 'report.html'}")
        assert trials_of(out, name) == {str(trials)}
        now = {path.name: path.read_bytes() for path in out.glob("*.csv")}
        assert {file: now[file] for file in earlier} == earlier
        earlier = now
    page = (out / "reproduction.md").read_text(encoding="utf-8")
    for name, trials in (("letter-known", 1), ("letter-epsilon", 2), ("kaplan", 3)):
        assert f"isobreach reproduce {name} --out DIR --seed 0 --quick --trials {trials}\n" in page
        assert f"figures/{name}.png" in page
    assert "figures/size_times.png" not in page
    parameters = json.loads((out / "run.json").read_text())["parameters"]
    assert parameters["figures"] == ["letter-known", "letter-epsilon", "kaplan"]
    assert parameters["trials"] == {"letter-known": 1, "letter-epsilon": 2, "kaplan": 3}


def test_fewer_trials_are_shown_where_they_are_asked_for(run, tmp_path):
    out = tmp_path / "out"
    for trials in (4, 2):
        assert run("reproduce", "letter-epsilon", "--quick", "--trials", trials, "--out", out).code == 0
        assert trials_of(out, "letter-epsilon") == {str(trials)}
    assert len(np.load(out / "trials" / "letter-epsilon.npz")["cells"]) == 4 * 4  # and none is lost


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("figure-7",),
            "figure must be one of all, gaussian-known, letter-known, letter-epsilon, size, kaplan. Got 'fi",
        ),
        (("--trials", "0"), "--trials must be a whole number >= 1. Got 0."),
        (("--seed", "-1"), "--seed must be a whole number >= 0. Got -1."),
        (("--seed", str(2**63)), "--seed must be a whole number >= 0 and < 2^63. Got 9223372036854775808."),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(run, tmp_path, arguments, said):
    done = run("reproduce", *arguments, "--quick", "--out", tmp_path / "out")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert done.err.startswith(f"isobreach: {said}")
    assert not (tmp_path / "out").exists()


def test_folders_of_others_are_left_alone(run, tmp_path, quick):
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work")
    (tmp_path / "file").write_text("")
    audit = tmp_path / "audit"
    audit.mkdir()
    (audit / "run.json").write_text('{"command": "isobreach audit", "seed": 0, "parameters": {"quick": true}}')
    for out, said in (
        (mine, f"{mine} is not an earlier output of reproduce. Choose another --out."),
        (audit, f"{audit} is not an earlier output of reproduce. Choose another --out."),
        (tmp_path / "file", f"{tmp_path / 'file'} is not a folder. Choose another --out."),
        (tmp_path / "file" / "x", f"{tmp_path / 'file' / 'x'} cannot be written: {tmp_path / 'file'} is not a folder."),
    ):
        done = run("reproduce", "size", "--quick", "--out", out)
        assert (done.code, done.err.count("\n")) == (2, 1)
        assert done.err.startswith(f"isobreach: {said}")
    assert [path.name for path in mine.iterdir()] == ["thesis.txt"]
    before = contents(quick)
    rule = (
        "isobreach: --out must be a new folder, or one of the same seed and the same --quick. Got one of seed 0 and --"
    )
    for more in (("--seed", 1, "--quick"), ()):
        done = run("reproduce", "size", "--out", quick, *more)
        assert (done.code, done.err.startswith(rule)) == (2, True)
    assert contents(quick) == before


def test_two_runs_never_write_to_one_folder(run, tmp_path, quick):
    before = contents(quick)
    for out in (quick, tmp_path / "new"):
        with alone(out):
            done = run("reproduce", "size", "--quick", "--out", out)
        said = f"isobreach: {out} is being written by another run. Wait for it, or choose another path.\n"
        assert (done.code, done.err) == (2, said)
    assert contents(quick) == before
    assert not (tmp_path / "new").exists()


def test_a_pipe_in_the_place_of_a_run_record_is_not_opened(run, tmp_path):
    os.mkfifo(tmp_path / "run.json")
    done = run("reproduce", "size", "--quick", "--out", tmp_path)
    assert done.code == 2
    assert "is not an earlier output of reproduce" in done.err


def test_without_matplotlib_it_says_what_to_install(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = run("reproduce", "size", "--quick", "--out", tmp_path / "out")
    told = "isobreach: reproducing the paper's figures needs matplotlib. "
    assert (done.code, done.err) == (2, f"{told}Install it in isobreach's folder: pip install '.[plot]'\n")
    assert not (tmp_path / "out").exists()


def test_the_page_in_the_documentation_is_of_a_full_run():
    page = PAGE.read_text(encoding="utf-8")
    assert "isobreach reproduce all --out DIR --seed 0\n" in page
    assert "This is a quick run" not in page
    assert all((PAGE.parent / path).exists() for path in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page))
