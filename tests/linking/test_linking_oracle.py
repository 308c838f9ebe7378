# SPDX-License-Identifier: BSD-3-Clause
"""Linking equals the enumeration of all valid assignments, whichever way the search goes."""

import numpy as np
import pytest

from effort import slow
from isobreach.linking import RULES, link
from isobreach.linking.search import agreement, assignment
from oracles import all_present, integer_case, link_by_enumeration, plant, uniquely_valid_rows

CASES = 2000
PART = 250
PARTS = [range(start, start + PART) for start in range(0, CASES, PART)]
EVERY_MATCH = float("inf")  # a chance_limit that lets chance matches through, as the oracle does

# Branches of the search that only large tables reach, forced upon small ones.
ASKED = {(agreement, "_LISTING"): agreement.Listing(most=1)}
ON_THE_FLY = {(assignment, "_COSTS"): assignment.SearchCosts(small_matrix=0, few_values=10**6)}
LATE_MATRIX = {(assignment, "_COSTS"): assignment.SearchCosts(small_matrix=0, few_values=1)}
NEVER_A_MATRIX = assignment.SearchCosts(small_matrix=0, few_values=10**6, most_vertices=-1)
ASKED_ON_THE_FLY = {**ASKED, (assignment, "_COSTS"): NEVER_A_MATRIX}


def _released(seed, form):
    """The known records, the release in the given form, and the same release as integers, for the oracle."""
    known, table = integer_case(seed)
    rotated, order = plant(table, np.random.default_rng([seed, 1]))
    shuffled = table[np.argsort(order)]
    return known, rotated if form == "rotated" else shuffled, shuffled


def _answer(linkage):
    return linkage.rows.tolist(), linkage.status.tolist(), [set(rows.tolist()) for rows in linkage.candidates]


@pytest.mark.parametrize("seeds", [PARTS[0], *slow(*PARTS[1:])], ids=str)
@pytest.mark.parametrize("form", ["rotated", "integers"])
@pytest.mark.parametrize("rule", RULES)
def test_links_are_those_of_the_enumeration(rule, form, seeds):
    for seed in seeds:
        known, released, integers = _released(seed, form)
        linkage = link(known, released, motion="orthogonal", rule=rule, tolerance=0, chance_limit=EVERY_MATCH)
        assert _answer(linkage) == link_by_enumeration(known, integers, rule), seed
        assert linkage.complete


@pytest.mark.parametrize("way", [ASKED, ON_THE_FLY, LATE_MATRIX, ASKED_ON_THE_FLY], ids=range(1, 5))
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seeds", [range(80), *slow(range(80, 250))])
def test_every_way_of_searching_gives_the_same_links(monkeypatch, rule, way, seeds):
    for (module, name), value in way.items():
        monkeypatch.setattr(module, name, value)
    for seed in seeds:
        known, released, integers = _released(seed, "rotated")
        rows, status, candidates = _answer(
            link(known, released, motion="orthogonal", rule=rule, tolerance=0, chance_limit=EVERY_MATCH)
        )
        expected_rows, expected_status, expected = link_by_enumeration(known, integers, rule)
        assert (rows, status) == (expected_rows, expected_status), seed
        assert all(mine >= theirs for mine, theirs in zip(candidates, expected, strict=True)), seed
        assert (agreement, "_LISTING") in way or candidates == expected, seed


@pytest.mark.parametrize("seeds", [PARTS[0], *slow(*PARTS[1:])], ids=str)
def test_uniquely_valid_is_the_papers_definition(seeds):
    """The fixpoint finds the one largest subset of known records that has a single valid assignment."""
    for seed in seeds:
        known, table = integer_case(seed)
        if all_present(known, table):
            linkage = link(known, table, motion="orthogonal", rule="uniquely-valid", tolerance=0)
            assert linkage.rows.tolist() == uniquely_valid_rows(known, table), seed


@pytest.mark.parametrize("cases", [CASES // 10, *slow(CASES // 2)])
@pytest.mark.parametrize("form", ["rotated", "integers"])
@pytest.mark.parametrize("rule", RULES)
def test_by_default_links_are_among_the_enumerated_and_true(rule, form, cases):
    """With the derived tolerance and the limit on chance: fewer links perhaps, never others."""
    for seed in range(cases):
        known, released, integers = _released(seed, form)
        linkage = link(known, released, motion="orthogonal", rule=rule)
        rows, _, _ = link_by_enumeration(known, integers, rule)
        linked = linkage.linked
        if form == "rotated" and known.shape[1] > 1:  # in one column a rotation leaves the grid as it is
            assert linkage.rows[linked].tolist() == [rows[i] for i in linked], seed
        if all_present(known, integers):
            np.testing.assert_array_equal(integers[linkage.rows[linked]], known[linked])
            rounded = (released == released.round()).all()  # or may have been, for all that one can see
            assert rounded or linkage.rows.tolist() == rows, seed


def test_the_cases_are_worth_enumerating():
    """Among them: repeated rows, absent records, ambiguity, and backbones larger than the paper's set."""
    repeated = absent = ambiguous = larger = both = 0
    for seed in range(CASES):
        known, table = integer_case(seed)
        rows, status, _ = link_by_enumeration(known, table, "backbone")
        paper, _, _ = link_by_enumeration(known, table, "uniquely-valid")
        assert all(p in (-1, r) for p, r in zip(paper, rows, strict=True))  # the backbone contains the paper's set
        repeated += len(np.unique(table, axis=0)) < len(table) and len(np.unique(known, axis=0)) < len(known)
        absent += "absent" in status
        ambiguous += "ambiguous" in status
        both += {"absent", "linked"} <= set(status)
        larger += rows != paper
    assert min(repeated, absent, ambiguous, both) >= 200
    assert larger >= 100
