# SPDX-License-Identifier: BSD-3-Clause
"""A scheme and an attack of another package: one file each, found once it is installed."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import isobreach as ib

PACKAGE = Path(__file__).with_name("package")
DOCS = Path(ib.__file__).parents[2] / "docs" / "extending.md"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The package, installed into a folder of its own."""
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "--disable-pip-version-check", "--target", folder, PACKAGE], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def run(installed, tmp_path_factory):
    """A command or a script, with the package on the path."""
    work = tmp_path_factory.mktemp("work")
    path = os.pathsep.join([str(installed), str(Path(ib.__file__).parents[1])])
    np.save(work / "people.npy", np.random.default_rng(0).integers(0, 50, (200, 4)))

    def call(*arguments, code=0):
        done = subprocess.run(
            [sys.executable, *map(str, arguments)],
            cwd=work,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
        )
        assert done.returncode == code, done.stderr
        return done.stdout if code == 0 else done.stderr

    return call


# Commands one after the other in one process: each starts as in a process of its own, and imports are paid for once.
COMMANDS = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from isobreach.cli import main
said = []
for words in json.loads(sys.argv[1]):
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        try:
            main(words)
        except SystemExit as stop:
            said.append((int(stop.code or 0), out.getvalue(), err.getvalue()))
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def commands(run):
    """What commands say: the output of those that succeed, the error of those that fail, each as was expected."""

    def call(*several, codes=None):
        words = json.dumps([[str(word) for word in one] for one in several])
        done = json.loads(run("-c", COMMANDS, words))
        assert [code for code, _, _ in done] == (codes or [0] * len(several)), done
        return [err if code else out for code, out, err in done]

    return call


def test_the_command_line_offers_both(commands):
    listed, own, offered = commands(("attack", "--help"), ("attack", "plain-sight", "--help"), ("perturb", "--help"))
    assert re.search(r"\n  plain-sight\s+Claim the released columns", listed)
    assert "--rows INTEGER" in own
    assert ",flipped,foreign:" in re.sub(r"\s", "", offered)
    assert "--share FLOAT" in offered


def test_perturb_and_attack_by_command(commands):
    perturb = ("perturb", "people.npy", "--scheme", "flipped", "--share", 1, "--seed", 1, "--force")
    attack = ("attack", "plain-sight", "--released", "released.npy", "--rows", 50, "--seed", 0)
    _, found, out, refused = commands(
        (*perturb, "--out", "released.npy", "--key", "people.key", "--quiet"),
        (*attack, "--json"),
        (*attack, "--out", "attack", "--estimates", "--force"),
        (*attack, "--budget", 3),
        codes=[0, 0, 0, 2],
    )
    found = json.loads(found)
    assert (found["schema"], found["claimed"]) == ("isobreach/plain-sight/1", True)
    assert found["reason"] == "50 released rows are whole numbers."
    assert "Report: attack/report.html" in out
    assert "must be left out with the method plain-sight" in refused


AUDIT = """
import numpy as np, isobreach as ib
X = np.load("people.npy")
for scheme in ("flipped", "orthogonal"):
    few = {"coalition_sizes": [1, 2], "trials": 5, "splits": 2, "samples": (), "seed": 0}
    report = ib.audit(X, scheme=scheme, attacks=["plain-sight"], **few)
    (one,) = report.readers
    print(scheme, one.name, one.claimed, one.named)
found = ib.reconstruct("plain-sight", ib.perturb(X, "flipped", seed=0).data, rows=10)
print(found.claimed, ib.reconstruct("plain-sight", ib.perturb(X, "rigid", seed=0).data).claimed)
"""


def test_an_audit_plays_the_attack_against_the_scheme(run, commands):
    lines = run("-c", AUDIT).splitlines()
    assert lines == ["flipped plain-sight True 1.0", "orthogonal plain-sight False 0.0", "True False"]
    asked = ("--coalitions", "1", "--trials", 2, "--samples", 0, "--attacks", "plain-sight", "--seed", 0, "--json")
    (done,) = commands(("audit", "people.npy", "--scheme", "flipped", *asked))
    assert [one["name"] for one in json.loads(done)["attackers"]] == ["plain-sight"]


def test_a_package_that_does_not_load_is_named_and_nothing_else_breaks(installed, commands):
    module = installed / "isobreach_example" / "plain_sight.py"
    text = module.read_text()
    module.write_text("raise ZeroDivisionError\n")
    try:
        said, listed, _ = commands(
            ("attack", "plain-sight", "--released", "people.npy"),
            ("attack", "--help"),
            ("attack", "--method", "lattice", "--released", "people.npy", "--quiet"),
            codes=[2, 0, 0],
        )
        assert said.startswith("isobreach: plain-sight must be a working entry of the installed package isobreach-exam")
        assert said.count("\n") == 1
        assert "known-input" in listed
        assert "plain-sight" in listed
    finally:
        module.write_text(text)


def test_a_defect_of_a_package_is_called_its_own(installed, commands):
    module = installed / "isobreach_example" / "plain_sight.py"
    text = module.read_text()
    module.write_text(text.replace("whole = bool(", "whole = bool(1 // 0 or "))
    try:
        (said,) = commands(("attack", "plain-sight", "--released", "people.npy", "--quiet"), codes=[70])
        assert "stopped by a defect of isobreach_example" in said
        assert "ZeroDivisionError in plain_sight.py" in said
    finally:
        module.write_text(text)


def test_a_setting_that_is_true_unless_told_otherwise_can_be_switched_off(installed, commands):
    module = installed / "isobreach_example" / "plain_sight.py"
    text = module.read_text()
    more = '    rows: int = setting(1000, "Released rows to look at.")\n'
    assert more in text
    module.write_text(
        text.replace(more, more + '    strict: bool = setting(True, "Only whole numbers.")\n').replace(
            "whole = bool(", 'whole = bool(not settings["strict"] or '
        )
    )
    try:
        np.save(installed / "rotated.npy", np.random.default_rng(0).normal(size=(20, 3)))
        attack = ("attack", "plain-sight", "--released", installed / "rotated.npy", "--json")
        claims = [json.loads(found)["claimed"] for found in commands(attack, (*attack, "--no-strict"))]
        assert claims == [False, True]
    finally:
        module.write_text(text)


def test_a_scheme_that_does_not_load_is_named_where_it_is_asked_for(installed, commands):
    module = installed / "isobreach_example" / "flipped.py"
    text = module.read_text()
    module.write_text("raise ZeroDivisionError\n")
    perturb = ("perturb", "people.npy", "--out", "other.npy", "--key", "other.key", "--force", "--quiet")
    try:
        said, _ = commands((*perturb, "--scheme", "flipped"), (*perturb, "--scheme", "rigid"), codes=[2, 0])
        assert "flipped must be a working entry" in said
    finally:
        module.write_text(text)


@pytest.mark.parametrize("name", ["flipped.py", "plain_sight.py"])
def test_the_documentation_shows_the_files_that_were_tested(name):
    source = (PACKAGE / "isobreach_example" / name).read_text().partition("\n")[2]
    assert f"```python\n{source}```" in DOCS.read_text(encoding="utf-8")


def test_the_documentation_shows_the_project_that_was_tested():
    assert f"```toml\n{(PACKAGE / 'pyproject.toml').read_text()}```" in DOCS.read_text(encoding="utf-8")
