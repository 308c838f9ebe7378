# SPDX-License-Identifier: BSD-3-Clause
"""Coalitions that grow: what is said of every size at once equals what ``link`` says of each."""

from dataclasses import replace

import numpy as np
import pytest

from effort import slow
from isobreach import datasets
from isobreach.audits.coalitions import GrowingLinks, Shapes, copies
from isobreach.linking import link
from isobreach.schemes import Orthogonal, perturb
from oracles import plant

LETTER = datasets.load("letter").values


def _unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


RNG = np.random.default_rng(5)
LARGER = ("letter by distances", "letter, few columns", "gaussian by distances")
TABLES = {
    # name: records, motion, insiders
    "letter by norms": (LETTER[:2000], "orthogonal", 7),
    "letter by distances": (LETTER[:400], "rigid", 6),
    "letter, few columns": (LETTER[:900, :4], "rigid", 8),
    "letter, repeated records": (np.concatenate([LETTER[:300], LETTER[:200]]), "rigid", 6),
    "letter, repeated records by norms": (np.concatenate([LETTER[:60], LETTER[:50]]), "orthogonal", 12),
    "gaussian by norms": (RNG.standard_normal((1000, 6)), "orthogonal", 7),
    "gaussian by distances": (RNG.standard_normal((600, 5)), "rigid", 6),
    "unit vectors": (_unit(RNG.standard_normal((800, 4))), "orthogonal", 6),
    "coarse": (RNG.integers(0, 3, (500, 4)).astype(float), "rigid", 6),
    "binary": (RNG.integers(0, 2, (300, 8)), "orthogonal", 7),
    "a small table": (RNG.integers(0, 3, (20, 3)).astype(float), "rigid", 5),
    "symmetric": (np.concatenate([np.eye(4), -np.eye(4), 2 * np.eye(4)]), "rigid", 6),
    "one column": (RNG.integers(0, 9, (40, 1)), "orthogonal", 3),
    "single precision": (RNG.standard_normal((400, 4)).astype(np.float32), "rigid", 5),
}


def _grown(records, motion, insiders, trials, seed=0):
    release = perturb(records, motion, seed)
    links = GrowingLinks(records, release.data, release.key.order, motion=motion)
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(len(records))[:insiders] for _ in range(trials)]
    grown = [links.grow(orders[i], joined) for part, joined in links.batches(orders) for i in part]
    return release, orders, grown


@pytest.mark.parametrize("trials", [1, *slow(4)])
@pytest.mark.parametrize("name", [*(name for name in TABLES if name not in LARGER), *slow(*LARGER)])
def test_every_size_has_the_links_that_link_finds(name, trials):
    records, motion, insiders = TABLES[name]
    release, orders, grown = _grown(records, motion, insiders, trials)
    for order, growth in zip(orders, grown, strict=True):
        assert growth.complete
        for size in range(1, insiders + 1):
            linkage = link(records[order[:size]], release.data, motion=motion)
            assert linkage.complete
            assert growth.linked(size).tolist() == linkage.linked.tolist()


@pytest.mark.parametrize("name", [*list(TABLES)[::2], *slow(*list(TABLES)[1::2])])
def test_links_of_fewer_are_links_of_more(name):
    """The theorem that the shortcut rests on, seen on ``link`` itself."""
    records, motion, insiders = TABLES[name]
    release = perturb(records, motion, 1)
    order = np.random.default_rng(1).permutation(len(records))[:insiders]
    before = set()
    for size in range(1, insiders + 1):
        linked = set(link(records[order[:size]], release.data, motion=motion).linked.tolist())
        assert before <= linked
        before = linked


def test_what_is_joined_for_many_coalitions_changes_nothing():
    records = LETTER[:700]
    release, orders, grown = _grown(records, "rigid", 6, trials=12)
    links = GrowingLinks(records, release.data, release.key.order, motion="rigid")
    for order, growth in zip(orders, grown, strict=True):
        assert links.grow(order).since.tolist() == growth.since.tolist()


