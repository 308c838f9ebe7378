# SPDX-License-Identifier: BSD-3-Clause
"""Every attack on every scheme: a result or a reason, never an exception; and which protections fall to what."""

import warnings

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import isobreach as ib
from effort import slow
from isobreach.attacks import ATTACKS
from isobreach.engine import as_engine
from isobreach.schemes import SCHEMES

SEEDS = range(8)
ELSEWHERE = ("alignment", "lattice")  # which take seconds each, and have tests of their own
OWN = [name for name in SCHEMES if SCHEMES.built_in(name)]
DEAR = ("geometric", "ball", "orthogonal-noise")  # with noise, all attacks take seconds together
RECORDS = np.random.default_rng(0).gamma(2, 2, (130, 6)) @ np.abs(np.random.default_rng(1).standard_normal((6, 6)))


def held(attack, release, known, sample=None):
    """All knowledge that an attack can use."""
    uses = attack.needs | attack.needs_any | attack.uses
    rows, noise = release.key.order[: len(known)], release.key.noise or None
    told = {"known": known, "rows": rows, "sample": sample, "noise": noise}
    return ib.Knowledge(**{name: value for name, value in told.items() if name in uses})


@pytest.mark.parametrize("scheme", [*(one for one in OWN if one not in DEAR), *slow(*DEAR)])
def test_a_cell_is_a_result_or_a_reason(scheme):
    release = ib.perturb(RECORDS[:100], scheme, seed=1)
    played = 0
    for name in (name for name in ATTACKS if ATTACKS.built_in(name) and name not in ELSEWHERE):
        attack = ATTACKS[name]
        if attack.suits(SCHEMES[scheme].model) is not None:
            continue
        knowledge = held(attack, release, RECORDS[:8], RECORDS[100:])
        if attack.lacks(knowledge):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ib.NothingLinkedWarning)
            found = ib.reconstruct(name, release.data, knowledge, seed=0)
        assert found.estimates.shape == (100, 6)
        assert all(np.shape(one) == (100, 6) for one in found.variants.values())
        assert ATTACKS[name].describe(found).verdict
        read = np.isfinite(found.estimates).all(axis=0)  # what is not claimed may be left out
        assert read.any() or not found.claimed
        errors = np.linalg.norm((found.estimates[release.key.order] - RECORDS[:100])[8:, read], axis=1)
        assert not found.claimed or np.median(errors / np.linalg.norm(RECORDS[8:100], axis=1)) < 0.3
        played += 1
    assert played >= 3  # the guesses at least


def median_error(name, release, records, known, **settings):
    found = ib.reconstruct(name, release.data, held(ATTACKS[name], release, records[:known]), seed=0, **settings)
    apart = np.linalg.norm(found.estimates[release.key.order] - records, axis=1)[known:]
    return found, np.median(apart / np.linalg.norm(records[known:], axis=1))


@pytest.mark.parametrize("seed", SEEDS)
def test_aspe_falls_to_one_linked_pair_more_than_attributes(seed):
    records = np.random.default_rng(seed).normal(20, 6, (300, 7))
    release = ib.perturb(records, "aspe", seed=seed)
    found, error = median_error("regression", release, records, 8)
    assert found.claimed
    assert error < 1e-9
    few, far = median_error("regression", release, records, 7)
    assert not few.claimed
    assert far > 0.01


@pytest.mark.parametrize("seed", SEEDS)
def test_rotated_pairs_of_attributes_fall_to_one_linked_record(seed):
    records = np.random.default_rng(seed).normal(20, 6, (300, 8))
    release = ib.perturb(records, "attribute-pairs", seed=seed)
    for name in ("known-input-output", "procrustes"):
        found, error = median_error(name, release, records, 1)
        assert found.claimed
        assert error < 1e-9


@pytest.mark.parametrize("scheme", ["row-mixing", *slow("aspe")])
def test_attacks_by_distances_say_why_they_fail(scheme):
    """And they do fail: nothing is linked, or nothing that is claimed is right."""
    model = SCHEMES[scheme].model
    for name in ("known-input", "known-input-output", "kaplan", "procrustes", "wong", "alignment", "lattice"):
        assert ("lifted" if scheme == "aspe" else "several records") in ATTACKS[name].suits(model)
    records = np.random.default_rng(2).normal(20, 6, (200, 5))
    release = ib.perturb(records, scheme, seed=3)
    with pytest.warns(ib.NothingLinkedWarning):
        found = ib.reconstruct("known-input", release.data, ib.Knowledge(known=records[:8]))
    assert not found.claimed


def test_a_matrix_of_distances_falls_to_one_record_more_than_attributes():
    for seed in SEEDS:
        records = np.random.default_rng(seed).normal(20, 6, (120, 5))
        found, error = median_error("lateration", ib.perturb(records, "distance-matrix", seed=seed), records, 6)
        assert found.claimed
        assert error < 1e-9


def test_filters_beat_additive_noise_on_correlated_tables():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        records = rng.standard_normal((500, 2)) @ rng.standard_normal((2, 8)) + 10
        release = ib.perturb(records, "additive-noise", seed=seed)
        naive = median_error("naive", release, records, 1)[1]
        for name in ("spectral-filter", "pca-filter"):
            found, error = median_error(name, release, records, 1)
            assert found.claimed
            assert error < 0.7 * naive


@pytest.mark.parametrize("wide", [5, 8, 12])
def test_random_projections_of_any_width(wide):
    """Fewer columns than attributes, as many, more: with enough pairs regression undoes what can be undone."""
    for seed in SEEDS:
        records = np.random.default_rng(seed).normal(20, 6, (200, 8))
        release = ib.perturb(records, ib.schemes.scheme_by_name("random-projection", dimension=wide), seed=seed)
        found, error = median_error("regression", release, records, 20)
        assert (error < 1e-9) == (wide >= 8)
        if wide > 8:
            assert found.claimed


WIDE = np.random.default_rng(5).standard_normal((1500, 100))  # three tiles of rows
HELD = {"known": WIDE[:3], "rows": np.arange(3)}


@pytest.mark.parametrize(
    ("name", "knowledge"),
    [
        ("naive", {"sample": WIDE[:50]}),
        ("regression", HELD),
        ("procrustes", HELD),
        ("projection-map", HELD),
        ("spectral-filter", {"noise": 0.9}),
        ("pca-filter", {"noise": 0.5}),
        ("lateration", {"known": WIDE[:9, :5], "rows": np.arange(9)}),
        *slow(("known-sample", {"sample": WIDE[:300] + 0.1}), ("permutation", {"sample": WIDE[:300]})),
    ],
)
def test_blocks_and_workers_change_nothing(name, knowledge):
    data = cdist(WIDE[:, :5], WIDE[:, :5]) if name == "lateration" else WIDE
    found = [
        ib.reconstruct(name, as_engine(data, block_rows=rows, workers=workers), ib.Knowledge(**knowledge), seed=0)
        for rows, workers in ((None, 1), (100, 2), (1400, 1))
    ]
    for other in found[1:]:
        assert np.array_equal(found[0].estimates, other.estimates, equal_nan=True)
        assert found[0].reason == other.reason
