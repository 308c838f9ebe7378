# SPDX-License-Identifier: BSD-3-Clause
"""Trials of the paper's experiments against what their owner, who has the key, computes from the records themselves."""

import numpy as np
import pytest

from isobreach.attacks import kaplan_estimates
from isobreach.geometry import ESTIMATORS, breach_probability
from isobreach.linking import link
from isobreach.reproduction import PaperLinking, Point, trials
from isobreach.reproduction.perturbed import PerturbedTable, Tables
from isobreach.reproduction.trials import epsilon_trial, kaplan_trial, known_trial, size_trial
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


def kaplan_trial_apart(table, seed, known):
    """A trial, with what its estimates were made of: {selection: (truth, estimates)} by the trial's own draws."""
    seen = []
    kept = trials._kaplan

    def spied(linked, released, row, start):
        seen.append((linked, released, row, start, kept(linked, released, row, start)))
        return seen[-1][-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trials, "_kaplan", spied)
        numbers = kaplan_trial(tables(gaussian=table), Point("gaussian", known), draws(seed)).numbers
    return numbers, dict(zip(("random row", "best row"), seen, strict=True))


def test_kaplan_is_given_the_links_of_the_same_row_as_the_others():
    """Kaplan's descends on the record's true distances to the known ones, from a start in the range of the table."""
    table = perturbed(300, 3, 10)
    low, high = table.records.min(axis=0), table.records.max(axis=0)
    for seed in range(20):
        numbers, made = kaplan_trial_apart(table, seed, 2)
        chosen = table.independent(2, draws(seed))
        ratios = relative_residuals(table, chosen)
        for selection, (linked, released, row, start, estimate) in made.items():
            assert np.array_equal(linked, table.records[chosen])
            assert np.array_equal(released, table.released[table.order[chosen]])
            record = int(table.record_of[np.flatnonzero((table.released == row).all(axis=1))[0]])
            assert record not in chosen
            assert ((low <= start) & (start <= high)).all()
            truth = table.records[record]
            wanted = np.linalg.norm(truth - linked, axis=1)
            assert np.allclose(estimate, kaplan_estimates(linked, wanted[None], start), atol=1e-9)
            misfit = [np.abs(np.linalg.norm(x - linked, axis=1) - wanted).max() for x in (start, estimate)]
            assert misfit[1] < 0.1 * misfit[0]
            length = np.linalg.norm(truth)
            assert numbers[f"{selection} kaplan"] == pytest.approx(np.linalg.norm(estimate - truth) / length)
            # The centre errs by the residual: all four are of this row.
            assert numbers[f"{selection} centre"] == pytest.approx(ratios[record], rel=1e-6)
            assert numbers[f"{selection} uniform"] <= 2 * ratios[record] * (1 + 1e-9)
            assert numbers[f"{selection} optimal"] <= 2 * ratios[record] * (1 + 1e-9)
            if selection == "best row":
                assert record == np.setdiff1d(np.arange(300), chosen)[np.delete(ratios, chosen).argmin()]
        assert numbers["linked uniquely-valid"] == 1


def test_the_centre_errs_least_on_average():
    """Over the sphere of possible records the squared error of any other point is larger; so it is in these trials."""
    table = perturbed(300, 8, 12)
    found = [kaplan_trial(tables(gaussian=table), Point("gaussian", 3), draws(seed)).numbers for seed in range(60)]
    for selection in ("random row", "best row"):
        square = {
            name: np.mean([one[f"{selection} {name}"] ** 2 for one in found])
            for name in ("kaplan", "uniform", "optimal", "centre")
        }
        assert square["centre"] == min(square.values())
        assert 1.5 * square["centre"] < square["uniform"]


def test_links_that_the_papers_rule_would_not_find_are_given_all_the_same():
    """Two records of the same norm whose rows can be swapped: none is linked, and errors are those with links."""
    records = np.array([[2.0, 0, 0], [0, 2, 0], [0.3, 0.4, 1.2], [0.4, 0.3, 1.2]])
    released, order = plant(records, np.random.default_rng(5))
    table = PerturbedTable(records, released, order)
    table.__dict__["independent"] = lambda count, source: np.array([0, 1])
    numbers = kaplan_trial(tables(letter=table), Point("letter", 2), draws()).numbers
    assert numbers["linked uniquely-valid"] == 0
    assert numbers["best row centre"] == pytest.approx(1.2 / 1.3, rel=1e-9)


def test_norms_once_or_in_every_scan_are_timed_apart(monkeypatch):
    """The paper's algorithms run twice; scanning norms anew takes one pass for each known record at least."""
    asked = []

    def norms(rows):
        asked.append(len(rows))
        return np.linalg.norm(rows, axis=1)

    monkeypatch.setattr(trials, "row_norms", norms)
    table = perturbed(400, 8, 13)
    outcome = known_trial(tables(gaussian=table), Point("gaussian", 5), draws(5))
    assert asked == [400] * (5 + 1)
    assert {"paper's algorithms", "paper's algorithms with norms once"} <= set(outcome.seconds)


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
    ours = link(known, released, motion="orthogonal", rule="uniquely-valid", tolerance=1e-12).rows.tolist()
    assert ours == [order[row] if row >= 0 else -1 for row in rows]
