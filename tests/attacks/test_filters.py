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
        errors = {name: rms(values - records) for name, values in found.variants.items()}
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
        (ReleaseModel(None, "components", in_place=True), "shape of the records"),
        (ReleaseModel(None, "multiplicative", in_place=True), "grows with the values"),
        (ReleaseModel(None, in_place=True), "no additive noise"),
        (ReleaseModel(None, mixes_rows=True), "several records"),
        (ReleaseModel("rigid", distances=True), "matrix of distances"),
    ):
        assert reason in suits(model)


@pytest.mark.parametrize("name", FILTERS)
def test_bad_knowledge_is_refused(name):
    records = np.eye(5)
    with pytest.raises(ib.InputError, match="noise must be a number for this attack"):
        ib.reconstruct(name, records, ib.Knowledge(noise="estimate"))
    with pytest.raises(ib.InputError, match="sample must have as many columns as the release, 5"):
        ib.reconstruct(name, records, ib.Knowledge(noise=0.1, sample=records[:, :3]))
