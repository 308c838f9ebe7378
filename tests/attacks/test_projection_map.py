# SPDX-License-Identifier: BSD-3-Clause
"""Random projections: estimates by linked records, and linking within chi-square bands."""

import numpy as np
import pytest

import isobreach as ib
from effort import slow
from isobreach.attacks import ATTACKS
from isobreach.release import ReleaseModel

SEEDS = range(8)


def projected(records, wide, rng):
    return records @ rng.standard_normal((wide, records.shape[1])).T / np.sqrt(wide)


def residual(records, known):
    basis = np.linalg.qr(known.T)[0]
    return np.linalg.norm(records - records @ basis @ basis.T, axis=1)


@pytest.mark.parametrize(
    ("wide", "low", "high"), [(8, 1.3, 1.65), (20, 1.07, 1.17), (50, 1.02, 1.06), (200, 1.0, 1.02)]
)
def test_the_ratio_of_error_and_residual_tends_to_one(wide, low, high):
    """n = 12, four linked records; sqrt(1 + p / (l - p - 1)) on average."""
    ratios, lengths = [], []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        records = rng.standard_normal((400, 12))
        held = ib.Knowledge(known=records[:4], rows=np.arange(4))
        found = ib.reconstruct("projection-map", projected(records, wide, rng), held, seed=0)
        true = residual(records, records[:4])[4:]
        ratios.append(np.median(np.linalg.norm(found.variants["as fitted"] - records, axis=1)[4:] / true))
        lengths.append(np.mean((found.residuals[4:] / true) ** 2))
        assert not found.claimed
        added = found.variants["remainder added"] - found.variants["as fitted"]
        assert np.allclose(np.linalg.norm(added, axis=1), found.residuals)
        assert np.abs(added @ records[:4].T).max() < 1e-9
    assert low < np.mean(ratios) < high
    assert np.mean(lengths) == pytest.approx(1, abs=0.15)


@pytest.mark.parametrize("count", [8, 9, 20])
def test_as_many_links_as_released_columns_are_refused(count):
    rng = np.random.default_rng(1)
    records = rng.standard_normal((100, 12))
    held = ib.Knowledge(known=records[:count], rows=np.arange(count))
    found = ib.reconstruct("projection-map", projected(records, 8, rng), held)
    assert not found.claimed
    assert f"{count} linked records are no fewer than 8 released columns" in found.reason
    assert np.isnan(found.estimates).all()


def test_links_that_span_the_records_are_everything():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        records = rng.standard_normal((100, 5))
        held = ib.Knowledge(known=records[:6], rows=np.arange(6))
        found = ib.reconstruct("projection-map", projected(records, 9, rng), held)
        assert found.claimed
        assert np.abs(found.estimates - records).max() < 1e-8


def spread(rng, rows, columns):
    """Records of very different lengths."""
    return (rng.standard_normal((rows, columns)) + 1) * np.exp(rng.standard_normal((rows, 1)))


def test_many_columns_link_known_records():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        records, order = spread(rng, 100, 4), rng.permutation(100)
        released = np.empty((100, 100))
        released[order] = projected(records, 100, rng)
        found = ib.reconstruct("projection-map", released, ib.Knowledge(known=records[:6]))
        assert np.array_equal(found.links, order[:6])
        assert found.claimed
        assert np.abs(found.estimates[order] - records).max() < 1e-8


@pytest.mark.parametrize(("columns", "wide", "known", "least"), [(6, 100, 5, 24), (6, 50, 6, 40), (16, 200, 8, 44)])
def test_fewer_records_than_dimensions_are_linked_by_their_angles(columns, wide, known, least):
    """Records that are no combinations of others: lengths alone leave thousands of assignments, angles a few."""
    right = 0
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        records, order = spread(rng, 100, columns), rng.permutation(100)
        released = np.empty((100, wide))
        released[order] = projected(records, wide, rng)
        links = ib.reconstruct("projection-map", released, ib.Knowledge(known=records[:known])).links
        assert ((links < 0) | (links == order[:known])).all()
        right += int((links >= 0).sum())
    assert right >= least


@pytest.mark.slow
def test_the_true_assignment_is_valid():
    """With probability 0.999: lengths of other orders leave no other one, so a record without a link missed a band."""
    missed = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        records = rng.standard_normal((4, 6)) * 10.0 ** np.arange(0, 8, 2)[:, None]
        links = ib.reconstruct("projection-map", projected(records, 9, rng), ib.Knowledge(known=records)).links
        assert ((links < 0) | (links == np.arange(4))).all()
        missed += int((links < 0).any())
    assert missed <= 3


@pytest.mark.parametrize(("columns", "wide", "known"), [(6, 20, 4), (6, 100, 3), (6, 12, 8), *slow((20, 12, 6))])
def test_links_that_bands_do_not_settle_are_not_made(columns, wide, known):
    wrong = 0
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        records, order = spread(rng, 100, columns), rng.permutation(100)
        released = np.empty((100, wide))
        released[order] = projected(records, wide, rng)
        found = ib.reconstruct("projection-map", released, ib.Knowledge(known=records[:known]))
        wrong += int(((found.links >= 0) & (found.links != order[:known])).sum())
        if (found.links < 0).all():
            assert "can be linked" in found.reason
            assert np.isnan(found.estimates).all()
    assert wrong == 0


def test_on_which_releases_it_can_work():
    suits = ATTACKS["projection-map"].suits
    assert suits(ReleaseModel(None, linear=True, projection=8)) is None
    for model in (ReleaseModel("rigid"), ReleaseModel(None, linear=True), ReleaseModel("orthogonal", projection=8)):
        assert suits(model) == "the release is no random projection of the records"
