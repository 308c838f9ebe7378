# SPDX-License-Identifier: BSD-3-Clause
"""The known-sample attack: principal axes of a sample, signs by the energy statistic, and what cannot be identified."""

import numpy as np
import pytest

import isobreach as ib
from isobreach.attacks import ATTACKS
from isobreach.attacks.known_sample import _flipped, _likely, _signs
from oracles import rotation

SEEDS = range(8)
SPREAD = 2.0 ** np.arange(4)[::-1]  # eigenvalues 64, 16, 4, 1


def case(seed, sample, mean=1.0, rows=1000, skewed=False):
    """Records with well separated principal axes, a sample of others, and a rotation of the records."""
    rng = np.random.default_rng(seed)
    axes = rotation(4, rng)
    centre = axes @ (mean * SPREAD * rng.choice([-1, 1], 4))

    def drawn(count):
        draws = rng.exponential(1, (count, 4)) - 1 if skewed else rng.standard_normal((count, 4))
        return draws * SPREAD @ axes.T + centre

    records = drawn(rows)
    return records, drawn(sample), records @ rotation(4, rng).T


def error(estimates, records):
    return np.median(np.linalg.norm(estimates - records, axis=1) / np.linalg.norm(records, axis=1))


def test_the_error_falls_with_the_sample():
    """About 0.29, 0.14, 0.08 and 0.03 where it was first measured."""
    median = {}
    for size in (10, 50, 200, 1000):
        errors = []
        for seed in SEEDS:
            records, sample, released = case(seed, size)
            found = ib.reconstruct("known-sample", released, ib.Knowledge(sample=sample), motion="orthogonal")
            assert not found.claimed
            errors.append(error(found.variants["as fitted"], records))
        median[size] = np.median(errors)
    ranges = {10: (0.18, 0.4), 50: (0.08, 0.18), 200: (0.03, 0.1), 1000: (0.015, 0.045)}
    assert all(low < median[size] < high for size, (low, high) in ranges.items()), median
    assert found.told.all()
    assert found.forecast == pytest.approx(median[1000], rel=0.7)
    assert "4 of 4 principal axes can be told" in found.reason


def test_a_gaussian_about_zero_cannot_be_identified_and_it_says_so():
    errors = []
    for seed in SEEDS:
        records, sample, released = case(seed, 1000, mean=0.0)
        found = ib.reconstruct("known-sample", released, ib.Knowledge(sample=sample), motion="orthogonal")
        errors.append(error(found.variants["as fitted"], records))
        assert not found.claimed
        assert not found.told.any()
        assert "cannot be identified" in found.reason
    assert np.median(errors) > 1


@pytest.mark.slow
def test_behind_a_translation_third_moments_tell_signs_and_means_do_not():
    told = []
    for seed in SEEDS:
        records, sample, released = case(seed, 1000, skewed=True)
        held = ib.Knowledge(sample=sample)
        found = ib.reconstruct("known-sample", released + 100, held, motion="rigid")
        told.append(found.told.sum())
        assert error(found.variants["as fitted"], records) < 0.15
        _, sample, released = case(seed, 1000)
        found = ib.reconstruct("known-sample", released + 100, ib.Knowledge(sample=sample), motion="rigid")
        assert not found.told.any()
    assert np.mean(told) > 3


@pytest.mark.parametrize("linked", [1, 2])
def test_links_leave_fewer_axes_to_match(linked):
    """The hybrid: with the same small sample the error is less than without links."""
    alone, together = [], []
    for seed in SEEDS:
        records, sample, released = case(seed, 30)
        for errors, held in ((alone, {}), (together, {"known": records[:linked], "rows": np.arange(linked)})):
            knowledge = ib.Knowledge(sample=sample, **held)
            found = ib.reconstruct("known-sample", released, knowledge, motion="orthogonal")
            errors.append(error(found.variants["as fitted"][3:], records[3:]))
        assert len(found.told) == 4 - linked
    assert np.median(together) < np.median(alone)


def test_links_of_all_dimensions_leave_nothing():
    records, sample, released = case(1, 30)
    held = ib.Knowledge(sample=sample, known=records[:4], rows=np.arange(4))
    found = ib.reconstruct("known-sample", released, held, motion="orthogonal")
    assert "nothing hidden" in found.reason
    assert np.abs(found.estimates - records).max() < 1e-8


def test_a_padded_and_scaled_release():
    records, sample, released = case(2, 1000)
    turned = np.hstack([released, np.zeros_like(released)]) @ rotation(8, np.random.default_rng(3))
    found = ib.reconstruct("known-sample", turned, ib.Knowledge(sample=sample), motion="orthogonal")
    assert error(found.variants["as fitted"], records) < 0.1
    records, sample, released = case(2, 1000, skewed=True)
    found = ib.reconstruct("known-sample", 7 * released + 3, ib.Knowledge(sample=sample), motion="similarity")
    assert error(found.variants["as fitted"], records) < 0.2


def test_the_signs_are_those_of_the_energy_statistic():
    """All signs by brute force; and one at a time, from a start by means, in as many dimensions."""
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        a, b = rng.normal(0.4, 1, (60, 5)), rng.normal(0.4, 1, (70, 5))
        b[:, 2:] *= rng.choice([-1, 1], 3)
        every = [np.array(one) for one in np.ndindex(2, 2, 2)]
        values = {
            tuple(1 - 2 * one): np.linalg.norm(a[:, None] - b * np.r_[1, 1, 1 - 2 * one], axis=2).mean()
            for one in every
        }
        best = min(values, key=values.get)
        assert tuple(_signs(a, b, 2)[0]) == best
        likely = _likely(a[:, 2:], b[:, 2:])
        signed = np.hstack([b[:, :2], b[:, 2:] * likely])
        squares = ((a[:, None] - signed) ** 2).sum(axis=2)
        found = _flipped(likely, squares, [np.outer(a[:, k], b[:, k]) for k in (2, 3, 4)])
        assert values[tuple(found)] <= values[tuple(likely)]


def test_many_dimensions_go_one_flip_at_a_time():
    rng = np.random.default_rng(5)
    spread = 1.3 ** np.arange(16)
    records = (rng.standard_normal((3000, 16)) + 2) * spread
    released = records[:1500] @ rotation(16, rng).T
    found = ib.reconstruct("known-sample", released, ib.Knowledge(sample=records[1500:]), motion="orthogonal")
    assert found.told.all()
    assert error(found.variants["as fitted"], records[:1500]) < 0.3


def test_one_record_has_no_axes():
    _, sample, released = case(3, 10)
    found = ib.reconstruct("known-sample", released, ib.Knowledge(sample=sample[:1]))
    assert np.isnan(found.estimates).all()
    assert "no principal axes" in found.reason


def test_what_it_needs():
    with pytest.raises(ib.InputError, match="must have a public sample for this attack"):
        ib.reconstruct("known-sample", np.eye(4))
    assert ATTACKS["known-sample"].audited is False
