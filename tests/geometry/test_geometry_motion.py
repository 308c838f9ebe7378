# SPDX-License-Identifier: BSD-3-Clause
"""Motions: planted ones are recovered, and the choice among consistent ones is uniform."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, kstest

from isobreach.geometry import complement, fit_motions, haar, row_basis
from oracles import rotation


def _planted(n, rank, rng, spare=2):
    """Linked pairs of the given rank, and the motion behind them."""
    motion = rotation(n, rng)
    known = rng.standard_normal((rank + spare if rank else 0, rank)) @ rotation(n, rng)[:rank]
    return known, known @ motion.T, motion


def _is_uniform_cosine(cosines, n):
    """(1 + t)/2 ~ Beta((n-1)/2, (n-1)/2) for an entry t of a uniform orthogonal matrix of order n."""
    return kstest((1 + cosines) / 2, beta((n - 1) / 2, (n - 1) / 2).cdf).pvalue > 1e-3


@given(seed=st.integers(0, 2**32), n=st.integers(1, 10))
def test_a_planted_motion_is_recovered_from_full_rank(seed, n):
    rng = np.random.default_rng(seed)
    known, released, motion = _planted(n, n, rng)
    motions = fit_motions(known, released)
    assert motions.hidden_dimension == 0
    error = 1e-13 * np.linalg.cond(known)
    np.testing.assert_allclose(motions.choose(rng), motion, atol=error)


@given(seed=st.integers(0, 2**32), n=st.integers(1, 8), rank=st.integers(0, 8))
def test_every_choice_is_orthogonal_and_maps_linked_records_to_their_rows(seed, n, rank):
    rng = np.random.default_rng(seed)
    known, released, _ = _planted(n, min(rank, n), rng)
    motions = fit_motions(known.reshape(-1, n), released.reshape(-1, n))
    chosen = motions.choose(rng)
    assert motions.hidden_dimension == n - min(rank, n)
    np.testing.assert_allclose(chosen @ chosen.T, np.eye(n), atol=1e-13)
    np.testing.assert_allclose(known @ chosen.T, released, atol=1e-11)


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_one_hidden_dimension_leaves_exactly_two_motions(n):
    rng = np.random.default_rng(n)
    known, released, motion = _planted(n, n - 1, rng)
    motions = fit_motions(known.reshape(-1, n), released.reshape(-1, n))
    choices = [motions.choose(rng) for _ in range(40)]
    away = complement(row_basis(known.reshape(-1, n)))
    mirrored = motion @ (np.eye(n) - 2 * away @ away.T)
    near = [[np.allclose(choice, m, atol=1e-10) for choice in choices] for m in (motion, mirrored)]
    assert [sum(row) for row in near] == [sum(near[0]), 40 - sum(near[0])]
    assert 8 <= sum(near[0]) <= 32  # each with probability one half


@pytest.mark.parametrize(("n", "rank"), [(2, 0), (4, 1), (5, 2), (9, 4)])
def test_the_choice_is_uniform_on_what_is_hidden(n, rank):
    """Any hidden record's image is uniform on its sphere: seen from a fixed direction, every cosine has its law."""
    rng = np.random.default_rng(n)
    known, released, motion = _planted(n, rank, rng)
    motions = fit_motions(known.reshape(-1, n), released.reshape(-1, n))
    record = complement(row_basis(known.reshape(-1, n)))[:, 0]
    seen = motion @ record
    cosines = np.array([seen @ motions.choose(rng) @ record for _ in range(3000)])
    assert _is_uniform_cosine(cosines, n - rank)


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_haar_matrices_have_the_moments_and_the_law_of_haar(n):
    rng = np.random.default_rng(n)
    count = 6000
    drawn = np.array([haar(n, rng) for _ in range(count)])
    np.testing.assert_allclose(drawn @ drawn.transpose(0, 2, 1), np.broadcast_to(np.eye(n), drawn.shape), atol=1e-14)
    near = 4.5 / np.sqrt(count)
    assert abs(drawn.mean(axis=0)).max() < near
    assert abs((drawn**2).mean(axis=0) - 1 / n).max() < near
    assert abs((drawn**4).mean(axis=0) - 3 / (n * (n + 2))).max() < near
    traces = np.trace(drawn, axis1=1, axis2=2)
    assert abs(traces.mean()) < near
    assert abs((traces**2).mean() - 1) < 2 * near
    assert abs(np.linalg.det(drawn).mean()) < near  # rotations and reflections alike
    if n > 1:
        assert all(_is_uniform_cosine(drawn[:, i, i], n) for i in range(n))


def test_nothing_to_draw_is_a_matrix_of_order_zero():
    assert haar(0, np.random.default_rng(0)).shape == (0, 0)


@given(seed=st.integers(0, 2**32), n=st.integers(1, 8), rank=st.integers(1, 8), noise=st.integers(-9, -2))
def test_the_sensitivity_bounds_the_error_of_the_fit(seed, n, rank, noise):
    rng = np.random.default_rng(seed)
    known, released, motion = _planted(n, min(rank, n), rng)
    error = 10.0**noise * rng.standard_normal(known.shape)
    size = np.linalg.norm(error, 2)
    motions = fit_motions(known, released + error, noise=2 * size)
    if motions.known.shape[1]:
        assert np.linalg.norm(motions.released - motion @ motions.known, 2) <= motions.sensitivity * size + 1e-13


def test_noisy_pairs_give_a_motion_near_the_true_one():
    rng = np.random.default_rng(5)
    known, released, motion = _planted(4, 4, rng, spare=20)
    fitted = fit_motions(known, released + 1e-3 * rng.standard_normal(released.shape)).choose(rng)
    np.testing.assert_allclose(fitted @ fitted.T, np.eye(4), atol=1e-12)
    assert 0 < np.linalg.norm(fitted - motion, 2) < 3e-3


def test_an_ill_conditioned_coalition_costs_no_more_than_its_weakest_direction():
    """Whitened, the bound is |E| / s_k; with the condition number once more it would claim nothing here."""
    rng = np.random.default_rng(6)
    known, released, _ = _planted(3, 3, rng, spare=0)
    known, released = known * [[1e6], [1], [1]], released * [[1e6], [1], [1]]
    motions = fit_motions(known, released)
    assert motions.sensitivity < 10 / np.linalg.svd(known, compute_uv=False)[-1]