def test_a_wider_release_is_linked_alike():
    records = RNG.standard_normal((300, 4))
    release = perturb(records, Orthogonal(width=7), 0)
    links = GrowingLinks(records, release.data, release.key.order, motion="orthogonal")
    assert links.grow(np.arange(5)).since.tolist() == [1, 2, 3, 4, 5]


def test_a_search_that_is_given_up_says_so_and_links_nothing():
    """Vertices of a cube: as many congruent copies as there are symmetries, far too many to list."""
    records = (np.arange(4096)[:, None] >> np.arange(12) & 1).astype(float)
    released, order = plant(records, np.random.default_rng(0))
    links = GrowingLinks(records, released, order, motion="rigid")
    growth = links.grow(np.random.default_rng(1).permutation(4096)[:14])
    assert not growth.complete or len(growth.linked(14)) == 0


def test_records_that_a_reflection_moves_stay_open_beside_those_that_it_leaves():
    """Points of a plane, and pairs on both sides of it: the plane's are linked, of a pair either may be the insider."""
    rng = np.random.default_rng(3)
    flat = np.column_stack([rng.standard_normal((120, 2)), np.zeros(120)])
    above = rng.standard_normal((60, 3))
    records = np.concatenate([flat, above, above * [1, 1, -1]])
    release = perturb(records, "rigid", 0)
    links = GrowingLinks(records, release.data, release.key.order, motion="rigid")
    for order in ([0, 1, 2, 3, 120, 121], [120, 0, 1, 2, 121, 3], [125, 121, 0, 1, 2, 3]):
        growth = links.grow(np.array(order))
        assert growth.complete
        assert len(growth.linked(6)) == 4
        for size in range(1, 7):
            linkage = link(records[order[:size]], release.data, motion="rigid")
            assert growth.linked(size).tolist() == linkage.linked.tolist()


@pytest.mark.parametrize("records", [RNG.integers(0, 2, (250, 30)), RNG.integers(1, 5, (400, 9))])
def test_coarse_tables_have_the_links_that_link_finds(records):
    """Behind a translation many shapes are there more than once; where both searches end, they agree."""
    release, orders, grown = _grown(records, "rigid", 9, trials=2)
    compared = 0
    for order, growth in zip(orders, grown, strict=True):
        for size in (5, 9):
            linkage = link(records[order[:size]], release.data, motion="rigid", node_limit=300_000)
            found = set(growth.linked(size).tolist())
            if linkage.complete:
                assert found <= set(linkage.linked.tolist())
                assert not growth.decided[size - 1] or len(found) == len(linkage.linked)
                compared += 1
            assert growth.decided[8]
    assert compared


@pytest.mark.parametrize("seed", range(8))
def test_displaced_copies_against_brute_force(seed):
    """The largest k such that some assignment of the first k records keeps all distances and moves every record."""
    rng = np.random.default_rng(seed)
    points = np.unique(rng.integers(0, 4, (45, 2)), axis=0).astype(float)
    true = rng.permutation(len(points))[:5]
    known, error = points[true], np.full(5, 1e-9)
    gaps = np.linalg.norm(points[:, None] - points, axis=2)
    partial, most = [()], 0
    for k in range(5):
        partial = [
            (*chosen, x)
            for chosen in partial
            for x in range(len(points))
            if x != true[k]
            and x not in chosen
            and all(abs(gaps[x, c] - gaps[true[k], true[j]]) < 1e-9 for j, c in enumerate(chosen))
        ]
        if partial:
            most = k + 1
    shapes = Shapes(points, np.ones(len(points), dtype=np.int64))
    spans = np.tile([0, len(points)], (5, 1))
    for size in (3, 4, 5):
        plan = shapes.plan(known, error, size)
        plan = replace(plan, few=True)
        assert shapes.displaced(known, error, true, spans, plan) == (max(most, 2), max(most, 2))
        for limit in (1, 3, 10):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(copies, "SEARCH", replace(copies.SEARCH, copies=limit))
                surely, at_most = shapes.displaced(known, error, true, spans, plan)
            assert 2 <= surely <= max(most, 2) <= at_most
