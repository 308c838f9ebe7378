# SPDX-License-Identifier: BSD-3-Clause
"""Values that are cut off are faces of the hull; columns that people of one place share are groups of attributes."""

import numpy as np
import pytest

import isobreach as ib
from effort import EIGHT_SEEDS, slow
from isobreach.attacks.alignment.by_axes import linked_sums
from isobreach.attacks.alignment.descent import Evaluations
from isobreach.attacks.alignment.hull import corners
from isobreach.attacks.alignment.planes import shared_values
from isobreach.attacks.alignment.situation import Situation
from isobreach.geometry import haar


def capped(rng, rows=700, n=8):
    """A tenth of each column is cut off."""
    values = np.exp(0.5 * rng.normal(size=(rows, 1)) + 0.6 * rng.normal(size=(rows, n)))
    return np.minimum(values, np.quantile(values, 0.9, axis=0))


def of_places(rng, rows=500):
    """Three columns of people and three of their places, of which there are twelve."""
    figures, place = 3 + rng.normal(size=(12, 3)), rng.integers(0, 12, rows)
    return np.hstack([2 + rng.normal(size=(rows, 3)) + 0.5 * figures[place], figures[place]])


@pytest.mark.parametrize("n", [2, 5, 9])
def test_corners_are_planes_that_as_many_rows_as_columns_lie_in_and_none_beyond(n):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        rows = rng.standard_normal((100, n))
        heights = corners(rows - rows.mean(axis=0), 20, rng) @ (rows - rows.mean(axis=0)).T
        assert heights.max() < 1 + 1e-9
        assert ((heights > 1 - 1e-9).sum(axis=1) == n).all()


@pytest.mark.parametrize("shift", [0.0, *slow(3.0)])
@EIGHT_SEEDS
def test_few_values_at_the_end_of_every_column_show_its_axis(shift, seeds):
    """No eight random rows lie in one of these planes, but once in a hundred million."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        matrix = haar(8, rng)
        axes = shared_values(capped(rng) @ matrix.T + shift, 0.0, rng, Evaluations(0)).axes
        assert axes.shape == (8, 8)
        assert (np.abs(axes.T @ matrix).max(axis=0) > 1 - 1e-6).all()


@EIGHT_SEEDS
def test_columns_that_people_of_a_place_share_are_seen_as_a_group(seeds):
    for seed in seeds:
        rng = np.random.default_rng(seed)
        matrix = haar(6, rng)
        group, *_ = shared_values(of_places(rng) @ matrix.T, 0.0, rng, Evaluations(0)).groups
        assert group.T @ group == pytest.approx(np.eye(3), abs=1e-9)
        assert np.abs(matrix[:, :3].T @ group).max() < 1e-6  # the image of the last three columns


@EIGHT_SEEDS
def test_groups_are_spans_of_attributes(seeds):
    """Also where nobody shares several values on purpose: people who are cut off in two columns may look like it."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        matrix = haar(8, rng)
        for group in shared_values(capped(rng) @ matrix.T, 0.0, rng, Evaluations(0)).groups:
            shares = ((matrix.T @ group) ** 2).sum(axis=1)
            assert np.minimum(shares, 1 - shares) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(("scheme", "linked"), [(ib.schemes.Orthogonal(), 3), *slow((ib.schemes.Rigid(), 4))])
@EIGHT_SEEDS
def test_a_link_is_one_of_the_person_and_one_of_the_place(scheme, linked, seeds):
    """Three links of six columns leave three dimensions open; three of the place and three of the person leave none."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        records = of_places(rng)
        _, several = np.unique(records[:, 3:], axis=0, return_index=True)  # insiders of different places
        records = np.vstack([records[several[:linked]], np.delete(records, several[:linked], axis=0)])
        release = ib.perturb(records, scheme, seed=seed)
        known = ib.Knowledge(known=records[:linked], rows=release.key.order[:linked])
        found = ib.reconstruct("alignment", release.data, known, seed=0, motion=scheme.model.motion)
        assert found.objective == "places"
        assert not found.claimed
        np.testing.assert_allclose(found.estimates[release.key.order], records, atol=1e-6)


def visited(rng, rows=500):
    """Three measurements at two visits, four of ten unchanged, and two others."""
    first = 5 + rng.normal(size=(rows, 3)) @ rng.normal(size=(3, 3))
    changed = first + 0.3 + 0.7 * rng.normal(size=first.shape)
    return np.hstack([first, np.where(rng.random(first.shape) < 0.4, first, changed), 8 + rng.normal(size=(rows, 2))])


def known_of(records, released, motion):
    """Links of these records, as the objectives get them."""
    n, nobody = records.shape[1], (np.zeros((0, records.shape[1])), np.zeros(0, dtype=np.int64))
    return Situation(records, released, None, None, *nobody, motion, np.eye(n), np.zeros(n), scale=1.0, noise=0.0)


@pytest.mark.parametrize("shift", [0.0, 3.0])
@EIGHT_SEEDS
def test_values_that_are_equal_show_differences_of_axes(shift, seeds):
    """Each unchanged measurement is a link more, few are missed; links of other people name no plane."""
    counts = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        matrix, records = haar(8, rng), visited(rng)
        rows = records @ matrix.T + shift
        motion = "rigid" if shift else "orthogonal"
        normals = shared_values(rows, 0.0, rng, Evaluations(0)).normals
        told = linked_sums(known_of(records[:5], rows[:5], motion), rows, normals)
        assert told is not None
        further, count = told
        counts.append(count)
        assert further.known[5:] @ matrix.T + shift == pytest.approx(further.released[5:], abs=1e-5)
        assert linked_sums(known_of(records[5:10], rows[:5], motion), rows, normals) is None
        assert linked_sums(known_of(records[:1], rows[:1], "rigid"), rows, normals) is None
    assert max(counts) == 3
    assert np.mean(counts) > 2.7


@pytest.mark.parametrize(("scheme", "linked"), [(ib.schemes.Orthogonal(), 5), *slow((ib.schemes.Rigid(), 6))])
@EIGHT_SEEDS
def test_who_did_not_change_gives_the_others_away(scheme, linked, seeds):
    shares = []
    for seed in seeds:
        records = visited(np.random.default_rng(seed))
        release = ib.perturb(records, scheme, seed=seed)
        known = ib.Knowledge(known=records[:linked], rows=release.key.order[:linked])
        found = ib.reconstruct("alignment", release.data, known, seed=0, motion=scheme.model.motion)
        errors = np.linalg.norm(found.estimates[release.key.order] - records, axis=1)[linked:]
        shares.append(float(np.mean(errors <= 0.05 * np.linalg.norm(records[linked:], axis=1))))
        assert found.objective == "planes"
    assert np.mean(shares) > 0.9
