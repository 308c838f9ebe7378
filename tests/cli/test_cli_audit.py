# SPDX-License-Identifier: BSD-3-Clause
"""The audit on the command line: its folder, its gate, and going on after a kill."""

import errno
import json
import os
import random
import re
import shlex
import signal
import stat
import subprocess
import sys
import time
from dataclasses import replace
from html import unescape
from importlib.resources import files
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import isobreach as ib
from effort import slow
from isobreach.attacks import ATTACKS
from isobreach.audits import WORST_RECORD, AttackerFigures, Criterion
from isobreach.cli.audit import parse_sizes, unfinished
from isobreach.cli.gate import GateOptions
from isobreach.errors import InputError
from isobreach.io import alone
from json_schema import violations

RNG = np.random.default_rng(0)
SCHEMA = json.loads(files("isobreach.report").joinpath("audit.schema.json").read_text(encoding="utf-8"))


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    rows = RNG.normal(50, 20, (150, 4))
    lines = [f"p{k}," + ",".join(f"{x:.6f}" for x in row) for k, row in enumerate(rows)]
    path.write_text("name,age,income,height,weight\n" + "\n".join(lines) + "\n")
    return path


def _audit(people, *more):
    asked = ("--id-column", "name", "--epsilon", 0.3, "--coalitions", "1-5", "--trials", 10, "--seed", 0)
    return ("audit", people, *asked, "--attacks", "known-input", "--samples", 0, *more)


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
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "out").iterdir()}
    assert {name for name, mode in modes.items() if mode != 0o600} == {"per_attribute.parquet"}
    told = json.loads((tmp_path / "out" / "run.json").read_text())
    assert told["seconds"] > 0
    assert told["inputs"]["data"]["name"] == "people.csv"
    assert "seconds" not in json.dumps(result)


def test_json_on_stdout_is_the_result_and_nothing_else(run, people, tmp_path):
    done = run(*_audit(people, "--json", "--out", tmp_path / "out"))
    assert done.code == 0
    assert done.out == (tmp_path / "out" / "result.json").read_text(encoding="utf-8")
    assert violations(done.json, SCHEMA) == []
    assert done.json["seed"] == 0


ODD = "a file named like an option"
PASTED = {
    "names, sizes and a gate": (
        *("people.csv", "--id-column", "name", "--columns", "age,income", "--columns", "odd name's", "--epsilon", 0.3),
        *("--coalitions", "1-2, 4", "--trials", 5, "--attacks", "known-input", "--fail-above", 0.25, "--fail-size", 2),
    ),
    "a scheme and its parameter": (
        *("people.csv", "--id-column", "name", "--scheme", "noisy", "--noise", 0.25, "--level", 0.6, "--trials", 4),
        *("--tolerance", "1,2.5,3,0.1,9", "--coalitions", "1,3", "--attacks", "known-input", "--seed", 42),
    ),
    "remedies": (
        *("people.csv", "--id-column", "name", "--rows-known", "--noise-levels", "0.1,1e-3", "--target", 0.1),
        *("--scheme", "ball", "--scale", 2, "--beta", 0.5, "--trials", 3, "--coalitions", "2", "--tolerance", "2"),
        *("--attacks", "known-input", "--samples", 0),
    ),
    ODD: (
        *("./-odd.csv", "--id-column", "name", "--trials", 2, "--width", 7),
        *("--attacks", "known-input", "--samples", 20, "--coalitions", "1,2"),
    ),
    "a bundled data set": (
        *("letter", "--scheme", "orthogonal", "--coalitions", "1,4", "--trials", 3, "--attacks", "known-input"),
        *("--attacks", "known-input", "--samples", 0),
    ),
}


