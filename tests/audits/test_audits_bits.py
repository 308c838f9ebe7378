# SPDX-License-Identifier: BSD-3-Clause
"""Zeros and ones under noise: a level of noise is called enough only if insiders who round fail there."""

import pytest

import isobreach as ib
from adversaries.playing import ADVERSARIES, play
from adversaries.tables import Table
from isobreach.schemes import Noisy

LEVELS = (0.2, 0.4, 2.5)
INSIDERS, LIMIT, EPSILON = 30, 0.05, 0.1


def bits(rng):
    values = (rng.random((400, 12)) < 0.25).astype(float)
    values[values.sum(axis=1) == 0, 0] = 1
    return values


@pytest.mark.slow
def test_noise_is_enough_only_where_insiders_who_round_fail():
    """Twelve sparse columns: at 0.2 of their spread thirty insiders read everybody."""
    table = Table(bits, (), (INSIDERS,), EPSILON)
    tried = ib.audit(
        table.records,
        "orthogonal",
        EPSILON,
        [INSIDERS],
        trials=20,
        attacks=["known-input"],
        noise_levels=LEVELS,
        limit=LIMIT,
        samples=(),
        seed=0,
    ).remedies
    rounding = {
        level: play(ADVERSARIES["rounding_insiders"], table, Noisy(level), INSIDERS).records.mean() for level in LEVELS
    }
    assert rounding[0.2] > 0.99
    assert rounding[0.4] > 0.9
    assert tried.smallest == 2.5
    assert rounding[2.5] <= LIMIT
    assert not [one.noise for one in tried.levels if one.opens and rounding[one.noise] > LIMIT]
