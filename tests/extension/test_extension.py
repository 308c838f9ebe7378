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


COMMAND = ("-c", "from isobreach.cli import main; main()")


def test_the_command_line_offers_both(run):
    assert re.search(r"\n  plain-sight\s+Claim the released columns", run(*COMMAND, "attack", "--help"))
    assert "--rows INTEGER" in run(*COMMAND, "attack", "plain-sight", "--help")
    offered = run(*COMMAND, "perturb", "--help")
    assert "|flipped]" in re.sub(r"\s", "", offered)
    assert "--share FLOAT" in offered


def test_perturb_and_attack_by_command(run):
    perturb = ("perturb", "people.npy", "--scheme", "flipped", "--share", 1, "--seed", 1, "--force")
    run(*COMMAND, *perturb, "--out", "released.npy", "--key", "people.key", "--quiet")
    attack = ("attack", "plain-sight", "--released", "released.npy", "--rows", 50, "--seed", 0)
    found = json.loads(run(*COMMAND, *attack, "--json"))
    assert (found["schema"], found["claimed"]) == ("isobreach/plain-sight/1", True)
    assert found["reason"] == "50 released rows are whole numbers."
    out = run(*COMMAND, *attack, "--out", "attack", "--estimates", "--force")
    assert "Report: attack/report.html" in out
    assert "must be left out with the method plain-sight" in run(*COMMAND, *attack, "--budget", 3, code=2)


AUDIT = """
import numpy as np, isobreach as ib
X = np.load("people.npy")
for scheme in ("flipped", "orthogonal"):
    report = ib.audit(X, scheme=scheme, coalition_sizes=[1, 2], trials=5, attacks=["plain-sight"], seed=0)
    (one,) = report.readers
    print(scheme, one.name, one.claimed, one.named)
found = ib.reconstruct("plain-sight", ib.perturb(X, "flipped", seed=0).data, rows=10)
print(found.claimed, ib.reconstruct("plain-sight", ib.perturb(X, "rigid", seed=0).data).claimed)
"""


def test_an_audit_plays_the_attack_against_the_scheme(run):
    lines = run("-c", AUDIT).splitlines()
    assert lines == ["flipped plain-sight True 1.0", "orthogonal plain-sight False 0.0", "True False"]
    done = run(*COMMAND, "audit", "people.npy", "--scheme", "flipped", "--coalitions", "1", "--trials", 2,
               "--attacks", "plain-sight", "--seed", 0, "--json")  # fmt: skip
    assert [one["name"] for one in json.loads(done)["attackers"]] == ["plain-sight"]


def test_a_package_that_does_not_load_is_named_and_nothing_else_breaks(installed, run):
    module = installed / "isobreach_example" / "plain_sight.py"
    text = module.read_text()
    module.write_text("raise ZeroDivisionError\n")
    try:
        said = run(*COMMAND, "attack", "plain-sight", "--released", "people.npy", code=2)
        assert said.startswith("isobreach: plain-sight must be a working entry of the installed package isobreach-exam")
        assert said.count("\n") == 1
        listed = run(*COMMAND, "attack", "--help")
        assert "known-input" in listed
        assert "plain-sight" in listed
        run(*COMMAND, "attack", "--method", "lattice", "--released", "people.npy", "--quiet")
    finally:
        module.write_text(text)


def test_a_scheme_that_does_not_load_is_named_where_it_is_asked_for(installed, run):
    module = installed / "isobreach_example" / "flipped.py"
    text = module.read_text()
    module.write_text("raise ZeroDivisionError\n")
    perturb = (*COMMAND, "perturb", "people.npy", "--out", "other.npy", "--key", "other.key", "--force", "--quiet")
    try:
        assert "flipped must be a working entry" in run(*perturb, "--scheme", "flipped", code=2)
        run(*perturb, "--scheme", "rigid")
    finally:
        module.write_text(text)


@pytest.mark.parametrize("name", ["flipped.py", "plain_sight.py"])
def test_the_documentation_shows_the_files_that_were_tested(name):
    source = (PACKAGE / "isobreach_example" / name).read_text().partition("\n")[2]
    assert f"```python\n{source}```" in DOCS.read_text(encoding="utf-8")
