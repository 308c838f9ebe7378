# SPDX-License-Identifier: BSD-3-Clause
"""Pairs of points at given distances: all of them and no others, and the filter errs by no more than it says."""

import numpy as np
import pytest

from effort import slow
from isobreach.engine.workers import pair_tiles
from isobreach.linking.candidates import Cloud, TooManyError, pairs
from isobreach.linking.candidates.ready import Ready

PRECISIONS = [np.float32, np.float64]
ALL = 10**8
CLOUDS = {
    "normal": lambda rng, m, n: rng.standard_normal((m, n)),
    "integers": lambda rng, m, n: rng.integers(0, 3, (m, n)).astype(float),
    "outlier": lambda rng, m, n: rng.standard_normal((m, n)) + 1e8 * (np.arange(m) == 0)[:, None],
    "repeated": lambda rng, m, n: rng.standard_normal((m, n))[rng.integers(0, m, m) // 2],
    "uneven": lambda rng, m, n: rng.standard_normal((m, n)) * 10.0 ** rng.integers(-8, 8, (m, 1)),
    "far away": lambda rng, m, n: 1e3 + 1e-6 * rng.standard_normal((m, n)),
    "one long axis": lambda rng, m, n: rng.standard_normal((m, n)) * np.where(np.arange(n) == 0, 100.0, 1.0),
    "one place": lambda rng, m, n: np.ones((m, n)),
}


def _gaps(points):
    """Distances, summed one column after the other, as the verification does."""
    square = np.zeros((len(points), len(points)))
    for column in points.T:
        square += (column[:, None] - column) ** 2
    return np.sqrt(square)


def _expected(gaps, low, high):
    first, second = np.triu_indices(len(gaps))
    inside = [
        (low_ <= gaps[first, second]) & (gaps[first, second] <= high_) for low_, high_ in zip(low, high, strict=True)
    ]
    return {(int(u), int(v), t) for t, i in enumerate(inside) for u, v in zip(first[i], second[i], strict=True)}


def _clear_of(gaps, low, high):
    """The same intervals with ends moved off all distances: the last bit of a sum decides nothing then."""
    reach = 1e-12 * gaps.max(initial=0.0) + 1e-300
    for _ in range(60):
        low = np.array([x - 3 * reach if (abs(gaps - x) <= reach).any() else x for x in low])
        high = np.array([x + 3 * reach if (abs(gaps - x) <= reach).any() else x for x in high])
    return low, high


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("kind", CLOUDS)
def test_pairs_and_neighbours_are_those_of_all_distances(kind, precision):
    """Intervals from nothing to everything, some down to zero and below."""
    for seed in range(25):
        rng = np.random.default_rng(seed)
        points = CLOUDS[kind](rng, int(rng.integers(1, 50)), int(rng.integers(1, 8)))
        gaps = _gaps(points)
        middle, width = rng.choice(gaps.ravel(), 8), np.array([0, 0, 1e-9, 1e-3, 0.1, 1, 1e3, 1e9])
        low, high = _clear_of(gaps, middle - width, middle + width)
        cloud = Cloud(points, precision)
        u, v, target = cloud.pairs(low, high, ALL)
        found = list(zip(u.tolist(), v.tolist(), target.tolist(), strict=True))
        assert len(found) == len(set(found)), seed
        assert set(found) == _expected(gaps, low, high), seed
        centres = rng.integers(0, len(points), 5)
        start, near = cloud.around(centres, float(low[4]), float(high[4]), ALL)
        for k, centre in enumerate(centres):
            inside = (low[4] <= gaps[centre]) & (gaps[centre] <= high[4])
            assert sorted(near[start[k] : start[k + 1]]) == np.flatnonzero(inside).tolist(), seed


@pytest.mark.parametrize("m", [511, 512, 513, 1023, 1024, 1025, 1537, 2049])
def test_no_pair_is_lost_or_found_twice_at_the_border_of_a_tile(m):
    rng = np.random.default_rng(m)
    points = rng.standard_normal((m, 3))
    gaps = _gaps(points)
    low, high = np.array([0.5, 0.0]), np.array([0.501, 0.02])
    u, v, target = Cloud(points).pairs(low, high, ALL)
    found = list(zip(u.tolist(), v.tolist(), target.tolist(), strict=True))
    assert len(found) == len(set(found))
    assert set(found) == _expected(gaps, low, high)
    centres = np.arange(m)
    start, near = Cloud(points).around(centres, 0.5, 0.501, ALL)
    assert start[-1] == len(near) == 2 * int((target == 0).sum())


def test_a_tile_with_more_hits_than_room_is_scanned_again():
    points = np.random.default_rng(0).standard_normal((600, 2))
    u, _, _ = Cloud(points).pairs(np.array([-1.0]), np.array([100.0]), ALL)
    assert len(u) == 600 * 601 // 2 > pairs.SCAN.room


def test_more_pairs_than_may_be_kept_are_refused():
    cloud = Cloud(np.random.default_rng(0).standard_normal((100, 2)))
    everything = np.array([-1.0]), np.array([100.0])
    assert len(cloud.pairs(*everything, 5050)[0]) == 5050
    with pytest.raises(TooManyError):
        cloud.pairs(*everything, 5049)
    with pytest.raises(TooManyError):
        cloud.around(np.arange(2), -1.0, 100.0, 199)


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("n", [1, 3, 64, *slow(2, 8, 384)])
def test_the_filter_errs_by_no_more_than_it_says(n, precision):
    """Squared distances from the product against those from differences in extended precision."""
    worst = 0.0
    for seed in range(8):
        rng = np.random.default_rng([seed, n])
        points = rng.standard_normal((120, n))
        points = [points, abs(points), points[:, :1] + 1e-3 * points, points * 10.0 ** rng.integers(-4, 4, (120, 1))][
            seed % 4
        ]
        ready = Ready.of(points, precision)
        rows, squares = ready.rows, ready.squares
        product = np.matmul(-2 * rows, rows.T)
        gaps = (squares + product).astype(np.longdouble) + squares[:, None]
        scaled = points[ready.order].astype(np.longdouble) * ready.scale
        exact = np.stack([((scaled - row) ** 2).sum(axis=1) for row in scaled])
        allowed = [[ready.slack(a, b) for b in ready.norms] for a in ready.norms]
        worst = max(worst, float((abs(gaps - exact) / np.array(allowed)).max()))
    assert worst <= 1
    assert worst > 0.005  # or the bound, and the work that it makes, could be much smaller


@pytest.mark.parametrize("kind", ["one long axis", "normal", "far away"])
def test_tiles_that_are_left_out_hold_no_pair(kind):
    """Several tiles: along a long axis some are left out, and the pairs are those of all distances."""
    points = CLOUDS[kind](np.random.default_rng(0), 1600, 4)
    gaps = _gaps(points)
    ascending = np.sort(gaps[np.triu_indices(len(points), 1)])
    between = (ascending[1:] + ascending[:-1]) / 2  # no distance is there, nor next to it
    near, middle, far = (int(len(between) * share) for share in (1e-4, 0.5, 1 - 1e-5))
    for low, high in (-1.0, between[near]), (between[middle], between[middle + 100]), (between[far], 10 * between[-1]):
        ends = np.array([low]), np.array([high])
        expected = _expected(gaps, *ends)
        cloud = Cloud(points)
        assert set(zip(*(array.tolist() for array in cloud.pairs(*ends, ALL)), strict=True)) == expected
        assert set(zip(*(array.tolist() for array in cloud.classes(*ends, ALL)), strict=True)) == expected


def test_a_long_axis_spares_most_tiles():
    points = CLOUDS["one long axis"](np.random.default_rng(0), 20_000, 4)
    ready = Ready.of(points, np.float32)
    kept = [ready.apart(*tile)[0] <= ready.scale * 1.0 for tile in pair_tiles(20_000, 20_000, triangle=True)]
    assert sum(kept) < 0.2 * len(kept)
