# SPDX-License-Identifier: BSD-3-Clause
"""The attack carried out: drawn, estimated and counted, it breaches as often as it says, or more."""

import numpy as np
import pytest

from isobreach.attacks import attack
from isobreach.geometry import row_norms
from oracles import plant


def _breaches(result, records, order):
    """Whether each record was breached, by the definition with the true norm."""
    return row_norms(result.estimates[order] - records) <= result.epsilon * row_norms(records)


@pytest.mark.counted
@pytest.mark.parametrize("estimator", ["optimal", "uniform"])
@pytest.mark.parametrize(("n", "known", "epsilon"), [(3, 2, 0.3), (3, 1, 0.5), (4, 0, 0.9), (6, 3, 0.5)])
def test_breaches_are_as_frequent_as_reported(estimator, n, known, epsilon):
    """The tables are fixed, the attacker's draws are not."""
    rng = np.random.default_rng(n)
    records = rng.standard_normal((8, n)) * [[1], [1], [1], [1], [10], [0.1], [1], [1]]
    released, order = plant(records, rng)
    held = records[:known] if known else records[:1] + 20
    results = [
        attack(held, released, epsilon, motion="orthogonal", estimator=estimator, seed=seed) for seed in range(200)
    ]
    counted = np.mean([_breaches(result, records, order) for result in results], axis=0)
    claimed = results[0].breach_probability[order]
    assert results[0].hidden_dimension == n - known
    assert (abs(counted - claimed) <= 4 * np.sqrt(claimed * (1 - claimed) / len(results)) + 1e-12).all()
    assert ((claimed > 0.01) & (claimed < 0.99)).any()


def test_the_optimal_estimator_breaches_more_often_than_the_papers():
    rng = np.random.default_rng(0)
    records = rng.standard_normal((12, 5))
    released, order = plant(records, rng)
    hits = {
        name: sum(
            _breaches(
                attack(records[:2], released, 0.6, motion="orthogonal", estimator=name, seed=seed), records, order
            ).sum()
            for seed in range(150)
        )
        for name in ("optimal", "uniform")
    }
    assert hits["optimal"] > 1.2 * hits["uniform"]


ROUNDED = [
    # columns, known, decimals, epsilon
    (2, 1, 2, 0.3),
    (2, 1, 2, 0.01),  # the error of rounding is about what counts as a breach
    (2, 2, 2, 0.01),
    (3, 2, 1, 0.05),
    (3, 3, 1, 0.3),
    (3, 1, 0, 0.3),  # some records round to zero
    (5, 4, 2, 0.01),
    (5, 3, 2, 0.1),
]


@pytest.mark.counted
@pytest.mark.parametrize("estimator", ["optimal", "uniform"])
@pytest.mark.parametrize(("n", "known", "decimals", "epsilon"), ROUNDED)
def test_a_rounded_release_never_claims_more_than_it_delivers(estimator, n, known, decimals, epsilon):
    """Rotations and draws vary. Each record's claims are covered by its breaches, and a claim of 1 is a certainty."""
    rng = np.random.default_rng(0)
    records = rng.standard_normal((12, n)) * np.exp(0.5 * rng.standard_normal((12, 1)))
    excess = []
    for seed in range(100):
        released, order = plant(records, rng)
        result = attack(
            records[:known], released.round(decimals), epsilon, motion="orthogonal", estimator=estimator, seed=seed
        )
        claimed, breached = result.breach_probability[order], _breaches(result, records, order)
        assert breached[claimed == 1].all()
        excess.append(claimed - breached)
    mean, error = np.mean(excess, axis=0), np.std(excess, axis=0) / np.sqrt(len(excess))
    assert (mean <= 4 * error + 0.01).all()


def test_records_that_round_to_the_same_row_are_not_all_known():
    """Two records become (0, 0); one is linked. Nothing is known of the other but that it is small."""
    records = np.array([[0.011, 0.0], [0.0, 0.012], [5.0, 5.0], [3.0, -1.0], [2.0, 7.0]])
    for seed in range(20):
        released, order = plant(records, np.random.default_rng(seed))
        result = attack(records[[0, 2]], released.round(1), 0.1, motion="orthogonal", seed=seed)
        claimed, breached = result.breach_probability[order], _breaches(result, records, order)
        assert breached[claimed == 1].all()


@pytest.mark.parametrize("storage", [np.float32, np.float64])
def test_full_rank_claims_hold_in_either_precision(storage):
    rng = np.random.default_rng(1)
    records = rng.standard_normal((40, 4))
    released, order = plant(records, rng)
    result = attack(records[:6], released.astype(storage), 1e-4, motion="orthogonal", seed=0)
    assert result.hidden_dimension == 0
    assert (result.breach_probability == 1).all()
    assert _breaches(result, records, order).all()
    assert result.probability(1e-9).sum() == (40 if storage is np.float64 else 6)