@pytest.mark.parametrize("name", [ODD, *slow(*(name for name in PASTED if name != ODD))])
def test_the_printed_command_gives_the_same_result(run, tmp_path, monkeypatch, name):
    """Pasted from the report, in the folder of the file, whatever folder the first run was started in."""
    rows = np.random.default_rng(1).normal(50, 20, (60, 5)).round(2)
    lines = [f"p{k}," + ",".join(map(str, row)) for k, row in enumerate(rows)]
    table, place = PASTED[name][0], tmp_path / "secret place"
    place.mkdir()
    for file in ("people.csv", "-odd.csv"):
        (place / file).write_text("name,age,income,odd name's,height,weight\n" + "\n".join(lines) + "\n")
    monkeypatch.chdir(tmp_path)
    first = run("audit", table if table == "letter" else place / table, *PASTED[name][1:], "--out", "first", "--quiet")
    assert first.code in (0, 1), first.err
    told = json.loads(Path("first", "run.json").read_text(encoding="utf-8"))["command_line"]
    page = Path("first", "report.html").read_text(encoding="utf-8")
    page = page[page.index("<dt>Run again</dt>") : page.index("<h2>Details</h2>")]
    shown = re.search("<pre><code>(.*?)</code></pre>", page, re.DOTALL)[1]
    assert unescape(re.sub("<.*?>", "", shown)) == told
    assert "Never publish a release that was made with the audit's seed" in unescape(page)
    assert not re.search(r"secret place|\[|Rigid\(|Noisy\(|Ball\(|True|None", page)
    monkeypatch.chdir(place)
    command, *words = shlex.split(told)
    assert command == "isobreach"
    assert run(*words).code == first.code
    assert Path("again", "result.json").read_bytes() == (tmp_path / "first" / "result.json").read_bytes()
    assert Path("again", "report.html").read_bytes() == (tmp_path / "first" / "report.html").read_bytes()


def test_the_command_line_says_what_differs_from_the_defaults(run, people, tmp_path):
    asked = ("--scheme", "rigid", "--epsilon", "0.1", "--coalitions", "1-4", "--trials", "5", "--force", "--quiet")
    assert run("audit", people, *asked, "--id-column", "name", "--seed", 7, "--out", tmp_path / "out").code == 0
    told = json.loads((tmp_path / "out" / "run.json").read_text())["command_line"]
    assert told == "isobreach audit people.csv --id-column name --coalitions 1-4 --trials 5 --seed 7 --out again"


