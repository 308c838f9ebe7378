# SPDX-License-Identifier: BSD-3-Clause
"""Filters of additive noise: better than the release on correlated tables, as they say, and nothing elsewhere."""

import numpy as np
import pytest

import isobreach as ib
from isobreach.attacks import ATTACKS
from isobreach.release import ReleaseModel

SEEDS = range(8)
FILTERS = ("spectral-filter", "pca-filter")


def correlated(rng, rows=1000, columns=12, rank=3):
    """Records near a flat of few dimensions."""
    flat = rng.standard_normal((rows, rank)) @ rng.standard_normal((rank, columns))
    return flat + 0.02 * rng.standard_normal((rows, columns)) + 5


def rms(values):
    return float(np.sqrt((values**2).mean()))


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("law", ["gaussian", "uniform"])
def test_correlated_tables_are_read_through_the_noise(name, law):
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        records = correlated(rng)
        draws = rng.standard_normal(records.shape) if law == "gaussian" else rng.uniform(-1, 1, records.shape) * 3**0.5
        found = ib.reconstruct(name, records + 0.5 * draws, ib.Knowledge(noise=0.5))
        error = rms(found.variants["as fitted"] - records)
        assert found.claimed
        assert found.directions == 3
        assert error < 0.6 * 0.5
        assert error == pytest.approx(found.expected, rel=0.1)
        assert "3 of 12 directions kept" in found.reason


def test_the_bayes_estimate_is_the_best_for_gaussian_tables():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        records = rng.multivariate_normal(np.zeros(6), 0.8 ** np.abs(np.subtract.outer(range(6), range(6))), 3000)
        found = ib.reconstruct("pca-filter", records + rng.normal(0, 0.7, records.shape), ib.Knowledge(noise=0.7))
        errors = {one: rms(found.variants[one] - records) for one in ("as fitted", "largest gap", "Bayes estimate")}
        assert errors["Bayes estimate"] < errors["as fitted"] < 0.7
        assert errors["as fitted"] <= errors["largest gap"] + 1e-9


@pytest.mark.parametrize("name", FILTERS)
def test_independent_columns_leave_nothing_to_filter(name):
    rng = np.random.default_rng(1)
    records = rng.normal(0, 3, (1000, 6))
    released = records + rng.normal(0, 0.3, records.shape)
    found = ib.reconstruct(name, released, ib.Knowledge(noise=0.3))
    assert not found.claimed
    assert "nothing is gained" in found.reason
    assert np.allclose(found.variants["as fitted"], released)


def test_noise_alone_has_no_direction_above_its_edge():
    """Marchenko and Pastur: of pure noise nothing is kept."""
    for seed in SEEDS:
        noise = np.random.default_rng(seed).normal(0, 2, (600, 20))
        found = ib.reconstruct("spectral-filter", noise, ib.Knowledge(noise=2.1))
        assert found.directions == 0
        assert not found.claimed


@pytest.mark.parametrize("name", FILTERS)
def test_a_grid_that_a_sample_shows_is_used(name):
    """Twelve columns that say the same, in whole numbers: what the filter leaves of the noise, rounding removes."""
    rng = np.random.default_rng(2)
    records = np.repeat(rng.integers(0, 5, (800, 2)).astype(float), 6, axis=1)
    held = ib.Knowledge(noise=0.5, sample=records[:100])
    found = ib.reconstruct(name, records[100:] + rng.normal(0, 0.5, (700, 12)), held)
    assert (found.estimates == records[100:]).mean() > 0.95
    assert (found.variants["as fitted"] == records[100:]).mean() == 0


@pytest.mark.parametrize("name", FILTERS)
def test_what_it_cannot_filter_it_says(name):
    suits = ATTACKS[name].suits
    assert suits(ReleaseModel(None, "gaussian", in_place=True)) is None
    assert suits(ReleaseModel(None, "uniform", in_place=True)) is None
    for model, reason in (
        (ReleaseModel("rigid", "gaussian"), "moved or mixed"),
        (ReleaseModel(None, in_place=True), "no noise"),
        (ReleaseModel(None, mixes_rows=True), "several records"),
        (ReleaseModel("rigid", distances=True), "matrix of distances"),
    ):
        assert reason in suits(model)
    for noise, reason in (("components", "shape of the records"), ("multiplicative", "grows with the values")):
        told = suits(ReleaseModel(None, noise, in_place=True))
        assert told is None if name == "pca-filter" else reason in told


