# SPDX-License-Identifier: BSD-3-Clause
"""A category in several columns is one attribute: learned when the category is."""

import numpy as np
import pytest

from audited import audit
from effort import slow
from isobreach.audits.groups import Groups


def mixed(seed, rows=200, categories=4, numbers=3):
    """Numbers around a one-hot category: two columns before it, the others after; and the categories."""
    draws = np.random.default_rng(seed)
    own = draws.choice(categories, rows, p=np.arange(1, categories + 1) / sum(range(1, categories + 1)))
    values = draws.standard_normal((rows, numbers))
    return np.column_stack([values[:, :2], np.eye(categories)[own], values[:, 2:]]), own


PLACES = (2, 3, 4, 5)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("standardised", [False, True])
def test_the_nearest_code_says_the_category(seed, standardised):
    records, own = mixed(seed)
    if standardised:
        records = (records - records.mean(axis=0)) / records.std(axis=0)
    groups = Groups.of(records, [PLACES])
    assert len(groups.attributes(records.shape[1])) == 4
    within = np.ones(records.shape, dtype=bool)
    assert groups.shares(within, records).tolist() == [1, 1, 1, 1]
    swapped = records[::-1]
    assert groups.shares(within, swapped)[2] == np.mean(own == own[::-1])
    codes = groups.groups[0].codes
    apart = min(np.linalg.norm(a - b) for k, a in enumerate(codes) for b in codes[:k])
    moved = np.random.default_rng(seed).standard_normal(records.shape)
    moved *= 0.49 * apart / np.linalg.norm(moved[:, PLACES], axis=1, keepdims=True)
    assert groups.shares(within, records + moved)[2] == 1  # within half of what lies between two codes
    assert groups.shares(within, np.where(np.arange(7) == 3, np.nan, records))[2] == 0  # an unknown part is no category
    assert groups.most_common(np.zeros(7))[2] == np.bincount(own).max() / len(own)


def test_columns_of_two_values_and_lengths_of_one():
    records = np.array([[0.0, 3.0], [1.0, 2.0], [1.0, 5.0]])
    groups = Groups.of(records, [(0,)])
    assert groups.shares(np.zeros((3, 2), dtype=bool), np.array([[0.4, 0], [0.6, 0], [0.2, 0]])).tolist() == [2 / 3, 0]
    lengths = np.linalg.norm(records, axis=1, keepdims=True)
    scaled = Groups.of(records, [(0,)], unit_length=True)
    assert scaled.shares(np.zeros((3, 2), dtype=bool), records / lengths).tolist() == [1, 0]


@pytest.mark.parametrize("seed", range(8))
def test_what_cannot_be_hidden_is_excluded(seed):
    """One hidden direction reaches few codes: to choose the nearest one as it is hidden is then always right."""
    records, _ = mixed(seed)
    hidden = np.random.default_rng(seed).standard_normal((records.shape[1], 1))
    hidden /= np.linalg.norm(hidden)
    feet = records - (records @ hidden) @ hidden.T
    groups = Groups.of(records, [PLACES])
    nearest = groups.groups[0].right(feet[:, PLACES]).mean()
    told = groups.by_feet(np.zeros(records.shape[1]), feet, hidden)[2]
    assert told == 1
    assert nearest <= told


@pytest.mark.parametrize("scheme", ["rigid", "orthogonal", *slow("noisy", "orthogonal-noise")])
def test_an_audit_counts_a_group_once(scheme):
    records, own = mixed(0, rows=60)
    asked = {"coalition_sizes": [1, 3, 7], "trials": 4, "scheme": scheme, "epsilon": 0.2, "seed": 0, "splits": 2}
    alone, together = (audit(records, **asked, groups=groups) for groups in ((), (PLACES,)))
    assert (alone.columns, alone.attribute_count, together.columns, together.attribute_count) == (7, 7, 7, 4)
    assert alone.breached(7) == together.breached(7)  # a record's length is measured as before
    for insiders in (0, 1, 3, 7):
        learned = together.learned(insiders)
        assert learned.shape == (4,)
        assert learned[2] >= np.bincount(own).max() / len(own)
    # Of the other columns nothing changes. Attackers played end where everything is learned, which groups decide too.
    np.testing.assert_array_equal(together.attributes.value[:, [0, 1, 3]], alone.attributes.value[:, [0, 1, 6]])
    for name in ("attributes", "blind_attributes"):
        figures = [getattr(report.baselines, name) for report in (together, alone)]
        np.testing.assert_array_equal(figures[0][[0, 1, 3]], figures[1][[0, 1, 6]])
    assert np.isnan(together.attributes.tolerance).tolist() == [False, False, True, False]
    if scheme in ("rigid", "orthogonal"):
        assert together.learned(7)[2] == 1
