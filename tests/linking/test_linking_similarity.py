# SPDX-License-Identifier: BSD-3-Clause
"""Linking by ratios of distances: an unknown scale, a translation, and no link that is not the true one."""

import numpy as np
import pytest

from effort import slow
from isobreach.linking import link
from oracles import rotation

STORED = {
    "float64": lambda rows: rows,
    "float32": lambda rows: rows.astype(np.float32),
    "digits": lambda rows: np.vectorize(lambda value: float(f"{value:.6g}"))(rows),
}


def _release(records, rng, scale, *, wide=None, far=5.0):
    m, n = records.shape
    wide = n if wide is None else wide
    order = rng.permutation(m)
    released = np.empty((m, wide))
    released[order] = scale * (records @ rotation(wide, rng)[:, :n].T + far * rng.standard_normal(wide))
    return released, order


@pytest.mark.parametrize("store", STORED)
@pytest.mark.parametrize("scale", [0.01, 7.0, *slow(0.3, 1.0, 100.0)])
@pytest.mark.parametrize("a", [3, 10, *slow(4, 6)])
def test_fine_data_are_linked_at_any_scale(a, scale, store):
    """The scale is found as precisely as the released distances show it."""
    for n, wide in ((3, 3), (8, 8), (8, 11)):
        rng = np.random.default_rng([a, n, int(100 * scale)])
        records = rng.standard_normal((200, n))
        released, order = _release(records, rng, scale, wide=wide)
        linkage = link(records[:a], STORED[store](released), motion="similarity")
        if a > 3 or store == "float64":
            assert linkage.rows.tolist() == order[:a].tolist(), n
            assert linkage.scale == pytest.approx(scale, rel=1e-3)
        assert np.isin(linkage.rows, [-1, *order[:a]]).all(), n
        assert linkage.motion == "similarity"


def _check(linkage, released, order, known):
    """Every link is to the true value."""
    for i, record in enumerate(known):
        true = released[order[record]].astype(float)
        if linkage.rows[i] >= 0:
            gap = np.abs(released[linkage.candidates[i]].astype(float) - true).max()
            assert gap <= 1e-6 * np.linalg.norm(true)


