# SPDX-License-Identifier: BSD-3-Clause
"""The README keeps its word: every block of Python and of shell commands in it runs."""

import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from isobreach.io import write_table

README = Path(__file__).parents[1] / "README.md"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
SHELL = [text for language, text in BLOCKS if language == "sh" and "isobreach" in text]
# What takes minutes as it stands is run in its short form; exit code 1 is what the README promises of a closed gate.
SHORT = {
    "isobreach reproduce all --out paper": "isobreach reproduce all --out paper --quick",
    "isobreach compare letter --quick --out compared": (
        "isobreach compare letter --quick --schemes rigid --attacks kaplan"
    ),
}
CODES = {"--limit": 1}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files that the README speaks of."""
    path = tmp_path_factory.mktemp("readme")
    values = np.random.default_rng(0).normal(50, 20, (60, 5)).round(2)
    columns = ["age", "height", "weight", "income", "visits"]
    for name, rows in (("people.csv", slice(None)), ("candidates.csv", slice(20, 30))):
        ids = np.array([f"person-{i}" for i in range(60)][rows])
        write_table(path / name, values[rows], columns, ids=ids, id_column="name")
    others = np.random.default_rng(2).normal(50, 20, (60, 5)).round(2)
    write_table(path / "others.csv", others, columns, ids=np.array([f"other-{i}" for i in range(60)]), id_column="name")
    noisy = values + np.random.default_rng(1).normal(0, 0.1, values.shape)
    write_table(path / "noisy.csv", noisy, columns)
    return path


def test_all_languages_of_blocks_are_known():
    assert {language for language, _ in BLOCKS} <= {"sh", "python"}
    assert len(SHELL) >= 5


@pytest.mark.slow
def test_python_blocks_run_one_after_the_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    space = {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for text in (text for language, text in BLOCKS if language == "python"):
            exec(compile(text, str(README), "exec"), space)
    assert space["release"].data.shape == (18668, 16)
    assert (tmp_path / "report.html").is_file()


def run_lines(folder, lines):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for line in lines:
        command, environment = SHORT.get(line, line), {**os.environ, "PATH": path}
        done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
        expected = next((code for option, code in CODES.items() if option in line), 0)
        assert done.returncode == expected, f"{line}\n{done.stderr}"


LINES = [line.partition("  #")[0].strip() for text in SHELL for line in text.splitlines()]


# Commands that need nothing of those before them; the others run one after the other.
ALONE = (" audit ", " compare ", " reproduce ")


@pytest.mark.slow
def test_shell_blocks_run_one_after_the_other(folder):
    run_lines(folder, [line for line in LINES if not any(word in line for word in ALONE)])
    assert {"attack", "keys", "noisy-attack"} <= {one.name for one in folder.iterdir()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "written"), [(" audit ", {"audit", "gate"}), (" compare ", set()), (" reproduce ", {"paper", "try"})]
)
def test_commands_run_that_need_nothing_of_others(folder, command, written):
    run_lines(folder, [line for line in LINES if command in line])
    assert written <= {one.name for one in folder.iterdir()}


def test_the_module_is_the_command(tmp_path):
    module = subprocess.run([sys.executable, "-m", "isobreach", "--help"], capture_output=True, text=True, cwd=tmp_path)
    command = Path(sys.executable).with_name("isobreach")
    assert (module.returncode, module.stderr) == (0, "")
    assert module.stdout == subprocess.run([command, "--help"], capture_output=True, text=True).stdout
    wrong = subprocess.run([sys.executable, "-m", "isobreach", "no"], capture_output=True, text=True, cwd=tmp_path)
    assert (wrong.returncode, wrong.stdout, wrong.stderr.count("\n")) == (2, "", 1)
    assert wrong.stderr.startswith("isobreach: ")
