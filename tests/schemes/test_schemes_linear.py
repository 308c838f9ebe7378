# SPDX-License-Identifier: BSD-3-Clause
"""Random projections: right on average, to fewer columns or to more, and undone where nothing is lost."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from scipy.stats import chi2, kstest

from isobreach.errors import InputError
from isobreach.schemes import RandomProjection, perturb

RECORDS = np.random.default_rng(0).standard_normal((40, 5)) * [1, 2, 3, 4, 5] + 3


@pytest.mark.parametrize("dimension", [2, 5, 20])
def test_squared_distances_are_chi_square_about_the_true_ones(dimension):
    """d^2 l / D^2 has l degrees of freedom: so d^2 has no bias."""
    pair = RECORDS[:2]
    seeds = range(400)
    ratios = [pdist(perturb(pair, RandomProjection(dimension), seed).data)[0] / pdist(pair)[0] for seed in seeds]
    assert kstest(np.square(ratios) * dimension, chi2(dimension).cdf).pvalue > 1e-3
    assert np.mean(np.square(ratios)) == pytest.approx(1, abs=4.5 * np.sqrt(2 / dimension / len(ratios)))


@pytest.mark.parametrize("dimension", [5, 6, 30])
def test_the_key_undoes_a_projection_to_at_least_as_many_columns(dimension):
    release = perturb(RECORDS, RandomProjection(dimension), 1)
    assert release.data.shape == (40, dimension)
    np.testing.assert_allclose(release.key.invert(release.data), RECORDS, atol=1e-9)
    np.testing.assert_allclose(release.key.moved(RECORDS), release.data[release.key.order], rtol=1e-14)


def test_what_a_projection_dropped_no_key_gives_back():
    release = perturb(RECORDS, RandomProjection(4), 1)
    message = (
        r"scheme must be one whose release a key can undo\. "
        r"Got random-projection, which released 4 columns of 5\. Keep the table\."
    )
    with pytest.raises(InputError, match=message):
        release.key.invert(release.data)
    with pytest.raises(InputError, match=r"released must be the table of this key: 40 x 4\. Got 40 x 5\."):
        release.key.invert(RECORDS)
    with pytest.raises(InputError, match=r"released must have 4 columns, as the release of this key\. Got 5\."):
        release.key.back(RECORDS)


def test_one_column_and_constant_columns_are_no_obstacle():
    for table in (np.arange(4.0)[:, None], np.ones((3, 2)), np.zeros((1, 1)) + 7):
        release = perturb(table, RandomProjection(3), 2)
        np.testing.assert_allclose(release.key.invert(release.data), table, atol=1e-9)
