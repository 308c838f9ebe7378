# SPDX-License-Identifier: BSD-3-Clause
"""The known-input attack with links given (Liu, Giannella and Kargupta 2006)."""

import numpy as np
import pytest

import isobreach as ib
from isobreach._random import random_source
from isobreach.geometry import fit_motions
from oracles import plant

SEEDS = range(8)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_chosen_matrix_maps_the_known_rows(seed):
    rng = np.random.default_rng(seed)
    records = rng.normal(1, 2, (50, 6))
    released, order = plant(records, rng)
    for k in range(1, 7):
        motions = fit_motions(records[:k], released[order[:k]])
        matrix = motions.choose(random_source(seed, "estimate"))
        assert np.allclose(matrix @ matrix.T, np.eye(6))
        assert np.allclose(records[:k] @ matrix.T, released[order[:k]])


@pytest.mark.parametrize("seed", SEEDS)
def test_one_record_fewer_than_columns_leaves_two_matrices(seed):
    rng = np.random.default_rng(seed)
    records = rng.normal(1, 2, (50, 5))
    released, order = plant(records, rng)
    motions = fit_motions(records[:4], released[order[:4]])
    chosen = [motions.choose(random_source(k, "estimate")) for k in range(30)]
    different = [chosen[0]]
    for one in chosen:
        if not any(np.allclose(one, other) for other in different):
            different.append(one)
    assert len(different) == 2
    errors = sorted(np.abs(released[order] @ one - records).max() for one in different)
    assert errors[0] < 1e-9
    assert errors[1] > 0.1


@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
@pytest.mark.parametrize("seed", SEEDS)
def test_as_many_records_as_columns_are_everything(motion, seed):
    records = np.random.default_rng(seed).normal(1, 2, (200, 5))
    release = ib.perturb(records, motion, seed=seed)
    order, count = release.key.order, 5 + (motion == "rigid")
    held = ib.Knowledge(known=records[:count], rows=order[:count])
    found = ib.reconstruct("known-input-output", release.data, held, motion=motion, seed=0)
    assert found.claimed
    assert found.result.hidden_dimension == 0
    assert (found.breach_probability == 1).all()
    assert np.abs(found.estimates[order] - records).max() < 1e-9


def test_it_is_the_known_input_attack_after_linking():
    """Equal records cannot be linked; who knows the rows need not."""
    rng = np.random.default_rng(1)
    records = rng.integers(0, 3, (300, 5)).astype(float)
    released, order = plant(records, rng)
    rows = order[:3]
    with pytest.warns(ib.NothingLinkedWarning):
        ib.reconstruct("known-input", released, ib.Knowledge(known=records[:3]), seed=0, motion="orthogonal")
    given = ib.Knowledge(known=records[:3], rows=rows)
    found = ib.reconstruct("known-input-output", released, given, seed=0, motion="orthogonal")
    same = ib.reconstruct("known-input", released, given, seed=0, motion="orthogonal")
    assert np.array_equal(found.estimates, same.estimates)
    assert np.array_equal(found.breach_probability, same.breach_probability)
    assert found.result.hidden_dimension == 2
    assert list(found.variants) == list(same.variants)


def test_rows_are_needed_and_records_are_complete():
    records = np.random.default_rng(2).normal(size=(30, 4))
    with pytest.raises(ib.InputError, match="must have the released rows of known records for this attack"):
        ib.reconstruct("known-input-output", records, ib.Knowledge(known=records[:2]))
    lacking = records[:2].copy()
    lacking[0, 1] = np.nan
    with pytest.raises(ib.InputError, match="must be finite everywhere"):
        ib.reconstruct("known-input-output", records, ib.Knowledge(known=lacking, rows=[0, 1]))
