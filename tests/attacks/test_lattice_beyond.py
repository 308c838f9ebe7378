# SPDX-License-Identifier: BSD-3-Clause
"""Axes that the lattice attack reads are links: the columns on no grid follow from fewer known records."""

import numpy as np
import pytest

import isobreach as ib
from effort import EIGHT_SEEDS
from isobreach.attacks.lattice.beyond import THE_REST

pytest.importorskip("fpylll")

EPSILON = 0.05


def register(rng, rows=400):
    """Three columns of whole numbers, four measurements that depend on each other."""
    causes = rng.normal(size=(rows, 2))
    whole = rng.integers(18, 91, (rows, 3)) + np.rint(5 * causes[:, :1])
    return np.column_stack([whole, 60 + 20 * (causes @ rng.normal(size=(2, 4)) + 0.6 * rng.normal(size=(rows, 4)))])


def attacked(records, motion, linked, sample=0, seed=0):
    sample, records = records[:sample], records[sample:]
    release = ib.perturb(records, motion, seed=seed)
    known = {"known": records[:linked], "rows": release.key.order[:linked]} if linked else {}
    found = ib.reconstruct(
        "lattice", release.data, ib.Knowledge(sample=sample if len(sample) else None, **known), seed=0
    )
    return found, {
        name: float(np.mean(_near(one[release.key.order], records)[linked:])) for name, one in found.variants.items()
    }


def _near(estimates, records):
    return np.linalg.norm(estimates - records, axis=1) <= EPSILON * np.linalg.norm(records, axis=1)


@pytest.mark.parametrize(("motion", "linked"), [("orthogonal", 4), ("rigid", 5)])
@EIGHT_SEEDS
def test_as_many_links_as_columns_on_no_grid_are_enough(motion, linked, seeds):
    """Links alone would need all seven columns, and one more behind a translation."""
    for seed in seeds:
        found, shares = attacked(register(np.random.default_rng(seed)), motion, linked, seed=seed)
        assert found.recovered.sum() == 3
        assert shares[THE_REST.format("links")] > 0.99
        assert np.isnan(found.estimates[:, ~found.recovered]).all()  # estimates are what is claimed


def test_a_sample_finds_what_is_left():
    shares = [
        attacked(register(np.random.default_rng(seed), 900), "orthogonal", 2, 200, seed)[1][THE_REST.format("density")]
        for seed in range(2)
    ]
    assert np.mean(shares) > 0.9


def test_there_is_no_rest_where_everything_is_read_or_nothing_is_known():
    rng = np.random.default_rng(0)
    for records, linked in ((rng.integers(0, 9, (300, 4)).astype(float), 2), (register(rng), 0)):
        assert not [name for name in attacked(records, "orthogonal", linked)[1] if name.startswith("the rest")]
