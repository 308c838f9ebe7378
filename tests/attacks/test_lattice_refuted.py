# SPDX-License-Identifier: BSD-3-Clause
"""What the attacker holds refutes a reading of the release: then nothing is claimed. Its twins are claimed and named.

Principal-component scores of whole numbers are released like the whole numbers themselves: without any knowledge they
are read as those. But no value of a known record is on that grid.
"""

from dataclasses import replace

import numpy as np
import pytest

import isobreach as ib
from effort import slow
from isobreach.attacks.lattice import placing
from lattice_truth import Planted
from oracles import rotation

ROWS = 300
BOTH = pytest.mark.parametrize("scheme", ["rigid", *slow("orthogonal")])


@pytest.fixture
def rng():
    return np.random.default_rng(3)


@pytest.fixture
def whole(rng):
    return rng.integers(0, 20, (ROWS, 5)).astype(float)


def scores(table, *, centred=True):
    """Principal-component scores: nothing of them is on a grid."""
    middle = table.mean(axis=0)
    return (table - middle * centred) @ np.linalg.svd(table - middle, full_matrices=False)[2].T


def beside_continuous(table, rng):
    """Three columns of a table beside two that are on no grid: only the three are read."""
    return np.hstack([table[:, :3], rng.standard_normal((ROWS, 2))])


def attacked(table, scheme, **knowledge):
    return ib.reconstruct("lattice", ib.perturb(table, scheme, seed=1).data, ib.Knowledge(**knowledge), seed=0)


def assert_nothing_is_claimed(found, why):
    assert not found.claimed
    assert not found.decided  # something was found, and cannot be claimed
    assert np.isnan(found.estimates).all()
    assert not found.recovered.any()
    assert not any(found.column_by + found.sign_by + found.offset_by)
    assert why in found.reason


# --- Known records ----------------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("count", [2, 8])
@pytest.mark.parametrize("centred", [True, False])
def test_known_records_off_the_grid_refute_it(whole, scheme, count, centred):
    table = scores(whole, centred=centred)
    assert attacked(table, scheme).claimed  # nobody could tell
    found = attacked(table, scheme, known=table[:count])
    assert_nothing_is_claimed(found, "the known records fit into no rows of the grid that was found")
    twin = attacked(whole, scheme, known=whole[:count])
    assert twin.recovered.all()
    assert all(twin.column_by) or count == 2


@BOTH
def test_known_records_and_a_sample_off_the_grid_refute_it(whole, scheme):
    table = scores(whole)
    assert not attacked(table, scheme, known=table[:8], sample=table[100:]).claimed
    assert all(attacked(whole, scheme, known=whole[:8], sample=whole[100:]).column_by)


def test_one_known_record_refutes_what_is_measured_from_the_origin(whole):
    table = scores(whole, centred=False)
    assert_nothing_is_claimed(attacked(table, "orthogonal", known=table[:1]), "the known records")
    assert attacked(whole, "orthogonal", known=whole[:1]).recovered.all()
    # Behind a translation one record is anywhere.
    assert attacked(table, "rigid", known=table[:1]).claimed


@BOTH
def test_known_records_refute_a_grid_of_some_attributes(rng, whole, scheme):
    turned = beside_continuous(whole[:, :3] @ rotation(3, rng).T, rng)
    assert attacked(turned, scheme).recovered.sum() == 3
    assert_nothing_is_claimed(attacked(turned, scheme, known=turned[:8]), "the known records")
    table = beside_continuous(whole, rng)
    twin = attacked(table, scheme, known=table[:8])
    assert twin.recovered.tolist() == [True] * 3 + [False] * 2
    assert twin.column_by[:3] == ("known records",) * 3
    np.testing.assert_array_equal(np.sort(twin.estimates[:, :3], axis=0), np.sort(table[:, :3], axis=0))


@BOTH
def test_too_many_placements_leave_the_grid_of_the_values(rng, scheme):
    """Half a thousand rows for each of five records, in any: that no value is a whole number apart is seen at once."""
    whole = rng.integers(0, 3, (3000, 3)).astype(float)
    table = np.hstack([whole @ rotation(3, rng).T, rng.standard_normal((3000, 2))])
    assert_nothing_is_claimed(attacked(table, scheme, known=table[:5]), "the known records")


def test_noise_does_not_hide_a_contradiction(rng):
    whole = rng.integers(0, 9, (1000, 5)).astype(float)
    for table, claimed in ((whole @ rotation(5, rng).T, False), (whole, True)):
        rows = ib.perturb(table, "rigid", seed=1).data + 0.03 * rng.standard_normal(table.shape)
        assert ib.reconstruct("lattice", rows, seed=0).claimed
        assert ib.reconstruct("lattice", rows, ib.Knowledge(known=table[:6]), seed=0).claimed == claimed


