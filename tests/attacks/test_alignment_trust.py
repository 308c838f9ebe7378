# SPDX-License-Identifier: BSD-3-Clause
"""Which objective is trusted: the attacker's own choice is no worse than another of his variants by far."""

import numpy as np
import pytest

import isobreach as ib
from effort import EIGHT_SEEDS, slow
from isobreach.attacks.alignment.scaled import TUNING, determine


def measured(rng, columns=8, rows=600):
    """Measurements of two causes, nearly normal: their principal axes look like independent attributes."""
    return rng.normal(size=(rows, 2)) @ rng.normal(size=(2, columns)) + 0.7 * rng.normal(size=(rows, columns))


def in_deviations(values):
    return (values - values.mean(axis=0)) / values.std(axis=0)


def attacked(records, scheme, linked, seed):
    """What the attacker finds, and whom it breaches."""
    release = ib.perturb(records, scheme, seed=seed)
    noise = release.key.noise or None
    known = ib.Knowledge(known=records[:linked], rows=release.key.order[:linked], noise=noise)
    found = ib.reconstruct("alignment", release.data, known, seed=0, motion=scheme.model.motion)
    errors = np.linalg.norm(found.estimates[release.key.order] - records, axis=1)[linked:]
    return found, float(np.mean(errors <= 0.15 * np.linalg.norm(records[linked:], axis=1)))


@pytest.mark.parametrize(
    ("scheme", "jitter"),
    [(ib.schemes.Noisy(0.05), 0.0), *slow((ib.schemes.Rigid(), 0.05), (ib.schemes.Orthogonal(), 0.05))],
)
@EIGHT_SEEDS
def test_standardised_numbers_that_were_moved_a_little_are_still_solved_for(scheme, jitter, seeds):
    """Components of normal tables are principal axes, and no column has their variances."""
    shares = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        records = in_deviations(measured(rng)) + jitter * rng.normal(size=(600, 8))
        found, share = attacked(records, scheme, 6, seed)
        shares.append(share)
        assert found.objective == "variances"
    assert np.mean(shares) > 0.75


@EIGHT_SEEDS
def test_as_many_equations_as_angles_hold_whatever_the_columns_are(seeds):
    """Seven variances are six equations, and four hidden dimensions have six angles."""
    for seed in seeds:
        records = in_deviations(measured(np.random.default_rng(seed), 7)) * np.linspace(1.5, 3, 7)
        found, _ = attacked(records, ib.schemes.Orthogonal(), 3, seed)
        assert found.objective != "variances"


@EIGHT_SEEDS
def test_equations_that_many_rotations_fulfil_tell_none(seeds):
    """Logarithms that are equal fulfil exp(x) - exp(y) = 0 in many frames; ends tell the one."""
    shares = []
    for seed in seeds:
        values = measured(np.random.default_rng(seed), 6)
        values[:, 5] = values[:, 4]
        records = (values - values.min(axis=0)) / np.ptp(values, axis=0)
        found, share = attacked(records, ib.schemes.Orthogonal(), 3, seed)
        shares.append(share)
        assert found.objective != "logarithms"
    assert np.mean(shares) > 0.95


def test_a_rotation_is_determined_where_every_turn_changes_an_equation():
    slopes = np.diag([1.0, 1e-3, 2.0])
    assert determine(lambda pose: (np.zeros(3), slopes), None)
    assert not determine(lambda pose: (np.zeros(3), slopes[:2]), None)
    assert not determine(lambda pose: (np.zeros(3), slopes @ np.diag([1, TUNING.steep, 0.0])), None)
    assert determine(lambda pose: (np.zeros(3), np.zeros((3, 0))), None)
