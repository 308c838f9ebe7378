# SPDX-License-Identifier: BSD-3-Clause
"""The attack on noisy releases, given true links: planted, rotated, disturbed and counted."""

import numpy as np
import pytest
from scipy.linalg import orthogonal_procrustes

from isobreach.attacks import attack_linked
from isobreach.engine import as_engine
from isobreach.errors import InputError
from isobreach.geometry import row_norms
from planted import Release


def _records(m, n, q, motion, rng):
    """Linked records, and others spread alike in all directions around what the links fix: the attacker's view."""
    linked = 1 + rng.standard_normal((q, n))
    centre = 0.0 if motion == "orthogonal" else linked.mean(axis=0)
    others = centre + rng.standard_normal((m - q, n)) * np.exp(0.3 * rng.standard_normal((m - q, 1)))
    return np.vstack([linked, others])


def _attack(n, q, sigma, epsilon, motion, rng, *, wide=None, seed=0, m=None, estimator="optimal", scale=1.0):
    records = _records(q + 40 if m is None else m, n, q, motion, rng)
    release = Release(records, rng, motion, noise=sigma * scale, wide=wide, scale=scale)
    links = release.linkage(range(q))
    return release, attack_linked(records[:q], release.released, links, epsilon, estimator=estimator, seed=seed)


def _breached(result, release):
    return row_norms(result.estimates[release.order] - release.records) <= result.epsilon * row_norms(release.records)


CASES = [
    # columns, released columns, links, sigma, epsilon, motion, estimator
    (4, 4, 2, 0.05, 0.3, "orthogonal", "optimal"),
    (4, 4, 2, 0.05, 0.3, "rigid", "optimal"),
    (4, 4, 2, 0.2, 0.3, "rigid", "optimal"),
    (4, 4, 2, 0.2, 0.3, "orthogonal", "optimal"),
    (6, 6, 3, 0.3, 0.5, "orthogonal", "optimal"),  # few links in much noise
    (3, 3, 1, 0.1, 0.5, "orthogonal", "optimal"),
    (4, 4, 4, 0.05, 0.2, "orthogonal", "optimal"),
    (4, 4, 5, 0.05, 0.2, "rigid", "optimal"),
    (4, 4, 40, 0.1, 0.1, "orthogonal", "optimal"),
    (4, 7, 40, 0.1, 0.1, "rigid", "optimal"),
    (8, 8, 60, 0.3, 0.3, "orthogonal", "optimal"),
    (8, 8, 60, 0.3, 0.3, "rigid", "optimal"),
    (6, 6, 3, 0.1, 0.5, "rigid", "optimal"),
    (6, 9, 3, 0.1, 0.5, "rigid", "optimal"),
    (6, 6, 3, 0.3, 0.5, "rigid", "optimal"),
    (6, 6, 3, 0.1, 0.5, "orthogonal", "uniform"),
    (6, 6, 3, 0.1, 0.5, "rigid", "uniform"),
    (3, 3, 1, 0.1, 0.5, "rigid", "uniform"),
]


@pytest.mark.counted
@pytest.mark.parametrize(("n", "wide", "q", "sigma", "epsilon", "motion", "estimator"), CASES)
def test_breaches_are_about_as_frequent_as_reported(n, wide, q, sigma, epsilon, motion, estimator):
    """Within 0.02 of the mean claim and, of the high claims, within 0.06, each besides four standard errors.

    Attacks are independent, the rows of one are not: one fitted motion and one random direction serve them all.
    """
    rng = np.random.default_rng([n, q, int(100 * sigma)])
    excess, high, total = [], [], []
    for seed in range(60):
        release, result = _attack(n, q, sigma, epsilon, motion, rng, wide=wide, seed=seed, estimator=estimator)
        assert result.kind == "approximation"
        claimed, breached = result.breach_probability[release.order], _breached(result, release)
        assert (claimed[:q] == 1).all()
        assert breached[:q].all()
        claimed, breached = claimed[q:], breached[q:]
        excess.append((claimed - breached).mean())
        high.append(((claimed - breached)[claimed > 0.6]).sum())
        total.append((claimed > 0.6).sum())
    assert abs(np.mean(excess)) <= 4 * np.std(excess) / np.sqrt(len(excess)) + 0.02
    if sum(total) > 100:
        assert np.mean(high) <= 4 * np.std(high) / np.sqrt(len(high)) + 0.06 * np.mean(total)


@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
def test_the_owner_knows_the_norm(motion):
    rng = np.random.default_rng(1)
    excess = []
    for seed in range(120):
        release, result = _attack(5, 3, 0.1, 0.4, motion, rng, seed=seed, estimator="uniform", scale=3.0)
        norms = np.empty(len(release.order))
        norms[release.order] = row_norms(release.records)
        excess.append((result.probability(norms=norms)[release.order] - _breached(result, release))[3:].mean())
    assert abs(np.mean(excess)) <= 4 * np.std(excess) / np.sqrt(len(excess)) + 0.02


