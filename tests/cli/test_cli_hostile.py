# SPDX-License-Identifier: BSD-3-Clause
"""Ids, column names and file names that were written to harm: they come out as text, and private files stay private."""

import csv
import json
import re
import stat
from base64 import b64encode
from hashlib import sha256

import numpy as np
import pytest

import isobreach as ib
from isobreach.io import read_table

COLUMNS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "\x1b]0;PWN\x07\x1b[31mred\x1b[0m",
    "</style></script><svg onload=alert(3)>{{x}}\u202e`[bold]",
)
ID = 'id"<b>'
LABEL = "<img src=x onerror=alert({0})>\x1b[2J\x1b]0;ID{0}\x07\nline2 \u009b31m\u2066\u2028\x7f"
RECORDS = np.random.default_rng(0).integers(0, 20, (60, 4))

# What obeys no terminal, hides no text and breaks no line: everything printable, and the line breaks of the output.
RAW = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def write(path, records, ids):
    with path.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow([ID, *COLUMNS])
        lines.writerows([label, *map(str, row)] for label, row in zip(ids, records.tolist(), strict=True))


@pytest.fixture
def hostile(tmp_path, run, monkeypatch):
    monkeypatch.chdir(tmp_path)
    labels = [LABEL.format(i) for i in range(len(RECORDS))]
    write(tmp_path / "people\x1b[31m\n.csv", RECORDS, labels)
    write(tmp_path / "known.csv", RECORDS[:5], labels[:5])
    arguments = ("--id-column", ID, "--scheme", "orthogonal", "--seed", 1, "--out", "r.csv", "--key", "key")
    done = run("perturb", "people\x1b[31m\n.csv", *arguments)
    assert (done.code, RAW.search(done.out + done.err)) == (0, None)
    write(tmp_path / "released.csv", read_table(tmp_path / "r.csv", name="released").values, labels[::-1])
    return tmp_path


HELD = ("--known", "known.csv", "--id-column", ID, "--released", "released.csv", "--released-id-column", ID)
SHORT = ("--coalitions", "1-3", "--trials", 5, "--attacks", "known-input", "--samples", 0)
COMMANDS = {
    "link": ("link", *HELD),
    "attack": ("attack", *HELD, "--seed", 1, "--out", "out"),
    "kaplan": ("attack", "--method", "kaplan", *HELD, "--seed", 1, "--out", "out"),
    "lattice": ("attack", "--method", "lattice", *HELD, "--seed", 1, "--budget", 15, "--out", "out"),
    "audit": ("audit", "people\x1b[31m\n.csv", "--id-column", ID, *SHORT, "--seed", 1, "--out", "out"),
}
# What tells of single people, or of private files, by command.
PRIVATE = {
    "attack": {"per_record.parquet", "report.html", "result.json", "run.json"},
    "audit": {"per_record.parquet", "report.html", "result.json", "run.json"},
    "kaplan": {"report.html", "result.json", "run.json"},
    "lattice": {"report.html", "result.json", "run.json"},
    "link": set(),
}


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("as_json", [False, True])
def test_what_others_wrote_is_shown_and_never_obeyed(hostile, run, name, as_json):
    done = run(*COMMANDS[name], *(["--json"] if as_json else []))
    assert done.code == 0, done.err
    assert RAW.search(done.out + done.err) is None
    if as_json and name == "link":
        assert done.json["links"][0]["id"] == LABEL.format(0)  # nothing is lost for a program
    out = hostile / "out"
    for path in [] if name == "link" else [*out.glob("*.html"), *out.glob("*.json")]:
        text = path.read_text(encoding="utf-8")
        page = path.suffix == ".html"
        assert RAW.search(text) is None
        assert not page or not re.search(r"<(script|img|svg|b)\b[^>]*(alert|onerror|onload)", text)
        assert (
            not page
            or "default-src 'none'" in re.search('http-equiv="Content-Security-Policy" content="(.*?)"', text)[1]
        )
        assert page or json.loads(text)
    readable = {path.name for path in out.glob("*") if path.is_file() and not stat.S_IMODE(path.stat().st_mode) & 0o077}
    assert readable == PRIVATE[name]


@pytest.mark.parametrize(
    "arguments",
    [
        ("link", *HELD, "--columns", "nope\x1b[31m"),
        ("link", *HELD[2:], "--known", "no\x1b[31m\n\u202e.csv"),
        ("attack", *HELD, "--out", "known.csv/\x1b[31m"),
        ("perturb", "known.csv", "--scheme", "\x1b[31m"),
        ("\x1b[31m",),
    ],
)
def test_errors_are_one_line_of_visible_text(hostile, run, arguments):
    done = run(*arguments)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert RAW.search(done.err) is None
    assert "\\x1b[31m" in done.err


def test_only_the_script_of_the_page_may_run(tmp_path):
    report = ib.audit(
        RECORDS, "orthogonal", coalition_sizes=[1, 2], trials=2, attacks=["known-input"], samples=(), seed=0
    )
    for write in (report.to_html, report.to_json):
        write(tmp_path / "out")
        assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o600
    report.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    scripts = re.findall("<script>(.*?)</script>", page, flags=re.DOTALL)
    hashes = [f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in scripts]
    assert re.findall(r"script-src ([^;\">]*)", page) == hashes


def test_python_messages_hold_no_control_characters(tmp_path):
    with pytest.raises(ib.InputError) as error:
        ib.read_key(tmp_path / "a\x1b[31m\nb")
    assert "a\\x1b[31m\\nb" in str(error.value)
    (tmp_path / "a\x1b[31m").touch()
    with pytest.raises(ib.OutputError) as lost:
        ib.write_key(tmp_path / "a\x1b[31m" / "b", ib.perturb(RECORDS).key)
    assert str(lost.value).isprintable()
