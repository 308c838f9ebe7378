# SPDX-License-Identifier: BSD-3-Clause
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isobreach.cli import main
from isobreach.io import write_table


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Outcome]:
    """Run a command in this process; a defect shows its traceback."""
    monkeypatch.setenv("ISOBREACH_TRACEBACK", "1")

    def call(*arguments: object) -> Outcome:
        with pytest.raises(SystemExit) as stop:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Outcome(int(stop.value.code or 0), captured.out, captured.err)

    return call


@dataclass(frozen=True)
class Case:
    folder: Path
    records: Any
    columns: tuple[str, ...]
    known: Path
    released: Path


@pytest.fixture
def case(tmp_path: Path, run: Callable[..., Outcome]) -> Case:
    """A table of people, its release by the command itself, and three insiders."""
    records = np.random.default_rng(7).normal(50, 20, size=(60, 5)).round(3)
    columns = ("age", "height", "weight", "income", "visits")
    names = np.array([f"person-{i}" for i in range(60)])
    write_table(tmp_path / "people.csv", records, columns, ids=names, id_column="name")
    write_table(tmp_path / "known.csv", records[:3], columns, ids=names[:3], id_column="name")
    done = run(
        "perturb", tmp_path / "people.csv", "--scheme", "orthogonal", "--id-column", "name", "--seed", 1,
        "--out", tmp_path / "released.csv", "--key", tmp_path / "key", "--quiet",
    )  # fmt: skip
    assert done.code == 0, done.err
    return Case(tmp_path, records, columns, tmp_path / "known.csv", tmp_path / "released.csv")
