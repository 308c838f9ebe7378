# SPDX-License-Identifier: BSD-3-Clause
"""What an owner does: schemes by name."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from isobreach._random import RandomSource, random_source
from isobreach._validation import check_choice, check_seed, check_table
from isobreach.schemes.key import Key, Release
from isobreach.schemes.motions import MotionScheme

__all__ = ["SCHEMES", "Key", "MotionScheme", "Release", "Scheme", "perturb"]


class Scheme(Protocol):
    """A way of protecting a table."""

    @property
    def name(self) -> str:
        """Name in the registry."""

    def draw(self, records: NDArray[Any], source: RandomSource) -> Key:
        """Return a new key for the records."""


SCHEMES: dict[str, Scheme] = {
    scheme.name: scheme
    for scheme in (MotionScheme("orthogonal", translates=False), MotionScheme("rigid", translates=True))
}


def perturb(records: NDArray[Any], scheme: str | Scheme = "rigid", seed: int | None = None) -> Release:
    """Release of the records under a scheme, shuffled, with its key.

    Without a seed the key comes from the operating system's secure source. A seed makes the key reproducible, and
    guessable: for experiments only.
    """
    check_table("X", records)
    if isinstance(scheme, str):
        scheme = SCHEMES[check_choice("scheme", scheme, SCHEMES)]
    key = scheme.draw(records, random_source(check_seed(seed), "key"))
    return Release(np.asarray(key.apply(records)), key)
