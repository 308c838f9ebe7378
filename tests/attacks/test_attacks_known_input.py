# SPDX-License-Identifier: BSD-3-Clause
"""The known-input attack: what it reports about every released row."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isobreach.attacks import attack
from isobreach.engine import as_engine
from isobreach.errors import InputError
from isobreach.geometry import ESTIMATORS, breach_probability, complement, residuals, row_basis, row_norms
from oracles import plant

# The paper's example: x1 and x2 are parallel and 1 apart, |x1| = |x3| = |x4| = 2, rotated by 90 degrees clockwise.
EXAMPLE = np.array([[0.0, 2.0], [0.0, 1.0], [-2.0, 0.0], [2.0, 0.0]])
CLOCKWISE = np.array([[0.0, 1.0], [-1.0, 0.0]])


@pytest.mark.parametrize("rule", ["backbone", "uniquely-valid"])
def test_the_papers_example(rule):
    released = EXAMPLE @ CLOCKWISE.T

    def rho(epsilon, estimator):
        # The tolerance says that whole numbers are exact here: four such rows could as well have been rounded.
        result = attack(
            EXAMPLE[:3], released, epsilon, motion="orthogonal", estimator=estimator, rule=rule, tolerance=0, seed=0
        )
        assert result.linkage.rows.tolist() == [0, 1, -1]
        assert result.linkage.candidates[2].tolist() == [2, 3]
        assert result.hidden_dimension == 1
        radius = 2 if estimator == "uniform" else 2 * max(1 - epsilon**2, 0) ** 0.5
        assert abs(result.estimates[3]).tolist() == pytest.approx([radius, 0])
        return result.breach_probability[3]

    assert [rho(epsilon, "uniform") for epsilon in (0.1, 1, 1.99, 2, 3)] == [0.5, 0.5, 0.5, 1, 1]
    assert [rho(epsilon, "optimal") for epsilon in (0.1, 0.99, 1, 1.5, 2)] == [0.5, 0.5, 1, 1, 1]


def _planted(seed, m=60, n=6, known=3):
    rng = np.random.default_rng(seed)
    records = rng.standard_normal((m, n))
    released, order = plant(records, rng)
    return records, released, order, records[:known]


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("strangers", [True, False], ids=["absent", "ambiguous"])
def test_no_link_at_all_is_a_valid_outcome(estimator, strangers):
    _, released, _, known = _planted(0)
    if strangers:
        known = known + 1
    else:
        released = np.vstack([released, released[:, ::-1]])  # every norm twice
        known = known[:1]
    result = attack(known, released, 0.3, motion="orthogonal", estimator=estimator, seed=0)
    assert result.linkage.linked.size == 0
    assert result.hidden_dimension == 6
    np.testing.assert_allclose(result.breach_probability, breach_probability(1, 1, 6, 0.3, estimator), rtol=1e-9)
    assert np.isfinite(result.estimates).all()
    assert result.best == 0


@given(seed=st.integers(0, 2**32), n=st.integers(1, 8), spare=st.integers(0, 4))
def test_as_many_independent_links_as_columns_give_everything_away(seed, n, spare):
    records, released, order, known = _planted(seed, 30, n, n + spare)
    result = attack(known, released, 1e-3, motion="orthogonal", seed=0)
    if np.linalg.cond(known) < 1e3 and result.linkage.linked.size == n + spare:  # in one column signs are lost
        assert result.hidden_dimension == 0
        np.testing.assert_allclose(result.estimates[order], records, atol=1e-9)
        assert (result.breach_probability == 1).all()


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("known", [0, 1, 3, 5])
def test_probabilities_are_those_of_residual_and_norm(estimator, known):
    records, released, order, _ = _planted(1)
    result = attack(
        records[:known] if known else records[:1] + 9, released, 0.4, motion="orthogonal", estimator=estimator, seed=0
    )
    residual, norm = residuals(records, complement(row_basis(records[:known]))), row_norms(records)
    expected = breach_probability(residual, norm, 6 - known, 0.4, estimator)
    expected[:known] = 1
    np.testing.assert_allclose(result.breach_probability[order], expected, rtol=1e-9)
    np.testing.assert_allclose(result.relative_residual[order[known:]], (residual / norm)[known:], rtol=1e-9)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_linked_rows_are_certain_and_their_estimates_exact(estimator):
    _, released, order, known = _planted(2)
    released = np.vstack([released, released[order[:1]]])  # the first linked row a second time
    result = attack(known, released, 1e-6, motion="orthogonal", estimator=estimator, seed=0)
    assert result.linked_rows.tolist() == sorted([*order[:3], 60])
    assert (result.breach_probability[result.linked_rows] == 1).all()
    for estimates in (result.estimates[order[1:3]], result.estimate(order[1:3])):
        np.testing.assert_array_equal(estimates, known[1:])
    np.testing.assert_allclose(result.estimates[[order[0], 60]], known[[0, 0]], atol=1e-12)


def test_rows_linked_in_spite_of_rounding_are_certain_too():
    _, released, order, known = _planted(2)
    result = attack(known, released.round(3), 1e-9, motion="orthogonal", seed=0)
    assert result.breach_probability.sum() == 3
    assert result.probability(rows=order[:3]).tolist() == [1, 1, 1]
    np.testing.assert_array_equal(result.estimate(order[:3]), known)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_some_estimates_are_those_of_all_rows(estimator):
    _, released, order, known = _planted(3)
    result = attack(known, released, 0.2, motion="orthogonal", estimator=estimator, seed=0)
    rows = np.array([5, 0, 59, 5, *order[:3]])
    np.testing.assert_allclose(result.estimate(rows), result.estimates[rows], rtol=0, atol=1e-13)
    np.testing.assert_allclose(result.estimate(7), result.estimates[[7]], rtol=0, atol=1e-13)
    assert result.estimate(rows[:0]).shape == (0, 6)


def test_estimates_agree_with_the_links_and_keep_to_the_sphere():
    """On the span of the links the estimate is the record's projection; beyond it only its length is fixed."""
    records, released, order, known = _planted(4)
    basis = row_basis(known)
    hidden = complement(basis)
    residual, norm = residuals(records, hidden), row_norms(records)
    shrunk = np.sqrt(np.maximum(residual**2 - (0.4 * norm) ** 2, 0))
    for estimator, radius in (("uniform", residual), ("optimal", shrunk)):
        estimates = attack(known, released, 0.4, motion="orthogonal", estimator=estimator, seed=0).estimates[order]
        np.testing.assert_allclose(estimates @ basis, records @ basis, atol=1e-12)
        np.testing.assert_allclose(row_norms(estimates @ hidden)[3:], radius[3:], atol=1e-9)


