# SPDX-License-Identifier: BSD-3-Clause
"""One criterion: gate, remedies and verdict measure by it, and whoever follows the advice finds the gate open."""

import numpy as np
import pytest

import isobreach as ib
from effort import slow
from isobreach.audits import SHARE, WORST_RECORD
from isobreach.errors import InputError
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


@pytest.mark.parametrize("seed", [1, *slow(0, *range(2, 20))])
def test_what_is_recommended_opens_the_gate(seed):
    records, asked = _table(seed), _asked(seed)
    planned = ib.audit(records, "orthogonal", noise_levels=LEVELS, seed=seed, **asked)
    level = planned.remedies.smallest
    assert [one.noise for one in planned.remedies.levels if one.opens] == ([] if level is None else [level])
    if level is not None:
        assert not ib.audit(records, Noisy(noise=level), seed=seed, **asked).gate().closed
        # The worst record of a small table is another one with other noise, so that only shares have room for that.
        if asked["criterion"] == SHARE:
            assert not ib.audit(records, Noisy(noise=level), seed=seed + 100, **asked).gate().closed


@pytest.fixture(scope="module")
def report():
    records = np.random.default_rng(2).standard_normal((80, 4))
    return ib.audit(
        records, trials=10, coalition_sizes=[1, 2, 3], splits=2, samples=(20,), attacks=["alignment"], seed=0
    )


def test_the_share_is_the_breached_share_and_the_worst_record_is_never_below_it(report):
    """Of who is played the upper end counts: a few splits do not exclude it."""
    for insiders in report.sizes:
        played = report.matrix.reached(insiders, 20, upper=True)[1].breached.high
        share = max(report.breached(insiders, 20).value, played)
        for limit in {0.0, 0.3 * share, np.nextafter(share, 0), share, min(1.0, share + 0.1), 1.0}:
            by_share = report.gate(limit, insiders, SHARE)
            assert by_share.closed == (share > limit)
            assert report.gate(limit, insiders, WORST_RECORD).closed >= by_share.closed


def test_a_gate_without_a_limit_is_that_of_the_audit_or_an_error(report):
    with pytest.raises(InputError, match="limit must be given, here or to the audit"):
        report.gate()
    with pytest.raises(InputError, match="criterion must be one of share, worst-record"):
        report.gate(0.1, criterion="mean")
    with pytest.raises(InputError, match="limit"):
        ib.audit(np.eye(4), limit=2.0)
    assert report.gate(0.1).criterion == SHARE
