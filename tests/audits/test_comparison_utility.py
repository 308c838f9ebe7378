# SPDX-License-Identifier: BSD-3-Clause
"""What a release leaves of a table's use: exactly all of it where distances are kept, ties and rounding or not."""

import warnings

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

import isobreach as ib
from effort import slow
from isobreach.audits.comparing.usefulness import Utility, distances_of, utility
from isobreach.schemes import SCHEMES, perturb

NONE = np.zeros(0, dtype=np.int64)
ALL = Utility(1.0, 1.0, 1.0, 1.0)


def tables(seed=0, rows=250):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 4, (rows, 5)).astype(np.float64)  # nearly all distances are ties
    return {
        "codes": codes,
        "continuous": rng.normal(50, 20, (rows, 6)),
        "sizes": rng.normal(0, 1, (rows, 4)) * [1e-3, 1, 1e3, 1e4],
        "far away": rng.normal(0, 1, (rows, 3)) + 1e5,
        "repeated": np.repeat(codes[: rows // 5], 5, axis=0),
    }


def exact():
    """Names of the schemes that keep distances, as they are registered."""
    found = [name for name in SCHEMES if SCHEMES.built_in(name)]
    return [name for name in found if "distances" in SCHEMES[name].keeps]


def of(records, scheme, seed=0, classes=NONE):
    release = perturb(records, scheme, seed)
    order = release.key.order
    data = np.asarray(release.data)
    chosen = SCHEMES[scheme] if isinstance(scheme, str) else scheme
    held = chosen.model.distances
    released = data[np.ix_(order, order)] if held else distances_of(data[order])
    return utility(distances_of(records), released, records.shape[1], classes, seed)


@pytest.mark.parametrize("name", ["repeated", *slow("codes", "continuous", "sizes", "far away")])
@pytest.mark.parametrize("scheme", exact())
def test_a_scheme_that_keeps_distances_leaves_exactly_everything(scheme, name):
    records = tables()[name]
    assert of(records, scheme) == ALL
    found = of(records, scheme, 1, (records[:, 0] > np.median(records[:, 0])).astype(np.int64))
    assert found.classifier == found.classifier_before


def test_a_factor_of_all_distances_costs_nothing():
    original = distances_of(tables()["codes"])
    assert utility(original, 3.7 * original, 5, NONE, 0) == ALL


def test_noise_costs_more_the_more_of_it_there_is():
    records = tables()["continuous"]
    found = [of(records, ib.schemes.Noisy(noise=level)) for level in (0.05, 0.3, 2.0)]
    for name in ("distances", "neighbours", "k_means"):
        values = [getattr(one, name) for one in found]
        assert values == sorted(values, reverse=True)
        assert values[0] < 1
    assert found[-1].k_means < 0.3


def test_unrelated_distances_leave_what_chance_does():
    one, other = (distances_of(np.random.default_rng(seed).normal(size=(300, 5))) for seed in (0, 1))
    found = utility(one, other, 5, np.random.default_rng(2).integers(0, 2, 300), 0)
    assert found.neighbours < 0.1
    assert abs(found.k_means) < 0.05
    assert abs(found.single_link) < 0.2
    assert 0.3 < found.classifier < 0.7


def test_a_release_of_one_point_leaves_nothing():
    original = distances_of(tables()["continuous"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = utility(original, np.zeros_like(original), 6, NONE, 0)
    assert found.distances == 0
    assert found.neighbours < 0.2
    assert found.k_means == found.single_link == 0


def test_stress_is_kruskals_with_the_best_factor():
    rng = np.random.default_rng(0)
    original, released = (squareform(pdist(rng.normal(size=(30, 3)))) for _ in range(2))
    one, other = original[np.triu_indices(30, 1)], released[np.triu_indices(30, 1)]
    stresses = [np.sqrt(np.sum((s * other - one) ** 2) / np.sum(one**2)) for s in np.linspace(0, 3, 30_001)]
    assert utility(original, released, 3, NONE, 0).distances == pytest.approx(1 - min(stresses), abs=1e-6)


def test_separate_clusters_are_found_by_both_ways_of_clustering():
    """Two far groups: single link is cut in two, whatever happens inside of them."""
    rng = np.random.default_rng(0)
    records = rng.normal(size=(200, 3)) + 100 * (np.arange(200) % 2)[:, None]
    moved = records + 0.5 * rng.normal(size=records.shape)
    found = utility(distances_of(records), distances_of(moved), 3, NONE, 0)
    assert found.single_link == 1.0
    assert found.neighbours < 1


@pytest.mark.parametrize("rows", [2, 3, 5, 11])
def test_small_tables_have_a_utility(rows):
    records = np.random.default_rng(0).normal(size=(rows, 2))
    assert utility(distances_of(records), distances_of(records @ [[0, 1], [-1, 0]]), 2, NONE, 0) == ALL


def test_the_mean_of_several_releases():
    both = Utility.mean([Utility(1, 0.5, 0.2, 0.0, 0.5, 0.75), Utility(0, 0.5, 0.4, 0.0, 1.0, 0.75)])
    assert both == Utility(0.5, 0.5, pytest.approx(0.3), 0.0, 0.75, 0.75)
    assert Utility.mean([ALL, ALL]).classifier is None
