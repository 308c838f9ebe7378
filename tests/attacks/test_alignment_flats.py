# SPDX-License-Identifier: BSD-3-Clause
"""Columns that are sums of others: relations that few records show are the normals of the flat of all rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import isobreach as ib
from effort import EIGHT_SEEDS, slow
from isobreach.attacks.alignment.flats import normals_told, whole_relations
from isobreach.attacks.alignment.frames import normals

SCHEMES = {"orthogonal": ib.schemes.Orthogonal(), "rigid": ib.schemes.Rigid()}


def amounts(rng, rows, columns):
    return np.exp(rng.normal(0, 0.5, (rows, 1)) + 0.6 * rng.normal(size=(rows, columns)))


def accounts(rng, rows=500):
    """Three amounts and their total, and once more."""
    parts = amounts(rng, rows, 6)
    return np.column_stack([parts[:, :3], parts[:, :3].sum(axis=1), parts[:, 3:], parts[:, 3:].sum(axis=1)])


def projector(basis):
    return basis.T @ basis


def attacked(records, scheme, linked, seed, **settings):
    release = ib.perturb(records, scheme, seed=seed)
    known = ib.Knowledge(known=records[:linked], rows=release.key.order[:linked])
    found = ib.reconstruct("alignment", release.data, known, seed=0, motion=scheme.model.motion, **settings)
    errors = np.linalg.norm(found.estimates[release.key.order] - records, axis=1)[linked:]
    return found, float(np.mean(errors <= 0.15 * np.linalg.norm(records[linked:], axis=1)))


@pytest.mark.parametrize(("columns", "sums"), [(4, 1), (6, 2), (8, 4), (12, 3), (19, 3)])
@EIGHT_SEEDS
def test_two_records_show_the_sums_that_were_planted(columns, sums, seeds):
    """Signed sums of columns before them, sums of sums among them: the relations are these and no others."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        records, planted = amounts(rng, 2, columns - sums), np.zeros((0, columns))
        for place in range(columns - sums, columns):
            weights = np.zeros(columns)
            weights[rng.choice(place, 3, replace=False)] = rng.choice([-1.0, 1.0], 3)
            records = np.column_stack([records, records @ weights[:place]])
            weights[place] = -1
            planted = np.vstack([planted, weights])
        order = rng.permutation(columns)
        told = normals_told(records[:, order], sums)
        assert_allclose(projector(told), projector(np.linalg.qr(planted[:, order].T)[0].T), atol=1e-9)


@EIGHT_SEEDS
def test_a_mean_beside_its_columns_is_a_sum(seeds):
    for seed in seeds:
        values = amounts(np.random.default_rng(seed), 3, 5)
        told = normals_told(np.column_stack([values, values[:, :4].mean(axis=1)]), 1)
        expected = np.array([1, 1, 1, 1, 0, -4]) / np.sqrt(20)
        assert_allclose(np.abs(told @ expected), [1], atol=1e-9)


@EIGHT_SEEDS
def test_what_chance_fulfils_is_not_taken_for_a_sum(seeds):
    """Answers from 1 to 5 fulfil many relations; amounts fulfil none; common zeros more than the release shows."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        assert not len(whole_relations(rng.integers(1, 6, (3, 6)).astype(float)))
        assert not len(whole_relations(amounts(rng, 2, 8)))
        common = accounts(rng, 3)
        common[:, 3] -= common[:, 2]
        common[:, 2] = 0
        assert normals_told(common, 2) is None
        weighted = amounts(rng, 3, 5)
        assert normals_told(np.column_stack([weighted, weighted[:, :2] @ [np.sqrt(0.3), np.sqrt(0.7)]]), 1) is None


@EIGHT_SEEDS
def test_weights_of_a_few_digits_are_whole_numbers_too(seeds):
    """A mark is 0.15, 0.25, 0.2 and 0.4 of four others, a price has a tax of 19 %."""
    for seed in seeds:
        values = amounts(np.random.default_rng(seed), 4, 7)
        records = np.column_stack([values, values[:, :4] @ [0.15, 0.25, 0.2, 0.4], 1.19 * values[:, 4]])
        expected = np.array([[3, 5, 4, 8, 0, 0, 0, -20, 0], [0, 0, 0, 0, 119, 0, 0, 0, -100]], dtype=float)
        assert_allclose(projector(normals_told(records, 2)), projector(np.linalg.qr(expected.T)[0].T), atol=1e-9)


@EIGHT_SEEDS
def test_records_that_span_the_flat_show_it_whatever_its_coefficients(seeds):
    for seed in seeds:
        rng = np.random.default_rng(seed)
        values = amounts(rng, 40, 5)
        records = np.column_stack([values, values @ rng.normal(size=5)])
        assert_allclose(projector(normals_told(records[:5], 1)), projector(normals(records)), atol=1e-6)


@pytest.mark.parametrize(
    ("motion", "linked"), [("orthogonal", 5), ("rigid", 4), *slow(("orthogonal", 4), ("rigid", 6))]
)
@EIGHT_SEEDS
def test_totals_give_everybody_away_and_nothing_is_claimed(motion, linked, seeds):
    """Two totals among eight columns are two links more: a mirror image, an angle, or three are left."""
    for seed in seeds:
        records = accounts(np.random.default_rng(seed))
        found, share = attacked(records, SCHEMES[motion], linked, seed)
        assert (found.objective, found.claimed) == ("sums", False)
        assert found.hidden_dimension == 8 - linked + (motion == "rigid")
        assert share > 0.95


def test_shares_of_a_whole_lie_in_a_flat_away_from_the_origin():
    for seed in range(4):
        parts = amounts(np.random.default_rng(seed), 500, 5)
        records = parts / parts.sum(axis=1, keepdims=True)
        for motion, linked in (("orthogonal", 3), ("rigid", 4)):
            found, share = attacked(records, SCHEMES[motion], linked, seed, objective="sums")
            assert not found.claimed
            assert share > 0.95


@pytest.mark.parametrize("seeds", [range(5, 7), *slow(range(8))])
def test_unused_records_do_not_confirm_a_sum(seeds):
    """They may have it in common with the used ones and with nobody else."""
    told = []
    for seed in seeds:
        found, share = attacked(accounts(np.random.default_rng(seed)), SCHEMES["rigid"], 8, seed, set_aside=2)
        told.append(found.reason)
        assert not found.claimed
        assert share > 0.95
    assert any("sums in common" in one for one in told)


def test_a_sum_of_known_records_alone_is_a_wrong_link():
    """Nobody known has anything in the first column, and that is read for the relation, which has other weights."""
    values = amounts(np.random.default_rng(0), 500, 5)
    values[:8, 0] = 0
    records = np.column_stack([values, values @ [0.4, 0.3, 0.2, 0.7, 0.1]])
    found, share = attacked(records, SCHEMES["orthogonal"], 8, 0, set_aside=5, objective="sums")
    assert not found.claimed
    assert share < 0.5


def test_without_a_flat_there_are_no_sums():
    with pytest.raises(ib.InputError, match="sums of others"):
        attacked(amounts(np.random.default_rng(0), 300, 5), SCHEMES["orthogonal"], 3, 0, objective="sums")
