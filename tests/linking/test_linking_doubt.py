# SPDX-License-Identifier: BSD-3-Clause
"""Where a link looks sure and is not: dependent anchors, occupied rows, rival scales, crowded rows, unknown noise."""

import numpy as np
import pytest

from effort import slow
from isobreach.attacks import attack
from isobreach.linking import link
from oracles import rotation


def _release(records, rng, *, translates=True, scale=1.0):
    """(released, order): record i in row order[i]."""
    n, order = records.shape[1], rng.permutation(len(records))
    released = np.empty(records.shape)
    released[order] = scale * records @ rotation(n, rng).T + (3 * rng.standard_normal(n) if translates else 0.0)
    return released, order


@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
def test_anchors_on_a_line_do_not_vouch_for_a_dictionary(motion):
    """Eight of them tell a row by its place along the line and its distance from it, however many they are."""
    rng = np.random.default_rng(0)
    line = rng.standard_normal(6)
    records = np.vstack([np.outer(rng.standard_normal(8), line), rng.standard_normal((1000, 6))])
    released, _ = _release(records, rng, translates=motion == "rigid")
    strangers = rng.standard_normal((1000, 6))
    linkage = link(records[:8], released.round(2), motion=motion, dictionary=strangers)
    assert len(linkage.linked) >= 4
    assert not len(linkage.dictionary.linked)


@pytest.mark.parametrize("seeds", [[0], *slow(range(1, 12))])
def test_known_records_on_a_line_do_not_vouch_for_a_stranger(seeds):
    """One stranger is far away: then another, that has a place by chance, is doubted too."""
    wrong = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        line = rng.standard_normal(6)
        records = np.vstack([np.outer(rng.standard_normal(8), line), rng.standard_normal((500, 6))])
        released, _ = _release(records, rng)
        known = np.vstack([records[:8], rng.standard_normal((1, 6)), np.full((1, 6), 50.0)])
        wrong += len(np.intersect1d(link(known, released.round(2), motion="rigid").linked, [8, 9]))
    assert wrong == 0


@pytest.mark.parametrize("noise", [None, 0.01])
def test_the_row_of_a_known_record_is_taken(noise):
    """A candidate a little off a known record is not that record."""
    rng = np.random.default_rng(1)
    records = rng.standard_normal((300, 6))
    released, order = _release(records, rng, translates=False)
    released = released.round(2) if noise is None else released + noise * rng.standard_normal(released.shape)
    near = records[:8] + (1e-3 if noise is None else 0.1 * noise)
    linkage = link(records[:8], released, motion="orthogonal", noise=noise, dictionary=np.vstack([near, records[:2]]))
    assert (linkage.rows[linkage.linked] == order[linkage.linked]).all()
    assert len(linkage.linked) >= 6
    assert not len(np.intersect1d(linkage.dictionary.rows[:8], linkage.rows[linkage.linked]))


def test_two_scales_that_fit_leave_nothing_certain():
    rng = np.random.default_rng(2)
    shape = rng.standard_normal((4, 3))
    records = np.vstack([shape, shape[0] + 2 * (shape - shape[0])[1:], 40 + rng.standard_normal((30, 3))])
    released, _ = _release(records, rng)
    linkage = link(shape, released, motion="similarity")
    assert not len(linkage.linked)
    result = attack(shape, released, 0.1, motion="similarity", seed=0)
    assert not result.breach_probability.any()


def test_absent_outliers_do_not_hide_those_present():
    """The eight most telling known records are all absent: the next ones are tried."""
    rng = np.random.default_rng(3)
    records = rng.standard_normal((400, 5))
    released, order = _release(records, rng)
    known = np.vstack([20 + 5 * rng.standard_normal((8, 5)), records[:20]])
    linkage = link(known, released, motion="rigid")
    assert linkage.rows[8:].tolist() == order[:20].tolist()
    assert linkage.counts() == {"linked": 20, "ambiguous": 0, "absent": 8}


def test_tables_of_low_rank_are_not_taken_for_telling_ones():
    """Whole numbers in 3 dimensions laid into 8 columns: distances agree by chance as often as in 3."""
    wrong = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        basis = rng.standard_normal((3, 8))
        records, strangers = rng.integers(0, 12, (60, 3)) @ basis, rng.integers(0, 12, (8, 3)) @ basis
        released, order = _release(records, rng)
        linkage = link(strangers, released, motion="rigid")
        original = records[np.argsort(order)]
        wrong += sum(not np.allclose(original[linkage.rows[i]], strangers[i]) for i in linkage.linked)
    assert wrong == 0


@pytest.mark.parametrize("motion", ["orthogonal", "rigid", "auto"])
def test_noise_that_cannot_be_found_leads_to_no_claim(motion):
    rng = np.random.default_rng(4)
    records = rng.standard_normal((60, 3))
    released, _ = _release(records, rng)
    released += 0.5 * rng.standard_normal(released.shape)
    result = attack(records[:3], released, 0.2, motion=motion, noise="estimate", seed=0)
    assert not len(result.linkage.linked)
    assert not result.breach_probability.any()
    assert result.kind == "lower bound"


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_noise_is_estimated_from_next_to_nothing_without_a_crash(rows):
    linkage = link(np.ones((2, 3)) * [[1.0], [2.0]], np.ones((rows, 3)), noise="estimate", motion="auto")
    assert not len(linkage.linked)


def test_clusters_do_not_make_strangers_sure():
    """Strangers out of the same clusters, a few times the noise wide: no link, or a right one."""
    rng = np.random.default_rng(5)
    centres, sigma = 5 * rng.standard_normal((60, 8)), 0.05
    records = np.repeat(centres, 10, axis=0) + 3 * sigma * rng.standard_normal((600, 8))
    strangers = np.repeat(centres, 10, axis=0) + 3 * sigma * rng.standard_normal((600, 8))
    released, order = _release(records, rng, translates=False)
    released += sigma * rng.standard_normal(released.shape)
    linkage = link(records[::50], released, motion="orthogonal", noise=sigma, dictionary=strangers)
    assert (linkage.rows[linkage.linked] == order[::50][linkage.linked]).all()
    assert len(linkage.dictionary.linked) <= 1
