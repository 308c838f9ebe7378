# SPDX-License-Identifier: BSD-3-Clause
"""The baselines: naive, column means, most common values, random link. None looks behind the scheme, none claims."""

import numpy as np
import pytest

import isobreach as ib
from isobreach.attacks import ATTACKS
from isobreach.release import ReleaseModel
from oracles import plant

GUESSES = ("column-means", "most-common", "random-link")
MODELS = [
    ReleaseModel("rigid"),
    ReleaseModel(None),
    ReleaseModel("orthogonal", mixes_rows=True),
    ReleaseModel("orthogonal", projection=2),
    ReleaseModel(None, in_place=True),
    ReleaseModel(None, linear=True),
]


@pytest.fixture
def records():
    return np.random.default_rng(0).integers(0, 9, (400, 5)).astype(float)


@pytest.mark.parametrize("name", ["naive", *GUESSES])
def test_it_can_be_had_for_every_table_and_claims_nothing(name, records):
    assert [ATTACKS[name].suits(model) for model in MODELS] == [None] * len(MODELS)
    released, _ = plant(records, np.random.default_rng(1))
    found = ib.reconstruct(name, released, ib.Knowledge(known=records[:20]), seed=0)
    assert not found.claimed
    assert found.estimates.shape == records.shape
    assert found.reason.endswith(".")


def test_a_matrix_of_distances_has_no_columns_to_read():
    distances = ReleaseModel("rigid", distances=True)
    assert "matrix of distances" in ATTACKS["naive"].suits(distances)
    assert [ATTACKS[name].suits(distances) for name in GUESSES] == [None] * 3


def test_the_guesses_are_those_of_the_records_held(records):
    held = ib.Knowledge(known=records[:50], sample=records[300:])
    both = np.concatenate([records[:50], records[300:]])
    mean = ib.reconstruct("column-means", records, held)
    assert np.array_equal(mean.estimates, np.tile(both.mean(axis=0), (400, 1)))
    common = ib.reconstruct("most-common", records, held)
    assert np.array_equal(common.estimates[0], [np.bincount(column.astype(int)).argmax() for column in both.T])
    assert np.array_equal(common.variants["mean"], mean.estimates)
    drawn = ib.reconstruct("random-link", records, held, seed=3)
    assert {tuple(row) for row in drawn.estimates} <= {tuple(row) for row in both}
    assert len(np.unique(drawn.estimates, axis=0)) > 50
    assert np.array_equal(drawn.estimates, ib.reconstruct("random-link", records, held, seed=3).estimates)
    assert not np.array_equal(drawn.estimates, ib.reconstruct("random-link", records, held, seed=4).estimates)


@pytest.mark.parametrize("name", GUESSES)
def test_a_guess_does_not_depend_on_the_release(name, records):
    held = ib.Knowledge(sample=records[:30])
    one, other = (ib.reconstruct(name, table, held, seed=1).estimates for table in (records, -3 * records[:, ::-1]))
    assert np.array_equal(one, other)


@pytest.mark.parametrize("name", GUESSES)
def test_a_guess_needs_records(name, records):
    with pytest.raises(ib.InputError, match="must have known records or a public sample for this attack"):
        ib.reconstruct(name, records)


def test_naive_is_the_release_as_it_is_or_its_columns_rescaled(records):
    found = ib.reconstruct("naive", records)
    assert np.array_equal(found.estimates, records)
    assert not found.variants
    held = ib.Knowledge(sample=records)
    scaled = ib.reconstruct("naive", 7 - 2.5 * records, held).variants["columns rescaled"]
    assert np.allclose(scaled, 2 * records.mean(axis=0) - records)  # but for the sign
    assert np.allclose(ib.reconstruct("naive", 7 + 2.5 * records, held).variants["columns rescaled"], records)


def test_naive_on_releases_wider_and_narrower_than_the_records(records):
    held = ib.Knowledge(known=records[:9])
    wide = ib.reconstruct("naive", np.hstack([records, records]), held)
    assert np.array_equal(wide.estimates, records)
    narrow = ib.reconstruct("naive", records[:, :3], held)
    assert np.array_equal(narrow.estimates[:, :3], records[:, :3])
    assert np.isnan(narrow.estimates[:, 3:]).all()
    assert np.isnan(narrow.variants["columns rescaled"][:, 3:]).all()
    assert np.isfinite(narrow.variants["columns rescaled"][:, :3]).all()


def test_a_column_that_does_not_vary_is_rescaled_to_the_mean(records):
    released = records.copy()
    released[:, 2] = 4.0
    scaled = ib.reconstruct("naive", released, ib.Knowledge(sample=records)).variants["columns rescaled"]
    assert np.allclose(scaled[:, 2], records[:, 2].mean())
