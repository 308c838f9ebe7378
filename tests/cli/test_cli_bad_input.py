# SPDX-License-Identifier: BSD-3-Clause
"""Bad input: one line that names it, exit 2, nothing written."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from effort import slow
from isobreach.io import write_table


def files(folder: Path) -> set[str]:
    return {str(path) for path in folder.rglob("*")}


def replace_cell(case, text):
    lines = case.known.read_text().splitlines()
    cells = lines[2].split(",")
    cells[3] = text
    lines[2] = ",".join(cells)
    case.known.write_text("\n".join(lines) + "\n")


def keep(case):
    return None


BAD = {
    "missing file": (lambda c: c.known.unlink(), (), "known must be an existing file"),
    "wrong extension": (
        lambda c: c.known.rename(c.known.with_suffix(".txt")), ("--known", "known.txt"), ".npy, .xlsx, ",
    ),
    "empty file": (lambda c: c.known.write_text(""), (), "known must"),
    "header only": (lambda c: c.known.write_text("name,age,height,weight,income,visits\n"), (), "0 rows"),
    "no numeric column": (lambda c: c.known.write_text("name\nann\nbob\n"), (), "at least one numeric column"),
    "text": (lambda c: replace_cell(c, "secret-4711"), (), "row 1 (counted from 0)"),
    "partial under noise": (lambda c: replace_cell(c, ""), ("--noise", "0.1"), "known must hold complete records"),
    "partial normalised": (lambda c: replace_cell(c, ""), ("--normalise",), "known must hold complete records with"),
    "infinity": (lambda c: replace_cell(c, "inf"), (), "the first in row 1 (counted from 0), column 'weight'"),
    "widths": (keep, ("--released-columns", "c1,c2"), "more numeric columns than released, 2. Got 5"),
    "unknown column": (keep, ("--columns", "agee"), "'agee'. Did you mean 'age'?"),
    "duplicate names": (
        lambda c: c.known.write_text("a,a,b,c,d\n1,2,3,4,5\n"), (), "distinct column names. Got 'a' more than once",
    ),
    "no column": (keep, ("--columns", " ,"), "--columns must have at least one name. Got ' ,'"),
    "epsilon zero": (keep, ("--epsilon", "0"), "epsilon must be a finite number > 0. Got 0.0"),
    "epsilon negative": (keep, ("--epsilon", "-1"), "epsilon must be a finite number > 0. Got -1.0"),
    "epsilon infinite": (keep, ("--epsilon", "inf"), "epsilon must be a finite number > 0. Got inf"),
    "epsilon nan": (keep, ("--epsilon", "nan"), "epsilon must be a finite number > 0. Got nan"),
    "epsilon text": (keep, ("--epsilon", "much"), "--epsilon must be a number. Got 'much'."),
    "tolerance": (keep, ("--tolerance", "-1"), "tolerance must be None or a finite number >= 0. Got -1.0"),
    "seed": (keep, ("--seed", "-1"), "seed must be a whole number >= 0. Got -1"),
    "estimator": (keep, ("--estimator", "best"), "--estimator must be one of optimal, uniform, published. Got 'best'."),
    "output exists": (lambda c: (c.folder / "attack").mkdir(), (), "exists. Use --force"),
    "output not ours": (lambda c: (c.folder / "attack").mkdir(), ("--force",), "is not an earlier output"),
    "output parent": (keep, ("--out", "known.csv/attack"), "known.csv is not a folder"),
    "motion": (keep, ("--motion", "affine"), "similarity, auto. Got 'affine'."),
    "noise text": (keep, ("--noise", "much"), "'much' is neither a number nor 'estimate'"),
    "noise negative": (keep, ("--noise", "-1"), "noise must be a finite number >= 0. Got -1.0"),
    "dictionary missing": (keep, ("--dictionary", "no.csv"), "dictionary must be an existing file"),
    "dictionary columns": (
        lambda c: (c.folder / "d.csv").write_text("name,age,height,weight,income\nx,1,2,3,4\n"),
        ("--dictionary", "d.csv"), "'visits'",
    ),
    "zeros": (
        lambda c: c.known.write_text("name,age,height,weight,income,visits\nx,1,2,3,4,5\ny,0,0,0,0,0\n"),
        ("--normalise",), "known must have no records of zeros with --normalise. Got 1; the first in row 1 (",
    ),
    "estimates without out": (keep, ("--estimates",), "--estimates needs a folder to write to"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_attack_says_one_line_and_writes_nothing(name, case, run, monkeypatch):
    monkeypatch.chdir(case.folder)
    spoil, extra, message = BAD[name]
    spoil(case)
    before = files(case.folder)
    arguments = ["attack", "--known", "known.csv", "--released", "released.csv"]
    if "name" in case.known.read_text() if case.known.exists() else False:
        arguments += ["--id-column", "name"]
    if name != "estimates without out":
        arguments += ["--out", "attack"]
    done = run(*arguments, *extra)
    assert (done.code, done.out) == (2, "")
    lines = [line for line in done.err.splitlines() if line.startswith("isobreach: ")]
    assert len(lines) == 1
    assert done.err.splitlines()[-1] == lines[0]
    assert message in lines[0]
    assert "Traceback" not in done.err
    assert "secret-4711" not in done.err
    assert files(case.folder) == before


def test_perturb_never_overwrites_a_key(case, run):
    key, new = case.folder / "key", case.folder / "new.csv"
    before = key.read_bytes()
    done = run("perturb", "letter", "--out", new, "--key", key)
    assert done.code == 2
    assert "exists. Use --force" in done.err
    assert key.read_bytes() == before
    assert not new.exists()


def test_perturb_that_cannot_write_the_release_leaves_the_old_key(case, run):
    key = case.folder / "key"
    before = key.read_bytes()
    done = run("perturb", "letter", "--out", case.known / "r.csv", "--key", key, "--force")
    assert done.code == 2
    assert key.read_bytes() == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--scheme", "rigid", "--noise", "0.1"),
            "noise is no parameter of the scheme rigid. Got 0.1. It has: --width.",
        ),
        (
            ("--scheme", "ball", "--noise", "0"),
            "noise is no parameter of the scheme ball. Got 0.0. It has: --scale, --beta.",
        ),
        (("--scheme", "noisy", "--width", "9"), "width is no parameter of the scheme noisy. Got 9. It has: --noise."),
        (("--scheme", "noisy", "--noise", "-1"), "noise must be a finite number >= 0. Got -1.0."),
        (("--scheme", "ball", "--scale", "0"), "scale must be a finite number > 0. Got 0.0."),
        (("--width", "3"), "width must be at least the number of columns of DATA, 5. Got 3."),
        (("--scheme", "rigd"), "Got 'rigd'. Did you mean 'rigid'?"),
    ],
)
def test_perturb_refuses_parameters_in_one_line(case, run, options, message):
    before = files(case.folder)
    done = run("perturb", case.folder / "people.csv", "--out", case.folder / "r.csv", "--key", case.folder / "k",
               "--quiet", *options)  # fmt: skip
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert message in done.err
    assert files(case.folder) == before


def test_key_and_release_must_be_two_files(case, run):
    done = run("perturb", "letter", "--out", case.folder / "x.csv", "--key", case.folder / "x.csv")
    assert (done.code, "must be another file" in done.err) == (2, True)


def test_no_command_prints_help_and_fails(run):
    done = run()
    assert done.code == 2
    assert "Usage" in done.err


def test_quiet_silences_notes_but_not_errors(case, run):
    (case.folder / "r.csv").write_text(
        "\n".join(f"{'note' if k == 0 else 'x'},{line}" for k, line in enumerate(case.released.read_text().split()))
    )
    arguments = ("link", "--known", case.known, "--id-column", "name", "--released", case.folder / "r.csv")
    assert "left out" in run(*arguments).err
    assert run(*arguments, "--quiet").err == ""
    assert run("link", "--known", "no.csv", "--released", case.released, "--quiet").err.startswith("isobreach: --known")


def big_release(folder: Path) -> list[str]:
    rng = np.random.default_rng(0)
    released = rng.integers(0, 2, size=(200_000, 16)).astype(np.float64)
    write_table(folder / "big.csv", released + 0.5, [f"c{i}" for i in range(16)])
    np.save(folder / "known.npy", released[:12] + 0.5)
    command = Path(sys.executable).with_name("isobreach")
    return [str(command), "attack", "--known", "known.npy", "--released", "big.csv", "--out", "attack"]


@pytest.mark.parametrize("number", [signal.SIGINT, *slow(signal.SIGTERM)])
def test_interrupt_is_one_line_and_leaves_nothing(tmp_path, number):
    command = big_release(tmp_path)
    before = files(tmp_path)
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    time.sleep(1.0)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (128 + number, "")
    assert err.splitlines()[-1] == "isobreach: interrupted. Nothing was written."
    assert "Traceback" not in err
    assert files(tmp_path) == before


@pytest.fixture
def disk(tmp_path):
    """A disk of 200 kB."""
    if os.geteuid() != 0:
        pytest.skip("mounting a small disk needs root")
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(disk)], capture_output=True)
    if mounted.returncode:
        pytest.skip("no small disk can be mounted here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


FILLING = {"perturb": ("letter", "--key", "key", "--out"), "demo": ("--out",)}


@pytest.mark.parametrize("command", ["perturb", *slow("demo")])
def test_full_disk_is_one_line_and_leaves_nothing(disk, tmp_path, command, run, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run(command, *FILLING[command], disk / "r.csv", "--quiet")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert re.search(r"r\.csv(\.unfinished\.npz)? cannot be written", done.err)  # the work that it keeps, or the result
    assert not any(disk.iterdir())
    assert not (tmp_path / "key").exists()
