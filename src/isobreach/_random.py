# SPDX-License-Identifier: BSD-3-Clause
"""Randomness is an argument: a seed becomes a generator, one for each purpose.

With a seed everything is reproducible. Without one, draws come from the operating system's secure source
itself, number by number: a pseudo-random stream, however well seeded, is no place for a key.
"""

import os
from typing import Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

Seed = int | None


class RandomSource(Protocol):
    """The draws that isobreach needs; ``numpy.random.Generator`` has them too."""

    def standard_normal(self, size: tuple[int, ...]) -> NDArray[np.float64]:
        """Independent draws from N(0, 1)."""

    def random(self, size: tuple[int, ...]) -> NDArray[np.float64]:
        """Independent draws from the uniform law on [0, 1)."""

    def permutation(self, x: int) -> NDArray[np.int64]:
        """Return a uniformly random order of 0, ..., x - 1."""


class SystemSource:
    """Draws from ``os.urandom``."""

    def _uint64(self, count: int) -> NDArray[np.uint64]:
        return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)

    def standard_normal(self, size: tuple[int, ...]) -> NDArray[np.float64]:
        """Inverse normal distribution function of 52 secure bits, centred in their cell: never 0 or 1."""
        return np.asarray(ndtri(self.random(size)))

    def random(self, size: tuple[int, ...]) -> NDArray[np.float64]:
        """Return 52 secure bits each, centred in their cell: never 0 or 1."""
        bits = self._uint64(int(np.prod(size))) >> np.uint64(12)
        return np.asarray((bits.astype(np.float64) + 0.5) * 2.0**-52).reshape(size)

    def permutation(self, x: int) -> NDArray[np.int64]:
        """Order of x secure 64-bit numbers; draws again in the rare event of a tie, which would bias it."""
        while True:
            keys = self._uint64(x)
            order = np.argsort(keys)
            if x < 2 or np.diff(keys[order]).all():
                return np.asarray(order, dtype=np.int64)


# An owner and an attacker given the same seed must not draw the same numbers: each purpose has a stream of its own.
Purpose = Literal[
    "key",
    "estimate",
    "coalition",
    "data",
    "greedy",
    "insider",
    "baseline",
    "remedy",
    "lattice",
    "kaplan",
    "trial",
    "noise",
    "alignment",
    "split",
    "components",
    "random-link",
    "releases",
    "compare",
    "part",
]
_STREAMS: tuple[Purpose, ...] = get_args(Purpose)


def random_source(seed: Seed, purpose: Purpose) -> RandomSource:
    """Return a reproducible generator for a seed, the operating system's secure source for ``None``."""
    return SystemSource() if seed is None else generator(seed, purpose)


def generator(seed: int, purpose: Purpose, *place: int) -> np.random.Generator:
    """Return the generator of a purpose, or of a ``place`` within it: independent of the others with the same seed."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_STREAMS.index(purpose), *place)))
