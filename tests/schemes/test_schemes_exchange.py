# SPDX-License-Identifier: BSD-3-Clause
"""Values exchanged between records: marginals to the last bit, and what is left of the rest."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata, spearmanr

from isobreach.errors import InputError
from isobreach.schemes import Shuffling, Swapping, perturb

RNG = np.random.default_rng(0)
RECORDS = np.exp(RNG.standard_normal((2000, 3)) @ [[1, 0.8, -0.5], [0, 0.6, 0.3], [0, 0, 0.9]])
EXCHANGED = [Swapping(), Swapping(window=1.0), Shuffling(), Shuffling(retained=0.8)]


def in_order(release):
    return release.data[release.key.order]


@pytest.mark.parametrize("scheme", EXCHANGED, ids=str)
@given(seed=st.integers(0, 2**32), rows=st.integers(2, 60), n=st.integers(1, 4), values=st.sampled_from([1, 3, 10**6]))
def test_each_attribute_has_exactly_its_values(scheme, seed, rows, n, values):
    records = np.random.default_rng(seed).integers(-values, values + 1, (rows, n)).astype(float)
    release = perturb(records, scheme, seed)
    np.testing.assert_array_equal(np.sort(release.data, axis=0), np.sort(records, axis=0))


@pytest.mark.parametrize("scheme", EXCHANGED, ids=str)
@pytest.mark.parametrize("seed", range(8))
def test_records_are_broken_up(scheme, seed):
    rows = in_order(perturb(RECORDS, scheme, seed))
    assert np.mean((rows == RECORDS).any(axis=1)) < 0.1
    assert np.mean((rows == RECORDS).all(axis=1)) == 0


@pytest.mark.parametrize("window", [0.01, 0.1, 0.5])
def test_swapped_values_are_pairs_within_the_window(window):
    rows = in_order(perturb(RECORDS, Swapping(window), 1))
    before, after = (rankdata(table, axis=0, method="ordinal") for table in (RECORDS, rows))
    assert 0.5 * window * 2000 < np.abs(before - after).max() < window * 2000
    for j in range(3):
        partner = np.argsort(before[:, j])[after[:, j] - 1]  # whose value it is now
        np.testing.assert_array_equal(partner[partner], np.arange(2000))


def test_a_wider_window_loses_more():
    kept = [np.corrcoef(np.log(in_order(perturb(RECORDS, Swapping(w), 1))).T)[0, 1] for w in (0.01, 0.3, 1.0)]
    true = np.corrcoef(np.log(RECORDS).T)[0, 1]
    assert true - kept[0] < 0.01
    assert kept[0] > kept[1] > kept[2]
    assert abs(kept[2]) < 0.1


@pytest.mark.parametrize("retained", [0.0, 0.8])
@pytest.mark.parametrize("seed", range(8))
def test_shuffling_keeps_rank_correlations_about(retained, seed):
    rows = in_order(perturb(RECORDS, Shuffling(retained), seed))
    np.testing.assert_allclose(spearmanr(rows).statistic, spearmanr(RECORDS).statistic, atol=0.08)
    own = [spearmanr(rows[:, j], RECORDS[:, j]).statistic for j in range(3)]
    np.testing.assert_allclose(own, retained, atol=0.08)


@pytest.mark.parametrize("scheme", EXCHANGED, ids=str)
def test_degenerate_tables(scheme):
    for table in (np.ones((2, 3)), np.arange(3.0)[:, None], np.column_stack([np.zeros(8), np.arange(8.0)])):
        assert perturb(table, scheme, 0).data.shape == table.shape
    with pytest.raises(InputError, match=rf"X must have 2 rows or more for the scheme {scheme.name}\. Got 1 row\."):
        perturb(RECORDS[:1], scheme)
    release = perturb(RECORDS[:10], scheme, 0)
    with pytest.raises(InputError, match=rf"a key can undo\. Got {scheme.name}, which .* does not keep how"):
        release.key.invert(release.data)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Swapping(window=0), r"window must be a number above 0 and at most 1\. Got 0\."),
        (lambda: Swapping(window=1.5), r"window must be a number above 0 and at most 1\. Got 1\.5\."),
        (lambda: Shuffling(retained=-0.1), r"retained must be a finite number >= 0\. Got -0\.1\."),
        (lambda: Shuffling(retained=1), r"retained must be below 1, which would release the table itself\. Got 1\."),
    ],
)
def test_parameters_are_checked(call, message):
    with pytest.raises(InputError, match=message):
        call()
