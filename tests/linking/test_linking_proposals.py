# SPDX-License-Identifier: BSD-3-Clause
"""Rows that a public sample proposes: found where they are, never a stranger, and never absent where they are missed.

The releases are small; that their pairs are too many to compare is what the fixture says.
"""

from dataclasses import replace

import numpy as np
import pytest

from effort import slow
from isobreach.errors import InputError
from isobreach.linking import link, proposing
from isobreach.linking.invariants import INVARIANTS, Expected, Population
from oracles import rotation

COLUMNS = 10


@pytest.fixture
def many(monkeypatch):
    """Every release has too many pairs."""
    monkeypatch.setattr(proposing, "PROPOSING", replace(proposing.PROPOSING, exact=0.0))


def records(rng, rows, columns=COLUMNS):
    """Skewed columns of different size, mixed: the axes are those of the population."""
    sizes = 1 / np.sqrt(np.arange(1, columns + 1))
    mixed = rotation(columns, np.random.default_rng(columns))
    return (rng.exponential(size=(rows, columns)) * sizes) @ mixed.T + 3


class Planted:
    """Records, a sample, and the release behind a motion."""

    def __init__(self, seed, rows=2_000, sample=600, columns=COLUMNS, *, unit=False):
        rng = np.random.default_rng(seed)
        self.records, self.sample = records(rng, rows, columns), records(rng, sample, columns)
        self.strangers = records(rng, 6, columns)
        if unit:
            self.records, self.sample, self.strangers = (
                one / np.linalg.norm(one, axis=1)[:, None] for one in (self.records, self.sample, self.strangers)
            )
        self.order = rng.permutation(rows)
        self.released = np.empty((rows, columns))
        moved = self.records @ rotation(columns, rng).T
        self.released[self.order] = moved if unit else moved + 7 * rng.standard_normal(columns)
        self.known = rng.choice(rows, 6, replace=False)


@pytest.mark.parametrize("seed", [*range(2), *slow(*range(2, 8))])
def test_present_records_are_linked_to_their_rows(seed, many):
    planted = Planted(seed)
    found = link(planted.records[planted.known], planted.released, motion="rigid", sample=planted.sample)
    assert found.rows.tolist() == planted.order[planted.known].tolist()
    assert "proposed" in found.reason
    assert found.chance.max() < 1e-3


@pytest.mark.parametrize("seed", range(2))
def test_links_are_those_of_all_pairs(seed, many, monkeypatch):
    """And so is their error radius: the exact way decides what is true."""
    planted = Planted(seed)
    asked = planted.records[planted.known], planted.released
    proposed = link(*asked, sample=planted.sample)
    exact = link(*asked)
    assert proposed.motion == exact.motion == "rigid"
    assert proposed.rows.tolist() == exact.rows.tolist()
    assert np.allclose(proposed.radius, exact.radius, rtol=1e-12)


@pytest.mark.parametrize("seed", [0, *slow(1, 2, 3)])
def test_vectors_of_length_one(seed, many):
    """Norms are kept, and tell nothing."""
    planted = Planted(seed, unit=True)
    found = link(planted.records[planted.known], planted.released, motion="orthogonal", sample=planted.sample)
    assert found.rows.tolist() == planted.order[planted.known].tolist()


@pytest.mark.parametrize("seed", [*range(2), *slow(*range(2, 8))])
def test_strangers_are_not_linked_nor_absent(seed, many):
    planted = Planted(seed)
    released = np.delete(planted.released, planted.order[planted.known], axis=0)
    for known in (planted.strangers, planted.records[planted.known]):
        found = link(known, released, motion="rigid", sample=planted.sample)
        assert (found.status == "absent").sum() == 0 or "proposed" not in found.reason
        assert (found.rows < 0).all()


@pytest.mark.parametrize("seed", [0, *slow(1, 2, 3)])
def test_absent_records_beside_present_ones_are_open(seed, many):
    """Four are there: all are found, and the others could be any row, for all that was compared."""
    planted = Planted(seed)
    known = np.concatenate([planted.records[planted.known[:4]], planted.strangers[:2]])
    found = link(known, planted.released, motion="rigid", sample=planted.sample)
    assert found.rows.tolist() == [*planted.order[planted.known[:4]].tolist(), -1, -1]
    assert found.status[4:].tolist() == ["ambiguous"] * 2
    assert [len(one) for one in found.candidates[4:]] == [len(planted.records)] * 2


@pytest.mark.parametrize("seed", [0, *slow(1, 2, 3)])
def test_records_that_were_not_proposed_are_found_by_the_others(seed, many, monkeypatch):
    """Only the nearest row is proposed: not everybody's own; whoever is placed shows the rest."""
    monkeypatch.setattr(proposing, "PROPOSING", replace(proposing.PROPOSING, most=1))
    planted = Planted(seed, sample=300)
    known = np.random.default_rng(seed).choice(len(planted.records), 40, replace=False)
    apart = Expected.of(planted.records[known], planted.sample, planted.released).distances(planted.released)
    first = (apart.argmin(axis=1) == planted.order[known]).mean()
    assert 0.05 < first < 0.95  # the test is about the others
    found = link(planted.records[known], planted.released, motion="rigid", sample=planted.sample)
    assert found.rows.tolist() == planted.order[known].tolist()