@pytest.mark.parametrize("estimator", ["optimal", "uniform"])
@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
@pytest.mark.parametrize("q", [1, 3, 6])
def test_little_noise_is_nearly_none(q, motion, estimator):
    rng = np.random.default_rng(2)
    records = _records(60, 5, q, motion, rng)
    release = Release(records, rng, motion, noise=1e-9)
    noisy = attack_linked(records[:q], release.released, release.linkage(range(q)), 0.3, estimator=estimator, seed=0)
    release.noise = 0.0
    exact = attack_linked(records[:q], release.released, release.linkage(range(q)), 0.3, estimator=estimator, seed=0)
    assert noisy.hidden_dimension == exact.hidden_dimension
    np.testing.assert_allclose(noisy.breach_probability, exact.breach_probability, atol=1e-3)
    np.testing.assert_allclose(noisy.relative_residual, exact.relative_residual, atol=1e-6)
    np.testing.assert_allclose(noisy.estimates, exact.estimates, atol=1e-6)


def test_noise_outside_the_records_dimensions_is_removed():
    """3 columns released in 12: a fully linked record errs by three coordinates' noise, not by twelve."""
    rng = np.random.default_rng(3)
    release, result = _attack(3, 200, 0.1, 0.3, "rigid", rng, wide=12, m=1200)
    assert result.hidden_dimension == 0
    error = ((result.estimates[release.order] - release.records)[200:] ** 2).sum(axis=1)
    assert error.mean() == pytest.approx(3 * 0.01, rel=0.15)
    assert (result.relative_residual == 0).all()


def test_equal_links_count_once():
    """Two known records with one row carry its noise once."""
    rng = np.random.default_rng(4)
    records = _records(30, 4, 6, "rigid", rng)
    release = Release(records, rng, noise=0.05)
    once, twice = ([*range(6)], [*range(6), 2, 2, 5])
    results = [attack_linked(records[i], release.released, release.linkage(i), 0.2, seed=0) for i in (once, twice)]
    np.testing.assert_allclose(results[0].breach_probability, results[1].breach_probability, rtol=1e-9)
    np.testing.assert_allclose(results[0].estimates, results[1].estimates, rtol=1e-9)


def test_a_direction_lost_in_the_noise_counts_as_hidden():
    rng = np.random.default_rng(5)
    records = _records(60, 4, 8, "orthogonal", rng)
    records[:8, 0] *= 1e-3
    for sigma, hidden in ((1e-5, 0), (0.05, 1)):
        release = Release(records, rng, "orthogonal", noise=sigma)
        result = attack_linked(records[:8], release.released, release.linkage(range(8)), 0.2, seed=0)
        assert result.hidden_dimension == hidden


@pytest.mark.parametrize("estimator", ["optimal", "uniform"])
@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
@pytest.mark.parametrize("epsilon", [1e-6, 0.3, 0.99, 1.0, 5.0])
def test_no_corner_gives_nan(motion, estimator, epsilon):
    rng = np.random.default_rng(6)
    records = _records(12, 3, 4, motion, rng)
    records[7] = records[8] = 0
    for table, q in (
        (records, 0),
        (records, 1),
        (records, 4),
        (records[:1], 1),
        (np.ones((5, 3)), 2),
        (records * 0, 2),
    ):
        release = Release(table, rng, motion, noise=0.1)
        links = release.linkage(range(q))
        result = attack_linked(table[:q], release.released, links, epsilon, estimator=estimator, seed=0)
        claimed = result.breach_probability
        assert ((claimed >= 0) & (claimed <= 1)).all()
        assert np.isfinite(result.estimates).all()
        assert np.isfinite(result.relative_residual).all()
        if motion == "rigid" and q == 0:
            assert (claimed == (epsilon >= 1)).all()


def test_rows_are_ranked_by_probability_and_blocks_do_not_matter():
    rng = np.random.default_rng(7)
    records = _records(9000, 7, 4, "rigid", rng)
    release = Release(records, rng, noise=0.1)
    links = release.linkage(range(4))
    whole, blocks = (
        attack_linked(records[:4], as_engine(release.released, block_rows=size, workers=2), links, 0.5, seed=0)
        for size in (20_000, 1)
    )
    assert whole.breach_probability.tobytes() == blocks.breach_probability.tobytes()
    others = np.delete(whole.breach_probability, whole.linked_rows)
    np.testing.assert_allclose(whole.breach_probability[whole.top(50)], np.sort(others)[::-1][:50])


def test_the_papers_equation_knows_no_noise():
    rng = np.random.default_rng(8)
    with pytest.raises(InputError, match="unless the motion is orthogonal and without noise"):
        _attack(3, 2, 0.1, 0.3, "orthogonal", rng, estimator="published")


def test_with_nothing_hidden_the_estimate_is_the_inverse_of_the_best_fitting_motion():
    rng = np.random.default_rng(9)
    release, result = _attack(4, 12, 0.05, 0.3, "orthogonal", rng)
    known, rows = release.records[:12], release.released[release.order[:12]]
    best = orthogonal_procrustes(known, rows)[0].T
    others = release.order[12:]
    np.testing.assert_allclose(result.estimate(others), release.released[others] @ best, atol=1e-9)
