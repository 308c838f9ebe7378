# SPDX-License-Identifier: BSD-3-Clause
"""The audit on the command line: its folder, its gate, and going on after a kill."""

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from isobreach.cli.audit import parse_sizes, unfinished
from isobreach.errors import InputError

RNG = np.random.default_rng(0)


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    rows = RNG.normal(50, 20, (150, 4))
    lines = [f"p{k}," + ",".join(f"{x:.6f}" for x in row) for k, row in enumerate(rows)]
    path.write_text("name,age,income,height,weight\n" + "\n".join(lines) + "\n")
    return path


def _audit(people, *more):
    asked = ("--id-column", "name", "--epsilon", 0.3, "--coalitions", "1-5", "--trials", 10, "--seed", 0)
    return ("audit", people, *asked, "--attacks", "known-input", *more)


def test_the_folder_is_complete(run, people, tmp_path):
    done = run(*_audit(people, "--out", tmp_path / "out", "--noise-levels", "0,1"))
    assert (done.code, done.err) == (0, "")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"report.html", "result.json", "run.json", "per_record.parquet", "per_attribute.parquet"}
    assert not unfinished(tmp_path / "out").exists()
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert done.out.startswith(result["verdict"])
    assert [one["size"] for one in result["sizes"]] == [1, 2, 3, 4, 5]
    records = pq.read_table(tmp_path / "out" / "per_record.parquet")
    assert records.num_rows == 150
    assert records.column("id").to_pylist()[:2] == ["p0", "p1"]
    assert np.allclose(records.column("exposure_5"), 1)
    attributes = pq.read_table(tmp_path / "out" / "per_attribute.parquet")
    assert attributes.column("attribute").to_pylist() == ["age", "income", "height", "weight"]
    told = json.loads((tmp_path / "out" / "run.json").read_text())
    assert told["seconds"] > 0
    assert told["inputs"]["data"]["name"] == "people.csv"
    assert "seconds" not in json.dumps(result)


def test_json_is_all_there_is_on_stdout(run, people):
    done = run(*_audit(people, "--json"))
    assert done.code == 0
    assert done.json["schema"] == "isobreach/audit/1"
    assert done.json["seed"] == 0


def test_the_same_command_gives_the_same_bytes(run, people, tmp_path):
    for name in ("one", "two"):
        assert run(*_audit(people, "--out", tmp_path / name)).code == 0
    for file in ("result.json", "per_record.parquet", "per_attribute.parquet", "report.html"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (("--fail-above", 0.9), 1),
        (("--fail-above", 0.999, "--fail-size", 5), 1),
        (("--fail-above", 0, "--fail-size", 1), 0),
        (("--fail-above", 0, "--fail-size", 2), 0),
    ],
)
def test_the_gate(run, people, tmp_path, more, code):
    """Behind a translation one or two insiders find nothing; five of four columns find everything."""
    done = run(*_audit(people, "--out", tmp_path / "out", *more))
    assert done.code == code
    assert (tmp_path / "out" / "report.html").exists()
    if code:
        assert done.err.startswith("isobreach: gate closed: with 5 insiders the most exposed record is breached with ")
        assert done.err.count("\n") == 1
    else:
        assert done.err == ""


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--coalitions", "8-1"), "--coalitions must be sizes such as 1-8 or 1,2,4-6. Got '8-1'."),
        (("--coalitions", "many"), "--coalitions must be sizes such as 1-8 or 1,2,4-6. Got 'many'."),
        (("--coalitions", "1-150"), "coalition_sizes must be below the number of records, 150. Got 150."),
        (("--fail-above", "2"), "--fail-above must be a probability from 0 to below 1. Got 2.0."),
        (("--fail-size", "2"), "--fail-size needs a limit. Got no --fail-above. Add --fail-above P."),
        (("--fail-above", "0.1", "--fail-size", "9"), "--fail-size must be one of the coalition sizes. Got 9."),
        (("--epsilon", "0"), "epsilon must be a finite number > 0. Got 0.0."),
        (("--trials", "1"), "trials must be a whole number >= 2. Got 1."),
        (("--tolerance", "1,2"), "tolerance must be one number or one for each of the 4 columns. Got 2 numbers."),
        (("--tolerance", "x"), "--tolerance must be numbers, by commas. Got 'x'."),
        (("--noise-levels", "0.1,x"), "--noise-levels must be numbers, by commas. Got '0.1,x'."),
        (("--attacks", "magic"), "attacks must be one of known-input, lattice. Got 'magic'."),
        (("--width", "2"), "width must be at least the number of columns of X, 4. Got 2."),
    ],
)
def test_bad_input_ends_in_one_line(run, people, tmp_path, more, said):
    done = run(*_audit(people, "--out", tmp_path / "out", *more))
    assert done.code == 2
    assert said in done.err
    assert done.err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv"]


def test_sizes_are_read():
    assert parse_sizes("1-3, 7,9-10") == [1, 2, 3, 7, 9, 10]
    with pytest.raises(InputError):
        parse_sizes("1,")


def test_unfinished_work_of_another_audit_is_named(run, people, tmp_path):
    unfinished(tmp_path / "out").write_bytes(b"nonsense")
    done = run(*_audit(people, "--out", tmp_path / "out"))
    assert done.code == 2
    assert "out.unfinished.npz must be the unfinished work of an audit. Got a damaged file." in done.err


def _killed_at_times(command, out, delays):
    """Start the command again and again, killed after each delay; then let it end. How often there was work to keep."""
    kept = 0
    for delay in delays:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=60)
        kept += unfinished(out).exists()
        if out.exists():
            break
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0 or out.exists(), done.stderr
    return kept


@pytest.mark.slow
def test_killed_at_ten_moments_it_ends_in_the_same_result(tmp_path):
    """SIGKILL, at random moments; work is kept after every coalition."""
    source = str(Path(__file__).parents[2] / "src")
    code = (
        f"import sys; sys.path.insert(0, {source!r}); from isobreach.io import store; store._SECONDS = 0; "
        "store.FileStore.__init__.__kwdefaults__['seconds'] = 0; from isobreach.cli import main; main(sys.argv[1:])"
    )

    def command(out):
        asked = ["audit", "letter", "--scheme", "orthogonal", "--coalitions", "1-12", "--trials", "150", "--seed", "3"]
        return [sys.executable, "-c", code, *asked, "--attacks", "known-input", "--out", str(out)]

    started = time.monotonic()
    subprocess.run(command(tmp_path / "whole"), check=True, capture_output=True, timeout=600)
    whole = time.monotonic() - started
    moments = random.Random(0)
    delays = [moments.uniform(0.2, 0.6) * whole for _ in range(10)]
    kept = _killed_at_times(command(tmp_path / "killed"), tmp_path / "killed", delays)
    assert kept >= 1
    for file in ("result.json", "per_record.parquet", "per_attribute.parquet"):
        assert (tmp_path / "killed" / file).read_bytes() == (tmp_path / "whole" / file).read_bytes()
    assert not unfinished(tmp_path / "killed").exists()


def test_a_gate_that_cannot_be_decided_is_closed(people):
    from dataclasses import replace

    import isobreach as ib
    from isobreach.cli.audit import Gate

    result = ib.audit(RNG.standard_normal((50, 30)), coalition_sizes=[1], trials=3, seed=0)
    assert Gate(0.5, None).reason(result) is None
    open_ = replace(result, per_size=(replace(result.per_size[0], undecided=1),))
    reason = Gate(0.5, None).reason(open_)
    assert reason is not None
    assert reason.startswith("gate closed: links were undecided for 1 random coalition")
