# SPDX-License-Identifier: BSD-3-Clause
"""Attacks with partial records: completed ones count like any others."""

import numpy as np
import pandas as pd
import pytest

import isobreach as ib
from effort import slow
from isobreach.errors import InputError, NothingLinkedWarning
from partial_cases import plant


def _letter(seed, rows, **planted):
    rng = np.random.default_rng(seed)
    letter = ib.datasets.load("letter").values
    return plant(letter[rng.permutation(len(letter))[:rows]] + rng.random((rows, 16)), rng, strangers=0, **planted)


def _breached(result, case):
    """Share of the other records that the estimates really hit."""
    others = np.setdiff1d(np.arange(result.shape[0]), result.linked_rows)
    errors = np.linalg.norm(result.estimate(others) - case.records[others], axis=1)
    return (errors <= result.epsilon * np.linalg.norm(case.records[others], axis=1)).mean()


@pytest.mark.parametrize(("seed", "rows"), [(0, 2000), *slow(*((seed, 18668) for seed in range(8)))])
def test_two_complete_and_sixteen_partial_records_reveal_letter(seed, rows):
    """Breached share 1.000, from about .015 with the complete ones alone; with one complete record, nothing."""
    case = _letter(seed, rows, complete=2, partial=16, lacking=2)
    before = ib.attack(case.known[~case.partial], case.released, epsilon=0.15, seed=0)
    result = ib.attack(case.known, case.released, epsilon=0.15, seed=0)
    assert (before.hidden_dimension, result.hidden_dimension) == (14, 0)
    assert before.breach_probability.mean() < 0.05
    assert _breached(result, case) == 1.0
    assert result.breach_probability.min() == 1.0
    assert result.linkage.rows.tolist() == case.rows.tolist()
    one = np.flatnonzero(~case.partial)[0]
    fewer = ib.attack(np.delete(case.known, one, axis=0), case.released, epsilon=0.15, seed=0)
    assert (fewer.hidden_dimension, len(fewer.linkage.linked)) == (15, 1)


def test_the_completed_record_is_the_estimate_of_its_row():
    case = _letter(1, 400, complete=4, partial=3, lacking=4)
    result = ib.attack(case.known, case.released, motion="orthogonal", seed=0)
    linkage = result.linkage
    assert linkage.completed.tolist() == np.flatnonzero(case.partial).tolist()
    assert (result.probability(rows=linkage.rows[linkage.completed]) == 1).all()
    np.testing.assert_array_equal(result.estimate(linkage.rows[linkage.completed]), linkage.filled)
    np.testing.assert_allclose(linkage.filled, case.truth[linkage.completed], atol=1e-9)
    assert result.hidden_dimension == 16 - 7


def test_a_record_completed_too_roughly_is_not_certain():
    rng = np.random.default_rng(2)
    case = plant(rng.normal(50, 20, (400, 8)), rng, complete=9, partial=4, strangers=0, lacking=2, store="3 decimals")
    result = ib.attack(case.known, case.released, epsilon=1e-9, motion="orthogonal", seed=0)
    completed = result.linkage.completed
    assert len(completed) == 4
    assert not result.probability(rows=result.linkage.rows[completed]).any()
    assert (result.probability(0.1, rows=result.linkage.rows[completed]) > 0.99).all()


def test_known_input_by_name_and_frames_with_missing_cells():
    case = _letter(3, 400, complete=4, partial=4, lacking=3)
    known = pd.DataFrame(case.known, columns=[f"a{j}" for j in range(16)])
    found = ib.reconstruct("known-input", case.released, ib.Knowledge(known=known), seed=0)
    assert "4 of 4 partial records were completed." in found.reason
    np.testing.assert_array_equal(found.linkage.rows, ib.link(known, case.released).rows)
    document = ib.attacks.ATTACKS["known-input"].describe(found)
    assert "4 of 4 partial records were completed." in document.findings
    assert document.data["known"]["partial"] == document.data["known"]["completed"] == 4
    estimates = ib.attack(known, case.released, seed=0).estimate([0])
    assert list(estimates.columns) == list(known.columns)


def test_estimates_are_refined_with_partial_records_too():
    """On a grid the motion is fitted again by what complete records show: completed values are off it by a last bit."""
    rng = np.random.default_rng(8)
    case = plant(rng.integers(0, 50, (300, 8)) + 0.0, rng, complete=3, partial=3, strangers=0, lacking=1)
    held = ib.Knowledge(known=case.known, bounds=(0, 50))
    found = ib.reconstruct("known-input", case.released, held, seed=0, motion="orthogonal")
    assert len(found.linkage.completed) == 3
    assert all(np.isfinite(found.variants[name]).all() for name in found.variants)
    assert np.isfinite(found.refined).all()
    assert any("rounded" in name for name in found.variants)


def test_partial_records_whose_rows_are_given_are_refused():
    case = _letter(9, 100, complete=4, partial=1, lacking=3)
    with pytest.raises(InputError, match=r"known must hold complete records where their rows are given. Got 1 with"):
        ib.reconstruct("known-input", case.released, ib.Knowledge(known=case.known, rows=case.rows), seed=0)


@pytest.mark.parametrize("name", ["kaplan", "lattice", "alignment"])
def test_attacks_that_need_complete_records_refuse_others(name):
    case = _letter(4, 100, complete=4, partial=1, lacking=3)
    with pytest.raises(InputError, match=r"known must be finite everywhere. Got 3 missing, NaN or infinite"):
        ib.reconstruct(name, case.released, ib.Knowledge(known=case.known, bounds=(0, 16)), seed=0)


def test_samples_and_dictionaries_must_be_complete():
    case = _letter(5, 100, complete=4, partial=1, lacking=3)
    for name in ("sample", "dictionary"):
        held = ib.Knowledge(**{"known": case.known, name: case.known})
        with pytest.raises(InputError, match=f"{name} must be finite everywhere"):
            ib.reconstruct("known-input", case.released, held, seed=0)


def test_partial_records_alone_are_a_warning_with_the_reason():
    case = _letter(6, 100, complete=0, partial=3, lacking=1)
    with pytest.warns(NothingLinkedWarning, match="no known record is complete"):
        result = ib.attack(case.known, case.released, seed=0)
    assert result.linkage.counts() == {"linked": 0, "ambiguous": 3, "absent": 0}
    assert not result.breach_probability.any()


def test_nothing_private_is_printed():
    case = _letter(7, 300, complete=3, partial=3, lacking=2)
    result = ib.attack(case.known, case.released, seed=0)
    text = repr(result.linkage) + repr(result)
    private = {f"{value:.4f}"[:6] for value in result.linkage.filled[np.isnan(case.known[case.partial])]}
    assert not [value for value in private if value in text]
