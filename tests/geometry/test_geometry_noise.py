# SPDX-License-Identifier: BSD-3-Clause
"""Noise: the errors of a fitted motion against simulated fits, and probabilities against the model drawn literally."""

import numpy as np
import pytest

from isobreach.geometry import (
    Hidden,
    Noise,
    NoisyRows,
    Spread,
    breach_probability,
    fit_motions,
    noisy_breach_probability,
    noisy_radius,
    noisy_rows,
)
from oracles import rotation, sphere_points


def _wide(k):
    """Rows that have nothing in common: the spread is that large."""
    return Spread(1, np.zeros(k), np.full(k, 1e12), 1e12, 0.0, np.zeros(k))


@pytest.mark.parametrize("translates", [False, True])
@pytest.mark.parametrize(("n", "q", "wide"), [(3, 2, 3), (4, 4, 4), (3, 3, 5), (2, 6, 4)])
def test_the_errors_of_a_fit_are_those_of_first_order(n, q, wide, translates):
    """Pairs and a row, with fresh noise each time: covariance of the seen error, and variance of the hidden one."""
    rng = np.random.default_rng([n, q, wide])
    known, motion, sigma, draws = 3 * rng.standard_normal((q, n)) + 1, rotation(wide, rng)[:, :n], 1e-4, 1500
    record = 4 * rng.standard_normal(n)
    exact = fit_motions(known, known @ motion.T, translates=translates, whiten=False)
    seen, hidden = [], []
    for _ in range(draws):
        released = known @ motion.T + sigma * rng.standard_normal((q, wide))
        row = motion @ record + sigma * rng.standard_normal(wide)
        fitted = fit_motions(known, released, translates=translates, whiten=False)
        seen.append((row - fitted.released_centre) @ fitted.released)
        # In the exact complement's basis, whatever basis the fitted one has.
        apart = fitted.released_hidden @ fitted.released_hidden.T @ (row - fitted.released_centre)
        hidden.append(apart @ exact.released_hidden)
    truth = (motion @ record - exact.released_centre) @ exact.released
    residual = np.array([np.linalg.norm((motion @ record - exact.released_centre) @ exact.released_hidden)])
    noise = Noise(sigma, exact.strength, 1 + translates / q)
    k = len(truth)
    rows = noisy_rows(truth[None], np.zeros(k), residual, noise, Hidden(n - k, wide - k), _wide(k))
    covariance = np.cov(np.array(seen).T).reshape(k, k)
    empirical = [np.trace(np.linalg.matrix_power(covariance, j)) for j in (1, 2, 3)]
    near = 4.5 * np.sqrt(2 / draws)  # of one variance; that of a trace of k alike ones is smaller by sqrt(k)
    assert rows.traces[0, 0] == pytest.approx(empirical[0], rel=near * np.sqrt(empirical[1]) / empirical[0])
    np.testing.assert_allclose(rows.traces[0, 1:], empirical[1:], rtol=2.5 * near)
    assert rows.forms[0, 1, 2] == pytest.approx(truth @ covariance @ truth, rel=near)
    assert rows.forms[0, 2, 2] == pytest.approx(truth @ covariance @ covariance @ truth, rel=2 * near)
    if wide > k:
        assert rows.variance[0] == pytest.approx(np.var(hidden, axis=0).mean(), rel=near)
    assert abs(np.mean(seen, axis=0) - truth).max() < 5 * np.sqrt(covariance.max() / draws)


def _model(k, h, released, offset, rng, sigma):
    """A row under the model: what noisy_rows says of it, and draws of m + z, b and u."""
    seen, centre = rng.standard_normal(k) * 2, rng.standard_normal(k)
    noise = Noise(sigma, rng.uniform(3, 6, k), 1.2)
    spread = Spread(10, 10 * np.ones(k), np.full(k, 40.0), 30.0 * max(h, 1), 0.0, np.zeros(k))
    hidden = Hidden(h, released, offset)
    residual = np.array([1.3 if released else 0.0])
    rows = noisy_rows(seen[None], centre, residual, noise, hidden, spread)
    diagonal, variance = noise.variances(seen[None], residual)
    mean, wide = spread.of_foot()
    covariance = np.diag(diagonal[0]) - np.outer(seen, seen) * noise.shared() * sigma**2
    kappa = wide / (wide + diagonal[0])
    root = np.diag(np.sqrt(kappa))
    draws = 40_000
    z = rng.standard_normal((draws, k)) @ np.linalg.cholesky(root @ covariance @ root).T if k else np.zeros((draws, 0))
    middle, bias = mean + kappa * (seen + centre - mean), (1 - kappa) * (seen + centre - mean)
    kept = spread.of_hidden(hidden) / (spread.of_hidden(hidden) + variance[0])
    inside = np.sqrt(max(residual[0] ** 2 - (released - h) * variance[0], 0))
    # Any direction is as likely as any other: the measured one is turned at random with the rest.
    u = kept * inside * np.eye(h)[:1] + np.sqrt(kept * variance[0]) * rng.standard_normal((draws, h)) if h else None
    d = np.linalg.norm(u, axis=1) if h else np.zeros(draws)
    return rows, hidden, middle + z, bias - z, d


