# SPDX-License-Identifier: BSD-3-Clause
"""A dictionary under noise with reworded entries: absent records that have a near twin in the store."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import chi2, ncx2

from isobreach.linking import link
from isobreach.linking.dictionary import Anchors, noisy_entries
from isobreach.linking.noisy import Likelihood
from isobreach.linking.noisy.twins import log_doubt, log_ratio
from oracles import rotation

KNOWN, ROWS, COLUMNS, NOISE, PRESENT = 12, 400, 64, 0.004, 150
FEW = np.repeat([8, 12, 16, 24, 40], 2)  # offsets of twins from their records, in noise levels


def _unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _deal(seed, twins, *, copied=0):
    """Unit vectors; candidates are 150 of them, twins of others at some offsets, and 100 strangers. None: no row."""
    rng = np.random.default_rng([seed, 17])
    records = _unit(rng.standard_normal((ROWS + 100, COLUMNS)) * np.exp(-np.arange(COLUMNS) / COLUMNS))
    store, strangers = records[:ROWS], records[ROWS:]
    store[ROWS - copied :] = store[KNOWN : KNOWN + copied]
    offsets = NOISE * np.asarray(twins)[:, None] * _unit(rng.standard_normal((len(twins), COLUMNS)))
    reworded = store[KNOWN + PRESENT : KNOWN + PRESENT + len(twins)] + offsets
    order = rng.permutation(ROWS)
    released = np.empty_like(store)
    released[order] = store @ rotation(COLUMNS, rng).T + NOISE * rng.standard_normal(store.shape)
    rows = np.concatenate([order[KNOWN : KNOWN + PRESENT], np.full(len(twins) + 100, -1)])
    return store[:KNOWN], np.vstack([store[KNOWN : KNOWN + PRESENT], reworded, strangers]), released, rows, order


def _looked_up(twins, *, seeds=range(8)):
    """(wrong links, right links, records that are there) of deals, the known records being linked."""
    wrong = right = there = 0
    for seed in seeds:
        known, dictionary, released, rows, order = _deal(seed, twins)
        found = SimpleNamespace(points=released, copies=np.ones(ROWS, dtype=np.int64))
        anchors = Anchors(known, order[:KNOWN], np.zeros(KNOWN))
        settings = {"translates": False, "limit": 1e-3, "progress": lambda *_: None}
        links = noisy_entries(dictionary, anchors, found, NOISE, **settings).links
        true = sum(rows[k] == row for k, row in links.items())
        wrong, right, there = wrong + len(links) - true, right + true, there + PRESENT
    return wrong, right, there


def test_a_reworded_record_is_not_linked_to_its_twin():
    """Wrong links are as rare as a posterior of .999 says, up to three standard errors; nearly all others are found."""
    wrong, right, there = _looked_up(FEW)
    assert wrong <= 1e-3 * right + 3 * np.sqrt(1e-3 * right)
    assert right >= 0.95 * there


@pytest.mark.slow
@pytest.mark.parametrize(("noise", "found_of_all"), [(NOISE, 0.95), (1.4 * NOISE, 0.95), ("estimate", 0.75)])
def test_nor_where_the_level_is_wrong_or_looked_for(noise, found_of_all):
    """A level that counts rounding twice is 1.4 times too high: links show it. One that is looked for tells fewer."""
    wrong = right = 0
    for seed in range(8):
        known, dictionary, released, rows, _ = _deal(seed, FEW)
        found = link(known, released, motion="orthogonal", noise=noise, dictionary=dictionary).dictionary
        true = found.rows[found.linked] == rows[found.linked]
        wrong, right = wrong + (~true).sum(), right + true.sum()
    assert wrong <= 1e-3 * right + 3 * np.sqrt(1e-3 * right)
    assert right >= found_of_all * 8 * PRESENT


@pytest.mark.slow
@pytest.mark.parametrize("twins", [[12] * 100, [20] * 100, [30] * 100, 60 * np.sqrt((np.arange(100) + 0.5) / 100)])
def test_where_every_second_candidate_is_reworded(twins):
    """Twins that the noise hides make all links doubtful; twins beyond it do not."""
    wrong, right, there = _looked_up(twins)
    assert wrong <= 1e-3 * right + 3 * np.sqrt(1e-3 * max(right, 1))
    if min(twins) >= 20:
        assert right >= 0.99 * there


def test_without_twins_all_are_found():
    wrong, right, there = _looked_up([], seeds=range(3))
    assert wrong == 0
    assert right >= 0.99 * there


def test_of_two_candidates_for_a_row_one_has_it():
    """Twins of records that are candidates themselves: the row goes to the record, or to nobody."""
    known, dictionary, released, rows, _ = _deal(0, [])
    rng = np.random.default_rng(0)
    twins = dictionary[:20] + 6 * NOISE * _unit(rng.standard_normal((20, COLUMNS)))
    both = np.vstack([dictionary, twins])
    found = link(known, released, motion="orthogonal", noise=NOISE, dictionary=both).dictionary
    assert (found.rows[-20:] == -1).all()
    assert ((found.rows[:PRESENT] == rows[:PRESENT]) | (found.rows[:PRESENT] == -1)).all()
    assert (found.rows[20:PRESENT] >= 0).mean() >= 0.95


def test_of_a_record_that_is_there_twice_either_row_is_right():
    known, dictionary, released, rows, order = _deal(1, [], copied=10)
    found = link(known, released, motion="orthogonal", noise=NOISE, dictionary=dictionary).dictionary
    for k in range(10):
        copies = {rows[k], order[ROWS - 10 + k]}
        assert found.rows[k] in copies | {-1}
        assert copies <= set(found.candidates[k].tolist()) or found.rows[k] >= 0
    assert (found.rows[10:PRESENT] == rows[10:PRESENT]).mean() >= 0.95


@pytest.mark.parametrize("freedom", [8, 20, 250])
def test_how_much_likelier_a_twin_makes_a_misfit(freedom):
    """The ratio of a noncentral to a central chi-square density, within a tenth."""
    misfit = np.array(chi2.ppf([0.01, 0.3, 0.9, 0.9999], freedom))
    for offset in (0.0, 0.5, 5.0, 50.0):
        exact = ncx2.logpdf(misfit, freedom, offset) - chi2.logpdf(misfit, freedom) if offset else np.zeros(4)
        np.testing.assert_allclose(log_ratio(misfit, np.full(4, freedom), np.array(offset)), exact, atol=0.1)


def test_the_doubt_is_a_power_law_where_no_twin_shows():
    """A record that fits on average, twins uniform in a ball of 6 dimensions: those below the edge are counted."""
    rng = np.random.default_rng(0)
    count, edge, freedom = 4000, 100.0, 200.0
    offsets = 20 * np.sqrt(edge) * rng.random(count) ** (1 / 6)
    shown = np.where(offsets > np.sqrt(edge), offsets, 20 * np.sqrt(edge))
    below = np.linspace(0.0, np.sqrt(edge), 2000)
    hidden = 6 * below**5 / (20 * np.sqrt(edge)) ** 6
    exact = np.trapezoid(hidden * np.exp(log_ratio(np.array(freedom), np.array(freedom), below**2)), below)
    doubt = np.exp(log_doubt(np.full(count, freedom), np.full(count, freedom), shown**2, edge)[0])
    assert exact / 100 <= doubt <= max(100 * exact, 1e-6)  # the power is known within a third


@pytest.mark.parametrize("translates", [False, True])
def test_the_misfit_of_a_record_is_chi_square_of_as_many_numbers(translates):
    """However few links fit the rotation: its error is part of the law."""
    rng = np.random.default_rng(3)
    records = rng.standard_normal((600, 20)) * np.exp(-np.arange(20) / 10)
    misfits = []
    for _ in range(8):
        rows = records @ rotation(20, rng).T + 0.01 * rng.standard_normal(records.shape)
        like = Likelihood(records[:30], rows[:30], rows, 0.01, translates=translates, spacing=0.0)
        misfit = like.log_ratio(records[30:])[1]
        misfits.append(np.diagonal(misfit[:, 30:]).mean())
    assert np.mean(misfits) == pytest.approx(20, rel=0.08)