@pytest.mark.parametrize("table", ["normal", "integers", "rounded"])
@pytest.mark.parametrize("rows", [50, 3000])
@pytest.mark.parametrize("count", [1, 7, 40, 10_000])
def test_top_is_the_head_of_a_full_sort_without_the_linked_rows(count, rows, table):
    _, released, _, known = _planted(5, rows, 4, 2)
    if table == "integers":  # many equal residuals
        records = np.random.default_rng(0).integers(1, 4, (rows, 4))
        records[0] = 9
        known = records[:1]
        released, _ = plant(records, np.random.default_rng(1))
    elif table == "rounded":  # small rows have large errors
        released = released.round(3)
    result = attack(known, released, 0.1, motion="orthogonal", seed=0)
    unlinked = np.delete(np.arange(rows), result.linked_rows)
    claimed, top = result.breach_probability, result.top(count)
    assert result.linkage.linked.size == len(known)
    assert len(set(top.tolist()) & set(unlinked.tolist())) == len(top) == min(count, len(unlinked))
    np.testing.assert_allclose(claimed[top], np.sort(claimed[unlinked])[::-1][:count], atol=1e-8)
    if table != "rounded":
        assert result.relative_residual[top].tolist() == sorted(result.relative_residual[unlinked].tolist())[:count]
    assert result.best == top[0]
    np.testing.assert_array_equal(result.probability(rows=top), claimed[top])


def test_nothing_is_best_when_every_row_is_linked():
    records, released, _, _ = _planted(6, 4)
    result = attack(records, released, motion="orthogonal", seed=0)
    assert result.best is None
    assert result.top(3).tolist() == []


def test_another_epsilon_needs_no_other_attack():
    _, released, _, known = _planted(7)
    result = attack(known, released, 0.1, motion="orthogonal", seed=0)
    np.testing.assert_array_equal(
        result.probability(0.5), attack(known, released, 0.5, motion="orthogonal", seed=0).breach_probability
    )
    np.testing.assert_array_equal(result.probability(0.5, rows=[3, 1]), result.probability(0.5)[[3, 1]])


