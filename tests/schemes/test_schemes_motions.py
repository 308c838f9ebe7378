# SPDX-License-Identifier: BSD-3-Clause
"""Schemes: what a key does is undone by it, and what a motion must keep is kept."""

import os
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import pdist

from isobreach.errors import InputError
from isobreach.schemes import SCHEMES, perturb

NAMES = list(SCHEMES)
RECORDS = np.random.default_rng(0).standard_normal((40, 5)) + 3


@given(
    seed=st.integers(0, 2**32),
    m=st.integers(1, 30),
    n=st.integers(1, 9),
    scale=st.sampled_from([1e-100, 1e-6, 1, 1e6, 1e100]),
    name=st.sampled_from(NAMES),
)
def test_the_key_gives_the_records_back(seed, m, n, scale, name):
    records = scale * np.random.default_rng(seed).standard_normal((m, n))
    release = perturb(records, name, seed)
    assert release.data.shape == (m, n)
    np.testing.assert_allclose(release.key.invert(release.data), records, rtol=0, atol=1e-9 * abs(records).max())


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.float32, np.float64, bool])
@pytest.mark.parametrize("name", NAMES)
def test_records_of_any_type_are_released_in_double_precision(name, dtype):
    records = np.random.default_rng(0).integers(0, 100, (10, 4)).astype(dtype)
    release = perturb(records, name, 0)
    assert release.data.dtype == np.float64
    np.testing.assert_allclose(release.key.invert(release.data), records, atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_distances_are_kept(name):
    release = perturb(RECORDS, name, seed=1)
    np.testing.assert_allclose(pdist(release.data[release.key.order]), pdist(RECORDS), rtol=1e-12)


def test_an_orthogonal_motion_keeps_norms_and_a_rigid_one_does_not():
    norms = np.linalg.norm(RECORDS, axis=1)
    kept, moved = (np.linalg.norm(r.data[r.key.order], axis=1) for r in (perturb(RECORDS, n, 1) for n in NAMES))
    np.testing.assert_allclose(kept, norms, rtol=1e-13)
    assert (abs(moved - norms) > 1e-3).all()


@pytest.mark.parametrize("name", NAMES)
def test_the_key_states_the_motion(name):
    release = perturb(RECORDS, name, seed=2)
    key = release.key
    np.testing.assert_allclose(key.rotation @ key.rotation.T, np.eye(5), atol=1e-14)
    np.testing.assert_allclose(release.data[key.order], RECORDS @ key.rotation.T + key.translation, atol=1e-13)
    np.testing.assert_array_equal(key.apply(RECORDS), release.data)
    assert sorted(key.order) == list(range(40))
    assert key.order.tolist() != list(range(40))
    assert key.scheme == name
    assert (key.translation != 0).all() == (name == "rigid")


@pytest.mark.parametrize("table", [np.zeros((3, 2)), np.ones((1, 1)), np.full((4, 3), 7)], ids=["zero", "one", "same"])
@pytest.mark.parametrize("name", NAMES)
def test_degenerate_tables_are_no_obstacle(name, table):
    release = perturb(table, name, 0)
    np.testing.assert_allclose(release.key.invert(release.data), table, atol=1e-12)
    assert (release.key.translation != 0).all() == (name == "rigid")


@pytest.mark.parametrize("name", NAMES)
def test_a_seed_reproduces_and_another_does_not(name):
    same, again, other = (perturb(RECORDS, name, seed).data for seed in (3, 3, 4))
    np.testing.assert_array_equal(same, again)
    assert not np.allclose(same, other)


@pytest.mark.parametrize("name", NAMES)
def test_without_a_seed_every_bit_of_the_key_comes_from_the_system(monkeypatch, name):
    asked = []
    system = os.urandom

    def counting(size):
        asked.append(size)
        return system(size)

    monkeypatch.setattr("os.urandom", counting)
    monkeypatch.setattr("numpy.random.default_rng", None)  # no other generator takes part
    keys = [perturb(RECORDS, name).key for _ in range(3)]
    assert sum(asked) >= 3 * 8 * (5 * 5 + 40 + (5 if name == "rigid" else 0))
    assert all(abs(a.rotation - b.rotation).max() > 1e-6 for a, b in pairwise(keys))
    assert len({tuple(key.order) for key in keys}) == 3


@pytest.mark.parametrize("name", NAMES)
def test_nothing_secret_is_shown(name):
    release = perturb(RECORDS, name, 5)
    assert repr(release.key) == f"Key(scheme='{name}', 40 records x 5 columns)"
    for value in (*release.key.rotation.ravel(), *release.key.translation):
        assert value == 0 or f"{value:.4f}"[:6] not in repr(release) + str(release.key)


def test_a_scheme_may_be_given_as_an_object():
    np.testing.assert_array_equal(perturb(RECORDS, SCHEMES["rigid"], 0).data, perturb(RECORDS, "rigid", 0).data)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: perturb(RECORDS, "affine", 0), "scheme must be one of orthogonal, rigid. Got 'affine'."),
        (lambda: perturb(RECORDS, "rigid", -1), "seed must be a whole number >= 0. Got -1."),
        (lambda: perturb(RECORDS, "rigid", 0.5), "seed must be a whole number >= 0. Got 0.5."),
        (lambda: perturb(RECORDS[:0], "rigid", 0), "X must have at least one row. Got 0 rows."),
        (lambda: perturb(RECORDS * np.nan, "rigid", 0), "X must be finite everywhere. Got 200 missing"),
        (
            lambda: perturb(RECORDS, "rigid", 0).key.invert(RECORDS[:3]),
            "released must be the table of this key: 40 x 5. Got 3 x 5.",
        ),
        (lambda: perturb(RECORDS, "rigid", 0).key.invert(RECORDS[0]), "released must be a table: two dimensions."),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(InputError) as error:
        call()
    assert str(error.value).startswith(message)
