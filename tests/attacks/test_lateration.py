# SPDX-License-Identifier: BSD-3-Clause
"""Lateration: records from a released matrix of distances or similarities."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist, squareform

import isobreach as ib
from effort import slow
from isobreach.attacks import ATTACKS
from isobreach.attacks.lateration import scaled
from isobreach.geometry import breach_probability
from isobreach.release import ReleaseModel

SEEDS = range(8)


def case(seed, rows=150, columns=5):
    """Records, their distances in a secret order, and the order."""
    rng = np.random.default_rng(seed)
    records = rng.normal(3, 2, (rows, columns))
    order = rng.permutation(rows)
    hidden = np.empty_like(records)
    hidden[order] = records
    return records, hidden, order


def linked(records, order, count):
    return ib.Knowledge(known=records[:count], rows=order[:count])


@pytest.mark.parametrize("kind", ["distances", "similarities"])
@pytest.mark.parametrize("seed", SEEDS)
def test_one_record_more_than_columns_is_everything(kind, seed):
    records, hidden, order = case(seed)
    matrix = squareform(pdist(hidden)) if kind == "distances" else hidden @ hidden.T
    found = ib.reconstruct("lateration", matrix, linked(records, order, 6))
    assert found.claimed
    assert found.hidden_dimension == 0
    assert np.abs(found.estimates[order] - records).max() < 1e-7
    assert (found.breach_probability == 1).all()


@pytest.mark.parametrize("count", [1, 2, 4, 5])
def test_fewer_leave_a_sphere(count):
    for seed in SEEDS:
        records, hidden, order = case(seed)
        found = ib.reconstruct("lateration", cdist(hidden, hidden), linked(records, order, count), epsilon=0.3)
        assert found.claimed
        assert found.hidden_dimension == 6 - count
        feet = found.variants["as fitted"][order]
        assert np.allclose(np.linalg.norm(feet - records, axis=1), found.residuals[order], atol=1e-6)
        basis = np.linalg.qr((records[1:count] - records[0]).T)[0]
        centre = records[:count].mean(axis=0)
        plain = centre + (records - centre) @ basis @ basis.T
        assert np.allclose(feet, plain, atol=1e-7)
        offset = np.linalg.norm(centre - basis @ basis.T @ centre)
        norms = np.hypot(np.linalg.norm(plain, axis=1), found.residuals[order])
        probability = breach_probability(found.residuals[order], norms, 6 - count, 0.3, offset=offset)
        assert np.allclose(found.breach_probability[order], probability, atol=1e-6)


@pytest.mark.parametrize("kind", ["distances", *slow("similarities")])
def test_without_rows_the_matrix_is_scaled_and_records_are_linked(kind):
    for seed in SEEDS:
        records, hidden, order = case(seed, rows=80)
        matrix = cdist(hidden, hidden) if kind == "distances" else hidden @ hidden.T
        found = ib.reconstruct("lateration", matrix, ib.Knowledge(known=records[:6]))
        assert np.array_equal(found.linkage.rows, order[:6])
        assert found.claimed
        assert np.abs(found.estimates[order] - records).max() < 1e-6
        few = ib.reconstruct("lateration", matrix, ib.Knowledge(known=records[:4]), seed=0)
        rigid = ib.reconstruct("known-input", hidden, ib.Knowledge(known=records[:4]), motion="rigid", seed=0)
        assert few.result.hidden_dimension == rigid.result.hidden_dimension == 2
        assert np.allclose(few.breach_probability, rigid.breach_probability, atol=1e-4)
    assert ATTACKS["lateration"].describe(found).verdict


def test_scaling_gives_the_distances_back():
    for rows, columns in ((30, 4), (400, 3), (3, 5)):
        records = np.random.default_rng(rows).normal(size=(rows, columns))
        points = scaled(cdist(records, records) ** 2, columns)
        assert points.shape == (rows, columns)
        assert np.allclose(cdist(points, points), cdist(records, records), atol=1e-7)
        assert np.allclose(points.mean(axis=0), 0, atol=1e-9)


def test_noise_is_said_and_more_records_help():
    few, many = [], []
    for seed in SEEDS:
        records, hidden, order = case(seed)
        noise = np.random.default_rng(seed).normal(0, 0.05, (150, 150))
        matrix = np.abs(cdist(hidden, hidden) + noise + noise.T)
        np.fill_diagonal(matrix, 0)
        for errors, count in ((few, 6), (many, 60)):
            found = ib.reconstruct("lateration", matrix, linked(records, order, count))
            assert not found.claimed
            assert found.breach_probability is None
            assert "noise" in found.reason
            errors.append(np.median(np.linalg.norm(found.variants["as fitted"][order[60:]] - records[60:], axis=1)))
    assert 3 * np.median(many) < np.median(few)


def test_records_of_others_are_not_believed():
    records, hidden, order = case(1)
    found = ib.reconstruct("lateration", cdist(hidden, hidden), ib.Knowledge(known=records[:6] + 1, rows=order[1:7]))
    assert not found.claimed
    assert "do not have their distances" in found.reason


def test_what_is_no_matrix_is_refused():
    records, hidden, _ = case(2)
    with pytest.raises(ib.InputError, match="released must be a square matrix of distances or similarities"):
        ib.reconstruct("lateration", hidden, ib.Knowledge(known=records[:6]))
    with pytest.raises(ib.InputError, match="must have zeros on the diagonal"):
        ib.reconstruct("lateration", hidden @ hidden.T, ib.Knowledge(known=records[:6]), matrix="distances")
    assert ATTACKS["lateration"].suits(ReleaseModel("rigid", distances=True)) is None
    assert "table of rows" in ATTACKS["lateration"].suits(ReleaseModel("rigid"))
