# SPDX-License-Identifier: BSD-3-Clause
"""What a join without norms may keep is a matter of the machine's memory, and is said where it is not enough."""

from dataclasses import replace

import numpy as np
import pytest

import isobreach as ib
from isobreach.errors import NothingLinkedWarning
from isobreach.linking import link
from isobreach.linking.candidates import Cloud, narrowing

ROWS = np.random.default_rng(0).standard_normal((400, 3))


@pytest.mark.parametrize(("memory", "pairs"), [(1e9, 20_000_000), (16e9, 40_000_000), (64e9, 160_000_000)])
def test_more_pairs_may_be_kept_where_there_is_more_memory(monkeypatch, memory, pairs):
    monkeypatch.setattr(narrowing, "total_memory", lambda: memory)
    assert narrowing.NARROWING.most_pairs == pairs


def test_a_join_that_would_keep_too_many_is_not_begun_and_says_so(monkeypatch):
    """Rounded to few values, thousands of pairs fit the distances of the known records."""
    release = ib.perturb(np.round(ROWS), "rigid", seed=1)
    known = np.round(ROWS)[:4]
    monkeypatch.setattr(narrowing, "total_memory", lambda: 0.0)
    monkeypatch.setattr(narrowing, "NARROWING", replace(narrowing.NARROWING, least_pairs=10))
    monkeypatch.setattr(Cloud, "pairs", None)
    found = link(known, release.data, motion="rigid")
    assert not found.complete
    assert not len(found.linked)
    assert found.limit.startswith("about ")
    assert found.limit.endswith("pairs of rows fit the distances of the known records; 10 may be kept here")
    with pytest.warns(NothingLinkedWarning, match="the search reached its limit, because about .* may be kept here"):
        ib.link(known, release.data, motion="rigid")


def test_a_join_that_keeps_too_many_after_all_is_given_up_and_says_so(monkeypatch):
    release = ib.perturb(ROWS, "rigid", seed=1)
    monkeypatch.setattr(narrowing, "total_memory", lambda: 0.0)
    few = replace(narrowing.NARROWING, least_pairs=0, predicted=np.inf)
    monkeypatch.setattr(narrowing, "NARROWING", few)
    found = link(ROWS[:4], release.data, motion="rigid")
    assert not found.complete
    assert found.limit.startswith("more than ")
    assert not len(found.linked)
