# SPDX-License-Identifier: BSD-3-Clause
"""Kaplan's attack: a plain twin, what a descent can and cannot find, and what the known-input attack finds instead."""

import numpy as np
import pytest

import isobreach as ib
from isobreach.attacks import kaplan_estimates, pair_distances
from isobreach.engine import as_engine
from isobreach.errors import InputError
from oracles import plant, rotation


def descended(linked, distances, start, learning_rate, iterations):
    """The update rule, all rows at once, in NumPy."""
    x = start.copy()
    for _ in range(iterations):
        for record, wanted in zip(linked, distances.T, strict=True):
            apart = x - record
            r = np.linalg.norm(apart, axis=1)
            with np.errstate(invalid="ignore", divide="ignore"):
                step = np.where(r > 0, 2 * learning_rate * (r - wanted) / r, 0.0)
            x -= step[:, None] * apart
    return x


def case(seed, known=4, rows=30, columns=6, low=0.0, high=15.0):
    rng = np.random.default_rng(seed)
    linked, records = rng.uniform(low, high, (known, columns)), rng.uniform(low, high, (rows, columns))
    return linked, records, pair_distances(records, linked), rng.uniform(low, high, (rows, columns))


@pytest.mark.parametrize(("learning_rate", "iterations"), [(0.05, 500), (0.3, 7), (0.9, 1)])
def test_the_kernel_is_the_update_rule(learning_rate, iterations):
    linked, _, distances, start = case(1)
    start[3] = linked[0]  # no direction leads away from a known record
    asked = {"learning_rate": learning_rate, "iterations": iterations}
    plain = descended(linked, distances, start, **asked)
    assert np.allclose(kaplan_estimates(linked, distances, start, **asked), plain, rtol=1e-9, atol=1e-9)
    assert not np.allclose(kaplan_estimates(linked, distances, start, learning_rate=0.05, iterations=1), plain)


def test_distances_of_pairs_are_differences():
    linked, records, distances, _ = case(2)
    for i, record in enumerate(records):
        assert distances[i] == pytest.approx([np.linalg.norm(record - one) for one in linked], rel=1e-14)


def test_one_known_record_is_kept_at_its_distance():
    linked, records, distances, start = case(3, known=1)
    estimates = kaplan_estimates(linked, distances, start)
    assert np.abs(pair_distances(estimates, linked) - distances).max() < 1e-8
    assert np.linalg.norm(estimates - records, axis=1).min() > 0.1  # and says nothing more


def test_one_known_record_does_not_hold_estimates_fast():
    """The range of one record has no width: starts within it would be that record, from where nothing leads away."""
    records = np.random.default_rng(20).normal(50, 20, (200, 5))
    released, order = plant(records, np.random.default_rng(21))
    known = records[:1]
    found = ib.reconstruct("kaplan", released, ib.Knowledge(known=known), motion="orthogonal", seed=0)
    assert found.claimed
    assert found.misfit < 1e-8
    assert np.abs(pair_distances(found.estimates[order], known) - pair_distances(records, known)).max() < 1e-8
    assert np.linalg.norm(np.delete(found.estimates, order[0], axis=0) - known[0], axis=1).min() > 1
    assert np.allclose(found.estimates[order[0]], known[0], atol=1e-6)


def test_a_column_in_which_known_records_agree_is_not_held_fast():
    records = np.random.default_rng(22).normal(50, 20, (200, 5))
    records[:4, 2] = 7.0
    released, order = plant(records, np.random.default_rng(23))
    found = ib.reconstruct("kaplan", released, ib.Knowledge(known=records[:4]), motion="orthogonal", seed=0)
    others = np.delete(found.estimates, order[:4], axis=0)
    assert np.abs(others[:, 2] - 7.0).min() > 1e-3
    assert others[:, 2].std() > 1


