# SPDX-License-Identifier: BSD-3-Clause
"""What is read off a column in order is what a sort of it tells, whether it is short, long or in a file."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from effort import examples
from isobreach.engine import ArrayColumn
from isobreach.engine import ordered as module
from isobreach.engine.column import ColumnReading, FileColumn

numbers = st.one_of(
    st.floats(-1, 1, allow_subnormal=True),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, 5e-324, 1e300, 1e-300]),
)


@pytest.fixture(params=["sorted", "counted"])
def short(request, monkeypatch):
    if request.param == "counted":
        monkeypatch.setattr(module, "_SHORT", -1)
    monkeypatch.setattr("isobreach.engine.column._READING", ColumnReading(chunk=50))


def falling(values):
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(np.clip(values, -50, 50)))


@pytest.mark.parametrize("counted", [False, True])
@examples(60)
@given(st.lists(numbers, max_size=200), st.sets(st.integers(0, 199), max_size=5))
def test_places_and_counts_are_those_of_a_sort(counted, values, excluded):
    column = ArrayColumn(np.array(values, dtype=np.float64))
    excluded = [row for row in excluded if row < len(values)]
    rest = np.sort(np.delete(column.values(), excluded))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("isobreach.engine.column._READING", ColumnReading(chunk=50))
        if counted:
            patch.setattr(module, "_SHORT", -1)
        order = column.ordered(excluded)
        assert len(order) == len(rest)
        np.testing.assert_array_equal(order.at(np.arange(len(rest))), rest)
        levels = [0.0, 0.3, 0.5, 1.0, *falling(rest[:5])]
        assert order.reaching(levels, falling).tolist() == [int((falling(rest) >= level).sum()) for level in levels]


@pytest.mark.parametrize("seed", range(8))
def test_the_mean_of_many_is_close(short, seed):
    values = np.random.default_rng(seed).beta(4, 4, 5000)
    order = FileColumn.of([values[:3000], values[3000:]], 5000).ordered([7])
    assert order.mean(falling) == pytest.approx(falling(np.delete(values, 7)).mean(), rel=1e-7)
    assert order.at([17, 4998]).tolist() == np.sort(np.delete(values, 7))[[17, 4998]].tolist()


def test_equal_numbers_are_not_collected(monkeypatch):
    """Most rows may have one and the same number: they are known without another look."""
    monkeypatch.setattr(module, "_SHORT", 0)
    order = ArrayColumn(np.repeat([-1.0, -0.5], [4000, 10])).ordered()
    monkeypatch.setattr(module, "_parts", None)
    assert order.at([0, 3999, 4000, 4009]).tolist() == [-1, -1, -0.5, -0.5]
    assert order.reaching([0.5, 0.7, 1.0], np.negative).tolist() == [4010, 4000, 4000]
    assert order.mean(np.negative) == pytest.approx(4005 / 4010)


@pytest.mark.parametrize("kind", [ArrayColumn, FileColumn])
def test_what_is_derived_is_computed_once_and_kept_where_it_comes_from(kind):
    calls = []

    def root(values, params):
        calls.append(len(values))
        return np.sqrt(values)

    values = np.arange(100.0)
    kept = kind.of([values], 100).derived(root, None).derived(np.multiply, 2.0).kept()
    assert type(kept) is kind
    assert kept.kept() is kept
    assert kept.values().tolist() == (2 * np.sqrt(values)).tolist()
    assert sum(calls) == 100
