# SPDX-License-Identifier: BSD-3-Clause
"""Attacks by independent components: plain ICA, and AK-ICA by those of known records."""

import numpy as np
import pytest

import isobreach as ib
from isobreach.attacks import ATTACKS
from isobreach.release import ReleaseModel
from oracles import rotation

SEEDS = range(8)


def sources(rng, count):
    """Three skewed distributions, none like another."""
    drawn = np.column_stack([rng.exponential(1, count), rng.beta(0.5, 2, count), rng.gamma(0.4, 1, count)])
    return (drawn - [1, 0.2, 0.4]) / [1, np.sqrt(0.5 * 2 / (2.5**2 * 3.5)), np.sqrt(0.4)]


def error(estimates, records):
    """Median error beside the distance of a record from the mean: 1 is what the mean would do."""
    spread = np.linalg.norm(records - records.mean(axis=0), axis=1)
    return np.median(np.linalg.norm(estimates - records, axis=1) / spread)


def fitted(name, released, seed=0, **held):
    found = ib.reconstruct(name, released, ib.Knowledge(**held), seed=seed)
    assert not found.claimed
    return found.variants["as fitted"]


@pytest.fixture(scope="module")
def ak_errors():
    """Errors of AK-ICA by number of known records, behind an orthogonal and a general map."""
    errors = {}
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        mixing = rng.standard_normal((3, 3))
        records, others = (sources(rng, count) @ mixing + 3 for count in (2000, 1000))
        for kind, matrix in (("orthogonal", rotation(3, rng)), ("general", rng.standard_normal((3, 3)))):
            for count in (20, 40, 200, 1000):
                estimates = fitted("ak-ica", records @ matrix + 1, known=others[:count])
                errors.setdefault((kind, count), []).append(error(estimates, records))
    return errors


@pytest.mark.slow
def test_the_error_of_ak_ica_falls_with_the_known_records(ak_errors):
    """Below about 50 they say little: half of what the mean would do is left, or more."""
    for kind in ("orthogonal", "general"):
        few, scarce, some, many = (np.median(ak_errors[kind, count]) for count in (20, 40, 200, 1000))
        assert min(few, scarce) > 0.5
        assert min(few, scarce) > 2 * some
        assert some > many
        assert many < 0.15


@pytest.mark.slow
def test_it_is_the_same_for_orthogonal_and_general_maps(ak_errors):
    """Whitened, both are the same rows turned; now and then FastICA ends elsewhere."""
    apart = np.abs(np.subtract(ak_errors["orthogonal", 1000], ak_errors["general", 1000]))
    assert (apart < 0.02).sum() >= 6


def test_ica_gives_independent_attributes_back_whatever_the_map():
    by_sample, by_links = [], []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        records, others = (sources(rng, count) * [1, 5, 20] + 40 for count in (3000, 300))
        released = records @ rng.standard_normal((3, 3)) - 5
        by_sample.append(error(fitted("ica", released, sample=others), records))
        by_links.append(error(fitted("ica", released, known=records[:8], rows=np.arange(8)), records))
    assert np.median(by_sample) < 0.15
    assert np.median(by_links) < 0.1
    assert max(by_links) < 0.5


def test_gaussian_components_are_said_not_to_be_told_apart():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        records = rng.standard_normal((2000, 3)) * [1, 2, 3]
        for name in ("ica", "ak-ica"):
            found = ib.reconstruct(name, records @ rotation(3, rng), ib.Knowledge(sample=records[:500]), seed=0)
            assert "3 components may be Gaussian" in found.reason
            assert not found.claimed


@pytest.mark.parametrize("name", ["ica", "ak-ica"])
def test_a_padded_release_and_one_that_lost_dimensions(name):
    rng = np.random.default_rng(1)
    records = sources(rng, 2000)
    wide = records @ rng.standard_normal((3, 6))
    assert error(fitted(name, wide, sample=records[:1000]), records) < 0.2
    narrow = ib.reconstruct(name, records @ rng.standard_normal((3, 2)), ib.Knowledge(sample=records[:1000]))
    assert np.isnan(narrow.estimates).all()
    assert "too few for 3 independent components" in narrow.reason


def test_too_few_records_are_a_reason():
    records = sources(np.random.default_rng(2), 300)
    for name, count in (("ica", 1), ("ak-ica", 4)):
        found = ib.reconstruct(name, records, ib.Knowledge(known=records[:count]))
        assert found.reason == "the attacker holds too few different records."
        assert np.isnan(found.estimates).all()


def test_the_seed_decides():
    records = sources(np.random.default_rng(3), 500)
    one, same = (fitted("ica", records, seed=4, sample=records[:200]) for _ in range(2))
    assert np.array_equal(one, same)


@pytest.mark.parametrize("name", ["ica", "ak-ica"])
def test_on_which_releases_it_can_work(name):
    suits = ATTACKS[name].suits
    assert suits(ReleaseModel(None, linear=True)) is None
    assert suits(ReleaseModel("orthogonal", "gaussian")) is None
    for model, reason in (
        (ReleaseModel(None, in_place=True), "attributes already"),
        (ReleaseModel("rigid", distances=True), "matrix of distances"),
        (ReleaseModel("orthogonal", projection=2), "fewer columns"),
        (ReleaseModel(None, mixes_rows=True), "several records"),
        (ReleaseModel(None), "no linear map"),
    ):
        assert reason in suits(model)
