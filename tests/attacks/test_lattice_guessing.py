# SPDX-License-Identifier: BSD-3-Clause
"""One search serves every kind of knowledge, given rows are taken as they are, and what is not certain is guessed."""

from dataclasses import fields
from itertools import permutations, product

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import isobreach as ib
from effort import slow
from isobreach._progress import no_progress
from isobreach.attacks import ATTACKS
from isobreach.attacks.lattice import EFFORT, guessing
from isobreach.attacks.lattice.correlations import Correlations
from isobreach.engine import as_engine
from lattice_truth import letter, release_of

LATTICE = ATTACKS.named("attacks", "lattice")
EPSILON = 0.15
LIKELIEST, AVERAGE = guessing.LIKELIEST, guessing.AVERAGE


def studied(rows, noise=None):
    return LATTICE.study(as_engine(rows), noise=noise, seed=0, progress=no_progress, effort=EFFORT, budget=None)


def attacked(released, study=None, **knowledge):
    return ib.reconstruct("lattice", released, ib.Knowledge(**knowledge), seed=0, studied=study)


def breached(estimates, records):
    errors = np.linalg.norm(estimates - records, axis=1)
    return float(np.mean(errors <= EPSILON * np.linalg.norm(records, axis=1)))


def insiders(release, count, seed):
    rows = np.random.default_rng(seed).choice(len(release.records), count, replace=False)
    return release.records[rows], rows


def assert_same(one, other):
    for field in fields(one):
        if field.name == "variants":
            assert list(one.variants) == list(other.variants)
            for name in one.variants:
                np.testing.assert_array_equal(one.variants[name], other.variants[name])
        elif field.name not in ("asked", "plain"):
            np.testing.assert_array_equal(getattr(one, field.name), getattr(other, field.name))


KNOWLEDGE = {
    "nothing": lambda release: {},
    "one insider": lambda release: {"known": release.records[:1]},
    "three in their rows": lambda release: {"known": release.records[:3], "rows": [0, 1, 2]},
    "one of two in its row": lambda release: {"known": release.records[:2], "rows": [-1, 1]},
    "sample": lambda release: {"sample": letter[3000:3015, :8]},
    "ranges": lambda release: {"bounds": (0, 15)},
    "strangers": lambda release: {"known": release.records[:2] + 0.37},
}


@pytest.mark.slow
@pytest.mark.parametrize("noise", [None, *slow(0.05)])
def test_a_study_gives_the_same_bits_as_none(noise):
    release = release_of(letter[:1000, :8], translate=True, seed=0, noise=noise or 0.0)
    study = studied(release.rows, noise)
    for make in KNOWLEDGE.values():
        held = make(release) | ({} if noise is None else {"noise": noise})
        assert_same(attacked(release.rows, **held), attacked(release.rows, study, **held))


def test_a_study_that_found_nothing_gives_the_same_bits_as_none():
    rows = np.random.default_rng(0).standard_normal((300, 4))
    assert_same(attacked(rows), attacked(rows, studied(rows)))


def test_a_study_is_not_changed_by_what_is_made_of_it():
    release = release_of(letter[:2000], translate=True, seed=1)
    study = studied(release.rows)
    before = study.reading.values.copy()
    attacked(release.rows, study, known=release.records[:3], rows=[0, 1, 2]).estimates[:] = 0.0
    np.testing.assert_array_equal(before, study.reading.values)


