# SPDX-License-Identifier: BSD-3-Clause
"""Rotations by Hadamard matrices: a rough fit is rounded to the exact key, and no other rotation is taken for one."""

import numpy as np
import pytest
from scipy.linalg import hadamard

import isobreach as ib
from effort import EIGHT_SEEDS
from isobreach.attacks.alignment.descent import Evaluations
from isobreach.attacks.alignment.structured import decoded
from oracles import rotation
from sentences import sentence_vectors

SEEDS = range(8)


def fast_rotation(wide, n, rng):
    """H D' P H D, for records of n columns padded by zeros."""
    walsh = hadamard(wide) / np.sqrt(wide)
    first, second = rng.choice([-1.0, 1.0], (2, wide))
    return (walsh @ (second[:, None] * walsh[rng.permutation(wide)]) * first)[:, :n]


def near(matrix, cosine, rng):
    """A matrix of orthonormal columns that has about this inner product with each column."""
    other = np.linalg.qr(rng.standard_normal(matrix.shape)).Q
    left, _, right = np.linalg.svd(cosine * matrix + np.sqrt(1 - cosine**2) * other, full_matrices=False)
    return left @ right


@pytest.mark.parametrize(("wide", "n"), [(64, 64), (128, 128), (128, 100)])
@EIGHT_SEEDS
def test_a_rough_fit_is_rounded_to_the_exact_key(wide, n, seeds):
    for seed in seeds:
        rng = np.random.default_rng(seed)
        key = fast_rotation(wide, n, rng)
        found = decoded(near(key, 0.75, rng), Evaluations(1000), rng)
        assert np.abs(found - key).max() < 1e-12


def test_nothing_is_read_where_chance_would_be_as_near():
    """Haar rotations, too rough fits, Hadamard matrices of another kind, and a number of columns that has none."""
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        key = fast_rotation(64, 64, rng)
        several = [rotation(64, rng), near(key, 0.2, rng), rotation(64, rng)[:, :40], rotation(60, rng)]
        several.append(key * rng.uniform(0.1, 2, 64) @ rotation(64, rng))
        assert all(decoded(np.linalg.qr(one).Q, Evaluations(1000), rng) is None for one in several)


@pytest.mark.slow
def test_a_public_sample_reads_the_key_of_a_fast_rotation():
    """Nobody inside: with a rotation of Haar's measure the same sample gives estimates that are near, not exact."""
    vectors = sentence_vectors(3000, 128)
    rng = np.random.default_rng(0)
    key = fast_rotation(128, 128, rng)
    found = ib.reconstruct("alignment", vectors[:2000] @ key.T, ib.Knowledge(sample=vectors[2000:]), seed=0)
    assert found.claimed
    assert found.objective == "hadamard"
    assert "exact key" in found.reason
    assert np.abs(found.estimates - vectors[:2000]).max() < 1e-9
    assert np.abs(found.motion_matrix - key).max() < 1e-12
    rough = found.variants["transport"]
    assert 0.5 < (rough * vectors[:2000]).sum(axis=1).mean() / np.linalg.norm(rough, axis=1).mean() < 0.999
