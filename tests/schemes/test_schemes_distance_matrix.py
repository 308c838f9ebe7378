# SPDX-License-Identifier: BSD-3-Clause
"""A matrix of distances: kept exactly, a rigid motion for whoever scales it, and undone by lateration."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from isobreach.errors import InputError
from isobreach.schemes import distance_matrix, perturb

RECORDS = np.random.default_rng(0).standard_normal((40, 5)) * [1, 1, 3, 5, 10] + 100


def test_rows_and_columns_are_in_the_same_secret_order():
    release = perturb(RECORDS, "distance-matrix", 1)
    order = release.key.order
    np.testing.assert_allclose(release.data[np.ix_(order, order)], squareform(pdist(RECORDS)), rtol=1e-14)
    assert not np.allclose(release.data, squareform(pdist(RECORDS)))
    np.testing.assert_array_equal(release.data, release.data.T)
    assert repr(release) == "Release(40 x 40, Key(scheme='distance-matrix', 40 records x 5 columns))"


@pytest.mark.parametrize("seed", range(8))
def test_classical_scaling_gives_a_rigid_motion_of_the_records(seed):
    release = perturb(RECORDS, "distance-matrix", seed)
    centring = np.eye(40) - 1 / 40
    values, vectors = np.linalg.eigh(-centring @ np.square(release.data) @ centring / 2)
    assert values[-5] > 0
    assert np.abs(values[:-5]).max() < 1e-9 * values[-5]
    rows = vectors[:, -5:] * np.sqrt(values[-5:])
    np.testing.assert_allclose(pdist(rows[release.key.order]), pdist(RECORDS), rtol=1e-9)


def test_the_key_gives_back_the_table_and_other_records_too():
    release = perturb(RECORDS, "distance-matrix", 2)
    np.testing.assert_allclose(release.key.invert(release.data), RECORDS, atol=1e-9)
    others = np.random.default_rng(1).standard_normal((7, 5)) * 20 + 100
    np.testing.assert_allclose(release.key.back(release.key.moved(others)), others, atol=1e-9)


def test_tables_of_few_dimensions_come_back_too():
    flat = np.random.default_rng(0).standard_normal((10, 2)) @ np.ones((2, 4)) + 3
    for table in (flat, np.ones((3, 2)), np.arange(4.0)[:, None]):
        release = perturb(table, "distance-matrix", 0)
        np.testing.assert_allclose(release.key.invert(release.data), table, atol=1e-9)


def test_sizes_are_checked(monkeypatch):
    with pytest.raises(InputError, match=r"X must have 2 rows or more for the scheme distance-matrix\. Got 1 row\."):
        perturb(RECORDS[:1], "distance-matrix")
    monkeypatch.setattr(distance_matrix, "_MOST_ROWS", 39)
    with pytest.raises(InputError, match=r"X must have at most 39 rows for the scheme distance-matrix\. Got 40 rows"):
        perturb(RECORDS, "distance-matrix")
