# SPDX-License-Identifier: BSD-3-Clause
"""The paper's headline on Letter Recognition: 4 known records of 18,668, 16 columns."""

import numpy as np
import pytest

from isobreach.attacks import attack
from isobreach.datasets import load_letter
from isobreach.schemes import perturb


@pytest.fixture(scope="module")
def results():
    """Ten draws: a key and four known records each."""
    letters = load_letter().values
    drawn = []
    for seed in range(10):
        known = np.random.default_rng(seed).permutation(len(letters))[:4]
        release = perturb(letters, "orthogonal", seed=seed)
        result = attack(letters[known], release.data, motion="orthogonal", epsilon=0.15, estimator="uniform", seed=seed)
        drawn.append((letters, known, release, result))
    return drawn


def test_four_known_records_are_linked(results):
    linked = 0
    for letters, known, release, result in results:
        rows = result.linkage.rows
        linked += (rows >= 0).sum()
        np.testing.assert_array_equal(rows[rows >= 0], release.key.order[known][rows >= 0])
        assert result.hidden_dimension == 16 - np.linalg.matrix_rank(letters[known[rows >= 0]])
    assert linked >= 36


@pytest.mark.parametrize(("epsilon", "least"), [(0.15, 0.99), (0.07, 0.8)])
def test_some_record_is_breached_with_the_papers_probability(results, epsilon, least):
    assert np.mean([result.probability(epsilon, [result.best])[0] for *_, result in results]) > least


def test_the_best_record_is_breached_when_the_probability_is_one(results):
    for letters, _, release, result in results:
        record = letters[np.argsort(release.key.order)[result.best]]
        if result.probability(0.15, [result.best])[0] == 1:
            assert np.linalg.norm(result.estimate([result.best])[0] - record) <= 0.15 * np.linalg.norm(record)


def test_the_optimal_estimator_breaches_more(results):
    for _, known, release, result in results[:3]:
        optimal = attack(load_letter().values[known], release.data, motion="orthogonal", epsilon=0.07, seed=0)
        assert (optimal.breach_probability >= result.probability(0.07) - 1e-12).all()
