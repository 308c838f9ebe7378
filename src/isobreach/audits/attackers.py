# SPDX-License-Identifier: BSD-3-Clause
"""Attackers beyond insiders: each takes the release, as it would be published, and gives estimates of its records.

They are a list of names, those of ``isobreach.attacks.reconstruct``: one that is added there can be named here. An
attack that stands by its estimates is judged on all of them; one that makes no claim breaches nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isobreach.audits.intervals import Sampled
from isobreach.geometry import row_norms

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
# (name, released rows, seed) -> (claimed, reason, estimates); estimates hold NaN where nothing is known
Reconstruct = Callable[[str, FloatArray, int], tuple[bool, str, FloatArray]]


@dataclass(frozen=True)
class AttackerFigures:
    """What an attacker without insiders achieved against this release: ``breached`` records of all."""

    name: str
    claimed: bool
    reason: str
    breached: int
    share: float
    baseline: Sampled
    column_means: float


def attackers(
    names: Sequence[str],
    reconstruct: Reconstruct,
    records: FloatArray,
    released: FloatArray,
    order: IntArray,
    epsilon: float,
    seed: int,
    baseline: tuple[Sampled, float],
) -> tuple[AttackerFigures, ...]:
    """Figures of every attacker. ``baseline``: shares breached by a random link and by the column means."""
    found = []
    norms = row_norms(records)
    for name in names:
        claimed, reason, estimates = reconstruct(name, released, seed)
        breached = 0
        if claimed:
            errors = row_norms(np.asarray(estimates, dtype=np.float64)[order][:, : records.shape[1]] - records)
            breached = int(np.count_nonzero(errors <= epsilon * norms))  # NaN is no breach
        found.append(AttackerFigures(name, claimed, reason, breached, breached / len(records), *baseline))
    return tuple(found)
