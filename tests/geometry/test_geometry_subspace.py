# SPDX-License-Identifier: BSD-3-Clause
"""Spans, complements and residuals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isobreach.geometry import complement, residuals, row_basis, row_norms
from oracles import rotation


@given(seed=st.integers(0, 2**32), n=st.integers(1, 12), rank=st.integers(0, 12), extra=st.integers(0, 5))
def test_basis_and_complement_split_the_space(seed, n, rank, extra):
    rng = np.random.default_rng(seed)
    rank = min(rank, n)
    rows = rng.standard_normal((rank + extra, rank)) @ rotation(n, rng)[:rank]
    basis = row_basis(rows)
    hidden = complement(basis)
    both = np.hstack([basis, hidden])
    assert basis.shape == (n, rank)
    np.testing.assert_allclose(both.T @ both, np.eye(n), atol=1e-13)
    np.testing.assert_allclose(rows @ hidden, 0, atol=1e-12)
    np.testing.assert_allclose(residuals(rows, hidden), 0, atol=1e-12)


@pytest.mark.parametrize("scale", [1e-120, 1, 1e120])
@pytest.mark.parametrize(
    ("rows", "rank"),
    [
        ([[1, 2, 3], [1, 2, 3]], 1),
        ([[1, 2, 3], [-3, -6, -9], [1, 2, 3.1]], 2),
        ([[0.1, 0.2, 0.3], [0.3, 0.6, 0.9]], 1),  # parallel, but not in binary
        ([[1, 0, 0], [0, 1, 0], [1, 1, 0], [1, -1, 0]], 2),
        ([[0, 0, 0]], 0),
        ([[0, 0, 0], [1, 1, 1]], 1),
        (np.empty((0, 3)), 0),
    ],
)
def test_repeated_parallel_and_zero_records_add_no_rank(rows, rank, scale):
    assert row_basis(scale * np.array(rows)).shape == (3, rank)


def test_a_direction_that_noise_could_have_made_is_not_determined():
    rows = np.diag([5.0, 1.0, 0.1])
    assert [row_basis(rows, noise).shape[1] for noise in (0, 0.05, 0.5, 2, 7)] == [3, 3, 2, 1, 0]


@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-9, 1e-12])
def test_residuals_do_not_cancel_near_the_span(gap):
    """The rows at risk: |y|^2 - |Py|^2 would have no correct digit from 1e-8 on."""
    rng = np.random.default_rng(1)
    axes = rotation(20, rng)
    linked = rng.standard_normal((5, 5)) @ axes[:5]
    rows = rng.standard_normal((50, 5)) @ axes[:5] + gap * axes[5 + np.arange(50) % 15]
    measured = residuals(rows, complement(row_basis(linked)))
    np.testing.assert_allclose(measured, gap, rtol=max(1e-6, 1e-14 / gap))


def test_without_links_the_residual_is_the_norm():
    rows = np.random.default_rng(2).standard_normal((7, 4))
    np.testing.assert_array_equal(residuals(rows, complement(np.empty((4, 0)))), row_norms(rows))
    np.testing.assert_allclose(row_norms(rows), np.linalg.norm(rows, axis=1), rtol=1e-15)