TABLES = {
    "normal": lambda rng, m, n: rng.standard_normal((m, n)),
    "whole numbers": lambda rng, m, n: rng.integers(0, 16, (m, n)).astype(float),
    "few values": lambda rng, m, n: rng.integers(0, 3, (m, n)).astype(float),
    "repeated": lambda rng, m, n: rng.standard_normal((m, n))[rng.integers(0, m, m) // 2],
    "on a line": lambda rng, m, n: rng.integers(0, 40, (m, 1)) * rng.integers(-2, 3, n).astype(float),
}
COARSE = {**STORED, **{f"{k} decimals": lambda rows, k=k: rows.round(k) for k in range(2, 7)}}


@pytest.mark.parametrize(("trials", "least"), [(12, 4), *slow((60, 20))])
@pytest.mark.parametrize("table", TABLES)
def test_every_link_is_to_the_true_value(table, trials, least):
    """Also where several scales fit: points on a line of a grid, whose stretched copies are on it too."""
    linked = 0
    for seed in range(trials):
        rng = np.random.default_rng([seed, list(TABLES).index(table)])
        m, n, a = int(rng.integers(5, 120)), int(rng.integers(1, 9)), int(rng.choice([3, 4, 6, 10]))
        records = TABLES[table](rng, m, n)
        released, order = _release(records, rng, 10 ** rng.uniform(-2, 2), wide=n + seed % 3)
        released = list(COARSE.values())[seed % len(COARSE)](released)
        known = rng.integers(0, m, a)
        linkage = link(records[known], released, motion="similarity", chance_limit=np.inf)
        _check(linkage, released, order, known)
        assert all(order[k] in found for k, found in zip(known, linkage.candidates, strict=True)), seed
        linked += len(linkage.linked)
    assert linked >= least


@pytest.mark.parametrize("a", [1, 2])
@pytest.mark.parametrize("motion", ["similarity", "auto"])
def test_two_records_say_nothing_of_a_scale(a, motion):
    """Any two rows are at some scale the records: nothing is linked, and nothing called impossible."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        records = rng.standard_normal((50, 4))
        released, _ = _release(records, rng, 3.0)
        linkage = link(records[:a], released, motion=motion)
        assert linkage.status.tolist() == ["ambiguous"] * a
        assert all(len(found) == 50 for found in linkage.candidates)


def test_points_on_a_grid_line_fit_at_several_scales():
    """0, 1, 2 and 0, 2, 4 are one shape: no scale is the right one, and only what all share could be known."""
    rng = np.random.default_rng(0)
    records = np.arange(9.0)[:, None] * np.array([1.0, 2.0])
    released, _ = _release(records, rng, 2.5)
    linkage = link(records[[0, 1, 2]], released, motion="similarity")
    assert linkage.status.tolist() == ["ambiguous"] * 3
    everywhere = link(
        records, released, motion="similarity", chance_limit=np.inf
    )  # all nine: one scale, but either end may be the first
    assert everywhere.scale == pytest.approx(2.5)
    assert everywhere.linked.tolist() == [4]  # the middle


def test_a_shape_that_is_there_in_two_sizes_is_not_linked():
    """Three of the records are twice the known ones, elsewhere: at either scale one place fits, and it is another."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        records = rng.standard_normal((40, 5))
        records[3:6] = 2 * records[:3] + rng.standard_normal(5)
        released, order = _release(records, rng, 1.5)
        linkage = link(records[:3], released, motion="similarity")
        assert linkage.status.tolist() == ["ambiguous"] * 3
        for i, found in enumerate(linkage.candidates):
            assert set(found) == {order[i], order[i + 3]}
        assert link(records[:3], np.delete(released, order[3:6], axis=0), motion="similarity").counts()["linked"] == 3


def test_strangers_are_not_linked_and_the_others_are():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        records = rng.standard_normal((150, 6))
        released, order = _release(records, rng, 0.2)
        known = np.vstack([records[:7], rng.standard_normal((2, 6))])
        linkage = link(known, released, motion="similarity")
        assert linkage.rows[7:].tolist() == [-1, -1]
        assert np.isin(linkage.rows[:7], [-1, *order[:7]]).all()
        assert (linkage.rows[:7] == -1).all() or (linkage.rows[:7] == order[:7]).all()


@pytest.mark.parametrize("table", ["normal", "whole numbers", "few values"])
def test_neither_the_order_of_the_records_nor_that_of_the_rows_matters(table):
    for seed in range(15):
        rng = np.random.default_rng(seed)
        m, n = int(rng.integers(8, 60)), int(rng.integers(2, 7))
        records = TABLES[table](rng, m, n)
        known = records[rng.integers(0, m, int(rng.integers(3, 8)))]
        released, _ = _release(records, rng, 4.0)
        plain = link(known, released, motion="similarity")
        ours, theirs = rng.permutation(len(known)), rng.permutation(m)
        other = link(known[ours], released[theirs], motion="similarity")
        assert other.status.tolist() == plain.status[ours].tolist(), seed
        for i, k in enumerate(ours):
            assert sorted(theirs[other.candidates[i]]) == plain.candidates[k].tolist(), seed


def test_two_records_that_rounding_made_one_row_are_both_placed_there():
    """Released as one value, two rows of it: their distance is 0 within the rounding, and both rows are taken."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        records = 10 * rng.standard_normal((60, 4))
        records[1] = records[0] + 1e-6
        released, order = _release(records, rng, 1.0)
        released = released.round(2)
        if (released[order[0]] != released[order[1]]).any():
            continue
        pair, five = link(records[:2], released, motion="rigid"), link(records[:5], released, motion="rigid")
        assert all(set(found) == set(order[:2]) for found in pair.candidates)
        assert five.status.tolist() == ["linked"] * 5
        assert set(five.candidates[0]) == set(five.candidates[1]) == set(order[:2])
        assert five.rows[2:].tolist() == order[2:5].tolist()