def test_an_estimate_stays_in_the_hull_of_its_start_and_the_linked_records():
    """Across that hull nothing is learned: the module's claim."""
    linked, _, distances, start = case(4, known=3)
    estimates = kaplan_estimates(linked, distances, start)
    for x, x0 in zip(estimates, start, strict=True):
        hull = np.vstack([linked[1:] - linked[0], [x0 - linked[0]]])
        coordinates = np.linalg.lstsq(hull.T, x - linked[0], rcond=None)[0]
        assert np.linalg.norm(hull.T @ coordinates - (x - linked[0])) < 1e-8


def test_with_one_record_more_than_dimensions_lateration_is_exact_and_the_descent_is_not():
    linked, records, distances, start = case(5, known=17, columns=16, rows=200)
    sides = (linked[1:] ** 2).sum(1) - (linked[0] ** 2).sum() - (distances[:, 1:] ** 2 - distances[:, :1] ** 2)
    exact = np.linalg.solve(2 * (linked[1:] - linked[0]), sides.T).T
    norms = np.linalg.norm(records, axis=1)
    assert (np.linalg.norm(exact - records, axis=1) / norms).max() < 1e-7
    error = np.linalg.norm(kaplan_estimates(linked, distances, start) - records, axis=1) / norms
    assert error.min() > 1e-6
    assert 0.05 < error.mean() < 0.4


@pytest.mark.parametrize(("known", "expected", "first"), [(4, 0.41, 0.36), (17, 0.12, 0.10)])
def test_its_mean_error_on_letter(known, expected, first):
    """First measured on a table like Letter: 0.36 and 0.10. Letter itself spreads more."""
    letter = ib.datasets.load("letter").values.astype(np.float64)
    rng, errors = np.random.default_rng(0), []
    for _ in range(40):
        chosen = rng.permutation(len(letter))
        linked, records = letter[chosen[:known]], letter[chosen[known : known + 20]]
        start = rng.uniform(letter.min(0), letter.max(0), records.shape)
        found = kaplan_estimates(linked, pair_distances(records, linked), start)
        errors.append((np.linalg.norm(found - records, axis=1) / np.linalg.norm(records, axis=1)).mean())
    assert np.mean(errors) == pytest.approx(expected, abs=0.02)
    assert first < np.mean(errors) < 1.25 * first


@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
def test_the_attack_links_and_estimates_every_row(motion):
    rng = np.random.default_rng(6)
    records = rng.normal(50, 20, (300, 5))
    release = ib.perturb(records, motion, seed=1)
    few, many = (
        ib.reconstruct("kaplan", release.data, ib.Knowledge(known=records[:k]), motion=motion, seed=0) for k in (3, 12)
    )
    assert few.claimed
    assert few.reason.startswith("3 of 3 known records linked")
    assert few.breach_probability is None
    error = [np.linalg.norm(one.estimates[release.key.order] - records, axis=1).mean() for one in (few, many)]
    assert 10 * error[1] < error[0]
    assert error[1] < 0.01 * np.linalg.norm(records, axis=1).mean()
    # The known-input attack needs no more than the release to know all.
    ours = ib.reconstruct("known-input", release.data, ib.Knowledge(known=records[:12]), motion=motion, seed=0)
    assert np.abs(ours.estimates[release.key.order] - records).max() < 1e-9


def test_a_scale_is_undone():
    """Distances are brought to the records' own units: estimates are those of the release without the scale."""
    records = np.random.default_rng(15).normal(50, 20, (200, 4))
    released, _ = plant(records, np.random.default_rng(16))
    held = ib.Knowledge(known=records[:6])
    plain, scaled = (
        ib.reconstruct("kaplan", scale * released, held, motion=motion, seed=0).estimates
        for scale, motion in ((1.0, "rigid"), (3.0, "similarity"))
    )
    assert np.allclose(plain, scaled, rtol=1e-6)