def test_the_same_command_gives_the_same_bytes(run, people, tmp_path):
    for name in ("one", "two"):
        assert run(*_audit(people, "--out", tmp_path / name)).code == 0
    for file in ("result.json", "per_record.parquet", "per_attribute.parquet", "report.html"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (("--fail-above", 0.9), 1),
        (("--fail-above", "99.9%", "--fail-size", 5), 1),
        (("--fail-above", 0.9, "--fail-size", 2), 1),
        (("--fail-above", 0.999, "--fail-size", 1, "--epsilon", 0.001), 0),
    ],
)
def test_the_gate(run, people, tmp_path, more, code):
    """Behind a translation one insider finds nothing, two are found up to a swap, five of four columns find all."""
    done = run(*_audit(people, "--out", tmp_path / "out", *more))
    assert done.code == code
    assert (tmp_path / "out" / "report.html").exists()
    told = json.loads((tmp_path / "out" / "result.json").read_text())
    assert told["gate"]["open"] is (code == 0)
    assert told["verdict"].startswith("Do not publish") is (code == 1)
    assert told["gate"]["insiders"] == dict(zip(more[::2], more[1::2], strict=True)).get("--fail-size", 5)
    if code:
        assert done.err.startswith("isobreach: gate closed: the worst ")
        assert ("may be guessed" in done.err) is (more[-1] == 2)
        assert done.err.count("\n") == 1
    else:
        assert done.err == ""
        assert "Gate open: no group of " in done.out


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--coalitions", "8-1"), "--coalitions must be sizes such as 1-8 or 1,2,4-6. Got '8-1'."),
        (("--coalitions", "many"), "--coalitions must be sizes such as 1-8 or 1,2,4-6. Got 'many'."),
        (("--coalitions", "1-150"), "--coalitions must be below the number of records, 150. Got 150."),
        (("--coalitions", "0-2"), "--coalitions must be a whole number >= 1. Got 0."),
        (("--fail-above", "2"), "--fail-above must be a probability from 0 to below 1. Got 2.0. Write 0.05 or 5%."),
        (("--limit", "5"), "--limit must be a probability from 0 to below 1. Got 5.0. Write 0.05 or 5%."),
        (("--limit", "5x"), "Invalid value for '--limit': '5x' is no share. Write 0.05 or 5%."),
        (("--fail-size", "2"), "--fail-size needs a limit. Got no --limit. Add --limit P."),
        (("--fail-above", "0.1", "--fail-size", "9"), "--fail-size must be one of the coalition sizes. Got 9."),
        (("--epsilon", "0"), "--epsilon must be a finite number > 0. Got 0.0."),
        (("--trials", "1"), "--trials must be a whole number >= 2. Got 1."),
        (("--level", "0"), "--level must be a number above 0 and at most 1. Got 0.0."),
        (("--target", "2"), "--target must be a share or a probability, from 0 to 1. Got 2.0. 5% is 0.05."),
        (("--seed", "-1"), "--seed must be a whole number >= 0"),
        (("--tolerance", "1,2"), "--tolerance must be one number or one for each of the 4 columns. Got 2 numbers."),
        (("--tolerance", "-1"), "--tolerance must be finite and >= 0. Got another number."),
        (("--tolerance", "x"), "--tolerance must be numbers, by commas. Got 'x'."),
        (("--noise-levels", "0.1,x"), "--noise-levels must be numbers, by commas. Got '0.1,x'."),
        (("--noise-levels", "-1"), "--noise-levels must be a finite number >= 0. Got -1.0."),
        (("--attacks", "magic"), f"--attacks must be one of {', '.join(ATTACKS)}. Got 'magic'."),
        (("--columns", "agee"), "--columns must name columns of DATA. Got 'agee'. Did you mean 'age'?"),
        (("--id-column", "nam"), "--id-column must name columns of DATA. Got 'nam'. Did you mean 'name'?"),
        (("--width", "2"), "--width must be at least the number of columns of DATA, 4. Got 2."),
        (("--noise", "0.1"), "--noise is no parameter of the scheme rigid. Got 0.1. It has: --width."),
        (
            ("--scheme", "ball", "--width", "9"),
            "--width is no parameter of the scheme ball. Got 9. It has: --scale, --beta.",
        ),
        (("--scheme", "noisy", "--noise", "-1"), "--noise must be a finite number >= 0. Got -1.0."),
        (("--scheme", "ball", "--scale", "0"), "--scale must be a finite number > 0. Got 0.0."),
        (("--scheme", "ball", "--beta", "-1"), "--beta must be a finite number >= 0. Got -1.0."),
        (
            ("--scheme", "orthogonal-noise", "--columns", "age"),
            "DATA must have 2 columns or more for the scheme orthogonal-noise. Got 1 column.",
        ),
    ],
)
def test_bad_input_ends_in_one_line(run, people, tmp_path, more, said):
    done = run(*_audit(people, "--out", tmp_path / "out", *more))
    assert done.code == 2
    assert said in done.err
    assert done.err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv"]


def test_equal_records_are_said_of_the_file(run, tmp_path):
    (tmp_path / "equal.csv").write_text("a,b\n" + "1,2\n" * 20)
    done = run("audit", tmp_path / "equal.csv", "--coalitions", "1", "--noise-levels", "0.1", "--trials", 2)
    assert done.err == "isobreach: DATA must have a column whose values differ. Got 20 rows alike.\n"


def test_sizes_are_read():
    assert parse_sizes("1-3, 7,9-10") == [1, 2, 3, 7, 9, 10]
    with pytest.raises(InputError):
        parse_sizes("1,")


def test_unfinished_work_of_another_audit_is_named(run, people, tmp_path):
    unfinished(tmp_path / "out").write_bytes(b"nonsense")
    done = run(*_audit(people, "--out", tmp_path / "out"))
    assert done.code == 2
    assert "out.unfinished.npz must be the unfinished work of an audit. Got a damaged file." in done.err


