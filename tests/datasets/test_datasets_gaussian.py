# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import pytest

from isobreach._random import generator
from isobreach.datasets import gaussian
from isobreach.errors import InputError


def test_the_default_is_the_size_of_the_paper():
    values = gaussian()
    assert values.shape == (100_000, 100)
    assert values.dtype == np.float64


def test_the_covariance_has_rank_one_less_than_the_columns():
    values = gaussian(rows=500, columns=12, seed=3)
    singular = np.linalg.svd(values - values.mean(axis=0), compute_uv=False)
    assert singular[-2] > 1e-3 * singular[0]
    assert singular[-1] < 1e-12 * singular[0]


def test_mean_and_covariance_are_those_that_the_paper_draws():
    """The same draws in the same order give the mean and the tuples; the sample must follow them."""
    n, rows, seed = 6, 200_000, 5
    rng = generator(seed, "data")
    mean, tuples = rng.standard_normal(n), rng.standard_normal((n, n))
    covariance = np.cov(tuples, rowvar=False)
    values = gaussian(rows=rows, columns=n, seed=seed)
    deviation = np.sqrt(np.diag(covariance))
    assert (abs(values.mean(axis=0) - mean) < 5 * deviation / np.sqrt(rows)).all()
    error = abs(np.cov(values, rowvar=False) - covariance)
    assert (error < 5 * np.sqrt(2 / rows) * np.outer(deviation, deviation)).all()


def test_a_seed_gives_the_same_table_and_another_seed_another():
    np.testing.assert_array_equal(gaussian(5, 4, seed=1), gaussian(5, 4, seed=1))
    assert not np.array_equal(gaussian(5, 4, seed=1), gaussian(5, 4, seed=2))
    assert gaussian(5, 4, seed=None).shape == (5, 4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rows": 0}, "rows must be a whole number >= 1. Got 0."),
        ({"columns": 1}, "columns must be a whole number >= 2. Got 1."),
        ({"seed": -1}, "seed must be a whole number >= 0. Got -1."),
    ],
)
def test_impossible_sizes_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        gaussian(**arguments)
