# SPDX-License-Identifier: BSD-3-Clause
"""What holds for every scheme: by name or as an object, by seed or from the system, and what it says it keeps."""

import os
from dataclasses import FrozenInstanceError, fields
from itertools import pairwise
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

import isobreach
from isobreach.errors import InputError
from isobreach.release import Invariant
from isobreach.schemes import (
    SCHEMES,
    AdditiveNoise,
    Aspe,
    AttributePairs,
    Ball,
    ComponentNoise,
    Condensation,
    Dct,
    Dft,
    DistanceMatrix,
    Geometric,
    KAnonymity,
    KdTree,
    Key,
    LogNoise,
    MultiplicativeNoise,
    Noisy,
    Orthogonal,
    OrthogonalNoise,
    Permutation,
    RandomProjection,
    Rigid,
    RowMixing,
    Scheme,
    SchemeKey,
    Shuffling,
    Swapping,
    perturb,
    scheme_by_name,
)

RECORDS = np.random.default_rng(0).standard_normal((40, 5)) + 3
FIRST = ["orthogonal", "rigid", "noisy", "ball", "orthogonal-noise"]
CHANGED = [
    Orthogonal(width=7),
    Rigid(width=7),
    Noisy(noise=0.5),
    Ball(2.0, 0.1),
    OrthogonalNoise(noise=0.5),
    AdditiveNoise(noise=0.2, law="uniform"),
    Aspe(),
    AttributePairs(threshold=1.5),
    ComponentNoise(noise=0.2, share=0.5),
    Condensation(group=3),
    Dct(coefficients=3),
    Dft(coefficients=3),
    DistanceMatrix(),
    Geometric(noise=0.2),
    KAnonymity(group=3),
    KdTree(group=3),
    LogNoise(noise=0.2),
    MultiplicativeNoise(noise=0.3),
    Permutation(2.0, 0.1),
    RandomProjection(dimension=3),
    RowMixing(block=12),
    Shuffling(retained=0.7),
    Swapping(window=0.5),
]
NOISELESS = [Noisy(0.0), Geometric(0.0), OrthogonalNoise(0.0), Ball(beta=0.0), Ball(2.0, 0.0), Permutation(beta=0.0)]
OWN = {name: SCHEMES[name] for name in SCHEMES if SCHEMES.built_in(name)}  # those of packages: tests/packages
every_scheme = pytest.mark.parametrize("scheme", [*OWN.values(), *CHANGED], ids=str)


def test_the_registry_names_its_schemes():
    assert list(OWN) == FIRST + sorted(set(OWN) - set(FIRST))
    assert list(SCHEMES)[: len(OWN)] == list(OWN)
    assert all(isinstance(scheme, Scheme) and scheme.name == name for name, scheme in OWN.items())
    assert {type(scheme) for scheme in CHANGED} == {type(scheme) for scheme in OWN.values()}


@pytest.mark.parametrize("scheme", [*OWN.values(), *CHANGED, *NOISELESS], ids=str)
def test_a_scheme_keeps_what_it_says_and_nothing_else(scheme):
    """Without noise a scheme is the motion behind it, and its model says so."""
    release = perturb(RECORDS, scheme, 1)
    released = release.data[release.key.order]
    distances = pdist(released)
    if scheme.model.distances:
        distances = squareform(released[:, release.key.order])
    kept = {
        "norms": (np.linalg.norm(released, axis=1), np.linalg.norm(RECORDS, axis=1)),
        "distances": (distances, pdist(RECORDS)),
        "inner products": (released @ released.T, RECORDS @ RECORDS.T),
        "mean and covariance": (moments(released), moments(RECORDS)),
    }
    assert set(kept) == set(get_args(Invariant))
    for invariant, (after, before) in kept.items():
        same = after.shape == before.shape and np.allclose(after, before, rtol=1e-12)
        assert same == (invariant in scheme.keeps), invariant


def moments(rows):
    return np.vstack([rows.mean(axis=0), np.cov(rows, rowvar=False)])


@every_scheme
def test_a_seed_reproduces_and_another_does_not(scheme):
    same, again, other = (perturb(RECORDS, scheme, seed).data for seed in (3, 3, 4))
    np.testing.assert_array_equal(same, again)
    assert not np.allclose(same, other)


