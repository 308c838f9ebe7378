# SPDX-License-Identifier: BSD-3-Clause
"""One criterion: gate, remedies and verdict measure by it, and whoever follows the advice finds the gate open."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import isobreach as ib
from effort import slow
from isobreach.audits import SHARE, WORST_RECORD, Cell, Criterion, Sampled, gate
from isobreach.audits.intervals import SampledShares
from isobreach.audits.matrix import Best
from isobreach.cli import gate as command_line
from isobreach.errors import InputError
from isobreach.report import audit_document
from isobreach.report.audit_decision import decision
from isobreach.schemes import Noisy

LEVELS = (0.05, 0.5, 2.0)


def _table(seed):
    """A table of a kind, a width and a spread at random."""
    rng = np.random.default_rng(seed)
    rows, columns = int(rng.integers(60, 160)), int(rng.integers(3, 7))
    kinds = (
        lambda: rng.standard_normal((rows, columns)) @ rng.standard_normal((columns, columns)),
        lambda: rng.exponential(size=(rows, columns)) * rng.uniform(1, 9, columns),
        lambda: rng.integers(0, 2, (rows, columns + 4)).astype(float) + 1,
        lambda: rng.integers(1, 6, (rows, columns)).astype(float),
        lambda: rng.lognormal(size=(rows, columns)),
    )
    return kinds[seed % len(kinds)]()


def _asked(seed):
    rng = np.random.default_rng([seed, 1])
    return {
        "epsilon": float(rng.choice([0.1, 0.2])),
        "coalition_sizes": range(1, int(rng.integers(2, 5))),
        "trials": 20,
        "samples": (20,),
        "splits": 4,
        "limit": float(rng.choice([0.05, 0.2, 0.5])),
        "criterion": str(rng.choice([SHARE, WORST_RECORD])),
        "attacks": ["alignment"] if seed == 19 else ["known-input"],  # the others take seconds each time
    }


# Twenty random tables: every kind of table under both criteria, and other sizes of each.
@pytest.mark.parametrize("seed", [1, *slow(0, *range(2, 20))])
def test_what_is_recommended_opens_the_gate(seed):
    records, asked = _table(seed), _asked(seed)
    planned = ib.audit(records, "orthogonal", noise_levels=LEVELS, seed=seed, **asked)
    level = planned.remedies.smallest
    assert [one.noise for one in planned.remedies.levels if one.opens] == ([] if level is None else [level])
    if level is not None:
        assert not ib.audit(records, Noisy(noise=level), seed=seed, **asked).gate().closed


@pytest.mark.slow
def test_what_is_recommended_keeps_the_limit_in_other_draws_too():
    """The gate takes the upper ends of 95% intervals: shares of another audit seldom lie above what they are below.

    Its own upper ends may, with four splits. The worst record of a small table is another one with other noise, so that
    only shares have room for that.
    """
    exceeded = []
    for seed in range(20):
        records, asked = _table(seed), _asked(seed)
        if asked["criterion"] != SHARE:
            continue
        level = ib.audit(records, "orthogonal", noise_levels=LEVELS, seed=seed, **asked).remedies.smallest
        if level is not None:
            other = ib.audit(records, Noisy(noise=level), seed=seed + 100, **asked)
            most = other.breached(insiders=max(asked["coalition_sizes"]), sample=20).value
            exceeded += [most > asked["limit"]]
    assert len(exceeded) >= 5
    assert sum(exceeded) <= 1


def _limits(report):
    """Limits on either side of every figure that might decide, and in its interval."""
    reached = [report.reached(size, sample) for size in report.sizes for sample in report.matrix.samples]
    figures = [end for one in reached for end in (one.breached.low, one.breached.value, one.breached.high)]
    figures += [one.worst_record.value for one in report.per_size] + [report.baselines.blind]
    near = {np.nextafter(figure, way) for figure in figures for way in (0.0, 1.0)}
    return sorted({0.0, 1.0, *figures, *(one for one in near if 0 <= one <= 1)})


SCHEMES = ("orthogonal", "rigid", Noisy(noise=0.5), "additive-noise", "ball")


@pytest.mark.parametrize("seed", [0, 3, *slow(1, 2, *range(4, 16))])
def test_headline_gate_and_exit_code_never_contradict_each_other(seed):
    """One measure: whatever the limit, the criterion and the groups that it is about."""
    asked = {**_asked(seed), "limit": None, "splits": 2, "trials": 3 + seed % 9}
    report = ib.audit(_table(seed), SCHEMES[seed % len(SCHEMES)], seed=seed, **asked)
    shown = set()
    for limit, kind, size in product(_limits(report), (SHARE, WORST_RECORD), (None, *report.sizes)):
        decided = replace(report, criterion=Criterion(limit, kind, size))
        said, outcome = decision(decided), decided.gate()
        facts = {fact.name: fact.value for fact in said.gate}
        not_so = said.headline.startswith(("Do not publish", "Publish only with"))
        assert outcome.closed is not_so, (limit, kind, size, said.headline)
        assert outcome.closed is (said.status == "stop" or not_so)
        assert facts["Result"] == ("Closed" if outcome.closed else "Open")
        exits = command_line.GateOptions(decided.criterion).reason(decided) is not None  # with exit code 1
        assert exits is outcome.closed
        assert outcome == decided.gate(limit, size, kind)
        if said.headline not in shown:
            shown.add(said.headline)
            document = audit_document(decided)
            assert document.decision == said
            assert document.data["gate"]["open"] is not outcome.closed
    assert len(shown) > 1
    asked_later = replace(report, target=Criterion(0.3))  # without a limit the target decides, and there is no gate
    assert decision(asked_later).gate == ()
    assert asked_later.verdict.startswith("Do not publish") is gate(asked_later, Criterion(0.3)).closed


def test_where_only_guesses_are_played_the_gate_is_closed(report):
    untested = replace(report, tested=False, criterion=Criterion(0.9))
    assert untested.gate().closed
    assert untested.verdict.startswith("Do not publish on this word. Nothing was found out: ")


def test_groups_of_the_closed_form_that_agree_entirely_leave_no_doubt():
    """Ten groups that breach nobody at all are ten times all others, and not ten coin flips."""
    records = np.random.default_rng(0).standard_normal((300, 40))
    found = ib.audit(
        records, epsilon=1e-6, coalition_sizes=[2], trials=10, attacks=["known-input"], limit=0.01, samples=(), seed=0
    )
    assert (found.at(2).random.mean.value, found.at(2).random.mean.high < 0.002) == (0.0, True)
    assert not found.gate().closed


@pytest.fixture(scope="module")
def report():
    records = np.random.default_rng(2).standard_normal((80, 4))
    return ib.audit(
        records, trials=10, coalition_sizes=[1, 2, 3], splits=2, samples=(20,), attacks=["alignment"], seed=0
    )


def test_the_share_is_the_breached_share_and_the_worst_record_is_never_below_it(report):
    """The upper end counts, of random groups as of who is played: a few of them do not exclude it."""
    for insiders in report.sizes:
        played = max(best.breached.high for _, best in report.matrix.within(insiders, 20))
        groups = max(one.random.mean.high for one in report.up_to(insiders))
        share = max(report.baselines.blind, played, groups)
        for limit in {0.0, 0.3 * share, np.nextafter(share, 0), share, min(1.0, share + 0.1), 1.0}:
            by_share = report.gate(limit, insiders, SHARE)
            assert by_share.closed == (share > limit)
            assert report.gate(limit, insiders, WORST_RECORD).closed >= by_share.closed


def test_gate_matrix_and_figures_are_one_measure(report):
    """Who breaches less than the best, but in a wide interval, closes the gate: the figure ends where the gate does."""
    sure = Best("known-input", "as it is", Sampled(0.01, 0.009, 0.011), SampledShares.exact(np.zeros(4)))
    unsure = replace(sure, breached=Sampled(0.0, 0.0, 0.12))
    matrix = replace(report.matrix, best={Cell(1): unsure, Cell(3): sure})
    groups = [replace(one, random=replace(one.random, mean=Sampled(1e-5, 0.0, 2.8e-5))) for one in report.per_size]
    guessed = replace(report.baselines, blind=0.0, no_known_record=None)
    found = replace(report, matrix=matrix, readers=(), baselines=guessed, per_size=tuple(groups))
    assert found.breached(3) == found.reached(3).breached == found.reached(3, upper=True).breached
    assert found.breached(3) == Sampled(0.01, 0.009, 0.12)
    assert found.breached(1) == Sampled(1e-5, 0.0, 0.12)
    closing = found.gate(0.05)
    assert (closing.closed, closing.unsure, closing.reached.breached) == (True, True, found.breached(3))
    assert found.gate(found.breached(3).high).closed is False
    cells = audit_document(found).data["matrix"]["breached"]
    shown = {one["insiders"]: one["breached_share"] for one in cells if not one["sample"]}
    assert shown[3] == {"value": 0.01, "low": 0.009, "high": 0.12}


def test_a_gate_without_a_limit_is_that_of_the_audit_or_an_error(report):
    with pytest.raises(InputError, match="limit must be given, here or to the audit"):
        report.gate()
    with pytest.raises(InputError, match="criterion must be one of share, worst-record"):
        report.gate(0.1, criterion="mean")
    with pytest.raises(InputError, match="limit"):
        ib.audit(np.eye(4), limit=2.0)
    assert report.gate(0.1).criterion == SHARE
