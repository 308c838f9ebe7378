# SPDX-License-Identifier: BSD-3-Clause
"""Trials of the paper's experiments against what their owner, who has the key, computes from the records themselves."""

import numpy as np
import pytest

import isobreach as ib
from isobreach.experiments import PerturbedTable, Point
from isobreach.experiments.paper_linking import PaperLinking
from isobreach.experiments.tables import Tables
from isobreach.experiments.trials import epsilon_trial, kaplan_trial, known_trial, size_trial
from isobreach.geometry import ESTIMATORS, breach_probability
from oracles import integer_case, plant, uniquely_valid_rows


def perturbed(rows, columns, seed):
    records = np.random.default_rng(seed).normal(size=(rows, columns)) + 1
    released, order = plant(records, np.random.default_rng(seed + 1))
    return PerturbedTable(records, released, order)


def tables(**made):
    """Tables as given in place of the paper's."""
    both = Tables(0, 10)
    both._made.update(made)
    return both


def draws(seed=0):
    return np.random.default_rng(seed)


def relative_residuals(table, chosen):
    """|x - its projection on the span of the chosen records| / |x|, from the records themselves."""
    q, _ = np.linalg.qr(table.records[chosen].T)
    left = table.records - table.records @ q @ q.T
    return np.linalg.norm(left, axis=1) / np.linalg.norm(table.records, axis=1)


def test_the_first_rows_are_a_release_of_their_own():
    table = perturbed(50, 4, 0)
    for rows in (1, 17, 50):
        first = table.first(rows)
        assert np.array_equal(first.records, table.records[:rows])
        assert np.array_equal(first.released[first.order], table.released[table.order[:rows]])
        assert np.array_equal(first.record_of[first.order], np.arange(rows))
        assert first.released.shape == (rows, 4)


def test_known_records_are_independent_and_any_of_them():
    records = np.random.default_rng(1).integers(0, 3, (30, 3)) * np.array([1, 1, 0])
    records[::2, 2] = 1
    table = PerturbedTable(records, records.astype(float), np.arange(30))
    source, seen = draws(), set()
    for _ in range(300):
        chosen = table.independent(3, source)
        assert abs(round(np.linalg.det(records[chosen]))) >= 1
        seen |= set(chosen.tolist())
    assert seen == {i for i in range(30) if records[i].any()}
    assert (records[1::2, 2] == 0).all()


def test_the_tables_of_a_seed_are_the_papers():
    made = Tables(3, 500)
    assert made["gaussian"].records.shape == (500, 100)
    assert made["letter"].records.shape == (18_668, 16)
    for name in ("gaussian", "letter"):
        table = made[name]
        kept = np.linalg.norm(table.released[table.order], axis=1)
        assert np.allclose(kept, np.linalg.norm(table.records, axis=1))
        assert not np.allclose(table.released, table.records)
    assert np.array_equal(Tables(3, 500)["gaussian"].released, made["gaussian"].released)
    other = Tables(4, 500)["gaussian"]
    assert not np.array_equal(other.records, made["gaussian"].records)
    assert not np.array_equal(other.order, made["gaussian"].order)


@pytest.mark.parametrize("known", [1, 5, 8])
def test_a_trial_finds_the_most_exposed_record(known):
    """rho(epsilon) is the largest breach probability of a record that is not known: here from the records alone."""
    table = perturbed(400, 8, 2)
    outcome = known_trial(tables(gaussian=table), Point("gaussian", known), draws(5))
    chosen = table.independent(known, draws(5))
    ratio = np.delete(relative_residuals(table, chosen), chosen).min()
    for estimator in ESTIMATORS:
        expected = breach_probability(ratio, 1, 8 - known, 0.15, estimator)
        for rule in ("backbone", "uniquely-valid"):
            assert outcome.numbers[f"{estimator} {rule}"] == pytest.approx(expected, rel=1e-6, abs=1e-12)
    assert [outcome.numbers[f"linked {name}"] for name in ("backbone", "uniquely-valid", "paper's algorithms")] == [
        1
    ] * 3
    assert all(seconds > 0 for seconds in outcome.seconds.values())