@every_scheme
def test_without_a_seed_every_bit_comes_from_the_system(monkeypatch, scheme):
    perturb(RECORDS, scheme, 0)  # imports what it needs while all generators are there
    asked = []
    system = os.urandom

    def counting(size):
        asked.append(size)
        return system(size)

    monkeypatch.setattr("os.urandom", counting)
    monkeypatch.setattr("numpy.random.default_rng", None)  # no other generator takes part
    releases = [perturb(RECORDS, scheme) for _ in range(3)]
    assert len({tuple(release.key.order) for release in releases}) == 3
    for first, second in pairwise(map(secrets, releases)):
        assert all(scheme.name in PUBLIC_SECRETS or abs(a - b).max() > 1e-6 for a, b in zip(first, second, strict=True))
    if scheme.name in FIRST:
        width = releases[0].data.shape[1]
        needed = width**2 + 40 + {"orthogonal": 0, "rigid": width, "ball": 40 * 7}.get(scheme.name, 40 * 5)
        assert sum(asked) == 3 * 8 * needed


# What these keys hold follows from the table alone.
PUBLIC_SECRETS = {"component-noise", "dct", "dft", "distance-matrix", "log-noise", "permutation", "row-mixing"}


def secrets(release):
    """Arrays that nobody but the owner may see: those of two releases differ."""
    key = release.key
    return list(key.secrets.values()) if isinstance(key, SchemeKey) else [key.rotation]


@every_scheme
def test_nothing_secret_is_shown(scheme):
    release = perturb(RECORDS, scheme, 5)
    assert repr(release.key) == f"Key(scheme='{scheme.name}', 40 records x 5 columns)"
    translation = [] if isinstance(release.key, SchemeKey) else release.key.translation
    for value in (*(one for array in secrets(release) for one in array.ravel()), *translation):
        assert value in (-1, 0, 1) or f"{value:.8f}"[:9] not in repr(release) + str(release.key)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.float32, np.float64, bool])
@pytest.mark.parametrize("name", OWN)
def test_records_of_any_type_mean_their_numbers(name, dtype):
    """0/1 columns, a constant one, and the most negative whole number, whose absolute value does not fit."""
    records = np.random.default_rng(0).integers(0, 2, (10, 4)).astype(dtype)
    records[:, 2] = 1
    if np.issubdtype(dtype, np.signedinteger):
        records[0, 0] = np.iinfo(dtype).min if dtype == np.int8 else -128
        records[0, 0] = 100 if SCHEMES[name].not_negative else records[0, 0]
    release = perturb(records, name, 0)
    assert release.data.dtype == np.float64
    np.testing.assert_array_equal(release.data, perturb(records.astype(np.float64), name, 0).data)


@pytest.mark.parametrize("name", OWN)
def test_a_name_is_the_scheme_with_its_defaults(name):
    np.testing.assert_array_equal(perturb(RECORDS, SCHEMES[name], 0).data, perturb(RECORDS, name, 0).data)
    assert scheme_by_name(name) == SCHEMES[name] == type(SCHEMES[name])()


@every_scheme
def test_a_scheme_is_made_by_name_and_parameters_and_does_not_change(scheme):
    parameters = {field.name: getattr(scheme, field.name) for field in fields(scheme)}
    assert scheme_by_name(scheme.name, **parameters) == scheme
    with pytest.raises(FrozenInstanceError):
        setattr(scheme, next(iter(parameters), "name"), 1)


RNG = np.random.default_rng(1)
DEGENERATE = {
    "one record": RECORDS[:1],
    "two records": RECORDS[:2],
    "one column": RECORDS[:, :1],
    "one number": RECORDS[:1, :1],
    "equal records": np.ones((8, 3)),
    "zeros": np.zeros((8, 3)),
    "a constant column": np.column_stack([np.full(20, 0.1), RNG.random((20, 2))]),
    "a column of zeros": np.column_stack([np.zeros(20), RNG.random((20, 2))]),
    "equal columns": np.tile(RNG.random((20, 1)), (1, 4)),
    "more columns than records": RNG.random((6, 30)),
    "one record far away": np.vstack([RNG.random((19, 3)), np.full((1, 3), 1e12)]),
    "columns of other sizes": RNG.random((20, 4)) * [1e-80, 1, 1e30, 1e60],
    "negative values": RNG.standard_normal((20, 3)),
    "largest values": RNG.random((20, 3)) * 1e139,
    "smallest values": RNG.random((20, 3)) * 1e-138,
}


@pytest.mark.parametrize("table", DEGENERATE)
@pytest.mark.parametrize("name", OWN)
def test_any_table_is_released_in_finite_numbers_or_refused_in_one_line(name, table):
    released = released_or_refused(DEGENERATE[table], name)
    if isinstance(released, str):
        assert released.startswith("X must have ")
    else:
        assert len(released) == len(DEGENERATE[table])
        assert np.isfinite(released).all()
        np.testing.assert_array_equal(released, released_or_refused(DEGENERATE[table], name))


def released_or_refused(records, name):
    try:
        return perturb(records, name, 0).data
    except InputError as error:
        return str(error)


