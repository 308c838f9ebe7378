# SPDX-License-Identifier: BSD-3-Clause
"""Columns that were standardised, or scaled between two ends, give a rotation of few hidden dimensions away."""

import numpy as np
import pytest

import isobreach as ib
from effort import EIGHT_SEEDS, slow
from isobreach.attacks.alignment.descent import moved
from isobreach.attacks.alignment.frames import Pose, frame_of
from isobreach.attacks.alignment.scaled import Seen, _points, standardised
from isobreach.geometry import haar

N = 8


def measured(rng, rows=600):
    """Measurements of two causes: no grid, nothing shared, nearly normal."""
    return rng.normal(size=(rows, 2)) @ rng.normal(size=(2, N)) + 0.7 * rng.normal(size=(rows, N))


def in_deviations(values):
    return (values - values.mean(axis=0)) / values.std(axis=0)


def from_0_to_1(values):
    return (values - values.min(axis=0)) / np.ptp(values, axis=0)


def from_minus_1_to_1(values):
    return 2 * from_0_to_1(values) - 1


def by_largest_size(values):
    return (values + 1) / np.abs(values + 1).max(axis=0)


def percent(values):
    return 100 * from_0_to_1(values)


def t_scores(values):
    return 50 + 10 * in_deviations(values)


def attacked(records, scheme, linked, seed, **settings):
    release = ib.perturb(records, scheme, seed=seed)
    known = ib.Knowledge(known=records[:linked], rows=release.key.order[:linked], noise=release.key.noise or None)
    found = ib.reconstruct("alignment", release.data, known, seed=0, motion=scheme.model.motion, **settings)
    errors = np.linalg.norm(found.estimates[release.key.order] - records, axis=1)[linked:]
    return found, float(np.mean(errors <= 0.1 * np.linalg.norm(records[linked:], axis=1)))


@pytest.mark.parametrize(
    ("scale", "objective", "motion", "linked"),
    [
        (in_deviations, "variances", "orthogonal", 4),
        (in_deviations, "variances", "rigid", 5),
        (t_scores, "variances", "orthogonal", 3),
        (from_0_to_1, "ends", "orthogonal", 4),
        (from_0_to_1, "ends", "rigid", 5),
        *slow(
            (percent, "ends", "orthogonal", 4),
            (t_scores, "variances", "rigid", 5),
            (percent, "ends", "rigid", 5),
            (from_minus_1_to_1, "ends", "orthogonal", 4),
            (from_minus_1_to_1, "ends", "rigid", 5),
            (by_largest_size, "ends", "orthogonal", 5),
        ),
    ],
)
@EIGHT_SEEDS
def test_six_angles_are_solved_for(scale, objective, motion, linked, seeds):
    scheme, shares = {"orthogonal": ib.schemes.Orthogonal(), "rigid": ib.schemes.Rigid()}[motion], []
    for seed in seeds:
        found, share = attacked(scale(measured(np.random.default_rng(seed))), scheme, linked, seed, objective=objective)
        shares.append(share)
        assert not found.claimed
    assert np.mean(shares) > 0.95


def taken_for_standardised(values, noise=0.0):
    nothing = np.zeros((0, N))
    return standardised(frame_of(nothing, nothing, values, None, translates=False, noise=noise), values, noise)


@pytest.mark.parametrize("seed", [0, *slow(*range(1, 8))])
def test_columns_in_other_units_are_not_taken_for_standardised_ones(seed):
    rng = np.random.default_rng(seed)
    values = in_deviations(measured(rng)) @ haar(N, rng).T
    assert taken_for_standardised(values)
    assert taken_for_standardised(values[:300])  # a part of them, off by chance
    assert taken_for_standardised(values + 0.3 * rng.normal(size=values.shape), 0.3)
    assert not taken_for_standardised(values * 1.3)
    records = in_deviations(measured(rng)) * np.linspace(1.5, 3, N)
    assert attacked(records, ib.schemes.Orthogonal(), 4, seed)[0].objective not in ("variances", "ends")


@EIGHT_SEEDS
def test_independent_columns_are_sharper_than_variances_that_are_one_by_chance(seeds):
    """Waiting times have variance one, roughly; independence tells their axes to a thousandth."""
    shares = []
    for seed in seeds:
        records = np.random.default_rng(seed).exponential(1, (1000, 6))
        found, share = attacked(records, ib.schemes.Orthogonal(), 3, seed)
        shares.append(share)
        assert found.objective == "independence"
    assert np.mean(shares) > 0.9


def test_the_trusted_motion_is_that_of_the_equations():
    for scale, objective in ((in_deviations, "variances"), (from_0_to_1, "ends")):
        found, share = attacked(scale(measured(np.random.default_rng(0))), ib.schemes.Orthogonal(), 5, 0)
        assert found.objective == objective
        assert share > 0.95


@EIGHT_SEEDS
def test_flags_beside_standardised_numbers_are_links_and_numbers_are_solved_for(seeds):
    """Four flags and five links of twelve columns leave three angles, and there are eight variances."""
    shares = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        values = in_deviations(measured(rng))
        flags = 0.5 * values[:, :4] + rng.normal(size=(600, 4)) > 0
        records = np.hstack([values, flags])[rng.permutation(600)]
        records[:5, N:] = [[0, 0, 0, 0], [1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1], [1, 1, 0, 0]]  # tell flags apart
        found, share = attacked(records, ib.schemes.Orthogonal(), 5, seed)
        shares.append(share)
        assert not found.claimed
        assert found.objective.startswith("variances beside ")
    assert np.mean(shares) > 0.95


def test_under_noise_links_are_equations_too():
    records = in_deviations(measured(np.random.default_rng(0)))
    _, share = attacked(records, ib.schemes.Noisy(0.02), 5, 0, objective="variances")
    _, without = attacked(records, ib.schemes.Noisy(0.02), 5, 0, objective="independence")
    assert share > 0.9 > 0.3 > without


def test_points_have_mean_and_covariance_of_the_rows():
    rows = measured(np.random.default_rng(0)) + 3
    points = _points(rows)
    np.testing.assert_allclose(points.mean(axis=0), rows.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(np.cov(points.T, bias=True), np.cov(rows.T, bias=True), atol=1e-12)


@pytest.mark.parametrize("offset", [0, 3])
def test_slopes_are_those_of_the_estimates(offset):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(5, 5))
    frame = frame_of(rng.normal(size=(2, 5)), rng.normal(size=(2, 5)), rows, None, translates=False, noise=0.0)
    seen, pose = Seen.of(frame, rows), Pose(haar(3, rng), rng.normal(size=offset))
    slopes = seen.slopes(pose)
    for place in range(3 + offset):
        step = 1e-6 * (np.arange(3 + offset) == place)
        change = (seen.estimates(moved(pose, step)) - seen.estimates(moved(pose, -step))) / 2e-6
        np.testing.assert_allclose(slopes[:, :, place], change, atol=1e-8)
