# SPDX-License-Identifier: BSD-3-Clause
"""Tables that fall to a public sample, and one that does not: the telling part of ``benchmarks/alignment.py``."""

import numpy as np
import pytest

import isobreach as ib
from isobreach.attacks.alignment.starts import principal_axes
from oracles import rotation

pytestmark = pytest.mark.slow

EPSILON = 0.15
SEEDS, FEW = range(8), range(4)  # test_alignment.py has eight seeds of every claim, on smaller tables


def letter():
    """With a full step of jitter: no grid is left."""
    values = ib.datasets.load("letter").values.astype(float)
    return values + np.random.default_rng(0).uniform(0, 1, values.shape)


class Split:
    """A sample that is not released, and 3,000 records behind a rotation."""

    def __init__(self, table, seed, size, *, noise=0.0, standardised=False):
        rng = np.random.default_rng(seed)
        order = rng.permutation(len(table))
        self.sample, self.records = table[order[:size]], table[order[size : size + 3000]]
        if standardised:  # by the released rows alone: a pooled mean would anti-correlate sample and release
            mean, spread = self.records.mean(axis=0), self.records.std(axis=0)
            self.sample, self.records = (self.sample - mean) / spread, (self.records - mean) / spread
        self.released = self.records @ rotation(table.shape[1], rng).T
        self.released = self.released + noise * rng.standard_normal(self.released.shape)
        self.rng = rng

    def attacked(self, insiders, sample=None, noise=None):
        held = {"known": self.records[:insiders], "rows": np.arange(insiders)} if insiders else {}
        knowledge = ib.Knowledge(sample=self.sample if sample is None else sample, noise=noise, **held)
        return ib.reconstruct("alignment", self.released, knowledge, seed=0, epsilon=EPSILON)

    def share(self, estimates):
        errors = np.linalg.norm(estimates - self.records, axis=1)
        return float((errors <= EPSILON * np.linalg.norm(self.records, axis=1)).mean())


@pytest.mark.parametrize(
    ("table", "size", "insiders", "least"),
    [("letter", 200, 0, 0.95), (16, 1000, 2, 0.85), (30, 1000, 4, 0.65)],
)
def test_a_public_sample_reveals_a_table(table, size, insiders, least):
    values = letter() if table == "letter" else ib.datasets.gaussian(5000, table, 0)
    shares, plain = [], []
    for seed in SEEDS if table == "letter" else FEW:
        split = Split(values, seed, size)
        found = split.attacked(insiders)
        shares.append(split.share(found.estimates))
        plain.append(split.share(split.released @ principal_axes(split.sample, split.released)))
        assert found.certificate < 3
    assert np.mean(shares) >= least
    assert np.mean(plain) < 0.05  # the published known-sample attack


def test_noise_does_not_hide_it():
    shares = []
    for seed in FEW:
        split = Split(letter(), seed, 1000, noise=0.1, standardised=True)
        shares.append(split.share(split.attacked(2, noise=0.1).estimates))
    assert np.mean(shares) >= 0.65


def test_a_sample_of_another_population_reveals_nothing_and_says_so():
    for seed in FEW:
        split = Split(letter(), seed, 200)
        found = split.attacked(2, np.stack([split.rng.permutation(column) for column in split.sample.T], axis=1))
        assert split.share(found.estimates) < 0.05
        assert found.certificate > 3
        assert "not found" in found.reason