ZEROS = np.where(np.arange(40)[:, None] % 16 == 4, 0, RECORDS)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: perturb(RECORDS, "affine", 0),
            f"scheme must be one of {', '.join(SCHEMES)}. Got 'affine'.",
        ),
        (lambda: perturb(RECORDS, "rigid", -1), "seed must be a whole number >= 0. Got -1."),
        (lambda: perturb(RECORDS, "rigid", 0.5), "seed must be a whole number >= 0. Got 0.5."),
        (lambda: perturb(RECORDS[:0], "rigid", 0), "X must have at least one row. Got 0 rows."),
        (lambda: perturb(RECORDS * np.nan, "rigid", 0), "X must be finite everywhere. Got 200 missing"),
        (
            lambda: perturb(RECORDS, "rigid", 0).key.invert(RECORDS[:3]),
            "released must be the table of this key: 40 x 5. Got 3 x 5.",
        ),
        (
            lambda: perturb(RECORDS, Rigid(width=7), 0).key.invert(RECORDS),
            "released must be the table of this key: 40 x 7. Got 40 x 5.",
        ),
        (lambda: perturb(RECORDS, "rigid", 0).key.invert(RECORDS[0]), "released must be a table: two dimensions."),
        (lambda: Orthogonal(width=0), "width must be a whole number >= 1. Got 0."),
        (lambda: Rigid(width=2.5), "width must be a whole number >= 1. Got 2.5."),
        (lambda: perturb(RECORDS, Rigid(width=4)), "width must be at least the number of columns of X, 5. Got 4."),
        (lambda: Noisy(noise=-0.1), "noise must be a finite number >= 0. Got -0.1."),
        (lambda: Noisy(noise=np.inf), "noise must be a finite number >= 0. Got inf."),
        (lambda: Noisy(noise="much"), "noise must be a finite number >= 0. Got 'much'."),
        (lambda: Noisy(noise=True), "noise must be a finite number >= 0. Got True."),
        (lambda: OrthogonalNoise(noise=np.nan), "noise must be a finite number >= 0. Got nan."),
        (lambda: Ball(scale=0), "scale must be a finite number > 0. Got 0."),
        (lambda: Ball(beta=-1), "beta must be a finite number >= 0. Got -1."),
        (
            lambda: scheme_by_name("noisy", beta=2),
            "beta is no parameter of the scheme noisy. Got 2. It has: noise.",
        ),
        (
            lambda: perturb(RECORDS[[0, 0]], "noisy"),
            "X must have records that differ: noise is relative to their spread. Got equal records.",
        ),
        (
            lambda: perturb(np.full((3, 2), 0.1), "ball"),
            "X must have records that differ: beta is relative to their spread. Got equal records.",
        ),
        (
            lambda: perturb(RECORDS[:, :1], "orthogonal-noise"),
            "X must have 2 columns or more for the scheme orthogonal-noise. Got 1 column.",
        ),
        (
            lambda: perturb(ZEROS, "orthogonal-noise"),
            (
                "X must have records with a direction for the scheme orthogonal-noise. "
                "Got 3 of zeros only; the first is row 4 (counted from 0). Leave them out."
            ),
        ),
        (lambda: perturb(RECORDS, Ball(scale=1e200, beta=0)), "released must have its largest entry between"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(InputError) as error:
        call()
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"rotation": np.eye(2)[:1], "translation": np.zeros(1)},
            "key must have a rotation with at least as many rows",
        ),
        ({"rotation": np.eye(3)[:, :2]}, "key must have a rotation and a translation of its width"),
        ({"rotation": np.float64(1), "translation": np.float64(1)}, "key must have a rotation and a translation"),
        ({"order": np.array([0, 2])}, "key must order the rows 0, 1, ..., each once"),
        ({"scale": 0.0}, "key must have a finite scale > 0"),
        ({"scale": np.nan}, "key must have a finite scale > 0"),
        ({"noise": -1.0}, "key must have a finite scale > 0 and a finite noise >= 0"),
    ],
)
def test_a_key_that_undoes_nothing_is_refused(changes, message):
    whole = {"scheme": "x", "rotation": np.eye(2), "translation": np.zeros(2), "order": np.arange(2)}
    Key(**whole)
    with pytest.raises(InputError, match=message):
        Key(**(whole | changes))


@pytest.mark.parametrize("page", ["README.md", "docs/schemes.md"])
def test_every_scheme_is_named_where_schemes_are_listed(page):
    text = (Path(isobreach.__file__).parents[2] / page).read_text(encoding="utf-8")
    assert [name for name in SCHEMES if SCHEMES.built_in(name) and f"`{name}`" not in text] == []
