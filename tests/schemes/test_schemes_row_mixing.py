# SPDX-License-Identifier: BSD-3-Clause
"""Row mixing: means and covariances to the last digits, no distances, and the key undoes it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import pdist

import isobreach as ib
from isobreach.errors import InputError
from isobreach.schemes import RowMixing, perturb

RECORDS = np.random.default_rng(0).gamma(2, 3, (250, 4)) * [1, 10, 100, 1]


@given(seed=st.integers(0, 2**32), rows=st.integers(3, 80), n=st.integers(1, 6), block=st.integers(3, 40))
def test_mean_and_covariance_are_kept_and_the_key_undoes_it(seed, rows, n, block):
    records = np.random.default_rng(seed).standard_normal((rows, n)) + 5
    release = perturb(records, RowMixing(block), seed)
    np.testing.assert_allclose(release.data.mean(axis=0), records.mean(axis=0), rtol=1e-10)
    scatter = (np.cov(table, rowvar=False) for table in (release.data, records))
    np.testing.assert_allclose(*scatter, atol=1e-10)
    np.testing.assert_allclose(release.key.invert(release.data), records, atol=1e-10)


@pytest.mark.parametrize("seed", range(8))
def test_no_distance_survives(seed):
    release = perturb(RECORDS, "row-mixing", seed)
    changes = pdist(release.data[release.key.order]) / pdist(RECORDS)
    assert np.mean(np.abs(changes - 1) < 1e-3) < 0.01
    nearest = np.abs(pdist(release.data)[:, None] - pdist(RECORDS[:3])).min(axis=0)
    assert (nearest > 1e-9).all()


@pytest.mark.parametrize("block", [3, 40, 1000])
def test_each_released_row_depends_on_its_block_alone(block):
    release = perturb(RECORDS, RowMixing(block), 1)
    changed = RECORDS.copy()
    changed[0] += 1
    moved = np.abs(release.key.moved(changed) - release.data[release.key.order]).max(axis=1) > 1e-12
    whole = min(block, len(RECORDS))
    assert whole <= moved.sum() < 2 * whole or moved.sum() == 250
    assert moved[0]


def test_a_gaussian_table_stays_gaussian_with_the_same_moments():
    """A sum of squares of one column is kept, and no entry of it."""
    release = perturb(RECORDS, RowMixing(1000), 2)
    np.testing.assert_allclose(np.square(release.data).sum(axis=0), np.square(RECORDS).sum(axis=0), rtol=1e-12)
    assert not np.isclose(release.data[:, 0][:, None], RECORDS[:, 0]).any(axis=1).all()


def test_a_transformer_mixes_other_tables_anew_and_undoes_its_own_alone():
    transformer = ib.RowMixingPerturbation(random_state=0).fit(RECORDS)
    np.testing.assert_allclose(transformer.inverse_transform(transformer.transform(RECORDS)), RECORDS, atol=1e-9)
    others = transformer.transform(RECORDS[:30])
    np.testing.assert_allclose(others.mean(axis=0), RECORDS[:30].mean(axis=0))
    with pytest.raises(InputError, match="released must have all 250 rows of this key's table"):
        transformer.inverse_transform(others)
    with pytest.raises(InputError, match=r"X must have 3 rows or more for the scheme row-mixing\. Got 2 rows\."):
        transformer.transform(RECORDS[:2])


@pytest.mark.parametrize(
    "changes",
    [
        {"sizes": np.array([1e300])},
        {"sizes": np.array([-1.0, 251.0])},
        {"sizes": np.array([0.5])},
        {"sizes": np.zeros(0)},
        {"sizes": np.array([250.0])},
        {"members": np.zeros(250)},
        {"members": np.full(250, 1e300)},
        {"matrices": np.ones(3)},
        {"matrices": np.ones((2, 2))},
    ],
    ids=str,
)
def test_a_key_of_other_blocks_is_refused(changes):
    release = perturb(RECORDS, RowMixing(50), 1)
    key = replace(release.key, secrets={**release.key.secrets, **changes})
    with pytest.raises(InputError, match="key must hold what the scheme row-mixing drew"):
        key.invert(release.data)


def test_other_tables_than_its_own_are_refused():
    release = perturb(RECORDS, RowMixing(50), 1)
    message = r"must have all 250 rows of this key's table: the scheme row-mixing mixes them\. Got 1 row\."
    with pytest.raises(InputError, match=f"X {message}"):
        release.key.moved(RECORDS[:1])
    with pytest.raises(InputError, match=f"released {message}"):
        release.key.back(release.data[:1])
    with pytest.raises(InputError, match=r"X must have 3 rows or more for the scheme row-mixing\. Got 2 rows\."):
        perturb(RECORDS[:2], "row-mixing")
    with pytest.raises(InputError, match=r"block must be a whole number >= 3\. Got 2\."):
        RowMixing(block=2)
