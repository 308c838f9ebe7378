# SPDX-License-Identifier: BSD-3-Clause
"""A claim stands for everybody: a mirror image that known records cannot see does not pass for the motion."""

import numpy as np
import pytest

import isobreach as ib
from effort import slow


def rarely(seed):
    """A sample and people whose last attribute is next to nothing for most, and anything for a few."""
    rng = np.random.default_rng(seed)
    records = rng.exponential(1, (1500, 8)) + rng.normal(size=(1500, 1)) * 0.3 + 0.5
    few = rng.random(1500) < 0.06
    records[:, 7] = np.where(few, rng.normal(0, 2, 1500), 0.02 * rng.normal(size=1500))
    return records[:200], records[200:]


@pytest.mark.parametrize("seed", slow(*range(8)))
def test_what_is_claimed_is_no_mirror_image_that_known_records_cannot_see(seed):
    sample, people = rarely(seed)
    release = ib.perturb(people, "orthogonal", seed=seed)
    known = people[np.flatnonzero(np.abs(people[:, 7]) < 0.1)[:5]]
    knowledge = ib.Knowledge(sample=sample, known=known)
    found = ib.reconstruct("alignment", release.data, knowledge, seed=0, epsilon=0.15, set_aside=2)
    few = np.abs(people[:, 7]) > 0.5
    rest = np.asarray(found.estimates)[release.key.order][few, 7]
    assert not found.claimed or np.corrcoef(rest, people[few, 7])[0, 1] > 0.5
