# SPDX-License-Identifier: BSD-3-Clause
"""Insiders who know their rows and refine: at least what short scripts reached under noise, jitter and translations."""

import sys

import numpy as np
import pytest

import isobreach as ib
from isobreach.attacks import Knowledge, attack, reconstruct
from isobreach.geometry import haar, row_norms
from isobreach.linking import given_links, link

SEEDS = range(8)


def _rng(seed):
    return np.random.default_rng(seed)


def _binary(rng):
    return _lit(rng.integers(0, 2, (1000, 10)).astype(float))


def _sparse(rng):
    return _lit((rng.random((1000, 12)) < 0.25).astype(float))


def _lit(records):
    records[records.sum(axis=1) == 0, 0] = 1
    return records


def _answers(rng):
    return rng.integers(1, 6, (1000, 8)).astype(float)


def _lognormal(rng):
    return np.exp(1.5 * rng.normal(size=(200, 5)))


def _shares(make, scheme, insiders, epsilon, names, *, jitter=0.0, seeds=SEEDS):
    """Share of others' records that each of the named estimates breaches, one row a seed; "": the attack's own."""
    shares = []
    for seed in seeds:
        rng = _rng(seed)
        records = make(rng)
        release = ib.perturb(records + rng.uniform(-jitter, jitter, records.shape), scheme, seed=seed)
        who, order = rng.choice(len(records), insiders, replace=False), release.key.order
        knowledge = Knowledge(known=records[who], rows=order[who], noise=release.key.noise or None)
        found = reconstruct("known-input", release.data, knowledge, seed=seed, epsilon=epsilon)
        estimates = [found.estimates if name == "" else found.variants[name] for name in names]
        near = [row_norms(one[order] - records) <= epsilon * row_norms(records) for one in estimates]
        shares.append([np.delete(one, who).mean() for one in near])
    return np.array(shares).T


NOISE = {
    # table, scheme, insiders, epsilon, jitter; least mean of "rounded", of "refitted, likely values"
    "0/1": (_binary, ib.schemes.Noisy(noise=0.3), 20, 0.1, 0.0, 0.965, 0.99),
    "sparse 0/1": (_sparse, ib.schemes.Noisy(noise=0.3), 30, 0.1, 0.0, 0.99, 0.995),
    "answers 1-5": (_answers, ib.schemes.Noisy(noise=0.2), 16, 0.05, 0.0, 0.34, 0.55),
    "jitter": (_sparse, "orthogonal", 30, 0.1, 0.25, 0.995, 0.998),
}


@pytest.mark.parametrize("case", NOISE)
def test_insiders_who_round_breach_nearly_everybody(case):
    """Means over eight seeds; no seed falls far below. The attack's own estimates breach next to nobody."""
    make, scheme, insiders, epsilon, jitter, least, least_refitted = NOISE[case]
    names = ("", "rounded", "refitted, likely values")
    own, rounded, refitted = _shares(make, scheme, insiders, epsilon, names, jitter=jitter)
    assert own.mean() < 0.05
    assert rounded.mean() >= least, rounded
    assert refitted.mean() >= least_refitted, refitted
    assert rounded.min() > least - 0.1
    assert refitted.min() > least_refitted - 0.1


def test_behind_a_translation_the_hidden_part_points_outwards():
    own, outward, foot = _shares(_lognormal, "rigid", 3, 0.4, ("", "outward", "foot"))
    np.testing.assert_allclose(own, outward)
    assert own.mean() > 0.28, own
    assert own.mean() > foot.mean() + 0.08


@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
def test_a_sample_predicts_the_hidden_part(motion):
    """Mean squared error falls in every one of eight correlated tables; so do misses at the attack's epsilon."""
    ratios, gains = [], []
    for seed in SEEDS:
        rng = _rng(seed)
        records = 2 + rng.normal(size=(800, 4)) @ rng.normal(size=(4, 12)) + 0.4 * rng.normal(size=(800, 12))
        sample, records = records[:300], records[300:]
        release = ib.perturb(records, motion, seed=seed)
        order = release.key.order
        knowledge = Knowledge(known=records[:6], rows=order[:6], sample=sample)
        found = reconstruct("known-input", release.data, knowledge, seed=seed, epsilon=0.3)
        feet, predicted = (found.variants[name][order][6:] for name in ("foot", "regression"))
        ratios.append(((predicted - records[6:]) ** 2).sum() / ((feet - records[6:]) ** 2).sum())
        chosen, own = (
            np.mean(row_norms(one[order] - records)[6:] <= 0.3 * row_norms(records)[6:])
            for one in (found.estimates, found.result.estimates)
        )
        gains.append(chosen - own)
    assert max(ratios) < 0.8, ratios
    assert min(gains) >= 0, gains
    assert np.mean(gains) > 0.1, gains


# --- links that are given


