# SPDX-License-Identifier: BSD-3-Clause
"""The defaults tell the truth: they undo what ``perturb`` does by default, and no link is never an all-clear."""

import pickle
import warnings

import numpy as np
import pytest

import isobreach as ib
from effort import slow
from isobreach.linking import link
from isobreach.linking.motions import DECIDING

RECORDS = np.random.default_rng(0).standard_normal((300, 6))
STRANGERS = np.random.default_rng(1).standard_normal((4, 6))


@pytest.mark.parametrize("scheme", ["rigid", "orthogonal"])
@pytest.mark.parametrize("seeds", [range(2), *slow(range(2, 8))])
def test_what_perturb_protects_the_defaults_undo(scheme, seeds):
    for seed in seeds:
        release = ib.perturb(RECORDS, scheme, seed=seed)
        linkage = ib.link(RECORDS[:4], release.data)
        assert linkage.rows.tolist() == release.key.order[:4].tolist()
        assert linkage.motion == scheme
        result = ib.attack(RECORDS[:7], release.data, seed=0)
        assert result.hidden_dimension == 0
        np.testing.assert_allclose(result.estimates[release.key.order], RECORDS, atol=1e-9)
        found = ib.reconstruct("known-input", release.data, ib.Knowledge(known=RECORDS[:7]), seed=0)
        assert found.claimed


@pytest.mark.parametrize("motion", ["orthogonal", "rigid", "similarity", "auto"])
def test_no_link_is_never_exact_and_always_a_warning(motion):
    release = ib.perturb(RECORDS, "rigid", seed=0).data
    known = RECORDS[:4] if motion == "orthogonal" else STRANGERS
    with pytest.warns(ib.NothingLinkedWarning, match="0 of 4 known records were linked. Likely reasons: ") as caught:
        result = ib.attack(known, release, motion=motion, seed=0)
    assert len(caught) == 1
    assert caught[0].filename == __file__  # it points at the caller
    assert result.kind != "exact"
    assert not result.is_exact
    with pytest.warns(ib.NothingLinkedWarning):
        assert not len(ib.link(known, release, motion=motion).linked)
    for name in ("known-input", "kaplan"):
        with pytest.warns(ib.NothingLinkedWarning) as caught:
            assert not ib.reconstruct(name, release, ib.Knowledge(known=known), motion=motion).claimed
        assert caught[0].filename == __file__


def test_the_warning_names_what_may_be_wrong():
    release = ib.perturb(RECORDS, "rigid", seed=0).data
    with pytest.warns(ib.NothingLinkedWarning) as caught:
        ib.link(RECORDS[:4], release, motion="orthogonal")
    said = str(caught[0].message)
    for part in (
        "not behind an orthogonal motion, as named",
        "another scale",
        "motion='auto'",
        "not in the release",
        "noise='estimate'",
        "too few",
        "rounded",
    ):
        assert part in said
    again = pickle.loads(pickle.dumps(caught[0].message))
    assert str(again) == said
    assert isinstance(again, UserWarning)


def test_where_only_chance_stands_against_a_motion_it_is_named():
    """Two records in a rounded release: their norms and their distance fit, and could do so by chance."""
    table = np.random.default_rng(0).integers(0, 10, (800, 6)) * 1.0
    release = ib.perturb(table, "orthogonal", seed=1)
    hint = r"motion='orthogonal' would link 2 of 2"
    with pytest.warns(ib.NothingLinkedWarning, match=hint):
        linkage = ib.link(table[:2], release.data)
    assert linkage.if_named == ("orthogonal", 2)
    assert ib.link(table[:2], release.data, motion="orthogonal").rows.tolist() == release.key.order[:2].tolist()


def test_inner_functions_and_links_give_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        link(STRANGERS, RECORDS)
        ib.link(RECORDS[:4], RECORDS)


def test_a_motion_that_is_established_needs_no_other_to_be_tried(monkeypatch):
    """Of a hundred records three are there: that is not by chance, and no join of a large release follows."""
    released = np.random.default_rng(2).permutation(RECORDS)
    known = np.vstack([RECORDS[:3], np.random.default_rng(3).standard_normal((97, 6))])
    monkeypatch.setattr("isobreach.linking.problem.Problem.by_distances", None)
    linkage = link(known, released)
    assert linkage.motion == "orthogonal"
    assert linkage.linked.tolist() == [0, 1, 2]
    assert linkage.reason.startswith("3 of 100 known records are found with their norms and distances, as chance")


def test_a_similarity_is_not_tried_on_more_rows_than_it_can_take():
    rows = DECIDING.most_scaled + 1
    released = np.random.default_rng(4).standard_normal((rows, 3))
    linkage = link(np.random.default_rng(5).standard_normal((3, 3)), released)
    assert linkage.motion == "rigid"
    assert "a similarity was not tried" in linkage.reason


@pytest.mark.parametrize("motion", ["orthogonal", *slow("rigid")])
@pytest.mark.parametrize("store", [np.float32, *slow(np.float64)])
def test_from_six_known_records_on_auto_links_what_the_named_motion_links(motion, store):
    rng = np.random.default_rng(6)
    tables = (
        rng.standard_normal((300, 5)),
        rng.integers(0, 10, (300, 6)) * 1.0,
        np.hstack([rng.integers(0, 5, (300, 3)), rng.standard_normal((300, 3))]),
        rng.lognormal(3, 1, (300, 4)).round(2),
        rng.integers(0, 5, (300, 1)) * 3 + rng.normal(0, 0.1, (300, 6)),
    )
    for table in tables:
        released = ib.perturb(table, motion, seed=1).data.astype(store)
        for known in (table[:6], table[:8]):
            assert link(known, released).rows.tolist() == link(known, released, motion=motion).rows.tolist()
