# SPDX-License-Identifier: BSD-3-Clause
"""The board: every package has its rows, and what is said of packages stands in their own documents."""

import importlib
import json
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

import isobreach as ib
from isobreach._registry import SCHEMES
from isobreach.report import document_markdown

ROOT = Path(ib.__file__).parents[2]


@pytest.fixture(scope="module")
def board():
    """The modules of the tool."""
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        return importlib.import_module("board")
    finally:
        sys.path.remove(str(ROOT / "tools"))


def test_every_package_and_every_case_is_on_the_page(board):
    page = (ROOT / "docs" / "board.md").read_text(encoding="utf-8")
    packages = {name.removeprefix("foreign:") for name in SCHEMES if not SCHEMES.built_in(name)}
    assert {fact.package for fact in board.FACTS} == packages
    assert {case.package for case in board.CASES.values()} == packages - {"pymasq"}
    for words in (*(fact.said for fact in board.FACTS), *(case.title for case in board.CASES.values())):
        assert words in page


def test_packages_say_what_the_board_says_they_do(board):
    """Checked on those that are installed; a fact that the document does not hold is refused."""
    modules = {SCHEMES_OF[fact.package]: fact for fact in board.FACTS}
    installed = [fact for module, fact in modules.items() if find_spec(module)]
    assert installed
    for fact in board.FACTS:
        if find_spec(SCHEMES_OF[fact.package]):
            fact.check()
    wrong = type(installed[0])(installed[0].package, "", "README", "", ("no such words stand there",))
    with pytest.raises(SystemExit, match="README no longer says 'no such words stand there'"):
        wrong.check()


SCHEMES_OF = {
    "hadamask": "hadamask",
    "ironcore-alloy": "ironcore_alloy",
    "privrag-guard": "privrag",
    "pymasq": "pymasq",
    "quiver-client": "quiver",
    "turboquant-vectors": "turboquant_vectors",
}


@pytest.mark.slow
def test_one_row_is_measured_kept_and_written(board, tmp_path, monkeypatch):
    """Three known sentences and a dictionary of 1,000, 500 of them absent, open 3,000 vectors without a wrong link."""
    measured = importlib.import_module("board_measured")
    monkeypatch.setattr(measured, "KEPT", tmp_path)
    monkeypatch.setattr(measured, "DEALS", 1)
    monkeypatch.setitem(measured.CASES, "turboquant", replace(measured.CASES["turboquant"], ladder=(3,)))
    row = measured.Measured("turboquant")
    monkeypatch.setattr(measured.Deal, "sample", lambda self: {"claimed": 0.0})
    monkeypatch.setattr(measured.Deal, "nothing", lambda self: {"claimed": 0.0})
    assert board.known_row(row)[:8] == (row.case.title, "1", "3", "3", "500 of 500", "0", "1.000", "100.00")
    assert int(board.known_row(row)[8]) >= 90
    again = measured.Measured("turboquant")
    assert board.known_row(again) == board.known_row(row)
    kept = {f"linked {count}/0": {"error": 0.05, "blind": 0.3, "seconds": 0.1} for count in measured.LINKED}
    (tmp_path / "pymasq.json").write_text(json.dumps(kept))
    assert row.case.title in document_markdown(
        board.page(board.Text("what packages say"), [again], measured.Measured("pymasq"))
    )