# The command, with its progress as lines, each written at once lest a signal cut it, and work kept at every step.
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
    """Start an audit and wait for a line of its progress."""
    process = subprocess.Popen(
        [sys.executable, "-c", TOLD, "audit", *map(str, arguments)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    while not process.stderr.readline().startswith(line):
        assert process.poll() is None
    return process


def _ended(process, number):
    try:
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert (process.returncode, out) == (128 + number, "")
    return err.splitlines()[-1]


@pytest.mark.parametrize("number", [signal.SIGINT, *slow(signal.SIGTERM)])
def test_an_interruption_says_what_is_kept_and_how_to_go_on(run, people, tmp_path, number):
    asked = ("--id-column", "name", "--epsilon", 0.3, "--coalitions", "1-5", "--seed", 0, "--attacks", "known-input")
    process = _until(tmp_path, "coalitions 20", people, *asked, "--trials", 3000, "--out", "out")
    process.send_signal(number)
    said = _ended(process, number)
    kept = unfinished(Path("out"))
    assert said == (f"isobreach: interrupted. Finished work is kept in {kept}: the same command goes on from there.")
    assert (tmp_path / kept).exists()
    assert not (tmp_path / "out").exists()
    process = _until(tmp_path, "insiders alone", people, *asked, "--trials", 3000)
    process.send_signal(number)
    assert _ended(process, number) == "isobreach: interrupted. Nothing was written."


def test_a_full_disk_says_what_is_kept(run, people, tmp_path, monkeypatch):
    from isobreach.cli import audit

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "no room")

    monkeypatch.setattr(audit, "write_columns", full)
    done = run(*_audit(people, "--out", tmp_path / "out"))
    kept = unfinished(tmp_path / "out")
    assert done.code == 2
    assert done.err == (
        f"isobreach: {tmp_path / 'out'} cannot be written: No space left on device. Finished work is kept in {kept}: "
        "the same command goes on from there.\n"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == [kept.name, "people.csv"]
    monkeypatch.undo()
    assert run(*_audit(people, "--out", tmp_path / "out")).code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "people.csv"]


def test_both_audits_of_a_table_resume(run, people, tmp_path, monkeypatch):
    """As it is and standardised: after an interruption neither plays a coalition again."""
    from isobreach.audits import coalition_trials
    from isobreach.cli import audit

    def never(*_, **__):
        raise AssertionError("played again")

    expected = run(*_audit(people, "--both", "--out", tmp_path / "whole"))
    assert expected.code == 0
    monkeypatch.setattr(
        audit, "write_columns", lambda *_, **__: (_ for _ in ()).throw(OSError(errno.ENOSPC, "no room"))
    )
    failed = run(*_audit(people, "--both", "--out", tmp_path / "out"))
    assert failed.code == 2
    kept = [unfinished(tmp_path / "out", which).name for which in ("standardised", "")]
    assert all(name in failed.err for name in kept)  # it says where all of it is
    assert sorted(path.name for path in tmp_path.iterdir()) == [*kept, "people.csv", "whole"]
    monkeypatch.undo()
    monkeypatch.setattr(coalition_trials, "play", never)
    assert run(*_audit(people, "--both", "--out", tmp_path / "out")).code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "people.csv", "whole"]
    results = [(tmp_path / name / "result.json").read_text() for name in ("whole", "out")]
    assert results[0] == results[1]


@pytest.mark.slow
def test_a_polite_kill_ends_the_lattice_attack_at_once(tmp_path):
    pytest.importorskip("fpylll")
    np.save(tmp_path / "big.npy", np.random.default_rng(0).normal(size=(2000, 250)))
    asked = ("--coalitions", "1", "--trials", 2, "--scheme", "orthogonal", "--seed", 0, "--out", "out")
    process = _until(tmp_path, "lattice paths 2", "big.npy", *asked)
    time.sleep(2.0)
    started = time.monotonic()
    process.send_signal(signal.SIGTERM)
    said = _ended(process, signal.SIGTERM)
    assert time.monotonic() - started < 20
    assert said.startswith("isobreach: interrupted. Finished work is kept in .out.unfinished.npz")


def test_what_a_killed_run_left_half_written_is_removed(run, people, tmp_path):
    (tmp_path / ".out.unfinished.npz.partial").write_bytes(b"half")
    (tmp_path / ".out.partial").mkdir()
    (tmp_path / ".out.partial" / "run.json").write_text("{")
    assert run(*_audit(people, "--out", tmp_path / "out")).code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "people.csv"]


