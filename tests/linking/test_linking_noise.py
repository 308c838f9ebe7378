# SPDX-License-Identifier: BSD-3-Clause
"""Linking under noise: the law of the lengths, no wrong link at any level, and posteriors that mean what they say."""

import numpy as np
import pytest
from scipy.stats import chi2

from effort import slow
from isobreach.linking import link
from isobreach.linking.noisy import BELIEVING, Likelihood, law
from isobreach.schemes import Ball, Noisy, OrthogonalNoise, perturb
from oracles import rotation

LIMIT = 1e-3  # what a link may leave open


def _lengths(rows, pairs):
    """Squared lengths of rows (trials x L x N): norms where the first of a pair is -1, else distances."""
    return np.stack([((rows[:, j] - (0 if i < 0 else rows[:, i])) ** 2).sum(axis=1) for i, j in pairs.tolist()], axis=1)


@pytest.mark.parametrize("norms_kept", [True, False])
@pytest.mark.parametrize("sigma", [0.01, 0.3])
def test_the_joint_law_of_the_lengths(norms_kept, sigma):
    """Mean and covariance of 40,000 draws, within five standard errors."""
    rng = np.random.default_rng(0)
    records, columns, trials = rng.standard_normal((4, 5)), 7, 40_000
    pairs = law.lengths_of(4, norms_kept)
    assert len(pairs) == 6 + 4 * norms_kept
    mean, covariance = law.joint_law(records, pairs, sigma, columns)
    exact = records @ rotation(columns, rng)[:, :5].T
    drawn = _lengths(exact + sigma * rng.standard_normal((trials, 4, columns)), pairs)
    spread = np.sqrt(np.diag(covariance))
    assert (abs(drawn.mean(axis=0) - mean) <= 5 * spread / np.sqrt(trials)).all()
    # Tails are a little heavier than a normal's at the larger noise: hence eight.
    assert (abs(np.cov(drawn.T) - covariance) <= 8 * np.outer(spread, spread) / np.sqrt(trials)).all()


@pytest.mark.parametrize("norms_kept", [True, False])
@pytest.mark.parametrize("sigma", [0.01, 0.1])
def test_the_misfit_of_the_truth_is_chi_square(norms_kept, sigma):
    """More columns than records: so many lengths are free. The test may lose the truth once in a million times."""
    rng = np.random.default_rng(1)
    records, columns, trials = rng.standard_normal((5, 8)), 8, 20_000
    pairs = law.lengths_of(5, norms_kept)
    mean, covariance = law.joint_law(records, pairs, sigma, columns)
    drawn = _lengths(records @ rotation(8, rng).T + sigma * rng.standard_normal((trials, 5, columns)), pairs) - mean
    misfit = (np.linalg.solve(law.whitening(covariance), drawn.T) ** 2).sum(axis=0)
    freedom = len(pairs)
    assert misfit.mean() == pytest.approx(freedom, rel=0.02)
    assert np.quantile(misfit, 0.99) == pytest.approx(chi2.ppf(0.99, freedom), rel=0.15)


def _scheme(name, level, records):
    spread = np.sqrt(records.var(axis=0).mean())
    if name == "ball":  # a deviation of level * spread a coordinate
        return Ball(beta=4 * level * spread * np.sqrt(records.shape[1] + 2))
    return {"noisy": Noisy, "orthogonal-noise": OrthogonalNoise}[name](level)


def _release(name, motion, level, seed, *, m=150, n=10):
    """Records (of length one where the scheme makes them so), released rows, the row of each, and the noise level."""
    rng = np.random.default_rng([seed, int(1000 * level)])
    records = rng.standard_normal((m, n)) * rng.uniform(0.5, 2, n) + rng.standard_normal(n)
    released, key = (release := perturb(records, _scheme(name, level, records), seed=seed)).data, release.key
    if name == "orthogonal-noise":
        records = records / np.linalg.norm(records, axis=1, keepdims=True)
    if motion == "rigid":
        released = released + 3 * rng.standard_normal(n)
    return rng, records, released, key.order, key.noise


SCHEMES = ["noisy", "ball", "orthogonal-noise"]


def _check(name, motion, level, sizes, trials):
    """No link is wrong; the number of links."""
    linked = 0
    m, a = sizes
    for seed in trials:
        _, records, released, order, sigma = _release(name, motion, level, seed, m=m)
        linkage = link(records[:a], released, motion=motion, noise=sigma)
        assert ((linkage.rows == order[:a]) | (linkage.rows == -1)).all(), seed
        assert (linkage.posterior[linkage.linked] >= 1 - LIMIT).all()
        assert linkage.noise == sigma
        linked += len(linkage.linked)
    return linked


@pytest.mark.parametrize("motion", ["orthogonal", *slow("rigid")])
@pytest.mark.parametrize("name", ["orthogonal-noise", *slow("noisy", "ball")])
def test_no_link_is_wrong(name, motion):
    """Little noise: all is linked. Much of it: whatever is linked is right."""
    assert _check(name, motion, 0.01, (150, 10), range(3)) >= 27
    _check(name, motion, 0.1, (80, 8), range(2))
    _check(name, motion, 0.4, (40, 5), range(1))


@pytest.mark.slow
@pytest.mark.parametrize("level", [0.05, 0.1, 0.2, 0.4])
@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
@pytest.mark.parametrize("name", SCHEMES)
def test_no_link_is_wrong_in_larger_releases(name, motion, level):
    _check(name, motion, level, (150, 10), range(10, 12))