@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
def test_given_links_make_the_same_attack_as_found_ones(motion):
    rng = _rng(3)
    records = rng.normal(size=(120, 6)) + 1
    release = ib.perturb(records, motion, seed=3)
    searched = attack(records[:4], release.data, seed=5)
    assert (searched.linkage.rows >= 0).all()
    given = reconstruct("known-input", release.data, Knowledge(known=records[:4], rows=release.key.order[:4]), seed=5)
    assert given.linkage.motion == motion
    np.testing.assert_allclose(given.estimates, searched.estimates, rtol=1e-12)
    np.testing.assert_allclose(given.breach_probability, searched.breach_probability, rtol=1e-9)


def test_given_links_are_not_searched_for(monkeypatch):
    def searched(*given, **more):
        raise AssertionError("searched")

    monkeypatch.setattr(sys.modules["isobreach.attacks.known_input.attack"], "link", searched)
    records = _rng(0).normal(size=(50, 4))
    release = ib.perturb(records, "orthogonal", seed=0)
    knowledge = Knowledge(known=records[:3], rows=release.key.order[:3])
    assert reconstruct("known-input", release.data, knowledge, seed=0).claimed


def test_a_record_without_a_row_is_not_linked():
    records = _rng(0).normal(size=(50, 4))
    release = ib.perturb(records, "rigid", seed=0)
    rows = release.key.order[:4].copy()
    rows[1] = -1
    linkage = given_links(records[:4], release.data, rows)
    assert linkage.status.tolist() == ["linked", "ambiguous", "linked", "linked"]
    assert linkage.rows[1] == -1
    nobody = reconstruct("known-input", release.data, Knowledge(known=records[:4], rows=[-1] * 4), seed=0)
    assert not nobody.claimed
    assert len(nobody.variants) == 0
    assert nobody.refined.shape == (50, 4)


def test_equal_rows_are_candidates_of_a_given_link():
    records = np.vstack([_rng(0).normal(size=(20, 3)), np.ones((3, 3))])
    released = records @ haar(3, _rng(1)).T
    released[20:] = released[20]
    linkage = given_links(records[[0, 21]], released, [0, 21])
    assert [one.tolist() for one in linkage.candidates] == [[0], [20, 21, 22]]


@pytest.mark.parametrize("motion", ["orthogonal", "rigid", "similarity"])
def test_given_links_show_the_motion_and_its_scale(motion):
    for seed in SEEDS:
        rng = _rng(seed)
        records = rng.normal(size=(40, 5))
        scale = 2.5 if motion == "similarity" else 1.0
        released = scale * records @ haar(5, rng).T + (0 if motion == "orthogonal" else rng.normal(size=5))
        linkage = given_links(records[:4], released, np.arange(4))
        assert linkage.motion == motion
        assert linkage.noise == 0
        assert linkage.scale == pytest.approx(scale)


@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
@pytest.mark.parametrize("given", [True, False])
def test_given_links_show_the_noise(motion, given):
    """Given or not, within what so few pairs leave open; the motion is right in every one of eight."""
    levels = []
    for seed in SEEDS:
        rng = _rng(seed)
        records = rng.normal(size=(60, 5)) + 1
        exact = records @ haar(5, rng).T + (0 if motion == "orthogonal" else 3 * rng.normal(size=5))
        released = exact + 0.1 * rng.normal(size=exact.shape)
        linkage = given_links(records[:8], released, np.arange(8), noise=0.1 if given else None)
        assert linkage.motion == motion
        levels.append(linkage.noise)
    assert np.mean(levels) == pytest.approx(0.1, rel=1e-12 if given else 0.09)


def test_unit_vectors_that_noise_has_shortened_have_a_scale():
    records = _rng(0).normal(size=(400, 16))
    records /= row_norms(records)[:, None]
    release = ib.perturb(records, ib.schemes.OrthogonalNoise(noise=0.5), seed=1)
    linkage = given_links(records[:60], release.data, release.key.order[:60], noise="estimate")
    assert linkage.scale == pytest.approx(release.key.scale, rel=0.03)
    assert linkage.noise == pytest.approx(release.key.noise, rel=0.1)


def test_estimates_stay_as_they_were_without_further_knowledge():
    """Known records alone: what the attack estimates and claims is what ``attack`` gives, bit for bit."""
    records = _rng(2).integers(0, 9, (300, 5)).astype(float)
    release = ib.perturb(records, "orthogonal", seed=2)
    result = attack(records[:3], release.data, seed=1)
    found = reconstruct("known-input", release.data, Knowledge(known=records[:3]), seed=1)
    np.testing.assert_array_equal(found.estimates, result.estimates)
    np.testing.assert_array_equal(found.breach_probability, result.breach_probability)
    assert (link(records[:3], release.data).rows == found.linkage.rows).all()


def test_variants_are_the_same_every_time():
    records = _answers(_rng(0))[:300]
    release = ib.perturb(records, ib.schemes.Noisy(noise=0.2), seed=0)
    knowledge = Knowledge(known=records[:12], rows=release.key.order[:12], noise=release.key.noise)
    first, second = (reconstruct("known-input", release.data, knowledge, seed=0) for _ in range(2))
    assert list(first.variants) == list(second.variants)
    for name in first.variants:
        np.testing.assert_array_equal(first.variants[name], second.variants[name])
    with pytest.raises(KeyError):
        first.variants["magic"]
