# SPDX-License-Identifier: BSD-3-Clause
"""Where audits have said less than attackers do: sizes that depend on each other, guesses, precision, bounds."""

import numpy as np
import pytest

from audited import audit, orders
from isobreach.audits.bound import bounds
from isobreach.audits.coalitions import Growth
from isobreach.audits.exposure import OwnersTable
from isobreach.geometry import row_norms
from isobreach.schemes import perturb


def test_figures_of_a_size_do_not_depend_on_the_largest():
    """Two short records, nearly parallel, among long ones: their directions are not lost in the long ones' error."""
    rng = np.random.default_rng(0)
    records = 1e8 * rng.standard_normal((60, 8))
    records[0] = 1e-8 * rng.standard_normal(8)
    records[1] = records[0] * 1.3 + 1e-11 * rng.standard_normal(8)
    arguments = {"scheme": "orthogonal", "epsilon": 0.05, "trials": 20, "seed": 1, "rows_known": True}
    few, many = (audit(records, coalition_sizes=sizes, **arguments) for sizes in ([1], [1, 2, 4]))
    assert few.at(1).worst_record.value == many.at(1).worst_record.value == 1
    for size in (2, 4):
        assert many.at(size).worst_record.value == 1


@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
def test_attributes_of_single_precision_tables_are_not_learned_more_often_than_those_of_double_precision(motion):
    """Insiders who know their records to single precision only determine less, and never more."""
    rng = np.random.default_rng(1)
    records = (rng.standard_normal((200, 4)) * [1e7, 1e7, 1, 1]).astype(np.float32)
    arguments = {"scheme": motion, "epsilon": 0.1, "coalition_sizes": [2, 4], "trials": 20, "seed": 1}
    single, double = (audit(one, rows_known=True, **arguments) for one in (records, records.astype(np.float64)))
    assert (single.attributes.value <= double.attributes.value + 0.02).all()
    np.testing.assert_allclose(single.attributes.value[0], double.attributes.value[0], atol=0.02)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
def test_the_worst_coalition_of_one_is_at_least_the_single_insider(motion, seed):
    records = np.random.default_rng(seed).standard_normal((150, 4)) + 2
    result = audit(records, scheme=motion, epsilon=0.3, coalition_sizes=[1, 2], trials=5, seed=seed, rows_known=True)
    assert result.at(1).worst_mean.value * 149 >= result.insider.expected - 1e-9


def test_two_insiders_behind_a_translation_toss_a_coin():
    """Their pair is found by its distance, up to a swap: no guess breaches more than if they knew."""
    rng = np.random.default_rng(3)
    records = np.outer(rng.uniform(1, 2, 60), [3.0, 2.0, 1.0]) + 0.01 * rng.standard_normal((60, 3))
    arguments = {"scheme": "rigid", "epsilon": 0.1, "coalition_sizes": [1, 2, 3], "trials": 12, "seed": 1}
    found = audit(records, **arguments)
    assert found.at(2).worst_record.value == 0
    assert found.at(2).guessed_record.value == 1
    assert found.at(2).guessed_breached.value == 58
    assert (found.smallest[-1].found, found.smallest[-1].guessed) == (3, 2)
    assert found.at(3).guessed_record == found.at(3).worst_record
    hits = []
    for seed in range(40):
        release = perturb(records, "rigid", seed)
        insiders, rows = records[:2], release.data
        gaps = np.abs(_gaps(rows) - _gap(insiders))
        pair = np.unravel_index(int(gaps.argmin()), gaps.shape)
        pair = pair if rng.random() < 0.5 else pair[::-1]
        along = (rows - rows[pair[0]]) @ (rows[pair[1]] - rows[pair[0]]) / _gap(insiders) ** 2
        estimates = insiders[0] + np.outer(along, insiders[1] - insiders[0])
        errors = row_norms(estimates[release.key.order] - records)
        hits.append(np.mean(errors[2:] <= 0.1 * row_norms(records[2:])))
    assert np.mean(hits) == pytest.approx(0.5, abs=0.25)


def _gap(pair):
    return float(np.linalg.norm(pair[0] - pair[1]))


def _gaps(rows):
    gaps = np.linalg.norm(rows[:, None] - rows[None], axis=2)
    np.fill_diagonal(gaps, np.inf)
    return gaps


@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
def test_no_guess_of_rows_breaches_more_than_is_told(motion):
    """Unit vectors in a cone: one insider takes the own record for everyone's, two take their midpoint or a swap."""
    rng = np.random.default_rng(0)
    directions = np.abs(rng.standard_normal((40, 5)))
    records = directions / row_norms(directions)[:, None]
    result = audit(records, scheme=motion, epsilon=0.3, coalition_sizes=[1, 2], trials=39, seed=0)
    assert result.at(1).random.linked.value == 0
    for order in orders(40, 0, 39, 2):
        own = row_norms(records - records[order[0]]) <= 0.3
        own[order[0]] = False
        assert result.at(1).guessed_breached.value >= own.sum()
        along = records[order[1]] - records[order[0]]
        foot = np.outer((records - records[order[0]]) @ along / (along @ along), along)
        guesses = np.mean([row_norms(records[order[k]] + (1 - 2 * k) * foot - records) <= 0.3 for k in (0, 1)], axis=0)
        assert result.at(2).guessed_record.value >= np.delete(guesses, order).max()


def _owners(records, epsilon=0.3):
    return OwnersTable(records, np.full(len(records), 1e-13), False, epsilon, np.full(records.shape[1], 0.1))


def test_the_bound_of_the_worst_record_is_reached():
    """Two records at 120 degrees and their sum: coherence 1/2, and the two determine the third."""
    a, b = np.array([1.0, 0.0, 0.0, 0.0]), np.array([-0.5, np.sqrt(0.75), 0.0, 0.0])
    (one, two) = bounds(_owners(np.stack([a, b, a + b])), (1, 2), 0.5)
    assert two.worst == 1
    assert one.worst < 1


def test_the_bound_of_the_mean_is_of_the_others():
    """Five equal pairs in five directions: an insider breaches the other of the pair, one in nine others."""
    records = np.repeat(np.eye(5), 2, axis=0) + 0.0
    (one,) = bounds(_owners(records, epsilon=1e-3), (1,), 0.5)
    table = _owners(records, epsilon=1e-3)
    mean = float(np.delete(table.exposed(np.array([0]), Growth.rows_known(1), (1,)).probability[0], 0).mean())
    assert mean == pytest.approx(1 / 9)
    assert mean <= one.mean


def test_sizes_that_were_not_tried_are_not_ruled_out():
    records = np.random.default_rng(0).standard_normal((200, 8))
    arguments = {"scheme": "orthogonal", "epsilon": 0.1, "trials": 40, "seed": 0, "rows_known": True}
    whole = audit(records, coalition_sizes=range(1, 9), **arguments).smallest[-1]
    gaps = audit(records, coalition_sizes=[2, 8], **arguments).smallest[-1]
    assert (whole.random, whole.low) == (7, 7)
    assert (gaps.random, gaps.low, gaps.high) == (8, 3, 8)
