# SPDX-License-Identifier: BSD-3-Clause
"""Motions: what a key does is undone by it, and distances are kept, also in a wider release."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import pdist

from isobreach._random import generator
from isobreach.geometry import haar
from isobreach.schemes import Orthogonal, Rigid, perturb

MOTIONS = [Orthogonal(), Rigid(), Orthogonal(width=8), Rigid(width=8)]
RECORDS = np.random.default_rng(0).standard_normal((40, 5)) + 3


@given(
    seed=st.integers(0, 2**32),
    m=st.integers(1, 30),
    n=st.integers(1, 9),
    scale=st.sampled_from([1e-100, 1e-6, 1, 1e6, 1e100]),
    motion=st.sampled_from([Orthogonal, Rigid]),
    extra=st.none() | st.integers(0, 5),
)
def test_the_key_gives_the_records_back(seed, m, n, scale, motion, extra):
    records = scale * np.random.default_rng(seed).standard_normal((m, n))
    release = perturb(records, motion(width=None if extra is None else n + extra), seed)
    assert release.data.shape == (m, n + (extra or 0))
    np.testing.assert_allclose(release.key.invert(release.data), records, rtol=0, atol=1e-9 * abs(records).max())


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.float32, np.float64, bool])
@pytest.mark.parametrize("motion", MOTIONS, ids=str)
def test_records_of_any_type_are_released_in_double_precision(motion, dtype):
    records = np.random.default_rng(0).integers(0, 100, (10, 4)).astype(dtype)
    release = perturb(records, motion, 0)
    assert release.data.dtype == np.float64
    np.testing.assert_allclose(release.key.invert(release.data), records, atol=1e-9)


@pytest.mark.parametrize("motion", MOTIONS, ids=str)
def test_distances_are_kept(motion):
    release = perturb(RECORDS, motion, seed=1)
    np.testing.assert_allclose(pdist(release.data[release.key.order]), pdist(RECORDS), rtol=1e-12)


@pytest.mark.parametrize("width", [None, 8])
def test_an_orthogonal_motion_keeps_norms_and_a_rigid_one_does_not(width):
    norms = np.linalg.norm(RECORDS, axis=1)
    releases = (perturb(RECORDS, motion(width), 1) for motion in (Orthogonal, Rigid))
    kept, moved = (np.linalg.norm(release.data[release.key.order], axis=1) for release in releases)
    np.testing.assert_allclose(kept, norms, rtol=1e-13)
    assert (abs(moved - norms) > 1e-3).all()


@pytest.mark.parametrize("motion", MOTIONS, ids=str)
def test_the_key_states_the_motion(motion):
    release = perturb(RECORDS, motion, seed=2)
    key = release.key
    np.testing.assert_allclose(key.rotation.T @ key.rotation, np.eye(5), atol=1e-14)
    np.testing.assert_allclose(release.data[key.order], RECORDS @ key.rotation.T + key.translation, atol=1e-13)
    np.testing.assert_array_equal(key.apply(RECORDS), release.data)
    assert sorted(key.order) == list(range(40))
    assert key.order.tolist() != list(range(40))
    assert (key.scheme, key.scale, key.noise) == (motion.name, 1.0, 0.0)
    assert (key.translation != 0).all() == (motion.name == "rigid")


def test_a_seed_draws_rotation_then_translation_then_order():
    """Others have written seeds down: what a seed draws stays what it was."""
    records = np.random.default_rng(0).standard_normal((6, 3))
    for name in ("orthogonal", "rigid"):
        key = perturb(records, name, seed=0).key
        source = generator(0, "key")
        np.testing.assert_array_equal(key.rotation, haar(3, source))
        if name == "rigid":
            size = np.sqrt((records**2).mean())
            np.testing.assert_allclose(key.translation, size * source.standard_normal((3,)), rtol=1e-14)
        np.testing.assert_array_equal(key.order, source.permutation(6))
    assert key.order.tolist() == [2, 3, 4, 5, 1, 0]
    assert key.translation[0] == pytest.approx(0.8523025226772131, rel=1e-12)


def test_a_wider_release_is_the_motion_of_the_padded_records():
    wide = perturb(RECORDS, Rigid(width=8), 3)
    padded = perturb(np.pad(RECORDS, ((0, 0), (0, 3))), "rigid", 3)
    shift = wide.key.translation - padded.key.translation  # the padding's zeros make a smaller translation
    np.testing.assert_allclose(wide.data - shift, padded.data, atol=1e-12)
    assert np.linalg.matrix_rank(wide.data - wide.data.mean(axis=0)) == 5


@pytest.mark.parametrize("table", [np.zeros((3, 2)), np.ones((1, 1)), np.full((4, 3), 7)], ids=["zero", "one", "same"])
@pytest.mark.parametrize("motion", MOTIONS, ids=str)
def test_degenerate_tables_are_no_obstacle(motion, table):
    release = perturb(table, motion, 0)
    np.testing.assert_allclose(release.key.invert(release.data), table, atol=1e-12)
    assert (release.key.translation != 0).all() == (motion.name == "rigid")
