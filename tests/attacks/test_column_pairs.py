# SPDX-License-Identifier: BSD-3-Clause
"""Rotations of pairs of columns fall to one linked record; what is ambiguous is refused."""

import numpy as np
import pytest

import isobreach as ib

ATTACKS = ("known-input-output", "procrustes")


def turned(records, rng, order=None):
    """Columns rotated by twos, each by its own angle; an odd one together with one that was turned already."""
    released = records.copy()
    order = rng.permutation(records.shape[1]) if order is None else order
    twos = [order[k : k + 2] for k in range(0, len(order) - 1, 2)]
    if len(order) % 2:
        twos.append(order[[-1, 0]])
    for two in twos:
        angle = rng.uniform(0.3, 2.8)
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        released[:, two] = released[:, two] @ turn.T
    return released


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.parametrize("seed", range(8))
def test_one_linked_record_is_everything(name, seed):
    rng = np.random.default_rng(seed)
    records = rng.normal(2, 3, (300, 8))
    order = rng.permutation(300)
    released = np.empty_like(records)
    released[order] = turned(records, rng)
    found = ib.reconstruct(name, released, ib.Knowledge(known=records[:1], rows=order[:1]))
    assert found.claimed
    assert "1 linked pair" in found.reason
    assert np.abs(found.estimates[order] - records).max() < 1e-9


@pytest.mark.parametrize("name", ATTACKS)
def test_of_an_odd_number_of_columns_three_take_two_records(name):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        records = rng.normal(2, 3, (300, 7))
        released = turned(records, rng, np.arange(7))  # 0, 1 and 6 are one block
        one, two = (ib.reconstruct(name, released, ib.Knowledge(known=records[:k], rows=np.arange(k))) for k in (1, 2))
        assert one.claimed
        assert "3 attributes stay open" in one.reason
        assert np.abs(one.estimates[:, 2:6] - records[:, 2:6]).max() < 1e-9
        assert two.claimed
        assert np.abs(two.estimates - records).max() < 1e-9


@pytest.mark.parametrize("name", ATTACKS)
def test_zeros_leave_a_pair_open_and_equal_sums_leave_all_open(name):
    rng = np.random.default_rng(1)
    records = rng.normal(2, 3, (300, 4))
    records[0, 2:] = 0  # whatever the angle
    released = turned(records, rng, np.arange(4))
    found = ib.reconstruct(name, released, ib.Knowledge(known=records[:1], rows=[0]))
    assert np.isfinite(found.estimates).all()
    assert not np.allclose(found.estimates[:, 2:], records[:, 2:])
    both = ib.reconstruct(name, released, ib.Knowledge(known=records[:2], rows=[0, 1]))
    assert np.abs(both.estimates - records).max() < 1e-9


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.parametrize("seed", range(8))
def test_a_rotation_of_everything_is_not_taken_for_it(name, seed):
    rng = np.random.default_rng(seed)
    records = rng.normal(2, 3, (300, 6))
    released = ib.perturb(records, "orthogonal", seed=seed)
    found = ib.reconstruct(name, released.data, ib.Knowledge(known=records[:1], rows=released.key.order[:1]))
    assert "rotated in" not in found.reason
    coarse = np.round(released.data, 0)  # so coarse that sums of squares agree by chance
    found = ib.reconstruct(name, coarse, ib.Knowledge(known=records[:1], rows=released.key.order[:1]))
    assert "rotated in" not in found.reason


@pytest.mark.parametrize("name", ATTACKS)
def test_rounded_releases_fall_too_where_chance_allows(name):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        records = rng.normal(2, 3, (300, 6))
        released = np.round(turned(records, rng), 5)
        found = ib.reconstruct(name, released, ib.Knowledge(known=records[:2], rows=[0, 1]))
        assert found.claimed
        assert np.abs(found.estimates - records).max() < 1e-3


def test_sums_of_squares_that_agree_by_chance_are_not_believed():
    """One decimal and five columns: of 40 rotations, a quarter would be taken for rotated pairs."""
    for seed in range(40):
        records = np.random.default_rng(seed).normal(2, 3, (60, 5))
        release = ib.perturb(records, "orthogonal", seed=seed)
        held = ib.Knowledge(known=records[:1], rows=release.key.order[:1])
        assert "rotated in" not in ib.reconstruct("procrustes", np.round(release.data, 1), held).reason
