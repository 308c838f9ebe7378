# SPDX-License-Identifier: BSD-3-Clause
"""Noise on the attributes themselves: its laws, its level in the key, and where it goes."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kstest, norm, truncnorm, uniform

import isobreach as ib
from isobreach.errors import InputError
from isobreach.schemes import AdditiveNoise, ComponentNoise, LogNoise, MultiplicativeNoise, perturb
from isobreach.schemes.rotation import spread
from isobreach.transformers import class_names

RNG = np.random.default_rng(0)
RECORDS = np.exp(RNG.standard_normal((3000, 3)) @ [[0.5, 0.2, 0], [0, 0.4, 0.1], [0, 0, 0.3]] + 1)
NOISES = [AdditiveNoise(), AdditiveNoise(law="uniform"), ComponentNoise(), MultiplicativeNoise(), LogNoise()]
every_noise = pytest.mark.parametrize("scheme", NOISES, ids=str)


def errors(scheme, seed=1, records=RECORDS):
    release = perturb(records, scheme, seed)
    return release, release.data[release.key.order] - records


@every_noise
def test_the_key_states_the_level_and_gives_the_rows_in_order(scheme):
    release, error = errors(scheme)
    assert np.sqrt(np.mean(error**2)) == pytest.approx(release.key.noise, rel=0.08)
    np.testing.assert_array_equal(release.key.invert(release.data), release.data[release.key.order])


@every_noise
def test_new_records_get_new_noise_of_the_same_level(scheme):
    release, error = errors(scheme)
    more = scheme.rows(RECORDS, release.key, np.random.default_rng(5)) - RECORDS
    np.testing.assert_allclose(np.std(more, axis=0), np.std(error, axis=0), rtol=0.1)
    assert np.abs(np.corrcoef(more[:, 0], error[:, 0])[0, 1]) < 0.1


@every_noise
def test_columns_keep_their_names(scheme):
    frame = pd.DataFrame(RECORDS[:20], columns=["age", "income", "height"])
    release = ib.perturb(frame, scheme, seed=0)
    assert release.data.columns.tolist() == ["age", "income", "height"]
    transformer = getattr(ib, {v: k for k, v in class_names().items()}[scheme.name])()
    assert transformer.fit(frame).get_feature_names_out().tolist() == ["age", "income", "height"]


@pytest.mark.parametrize(("law", "expected"), [("gaussian", norm), ("uniform", uniform(-np.sqrt(3), 2 * np.sqrt(3)))])
def test_additive_noise_is_white_with_its_law(law, expected):
    release, error = errors(AdditiveNoise(0.7, law))
    sigma = 0.7 * spread(RECORDS, "noise")
    assert release.key.noise == pytest.approx(sigma)
    assert kstest(error.ravel() / sigma, expected.cdf).pvalue > 1e-3
    assert np.abs(np.corrcoef(error, rowvar=False) - np.eye(3)).max() < 0.1
    assert np.abs(np.corrcoef(np.hstack([error, RECORDS]), rowvar=False)[:3, 3:]).max() < 0.1


@pytest.mark.parametrize(("share", "count"), [(0.5, 1), (0.95, 2), (1.0, 3)])
def test_component_noise_goes_along_the_dominant_components(share, count):
    records = RNG.standard_normal((3000, 3)) * [10, 5, 1] @ np.linalg.qr(RNG.standard_normal((3, 3)))[0]
    _, error = errors(ComponentNoise(0.5, share), records=records)
    axes = np.linalg.svd(records - records.mean(axis=0), full_matrices=False)[2]
    deviations = np.std(records @ axes.T, axis=0)
    along = np.std(error @ axes.T, axis=0)
    np.testing.assert_allclose(along[:count], 0.5 * deviations[:count], rtol=0.1)
    assert (along[count:] < 1e-9).all()


def test_factors_are_cut_off_gaussians_about_one():
    release, _ = errors(MultiplicativeNoise(0.25))
    factors = release.data[release.key.order] / RECORDS
    assert kstest((factors.ravel() - 1) / 0.25, truncnorm(-2, 2).cdf).pvalue > 1e-3
    assert (np.abs(factors - 1) <= 0.5 + 1e-12).all()
    assert np.abs(np.corrcoef(factors, rowvar=False) - np.eye(3)).max() < 0.1


def test_log_noise_has_the_shape_of_the_logarithms():
    release, _ = errors(LogNoise(0.5))
    noise = np.log(release.data[release.key.order] / RECORDS)
    logs = np.cov(np.log(RECORDS), rowvar=False)
    np.testing.assert_allclose(np.cov(noise, rowvar=False), 0.25 * logs, atol=0.15 * 0.25 * np.diag(logs).max())
    assert all(kstest(column / column.std(), norm.cdf).pvalue > 1e-3 for column in noise.T)
    growth = release.data.mean(axis=0) / RECORDS.mean(axis=0)
    assert (growth > 1).all()


@pytest.mark.parametrize("scheme", [MultiplicativeNoise(), LogNoise()], ids=str)
def test_zeros_stay_zeros(scheme):
    records = np.where(RNG.random((50, 3)) < 0.3, 0, RNG.exponential(1, (50, 3)))
    records[:, 2] = 0
    release, _ = errors(scheme, records=records)
    np.testing.assert_array_equal(release.data[release.key.order] == 0, records == 0)


def test_a_zero_counts_as_the_geometric_mean_of_its_column_in_the_shape_of_log_noise():
    records = np.where(RNG.random((50, 3)) < 0.3, 0, RNG.exponential(3, (50, 3)))
    means = np.exp([np.log(column[column > 0]).mean() for column in records.T])
    filled = np.where(records == 0, means, records)
    axes = perturb(records, LogNoise(0.5), 1).key.secrets["axes"]
    np.testing.assert_allclose(axes.T @ axes, 0.25 * np.cov(np.log(filled), rowvar=False, bias=True), atol=1e-12)


def test_signs_are_kept_by_factors_and_refused_by_logarithms():
    records = RNG.standard_normal((20, 3))
    release, _ = errors(MultiplicativeNoise(0.49), records=records)
    np.testing.assert_array_equal(np.sign(release.data[release.key.order]), np.sign(records))
    records = np.abs(records)
    records[[4, 7], 1] *= -1
    message = (
        r"X must have no negative values for the scheme log-noise, which takes logarithms\. "
        r"Got 2 records with negative ones; the first is row 4 \(counted from 0\)\. Shift or leave out such columns\."
    )
    with pytest.raises(InputError, match=message):
        perturb(records, LogNoise())


@every_noise
def test_one_column_constant_columns_and_few_rows(scheme):
    for table in (np.arange(1.0, 5)[:, None], np.column_stack([np.ones(6), np.arange(1.0, 7)]), np.eye(2)):
        assert perturb(table, scheme, 0).data.shape == table.shape


@pytest.mark.parametrize("scheme", [AdditiveNoise(), ComponentNoise(), LogNoise()], ids=str)
def test_equal_records_have_no_spread(scheme):
    with pytest.raises(InputError, match=r"X must have records that differ: noise is relative to their spread"):
        perturb(np.full((3, 2), 7.0), scheme)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: AdditiveNoise(noise=-1), r"noise must be a finite number >= 0\. Got -1\."),
        (lambda: AdditiveNoise(law="laplace"), r"law must be one of gaussian, uniform\. Got 'laplace'\."),
        (lambda: ComponentNoise(share=0), r"share must be a number above 0 and at most 1\. Got 0\."),
        (lambda: ComponentNoise(noise="much"), r"noise must be a finite number >= 0"),
        (
            lambda: MultiplicativeNoise(noise=0.5),
            r"noise must be below 0\.5, so that no factor is negative\. Got 0\.5\.",
        ),
        (lambda: LogNoise(noise=np.inf), r"noise must be a finite number >= 0"),
    ],
)
def test_parameters_are_checked(call, message):
    with pytest.raises(InputError, match=message):
        call()