# --- What refutes nothing -------------------------------------------------------------------------------------------


@BOTH
def test_known_records_that_linking_shows_to_be_absent_refute_nothing(whole, scheme):
    absent = whole[:2] + np.eye(5)[0]
    found = attacked(whole, scheme, known=np.vstack([whole[:6], absent]))
    assert all(found.column_by)
    assert all(found.offset_by)
    assert "2 of 8 known records are not in this release" in found.reason


@BOTH
def test_known_records_that_are_all_absent_leave_no_claim(rng, whole, scheme):
    """They were said to be in the release: who is right cannot be decided, and both are named."""
    found = attacked(whole, scheme, known=whole[:6] + rng.integers(20, 30, (6, 5)))
    assert_nothing_is_claimed(found, "either these are not in this release, or the table itself is not on that grid")


def test_known_records_give_up_the_origin_before_the_grid(rng, whole):
    """A translation by whole steps leaves the origin on the grid: what it settles is wrong, and the grid is right."""
    planted = Planted(whole, rng, translation=np.array([3.0, -2.0, 5.0, 1.0, 4.0]))
    found = planted.attack(known=whole[:6])
    assert found.offset_by == ("known records",) * 5
    assert "translated by whole steps" in found.reason
    np.testing.assert_array_equal(found.estimates, whole)
    # One record alone agrees with anything once the origin is given up.
    assert_nothing_is_claimed(planted.attack(known=whole[:1]), "the known records")


@BOTH
@pytest.mark.parametrize("what", ["known", "sample"])
def test_records_refute_nothing_within_their_rounding(whole, scheme, what):
    table = whole / whole.std(axis=0)
    found = attacked(table, scheme, **{what: np.round(table[:60], 1)})
    assert found.recovered.all()
    assert "rounded too coarsely" in found.reason
    assert not any(found.column_by)
    assert all(attacked(table, scheme, **{what: np.round(table[:60], 6)}).column_by) or what == "sample"


@BOTH
def test_known_records_at_another_scale_refute_nothing(whole, scheme):
    found = attacked(whole, scheme, known=2.54 * whole[:6])
    assert found.recovered.all()
    assert "at 0.393701 times their scale" in found.reason
    table = scores(whole)
    assert not attacked(table, scheme, known=2.54 * table[:6]).claimed


# --- Bounds and samples -----------------------------------------------------------------------------------------------


@BOTH
def test_bounds_that_no_values_fit_into_refute_the_grid(whole, scheme):
    assert_nothing_is_claimed(attacked(whole, scheme, bounds=(0, 3)), "the bounds do not hold")
    assert attacked(whole, scheme, bounds=(0, 19)).recovered.all()


@BOTH
def test_a_sample_off_the_grid_refutes_it_and_a_distribution_does_not(whole, scheme):
    table = scores(whole)
    assert_nothing_is_claimed(attacked(table, scheme, sample=table[100:]), "the sample's values are not on the grid")
    other = attacked(whole, scheme, sample=np.minimum(whole[100:], 2))
    assert other.recovered.all()
    assert "not distributed like the release" in other.reason


def test_a_sample_off_the_grid_does_not_refute_what_known_records_confirm(whole):
    found = attacked(whole, "rigid", known=whole[:6], sample=whole[100:] + 0.37 * (whole[100:] > 9))
    assert all(found.column_by)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 8))])
def test_known_records_whose_rows_the_grid_does_not_tell_are_found_by_their_distances(seed, monkeypatch):
    """A continuous column hides distances on the grid, not in the release: the rows need not be given.

    The search on the grid gives up early here, as it does on thousands of rows by itself.
    """
    monkeypatch.setattr(placing, "_LIMITS", replace(placing._LIMITS, most_matched=1 << 8))
    draws = np.random.default_rng(seed)
    whole = np.column_stack([draws.integers(0, high, 600) for high in (60, 12, 900)])
    records = np.column_stack([whole, draws.normal(0, 20, 600)])
    release = ib.perturb(records, "rigid", seed=seed)
    found = ib.reconstruct("lattice", release.data, ib.Knowledge(known=records[:5]), seed=0)
    assert found.column_by[:3] == ("known records",) * 3
    assert np.abs(found.estimates[release.key.order][:, :3] - whole).max() < 1e-6
    assert found.summary().startswith("With 5 known records, 3 of 4 columns of all 600 records were read off")
    assert "found by their distances" in found.reason


def test_known_records_that_settle_nothing_are_said_to():
    records = np.random.default_rng(0).integers(0, 10, (400, 4))
    release = ib.perturb(records, "rigid", seed=0)
    found = ib.reconstruct("lattice", release.data, ib.Knowledge(known=records[:1]), seed=0)
    assert set(found.column_by) == {""}
    assert found.summary().startswith("With 1 known record, which settled nothing, 4 of 4 columns of all 400 records")
