# SPDX-License-Identifier: BSD-3-Clause
"""The most exposed people: counted against the table, and what makes them easy goes with exposure."""

import numpy as np
import pytest

from audited import audit
from effort import slow

SIZES = range(1, 6)


def table(seed, rows=300, columns=6):
    """People around an average, some far from it, some with near copies."""
    draws = np.random.default_rng(seed)
    values = draws.normal(50, 1, (rows, columns)) * draws.uniform(0.5, 2, (rows, 1))
    values[:20] = values[20:40] * 1.01
    return values


@pytest.fixture(scope="module")
def audited():
    records = table(0)
    return records, audit(records, epsilon=0.05, coalition_sizes=SIZES, trials=40, seed=0)


def test_people_are_counted_by_the_insiders_that_they_need(audited):
    records, result = audited
    breached, blind = result.records.breached, result.baselines.blind_records
    first = [next((k for k, share in enumerate(column) if share >= 0.5), len(SIZES)) for column in breached.T]
    wanted = [
        sum(k == place for k, hit in zip(first, blind, strict=True) if not hit) for place in range(len(SIZES) + 1)
    ]
    assert result.people_by_insiders.tolist() == wanted
    assert sum(wanted) == len(records) - blind.sum()
    assert sum(wanted[:-1]) > 0


def test_what_is_said_of_a_person_is_true_of_the_table(audited):
    records, result = audited
    norms, apart = np.linalg.norm(records, axis=1), np.linalg.norm(records - records.mean(axis=0), axis=1)
    assert len(result.exposed) == 100
    exposures = [round(one.exposure.value, 12) for one in result.exposed]
    assert exposures == sorted(exposures, reverse=True)
    for one in result.exposed:
        assert not result.baselines.blind_records[one.row]
        assert one.near_average == ((apart <= apart[one.row]).mean() <= 0.1)
        assert one.large == ((norms >= norms[one.row]).mean() <= 0.1)
        others = np.delete(np.linalg.norm(records - records[one.row], axis=1), one.row)
        assert one.copies == (others <= 0.05 * norms[one.row]).sum()
        needed = result.records.needed[one.row]
        assert one.needed == (SIZES[needed] if needed < len(SIZES) else None)
    assert any(one.copies for one in result.exposed)


def test_who_may_be_the_most_exposed_is_counted(audited):
    """Everybody whose interval reaches that of the first, and nobody whom a blind guess breaches."""
    _, result = audited
    high, first = result.records.limits()[1], result.exposed[0].exposure.low
    people = [row for row in range(len(high)) if high[row] >= first and not result.baselines.blind_records[row]]
    assert result.indistinct == len(people) > 1
    assert {one.row for one in result.exposed[:1]} <= set(people)


def test_people_who_are_as_exposed_as_each_other_share_a_rank():
    """With two groups there are few different figures: whoever has the same ones is not put before another."""
    result = audit(table(1), epsilon=0.05, coalition_sizes=[2, 4], trials=2, seed=0)
    figures = [(round(one.exposure.value, 12), one.needed or 9) for one in result.exposed]
    everybody = [
        (round(float(mean), 12), (2, 4, 9)[needed])
        for mean, needed, blind in zip(
            result.records.mean, result.records.needed, result.baselines.blind_records, strict=True
        )
        if not blind
    ]
    assert len(set(figures)) < len(figures)
    for one, own in zip(result.exposed, figures, strict=True):
        assert one.rank == 1 + sum((-other[0], other[1]) < (-own[0], own[1]) for other in everybody)
        assert one.alike == everybody.count(own)


@pytest.mark.parametrize("seed", [0, *slow(*range(1, 8))])
@pytest.mark.parametrize("scheme", ["orthogonal", "rigid"])
def test_each_of_the_three_goes_with_exposure(seed, scheme):
    """People near the average, with large values or with near copies are more exposed than others, on average."""
    draws = np.random.default_rng(seed)
    records = draws.normal(0, 1, (400, 8)) * draws.uniform(0.2, 2, (400, 1)) + draws.normal(0, 4, 8)
    records[:40] = records[40:80] + draws.normal(0, 0.02, (40, 8))
    exposure = exposures(records, scheme, seed)
    norms, apart = np.linalg.norm(records, axis=1), np.linalg.norm(records - records.mean(axis=0), axis=1)
    near = apart < np.quantile(apart, 0.1)
    copied = (np.linalg.norm(records[:, None] - records, axis=2) <= 0.15 * norms[:, None]).sum(axis=1) > 1
    assert exposure[near].mean() > exposure[~near].mean()
    assert exposure[copied].mean() > exposure[~copied].mean()
    # Large values: of people who are all as far from the average.
    turned = records - records.mean(axis=0)
    ball = draws.normal(0, 1, 8) + 2 * turned / np.linalg.norm(turned, axis=1, keepdims=True)
    norms = np.linalg.norm(ball, axis=1)
    large, exposure = norms > np.quantile(norms, 0.9), exposures(ball, scheme, seed)
    assert exposure[large].mean() > exposure[~large].mean()


def exposures(records, scheme, seed):
    result = audit(records, epsilon=0.15, scheme=scheme, coalition_sizes=SIZES, trials=30, seed=seed)
    return result.records.mean


def test_equal_lengths_are_not_large():
    """Records of length one: nobody has larger values than others."""
    draws = np.random.default_rng(0)
    records = draws.normal(2, 1, (200, 5))
    records /= np.linalg.norm(records, axis=1, keepdims=True)
    result = audit(np.round(records, 12), scheme="orthogonal", coalition_sizes=[4, 5], trials=10, seed=0)
    assert sum(one.large for one in result.exposed) <= 20
