# SPDX-License-Identifier: BSD-3-Clause
"""What no coalition can exceed, compared with every coalition of small tables; how near greedy comes to the worst."""

from itertools import combinations

import numpy as np
import pytest

from effort import slow
from isobreach.audits.bound import bounds
from isobreach.audits.coalitions import Growth
from isobreach.audits.exposure import OwnersTable
from isobreach.audits.greedy import by_breaches, by_energy


def _table(records, *, translates=False, epsilon=0.3):
    total, n = records.shape
    return OwnersTable(records, np.full(total, 1e-13), translates, epsilon, np.full(n, 0.1))


def _others(table, coalition):
    """Breach probabilities of the others if every insider is linked."""
    order = np.array(coalition)
    growth = Growth(np.arange(len(order)) + 1, np.ones(len(order), dtype=bool))
    return np.delete(table.exposed(order, growth, (len(order),)).probability[0], order)


def _tables():
    rng = np.random.default_rng(3)
    yield "gaussian", rng.standard_normal((11, 4))
    yield "far from the origin", rng.standard_normal((11, 4)) + 5
    yield "clustered", np.repeat(rng.standard_normal((4, 5)), 3, axis=0) + 0.01 * rng.standard_normal((12, 5))
    yield "flat", rng.standard_normal((12, 2)) @ rng.standard_normal((2, 5))
    yield "with a record of zeros", np.concatenate([np.zeros((1, 3)), rng.standard_normal((10, 3))])
    yield "on a grid", rng.integers(0, 4, (12, 4)).astype(float)


@pytest.mark.parametrize("translates", [False, True])
@pytest.mark.parametrize("level", [0.5, *slow(0.3, 0.95, 1.0)])
@pytest.mark.parametrize(("name", "records"), list(_tables()))
def test_no_coalition_exceeds_the_bound(name, records, level, translates):
    table = _table(records, translates=translates)
    sizes = (1, 2, 3, 4)
    for size, bound in zip(sizes, bounds(table, sizes, level), strict=True):
        every = [_others(table, chosen) for chosen in combinations(range(len(records)), size)]
        assert max(int((p >= level).sum()) for p in every) <= bound.records
        assert max(float(p.mean()) for p in every) <= bound.mean + 1e-12
        assert max(float(p.max()) for p in every) <= bound.worst


def test_the_bound_says_something_where_directions_are_many():
    records = np.random.default_rng(0).standard_normal((5000, 60))
    few, many = bounds(_table(records), (3, 60), 0.5)
    assert few.records < 400
    assert few.mean < 0.1
    assert many.records == 4940
    assert many.worst == 1


def test_for_one_insider_the_worst_record_has_the_bound_that_all_pairs_reach():
    records = np.random.default_rng(0).standard_normal((400, 12))
    table = _table(records)
    worst = max(float(_others(table, [i]).max()) for i in range(400))
    (bound,) = bounds(table, (1,), 0.5)
    assert worst <= bound.worst <= 1.001 * worst


@pytest.mark.parametrize("translates", [False, True])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_worst_record_is_bounded_where_no_two_directions_are_near(size, translates):
    """Every coalition of a table with small coherence: the bound holds and says something."""
    rng = np.random.default_rng(size)
    records = (np.linalg.qr(rng.standard_normal((14, 14)))[0][:10] + 0.03 * rng.standard_normal((10, 14))) * 7
    table = _table(records, translates=translates, epsilon=0.8)
    (bound,) = bounds(table, (size,), 0.5)
    worst = max(float(_others(table, chosen).max()) for chosen in combinations(range(10), size))
    assert 0 < worst <= bound.worst < 0.6
    empty = _table(np.vstack([records, np.zeros(14)]), translates=translates, epsilon=0.8)
    assert bounds(empty, (size,), 0.5)[0].worst == 1  # a record of zeros counts as breached


@pytest.mark.parametrize("translates", [False, True])
@pytest.mark.parametrize(("name", "records"), list(_tables()))
def test_greedy_is_never_above_the_worst_and_at_least_the_typical(name, records, translates):
    table = _table(records, translates=translates)
    greedy = [by_energy(table, 4), by_breaches(table, 4, None, np.random.default_rng(0))]
    for order in greedy:
        assert len(set(order.tolist())) == 4
    for size in (2, 3, 4):
        every = [_others(table, chosen).mean() for chosen in combinations(range(len(records)), size)]
        found = max(_others(table, order[:size]).mean() for order in greedy)
        assert np.median(every) - 1e-9 <= found <= max(every) + 1e-9


def test_greedy_by_energy_takes_the_best_next_insider():
    rng = np.random.default_rng(1)
    records = rng.standard_normal((30, 6))
    table = _table(records)
    order = by_energy(table, 5)
    unit = records / table.norms[:, None]
    for size in range(5):

        def determined(chosen):
            basis = np.linalg.qr(records[chosen].T)[0]
            return float(((unit @ basis) ** 2).sum())

        chosen = order[:size].tolist()
        scores = {i: determined([*chosen, i]) for i in range(30) if i not in chosen}
        assert scores[int(order[size])] == pytest.approx(max(scores.values()))