def test_epsilon_is_what_is_varied():
    table = perturbed(400, 8, 3)
    chosen = table.independent(4, draws(6))
    ratio = np.delete(relative_residuals(table, chosen), chosen).min()
    for epsilon in (0.05, 0.3):
        numbers = epsilon_trial(tables(letter=table), Point("letter", epsilon), draws(6)).numbers
        expected = breach_probability(ratio, 1, 4, epsilon, "uniform")
        assert numbers["uniform uniquely-valid"] == pytest.approx(expected, rel=1e-6)


def test_sizes_are_of_the_release_too():
    """Known records are among the first rows: were they drawn from all, some would be absent."""
    table = perturbed(400, 60, 4)
    outcome = size_trial(tables(gaussian=table), Point("gaussian", 55), draws(7))
    assert set(outcome.numbers.values()) == {1.0}
    assert len(outcome.numbers) == 3


def test_one_hidden_dimension_leaves_two_points_and_the_best_row_is_the_closest():
    """With n - 1 links the paper's estimate errs by 0 or 2d. So its error names the row, and half of them are right."""
    table = perturbed(300, 5, 8)
    right, trials = {"random row": 0, "best row": 0}, 100
    for seed in range(trials):
        numbers = kaplan_trial(tables(letter=table), Point("letter", 4), draws(seed)).numbers
        ratios = relative_residuals(table, chosen := table.independent(4, draws(seed)))
        ratios = np.delete(ratios, chosen)
        for selection, possible in (("random row", ratios), ("best row", ratios.min(keepdims=True))):
            error = numbers[f"{selection} uniform"]
            right[selection] += error < 1e-9
            assert error < 1e-9 or np.abs(error / (2 * possible) - 1).min() < 1e-6
        # Certain where c = 0.1 |x| reaches d: the centre, which errs by d.
        if ratios.min() <= 0.1:
            assert numbers["best row optimal"] == pytest.approx(ratios.min(), rel=1e-6)
    for count in right.values():
        assert abs(count / trials - 0.5) < 4 * np.sqrt(0.25 / trials)


def test_with_as_many_links_as_dimensions_only_kaplan_errs():
    table = perturbed(300, 5, 9)
    numbers = kaplan_trial(tables(letter=table), Point("letter", 5), draws()).numbers
    for selection in ("random row", "best row"):
        assert numbers[f"{selection} uniform"] < 1e-9
        assert numbers[f"{selection} optimal"] < 1e-9
        assert numbers[f"{selection} kaplan"] > 1e-6


def test_all_estimates_are_of_the_same_row_and_kaplan_is_given_its_links():
    """Two known records: Kaplan's estimate keeps both distances, so it errs by at most twice the residual."""
    table = perturbed(300, 3, 10)
    for seed in range(20):
        numbers = kaplan_trial(tables(gaussian=table), Point("gaussian", 2), draws(seed)).numbers
        chosen = table.independent(2, draws(seed))
        best = np.delete(relative_residuals(table, chosen), chosen).min()
        assert numbers["best row uniform"] <= 2 * best * (1 + 1e-9)
        assert numbers["best row optimal"] <= numbers["random row optimal"] + 2 * best


@pytest.mark.parametrize("seed", range(0, 200, 2))
def test_the_papers_algorithms_find_the_maximal_uniquely_valid_set(seed):
    """By enumeration of all subsets; tables without repeated records, as the paper has them."""
    known, table = integer_case(seed)
    table = np.unique(table, axis=0)
    known = np.unique(known, axis=0)
    kept = [row for row in known.tolist() if row in table.tolist()]
    if not kept:
        return
    known = np.array(kept)
    rows = uniquely_valid_rows(known, table)
    expected = {i: row for i, row in enumerate(rows) if row >= 0}
    for cached in (True, False):
        assert PaperLinking(known.astype(float), table.astype(float), cached_norms=cached).run() == expected
    released, order = plant(table, np.random.default_rng(seed))
    # One column is released as whole numbers, which could be rounded ones: the tolerance says that they are not.
    ours = ib.link(known, released, rule="uniquely-valid", tolerance=1e-12).rows.tolist()
    assert ours == [order[row] if row >= 0 else -1 for row in rows]