@pytest.mark.slow
def test_blas_threads_do_not_change_a_byte(tmp_path):
    np.save(tmp_path / "table.npy", np.random.default_rng(0).normal(size=(2000, 40)))
    for threads in ("1", "2"):
        arguments = ["audit", "table.npy", "--coalitions", "1,4", "--trials", "2", "--seed", "0", "--out", threads]
        more = ["--noise-levels", "0.2", "--attacks", "known-input", "--samples", "0", "--quiet"]
        done = subprocess.run(
            [sys.executable, "-c", "from isobreach.cli import main; main()", *arguments, *more],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads},
        )
        assert done.returncode == 0, done.stderr
    for file in ("result.json", "per_record.parquet", "per_attribute.parquet"):
        assert (tmp_path / "1" / file).read_bytes() == (tmp_path / "2" / file).read_bytes()


@pytest.mark.parametrize(
    "protection",
    [
        *(("orthogonal-noise",), ("rigid", "--width", 6)),
        *(pytest.param(one, marks=pytest.mark.slow) for one in (("noisy", "--noise", 0.2), ("ball", "--scale", 2))),
    ],
)
def test_every_scheme_is_audited(run, people, tmp_path, protection):
    asked = ("--coalitions", "1,5", "--trials", 3, "--out", tmp_path / "out")
    done = run(*_audit(people, "--scheme", *protection, *asked))
    assert (done.code, done.err) == (0, "")
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    noisy = protection[0] != "rigid"
    assert result["scheme"]["noise"] is noisy
    assert result["rows_known"] is noisy
    assert ("find their own row with certainty" in " ".join(result["findings"])) is not noisy
    assert ("those who have to search do no better" in result["threat_model"]) is noisy
    assert ("upper bounds" in " ".join(result["caveats"])) is noisy
    assert violations(result, SCHEMA) == []
    page = (tmp_path / "out" / "report.html").read_text()
    assert ("to length one" in page) is (protection[0] == "orthogonal-noise")
    assert ("are supposed to know" in page) is noisy


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
def test_killed_at_five_moments_it_ends_in_the_same_result(tmp_path):
    """SIGKILL, at random moments; work is kept after every coalition and every release that noise is tried on."""
    source = str(Path(__file__).parents[2] / "src")
    code = (
        f"import sys; sys.path.insert(0, {source!r}); from isobreach.io import store; store._SECONDS = 0; "
        "store.FileStore.__init__.__kwdefaults__['seconds'] = 0; from isobreach.cli import main; main(sys.argv[1:])"
    )

    table = tmp_path / "letter.npy"
    np.save(table, ib.datasets.load("letter").values[:1000])

    def command(out):
        asked = ["audit", str(table), "--scheme", "orthogonal", "--coalitions", "1-4", "--trials", "20", "--seed", "3"]
        more = ["--noise-levels", "0.2,0.5", "--attacks", "known-input", "--samples", "0", "--out", str(out)]
        return [sys.executable, "-c", code, *asked, *more]

    started = time.monotonic()
    subprocess.run(command(tmp_path / "whole"), check=True, capture_output=True, timeout=600)
    whole = time.monotonic() - started
    moments = random.Random(0)
    delays = [moments.uniform(0.2, 0.5) * whole for _ in range(5)]
    kept = _killed_at_times(command(tmp_path / "killed"), tmp_path / "killed", delays)
    assert kept >= 1
    for file in ("result.json", "per_record.parquet", "per_attribute.parquet"):
        assert (tmp_path / "killed" / file).read_bytes() == (tmp_path / "whole" / file).read_bytes()
    assert not unfinished(tmp_path / "killed").exists()


def _with(result, *sizes):
    """The figures of one size, said to be of several, with other worst records; each (size, found, guessed, bound)."""
    one = result.per_size[0]
    figures = [
        replace(
            one,
            size=size,
            worst_record=replace(one.worst_record, value=found),
            guessed_record=replace(one.guessed_record, value=guessed),
            bound=replace(one.bound, worst=bound),
        )
        for size, found, guessed, bound in sizes
    ]
    return replace(result, sizes=tuple(size for size, *_ in sizes), per_size=tuple(figures))


