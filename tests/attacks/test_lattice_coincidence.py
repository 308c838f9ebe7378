# SPDX-License-Identifier: BSD-3-Clause
"""Wrong readings that chance lets agree with known records: no fewer than are expected, and they settle nothing."""

from itertools import permutations, product

import numpy as np
import pytest

from isobreach.attacks import Knowledge, reconstruct
from isobreach.attacks.lattice.coincidence import COUNTING, wrong_readings
from isobreach.attacks.lattice.naming import name_axes
from isobreach.schemes import perturb


def _strangers(rng, table, count):
    """Records of the same population that are not in the table."""
    top = int(table.max()) + 1
    drawn = rng.integers(0, top, (20 * count + 20, table.shape[1])).astype(float)
    return drawn[~(drawn[:, None] == table).all(axis=2).any(axis=1)][:count]


def _agreeing(table, known, offsets_open):
    """Readings, besides the true one, that take all known records to rows, counted one by one."""
    rows, axes, found = {tuple(row) for row in table.tolist()}, table.shape[1], 0
    for order in permutations(range(axes)):
        for signs in product((1.0, -1.0), repeat=axes):
            turned = known[:, list(order)] * signs
            starts = {tuple(row - turned[0]) for row in table} if offsets_open else {(0.0,) * axes}
            for shift in starts:
                moved = turned + shift
                same = order == tuple(range(axes)) and min(signs) > 0 and not any(shift)
                found += not same and all(tuple(row) in rows for row in moved.tolist())
    return found


@pytest.mark.parametrize("offsets_open", [False, True])
@pytest.mark.parametrize(("rows", "axes", "top", "records"), [(60, 2, 10, 4), (40, 2, 20, 3), (25, 3, 4, 4)])
def test_no_more_wrong_readings_agree_than_are_expected(rows, axes, top, records, offsets_open):
    """One of the known records is a stranger, as when the true reading fails."""
    counted, expected = [], []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        table = rng.integers(0, top, (rows, axes)).astype(float)
        expected.append(wrong_readings(table, np.ones(axes), records, offsets_open=offsets_open))
        for _ in range(4):
            known = np.vstack([table[rng.choice(rows, records - 1, replace=False)], _strangers(rng, table, 1)])
            counted.append(_agreeing(table, known, offsets_open))
    error = np.std(counted) / np.sqrt(len(counted)) + np.std(expected) / np.sqrt(len(expected))
    assert np.mean(counted) <= np.mean(expected) + 3 * error
    assert np.mean(expected) <= 40 * np.mean(counted) + 1  # nor is it far above


def test_a_fine_table_leaves_nothing_to_chance():
    """Four records of sixteen columns, as of Letter; one record says nothing once offsets are open."""
    rng = np.random.default_rng(0)
    table = rng.integers(0, 16, (2000, 16)).astype(float)
    for offsets_open in (False, True):
        assert wrong_readings(table, np.ones(16), 4, offsets_open=offsets_open) <= COUNTING.limit
    assert wrong_readings(table, np.ones(16), 1, offsets_open=True) > 1


def test_axes_of_different_steps_are_not_exchanged():
    rng = np.random.default_rng(0)
    table = np.repeat(rng.integers(0, 40, (60, 1)), 2, axis=1).astype(float)  # exchanging the axes changes nothing much
    table[:, 1] = np.where(rng.random(60) < 0.5, table[:, 1], rng.permutation(table[:, 1]))
    alike = wrong_readings(table, np.ones(2), 3, offsets_open=False)
    apart = wrong_readings(table * [1.0, 2.5], np.array([1.0, 2.5]), 3, offsets_open=False)
    assert apart <= alike


@pytest.mark.parametrize("seed", range(8))
def test_a_stranger_does_not_pass_for_a_translation(seed):
    """Three known records are there, one is not: a translation by whole steps takes all of them to rows by chance."""
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 10, (60, 2)).astype(float)
    known = np.vstack([table[:3], _strangers(rng, table, 1)])
    naming = name_axes(table, np.ones(2), True, Knowledge(known=known).check(2))
    assert not any("whole steps" in note for note in naming.notes)
    if not naming.refuted_by:  # the columns exchanged: then it says on what this rests
        assert any("only if all of them are in the release" in note for note in naming.notes)


@pytest.mark.parametrize("seed", range(8))
def test_a_translation_by_whole_steps_is_still_found(seed):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 30, (80, 4)).astype(float)
    moved = table + rng.integers(1, 9, 4)
    naming = name_axes(moved, np.ones(4), True, Knowledge(known=table[:6]).check(4))
    assert any("whole steps" in note for note in naming.notes)
    assert naming.complete
    np.testing.assert_allclose(naming.signs * moved + naming.offsets, table[:, naming.columns])


@pytest.mark.parametrize("seed", range(8))
def test_where_all_known_records_are_found_they_settle_what_they_did(seed):
    """The same coarse table without a stranger, and with the rows of the known records given."""
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 10, (60, 2)).astype(float)
    searched = name_axes(table, np.ones(2), True, Knowledge(known=table[:6]).check(2))
    given = name_axes(table, np.ones(2), True, Knowledge(known=table[:6], rows=np.arange(6)).check(2))
    for naming in (searched, given):
        assert naming.complete
        assert naming.columns.tolist() == [0, 1]
        assert naming.signs.tolist() == [1, 1]
    assert not given.notes


def test_rows_that_contradict_the_grid_refute_it():
    rng = np.random.default_rng(0)
    table = rng.integers(0, 30, (80, 3)).astype(float)
    naming = name_axes(table, np.ones(3), False, Knowledge(known=table[:3], rows=np.array([7, 8, 9])).check(3))
    assert naming.refuted_by == "known records"


def test_rows_of_known_records_name_a_released_table():
    """Behind a translation four records are too few to be found in so coarse a table, unless their rows are known."""
    table = np.random.default_rng(3).integers(0, 9, (80, 3)).astype(float)
    release = perturb(table, "rigid", 3)
    rows = release.key.order[:4]
    found = reconstruct("lattice", release.data, Knowledge(known=table[:4], rows=rows), seed=0)
    assert found.claimed
    np.testing.assert_allclose(found.estimates[release.key.order], table, atol=1e-6)
