# SPDX-License-Identifier: BSD-3-Clause
"""Columns of whole numbers under a little jitter are found one at a time where links leave few dimensions open."""

import numpy as np
import pytest

import isobreach as ib
from effort import EIGHT_SEEDS, slow
from isobreach.attacks.alignment.descent import Evaluations
from isobreach.attacks.alignment.situation import Situation
from isobreach.attacks.alignment.whole_numbers import with_whole_numbers
from isobreach.geometry import haar


def counted(rng, rows=600, jitter=0.1):
    """Four counts and four measurements, which depend on one another."""
    causes = rng.normal(size=(rows, 2))
    counts = rng.poisson(np.exp(1.1 + 0.3 * causes[:, [0, 1, 0, 1]]))
    measured = 4 + 2 * (causes @ rng.normal(size=(2, 4)) + 0.5 * rng.normal(size=(rows, 4)))
    return np.hstack([counts + rng.uniform(-jitter, jitter, counts.shape), measured])


@pytest.mark.parametrize(("scheme", "linked"), [("orthogonal", 5), *slow(("rigid", 6))])
@EIGHT_SEEDS
def test_jittered_counts_give_the_measurements_away(scheme, linked, seeds):
    shares = []
    for seed in seeds:
        records = counted(np.random.default_rng(seed))
        release = ib.perturb(records, scheme, seed=seed)
        known = ib.Knowledge(known=records[:linked], rows=release.key.order[:linked])
        found = ib.reconstruct("alignment", release.data, known, seed=0, motion=scheme, objective="whole numbers")
        errors = np.linalg.norm(found.estimates[release.key.order] - records, axis=1)[linked:]
        shares.append(float(np.mean(errors <= 0.05 * np.linalg.norm(records[linked:], axis=1))))
        assert not found.claimed
    assert np.mean(shares) > 0.9


@EIGHT_SEEDS
def test_measurements_that_are_near_whole_numbers_by_chance_are_no_such_column(seeds):
    """Of those linked they are; of everybody else they are not."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        records = 3 * rng.normal(size=(600, 6))
        records[:4] = np.rint(records[:4]) + rng.uniform(-0.05, 0.05, (4, 6))
        rows = records @ haar(6, rng).T
        nobody = np.zeros((0, 6)), np.zeros(0, dtype=np.int64)
        situation = Situation(
            records[:4], rows[:4], None, None, *nobody, "orthogonal", np.eye(6), np.zeros(6), scale=1.0, noise=0.0
        )
        assert with_whole_numbers(situation, rows, Evaluations(100), rng) is None


@EIGHT_SEEDS
def test_columns_that_hardly_vary_are_near_one_whole_number_and_tell_nothing(seeds):
    """At any rotation: a height near one is no evidence where all values are near one and the same whole number."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        records = np.hstack([3 + 0.1 * rng.normal(size=(600, 4)), 4 * rng.normal(size=(600, 4))])
        rows = records @ haar(8, rng).T
        nobody = np.zeros((0, 8)), np.zeros(0, dtype=np.int64)
        situation = Situation(
            records[:5], rows[:5], None, None, *nobody, "orthogonal", np.eye(8), np.zeros(8), scale=1.0, noise=0.0
        )
        assert with_whole_numbers(situation, rows, Evaluations(100), rng) is None
