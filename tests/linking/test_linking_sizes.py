# SPDX-License-Identifier: BSD-3-Clause
"""Columns of very different size, as owners have them: scales are found and partial records completed there too."""

import numpy as np
import pytest

import isobreach as ib
from isobreach.linking import link


def people(seed, count=300):
    """Ages, incomes in cents, heights, weights, two laboratory values, and a fortune of order 1e8."""
    rng = np.random.default_rng(seed)
    return np.column_stack(
        [
            rng.integers(18, 90, count),
            rng.lognormal(10.3, 0.6, count).round(2),
            rng.normal(172, 9, count).round(1),
            rng.normal(75, 14, count).round(1),
            rng.integers(95, 180, count),
            rng.integers(120, 320, count),
            rng.lognormal(17, 1, count).round(),
        ]
    )


@pytest.mark.parametrize("seed", range(4))
def test_a_similarity_holds_of_a_rigid_release_too(seed):
    """It includes a translation, and a scale of 1: whatever a rigid motion links, so many records link as well.

    Two true links fix the scale. What chance makes of the others beside them does not pay for a scale once more.
    """
    records = people(seed)
    release = ib.perturb(records, "rigid", seed=seed)
    for scale in (1.0, 0.37):
        linkage = link(records[:8], scale * release.data, motion="similarity")
        assert linkage.rows.tolist() == release.key.order[:8].tolist()
        assert linkage.scale == pytest.approx(scale)


@pytest.mark.parametrize("seed", range(8))
def test_strangers_find_no_scale_there(seed):
    """Eight people who are not in the release, drawn like those who are: no link, at any scale."""
    records = people(seed)
    released = ib.perturb(records[:150], "rigid", seed=seed).data
    assert not len(link(records[150:158], released, motion="similarity").linked)


def test_a_place_that_chance_could_have_made_is_said_to_be_one():
    """Three people at some scale are few: they do find a place, so that nothing speaks for their absence."""
    records = people(3)
    released = ib.perturb(records, "rigid", seed=1).data
    with pytest.warns(ib.NothingLinkedWarning) as warned:
        linkage = ib.link(records[:3], released, motion="similarity")
    assert not len(linkage.linked)
    said = str(warned[0].message)
    assert "find a place together" in said
    assert "motion='rigid'" in said
    assert "not in the release" not in said.split(";")[0]


@pytest.mark.parametrize("complete", [4, 10])
@pytest.mark.parametrize("seed", range(4))
def test_partial_records_are_completed_there(seed, complete):
    """A fortune of order 1e8 must not blur ages and weights: errors are bounded along each direction by itself."""
    records = people(seed)
    release = ib.perturb(records, "rigid", seed=seed)
    known = records[: complete + 6].copy()
    lacking = np.random.default_rng(seed).integers(0, 7, 6)
    known[np.arange(complete, complete + 6), lacking] = np.nan
    linkage = link(known, release.data)
    assert linkage.rows[linkage.linked].tolist() == release.key.order[linkage.linked].tolist()
    assert len(linkage.completed) == 6
    found = linkage.complete_known(known)[complete:]
    assert np.abs(found - records[complete : complete + 6]).max() < 1e-3


@pytest.mark.parametrize("seed", range(4))
def test_partial_records_of_strangers_are_not_completed_there(seed):
    records = people(seed)
    released = ib.perturb(records[:200], "rigid", seed=seed).data
    known = np.vstack([records[:5], records[200:206]])
    known[np.arange(5, 11), np.random.default_rng(seed).integers(0, 7, 6)] = np.nan
    assert link(known, released).linked.tolist() == [0, 1, 2, 3, 4]