def _calibration(trials, m, a):
    """Of links asked for at a high limit, at least as many are right as their posteriors say, but for sampling.

    Links of one release stand or fall together: the standard error is taken over releases.
    """
    excess, strict = [], []
    for seed in range(trials):
        level = (0.1, 0.2, 0.3)[seed % 3]
        _, records, released, order, sigma = _release("noisy", "orthogonal", level, seed, m=m, n=8)
        linkage = link(records[:a], released, motion="orthogonal", noise=sigma, chance_limit=0.4)
        right, chosen = linkage.rows == order[:a], linkage.linked
        if len(chosen):
            excess.append((right[chosen] - linkage.posterior[chosen]).mean())
            strict += right[chosen][linkage.posterior[chosen] >= 1 - LIMIT].tolist()
    assert len(excess) >= trials / 4
    assert np.mean(excess) >= -4 * np.std(excess) / np.sqrt(len(excess)) - 0.02
    assert np.mean(strict) >= 0.99


def test_posteriors_mean_what_they_say():
    _calibration(12, 40, 6)


@pytest.mark.slow
def test_posteriors_mean_what_they_say_in_many_trials():
    _calibration(60, 60, 6)


@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
@pytest.mark.parametrize("name", ["noisy", *slow("ball", "orthogonal-noise")])
def test_an_unknown_level_is_found(name, motion):
    """Within a factor of 1.5: the misfit of most of 12 records has many degrees of freedom."""
    found = 0
    for seed in range(2):
        _, records, released, order, sigma = _release(name, motion, 0.03, seed)
        linkage = link(records[:12], released, motion=motion, noise="estimate")
        assert ((linkage.rows == order[:12]) | (linkage.rows == -1)).all(), seed
        if len(linkage.linked):
            found += 1
            assert 1 / 1.5 <= linkage.noise / sigma <= 1.5
    assert found


@pytest.mark.parametrize(("noise", "seeds"), [("given", range(3)), *slow(("estimate", [0]), ("estimate", [1, 2]))])
def test_strangers_among_the_known_get_no_link(noise, seeds):
    for seed in seeds:
        rng, records, released, order, sigma = _release("noisy", "orthogonal", 0.03, seed, m=60)
        known = np.vstack([records[:8], rng.permuted(records, axis=0)[:4]])
        linkage = link(known, released, motion="orthogonal", noise=sigma if noise == "given" else "estimate")
        assert (linkage.rows[8:] == -1).all(), seed
        assert ((linkage.rows[:8] == order[:8]) | (linkage.rows[:8] == -1)).all(), seed


@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
def test_hopeless_noise_ends_in_ambiguity(motion):
    """As much noise as data."""
    _, records, released, _, sigma = _release("noisy", motion, 1.0, 0, m=80, n=6)
    linkage = link(records[:6], released, motion=motion, noise=sigma)
    assert linkage.status.tolist() == ["ambiguous"] * 6


@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
def test_neither_the_order_of_the_records_nor_that_of_the_rows_matters(motion):
    for seed in range(2):
        rng, records, released, _, sigma = _release("noisy", motion, 0.05, seed)
        ours, theirs = rng.permutation(8), rng.permutation(len(released))
        plain = link(records[:8], released, motion=motion, noise=sigma)
        other = link(records[:8][ours], released[theirs], motion=motion, noise=sigma)
        assert other.status.tolist() == plain.status[ours].tolist()
        linked = other.linked
        assert (theirs[other.rows[linked]] == plain.rows[ours][linked]).all()
        np.testing.assert_allclose(other.posterior[linked], plain.posterior[ours][linked], atol=1e-6)


def _sizes(rng, count):
    """Columns of very different size, so that the noise drowns all but the largest."""
    return np.exp(0.5 * rng.standard_normal((count, 6))) * np.logspace(0, 4, 6)


@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
def test_columns_of_very_different_size_are_linked_by_those_that_show(motion):
    """Where all known records are found none is likely to be a stranger: most are linked, none wrongly."""
    shares = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        records = _sizes(rng, 1000)
        rotation = np.linalg.qr(rng.standard_normal((6, 6)))[0]
        order, noise = rng.permutation(1000), 7.5
        released = np.empty_like(records)
        released[order] = records @ rotation.T + noise * rng.standard_normal(records.shape)
        linkage = link(records[:30], released, motion=motion, noise=noise)
        assert (linkage.rows[linkage.linked] == order[linkage.linked]).all()
        shares.append(len(linkage.linked) / 30)
    assert np.mean(shares) > 0.8, shares  # with a prior of one half, 0.68


@pytest.mark.parametrize("strangers", [400, *slow(3000)])
def test_strangers_seldom_pass_where_everybody_else_is_found(strangers):
    """At the largest prior of being present: at most the limit, 1 in 1,000, besides three standard errors."""
    passed, seeds = 0, range(8)
    for seed in seeds:
        rng = np.random.default_rng(seed)
        records = _sizes(rng, 1000 + strangers)
        released = records[:1000] + 7.5 * rng.standard_normal((1000, 6))
        like = Likelihood(records[:30], released[:30], released, 7.5, translates=False, spacing=0.0)
        passed += int((like.posterior(records[1000:], BELIEVING.most_present).probability >= 0.999).sum())
    total = strangers * len(seeds)
    assert passed <= 1e-3 * total + 3 * np.sqrt(1e-3 * total)
