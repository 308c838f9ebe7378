# SPDX-License-Identifier: BSD-3-Clause
"""Adversaries stand on their own feet, and each of them is good at something."""

import ast
import sys
from pathlib import Path

import pytest

from adversaries.playing import ADVERSARIES, knows, play
from adversaries.tables import TABLES
from effort import slow

QUICK = ("column_means", "favourite_record", "nearest_insider", "outward", "regression")
OWN = {"adversaries", "numpy", "scipy", "sklearn", *sys.stdlib_module_names}
KNOWLEDGE = {"released", "insiders", "rows", "partial", "sample", "ranges", "motion", "noise", "epsilon", "seed"}


def test_there_are_many_adversaries_and_many_tables():
    assert len(ADVERSARIES) >= 10
    assert len(TABLES) >= 12
    assert all(table.records.shape[1] <= 16 for table in TABLES.values())


@pytest.mark.parametrize("name", [*ADVERSARIES, "motion"])
def test_adversaries_use_nothing_of_the_product(name):
    tree = ast.parse((Path(__file__).parent / f"{name}.py").read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    roots = {name.split(".")[0] for node in imports for name in [getattr(node, "module", node.names[0].name)]}
    assert roots <= OWN
    modules = {node.module for node in imports if isinstance(node, ast.ImportFrom) and node.module.startswith("adv")}
    assert modules <= {f"adversaries.{name}" for name in [*ADVERSARIES, "motion"]}  # the rest imports the product


@pytest.mark.parametrize("name", ADVERSARIES)
def test_adversaries_are_short_and_say_who_they_are(name):
    adversary = ADVERSARIES[name]
    lines = (Path(__file__).parent / f"{name}.py").read_text(encoding="utf-8").splitlines()
    assert adversary.__doc__
    assert len(lines) <= 60
    assert knows(adversary) <= KNOWLEDGE


@pytest.mark.parametrize("name", [*QUICK, *slow(*(name for name in ADVERSARIES if name not in QUICK))])
def test_an_adversary_succeeds_where_it_should(name):
    """One who is weak everywhere would prove nothing."""
    adversary = ADVERSARIES[name]
    table, scheme, insiders, least = adversary.SUCCEEDS
    (release,) = [release for release in TABLES[table].releases if release.name == scheme]
    assert scheme in adversary.SCHEMES
    assert play(adversary, TABLES[table], release, insiders).records.mean() >= least
