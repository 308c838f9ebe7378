# SPDX-License-Identifier: BSD-3-Clause
"""What a hostile machine or file does to the commands: one line at most, nothing lost, nothing published."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from effort import slow
from isobreach.cli import main

COMMAND = Path(sys.executable).with_name("isobreach")


@pytest.mark.parametrize("first", ["NA,51,52", "Alice Smith,51234,3", "Alice,5,5"])
def test_a_record_in_the_place_of_the_header_is_not_published(first, tmp_path, run):
    (tmp_path / "t.csv").write_text(f"{first}\n5,6,7\n1,2,3\n")
    done = run("perturb", tmp_path / "t.csv", "--out", tmp_path / "r.csv", "--key", tmp_path / "k")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "must begin with a line of column names" in done.err
    assert not any(cell in done.err for cell in first.split(",") if len(cell) > 2)
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_force_spares_a_folder_with_other_files(case, run):
    folder = case.folder / "mine"
    folder.mkdir()
    (folder / "run.json").write_text("{}")
    (folder / "thesis.txt").write_text("precious")
    held = ("--known", case.known, "--id-column", "name", "--released", case.released)
    done = run("attack", *held, "--out", folder, "--force")
    assert (done.code, "holds other files, such as 'thesis.txt'" in done.err) == (2, True)
    assert (folder / "thesis.txt").read_text() == "precious"


def test_a_defect_is_no_closed_gate_and_quotes_nothing(case, run, monkeypatch, capsys):
    """A pipeline that reads exit code 1 as "do not publish" must not read a crash so. Its words may quote a record."""

    def defect(*_, **__):
        raise KeyError("Alice Smith")

    people = case.folder / "people.csv"
    monkeypatch.setattr("isobreach.cli.tables.Data.read", defect)
    done = run("audit", people, "--id-column", "name", "--limit", 0.05)
    assert (done.code, done.out) == (70, "")
    assert "Traceback" in done.err
    assert "Alice Smith" in done.err
    monkeypatch.delenv("ISOBREACH_TRACEBACK")
    with pytest.raises(SystemExit) as stop:
        main(["audit", str(people), "--id-column", "name", "--limit", "0.05"])
    assert stop.value.code == 70
    line = capsys.readouterr().err
    assert line.startswith(
        "isobreach: stopped by a defect of isobreach, which decides nothing: KeyError in test_cli_broken.py"
    )
    assert line.endswith("run the same command with ISOBREACH_TRACEBACK=1 before it.\n")
    assert (line.count("\n"), "Alice" in line) == (1, False)


def test_a_key_that_cannot_be_named_leaves_no_release(case, run):
    done = run("perturb", "letter", "--out", case.folder / "r.npy", "--key", case.folder / ("k" * 300))
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert not (case.folder / "r.npy").exists()


@pytest.mark.parametrize("name", ["k" * 300 + ".npy", "no\nfile.npy", "damaged.npy"])
def test_odd_files_are_one_line(name, case, run):
    header = b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False, 'shape': (3000000".ljust(127) + b"\n"
    (case.folder / "damaged.npy").write_bytes(header + bytes(100))
    done = run("link", "--known", case.folder / name, "--released", case.released)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert done.err.startswith("isobreach: --known must")


def test_infinities_of_both_signs_are_one_line(tmp_path, run):
    (tmp_path / "t.csv").write_text("a,b\ninf,2\n-inf,3\n1,2\n")
    done = run("perturb", tmp_path / "t.csv", "--out", tmp_path / "r.csv", "--key", tmp_path / "k")
    assert (done.code, done.err.count("\n")) == (2, 1)


def test_a_full_standard_output_is_one_line(case):
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with Path("/dev/full").open("w") as full:
        held = ("--known", case.known, "--id-column", "name", "--released", case.released)
        command = [COMMAND, "link", *held, "--quiet"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "No space left on device" in done.stderr


@pytest.mark.parametrize("what", ["link --known {known} --id-column name", "attack --method lattice"])
@pytest.mark.parametrize("reader", ["true", *slow("head -1")])
def test_a_reader_that_leaves_is_no_error(case, what, reader):
    command = f"{COMMAND} {what.format(known=case.known)} --released {case.released} --quiet | {reader}"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True)
    assert done.returncode in (0, 128 + signal.SIGPIPE)  # 0: it was done before the reader left
    assert done.stderr == ""


def test_a_library_that_counts_what_is_left_over_says_nothing(case, tmp_path):
    """DuckDB prints objects that were not collected when the process ends."""
    with duckdb.connect(str(tmp_path / "r.db")) as duck:
        duck.execute("CREATE TABLE r AS SELECT [1.0, NULL] AS vector")
    command = [COMMAND, "link", "--known", case.known, "--id-column", "name", "--released", "duckdb:///r.db"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr


def test_no_place_for_compiled_code_is_no_error(case):
    environment = {**os.environ, "NUMBA_CACHE_DIR": "/proc/nowhere", "HOME": "/nonexistent"}
    command = [COMMAND, "link", "--known", case.known, "--id-column", "name", "--released", case.released, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert '"linked": 3' in done.stdout
