# SPDX-License-Identifier: BSD-3-Clause
"""Vectors released in 16 bits: rounding is taken as noise where its worst case leaves all records open."""

import numpy as np
import pytest

import isobreach as ib
from effort import slow


def store(seed, rows, columns):
    """Unit vectors whose spectrum decays, as those of sentences do."""
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((rows, columns)) * np.arange(1, columns + 1) ** -0.6
    vectors = vectors @ np.linalg.qr(rng.standard_normal((columns, columns)))[0]
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("seed", [0, *slow(*range(1, 8))])
def test_a_few_known_vectors_are_found_in_16_bits(seed):
    vectors = store(seed, 600, 128)
    release = ib.perturb(vectors, "orthogonal", seed=seed)
    linkage = ib.link(vectors[:4], release.data.astype(np.float16))
    np.testing.assert_array_equal(linkage.rows, release.key.order[:4])
    assert linkage.chance.max() < 1e-3


@pytest.mark.parametrize("seed", [0, *slow(*range(1, 8))])
@pytest.mark.filterwarnings("ignore::isobreach.errors.NothingLinkedWarning")
def test_strangers_are_not_found_in_16_bits(seed):
    vectors = store(seed, 604, 128)
    release = ib.perturb(vectors[4:], "orthogonal", seed=seed)
    linkage = ib.link(vectors[:4], release.data.astype(np.float16))
    assert not len(linkage.linked)


def test_rounding_taken_as_noise_is_said():
    """Where the worst case decides, links stay exact; where it does not, the result says how they were found."""
    vectors = store(0, 600, 128)
    release = ib.perturb(vectors, "orthogonal", seed=0).data.astype(np.float16)
    few, many = ib.link(vectors[:4], release), ib.link(vectors[:12], release, motion="orthogonal")
    assert (few.noise > 0, few.reason) == (
        True,
        "they are found within rounding taken as noise, whose worst case would say too little",
    )
    assert (bool(many.noise), len(many.linked)) == (False, 12)
