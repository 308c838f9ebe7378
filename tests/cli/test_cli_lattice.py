# SPDX-License-Identifier: BSD-3-Clause
"""``isobreach attack --method lattice``: what it reads, says, writes and refuses, and how it is ended."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

import isobreach as ib
from effort import slow
from isobreach import attacks as ib_attacks
from isobreach.io import read_table, write_table

COMMAND = Path(sys.executable).with_name("isobreach")
NAMES = ("age", "children", "rent", "visits")
PRIVATE = "73411"  # a rent that must appear nowhere


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A folder with whole numbers of four people's attributes, released with and without a translation."""
    folder = tmp_path_factory.mktemp("lattice")
    random = np.random.default_rng(5)
    ranges = ((18, 95), (0, 6), (20_000, 90_000), (-40, 40))
    records = np.column_stack([random.integers(least, most, 400) for least, most in ranges])
    records[7, 2] = int(PRIVATE)
    for scheme in ("orthogonal", "rigid"):
        release = ib.perturb(records, scheme, seed=3)
        truth = np.empty(records.shape)
        truth[release.key.order] = records
        np.save(folder / f"{scheme}.npy", truth)
        write_table(folder / f"{scheme}.csv", release.data, [f"y{j}" for j in range(4)])
    write_table(folder / "known.csv", records[:4], NAMES)
    write_table(folder / "sample.csv", records[:300][:, ::-1], NAMES[::-1])
    np.save(folder / "known.npy", records[:4])
    np.save(folder / "continuous.npy", random.normal(size=(300, 4)))
    (folder / "bounds.csv").write_text("attribute,least,greatest\nrent,20000,90000\nage,18,95\nchildren,0,\n")
    (folder / "ordered.csv").write_text("least,greatest\n18,95\n0,6\n20000,90000\n,\n")
    return folder


@pytest.fixture
def attack(table, run):
    def call(release, *arguments):
        given = [table / word if str(word).endswith((".csv", ".npy")) else word for word in arguments]
        return run("attack", "--method", "lattice", "--released", table / release, "--seed", 0, *given)

    return call


def same_up_to_signs_and_offsets(first, second):
    centred = (first - first.mean(axis=0), second - second.mean(axis=0))
    return min(np.abs(centred[0] - sign * centred[1]).max() for sign in (1, -1)) < 1e-6


def test_without_anything_known_it_says_what_was_read_and_what_is_open(attack):
    done = attack("orthogonal.csv")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[0] == (
        "Without a single known record, 4 of 4 columns of all 400 records were read off the release exactly, up to "
        "the order and signs of the columns."
    )
    assert "4 open" in done.out
    assert "no translation" in done.out
    assert all(option in done.out for option in ("--known", "--sample", "--bounds"))


def test_known_records_name_everything_and_the_estimates_are_the_records(attack, table, tmp_path):
    for release in ("orthogonal", "rigid"):
        out = tmp_path / release
        done = attack(f"{release}.csv", "--known", "known.csv", "--estimates", "--out", out)
        assert done.code == 0, done.err
        assert done.out.startswith("With 4 known records, 4 of 4 columns of all 400 records were read off")
        assert "exactly, each under its name." in done.out
        estimates = parquet.read_table(out / "estimates.parquet")
        assert estimates.column_names == ["released row", *NAMES]
        found = np.column_stack([estimates.column(name).to_numpy() for name in NAMES])
        assert (found == np.load(table / f"{release}.npy")).all()
        assert stat.S_IMODE((out / "estimates.parquet").stat().st_mode) == 0o600