@pytest.mark.parametrize("translate", [False, True])
@pytest.mark.parametrize(("count", "seeds"), [(2, [0]), *slow((4, [0]), (2, [1, 2]), (3, [0, 1, 2]), (4, [1, 2]))])
def test_rows_that_are_given_settle_what_rows_that_are_found_settle(count, seeds, translate):
    """Records of three insiders or more have one place; of two, given rows settle at least as much."""
    for seed in seeds:
        release = release_of(letter[:2000], translate=translate, seed=seed)
        study = studied(release.rows)
        known, rows = insiders(release, count, seed)
        given = attacked(release.rows, study, known=known, rows=rows)
        some = attacked(release.rows, study, known=known, rows=np.where(np.arange(count) == 0, -1, rows))
        found = attacked(release.rows, study, known=known)
        for one in (given, some, found):
            settled = np.array([bool(by) for by in one.column_by])
            signed = settled & np.array([bool(by) for by in one.sign_by]) & np.array([bool(by) for by in one.offset_by])
            np.testing.assert_array_equal(one.estimates[:, signed], release.records[:, signed])
        for less in (some, found):
            assert {j for j, by in enumerate(less.column_by) if by} <= {j for j, by in enumerate(given.column_by) if by}
        if count > 3:
            np.testing.assert_array_equal(given.estimates, found.estimates)


def test_given_rows_are_not_searched_for(monkeypatch):
    release = release_of(letter[:2000], translate=True, seed=2)
    known, rows = insiders(release, 4, 0)

    def refuse(*_args, **_settings):
        raise AssertionError("rows were given")

    monkeypatch.setattr("isobreach.attacks.lattice.naming.Placements", refuse)
    monkeypatch.setattr("isobreach.attacks.lattice.attack.link", refuse)
    assert attacked(release.rows, known=known, rows=rows).claimed
    wrong = attacked(release.rows, known=known, rows=rows[::-1])
    assert not wrong.claimed
    assert "either these are not in this release" in wrong.reason


def test_what_is_certain_is_guessed_too():
    release = release_of(letter[:4000], translate=False, seed=3)
    known, rows = insiders(release, 2, 3)
    found = attacked(release.rows, known=known, rows=rows)
    settled = np.array([bool(by) for by in found.column_by]) & np.array([bool(by) for by in found.sign_by])
    assert 0 < settled.sum() < 16
    for variant in found.variants.values():
        np.testing.assert_allclose(variant[:, settled], release.records[:, settled], atol=1e-6)
    known, rows = insiders(release, 6, 3)
    found = attacked(release.rows, known=known, rows=rows)
    np.testing.assert_allclose(found.variants[LIKELIEST], found.estimates, atol=1e-6)


def shares(count, *, jitter=0.0, noise=0.0, rows=4000, seeds=8, columns=16):
    """Means over seeds of what every variant breaches, by its name."""
    out = {}
    for seed in range(seeds):
        moved = letter[:rows, :columns] + np.random.default_rng(seed).uniform(0, jitter, (rows, columns))
        release = release_of(moved, translate=False, seed=seed, noise=noise)
        known, places = insiders(release, count, seed)
        found = attacked(release.rows, known=known, rows=places)
        for name, variant in (("estimates", found.estimates), *found.variants.items()):
            out.setdefault(name, []).append(breached(variant, release.records))
    return {name: float(np.mean(several)) for name, several in out.items()}


@pytest.mark.parametrize("seeds", [3, *slow(8)])
def test_two_insiders_breach_half_of_letter_and_four_nearly_all_of_it(seeds):
    two, four = shares(2, seeds=seeds), shares(4, seeds=seeds)
    assert min(two[AVERAGE], two[LIKELIEST]) > 0.55
    assert four[AVERAGE] > 0.95  # names that four insiders leave open are a lottery; averages are not
    assert min(four.values()) > 0.85


@pytest.mark.slow
def test_behind_jitter_and_noise_two_insiders_still_name_most_columns():
    """Known records are off the grid, so nothing is claimed of them; the guess without rounding has them exactly."""
    jittered = shares(2, jitter=0.5, rows=6000, seeds=1)
    assert jittered["estimates"] == 0.0
    assert jittered[f"{LIKELIEST}, {guessing.NOT_ROUNDED}"] > 0.95


