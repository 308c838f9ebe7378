# SPDX-License-Identifier: BSD-3-Clause
"""Which rows an attack names first: among rows with the same probability, those with the closest estimates."""

import numpy as np
import pytest

from effort import slow
from isobreach.attacks import attack_linked
from isobreach.geometry import row_norms
from isobreach.release import Precision
from planted import DOUBLE, Release

ROUNDED = Precision(5e-5, 0.0, 2.0**-53, "4 decimals")
SPREAD = np.exp(-0.5 * np.arange(8))


def _attacked(kind, seed):
    """An attack with true links on 1,500 records that spread less and less, so that most rows tie at probability 1."""
    rng = np.random.default_rng(seed)
    records = SPREAD * (3 + rng.standard_normal((1500, 8)) * np.exp(0.4 * rng.standard_normal((1500, 1))))
    motion = "orthogonal" if kind == "orthogonal, rounded" else "rigid"
    store = (lambda rows: rows.round(4)) if "rounded" in kind else None
    noise = 0.003 if kind == "noisy" else 0.0
    release = Release(records, rng, motion, noise=noise, store=store)
    links = release.linkage(range(5), ROUNDED if "rounded" in kind else DOUBLE)
    result = attack_linked(records[:5], release.released, links, 0.25, seed=0)
    errors = np.empty(len(records))
    errors[release.order] = row_norms(result.estimates[release.order] - records) / row_norms(records)
    others = np.setdiff1d(np.arange(len(records)), result.linked_rows)
    return result, errors, others[result.breach_probability[others] == 1]


@pytest.mark.parametrize("kind", ["rigid", "rigid, rounded", "orthogonal, rounded", "noisy"])
@pytest.mark.parametrize("seed", [0, 1, *slow(*range(2, 8))])
def test_of_rows_that_are_as_probable_the_closest_estimates_come_first(kind, seed):
    result, errors, ties = _attacked(kind, seed)
    assert len(ties) > 100
    top = result.top(20)
    assert np.isin(top, ties).all()
    assert result.best == top[0]
    assert (np.diff(result.relative_residual[top]) >= 0).all()
    assert result.relative_residual[top[-1]] <= np.sort(result.relative_residual[ties])[19]
    # By the truth: the first is among the closest 5% of its ties, and the first 20 err by less than half the usual.
    assert (errors[ties] < errors[result.best]).mean() < 0.05
    assert np.median(errors[top]) < 0.5 * np.median(errors[ties])


@pytest.mark.parametrize("count", [1, 7, 400, 1490, 5000])
def test_top_is_the_head_of_all_rows_by_probability_then_residual(count):
    result, _, _ = _attacked("rigid, rounded", 0)
    others = np.setdiff1d(np.arange(1500), result.linked_rows)
    order = np.lexsort((others, result.relative_residual[others], -result.breach_probability[others]))
    assert result.top(count).tolist() == others[order][:count].tolist()
