# SPDX-License-Identifier: BSD-3-Clause
"""Every scheme is a scikit-learn transformer that keeps its key and does what the scheme does."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import isobreach as ib
from isobreach import transformers

NAMES = transformers.class_names()
X = np.abs(np.random.default_rng(0).normal(5, 2, (200, 4)))


@pytest.mark.parametrize("name", NAMES)
def test_scikit_learn_accepts_it(name):
    """All of its checks; some do not concern transformers, and are skipped."""
    assert len(check_estimator(getattr(ib, name)(), on_skip=None)) > 30


def test_there_is_one_for_every_scheme():
    schemes = ib.schemes.SCHEMES
    assert set(NAMES.values()) == {name for name in schemes if schemes.built_in(name)}
    named = {"Rigid", "Orthogonal", "Noisy", "Ball", "OrthogonalNoise", "RandomProjection"}
    assert {f"{name}Perturbation" for name in named} <= set(NAMES)
    assert dir(transformers) == sorted(NAMES)
    with pytest.raises(AttributeError, match="has no attribute 'NoPerturbation'"):
        ib.NoPerturbation  # noqa: B018
    with pytest.raises(TypeError, match="unexpected keyword argument 'widht'"):
        ib.RigidPerturbation(widht=7)


MOTIONS = [name for name, scheme in NAMES.items() if ib.schemes.SCHEMES[scheme].model.moves]


@pytest.mark.parametrize("name", MOTIONS)
def test_the_key_is_that_of_the_scheme_and_undoes_every_row(name):
    transformer = getattr(ib, name)(random_state=3).fit(X)
    key = ib.perturb(X, NAMES[name], seed=3).key
    for field in ("rotation", "translation", "scale", "noise"):
        np.testing.assert_array_equal(getattr(transformer.key_, field), getattr(key, field))
    rows = transformer.transform(X[50:150])
    back = transformer.inverse_transform(rows)
    expected = X[50:150] / np.linalg.norm(X[50:150], axis=1, keepdims=True) if "OrthogonalNoise" in name else X[50:150]
    error = np.sqrt(np.mean((back - expected) ** 2)) * key.scale
    assert error == pytest.approx(key.noise, rel=0.15, abs=1e-12)
    again = pickle.loads(pickle.dumps(transformer))
    np.testing.assert_array_equal(again.transform(X), transformer.transform(X))
    np.testing.assert_array_equal(clone(transformer).fit(X).transform(X), transformer.transform(X))


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(MOTIONS)))
def test_a_scheme_that_is_no_motion_transforms_and_undoes_what_it_can(name):
    """Other records too; what comes back is the records, the rows with their noise, or one line that says why not."""
    transformer = getattr(ib, name)(random_state=3).fit(X)
    scheme = ib.schemes.SCHEMES[NAMES[name]]
    rows = transformer.transform(X)
    assert rows.shape == (200, len(transformer.get_feature_names_out()))
    assert transformer.transform(X[:60]).shape[0] == 60
    again = pickle.loads(pickle.dumps(transformer))
    np.testing.assert_array_equal(again.transform(X), rows)
    np.testing.assert_array_equal(clone(transformer).fit(X).transform(X), rows)
    if scheme.in_place and not scheme.draws_noise:
        with pytest.raises(ib.InputError, match=f"a key can undo. Got {scheme.name}, which "):
            transformer.inverse_transform(rows)
    else:
        expected = rows if scheme.in_place else X
        np.testing.assert_allclose(transformer.inverse_transform(rows), expected, atol=1e-8)


def test_without_a_seed_no_key_and_no_noise_repeats():
    first, second = ib.NoisyPerturbation().fit(X), ib.NoisyPerturbation().fit(X)
    assert not np.allclose(first.key_.rotation, second.key_.rotation)
    assert not np.allclose(first.transform(X), first.transform(X))


def test_records_of_zeros_stay_zeros_where_lengths_are_lost():
    records = X.copy()
    records[7] = 0
    rows = ib.OrthogonalNoisePerturbation(random_state=0).fit_transform(records)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), np.arange(200) != 7, atol=1e-12)


def test_in_a_pipeline_distances_stay_and_names_do_not():
    frame = pd.DataFrame(X, columns=["age", "income", "height", "weight"])
    pipeline = make_pipeline(StandardScaler(), ib.RigidPerturbation(width=6, random_state=0))
    released = pipeline.set_output(transform="pandas").fit_transform(frame)
    assert released.columns.tolist() == ["c1", "c2", "c3", "c4", "c5", "c6"]
    standard = StandardScaler().fit_transform(X)
    distances = (np.linalg.norm(rows - rows[0], axis=1) for rows in (released.to_numpy(), standard))
    np.testing.assert_allclose(*distances, atol=1e-12)
    np.testing.assert_allclose(pipeline.inverse_transform(released.to_numpy()), X, atol=1e-12)
