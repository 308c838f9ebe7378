# SPDX-License-Identifier: BSD-3-Clause
"""Records behind a map that pairs give, where it leaves several: the sample's density, and grids, tell which."""

import numpy as np
import pytest

import isobreach as ib
from effort import slow

SEEDS = range(8)
PAIRS = 12


def projected(records, rng, columns):
    return records @ rng.standard_normal((records.shape[1], columns)) / np.sqrt(columns)


def attacked(records, released, sample=None, count=PAIRS):
    knowledge = ib.Knowledge(known=records[:count], rows=np.arange(count), sample=sample)
    return ib.reconstruct("regression", released, knowledge, seed=0)


def missed(estimates, records, count=PAIRS):
    return float(np.sqrt(np.mean((estimates[count:] - records[count:]) ** 2)))


@pytest.mark.parametrize("seed", [*SEEDS[:2], *slow(*SEEDS[2:])])
def test_whole_numbers_behind_fewer_columns_are_read_exactly(seed):
    """Six real numbers hold more digits than eight whole ones: with the map known there is one solution."""
    pytest.importorskip("fpylll")
    rng = np.random.default_rng(seed)
    records = rng.integers(0, 30, (300, 8)).astype(float)
    records[-2], records[-1] = 33, 0.5  # beyond what known records show; off the grid
    found = attacked(records, projected(records, rng, 6) + seed % 2)  # with and without a translation
    assert found.claimed
    assert np.array_equal(found.estimates[:-1], records[:-1])


@pytest.mark.parametrize("seed", [*SEEDS[:2], *slow(*SEEDS[2:])])
def test_continuous_records_behind_fewer_columns_are_not_claimed(seed):
    rng = np.random.default_rng(seed)
    records = rng.normal(20, 5, (300, 8))
    records[: PAIRS + seed % 2] = np.rint(records[: PAIRS + seed % 2])  # the known ones lie on a grid all the same
    assert not attacked(records, projected(records, rng, 6)).claimed


@pytest.mark.parametrize("seed", [*SEEDS[:2], *slow(*SEEDS[2:])])
def test_too_few_digits_and_wrong_rows_are_not_claimed(seed):
    """One released column has fewer digits than eight attributes; strangers' rows fit no map."""
    rng = np.random.default_rng(seed)
    records = rng.integers(0, 30, (300, 8)).astype(float)
    assert not attacked(records, projected(records, rng, 1)).claimed
    assert not attacked(records, projected(records, rng, 6)[rng.permutation(300)]).claimed


def test_a_sample_tells_what_a_projection_leaves_open():
    """Of Gaussian records nothing errs less than the conditional mean with the true covariance and the true map."""
    ratios, before = [], []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        mix, mean = rng.standard_normal((8, 8)), rng.normal(0, 3, 8)
        table = rng.standard_normal((900, 8)) @ mix + mean
        records, sample = table[:400], table[400:]
        matrix = rng.standard_normal((8, 5)) / np.sqrt(5)
        covariance = mix.T @ mix
        gain = np.linalg.solve(matrix.T @ covariance @ matrix, matrix.T @ covariance)
        best = missed(mean + (records - mean) @ matrix @ gain, records)
        found = attacked(records, records @ matrix, sample).variants
        ratios.append(missed(found["sample behind the map"], records) / best)
        before.append(missed(found["as fitted"], records) / best)
    assert max(ratios) < 1.12
    assert np.median(before) > 1.3


@pytest.mark.slow
def test_a_sample_filters_columns_that_were_changed_in_place():
    """Two thirds of the error of the columns themselves, on correlated records; no noise level is told."""
    ratios = []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        table = rng.standard_normal((900, 3)) @ rng.standard_normal((3, 8)) + 0.3 * rng.standard_normal((900, 8))
        records, sample = table[:400], table[400:]
        released = records + rng.standard_normal(records.shape)
        found = attacked(records, released, sample, 20).variants["columns as they are"]
        ratios.append(missed(found, records, 20) / missed(released, records, 20))
    assert max(ratios) < 0.75