def test_a_seed_reproduces_the_estimates_and_no_seed_does_not():
    _, released, _, known = _planted(8)
    one, two, other, free, free_too = (
        attack(known, released, motion="orthogonal", seed=s).estimates for s in (1, 1, 2, None, None)
    )
    np.testing.assert_array_equal(one, two)
    assert not np.allclose(one, other)
    assert not np.allclose(free, free_too)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_zero_record_is_recovered_exactly_without_any_link(estimator):
    records, _, _, _ = _planted(9)
    records[0] = 0
    released, order = plant(records, np.random.default_rng(0))
    result = attack(records[1:2] + 9, released, 1e-9, motion="orthogonal", estimator=estimator, seed=0)
    assert result.breach_probability[order[0]] == 1
    assert result.estimates[order[0]].tolist() == [0] * 6
    assert result.best == order[0]


@pytest.mark.parametrize("decimals", [0, 2, 17])
def test_a_release_equal_to_the_original_is_recovered(decimals):
    table = (10 * np.random.default_rng(0).standard_normal((20, 5))).round(decimals)
    result = attack(table[:5], table, 1e-6, motion="orthogonal", seed=0)
    np.testing.assert_allclose(result.estimates, table, atol=1e-9)
    assert (result.breach_probability == 1).all()


@pytest.mark.parametrize("known", [0, 1, 4, 6, 9])
def test_residuals_of_a_large_table_are_those_of_plain_numpy(known):
    """Many tiles, a zero row, rows of all sizes and rows in the span of the linked ones."""
    rng = np.random.default_rng(known)
    records = rng.standard_normal((30_000, 7))
    records[10:] *= rng.choice([1e-5, 1, 1e4], (29_990, 1))
    records[-1] = 0
    records[-9:-1] = rng.standard_normal((8, known)) @ records[:known]
    released, order = plant(records, rng)
    result = attack(
        records[:known] if known else records[:1] + 99, as_engine(released, block_rows=1), motion="orthogonal", seed=0
    )
    axes = np.linalg.svd(records[:known], full_matrices=True)[2][known:] if known else np.eye(7)
    norms = np.linalg.norm(records, axis=1)
    expected = np.linalg.norm(records @ axes.T, axis=1) / np.where(norms, norms, 1)
    np.testing.assert_allclose(result.relative_residual[order], expected, rtol=1e-9, atol=1e-9)
    assert result.hidden_dimension == max(7 - known, 0)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_coarser_release_claims_less(estimator):
    _, released, _, known = _planted(1)
    claims = [
        attack(
            known, released, 0.2, motion="orthogonal", estimator=estimator, tolerance=tolerance, seed=0
        ).breach_probability
        for tolerance in (0, 1e-6, 1e-5, 1e-4, 1e-3)
    ]
    assert all((coarse <= fine).all() for fine, coarse in pairwise(claims))
    assert claims[-1].sum() < claims[0].sum()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"epsilon": 0}, "epsilon must be a finite number > 0. Got 0."),
        ({"epsilon": float("inf")}, "epsilon must be a finite number > 0. Got inf."),
        ({"estimator": "best"}, "estimator must be one of optimal, uniform, published. Got 'best'."),
        ({"seed": -1}, "seed must be a whole number >= 0. Got -1."),
        ({"seed": 1.5}, "seed must be a whole number >= 0. Got 1.5."),
        ({"rule": "all"}, "rule must be one of backbone, uniquely-valid. Got 'all'."),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    _, released, _, known = _planted(10)
    with pytest.raises(InputError) as error:
        attack(known, released, **arguments)
    assert str(error.value) == message


@pytest.mark.parametrize("rows", [60, -1, [0, 60], [0.5], [True], [[0]]])
def test_rows_out_of_the_release_are_refused(rows):
    _, released, _, known = _planted(10)
    result = attack(known, released, motion="orthogonal", seed=0)
    for question in (result.estimate, lambda r: result.probability(rows=r)):
        with pytest.raises(InputError, match="rows must be whole numbers from 0 to 59"):
            question(rows)


def test_count_must_be_a_whole_number():
    _, released, _, known = _planted(10)
    with pytest.raises(InputError, match=r"count must be a whole number >= 1\. Got 0\."):
        attack(known, released, motion="orthogonal", seed=0).top(0)
