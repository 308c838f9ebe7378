# SPDX-License-Identifier: BSD-3-Clause
"""A dictionary: many candidate records, a few of them in the release. Those are found, and no others."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from effort import slow
from isobreach.linking import link
from oracles import rotation

SURE, THERE, CANDIDATES, ROWS = 3, 300, 1000, 500


def _release(records, rng, motion, *, wide=None, noise=0.0):
    m, n = records.shape
    wide = n if wide is None else wide
    order = rng.permutation(m)
    released = np.empty((m, wide))
    released[order] = (2.5 if motion == "similarity" else 1.0) * records @ rotation(wide, rng)[:, :n].T
    released += 0.0 if motion == "orthogonal" else 4 * rng.standard_normal(wide)
    return released + noise * rng.standard_normal(released.shape), order


def _case(motion, seed=0, *, n=8, wide=None, noise=0.0, unit=False, sure=SURE):
    """(sure records, dictionary, place of the present ones in it, released rows, order)."""
    rng = np.random.default_rng(seed)
    records, strangers = rng.standard_normal((ROWS, n)), rng.standard_normal((CANDIDATES - THERE, n))
    if unit:
        records, strangers = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (records, strangers))
    released, order = _release(records, rng, motion, wide=wide, noise=noise)
    mixed = rng.permutation(CANDIDATES)
    dictionary = np.vstack([records[sure : sure + THERE], strangers])[mixed]
    return records[:sure], dictionary, mixed, released, order[sure : sure + THERE]


def _rows(mixed, order):
    """The row of each candidate, -1 for those that are not there."""
    return np.concatenate([order, np.full(CANDIDATES - THERE, -1)])[mixed]


@pytest.mark.parametrize("motion", ["orthogonal", "rigid", "similarity", "auto"])
@pytest.mark.parametrize("wide", [8, *slow(12)])
@pytest.mark.parametrize("store", [np.float64, np.float32])
def test_the_candidates_that_are_there_are_found_and_no_others(motion, wide, store):
    sure = SURE + 2 * (motion in ("similarity", "auto") or store == np.float32)
    known, dictionary, mixed, released, order = _case(motion, wide=wide, sure=sure)
    linkage = link(known, released.astype(store), motion=motion, dictionary=dictionary)
    assert (linkage.rows >= 0).all()
    assert linkage.dictionary.rows.tolist() == _rows(mixed, order).tolist()
    assert (linkage.dictionary.chance[linkage.dictionary.linked] <= 1e-3).all()
    assert linkage.dictionary.motion == linkage.motion
    for i in linkage.dictionary.linked:
        assert linkage.dictionary.candidates[i].tolist() == [linkage.dictionary.rows[i]]


def test_vectors_of_length_one():
    known, dictionary, mixed, released, order = _case("orthogonal", unit=True, n=16)
    linkage = link(known, released.astype(np.float32), motion="orthogonal", dictionary=dictionary)
    assert linkage.dictionary.rows.tolist() == _rows(mixed, order).tolist()


@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
def test_digits(motion):
    """Whole numbers: 300 of 1,000 digits are among the 500 released, behind single precision."""
    digits = load_digits().data
    rng = np.random.default_rng(1)
    chosen = rng.permutation(len(digits))
    records, strangers = digits[chosen[:ROWS]], digits[chosen[ROWS : ROWS + CANDIDATES - THERE]]
    released, order = _release(records, rng, motion)
    dictionary = np.vstack([records[SURE : SURE + THERE], strangers])
    linkage = link(records[:SURE], released.astype(np.float32), motion=motion, dictionary=dictionary)
    assert linkage.rows.tolist() == order[:SURE].tolist()
    assert linkage.dictionary.rows.tolist() == _rows(np.arange(CANDIDATES), order[SURE : SURE + THERE]).tolist()


@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
def test_under_noise_the_posterior_decides(motion):
    """Links are true; nearly all that are there are found, by anchors that grow in number."""
    for seed in range(2):
        known, dictionary, mixed, released, order = _case(motion, seed, n=12, noise=0.02, sure=12)
        linkage = link(known, released, motion=motion, noise=0.02, dictionary=dictionary)
        true, found = _rows(mixed, order), linkage.dictionary
        assert len(linkage.linked) == 12
        assert (found.rows[found.linked] == true[found.linked]).all(), seed
        assert len(found.linked) >= 0.95 * THERE
        assert (found.posterior[found.linked] >= 0.999).all()


@pytest.mark.parametrize("noise", [None, 0.01])
@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
def test_a_candidate_twice_or_known_already_is_the_same_record(motion, noise):
    known, dictionary, mixed, released, order = _case(motion, 2, noise=noise or 0.0, sure=6)
    more = np.vstack([dictionary, dictionary[:40], known])
    linkage = link(known, released, motion=motion, noise=noise, dictionary=more)
    assert len(linkage.linked) >= (6 if noise is None else 5)
    rows = linkage.dictionary.rows
    true = _rows(mixed, order)
    assert ((rows[:CANDIDATES] == true) | ((rows[:CANDIDATES] == -1) & (noise is not None))).all()
    assert (rows[CANDIDATES : CANDIDATES + 40] == rows[:40]).all()
    assert (rows[-6:] == linkage.rows)[linkage.linked].all()


@pytest.mark.parametrize("noise", [None, 0.01])
def test_without_a_sure_link_every_candidate_could_be_any_row(noise):
    rng = np.random.default_rng(3)
    records = rng.standard_normal((60, 5))
    released, _ = _release(records, rng, "rigid")
    linkage = link(rng.standard_normal((4, 5)), released, motion="rigid", noise=noise, dictionary=records[:20])
    assert (linkage.rows == -1).all()
    assert linkage.dictionary.status.tolist() == ["ambiguous"] * 20
    assert all(len(found) == 60 for found in linkage.dictionary.candidates)


def test_a_coarse_table_has_chance_matches_and_they_are_not_links():
    """Whole numbers 0 to 3 in six columns: some candidates stand right by chance."""
    wrong = linked = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        table, others = rng.integers(0, 4, (80, 6)).astype(float), rng.integers(0, 4, (200, 6)).astype(float)
        released, order = _release(table, rng, "orthogonal")
        linkage = link(table[:5], released, motion="orthogonal", dictionary=np.vstack([table[5:40], others])).dictionary
        sorted_table = table[np.argsort(order)]
        records = np.vstack([table[5:40], others])
        linked += len(linkage.linked)
        wrong += sum((sorted_table[linkage.candidates[i]] != records[i]).any() for i in linkage.linked)
    assert wrong == 0
    assert linked > 0


@pytest.mark.parametrize("noise", [None, 0.01])
@pytest.mark.parametrize("motion", ["rigid", *slow("orthogonal")])
def test_neither_the_order_of_the_candidates_nor_that_of_the_rows_matters(motion, noise):
    known, dictionary, _, released, _ = _case(motion, 4, noise=noise or 0.0, sure=6)
    rng = np.random.default_rng(0)
    plain = link(known, released, motion=motion, noise=noise, dictionary=dictionary).dictionary
    ours, theirs, sure = rng.permutation(CANDIDATES), rng.permutation(ROWS), rng.permutation(6)
    other = link(known[sure], released[theirs], motion=motion, noise=noise, dictionary=dictionary[ours]).dictionary
    assert other.status.tolist() == plain.status[ours].tolist()
    linked = other.linked
    assert (theirs[other.rows[linked]] == plain.rows[ours][linked]).all()