def _gate(limit, size=None):
    return GateOptions(Criterion(limit, WORST_RECORD, size))


@pytest.fixture
def plain():
    records = np.random.default_rng(0).standard_normal((50, 30))
    return ib.audit(records, coalition_sizes=[1], trials=3, attacks=["known-input"], samples=(), seed=0)


def test_an_open_gate_says_whether_it_is_proved(plain):
    gate, found = _gate(0.5), plain.per_size[0]
    assert found.worst_record.value <= found.guessed_record.value <= found.bound.worst
    tried, proved = _with(plain, (1, 0.1, 0.1, 1.0)), _with(plain, (1, 0.1, 0.1, 0.25))
    assert gate.reason(tried) is gate.reason(proved) is None
    assert "".join(gate.opened(tried)) == (
        "Gate open: no group of up to 1 insider that was tried breaches a person with a probability above 50%, "
        "guessing rows or not."
    )
    assert "".join(gate.opened(proved)) == (
        "Gate open: no group of up to 1 insider breaches a person with a probability above 50% (proven, distance "
        "attack only: at most 25%)."
    )


def test_the_gate_looks_at_smaller_coalitions_and_at_guesses(plain):
    """Under noise two insiders may do better than eight, who may leave six records out."""
    result = _with(plain, (2, 0.3, 0.3, 1.0), (8, 0.01, 0.2, 1.0))
    assert _gate(0.4).reason(result) is None
    assert _gate(0.25).reason(result) == (
        "gate closed: the worst group of 2 insiders that was found breaches the most exposed person with a "
        "probability of 30%, above the limit of 25%."
    )
    result = _with(plain, (2, 0.1, 0.1, 1.0), (8, 0.01, 0.2, 1.0))
    assert _gate(0.15, 2).reason(result) is None
    assert "of 8 insiders" in _gate(0.15, 8).reason(result)
    assert "if all own rows are known, which is not certain, but they may be guessed" in _gate(0.15, 8).reason(result)


def test_the_bound_that_opens_is_that_of_the_largest_size(plain):
    result = _with(plain, (1, 0.0, 0.1, 0.1), (4, 0.0, 0.9, 1.0))
    assert _gate(0.5).reason(result) is not None
    assert _gate(0.5, 1).reason(result) is None


def test_an_attribute_that_is_read_closes_the_gate_whatever_the_records(plain):
    read = AttackerFigures("lattice", True, "", 0.0, 0.0, True, np.eye(30)[0])
    assert _gate(0.9).reason(replace(plain, readers=(read,))) == (
        "gate closed: without any knowledge, the grid attack reads 1 of 30 attributes ('c1') of all records, up to "
        "their names and directions."
    )


def test_an_attack_without_a_decision_closes_the_gate(plain):
    late = AttackerFigures("lattice", False, "", 0.0, 0.0, False, np.zeros(30))
    assert "came to no decision" in _gate(0.9).reason(replace(plain, readers=(late,)))
    assert _gate(0.9).reason(replace(plain, readers=(replace(late, decided=True),))) is None


def test_two_audits_do_not_write_to_one_folder(run, people, tmp_path):
    with alone(tmp_path / "out"):
        done = run(*_audit(people, "--out", tmp_path / "out"))
        assert done.code == 2
        assert done.err == (
            f"isobreach: {tmp_path / 'out'} is being written by another run. Wait for it, or choose another path.\n"
        )
    assert run(*_audit(people, "--out", tmp_path / "out")).code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "people.csv"]


def test_a_folder_that_is_not_ours_is_not_removed(run, people, tmp_path):
    (tmp_path / ".out.partial").mkdir()
    (tmp_path / ".out.partial" / "keep").write_text("precious")
    done = run(*_audit(people, "--out", tmp_path / "out"))
    assert done.code == 2
    assert "holds other files, such as 'keep'" in done.err
    assert (tmp_path / ".out.partial" / "keep").read_text() == "precious"


