# SPDX-License-Identifier: BSD-3-Clause
"""ASPE: queries find neighbours, linked pairs give the matrix away, and the key undoes it."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist

from isobreach._random import generator
from isobreach.schemes import Aspe, perturb

RECORDS = np.random.default_rng(0).standard_normal((80, 5)) * [1, 1, 3, 5, 10] + 4


@pytest.mark.parametrize("seed", range(8))
def test_inner_products_order_the_neighbours_of_a_query(seed):
    release = perturb(RECORDS, "aspe", seed)
    points = np.random.default_rng(seed).standard_normal((10, 5)) * 5 + 4
    queries = Aspe().queries(points, release.key, generator(seed, "noise"))
    scores = queries @ release.data[release.key.order].T
    np.testing.assert_array_equal(np.argsort(-scores, axis=1), np.argsort(cdist(points, RECORDS), axis=1))
    again = Aspe().queries(points, release.key, generator(seed + 1, "noise"))
    assert not np.allclose(again, queries)  # another factor each time


def test_the_lifted_record_is_mapped_linearly_and_n_plus_one_pairs_undo_it():
    release = perturb(RECORDS, "aspe", 1)
    rows = release.data[release.key.order]
    assert rows.shape == (80, 6)
    lifted = np.column_stack([RECORDS, -np.square(RECORDS).sum(axis=1) / 2])
    fitted = np.linalg.solve(lifted[:6], rows[:6])
    np.testing.assert_allclose(lifted @ fitted, rows, rtol=1e-7)
    assert np.abs(pdist(rows) / pdist(RECORDS) - 1).max() > 0.1


@pytest.mark.parametrize("scale", [1e-60, 1e-3, 1.0, 1e7, 1e60])
@pytest.mark.parametrize("n", [1, 4, 40])
def test_the_key_undoes_it(n, scale):
    records = scale * (np.random.default_rng(n).standard_normal((30, n)) + 2)
    release = perturb(records, "aspe", 2)
    np.testing.assert_allclose(release.key.invert(release.data), records, atol=1e-11 * abs(records).max())
    matrix = np.abs(release.key.secrets["matrix"])  # lengths weigh about as much as the records themselves
    longest = np.linalg.norm(records, axis=1).max()
    assert 0.01 < matrix[:, -1].max() * longest**2 / 2 / (matrix[:, :-1].max() * longest) < 100


def test_constant_columns_and_zeros_are_no_obstacle():
    for table in (np.zeros((3, 2)), np.ones((4, 3)), np.arange(4.0)[:, None]):
        release = perturb(table, "aspe", 3)
        np.testing.assert_allclose(release.key.invert(release.data), table, atol=1e-12)