@pytest.mark.parametrize("estimator", ["optimal", "uniform"])
@pytest.mark.parametrize(
    ("k", "h", "released", "offset"),
    [
        (3, 0, 0, 0),
        (3, 0, 2, 0),
        (1, 1, 1, 0),
        (2, 1, 1, 1.5),
        (2, 2, 2, 0),
        (3, 3, 3, 1),
        (2, 4, 7, 0.7),
        (0, 3, 3, 2),
    ],
)
def test_the_probability_is_the_share_of_breaches_in_the_model(k, h, released, offset, estimator):
    rng = np.random.default_rng([k, h, released])
    for sigma in (0.02, 0.2, 0.4):
        rows, hidden, part, error, d = _model(k, h, released, offset, rng, sigma)
        for epsilon in (0.15, 0.4, 0.8):
            claimed = noisy_breach_probability(rows, hidden, epsilon, estimator)[0]
            square, apart = (part**2).sum(axis=1) + offset**2, np.zeros(len(d))
            if h:
                u, r = d[:, None] * sphere_points(h, len(d), rng), noisy_radius(rows, hidden, epsilon, estimator)[0]
                along = estimator == "optimal" and offset > 0
                w = r * (np.eye(h)[:1] if along else sphere_points(h, len(d), rng))
                square = square + d**2 + 2 * offset * u[:, 0]
                apart = ((u - w) ** 2).sum(axis=1)
            counted = ((error**2).sum(axis=1) + apart <= epsilon**2 * square).mean()
            assert abs(counted - claimed) < 0.025, (sigma, epsilon, counted, claimed)


@pytest.mark.parametrize("estimator", ["optimal", "uniform"])
@pytest.mark.parametrize("offset", [0.0, 0.8])
def test_without_noise_it_is_the_cap_itself(estimator, offset):
    d, foot = np.array([0.2, 0.7, 1.4, 3.0]), np.array([1.0, 2.0, 3.0, 1.0])
    for h in (1, 2, 3, 12):
        for tiny in (0.0, 1e-24):
            traces = np.tile([tiny, tiny**2, tiny**3], (4, 1))
            forms = np.zeros((4, 3, 3))
            forms[:, :, 2] = foot[:, None] * np.array([1, tiny, tiny**2])
            rows = NoisyRows(d, np.full(4, tiny), traces, forms)
            for epsilon in (0.1, 0.35, 0.7):
                claimed = noisy_breach_probability(rows, Hidden(h, h, offset), epsilon, estimator)
                norm = np.sqrt(foot + offset**2 + d**2)
                expected = breach_probability(d, norm, h, epsilon, estimator, offset=offset)
                np.testing.assert_allclose(claimed, expected, atol=3e-3 if offset else 3e-4)


def test_the_parts_of_a_release_add_up_to_its_spread():
    rng = np.random.default_rng(0)
    seen, residual, centre = rng.standard_normal((50, 3)), rng.random(50), np.ones(3)
    noise = Noise(0.1, np.array([5.0, 4.0, 3.0]), 1.0)
    whole = Spread.of(seen, centre, residual, noise)
    parts = Spread.of(seen[:20], centre, residual[:20], noise) + Spread.of(seen[20:], centre, residual[20:], noise)
    for one, two in zip(whole.of_foot(), parts.of_foot(), strict=True):
        np.testing.assert_allclose(one, two)
    assert whole.of_hidden(Hidden(2, 2)) == pytest.approx(parts.of_hidden(Hidden(2, 2)))
    np.testing.assert_allclose(whole.of_foot()[0], (seen + 1).mean(axis=0))


def test_traces_and_forms_are_those_of_the_matrices_themselves():
    rng = np.random.default_rng(1)
    seen, centre, residual = rng.standard_normal((6, 4)) * 3, rng.standard_normal(4), rng.random(6)
    noise, hidden = Noise(0.7, np.array([3.0, 2.0, 1.0, 0.5]), 1.3), Hidden(2, 3, 0.4)
    spread = Spread.of(3 * seen, centre, residual, noise)
    rows = noisy_rows(seen, centre, residual, noise, hidden, spread)
    mean, wide = spread.of_foot()
    for i in range(6):
        power = noise.strength**2
        shared = 1 / (power[:, None] + power)
        shared[np.diag_indices(4)] = 0
        c = 0.49 * (
            np.diag(1.3 + shared @ seen[i] ** 2 + residual[i] ** 2 / power) - np.outer(seen[i], seen[i]) * shared
        )
        kappa = wide / (wide + np.diag(c))
        s = np.diag(np.sqrt(kappa)) @ c @ np.diag(np.sqrt(kappa))
        away = seen[i] + centre - mean
        b, m = (1 - kappa) * away, mean + kappa * away
        powers = [np.linalg.matrix_power(s, j) for j in range(4)]
        np.testing.assert_allclose(rows.traces[i], [np.trace(powers[j]) for j in (1, 2, 3)])
        np.testing.assert_allclose(rows.forms[i], [[b @ s @ b, b @ s @ m, m @ s @ m] for s in powers[:3]], atol=1e-12)
