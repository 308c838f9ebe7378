# SPDX-License-Identifier: BSD-3-Clause
"""From links to measured rows: the motion is fitted to the linked pairs, and a pass over the release follows."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._progress import Progress
from isobreach.attacks.known_input.exposure import Exposure, UnplacedExposure, measure_orthogonal, measure_rigid
from isobreach.attacks.known_input.noisy_rows import DETERMINED, measure_noisy
from isobreach.engine import ArrayColumn, ColumnHandle, Engine
from isobreach.geometry import ConsistentMotions, fit_motions
from isobreach.linking import Linkage, linked_pairs


def translates(linkage: Linkage) -> bool:
    """Whether the motion has a translation."""
    return linkage.motion != "orthogonal"


def measure(
    known: NDArray[Any], source: Engine, linkage: Linkage, progress: Progress
) -> tuple[ConsistentMotions, Exposure, ColumnHandle]:
    """The motions that the links leave, what they tell of released rows, and what is measured of every row."""
    moved, sigma = translates(linkage), linkage.noise
    unknown = bool(np.isnan(sigma))  # noise that could not be estimated: nothing is linked, nothing can be claimed
    sigma = 0.0 if unknown else sigma
    if sigma:  # equal rows carry the same noise: one pair, not several
        firsts = linkage.linked[np.unique(linkage.rows[linkage.linked], return_index=True)[1]]
        single = np.full_like(linkage.rows, -1)
        single[firsts] = linkage.rows[firsts]
        linkage = replace(linkage, rows=single)
    records, rows = linked_pairs(known, linkage, source)
    records, radius = records * linkage.scale, linkage.radius[linkage.linked]
    if sigma:
        unseen = DETERMINED * sigma * float(np.sqrt(source.shape[1]))
        motions = fit_motions(records, rows, noise=unseen, translates=moved, whiten=False)
    else:
        motions = fit_motions(records, rows, noise=2 * float(np.linalg.norm(radius)), translates=moved)
    if unknown or (moved and not len(rows)):
        return motions, UnplacedExposure(), ArrayColumn(np.empty((source.shape[0], 0)))
    if sigma:
        own = 1 + 1 / len(rows) if moved else 1.0
        return motions, *measure_noisy(source, motions, sigma, own, progress)
    if moved:
        return motions, *measure_rigid(source, motions, linkage.precision, radius, progress)
    return motions, *measure_orthogonal(source, motions, linkage.precision, radius, progress)
