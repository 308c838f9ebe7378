# SPDX-License-Identifier: BSD-3-Clause
"""Every scheme against every attack on tables that are at an edge: a figure or a reason, and no attack that fails."""

import warnings

import numpy as np
import pytest

from effort import slow
from isobreach.audits import ComparisonAsked, ComparisonTable
from isobreach.audits.comparing.asked import QUICK
from isobreach.audits.comparing.contest import Rules, contest, deals, range_share
from isobreach.audits.comparing.summing import cell_figures

ROWS = 60


def table(kind):
    rng = np.random.default_rng(0)
    plain = rng.normal(50, 9, (ROWS, 4))
    return {
        "one column": lambda: plain[:, :1],
        "two columns": lambda: plain[:, :2],
        "zeros": lambda: np.zeros((ROWS, 3)),
        "all the same": lambda: np.full((ROWS, 3), 5.0),
        "a constant column": lambda: np.column_stack([plain, np.full(ROWS, 7.0)]),
        "repeated rows": lambda: np.repeat(rng.integers(0, 3, (ROWS // 5, 3)).astype(float), 5, axis=0),
        "zeros and ones": lambda: rng.integers(0, 2, (ROWS, 5)).astype(float),
        "many zeros": lambda: plain * (rng.random(plain.shape) < 0.3),
        "a row of zeros": lambda: plain * (np.arange(ROWS) != 3)[:, None],
        "tiny": lambda: 1e-130 * plain,
        "all sizes": lambda: (plain - 50) * [1e-6, 1, 1e6, 1e12],
        "more columns than rows": lambda: rng.normal(0, 1, (ROWS, 70)),
        "integers": lambda: rng.integers(-5, 900, (ROWS, 4)),
    }[kind]()


ALONE = {"known": 0, "sample": 0}


@pytest.mark.parametrize(
    ("kind", "held"),
    [
        ("one column", {}),
        ("zeros", {}),
        *slow(
            *(
                (one, {})
                for one in (
                    "two columns",
                    "all the same",
                    "a constant column",
                    "repeated rows",
                    "zeros and ones",
                    "many zeros",
                    "a row of zeros",
                    "tiny",
                    "all sizes",
                    "more columns than rows",
                    "integers",
                )
            ),
            ("two columns", ALONE),
            ("two columns", {"known": 1, "sample": 1}),
            ("integers", {"known": 0, "sample": 20}),
        ),
    ],
)
def test_every_cell_is_a_figure_or_a_reason(kind, held):
    records = table(kind)
    asked = ComparisonAsked.checked(None, None, 0.1, **{"known": 4, "sample": 20, "trials": 1, **held}, quick=True)
    rules = Rules(asked, range_share(np.asarray(records, dtype=np.float64)), 0)
    wanted = [(0, one) for one in asked.schemes]
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        found = [contest(deal, rules) for deal in deals(ComparisonTable(records), asked, 0, wanted)]
    assert asked.extent == QUICK
    for scheme, outcome in zip(asked.schemes, found, strict=True):
        for attack in asked.attacks:
            own = cell_figures(scheme, attack, ROWS, [outcome])
            assert (own.reason is None) == (own.breached is not None)
            if own.reason is None:
                assert np.isfinite(own.breached.value)
            else:
                assert own.reason
                assert "failed" not in own.reason, (scheme.label, attack, own.reason)
        if "distances" in scheme.scheme.keeps and outcome.utility is not None:
            used = outcome.utility
            assert (used.distances, used.neighbours, used.k_means, used.single_link) == (1, 1, 1, 1)
