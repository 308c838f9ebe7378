# SPDX-License-Identifier: BSD-3-Clause
"""Wong's attack: all or nothing."""

import numpy as np
import pytest

import isobreach as ib
from isobreach.attacks import ATTACKS
from isobreach.release import ReleaseModel


@pytest.mark.parametrize(("motion", "enough"), [("orthogonal", 5), ("rigid", 6)])
def test_all_dimensions_or_nothing(motion, enough):
    for seed in range(8):
        records = np.random.default_rng(seed).normal(2, 3, (200, 5))
        release = ib.perturb(records, motion, seed=seed)
        held = (ib.Knowledge(known=records[:count]) for count in (enough, enough - 1))
        found, few = (ib.reconstruct("wong", release.data, one, motion=motion) for one in held)
        assert found.claimed
        assert np.abs(found.estimates[release.key.order] - records).max() < 1e-8
        assert not few.claimed
        assert np.isnan(few.estimates).all()
        assert "they determine 4 of 5 dimensions, and this attack needs all" in few.reason


def test_records_that_are_not_there():
    rng = np.random.default_rng(1)
    records = rng.normal(2, 3, (200, 5))
    found = ib.reconstruct("wong", records[:100], ib.Knowledge(known=rng.normal(2, 3, (8, 5))), motion="rigid")
    assert not found.claimed
    assert found.reason.startswith("0 of 8 known records linked")


def test_noise_is_a_reason():
    assert "noise changes them" in ATTACKS["wong"].suits(ReleaseModel("rigid", "gaussian"))
