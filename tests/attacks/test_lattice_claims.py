# SPDX-License-Identifier: BSD-3-Clause
"""Each rule of claims strikes out its own counterexample, and no other rule does."""

import numpy as np
import pytest

from isobreach.attacks.lattice import claims
from isobreach.attacks.lattice.claims import RULES, Sight, judged
from isobreach.attacks.lattice.frame import AxisFrame, Path


def whole(rng, columns):
    return rng.integers(0, 10, (600, columns)).astype(float)


def axes_of(rng, columns):
    return np.linalg.qr(rng.standard_normal((columns, columns)))[0]


def turned(degrees):
    """Two directions at right angles in a plane."""
    angle = np.deg2rad(degrees)
    return np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])


def sight(rows, directions, steps, path=Path.DUAL, *, certain=True, spacing=0.0, explained=1e-9):
    """A frame as a path may propose it, and the rows that it was found on."""
    directions = np.array(directions, dtype=float)
    count = len(directions)
    frame = AxisFrame(
        directions, np.broadcast_to(steps, count) * 1.0, np.full(count, certain), np.zeros(rows.shape[1]), True, path
    )
    return Sight(frame, rows, spacing, explained)


def in_three_places(rng):
    """Clusters in the corners of a right angle: a lattice has any three places."""
    places = np.array([[0.0, 0], [1, 0], [0, 2]])[rng.integers(0, 3, 600)]
    return sight((places + 0.02 * rng.standard_normal((600, 2))) @ turned(30), turned(30), [1, 2], explained=0.1)


def nearly_of_step_two(rng):
    rows = rng.integers(0, 2, (600, 3)) * [2.001, 2.003, 1.999]
    axes = axes_of(rng, 3)
    return sight(rows @ axes, axes, 2.0, explained=0.01)


def nearly_orthogonal(rng):
    """The functionals of a lattice whose basis is not quite at right angles."""
    basis = np.array([[1.0, 0.0], [0.01, 1.0]]) @ turned(30)
    return sight(whole(rng, 2) @ basis, np.linalg.inv(basis).T, 1.0)


def on_the_grid_of_rounding(rng):
    return sight(np.rint(5 * rng.standard_normal((600, 2))), np.eye(2), 1.0, spacing=1.0)


def with_an_even_sum(rng):
    """x1 + x2 is even: axes at 45 degrees."""
    rows = whole(rng, 2)
    rows[:, 1] += rows.sum(axis=1) % 2
    return sight(rows @ turned(20), turned(45) @ turned(20), np.sqrt(2), certain=False)


def with_a_sum_that_shows(rng):
    """x1 + ... + x4 is even, under noise: (1, 1, 1, 1) / 2 has the step 1."""
    rows = whole(rng, 4)
    rows[:, 3] += rows.sum(axis=1) % 2
    axes = axes_of(rng, 4)
    noisy = rows @ axes + 0.02 * rng.standard_normal(rows.shape)
    return sight(noisy, np.full((1, 4), 0.5) @ axes, 1.0, Path.CLIMBING, explained=0.1)


def of_nearly_whole_steps(rng):
    """Steps of 0.96 with few values pass for 1 under noise."""
    axes = axes_of(rng, 5)
    rows = 0.96 * rng.integers(0, 3, (300, 5)) + 0.08 * rng.standard_normal((300, 5))
    return sight(rows @ axes, axes, 1.0, Path.CLIMBING)


COUNTEREXAMPLES = {
    "_are_on_grid": in_three_places,
    "_have_their_steps": nearly_of_step_two,
    "_are_at_right_angles": nearly_orthogonal,
    "_are_not_the_releases": on_the_grid_of_rounding,
    "_are_certain": with_an_even_sum,
    "_leave_nothing_over": with_a_sum_that_shows,
    "_are_explained": of_nearly_whole_steps,
}


def test_every_rule_has_its_counterexample_here():
    assert [rule.holds.__name__ for rule in RULES] == list(COUNTEREXAMPLES)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("name", COUNTEREXAMPLES)
def test_without_the_rule_its_counterexample_would_be_claimed(name, seed, monkeypatch):
    seen = COUNTEREXAMPLES[name](np.random.default_rng(seed))
    assert not judged(seen).certain.any()
    monkeypatch.setattr(claims, "RULES", tuple(rule for rule in RULES if rule.holds.__name__ != name))
    assert judged(seen).certain.all()


@pytest.mark.parametrize("path", Path)
def test_a_frame_that_is_right_passes_every_rule(path):
    rng = np.random.default_rng(0)
    axes = axes_of(rng, 4)
    assert judged(sight(whole(rng, 4) @ axes, axes, 1.0, path)).certain.all()
