# SPDX-License-Identifier: BSD-3-Clause
"""Releases that hold none of the known records, or that keep no distances: nothing is linked.

A link is certain *if the known records are in the release*: where a table is so coarse, or the known records so few,
that chance places all of them together, they are linked, as documented. The sizes here are beyond that: whole numbers
0 to 15 in eight columns or more, as Letter has, and five known records or more; the same number of records where values
are rounded, or where a scale is to be found as well.
"""

import numpy as np
import pytest

from effort import slow
from isobreach.linking import CHOICES, link
from oracles import aspe, rotation, row_mixed

KINDS = ("continuous", "whole numbers", "rounded", "float32")
RELEASES = ("other records", "rows mixed", "scalar products kept")
QUICK, ALL = 4, 60  # of each of 48 cases: 192 trials, 2,880 with the slow ones: 1 false link in 1,000 would show


def _trial(motion, kind, release, seed):
    """Known records and a release without them."""
    rng = np.random.default_rng([seed, CHOICES.index(motion), KINDS.index(kind), RELEASES.index(release)])
    coarse, rows_mixed = kind in ("whole numbers", "rounded"), release == "rows mixed"
    few = 5 if coarse or motion in ("similarity", "auto") else 2
    m, n = int(rng.integers(20, 100 if rows_mixed else 500)), int(rng.integers(8 if kind == "whole numbers" else 2, 17))
    a = int(rng.integers(few, 11))

    def draw(rows):
        return rng.integers(0, 16, (rows, n)).astype(float) if kind == "whole numbers" else rng.normal(1, 5, (rows, n))

    table, known = draw(m), draw(a)
    if release == "other records":
        wide = n + int(rng.integers(3))
        far = 0.0 if motion == "orthogonal" else 10 * rng.standard_normal(wide)
        released = table @ rotation(wide, rng)[:, :n].T + far
    else:
        released = (row_mixed if rows_mixed else aspe)(table, rng)
        if seed % 2:  # the records are there, but the release keeps no distance between them
            known = table[:a]
    if kind == "rounded":
        released = released.round(int(rng.integers(3, 7)))
    return known, released.astype(np.float32) if kind == "float32" else released


def _check(motion, kind, release, seeds):
    for seed in seeds:
        linkage = link(*_trial(motion, kind, release, seed), motion=motion)
        assert (linkage.rows == -1).all(), seed


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("motion", CHOICES)
def test_nothing_is_linked(motion, kind, release):
    _check(motion, kind, release, range(QUICK))


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("motion", CHOICES)
def test_nothing_is_linked_in_thousands_of_trials(motion, kind, release):
    _check(motion, kind, release, range(QUICK, ALL))


def _check_noise(motion, seeds):
    for seed in seeds:
        rng = np.random.default_rng([seed, CHOICES.index(motion)])
        m, n, a = int(rng.integers(20, 200)), int(rng.integers(6, 17)), int(rng.integers(2, 11))
        table, known = rng.standard_normal((m, n)), rng.standard_normal((a, n))
        sigma = float(rng.choice([0.01, 0.03, 0.1]))
        released = table @ rotation(n, rng).T + sigma * rng.standard_normal((m, n))
        if seed % 3 == 0:
            known, released = table[:a], row_mixed(table, rng)
        assert (link(known, released, motion=motion, noise=sigma).rows == -1).all(), seed


@pytest.mark.parametrize("motion", ["orthogonal", "rigid", *slow("auto")])
def test_nothing_is_linked_where_there_is_noise(motion):
    _check_noise(motion, range(3))


@pytest.mark.slow
@pytest.mark.parametrize("motion", ["orthogonal", "rigid", "auto"])
def test_nothing_is_linked_in_hundreds_of_noisy_trials(motion):
    _check_noise(motion, range(3, 110))
