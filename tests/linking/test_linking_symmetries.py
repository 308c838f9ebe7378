# SPDX-License-Identifier: BSD-3-Clause
"""Images under the symmetries of a grid, counted one by one; and the decision that rests on them."""

from itertools import permutations, product

import numpy as np
import pytest

from effort import slow
from isobreach import datasets
from isobreach.linking import link
from isobreach.linking.chance import log_images
from isobreach.linking.chance.matches import _implied
from isobreach.schemes import perturb


def _images(fixed, moved):
    found = set()
    for order in permutations(range(len(moved))):
        for signs in product((-1, 1), repeat=len(moved)):
            if all(np.array_equal(row[list(order)] * signs, row) for row in fixed):
                found.add(tuple((moved[list(order)] * signs + 0.0).tolist()))
    return len(found)


def test_images_are_as_many_as_there_are():
    rng = np.random.default_rng(0)
    for _ in range(300):
        n, k = int(rng.integers(1, 5)), int(rng.integers(0, 3))
        fixed, moved = rng.integers(-1, 2, (k, n)) * 0.1, rng.integers(-2, 3, n) * 0.1
        assert round(float(np.exp(log_images(fixed, moved)))) == _images(fixed, moved)


@pytest.mark.slow
def test_eight_known_records_of_letter_decide_for_a_translation():
    records = datasets.load("letter").values
    known = np.random.default_rng(1).choice(len(records), 8, replace=False)
    release = perturb(records, "rigid", 1)
    linkage = link(records[known], release.data, motion="auto")
    assert linkage.motion == "rigid"
    assert linkage.rows.tolist() == release.key.order[known].tolist()


@pytest.mark.parametrize("seed", [*range(10), *slow(*range(10, 30))])
def test_strangers_on_a_coarse_grid_are_not_linked(seed):
    """Small whole numbers, some known records absent, the motion unknown: copies of shapes are common there."""
    rng = np.random.default_rng(seed)
    n, top, total = int(rng.integers(2, 7)), int(rng.integers(1, 8)), int(rng.integers(30, 300))
    records = rng.integers(0, top + 1, (total, n)).astype(float)
    known = np.vstack([records[: int(rng.integers(0, 6))], rng.integers(0, top + 1, (5, n))]).astype(float)
    release = perturb(records, "rigid", seed)
    linkage = link(known, release.data, motion="auto")
    back = np.argsort(release.key.order)
    for i in np.flatnonzero(linkage.rows >= 0):
        assert np.array_equal(records[back[linkage.rows[i]]], known[i])


def test_what_is_implied_is_the_likeliest_of_following_some_and_fitting_the_rest():
    """By hand: a third record on a grid follows one, by any of its images, or both, where no way is left."""
    known = np.array([[0.0, 0.0], [2.0, 1.0], [1.0, 3.0]])
    pair = np.log(np.array([0.1, 0.2, 0.0 + 1e-300]))
    same = np.log(1e-6)
    asked = {"telling": 2, "on_grid": True}
    told = _implied(known, same, 2, np.array([0, 1]), pair, **asked)
    one = min(same + np.log(8), np.log(0.1)) + np.log(0.2)  # eight images of (1, 3), and the distance from the second
    both = min(same + np.log(1), np.log(0.2))  # (2, 1) fixed: no symmetry is left
    assert told == pytest.approx(max(one, both))
    assert one > both
    assert _implied(known, same, 2, np.array([0]), pair, **asked) == pytest.approx(same + np.log(8))
    assert _implied(known, np.log(0.9), 2, np.array([0]), pair, **asked) == pytest.approx(np.log(0.1))  # capped
    assert _implied(known, same, 2, np.array([0, 1]), pair, telling=1, on_grid=True) == pytest.approx(same + np.log(8))
    assert _implied(known, same, 2, np.array([0]), pair, telling=2, on_grid=False) == pytest.approx(same + np.log(2))
    assert _implied(known, -np.inf, 2, np.array([0, 1]), pair, **asked) == -np.inf
