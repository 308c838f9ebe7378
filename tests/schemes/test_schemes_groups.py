# SPDX-License-Identifier: BSD-3-Clause
"""Groups instead of records: how large they are, what of them is released, and what of the table is left."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isobreach.errors import InputError
from isobreach.schemes import Condensation, KAnonymity, KdTree, perturb
from isobreach.schemes.condensation import nearest_groups
from isobreach.schemes.k_anonymity import mondrian
from isobreach.schemes.kd_tree import leaves

RECORDS = np.random.default_rng(0).gamma(2, 1, (300, 4)) * [1, 10, 100, 1]
GROUPED = pytest.mark.parametrize("scheme", [Condensation, KdTree, KAnonymity])
PARTITIONS = {
    Condensation: lambda records, least: nearest_groups(records, least, np.random.default_rng(0)),
    KdTree: leaves,
    KAnonymity: mondrian,
}


def in_order(release):
    return release.data[release.key.order]


@GROUPED
@given(
    seed=st.integers(0, 2**32),
    rows=st.integers(2, 90),
    n=st.integers(1, 5),
    least=st.integers(2, 12),
    values=st.sampled_from([1, 2, 5, 10**6]),
)
def test_every_record_is_in_one_group_and_groups_are_large_enough(scheme, seed, rows, n, least, values):
    """With many equal values too: all, or all but a few, may be alike."""
    rows = max(rows, least)
    records = np.random.default_rng(seed).integers(0, values, (rows, n)).astype(float)
    groups = PARTITIONS[scheme](records, least)
    np.testing.assert_array_equal(np.sort(np.concatenate(groups)), np.arange(rows))
    assert min(map(len, groups)) >= least


@GROUPED
def test_groups_are_of_records_that_are_alike(scheme):
    """Well separated clusters of about the size of a group are the groups."""
    rng = np.random.default_rng(3)
    which = rng.permutation(np.repeat(np.arange(8), 6))
    records = 100.0 * np.array([[c % 2, c // 2 % 2, c // 4] for c in which]) + rng.standard_normal((48, 3))
    groups = PARTITIONS[scheme](records, 5 if scheme is KdTree else 6)  # its leaves have fewer than 2 k
    assert len(groups) == 8
    assert all(len(set(which[members])) == 1 for members in groups)


@pytest.mark.parametrize("seed", range(8))
def test_condensation_groups_the_first_that_is_left_with_its_nearest(seed):
    """All distances, one group after the other; trees that serve half of the records give the same."""
    records = np.random.default_rng(seed).gamma(2, 1, (203, 3))
    values = (records - records.mean(axis=0)) / records.std(axis=0)
    rest, plain = np.random.default_rng(seed).permutation(203), []
    while len(rest) >= 7:
        near = np.argsort(np.linalg.norm(values[rest] - values[rest[0]], axis=1))[:7]
        plain.append(set(rest[near].tolist()))
        rest = np.delete(rest, near)
    groups = nearest_groups(records, 7, np.random.default_rng(seed))
    assert len(rest) == 0
    assert [set(members.tolist()) for members in groups] == plain


@pytest.mark.parametrize("group", [2, 5, 20])
def test_k_anonymity_makes_rows_equal_to_at_least_k_minus_one_others(group):
    release = perturb(RECORDS, KAnonymity(group), 1)
    distinct, counts = np.unique(release.data, axis=0, return_counts=True)
    assert counts.min() >= group
    assert len(distinct) > 300 / (3 * group)
    rows = in_order(release)
    for members in mondrian(RECORDS, group):
        part = RECORDS[members]
        np.testing.assert_allclose(rows[members], np.tile((part.min(axis=0) + part.max(axis=0)) / 2, (len(part), 1)))


def test_equal_values_stay_on_one_side_of_a_cut():
    records = np.repeat(np.arange(5.0), [3, 30, 3, 3, 3])[:, None]
    groups = mondrian(records, 3)
    assert all(len(set(records[members, 0])) * 3 <= len(members) for members in groups)
    for value in range(5):
        assert sum(value in records[members, 0] for members in groups) == 1


@pytest.mark.parametrize("group", [2, 5, 20])
def test_a_kd_tree_releases_the_means_of_its_leaves(group):
    release = perturb(RECORDS, KdTree(group), 1)
    sizes = [len(members) for members in leaves(RECORDS, group)]
    assert max(sizes) <= 2 * group
    for members in leaves(RECORDS, group):
        np.testing.assert_allclose(
            in_order(release)[members], np.tile(RECORDS[members].mean(axis=0), (len(members), 1))
        )
    np.testing.assert_allclose(release.data.mean(axis=0), RECORDS.mean(axis=0), rtol=1e-12)
    assert (release.data.var(axis=0) < RECORDS.var(axis=0)).all()


@pytest.mark.parametrize("seed", range(8))
def test_condensation_keeps_the_mean_of_every_group(seed):
    source = np.random.default_rng(seed)
    groups = nearest_groups(RECORDS, 5, np.random.default_rng(seed))
    rows = Condensation().replaced(RECORDS, source)
    for members in groups:
        np.testing.assert_allclose(rows[members].mean(axis=0), RECORDS[members].mean(axis=0), rtol=1e-10)
        assert not np.isclose(rows[members], RECORDS[members]).all(axis=1).any()


def test_condensation_keeps_covariances_of_groups_on_average():
    records = RECORDS[:12]
    whole = [np.cov(in_order(perturb(records, Condensation(12), seed)), rowvar=False) for seed in range(400)]
    true = np.cov(records, rowvar=False)
    scale = np.sqrt(np.outer(np.diag(true), np.diag(true)))
    assert np.abs((np.mean(whole, axis=0) - true) / scale).max() < 0.05


def test_groups_do_not_depend_on_the_units():
    units = np.array([1e-6, 1, 1e6, 1e3])
    for scheme, partition in PARTITIONS.items():
        plain, other = (sorted(map(sorted, partition(table, 5))) for table in (RECORDS, RECORDS * units + units))
        assert plain == other, scheme


@GROUPED
def test_degenerate_tables(scheme):
    for table in (np.ones((7, 3)), np.arange(9.0)[:, None], np.column_stack([np.zeros(8), np.arange(8.0)]), np.eye(5)):
        release = perturb(table, scheme(), 0)
        assert release.data.shape == table.shape
        np.testing.assert_allclose(
            release.data.sum(axis=0)[table.std(axis=0) == 0], table.sum(axis=0)[table.std(axis=0) == 0]
        )
    with pytest.raises(InputError, match=r"X must have 5 rows or more for the scheme .*\. Got 4 rows\."):
        perturb(RECORDS[:4], scheme())
    with pytest.raises(InputError, match=r"group must be a whole number >= 2\. Got 1\."):
        scheme(group=1)


@GROUPED
def test_no_key_undoes_groups(scheme):
    release = perturb(RECORDS, scheme(), 1)
    assert dict(release.key.secrets) == {}
    message = r"scheme must be one whose release a key can undo\. Got .*, which released groups instead of records"
    with pytest.raises(InputError, match=message):
        release.key.invert(release.data)
    with pytest.raises(InputError, match=r"scheme must be a scheme that treats each record alone"):
        release.key.moved(RECORDS)
