# SPDX-License-Identifier: BSD-3-Clause
"""Noise: its law, its moments, what it does to distances, and what the key still undoes.

Statistics stand within 4.5 standard errors of their theory; seeds are fixed.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.spatial.distance import cdist
from scipy.stats import beta as beta_law
from scipy.stats import chi2, kstest

from isobreach.schemes import Ball, Noisy, Orthogonal, OrthogonalNoise, perturb

N = 6
RECORDS = np.random.default_rng(0).standard_normal((4000, N)) * [1, 1, 2, 3, 5, 8] + 3
SPREAD = np.sqrt(RECORDS.var(axis=0).mean())


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def noise_of(release, records):
    """The noise of each record, in released coordinates."""
    return (release.data - release.key.apply(records))[release.key.order]


def agrees(sample, expected, sigmas=4.5):
    """The mean of independent draws is the expected one, within its standard error."""
    sample = np.asarray(sample)
    return abs(sample.mean() - expected) <= sigmas * sample.std() / np.sqrt(len(sample))


def squared_distances(records, scheme, seed=0):
    """Released squared distances between copies of two records, each copy used once; the scale and v beside."""
    copies = np.repeat(records, 20_000, axis=0)
    release = perturb(copies, scheme, seed)
    first, second = release.data[release.key.order].reshape(2, 20_000, -1)
    key = release.key
    return ((first - second) ** 2).sum(axis=1), key.scale, records.shape[1] * key.noise**2


# --- noisy -----------------------------------------------------------------------------------------------------------


def test_noisy_is_gaussian_and_as_large_as_the_key_says():
    release = perturb(RECORDS, Noisy(noise=0.2), seed=1)
    assert release.key.noise == pytest.approx(0.2 * SPREAD)
    noise = noise_of(release, RECORDS) / release.key.noise
    assert kstest(noise.ravel(), "norm").pvalue > 1e-3
    np.testing.assert_allclose(np.cov(noise.T), np.eye(N), atol=4.5 * np.sqrt(2 / len(noise)))
    assert abs(np.corrcoef(noise.ravel(), (RECORDS - RECORDS.mean(axis=0)).ravel())[0, 1]) < 4.5 / np.sqrt(noise.size)


@given(shift=st.floats(-1e6, 1e6), factor=st.sampled_from([1e-50, 1e-3, 1, 1e3, 1e50]))
def test_noise_follows_the_spread_and_not_the_origin(shift, factor):
    """Relative noise means the same for every unit and every zero of the scale."""
    table = RECORDS[:50]
    sigma = perturb(table, "noisy", 0).key.noise
    assert perturb(factor * (table + shift), "noisy", 0).key.noise == pytest.approx(factor * sigma, rel=1e-6)


# --- ball ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, 16])
def test_ball_noise_is_uniform_in_the_ball(n):
    """P(|e| <= r R) = r^n, directions uniform: one coordinate of e / |e| has (1 + t) / 2 ~ Beta((n-1)/2, (n-1)/2)."""
    records = np.random.default_rng(n).standard_normal((20_000, n))
    release = perturb(records, Ball(scale=2.0, beta=3.0), seed=n)
    noise = noise_of(release, records) / (2.0 * 3.0 / 4)
    radii = np.linalg.norm(noise, axis=1)
    assert radii.max() <= 1 + 1e-12
    assert kstest(radii**n, "uniform").pvalue > 1e-3
    if n > 1:
        cosine = noise[:, 0] / radii
        assert kstest((1 + cosine) / 2, beta_law((n - 1) / 2, (n - 1) / 2).cdf).pvalue > 1e-3
    assert agrees(radii**2, n / (n + 2))  # E|e|^2 = R^2 n / (n + 2)
    assert n * release.key.noise**2 == pytest.approx(1.5**2 * n / (n + 2))


def test_beta_is_half_the_distance_from_the_mean_unless_given():
    away = np.sqrt(((RECORDS - RECORDS.mean(axis=0)) ** 2).sum(axis=1).mean())
    default, given_ = (perturb(RECORDS, scheme, 0) for scheme in (Ball(), Ball(beta=away / 2)))
    np.testing.assert_allclose(default.data, given_.data, rtol=1e-12)


@given(seed=st.integers(0, 1000), scale=st.sampled_from([0.01, 1.0, 70.0]), beta=st.floats(0.01, 3))
def test_distances_that_differ_by_more_than_beta_keep_their_order(seed, scale, beta):
    records = np.random.default_rng(seed).standard_normal((12, 3))
    release = perturb(records, Ball(scale, beta), seed)
    released = release.data[release.key.order]
    before, after = cdist(records, records), cdist(released, released)
    i, j, k = np.nonzero(before[:, :, None] + beta < before[:, None, :])
    assert (after[i, j] < after[i, k]).all()


# --- both ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 5, 40])
def test_squared_distances_have_the_bias_and_variance_of_the_noise(n):
    """D^2 = (d^2 - 2 v) / s^2. Its variance is 8 D^2 c^2 / s^2 + Var|e - e'|^2 / s^4, c the deviation of a coordinate.

    Var|e - e'|^2 = 2 Var|e|^2 + 4 v^2 / n; in a ball Var|e|^2 = R^4 (n / (n + 4) - n^2 / (n + 2)^2), of smaller order.
    """
    records = np.random.default_rng(n).standard_normal((2, n))
    true = ((records[0] - records[1]) ** 2).sum()
    for scheme in (Noisy(noise=0.7), Ball(scale=3.0, beta=4.0)):
        squared, s, v = squared_distances(records, scheme)
        debiased = (squared - 2 * v) / s**2
        assert agrees(debiased, true)
        own = 2 * v**2 / n if scheme.name == "noisy" else 3.0**4 * (n / (n + 4) - n**2 / (n + 2) ** 2)
        variance = 8 * true * v / n / s**2 + (2 * own + 4 * v**2 / n) / s**4
        assert agrees((debiased - true) ** 2, variance)


def test_the_variance_for_wide_vectors():
    """Var = 8 D^2 R^2 / (n + 2) + 4 v^2 / n at scale 1, the form without the smaller term, within 2 / n of the last."""
    n, radius = 384, 0.25
    records = unit(np.random.default_rng(1).standard_normal((2, n)))
    copies = np.repeat(records, 4000, axis=0)
    release = perturb(copies, Ball(beta=4 * radius), 0)
    first, second = release.data[release.key.order].reshape(2, 4000, n)
    v = radius**2 * n / (n + 2)
    true = ((records[0] - records[1]) ** 2).sum()
    debiased = ((first - second) ** 2).sum(axis=1) - 2 * v
    assert agrees(debiased, true)
    assert agrees((debiased - true) ** 2, 8 * true * radius**2 / (n + 2) + 4 * v**2 / n)


@pytest.mark.parametrize("scheme", [Noisy(0.3), Ball(5.0, 0.8), OrthogonalNoise(0.2)], ids=str)
def test_the_key_undoes_all_but_the_noise(scheme):
    release = perturb(RECORDS, scheme, 4)
    truth = unit(RECORDS) if scheme.name == "orthogonal-noise" else RECORDS
    error = release.key.invert(release.data) - truth
    deviation = release.key.noise / release.key.scale
    assert np.sqrt((error**2).mean()) == pytest.approx(deviation, rel=0.05)
    assert (abs(error.mean(axis=0)) < 4.5 * error.std(axis=0) / np.sqrt(len(error))).all()


@pytest.mark.parametrize("scheme", [Noisy(noise=0), Ball(beta=0)], ids=str)
def test_without_noise_it_is_an_orthogonal_motion(scheme):
    still = perturb(RECORDS, Orthogonal(), 5)
    np.testing.assert_allclose(perturb(RECORDS, scheme, 5).data, still.data, rtol=1e-14)
    assert perturb(RECORDS, scheme, 5).key.noise == 0
    perturb(np.full((3, 2), 7), scheme, 5)  # nothing is relative to a spread that is not there


# --- orthogonal-noise ------------------------------------------------------------------------------------------------


def angles(n, rho, seed=0, count=20_000):
    """Noise of a turned record, relative to its own direction: cosine, and what is orthogonal."""
    records = np.random.default_rng(seed).standard_normal((count, n)) * 10.0 ** (np.arange(n) % 5)
    release = perturb(records, OrthogonalNoise(rho), seed)
    np.testing.assert_allclose(np.linalg.norm(release.data, axis=1), 1, rtol=1e-12)
    back = release.data[release.key.order] @ release.key.rotation
    cosine = (back * unit(records)).sum(axis=1)
    return release.key, cosine, back - cosine[:, None] * unit(records)


@pytest.mark.parametrize("n", [2, 5, 64])
@pytest.mark.parametrize("rho", [0.1, 0.8])
def test_orthogonal_noise_turns_records_by_a_chi_distributed_tangent(n, rho):
    """tan of the angle is |g|, |g|^2 (n - 1) / rho^2 ~ chi^2 with n - 1 degrees: so E|g|^2 = rho^2."""
    _, cosine, across = angles(n, rho)
    tangent = np.linalg.norm(across, axis=1) / cosine
    assert kstest(tangent**2 * (n - 1) / rho**2, chi2(n - 1).cdf).pvalue > 1e-3
    assert agrees(tangent**2, rho**2)
    expected = quad(lambda t: chi2(n - 1).pdf(t) / np.sqrt(1 + rho**2 * t / (n - 1)), 0, np.inf)[0]
    assert agrees(cosine, expected)


@pytest.mark.parametrize(("n", "rho"), [(16, 0.1), (64, 0.1), (256, 0.5)])
def test_the_scale_of_the_key_is_the_mean_cosine(n, rho):
    """The second term of the mean, 3 rho^4 / (4 (n - 1)), is what the key leaves out."""
    key, cosine, _ = angles(n, rho)
    assert key.scale == pytest.approx(1 / np.sqrt(1 + rho**2), rel=1e-14)
    assert key.noise**2 * n == pytest.approx(rho**2 / (1 + rho**2))
    assert abs(cosine.mean() - key.scale) < rho**4 / (n - 1) + 4.5 * cosine.std() / np.sqrt(len(cosine))


def test_squared_distances_of_turned_records():
    """Var = 8 rho^2 (1 - cos^2) / n + 4 rho^4 / n, for wide vectors."""
    n, rho = 128, 0.3
    records = unit(np.random.default_rng(3).standard_normal((2, n)) + 0.5)
    cosine = records[0] @ records[1]
    assert 0.1 < cosine < 0.9
    squared, s, v = squared_distances(records, OrthogonalNoise(rho))
    debiased = (squared - 2 * v) / s**2
    true = 2 - 2 * cosine
    assert abs(debiased.mean() - true) < 4 * rho**4 / n + 4.5 * debiased.std() / np.sqrt(len(debiased))
    assert debiased.var() == pytest.approx(8 * rho**2 * (1 - cosine**2) / n + 4 * rho**4 / n, rel=0.08)


@given(factor=st.sampled_from([1e-130, 1e-3, 1, 1e130]), power=st.integers(0, 40))
def test_lengths_are_lost(factor, power):
    """The same directions, whatever the lengths: the same release."""
    table = RECORDS[:10]
    lengths = factor * 2.0 ** (-power * np.arange(10))
    release = perturb(lengths[:, None] * table, "orthogonal-noise", 0)
    np.testing.assert_allclose(release.data, perturb(table, "orthogonal-noise", 0).data, rtol=1e-9)