@pytest.mark.parametrize("seeds", [1, *slow(8)])
def test_a_sample_too_small_to_settle_anything_breaches_many_records(seeds):
    likeliest = []
    for seed in range(seeds):
        order = np.random.default_rng(seed).permutation(len(letter))
        release = release_of(letter[order[19:4019]], translate=False, seed=seed)
        found = attacked(release.rows, sample=letter[order[:19]])
        assert not any(found.column_by)
        likeliest.append(breached(found.variants[LIKELIEST], release.records))
    assert np.mean(likeliest) > 0.8


@pytest.fixture
def four():
    """Correlations of four axes and five attributes, and log-likelihoods of single axes."""
    random = np.random.default_rng(6)
    mixed = random.standard_normal((5, 5))
    values, sample = (random.standard_normal((rows, 5)) @ mixed for rows in (500, 12))
    return Correlations(values[:, :4], sample, 5), 2 * random.standard_normal((4, 5, 2))


def test_the_likeliest_assignment_is_the_best_of_all(four):
    joint, scores = four
    everything = [
        joint.likelihood(scores, np.array(attributes), np.array(signs))
        for attributes in permutations(range(5), 4)
        for signs in product((0, 1), repeat=4)
    ]
    assert joint.likelihood(scores, *joint.assigned(scores)) == pytest.approx(max(everything))


def test_the_likelihood_of_an_assignment_is_that_of_normal_records():
    """Up to a constant: of a sample about its own mean, under the correlations of the axes."""
    random = np.random.default_rng(7)
    values = random.standard_normal((400, 3)) @ random.standard_normal((3, 3))
    sample = random.standard_normal((9, 3))
    scaled = (sample - sample.mean(axis=0)) / sample.std(axis=0, ddof=1)
    single = np.zeros((3, 3, 2))
    whole = Correlations(values, sample, 3)
    own = np.corrcoef(values.T) + 1e-3 * np.eye(3)
    state = np.array([2, 0, 1]), np.array([0, 1, 0])
    placed = scaled[:, state[0]] * np.array([1, -1, 1])
    expected = multivariate_normal(np.zeros(3), own).logpdf(placed).sum() - 9 * multivariate_normal(
        np.zeros(3), own
    ).logpdf(np.zeros(3))
    assert whole.likelihood(single, *state) == pytest.approx(expected)


def test_what_one_axis_gains_given_the_others_is_the_gain_of_all(four):
    joint, scores = four
    attributes, signs = np.array([3, 0, 4, 1]), np.array([0, 1, 1, 0])
    given = joint.given(scores, attributes, signs)
    for axis in range(4):
        for attribute, sign in ((attributes[axis], 1 - signs[axis]), (2, 0), (2, 1)):
            moved, turned = attributes.copy(), signs.copy()
            moved[axis], turned[axis] = attribute, sign
            gain = joint.likelihood(scores, moved, turned) - joint.likelihood(scores, attributes, signs)
            assert gain == pytest.approx(given[axis, attribute, sign] - given[axis, attributes[axis], signs[axis]])


def test_columns_that_were_not_read_are_guessed_at_the_mean_of_the_records():
    random = np.random.default_rng(4)
    records = np.column_stack([letter[:3000, :5], 3 * random.standard_normal((3000, 2))])
    release = release_of(records, translate=True, seed=4)
    known, rows = insiders(release, 6, 4)
    found = attacked(release.rows, known=known, rows=rows)
    np.testing.assert_allclose(found.variants[LIKELIEST][:, :5], release.records[:, :5], atol=1e-6)
    np.testing.assert_allclose(found.variants[LIKELIEST][:, 5:], np.tile(known[:, 5:].mean(axis=0), (3000, 1)))
    np.testing.assert_allclose(found.variants[AVERAGE][:, :5], release.records[:, :5], atol=0.05)
    assert np.isfinite(found.variants[AVERAGE]).all()


def test_nothing_known_leaves_nothing_to_guess_from():
    assert attacked(release_of(letter[:1000], translate=True, seed=5).rows).variants == {}
