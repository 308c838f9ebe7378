# SPDX-License-Identifier: BSD-3-Clause
"""Motions that are not Haar-distributed, or not alone: transforms, pairs of attributes, permutations, geometric."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from isobreach.errors import InputError
from isobreach.geometry import public_transform
from isobreach.schemes import AttributePairs, Ball, Dct, Dft, Geometric, Key, Permutation, Rigid, perturb
from isobreach.schemes.rotation import spread

RNG = np.random.default_rng(0)
RECORDS = RNG.standard_normal((60, 6)) @ RNG.standard_normal((6, 6)) + 2
TRANSFORMS = pytest.mark.parametrize("scheme", [Dct, Dft])


def in_order(release):
    return release.data[release.key.order]


# --- dct, dft ---------------------------------------------------------------------------------------------------------


@TRANSFORMS
@pytest.mark.parametrize("n", [2, 3, 4, 7, 8, 33])
def test_all_coefficients_are_a_motion(scheme, n):
    records = np.random.default_rng(n).standard_normal((20, n)) + 1
    release = perturb(records, scheme(), 0)
    assert isinstance(release.key, Key)
    assert scheme().model.moves
    np.testing.assert_allclose(pdist(in_order(release)), pdist(records), rtol=1e-12)
    np.testing.assert_allclose(release.key.invert(release.data), records, atol=1e-12)


@TRANSFORMS
def test_the_secret_is_the_order_of_public_coefficients(scheme):
    transform = public_transform(scheme.transform, 6)
    released = in_order(perturb(RECORDS, scheme(), 3))
    coefficients = RECORDS @ transform.T
    matches = np.isclose(released.T[:, None], coefficients.T[None]).all(axis=2)
    assert (matches.sum(axis=0) == 1).all()
    assert (matches.sum(axis=1) == 1).all()
    for chosen in (scheme(), scheme(coefficients=4)):
        releases = [perturb(RECORDS, chosen, seed) for seed in range(8)]
        assert len({np.argsort(in_order(release)[0]).tobytes() for release in releases}) > 4


def test_the_transforms_are_those_of_the_literature():
    """Cosines of type II; the modulus of Fourier coefficients, which is that of NumPy."""
    n, x = 6, np.arange(1.0, 7)
    cosines = [np.sum(x * np.cos(np.pi * (2 * np.arange(n) + 1) * k / (2 * n))) for k in range(n)]
    weights = np.sqrt(np.where(np.arange(n) == 0, 1, 2) / n)
    np.testing.assert_allclose(public_transform("dct", n) @ x, weights * cosines, atol=1e-12)
    real = public_transform("dft", n) @ x
    moduli = [real[0], np.hypot(real[1], real[4]), np.hypot(real[2], real[5]), real[3]]
    np.testing.assert_allclose(np.abs(moduli), np.abs(np.fft.rfft(x)) / np.sqrt(n) * [1, np.sqrt(2), np.sqrt(2), 1])


@TRANSFORMS
@pytest.mark.parametrize("count", [1, 3, 5])
def test_fewer_coefficients_are_a_projection_that_keeps_the_most_energy(scheme, count):
    chosen = scheme(coefficients=count)
    release = perturb(RECORDS, chosen, 1)
    assert release.data.shape == (60, count)
    assert not chosen.model.moves
    assert chosen.model.maps
    assert chosen.keeps == ()
    assert (pdist(release.data[release.key.order]) <= pdist(RECORDS) * (1 + 1e-12)).all()
    matrix = release.key.secrets["matrix"]
    np.testing.assert_allclose(matrix @ matrix.T, np.eye(count), atol=1e-12)
    energy = np.sort(np.square(RECORDS @ public_transform(scheme.transform, 6).T).sum(axis=0))[::-1]
    assert np.square(release.data).sum() == pytest.approx(energy[:count].sum())
    with pytest.raises(InputError, match=f"which released {count} columns of 6"):
        release.key.invert(release.data)


@TRANSFORMS
def test_coefficients_are_checked(scheme):
    with pytest.raises(InputError, match=r"coefficients must be a whole number >= 1\. Got 0\."):
        scheme(coefficients=0)
    with pytest.raises(InputError, match=r"below the number of columns of X, 6\. Got 6\. Leave it out to release all"):
        perturb(RECORDS, scheme(coefficients=6))
    with pytest.raises(InputError, match=r"X must have 2 columns or more for the scheme d[cf]t\. Got 1 column\."):
        perturb(RECORDS[:, :1], scheme())


# --- attribute-pairs --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("threshold", [0.0, 0.5, 3.5])
def test_pairs_turn_within_themselves_by_enough(seed, threshold):
    release = perturb(RECORDS, AttributePairs(threshold), seed)
    rotation, rows = release.key.rotation, in_order(release)
    partners = [set(np.flatnonzero(np.abs(row) > 1e-12)) for row in rotation]
    assert all(len(pair) <= 2 for pair in partners)
    for i, j in {tuple(sorted(pair)) for pair in partners if len(pair) == 2}:
        squares = (np.square(table[:, [i, j]]).sum(axis=1) for table in (rows, RECORDS))
        np.testing.assert_allclose(*squares, rtol=1e-12)
        assert np.linalg.det(rotation[np.ix_([i, j], [i, j])]) == pytest.approx(1)
    assert (np.var(RECORDS - rows, axis=0) >= threshold * np.var(RECORDS, axis=0) * (1 - 1e-12)).all()


@pytest.mark.parametrize("n", [3, 5, 7])
def test_an_odd_attribute_is_paired_with_one_that_was_rotated_before(n):
    records = RNG.standard_normal((30, n))
    release = perturb(records, AttributePairs(), 1)
    np.testing.assert_allclose(pdist(in_order(release)), pdist(records), rtol=1e-12)
    turned = np.var(records - in_order(release), axis=0)
    assert (turned >= 0.5 * np.var(records, axis=0) * (1 - 1e-12)).all()
    assert sorted((np.abs(release.key.rotation) > 1e-12).sum(axis=1))[-1] == 3


def test_pairs_of_constant_or_unequal_columns():
    for scales in ([1, 0, 1e6, 1e-3], [0, 0, 0, 0]):
        records = RNG.standard_normal((20, 4)) * scales + 5
        release = perturb(records, AttributePairs(), 0)
        np.testing.assert_allclose(release.key.invert(release.data), records, rtol=1e-9)
    with pytest.raises(InputError, match=r"X must have 2 columns or more for the scheme attribute-pairs"):
        perturb(RECORDS[:, :1], AttributePairs())
    with pytest.raises(InputError, match=r"threshold must be below 4, which a change of sign reaches\. Got 4\."):
        AttributePairs(threshold=4)
    with pytest.raises(InputError, match=r"threshold must be a change that both attributes of a pair can reach"):
        perturb(RNG.standard_normal((20, 3)), AttributePairs(threshold=3.9999999), 0)


# --- permutation ------------------------------------------------------------------------------------------------------


def test_columns_stay_together_under_a_permutation():
    release = perturb(RECORDS, Permutation(scale=3.0, beta=0), 4)
    assert sorted(map(tuple, release.key.rotation)) == sorted(map(tuple, np.eye(6)))
    np.testing.assert_allclose(np.sort(np.sort(release.data, axis=0)[0]), np.sort(3 * RECORDS.min(axis=0)))
    np.testing.assert_allclose(release.key.invert(release.data), RECORDS, rtol=1e-12)
    assert len({perturb(RECORDS, "permutation", seed).key.rotation.tobytes() for seed in range(8)}) > 1


def test_a_permutation_has_the_noise_of_the_ball():
    release, ball = (perturb(RECORDS, scheme, 4) for scheme in (Permutation(2.0, 0.7), Ball(2.0, 0.7)))
    assert (release.key.scale, release.key.noise) == (ball.key.scale, ball.key.noise)
    radius = np.linalg.norm(release.data - release.key.apply(RECORDS), axis=1)
    assert 0.3 < radius.max() <= 2 * 0.7 / 4
    with pytest.raises(InputError, match=r"X must have 2 columns or more for the scheme permutation"):
        perturb(RECORDS[:, :1], "permutation")


# --- geometric --------------------------------------------------------------------------------------------------------


def test_geometric_perturbation_is_a_rigid_motion_with_noise():
    still = perturb(RECORDS, Rigid(), 5)
    np.testing.assert_array_equal(perturb(RECORDS, Geometric(noise=0), 5).data, still.data)
    release = perturb(RECORDS, Geometric(noise=0.5), 5)
    np.testing.assert_array_equal(release.key.rotation, still.key.rotation)
    assert release.key.noise == pytest.approx(0.5 * spread(RECORDS, "noise"))
    error = release.data - still.data
    assert np.sqrt(np.mean(error**2)) == pytest.approx(release.key.noise, rel=0.15)
    assert np.linalg.norm(release.key.translation) > 1
