# SPDX-License-Identifier: BSD-3-Clause
"""Randomness: seeds reproduce, the system's source draws what it says."""

import numpy as np
import pytest
from scipy.stats import chisquare, kstest

from isobreach._random import SystemSource, generator, random_source


@pytest.fixture
def system(monkeypatch):
    """The system's source, with seeded bytes underneath."""
    rng = np.random.default_rng(11)
    monkeypatch.setattr("os.urandom", rng.bytes)
    return SystemSource()


def _words(monkeypatch, *draws):
    """Make the system's source return these 64-bit words, draw by draw."""
    left = [np.array(words, dtype=np.uint64).tobytes() for words in draws]
    monkeypatch.setattr("os.urandom", lambda size: left.pop(0)[:size])
    return SystemSource()


def test_system_draws_are_normal_and_independent(system):
    drawn = system.standard_normal((200, 100))
    assert drawn.shape == (200, 100)
    assert kstest(drawn.ravel(), "norm").pvalue > 1e-3
    assert abs(np.corrcoef(drawn[:, :-1].ravel(), drawn[:, 1:].ravel())[0, 1]) < 4 / np.sqrt(drawn.size)


def test_the_extreme_bits_are_finite_and_symmetric(monkeypatch):
    low, high = _words(monkeypatch, [0, 2**64 - 1]).standard_normal((2,))
    assert -9 < low < -8
    assert high == pytest.approx(-low, rel=1e-12)


@pytest.mark.parametrize("size", [0, 1, 2, 100])
def test_system_orders_are_permutations(system, size):
    order = system.permutation(size)
    assert order.dtype == np.int64
    assert sorted(order.tolist()) == list(range(size))


def test_all_system_orders_are_equally_likely(system):
    orders = [tuple(system.permutation(3).tolist()) for _ in range(3000)]
    _, counts = np.unique(orders, axis=0, return_counts=True)
    assert len(counts) == 6
    assert chisquare(counts).pvalue > 1e-3


def test_a_tie_is_drawn_again(monkeypatch):
    source = _words(monkeypatch, [7, 7, 1], [3, 2, 1])
    assert source.permutation(3).tolist() == [2, 1, 0]


def test_a_seed_reproduces_and_none_is_the_system():
    assert isinstance(random_source(None, "key"), SystemSource)
    draws = [random_source(3, "key").standard_normal((4,)) for _ in range(2)]
    np.testing.assert_array_equal(*draws)


def test_each_purpose_has_a_stream_of_its_own():
    """An attacker with the owner's seed must not draw the owner's key."""
    draws = [generator(5, purpose).standard_normal() for purpose in ("key", "estimate", "coalition", "data")]
    assert len(set(draws)) == 4