def test_starts_are_within_the_bounds_and_the_seed_decides():
    """With a vanishing learning rate the estimates are the starts."""
    records = np.random.default_rng(7).normal(size=(2000, 4))
    motion = rotation(4, np.random.default_rng(8))
    released = records @ motion.T

    def starts(seed, **held):
        asked = {"motion": "orthogonal", "learning_rate": 1e-12, "iterations": 1}
        known = ib.Knowledge(known=records[:6], **held)
        return ib.reconstruct("kaplan", released, known, seed=seed, **asked).estimates

    own = starts(0)
    apart = pair_distances(released, records[:6] @ motion.T).min(axis=1, keepdims=True) / 2  # sqrt(4)
    low, high = records[:6].min(axis=0) - apart, records[:6].max(axis=0) + apart
    place = (own - low) / (high - low)
    assert place.min() >= -1e-9
    assert place.max() <= 1 + 1e-9
    assert np.allclose([place.min(axis=0), place.max(axis=0)], [[0] * 4, [1] * 4], atol=0.01)
    assert np.abs(place.mean(axis=0) - 0.5).max() < 4 * np.sqrt(1 / 12 / len(place))
    given = starts(0, bounds=[[-3, 5], [10, np.inf], [-np.inf, -10]])
    assert np.allclose([given[:, 0].min(), given[:, 0].max()], [-3, 5], atol=0.02)
    assert (given[:, 1] >= 10 - 1e-9).all()  # beyond all known records: as far out again as the row is from them
    assert np.allclose(((given[6:, 1] - 10) / apart[6:, 0]).max(), 1, atol=0.01)
    assert (given[:, 2] <= -10 + 1e-9).all()
    assert np.allclose(given[:, 3], own[:, 3], atol=1e-9)
    assert np.array_equal(starts(0), own)
    assert not np.array_equal(starts(1), own)


def test_blocks_and_threads_change_nothing():
    records = np.random.default_rng(9).normal(size=(600, 700))
    released = records @ rotation(700, np.random.default_rng(10)).T
    knowledge = ib.Knowledge(known=records[:2])
    found = [
        ib.reconstruct(
            "kaplan",
            as_engine(released, block_rows=rows, workers=threads),
            knowledge,
            seed=0,
            motion="orthogonal",
            iterations=3,
        ).estimates
        for rows, threads in ((None, 1), (93, 2), (200, 1))
    ]
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


def test_records_that_are_not_there_claim_nothing():
    records = np.random.default_rng(11).normal(size=(50, 4))
    released, _ = plant(records, np.random.default_rng(12))
    strange = np.random.default_rng(13).normal(size=(3, 4))
    with pytest.warns(ib.NothingLinkedWarning):
        found = ib.reconstruct("kaplan", released, ib.Knowledge(known=strange), motion="orthogonal")
    assert not found.claimed
    assert found.reason.startswith("none of 3 known records is linked; the known-input attack says what that may mean")
    assert found.linkage.counts()["linked"] == 0
    assert found.misfit is None
    assert np.isnan(found.estimates).all()


@pytest.mark.parametrize(
    ("knowledge", "settings", "said"),
    [
        ({}, {}, "knowledge must have known records for this attack. Got none. Give Knowledge(known=...), or --known."),
        ({"noise": 0.1}, {}, "noise must be left out for Kaplan's attack. Got 0.1. Use the known-input attack"),
        (
            {"bounds": (-1e308, 1e308)},
            {},
            "bounds must be infinite or at most 1e+140 in size for Kaplan's attack. Got -",
        ),
        (None, {"learning_rate": 0}, "learning_rate must be a finite number > 0. Got 0."),
        (None, {"learning_rate": 1}, "learning_rate must be below 1. Got 1.0."),
        (None, {"iterations": 0}, "iterations must be a whole number >= 1. Got 0."),
        (None, {"epsilon": 0.1}, "settings must be those of the kaplan attack: motion, rule, tolerance, "),
    ],
)
def test_bad_input_is_refused_in_one_line(knowledge, settings, said):
    records = np.random.default_rng(14).normal(size=(20, 3))
    held = {"known": records[:2], **(knowledge or {})} if knowledge != {} else {}
    with pytest.raises(InputError) as error:
        ib.reconstruct("kaplan", records, ib.Knowledge(**held), **settings)
    assert str(error.value).startswith(said)


def test_an_audit_has_no_use_for_it():
    with pytest.raises(InputError, match="beside insiders, which kaplan is not"):
        ib.audit(np.eye(4), attacks=["kaplan"])