def clusters(rng, rows, centres):
    return centres[rng.integers(0, len(centres), rows)] + 0.3 * rng.standard_normal((rows, centres.shape[1]))


@pytest.mark.slow
def test_tables_that_are_not_gaussian_are_read_by_their_density_and_by_records():
    """Clusters, of which the covariance says little: what the release itself, or a sample, shows of them is used."""
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        centres = 5 * rng.standard_normal((4, 5))
        records, others = clusters(rng, 300, centres), clusters(rng, 300, centres)
        held = ib.Knowledge(noise=1.0, sample=others)
        found = ib.reconstruct("pca-filter", records + rng.standard_normal(records.shape), held).variants
        error = {name: rms(found[name] - records) for name in ("Bayes estimate", "density", "records held")}
        ideal = np.sqrt(0.09 / 1.09)  # of whoever knows each record's cluster
        assert error["Bayes estimate"] > 2 * ideal
        assert error["density"] < 1.7 * ideal
        assert error["records held"] < 1.5 * ideal


@pytest.mark.parametrize("seed", SEEDS)
def test_the_likelihood_of_records_is_that_of_the_noise(seed):
    """Twenty records that occur, and noise: the mean of all of them by Bayes' rule."""
    rng = np.random.default_rng(seed)
    points, rows = rng.standard_normal((20, 3)), 0.3 * rng.standard_normal((50, 3))
    weights = np.exp(-((rows[:, None] - points) ** 2).sum(axis=2) / (2 * 0.4**2))
    wanted = weights @ points / weights.sum(axis=1, keepdims=True)
    found = ib.reconstruct("pca-filter", rows, ib.Knowledge(noise=0.4, sample=points)).variants["records held"]
    assert np.allclose(found, wanted)


@pytest.mark.parametrize("kind", ["components", "multiplicative"])
def test_other_noise_is_filtered_by_its_own_covariance(kind):
    """Gaussian records: a line through noisy pairs is the best linear estimate, and the attack needs no pairs."""
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        records = rng.multivariate_normal([4, 5, -6, 3], 0.9 ** np.abs(np.subtract.outer(range(4), range(4))), 4000)
        if kind == "components":
            noise = 0.7 * rng.multivariate_normal(np.zeros(4), np.cov(records.T), 4000)
        else:
            noise = 0.3 * records * rng.standard_normal(records.shape)
        released, level = records + noise, rms(noise)
        found = ib.reconstruct("pca-filter", released, ib.Knowledge(noise=level), noise_kind=kind)
        design = np.column_stack([released, np.ones(4000)])
        best = rms(design @ np.linalg.lstsq(design, records, rcond=None)[0] - records)
        error = rms(found.variants["as fitted"] - records)
        assert found.claimed
        assert error < 1.02 * best
        assert error == pytest.approx(found.expected, rel=0.05)
        assert error < 0.9 * level


def test_factors_of_small_values_leave_them_nearly_as_they_are():
    """Records about zero: a row whose values are small has little noise, and a line through all rows ignores that."""
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        records = rng.standard_normal((1000, 3)) @ rng.standard_normal((3, 6))
        released = records * (1 + 0.3 * rng.standard_normal(records.shape))
        held = ib.Knowledge(noise=rms(released - records))
        found = ib.reconstruct("pca-filter", released, held, noise_kind="multiplicative").variants
        small = np.linalg.norm(records, axis=1) < np.median(np.linalg.norm(records, axis=1))
        own, line = (rms((found[one] - records)[small]) for one in ("row by row", "as fitted"))
        assert own < line


@pytest.mark.parametrize("name", FILTERS)
def test_bad_knowledge_is_refused(name):
    records = np.eye(5)
    with pytest.raises(ib.InputError, match="noise must be a number for this attack"):
        ib.reconstruct(name, records, ib.Knowledge(noise="estimate"))
    with pytest.raises(ib.InputError, match="sample must have as many columns as the release, 5"):
        ib.reconstruct(name, records, ib.Knowledge(noise=0.1, sample=records[:, :3]))
