# SPDX-License-Identifier: BSD-3-Clause
"""The oracles of releases that keep no distances are what they say, so that an attack which fails there is right to."""

import numpy as np
from scipy.spatial.distance import pdist

from oracles import aspe, row_mixed

RECORDS = np.random.default_rng(0).standard_normal((30, 4)) * [1, 2, 3, 4] + 5


def test_mixed_rows_keep_means_and_covariances_and_no_distance():
    released = row_mixed(RECORDS, np.random.default_rng(1))
    np.testing.assert_allclose(released.mean(axis=0), RECORDS.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(np.cov(released.T), np.cov(RECORDS.T), rtol=1e-11)
    gap = abs(np.sort(pdist(released))[:, None] - np.sort(pdist(RECORDS))).min(axis=1)
    assert (gap > 1e-9).all()
    mix = row_mixed(np.eye(6), np.random.default_rng(2))
    np.testing.assert_allclose(mix @ mix.T, np.eye(6), atol=1e-14)
    np.testing.assert_allclose(mix.sum(axis=1), 1, rtol=1e-13)


def test_aspe_is_linear_in_the_record_and_its_squared_norm():
    released = aspe(RECORDS, np.random.default_rng(1))
    assert released.shape == (30, 5)
    wide = np.column_stack([RECORDS, (RECORDS**2).sum(axis=1)])
    projections = [table @ np.linalg.pinv(table) for table in (released, wide)]  # the column spaces, rows in some order
    np.testing.assert_allclose(*(np.sort(np.diag(projection)) for projection in projections), atol=1e-9)
    gap = abs(np.sort(pdist(released))[:, None] - np.sort(pdist(RECORDS))).min(axis=1)
    assert np.median(gap) > 1e-3
