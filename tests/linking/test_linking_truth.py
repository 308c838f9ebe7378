# SPDX-License-Identifier: BSD-3-Clause
"""Planted motions: whatever the data and however it was stored, what is reported is true."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from effort import examples, slow
from isobreach.datasets import load_letter
from isobreach.linking import RULES, link
from oracles import plant

TABLES = {
    "normal": lambda rng, m, n: rng.standard_normal((m, n)),
    "integers": lambda rng, m, n: rng.integers(-2, 3, (m, n)),
    "binary": lambda rng, m, n: rng.integers(0, 2, (m, n)),
    "repeated": lambda rng, m, n: rng.standard_normal((m, n))[rng.integers(0, m, m) // 2],
    "collinear": lambda rng, m, n: rng.standard_normal((m, 1)) * rng.standard_normal(n),
    "one norm": lambda rng, m, n: np.where(rng.random((m, n)) < 0.5, -1.0, 1.0),
    "constant columns": lambda rng, m, n: np.where(np.arange(n) % 2, rng.standard_normal((m, n)), 7.0),
    "sparse": lambda rng, m, n: rng.standard_normal((m, n)) * (rng.random((m, n)) < 0.3),
    "uneven": lambda rng, m, n: rng.standard_normal((m, n)) * 10.0 ** rng.integers(-6, 7, (m, 1)),
    "offset": lambda rng, m, n: 1e6 + rng.standard_normal((m, n)),
}
EXACT = {
    "float64": lambda rows: rows,
    "tiny": lambda rows: 1e-100 * rows,
    "huge": lambda rows: 1e100 * rows,
}
COARSE = {
    "float32": lambda rows: rows.astype(np.float32),
    "float32 in float64": lambda rows: rows.astype(np.float32).astype(np.float64),
    **{f"{k} decimals": lambda rows, k=k: rows.round(k) for k in range(1, 7)},
}

# Seed, rows, columns, known records.
sizes = st.tuples(st.integers(0, 2**32), st.integers(1, 30), st.integers(1, 6), st.integers(1, 8))
telling_sizes = st.tuples(st.integers(0, 2**32), st.integers(20, 40), st.integers(2, 6), st.integers(1, 8))
tables, rules = st.sampled_from(list(TABLES)), st.sampled_from(RULES)


def _planted(table, size):
    """Records, their release, the row of each, and which records are known."""
    seed, m, n, a = size
    rng = np.random.default_rng(seed)
    records = TABLES[table](rng, m, n)
    released, order = plant(records, rng)
    return records, released, order, rng.integers(0, m, a)


def _check(linkage, order, known):
    assert linkage.complete
    for i, record in enumerate(known):
        assert linkage.status[i] in ("linked", "ambiguous")  # the record is there
        assert order[record] in linkage.candidates[i]  # and so is its row
        assert (linkage.rows[i] in linkage.candidates[i]) == (linkage.status[i] == "linked")


@examples(80)
@given(size=sizes, table=tables, storage=st.sampled_from(list(EXACT)), rule=rules)
def test_every_link_to_an_exact_release_is_true(size, table, storage, rule):
    records, released, order, known = _planted(table, size)
    linkage = link(EXACT[storage](records[known]), EXACT[storage](released), motion="orthogonal", rule=rule)
    _check(linkage, order, known)
    origin = np.argsort(order)
    for i in linkage.linked:
        assert (records[origin[linkage.candidates[i]]] == records[known[i]]).all()


@examples(100)
@given(size=sizes, table=tables, storage=st.sampled_from(list(COARSE)), rule=rules)
@example(size=(0, 30, 1, 8), table="normal", storage="1 decimals", rule="backbone")
def test_every_link_to_a_coarse_release_is_to_the_true_value(size, table, storage, rule):
    """Different records may have become the same released value: then the value is what is linked."""
    records, released, order, known = _planted(table, size)
    released = COARSE[storage](released)
    linkage = link(records[known], released, motion="orthogonal", rule=rule)
    _check(linkage, order, known)
    for i in linkage.linked:
        true = released[order[known[i]]]
        assert abs(released[linkage.candidates[i]] - true).max() <= 1e-6 * np.linalg.norm(true)


@pytest.mark.parametrize("storage", [float, int])
@pytest.mark.parametrize(("n", "known"), [(2, 1), (2, 2), (3, 1), (3, 2), (4, 2)])
@pytest.mark.parametrize("seeds", [range(40), *slow(range(40, 200))])
def test_a_rotated_table_rounded_to_whole_numbers_is_not_mistaken_for_the_table(n, known, storage, seeds):
    """Small integers match exactly by chance, entries swapped or flipped: no evidence that nothing was rotated."""
    for seed in seeds:
        rng = np.random.default_rng([seed, n, known])
        records = rng.integers(-3, 4, (12, n))
        released, order = plant(records, rng)
        _check(link(records[:known], released.round().astype(storage), motion="orthogonal"), order, range(known))


@examples(40)
@given(size=telling_sizes, table=st.sampled_from(["normal", "repeated", "uneven"]), digits=st.integers(3, 17))
def test_a_release_in_significant_digits_never_excludes_the_true_row(size, table, digits):
    """As ``%.6g`` writes them: the number of decimals differs from value to value."""
    records, released, order, known = _planted(table, size)
    released = np.vectorize(lambda value: float(f"{value:.{digits - 1}e}"))(released)
    _check(link(records[known], released, motion="orthogonal"), order, known)


@examples(40)
@given(size=telling_sizes, table=st.sampled_from(["normal", "repeated"]), decimals=st.integers(7, 16))
def test_a_release_in_many_decimals_never_excludes_the_true_row(size, table, decimals):
    records, released, order, known = _planted(table, size)
    _check(link(records[known], released.round(decimals), motion="orthogonal"), order, known)


@examples(100)
@given(size=sizes, table=st.sampled_from(["normal", "repeated", "offset"]))
def test_records_and_product_in_float32_are_linked_truly(size, table):
    records, _, _, known = _planted(table, size)
    single = records.astype(np.float32)
    rng = np.random.default_rng(size[0])
    order = rng.permutation(len(single))
    released = np.empty_like(single)
    released[order] = single @ np.linalg.qr(rng.standard_normal((size[2], size[2])))[0].T.astype(np.float32)
    _check(link(single[known], released, motion="orthogonal"), order, known)


@examples(40)
@given(size=sizes, table=tables, rule=rules, limit=st.integers(1, 50))
def test_a_search_limit_never_makes_a_wrong_link(size, table, rule, limit):
    records, released, order, known = _planted(table, size)
    linkage = link(records[known], released, motion="orthogonal", rule=rule, node_limit=limit)
    origin = np.argsort(order)
    np.testing.assert_array_equal(records[origin[linkage.rows[linkage.linked]]], records[known[linkage.linked]])
    if linkage.complete:
        assert linkage.rows.tolist() == link(records[known], released, motion="orthogonal", rule=rule).rows.tolist()


@pytest.mark.parametrize("rule", RULES)
def test_one_node_is_not_enough_for_a_symmetric_table(rule):
    cube = np.array(np.meshgrid([0, 1], [0, 1], [0, 1])).reshape(3, -1).T
    linkage = link(cube[1:5], cube, motion="orthogonal", rule=rule, node_limit=1)
    assert not linkage.complete
    assert linkage.rows.tolist() == [-1] * 4
    assert set(linkage.status) == {"ambiguous"}


@pytest.mark.parametrize(("top", "rows", "columns"), [(3, 500, 8), (1, 300, 16)])
@pytest.mark.parametrize("seeds", [range(30), *slow(range(30, 150))])
def test_strangers_are_linked_about_as_seldom_as_the_limit_says(top, rows, columns, seeds):
    """With an absent record among them all known ones may be strangers, and a coarse table has matches by chance."""
    trials = wrong = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        table, known = rng.integers(0, top + 1, (rows, columns)), rng.integers(0, top + 1, (8, columns))
        released, order = plant(table, rng)
        linkage = link(known, released, motion="orthogonal")
        if linkage.chance is not None:
            trials += 1
            wrong += (table[np.argsort(order)][linkage.rows[linkage.linked]] != known[linkage.linked]).any()
    assert trials > len(seeds) / 6
    assert wrong <= 1, f"{wrong} of {trials} trials with a false link, at most 0.001 expected in each"


@pytest.mark.slow
def test_held_out_letters_are_found_absent_and_the_others_linked():
    letters = load_letter().values
    for seed in range(10):
        rng = np.random.default_rng(seed)
        strangers, there = np.split(rng.permutation(len(letters))[:12], 2)
        kept = np.delete(letters, strangers, axis=0)
        released, order = plant(kept, rng)
        linkage = link(letters[np.concatenate([strangers, there])], released, motion="orthogonal")
        assert (linkage.rows[:6] == -1).all()
        np.testing.assert_array_equal(kept[np.argsort(order)[linkage.rows[6:]]], letters[there])
        assert (linkage.chance[6:] < 1e-3).all()


def test_a_lower_limit_on_chance_keeps_fewer_links():
    table = np.random.default_rng(0).integers(0, 10, (200, 3))
    released, _ = plant(table, np.random.default_rng(1))
    known = np.vstack([table[:5], [[50, 0, 0]]])  # the last is not there
    linked = [
        set(link(known, released, motion="orthogonal", chance_limit=limit).linked)
        for limit in (float("inf"), 1e-1, 1e-4, 1e-300)
    ]
    assert linked[0] == {0, 1, 2, 3, 4}
    assert all(more >= fewer for more, fewer in pairwise(linked))
    assert linked[-1] == set()
