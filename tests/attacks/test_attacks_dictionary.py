# SPDX-License-Identifier: BSD-3-Clause
"""Candidates that are found in the release serve the attack as known records do."""

import numpy as np
import pytest

from effort import slow
from isobreach.attacks import attack
from isobreach.geometry import row_norms
from planted import Release


@pytest.mark.parametrize("wide", [8, 11])
@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
def test_found_candidates_open_the_release(motion, wide):
    """Three sure records leave five dimensions hidden, or six; twenty of a hundred candidates open all of them."""
    rng = np.random.default_rng(0)
    records, strangers = rng.standard_normal((200, 8)), rng.standard_normal((80, 8))
    release = Release(records, rng, motion, wide=wide)
    alone = attack(records[:3], release.released, 0.1, motion=motion, seed=0)
    assert alone.hidden_dimension == (5 if motion == "orthogonal" else 6)
    dictionary = np.vstack([strangers, records[3:23]])
    result = attack(records[:3], release.released, 0.1, motion=motion, dictionary=dictionary, seed=0)
    assert result.linkage.dictionary.rows.tolist() == [-1] * 80 + release.order[3:23].tolist()
    assert result.hidden_dimension == 0
    np.testing.assert_allclose(result.estimates[release.order], records, atol=1e-9)
    assert set(result.linked_rows) == set(release.order[:23])
    assert (result.estimate(release.order[:23]) == records[:23]).all()
    assert (result.breach_probability == 1).all()


def test_a_dictionary_without_any_of_the_records_changes_nothing():
    rng = np.random.default_rng(1)
    records = rng.standard_normal((200, 8))
    release = Release(records, rng, "orthogonal")
    plain, other = (
        attack(records[:3], release.released, 0.3, motion="orthogonal", dictionary=dictionary, seed=0)
        for dictionary in (None, rng.standard_normal((100, 8)))
    )
    assert other.hidden_dimension == plain.hidden_dimension
    np.testing.assert_array_equal(other.breach_probability, plain.breach_probability)
    np.testing.assert_array_equal(other.estimates, plain.estimates)


@pytest.mark.parametrize("motion", ["rigid", *slow("orthogonal")])
def test_under_noise_candidates_make_the_fit_better(motion):
    rng = np.random.default_rng(2)
    records, strangers = rng.standard_normal((400, 8)), rng.standard_normal((200, 8))
    release = Release(records, rng, motion, noise=0.02)
    dictionary = np.vstack([strangers, records[10:160]])
    errors = []
    for candidates in (None, dictionary):
        result = attack(records[:10], release.released, 0.1, motion=motion, noise=0.02, dictionary=candidates, seed=0)
        assert len(result.linkage.linked) == 10
        errors.append(row_norms(result.estimates[release.order] - records)[160:].mean())
    rows = result.linkage.dictionary.rows
    assert (rows[:200] == -1).all()
    assert ((rows[200:] == release.order[10:160]) | (rows[200:] == -1)).all()
    assert (rows[200:] >= 0).mean() > 0.9
    # The error left is a row's own noise, 8 coordinates of it: shrinkage towards the others' mean takes a little off.
    assert errors[1] < errors[0]
    assert errors[1] == pytest.approx(0.02 * np.sqrt(8), rel=0.15)