@pytest.mark.parametrize("seed", range(2))
def test_a_twin_that_was_not_proposed_leaves_its_record_open(seed, many):
    """Of a mirror image and its record, seen from the plane of the others, the pass over all rows finds both."""
    rng = np.random.default_rng(seed)
    flat = np.column_stack([records(rng, 400, 4)[:, :3], np.zeros(400)])
    known, mirrored = flat[:5], flat[5] + np.array([0.0, 0, 0, 2.0])
    people = np.concatenate([flat, [mirrored, mirrored * [1, 1, 1, -1]]])
    released = people @ rotation(4, rng).T + 5
    found = link(np.concatenate([known, [mirrored]]), released, motion="rigid", sample=records(rng, 300, 4))
    assert found.rows[:5].tolist() == list(range(5))
    assert found.rows[5] == -1


@pytest.mark.parametrize("seed", [0, *slow(1, 2, 3)])
def test_a_sample_of_others_makes_no_wrong_link(seed, many):
    """Columns of the sample are exchanged and scaled: it proposes nothing, and nobody is said to be absent by that."""
    planted = Planted(seed)
    sample = 2 * planted.sample[:, ::-1] ** 2
    found = link(planted.records[planted.known], planted.released, motion="rigid", sample=sample)
    assert set(found.rows.tolist()) <= {*planted.order[planted.known].tolist(), -1}
    assert "absent" not in found.status


def test_links_that_were_not_compared_with_all_rows_are_none(many, monkeypatch):
    """Too many rows fit the records placed first: then all pairs decide, here where they can."""
    monkeypatch.setattr(proposing, "PROPOSING", replace(proposing.PROPOSING, most_fitting=0))
    planted = Planted(0)
    found = link(planted.records[planted.known], planted.released, motion="rigid", sample=planted.sample)
    assert "proposed" not in found.reason
    assert found.rows.tolist() == planted.order[planted.known].tolist()


def test_copies_of_a_row_are_one_value(many):
    planted = Planted(0)
    released = np.concatenate([planted.released, planted.released[planted.order[planted.known[:1]]]])
    found = link(planted.records[planted.known], released, motion="rigid", sample=planted.sample)
    assert found.status.tolist() == ["linked"] * 6
    assert found.candidates[0].tolist() == [planted.order[planted.known[0]], len(planted.records)]


@pytest.mark.parametrize("seed", range(8))
def test_the_own_row_is_among_the_likeliest(seed):
    """Of 200 records nearly all are among the 2% that are likeliest, and most among the first ten."""
    planted = Planted(seed, rows=4_000)
    known = np.random.default_rng(seed).choice(4_000, 200, replace=False)
    apart = Expected.of(planted.records[known], planted.sample, planted.released).distances(planted.released)
    own = apart[np.arange(200), planted.order[known]]
    rank = (apart < own[:, None]).sum(axis=1)
    assert (rank < 80).mean() >= 0.95
    assert np.median(rank) < 10


def test_invariants_do_not_change_under_motions():
    rng = np.random.default_rng(0)
    rows = records(rng, 500)
    moved = rows @ rotation(COLUMNS, rng).T + rng.standard_normal(COLUMNS)
    there, here = (Population.of(one, 2.0).invariants(one) for one in (rows, moved))
    assert here.shape == (500, INVARIANTS)
    assert np.allclose(there, here, rtol=1e-9, atol=1e-9 * np.abs(there).max())
    assert np.allclose(here[:, 0], ((rows - rows.mean(axis=0)) ** 2).sum(axis=1) / 4)


def test_without_need_the_sample_changes_nothing():
    planted = Planted(0, rows=300)
    asked = planted.records[planted.known], planted.released
    with_one, without = link(*asked, motion="rigid", sample=planted.sample), link(*asked, motion="rigid")
    assert with_one.rows.tolist() == without.rows.tolist()
    assert with_one.reason == without.reason == ""


def test_a_sample_of_other_columns_is_refused():
    planted = Planted(0, rows=50)
    with pytest.raises(InputError, match="sample must have as many numeric columns as known, 10"):
        link(planted.records[:4], planted.released, sample=planted.sample[:, :9])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_rows_as_long_as_sentence_vectors(seed, many):
    planted = Planted(seed, rows=20_000, sample=3_000, columns=96, unit=True)
    found = link(planted.records[planted.known], planted.released, motion="orthogonal", sample=planted.sample)
    assert found.rows.tolist() == planted.order[planted.known].tolist()
