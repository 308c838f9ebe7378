# SPDX-License-Identifier: BSD-3-Clause
"""Linking by distances alone: the enumeration of all assignments, planted motions, and no dependence on order."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from effort import examples, slow
from isobreach.engine import as_engine
from isobreach.linking import link, problem
from oracles import link_by_enumeration, rotation

EVERY_MATCH = float("inf")
KINDS = ("random", "few values", "duplicated", "collinear", "one column")


def _release(records, rng, *, wide=None, far=3.0, scale=1.0):
    """Records behind a rotation into ``wide`` columns and a translation: (released, order)."""
    m, n = records.shape
    wide = n if wide is None else wide
    order = rng.permutation(m)
    released = np.empty((m, wide))
    released[order] = scale * records @ rotation(wide, rng)[:, :n].T + far * rng.standard_normal(wide)
    return released, order


def _integer_case(kind, seed):
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    n, m, top = (1 if kind == "one column" else rng.integers(2, 5)), rng.integers(2, 12), rng.integers(1, 20)
    table = rng.integers(0, 2 if kind == "few values" else top + 1, (m, n))
    if kind == "duplicated":
        table = table[rng.integers(0, m, m) // 2]
    if kind == "collinear":
        table = rng.integers(0, top + 1, (m, 1)) * rng.integers(-2, 3, n) + rng.integers(-3, 3, n)
    known = table[rng.permutation(m)[: rng.integers(1, 7)]]
    return rng, known, table


@pytest.mark.parametrize(
    ("kind", "motion"),
    [*((kind, "rigid") for kind in KINDS), *((kind, "orthogonal") for kind in KINDS if kind != "few values")],
)
@pytest.mark.parametrize("seeds", [60, *slow(120)])
def test_links_by_distances_are_those_of_the_enumeration(kind, motion, seeds, monkeypatch):
    """Every known record is there. Orthogonal motions go by distances too where norms say little: forced here."""
    monkeypatch.setattr(problem, "_COMPARING", problem.Comparing(most=0))
    open_ = linked = 0
    for seed in range(seeds):
        rng, known, table = _integer_case(kind, seed)
        far = 3.0 if motion == "rigid" else 0.0
        released, order = _release(table, rng, wide=table.shape[1] + seed % 3, far=far)
        linkage = link(known, released, motion=motion, tolerance=1e-12, chance_limit=EVERY_MATCH)
        shuffled = table[np.argsort(order)]
        rows, status, candidates = link_by_enumeration(known, shuffled, "backbone", norms_kept=motion != "rigid")
        assert linkage.rows.tolist() == rows, seed
        assert linkage.status.tolist() == status, seed
        mine = [set(found.tolist()) for found in linkage.candidates]
        # Values of the right distances and another norm may stay possible; the links are as many.
        assert mine == candidates or motion == "orthogonal", seed
        assert all(m >= c for m, c in zip(mine, candidates, strict=True)), seed
        assert linkage.complete
        open_, linked = open_ + ("ambiguous" in status), linked + ("linked" in status)
    assert motion == "orthogonal" or min(open_, linked) >= seeds / 6


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seeds", [range(50), *slow(range(50, 200))])
def test_with_absent_records_fewer_links_than_the_enumeration_never_others(kind, seeds):
    for seed in seeds:
        rng, known, table = _integer_case(kind, seed)
        strange = rng.random(len(known)) < 0.4
        known[strange] = rng.integers(0, abs(table).max() + 2, known.shape)[strange]
        released, order = _release(table, rng)
        linkage = link(known, released, motion="rigid", tolerance=1e-12, chance_limit=EVERY_MATCH)
        rows, status, _ = link_by_enumeration(known, table[np.argsort(order)], "backbone", norms_kept=False)
        for i in range(len(known)):
            assert linkage.rows[i] in (-1, rows[i]), seed
            assert linkage.status[i] in ("ambiguous", status[i]), seed


TABLES = {
    "normal": lambda rng, m, n: rng.standard_normal((m, n)),
    "integers": lambda rng, m, n: rng.integers(0, 16, (m, n)).astype(float),
    "repeated": lambda rng, m, n: rng.standard_normal((m, n))[rng.integers(0, m, m) // 2],
    "collinear": lambda rng, m, n: rng.standard_normal((m, 1)) * rng.standard_normal(n),
    "constant columns": lambda rng, m, n: np.where(np.arange(n) % 2, rng.standard_normal((m, n)), 7.0),
    "scaled columns": lambda rng, m, n: rng.standard_normal((m, n)) * 10.0 ** rng.integers(0, 7, n),
}
STORED = {
    "float64": lambda rows: rows,
    "float32": lambda rows: rows.astype(np.float32),
    "float16": lambda rows: rows.astype(np.float16),
    **{f"{k} decimals": lambda rows, k=k: rows.round(k) for k in range(1, 7)},
}
sizes = st.tuples(
    st.integers(0, 2**32), st.integers(1, 40), st.sampled_from([1, 2, 3, 5, 8, 16, 64]), st.integers(1, 10)
)
far = st.sampled_from([0.0, 1.0, 100.0, 1e6])


def _check(linkage, released, order, known):
    for i, record in enumerate(known):
        true = released[order[record]].astype(float)
        assert order[record] in linkage.candidates[i]
        if linkage.rows[i] >= 0:
            gap = abs(released[linkage.candidates[i]].astype(float) - true).max()
            assert gap <= 1e-6 * np.linalg.norm(true)


@examples(80)
@given(
    size=sizes,
    table=st.sampled_from(list(TABLES)),
    store=st.sampled_from(list(STORED)),
    far=far,
    extra=st.integers(0, 3),
    magnitude=st.sampled_from([1.0, 1e-3, 1e3]),
)
def test_every_link_is_to_the_true_value(size, table, store, far, extra, magnitude):
    seed, m, n, a = size
    rng = np.random.default_rng(seed)
    records = magnitude * TABLES[table](rng, m, n)
    spread = np.abs(records).max(initial=0.0)
    if store == "float16" and spread * n * (1 + far) > 6e4:
        return
    released, order = _release(records, rng, wide=n + extra, far=far * spread)
    known = rng.integers(0, m, a)
    released = STORED[store](released)
    _check(link(records[known], released, motion="rigid"), released, order, known)


@examples(15)
@given(size=sizes, power=st.sampled_from([-100, -30, 30, 100]), far=far)
@example(size=(0, 16, 64, 1), power=100, far=1e6)  # fourth powers of rounding overflowed
def test_sizes_far_from_one_are_no_obstacle(size, power, far):
    seed, m, n, a = size
    rng = np.random.default_rng(seed)
    records = 10.0**power * rng.standard_normal((m, n))
    released, order = _release(records, rng, far=10.0**power * far)
    known = rng.integers(0, m, a)
    _check(link(records[known], released, motion="rigid"), released, order, known)


@pytest.mark.parametrize(("n", "wide"), [(2, 2), (4, 4), (4, 7), (16, 16), (64, 64), (64, 70)])
@pytest.mark.parametrize("store", ["float32", *slow("float64", "4 decimals")])
def test_fine_data_are_linked_behind_a_translation(n, wide, store):
    rng = np.random.default_rng(n)
    records = 10 * rng.standard_normal((1500, n))
    released, order = _release(records, rng, wide=wide, far=50.0)
    linkage = link(records[:8], STORED[store](released), motion="rigid")
    assert linkage.rows.tolist() == order[:8].tolist()


@examples(30)
@given(size=sizes, table=st.sampled_from(["normal", "integers", "repeated", "collinear"]), absent=st.integers(0, 2))
def test_neither_the_order_of_the_records_nor_that_of_the_rows_matters(size, table, absent):
    seed, m, n, a = size
    rng = np.random.default_rng(seed)
    records = TABLES[table](rng, m, n)
    known = records[rng.integers(0, m, min(a, 6))]
    known = np.vstack([known, TABLES[table](rng, 1, n)[[0] * absent]])
    released, _ = _release(records, rng)
    plain = link(known, released, motion="rigid", tolerance=1e-9, chance_limit=EVERY_MATCH)
    ours, theirs = rng.permutation(len(known)), rng.permutation(m)
    other = link(known[ours], released[theirs], motion="rigid", tolerance=1e-9, chance_limit=EVERY_MATCH)
    assert other.status.tolist() == plain.status[ours].tolist()
    for i, k in enumerate(ours):
        assert sorted(theirs[other.candidates[i]]) == plain.candidates[k].tolist()


@pytest.mark.parametrize("motion", ["rigid", "similarity"])
@pytest.mark.parametrize("threads", [1, 3])
def test_threads_do_not_matter(threads, motion):
    rng = np.random.default_rng(5)
    table = rng.integers(0, 6, (1500, 4))
    released, _ = _release(table, rng)
    known = table[:5]
    plain = link(known, released, motion=motion)
    other = link(known, as_engine(released, workers=threads), motion=motion)
    assert other.status.tolist() == plain.status.tolist()
    assert all((a == b).all() for a, b in zip(other.candidates, plain.candidates, strict=True))
