# SPDX-License-Identifier: BSD-3-Clause
"""Releases that give a motion away: matrices of distances, and lifted records (ASPE)."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

import isobreach as ib
from effort import slow
from isobreach.attacks import ATTACKS
from isobreach.audits.views import models, views, why_not
from isobreach.release import behind, unfolded
from isobreach.schemes import Aspe, DistanceMatrix, Noisy, RowMixing, perturb


def _records(seed, rows=300):
    rng = np.random.default_rng(seed)
    columns = int(rng.integers(2, 9))
    return rng.standard_normal((rows, columns)) @ rng.standard_normal((columns, columns)) + rng.uniform(-2, 2, columns)


@pytest.mark.parametrize("seed", range(8))
def test_the_quadric_of_lifted_records_leaves_a_rotation_and_a_factor(seed):
    records = _records(seed)
    release = perturb(records, Aspe(), seed)
    points = unfolded(release.data, Aspe.model, records.shape[1])[release.key.order]
    factors = np.linalg.norm(records, axis=1) / np.linalg.norm(points, axis=1)
    np.testing.assert_allclose(factors, factors[0], rtol=1e-8)
    products = records @ records.T
    np.testing.assert_allclose(points @ points.T * factors[0] ** 2, products, atol=1e-8 * products.max())


def _unfolds(records, seed):
    """Whether the quadric gives the records back but for a rotation and a factor."""
    release = perturb(records, Aspe(), seed)
    points = unfolded(release.data, Aspe.model, records.shape[1])[release.key.order]
    products = records @ records.T
    products /= np.linalg.norm(products)
    found = points @ points.T
    return np.abs(found / np.linalg.norm(found) - products).max() < 1e-6 * products.max()


@pytest.mark.parametrize("seed", range(8))
def test_columns_of_very_different_size_are_unfolded_too(seed):
    """The least eigenvalue of the form is that of the smallest column, and no rounding."""
    rng = np.random.default_rng(seed)
    assert _unfolds(rng.gamma(2, 1, (700, 6)) * 10.0 ** np.linspace(0, 4, 6), seed)


@pytest.mark.parametrize(("columns", "rows"), [(60, 3000), *slow((100, 6000))])
def test_wide_tables_are_unfolded(columns, rows):
    """5,252 coefficients at 100 columns, and as many rows as an audit publishes."""
    rng = np.random.default_rng(columns)
    assert _unfolds(rng.standard_normal((rows, columns)) @ rng.standard_normal((columns, columns)) + 3, 1)


@pytest.mark.parametrize("seed", range(8))
def test_distances_leave_a_rigid_motion(seed):
    records = _records(seed, rows=700)
    release = perturb(records, DistanceMatrix(), seed)
    points = unfolded(release.data, DistanceMatrix.model, records.shape[1])[release.key.order]
    np.testing.assert_allclose(pdist(points), pdist(records), atol=1e-8 * pdist(records).max())


@pytest.mark.parametrize("seed", range(8))
def test_where_rows_fulfil_several_relations_or_are_too_few_nothing_is_unfolded(seed):
    """Zeros and ones are their own squares."""
    rng = np.random.default_rng(seed)
    bits = perturb(rng.integers(0, 2, (300, 5)).astype(float), Aspe(), seed)
    assert unfolded(bits.data, Aspe.model, 5) is None
    few = perturb(rng.standard_normal((30, 7)), Aspe(), seed)
    assert unfolded(few.data, Aspe.model, 7) is None
    other = rng.standard_normal((300, 6))  # no lifted records at all
    assert unfolded(other, Aspe.model, 5) is None


def test_attacks_on_motions_suit_what_hides_one():
    assert behind(Noisy().model) is behind(RowMixing.model) is None
    for scheme in (Aspe, DistanceMatrix):
        assert ATTACKS["alignment"].suits(scheme.model) is not None
        assert why_not(ATTACKS["alignment"], models(scheme.model)) is None
    assert why_not(ATTACKS["wong"], models(RowMixing.model)) == ATTACKS["wong"].suits(RowMixing.model)


def test_the_factor_of_lifted_records_is_given():
    records = _records(0)
    release = perturb(records, Aspe(), 0)
    _, seen = views(release, Aspe.model, records)
    assert seen.release.data.dtype == np.float32
    lengths = np.linalg.norm(seen.release.data[release.key.order], axis=1)
    np.testing.assert_allclose(lengths, np.linalg.norm(records, axis=1), rtol=1e-5)


@pytest.mark.parametrize("scheme", ["aspe", *slow("distance-matrix")])
def test_as_many_insiders_as_attributes_undo_it(scheme):
    """One pair fewer than regression needs, behind ASPE: the quadric is worth it."""
    records = np.random.default_rng(1).normal(2, 1, (120, 4))
    found = ib.audit(records, scheme, 0.1, [4 + (scheme == "distance-matrix")], 2, samples=(), splits=2, seed=0)
    assert found.breached(found.sizes[0]).value > 0.99
    assert not found.matrix.unsuited.keys() & {"alignment", "lattice"}


@pytest.mark.parametrize("scheme", ["aspe", "distance-matrix"])
def test_the_grid_attack_reads_whole_numbers_behind_it_without_any_knowledge(scheme):
    records = np.random.default_rng(0).integers(0, 9, (200, 4)).astype(float)
    found = ib.audit(records, scheme, 0.1, [1], 2, samples=(), splits=2, seed=0, attacks=["lattice"])
    (reader,) = found.readers
    assert (reader.claimed, reader.named) == (True, 1.0)
    assert found.gate(0.05).closed
