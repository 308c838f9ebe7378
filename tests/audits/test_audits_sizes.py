# SPDX-License-Identifier: BSD-3-Clause
"""Coalitions of several sizes: insiders may leave records out, so no figure falls below that of a smaller size."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import isobreach as ib
from audited import audit
from effort import slow
from isobreach.audits import WORST_RECORD, Criterion
from isobreach.audits.settings import ladder
from isobreach.cli.gate import GateOptions
from isobreach.report import audit_findings
from isobreach.schemes import Noisy

ARGUMENTS = {"scheme": Noisy(noise=2.0), "epsilon": 0.6, "trials": 6, "seed": 1}
RECORDS = np.random.default_rng(0).standard_normal((40, 16)) * 2 + 0.5
LARGEST = 12


@pytest.fixture(scope="module")
def reports():
    """Audits by the sizes asked for, each made once."""
    made = {}

    def report(sizes):
        if sizes not in made:
            made[sizes] = ib.audit(RECORDS, coalition_sizes=sizes, attacks=["known-input"], **ARGUMENTS)
        return made[sizes]

    return report


def _worst(report):
    return report.per_size[-1].worst_record.value


def _gate(limit, size=None):
    return GateOptions(Criterion(limit, WORST_RECORD, size))


asked = st.frozensets(st.sampled_from((1, 2, 3, 5, 8)), max_size=3)


def _never_opens(reports, few, more):
    """More sizes never open a gate, and smaller ones count unasked."""
    one, both, whole = (
        reports(tuple(sorted({*sizes, LARGEST}))) for sizes in (few, few | more, few | set(ladder(LARGEST)))
    )
    assert _worst(one) <= _worst(both)
    assert _worst(one) == _worst(whole)
    assert one.smallest[0].found == whole.smallest[0].found
    for limit in (0.9 * _worst(one), 1.1 * _worst(one)):
        closed, wider = (_gate(limit).reason(report) is not None for report in (one, both))
        assert wider >= closed
    for report in (one, both, whole):
        values = [figures.worst_record.value for figures in report.per_size]
        assert values == sorted(values)


@pytest.mark.slow
def test_a_size_more_opens_no_gate(reports):
    _never_opens(reports, frozenset(), frozenset({2}))


@pytest.mark.slow
@given(few=asked, more=asked)
@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_to_ask_for_more_sizes_never_opens_a_gate_and_smaller_ones_count_unasked(reports, few, more):
    _never_opens(reports, few, more)


def test_the_gate_that_one_insider_closes_is_closed_for_more():
    """Under much noise one near copy is breached by one insider, and what more of them fit is noise."""
    rng = np.random.default_rng(3)
    records = rng.standard_normal((50, 16)) * 2
    records[1] = records[0] * 1.2
    arguments = {**ARGUMENTS, "scheme": Noisy(noise=1.0), "epsilon": 0.5, "attacks": ["known-input"]}
    few, all_ = (ib.audit(records, coalition_sizes=sizes, **arguments) for sizes in ((12,), (1, 12)))
    limit = 0.9 * all_.at(1).worst_record.value
    assert limit > 0
    assert _gate(limit).reason(few) is not None
    assert _gate(limit).reason(all_) is not None
    assert _gate(limit, 12).reason(few) is not None


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, *slow(0, *range(2, 8))])
def test_the_worst_found_is_at_least_the_mean_of_the_random_ones_and_nothing_falls(seed):
    """Under noise as well, where a coalition that was chosen may do worse than one at random."""
    noise, epsilon = (0.5, 0.35) if seed % 2 else (1.0, 0.6)
    records = np.random.default_rng(seed).standard_normal((120, 16)) * 2 + 0.5
    result = audit(
        records, scheme=Noisy(noise=noise), epsilon=epsilon, coalition_sizes=[1, 12, 30], trials=10, seed=seed
    )
    for one in result.per_size:
        assert one.worst_record.value >= one.random.worst.value
        assert one.worst_mean.value >= one.random.mean.value
        assert one.worst_breached.value >= one.random.breached.value * (120 - one.size) * (1 - 1e-12)
    assert result.at(1).worst_mean.value * 119 >= result.insider.expected * (1 - 1e-12)
    for name in ("worst", "mean", "breached", "certain"):
        values = [getattr(one.random, name).value for one in result.per_size]
        assert values == sorted(values)
    for name in ("worst_record", "worst_mean"):
        values = [getattr(one, name).value for one in result.per_size]
        assert values == sorted(values)
    assert (np.diff(result.attributes.value, axis=0) >= 0).all()
    _agrees(result)


def _agrees(result):
    """No two sentences say the opposite of each other."""
    one, *more = result.smallest
    worst = max(figures.worst_record.value for figures in result.per_size)
    if worst >= result.level or any(goal.found is not None for goal in more):
        assert one.found is not None
    found = [goal.found or 10**9 for goal in result.smallest]
    assert found == sorted(found)
    for goal in result.smallest:
        assert goal.random is None or goal.found <= goal.random
    said = " ".join(audit_findings(result))
    assert ("No group that was tried breaches anybody" in said) == (worst == 0)


def test_insiders_who_know_their_rows_are_not_said_to_miss_them():
    result = audit(RECORDS, **{**ARGUMENTS, "scheme": Noisy(noise=9.0), "epsilon": 1e-30}, coalition_sizes=[2])
    assert max(one.worst_record.value for one in result.per_size) == 0
    said = " ".join(audit_findings(result))
    assert "the highest probability is 0" in said
    assert "find their own row" not in said


@pytest.mark.slow
def test_remedies_count_what_fewer_records_breach():
    """The rate under noise is that of the best number of records that the insiders may use."""
    arguments = {k: v for k, v in ARGUMENTS.items() if k != "scheme"}
    rates = [
        audit(RECORDS, scheme="orthogonal", coalition_sizes=[size], noise_levels=[3.0], **arguments)
        .remedies.levels[0]
        .breach_rate
        for size in (1, 16)
    ]
    assert rates[1].value >= rates[0].low


def test_a_ladder_leaves_no_large_gap():
    for size in range(1, 200):
        steps = ladder(size)
        assert (steps[0], steps[-1]) == (1, size)
        assert all(a < b <= 2 * a for a, b in pairwise(steps))