def test_an_attacker_who_needs_no_insider_closes_the_gate(run, tmp_path):
    table = tmp_path / "counts.csv"
    np.savetxt(table, RNG.integers(0, 9, (400, 3)), fmt="%d", delimiter=",", header="a,b,c", comments="")
    asked = ("audit", table, "--coalitions", "1", "--trials", 3, "--seed", 0, "--quiet", "--fail-above", 0.9)
    asked = (*asked, "--attacks", "lattice", "--samples", 0)
    done = run(*asked)
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert done.err.startswith("isobreach: gate closed: without any knowledge, the grid attack reads every value of")
    np.savetxt(table, RNG.standard_normal((60, 8)), delimiter=",", header=",".join("abcdefgh"), comments="")
    done = run(*asked)
    assert done.code == 0
    assert "Gate open: no group of up to 1 insider breaches a person" in done.out


@pytest.mark.parametrize("closed", [">&- 2>&-", *slow("2>/dev/full", ">&-", "2>&-")])
def test_closed_streams_do_not_look_like_a_gate(people, tmp_path, closed):
    begin = [sys.executable, "-c", "from isobreach.cli import main; main()"]
    command = shlex.join([*begin, *map(str, _audit(people, "--out", "out", "--coalitions", "1"))])
    for code in (0, 2):  # the second time the folder exists
        done = subprocess.run(["sh", "-c", f"{command} {closed}"], cwd=tmp_path, check=False)
        assert done.returncode == code
        assert (tmp_path / "out" / "result.json").exists()


def test_the_working_folder_can_be_replaced(people, tmp_path, run, monkeypatch):
    assert run(*_audit(people, "--out", tmp_path / "out", "--coalitions", "1")).code == 0
    monkeypatch.chdir(tmp_path / "out")
    done = run(*_audit(people, "--out", ".", "--coalitions", "1-2", "--force"))
    assert (done.code, done.err) == (0, "")
    assert json.loads((tmp_path / "out" / "result.json").read_text())["sizes"][-1]["size"] == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "people.csv"]


@pytest.mark.parametrize("name", [".env", ".git", "figures/mine.png"])
def test_hidden_files_of_others_are_not_removed(run, people, tmp_path, name):
    kept = tmp_path / ".out.partial" / name
    kept.parent.mkdir(parents=True)
    kept.write_text("precious")
    (tmp_path / ".out.lock").write_text("precious")
    done = run(*_audit(people, "--out", tmp_path / "out", "--coalitions", "1"))
    assert done.code == 2
    assert "holds other files" in done.err
    assert kept.read_text() == (tmp_path / ".out.lock").read_text() == "precious"


def test_the_command_that_compares_schemes_can_be_pasted(run, people):
    done = run(*_audit(people, "--limit", "5%"))
    pasted = re.search(r"(isobreach compare \S.*?) plays the attacks", done.out.replace("\n", " ")).group(1)
    assert pasted == "isobreach compare people.csv --id-column name --epsilon 0.3"


def test_a_blind_guess_above_the_limit_is_said_before_anybody_is_played(run, people, monkeypatch):
    """It was told after minutes of attacks, which could not change it."""
    asked = _audit(people, "--limit", "5%")
    done = run(*asked)
    found = re.match(r"A blind guess breaches ([0-9.]+)% of all people at an epsilon of 0\.3, whatever the ", done.err)
    first = done.err.splitlines()[0]
    smaller = re.search(r"With --epsilon ([0-9.]+) the guess breaches ([0-9.]+)%\.$", first)
    assert (done.code, float(found.group(1)) > 5 >= float(smaller.group(2))) == (1, True)
    assert f"Run the audit again with --epsilon {smaller.group(1)}." in done.out

    def played(*_, **__):
        raise InputError("attacks", "must not be played yet", "any")

    monkeypatch.setattr("isobreach.audits.study.single_insider", played)
    stopped = run(*asked)
    assert (stopped.code, stopped.err.splitlines()[0]) == (2, first)
    monkeypatch.undo()
    assert "A blind guess" not in run(*asked, "--quiet").err
    assert "A blind guess" not in run(*_audit(people, "--limit", "90%")).err
