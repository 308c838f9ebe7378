# SPDX-License-Identifier: BSD-3-Clause
"""Logarithms of amounts and of their sums give a rotation of few hidden dimensions away."""

import numpy as np
import pytest

import isobreach as ib
from effort import EIGHT_SEEDS, slow
from isobreach.attacks.alignment.logs import LogRelations, log_relations


def amounts(rng, rows=500):
    """Two amounts and their sum, twice."""
    four = 50 * np.exp(rng.normal(0, 0.5, (rows, 1)) + 0.7 * rng.normal(size=(rows, 4)))
    return np.hstack([four[:, :2], four[:, :2].sum(axis=1)[:, None], four[:, 2:], four[:, 2:].sum(axis=1)[:, None]])


KINDS = {"log": np.log, "log10": np.log10, "log1p": np.log1p}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("linked", [1, 3])
def test_linked_records_show_the_sums_and_the_base(kind, linked):
    for seed in range(8):
        records = KINDS[kind](amounts(np.random.default_rng(seed)))
        several = log_relations(records[:linked])  # a difference of sums is one of logarithms of either kind
        assert max(np.abs(one.left(records)[0]).max() for one in several) < 1e-9
        wanted = np.log(10) if kind == "log10" else 1.0, kind == "log1p"
        (found,) = (one for one in several if (one.scale, one.shifted) == wanted)
        ways = found.weights / found.weights[:, [2, 5]].sum(
            axis=1, keepdims=True
        )  # sums count once, their parts against
        assert sorted(ways.tolist()) == [[-1, -1, 1, 0, 0, 0], [0, 0, 0, -1, -1, 1]]


def test_other_records_show_none():
    for seed in range(8):
        rng = np.random.default_rng(seed)
        assert log_relations(rng.normal(size=(2, 8))) == []
        assert log_relations(rng.integers(0, 9, (2, 8)).astype(float)) == []
        assert log_relations(1e4 * rng.exponential(size=(2, 8))) == []  # no logarithms: nobody has e^10,000


def test_slopes_are_those_of_what_is_left():
    rng = np.random.default_rng(0)
    for shifted in (False, True):
        relations = LogRelations(np.array([[1.0, 1, -1, 0], [0, 2, 1, -1]]), float(np.log(10)), shifted)
        values = rng.uniform(0.5, 1, (5, 4))
        _, slopes = relations.left(values)
        for column in range(4):
            step = 1e-6 * (np.arange(4) == column)
            change = (relations.left(values + step)[0] - relations.left(values - step)[0]) / 2e-6
            np.testing.assert_allclose(slopes[:, :, column], change, atol=1e-7)


@pytest.mark.parametrize(("kind", "scheme", "linked"), [("log", "orthogonal", 3), *slow(("log1p", "rigid", 4))])
@EIGHT_SEEDS
def test_the_rotation_under_which_all_rows_add_up(kind, scheme, linked, seeds):
    shares = []
    for seed in seeds:
        records = KINDS[kind](amounts(np.random.default_rng(seed)))
        release = ib.perturb(records, scheme, seed=seed)
        known = ib.Knowledge(known=records[:linked], rows=release.key.order[:linked])
        found = ib.reconstruct("alignment", release.data, known, seed=0, motion=scheme)
        errors = np.linalg.norm(found.estimates[release.key.order] - records, axis=1)[linked:]
        shares.append(float(np.mean(errors <= 0.03 * np.linalg.norm(records[linked:], axis=1))))
        assert found.objective == "logarithms"
        assert not found.claimed
    assert np.mean(shares) > 0.95
