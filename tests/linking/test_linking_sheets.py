# SPDX-License-Identifier: BSD-3-Clause
"""Dictionaries of tables whose columns are partly on a grid: no stranger is linked, no chance understated."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from effort import examples
from isobreach.linking import link
from isobreach.linking.chance import free_columns, log_matches_on_sheets
from oracles import rotation

STORED = {
    "float16": lambda rows: rows.astype(np.float16),
    "float32": lambda rows: rows.astype(np.float32),
    "2 decimals": lambda rows: rows.round(2),
    "3 decimals": lambda rows: rows.round(3),
}
STRANGERS = ("of the same population", "on the sheet of a released row", "with two grid values changed")
APART = 8  # error radii: nearer copies of a released record are beyond what the release tells


def _problem(rng, strangers, *, motion, store, columns, grid, rows, candidates, wide=0):
    """(known, released rows, dictionary, rows of its present half, true rows of all records, records)."""

    def draw(count):
        table = rng.normal(1, 1, (count, columns))
        table[:, :grid] = rng.integers(0, 5, (count, grid))
        return table

    records, others = draw(rows), draw(candidates - candidates // 2)
    base = records[rng.integers(0, rows, len(others))]
    if strangers != STRANGERS[0]:
        others[:, :grid] = base[:, :grid]
    if strangers == STRANGERS[2]:
        changed = rng.integers(0, grid, (2, len(others)))
        others[np.arange(len(others)), changed] = rng.integers(0, 5, changed.shape)
    released = np.empty((rows, columns + wide))
    order = rng.permutation(rows)
    released[order] = records @ rotation(columns + wide, rng)[:, :columns].T
    released += 0.0 if motion == "orthogonal" else 3 * rng.standard_normal(columns + wide)
    present = slice(8, 8 + candidates // 2)
    dictionary = np.vstack([records[present], others])
    return records[:8], STORED[store](released), dictionary, order[present], records


@examples(20)
@given(
    seed=st.integers(0, 2**32),
    strangers=st.sampled_from(STRANGERS),
    motion=st.sampled_from(["orthogonal", "rigid"]),
    store=st.sampled_from(list(STORED)),
    columns=st.integers(2, 8),
    free=st.integers(1, 7),
    rows=st.integers(110, 200),
    candidates=st.integers(20, 200),
    wide=st.integers(0, 5),
)
def test_no_stranger_is_linked(seed, strangers, motion, store, columns, free, rows, candidates, wide):
    grid = max(1, columns - free)
    known, released, dictionary, rows_there, records = _problem(
        np.random.default_rng(seed),
        strangers,
        motion=motion,
        store=store,
        columns=columns,
        grid=grid,
        rows=rows,
        candidates=candidates,
        wide=wide,
    )
    entries = link(known, released, motion=motion, dictionary=dictionary).dictionary
    there = len(rows_there)
    nearest = np.array([np.linalg.norm(records - one, axis=1).min() for one in dictionary[there:]])
    assert (entries.rows[there:][nearest > APART * entries.radius[there:]] == -1).all()
    linked = entries.linked[entries.linked < there]
    assert (released[entries.rows[linked]] == released[rows_there[linked]]).all()


@pytest.mark.parametrize("strangers", STRANGERS[:2])
@pytest.mark.parametrize("store", ["float16", "2 decimals"])
@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
def test_chance_makes_no_more_matches_than_are_expected(motion, store, strangers):
    """Strangers that agree with a row are counted: the product of all distances' shares gave a thousandth of them."""
    counted, expected = 0, 0.0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        known, released, dictionary, there, _ = _problem(
            rng, strangers, motion=motion, store=store, columns=5, grid=3, rows=150, candidates=280
        )
        entries = link(known, released, motion=motion, dictionary=dictionary[len(there) :]).dictionary
        assert entries.chance is not None
        counted += sum(len(rows) > 0 for rows in entries.candidates)
        expected += float(np.minimum(entries.chance / len(entries.rows), 1.0).sum())
    assert counted <= expected + 3 * np.sqrt(expected)


@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
@pytest.mark.parametrize("seed", range(8))
def test_in_a_fine_release_all_that_are_there_are_linked(motion, seed):
    rng = np.random.default_rng(seed)
    known, released, dictionary, there, _ = _problem(
        rng, STRANGERS[1], motion=motion, store="float32", columns=6, grid=3, rows=150, candidates=100
    )
    entries = link(known, released, motion=motion, dictionary=dictionary).dictionary
    assert entries.rows.tolist() == [*there, *[-1] * (len(entries.rows) - len(there))]


def test_free_columns_are_those_without_steps_that_lengths_could_tell():
    rng = np.random.default_rng(0)
    whole, cents, real = rng.integers(0, 9, 50) * 1.0, rng.normal(0, 1, 50).round(2), rng.standard_normal(50)
    records = np.stack([whole, cents, real], axis=1)
    assert free_columns(records, 1e-4).tolist() == [False, False, True]
    assert free_columns(records, 0.01).tolist() == [False, True, True]
    assert free_columns(records, 0.5).tolist() == [True, True, True]


def test_where_all_columns_are_of_one_kind_there_are_no_sheets():
    rng = np.random.default_rng(0)
    for records in (rng.standard_normal((20, 4)), rng.integers(0, 9, (20, 4)) * 1.0):
        distances = np.linalg.norm(records - records[0], axis=1)[None]
        matches = log_matches_on_sheets(records, records[:1], distances, distances, 100, 1e-3, 1)
        assert (matches == -np.inf).all()


def test_the_matches_on_a_sheet_are_those_of_its_free_columns():
    """Half the records are on the sheet, and a tenth of their free values are at the distance that is asked."""
    free = np.tile(np.linspace(0.001, 1, 100), 2)
    records = np.stack([np.repeat([0.0, 5.0], 100), free + 1e-9 * np.pi], axis=1)
    origin = np.zeros((1, 2))
    low, high = np.full((1, 200), 0.45), np.full((1, 200), 0.55)
    low[:, 100:], high[:, 100:] = np.hypot(5, low[:, 100:]), np.hypot(5, high[:, 100:])
    matches = np.exp(log_matches_on_sheets(records, origin, low, high, 400, 1e-6, 1))
    np.testing.assert_allclose(matches, 200 * 200 * 0.1, rtol=0.06)