def test_the_folder_is_complete_repeatable_and_holds_nothing_private(attack, table, tmp_path):
    files = []
    for name in ("a", "b"):
        done = attack("rigid.csv", "--known", "known.csv", "--bounds", "bounds.csv", "--out", tmp_path / name)
        assert done.code == 0, done.err
        assert PRIVATE not in done.out
        written = {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
        assert set(written) == {"report.html", "result.json", "run.json"}
        assert not any(PRIVATE.encode() in content or b"73,411" in content for content in written.values())
        files.append(written)
    assert files[0] == files[1]
    run = json.loads(files[0]["run.json"])
    assert set(run["inputs"]) == {"released", "known", "bounds"}
    assert (run["parameters"]["method"], run["seed"]) == ("lattice", 0)
    assert "fpylll" in run["versions"]
    result = json.loads(files[0]["result.json"])
    assert (result["schema"], result["claimed"]) == ("isobreach/lattice/1", True)
    assert (result["rows"], result["columns"], result["seed"]) == (400, 4, 0)
    assert result["open"] == {"attribute": 0, "sign": 0, "offset": 0}
    assert [entry["column"] for entry in result["attributes"]] == list(NAMES)
    assert all(entry["step"] == 1 and entry["recovered"] for entry in result["attributes"])


def test_json_is_all_of_stdout_and_unnamed_estimates_say_so(attack, table, tmp_path):
    done = attack("rigid.csv", "--json", "--estimates", "--out", tmp_path / "out")
    result = done.json
    assert (result["claimed"], result["open"]) == (True, {"attribute": 4, "sign": 4, "offset": 4})
    assert [entry["column"] for entry in result["attributes"]] == [None] * 4
    labels = [entry["estimate"] for entry in result["attributes"]]
    assert labels == ["open_1", "open_2", "open_3", "open_4"]
    found = read_table(tmp_path / "out" / "estimates.parquet", name="estimates", columns=labels).values
    truth = np.load(table / "rigid.npy")
    matches = [[same_up_to_signs_and_offsets(a, b) for b in truth.T] for a in found.T]
    assert sorted(map(sum, matches)) == [1] * 4
    assert {row.index(True) for row in matches} == {0, 1, 2, 3}


def test_bounds_by_name_by_order_and_for_all(attack):
    named = attack("orthogonal.csv", "--bounds", "bounds.csv", "--json").json
    by = {entry["column"]: entry for entry in named["attributes"]}
    assert {"rent", "age", "children"} <= set(by)  # the fourth has no line
    assert by["rent"]["sign_by"] == by["age"]["sign_by"] == "bounds"
    ordered = attack("orthogonal.csv", "--bounds", "ordered.csv", "--json").json
    assert [entry["column"] for entry in ordered["attributes"]] == ["c1", "c2", "c3", "c4"]
    matched = attack("rigid.csv", "--known", "known.csv", "--bounds", "bounds.csv", "--json").json
    assert [entry["column"] for entry in matched["attributes"]] == list(NAMES)
    everyone = attack("orthogonal.csv", "--bounds", "-40:", "--json").json
    assert everyone["knowledge"]["bounds"]
    assert everyone["open"]["sign"] < 4
    wrong = attack("orthogonal.csv", "--bounds", "0:3")
    assert "read nothing off this release: the bounds do not hold for the grid that was found" in wrong.out


def test_a_sample_is_matched_by_name_whatever_its_order(attack):
    alone = attack("rigid.csv", "--sample", "sample.csv", "--json").json
    named = [entry["column"] for entry in alone["attributes"] if entry["attribute_by"] == "sample"]
    assert named
    assert set(named) <= set(NAMES)
    both = attack("rigid.csv", "--known", "known.csv", "--sample", "sample.csv", "--json").json
    assert both["open"] == {"attribute": 0, "sign": 0, "offset": 0}
    assert "sample" not in both["reason"]  # no word that it does not fit
    assert both["knowledge"] == {"known_records": 4, "sample_records": 300, "bounds": False}
    assert [entry["column"] for entry in both["attributes"]] == list(NAMES)


def test_no_claim_is_told_as_such(attack, tmp_path):
    done = attack("continuous.npy", "--estimates", "--out", tmp_path / "out")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("The lattice attack read nothing off this release: ")
    assert "No claim is not 'safe'" in done.out
    assert "No estimates were written" in done.out
    assert not (tmp_path / "out" / "estimates.parquet").exists()
    assert "No claim is not &#39;safe&#39;" in (tmp_path / "out" / "report.html").read_text()
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert (result["claimed"], result["noise"], result["recovered"]) == (False, None, 0)


def test_names_are_escaped_in_the_page_and_no_markup_in_the_terminal(attack, table, tmp_path):
    odd = ("<b>age", "[red]kids", "a&b", "visits")
    write_table(tmp_path / "odd.csv", read_table(table / "known.csv", name="known").values, odd)
    done = attack("rigid.csv", "--known", tmp_path / "odd.csv", "--out", tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text()
    assert "&lt;b&gt;age" in page
    assert "a&amp;b" in page
    assert "<b>" not in page
    assert "[red]kids" in done.out


REFUSED = {
    "epsilon": (("lattice", "--epsilon", 0.2), "--epsilon must be left out with the method lattice. Got the option."),
    "normalise": (("lattice", "--normalise"), "--normalise must be left out with the method lattice. Got the option."),
    "motion": (("lattice", "--motion", "auto"), "It belongs to known-input, alignment, "),
    "sample": (("kaplan", "--sample", "s.csv"), "It belongs to known-input, "),
    "budget": (
        ("known-input", "--budget", 60),
        "--budget must be left out with the method known-input.",
    ),
    "no known": (("known-input",), "Missing option '--known'. To attack without known records: isobreach attack"),
    "method": (("magic",), "METHOD must be one of known-input, "),
    "budget zero": (("lattice", "--budget", 0), "--budget must be a finite number > 0. Got 0.0."),
    "seed": (("lattice", "--seed", -1), "seed must be a whole number >= 0. Got -1."),
    "estimates": (("lattice", "--estimates"), "--estimates needs a folder to write to. Got no --out."),
    "noise": (("lattice", "--noise", -1), "noise must be a finite number >= 0. Got -1.0."),
    "known": (("lattice", "--known", "gone.csv"), "known must be an existing file or folder. Got gone.csv."),
    "bounds text": (("lattice", "--bounds", "0-15"), "must be an existing file, or one range such as 0:15"),
    "bounds empty": (
        ("lattice", "--bounds", ":"),
        "--bounds must have a least value, a greatest not below it, or both",
    ),
    "bounds turned": (("lattice", "--bounds", "9:1"), "a greatest not below it, or both. Got 9:1."),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_one_line(case, table, run):
    (method, *more), message = REFUSED[case]
    known = () if method != "known-input" or case == "no known" else ("--known", table / "known.csv")
    done = run("attack", "--method", method, "--released", table / "rigid.csv", *known, *more)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert message in done.err


BOUNDS = {
    "unknown name": ("attribute,least\nagee,0\n", "Got 'agee'. Did you mean 'age'?"),
    "twice": ("attribute,least\nage,0\nage,1\n", "must name every attribute once. Got 'age' more than once."),
    "no name": ("attribute,least\nage,0\n,1\n", "must name the attribute in every line. Got none in line 2."),
    "turned": (
        "attribute,least,greatest\nage,1,2\nrent,9,1\n",
        "no least value above the greatest. Got one in line 2.",
    ),
    "text": ("attribute,least\nage,secret\n", "must hold numbers in column 'least', or nothing. Got text."),
    "no columns": ("name,min\nage,0\n", "must have columns least and greatest"),
    "too few": ("least,greatest\n0,1\n", "must have a line for each attribute, 4 columns of known. Got 1 line."),
    "empty": ("", "must have at least one row"),
}


@pytest.mark.parametrize("case", BOUNDS)
def test_a_file_of_bounds_that_is_wrong_is_one_line(case, attack, tmp_path):
    content, message = BOUNDS[case]
    (tmp_path / "wrong.csv").write_text(content)
    done = attack("rigid.csv", "--known", "known.csv", "--bounds", tmp_path / "wrong.csv")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert message in done.err
    assert "secret" not in done.err


def test_bounds_of_a_table_without_names_are_by_its_own_names_or_by_order(attack, tmp_path):
    (tmp_path / "own.csv").write_text("attribute,least,greatest\nc3,20000,90000\nc1,18,95\n")
    own = attack("rigid.csv", "--known", "known.npy", "--bounds", tmp_path / "own.csv", "--json").json
    assert [entry["column"] for entry in own["attributes"]] == ["c1", "c2", "c3", "c4"]
    assert "bounds" not in own["reason"]  # no word that they do not hold
    (tmp_path / "new.csv").write_text("attribute,least\nage,18\nkids,0\nrent,20000\nvisits,-40\n")
    new = attack("rigid.csv", "--known", "known.npy", "--bounds", tmp_path / "new.csv", "--json").json
    assert [entry["column"] for entry in new["attributes"]] == ["age", "kids", "rent", "visits"]


def test_bounds_in_parquet_are_those_in_csv(attack, table, tmp_path):
    import pyarrow as pa

    columns = {"attribute": ["rent", "age", "children"], "least": [20000, 18, 0], "greatest": [90000, 95, None]}
    parquet.write_table(pa.table(columns), tmp_path / "bounds.parquet")
    results = [
        attack("orthogonal.csv", "--bounds", file, "--json").json
        for file in ("bounds.csv", tmp_path / "bounds.parquet")
    ]
    assert results[0] == results[1]


def test_an_existing_folder_is_refused_before_the_work_and_replaced_by_force(attack, tmp_path):
    assert attack("rigid.csv", "--out", tmp_path / "out").code == 0
    again = attack("rigid.csv", "--out", tmp_path / "out")
    assert (again.code, again.out, "exists. Use --force" in again.err) == (2, "", True)
    assert "exists. Use --force" in attack("gone.npy", "--out", tmp_path / "out").err
    assert attack("rigid.csv", "--out", tmp_path / "out", "--known", "known.csv", "--force").code == 0
    assert json.loads((tmp_path / "out" / "result.json").read_text())["open"]["attribute"] == 0


def test_without_fpylll_the_line_says_how_to_install_it(table, tmp_path):
    for module in ("fpylll", "cysignals"):
        code = f"import sys; sys.modules[{module!r}] = None; from isobreach.cli import main; main()"
        arguments = ["attack", "--method", "lattice", "--released", "rigid.csv", "--out", tmp_path / "out"]
        done = subprocess.run([sys.executable, "-c", code, *arguments], cwd=table, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (2, "")
        needs = "isobreach: The lattice attack needs fpylll and cysignals."
        assert done.stderr == f"{needs} Install it in isobreach's folder: pip install '.[lattice]'\n"
        assert not (tmp_path / "out").exists()


# The command, with its progress as lines: they tell when it is inside a reduction that takes minutes.
SLOW = """
import sys
from isobreach.cli import main
from isobreach.cli.console import Console
Console.progress = lambda self, label, done, total: print(label, done, file=sys.stderr, flush=True)
main()
"""


def in_a_long_reduction(folder, *, ignored=()):
    np.save(folder / "big.npy", np.random.default_rng(0).normal(size=(2000, 250)))
    arguments = ["attack", "--method", "lattice", "--released", "big.npy", "--effort", "1000000", "--out", "out"]
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        preexec_fn=lambda: [signal.signal(number, signal.SIG_IGN) for number in ignored],
    )
    while not process.stderr.readline().startswith("lattice paths 2"):
        assert process.poll() is None
    time.sleep(2.0)
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, *slow(signal.SIGTERM)])
def test_a_signal_ends_a_long_reduction_in_one_line(number, tmp_path):
    process = in_a_long_reduction(tmp_path)
    process.send_signal(number)
    try:
        out, err = process.communicate(timeout=15)
    finally:
        process.kill()
    assert (process.returncode, out) == (128 + number, "")
    assert err == "isobreach: interrupted. Nothing was written.\n"
    assert [path.name for path in tmp_path.iterdir()] == ["big.npy"]


@pytest.mark.slow
def test_who_ignores_a_hang_up_goes_on(tmp_path):
    process = in_a_long_reduction(tmp_path, ignored=[signal.SIGHUP])
    process.send_signal(signal.SIGHUP)
    time.sleep(1.0)
    try:
        assert process.poll() is None
    finally:
        process.kill()
        process.communicate()


# Ctrl-C inside a callback of the interpreter, such as those of weak references while modules are imported.
CALLBACK = """
import os, signal, time, weakref
from isobreach import cli
class Module:
    pass
def interrupted(_):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.01)
def run(arguments):
    module = Module()
    reference = weakref.ref(module, interrupted)
    del module
    time.sleep(30)
    return 0, None
cli._run = run
cli.main([])
"""


def test_a_signal_that_the_interpreter_drops_is_not_lost():
    done = subprocess.run([sys.executable, "-c", CALLBACK], capture_output=True, text=True, timeout=25)
    assert (done.returncode, done.stderr) == (130, "isobreach: interrupted. Nothing was written.\n")


def test_help_names_all_methods():
    done = subprocess.run([COMMAND, "attack", "--help"], capture_output=True, text=True, env={**os.environ})
    assert done.returncode == 0
    for name in ib_attacks.ATTACKS:
        assert f"\n  {name} " in done.stdout
    own = subprocess.run([COMMAND, "attack", "lattice", "--help"], capture_output=True, text=True, env={**os.environ})
    assert own.returncode == 0
    assert "FILE|LEAST:GREATEST" in own.stdout
    assert "--epsilon" not in own.stdout
