# SPDX-License-Identifier: BSD-3-Clause
"""Tables of which some columns are on a grid: the axes that were read are links, and the others are aligned.

A table of ages, visits and measurements gives the axes of ages and visits away. Then four insiders who know seven
attributes each have only four dimensions left to find, and determine all of them. Nothing here is claimed.
"""

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach._progress import Progress
from isobreach.attacks.alignment import Studied, aligned_beyond
from isobreach.attacks.knowledge import Knowledge
from isobreach.attacks.lattice.guessing import likeliest_names
from isobreach.attacks.lattice.named import Naming
from isobreach.attacks.lattice.reading import Study
from isobreach.engine import Engine

THE_REST = "the rest by {}"
_WHOLE = 1e-6  # by how much axes may lean: parts of axes, of attributes that depend on each other, are no links
_EPSILON = 0.1  # for which columns on no grid are fitted: the default of the alignment attack


def aligned(
    source: Engine, knowledge: Knowledge, naming: Naming, studied: Study, seed: int | None, progress: Progress
) -> dict[str, FloatArray]:
    """Estimates by objective: attributes that were read as they were read, under their likeliest names, the rest by it.

    Parameters
    ----------
    source
        The released rows.
    knowledge, naming
        What the attacker has; what is certain of names.
    studied
        Of the release.
    seed
        Of draws.
    progress
        Called as ``progress(label, done, total)``.
    """
    reading = studied.reading
    known, sample = knowledge.known, knowledge.sample
    if reading is None or reading.blurred or not np.isnan(reading.values).any() or (known is None and sample is None):
        return {}
    if known is not None and np.isnan(np.asarray(known, dtype=np.float64)).any():
        return {}
    directions = reading.frame.directions
    names = likeliest_names(reading, naming, knowledge)
    if names is None or np.abs(directions @ directions.T - np.eye(len(directions))).max() > _WHOLE:
        return {}
    attributes, signs, read = names
    rest = aligned_beyond(
        source,
        knowledge,
        attributes,
        directions * signs[:, None],
        Studied.of(source, seed),
        epsilon=_EPSILON,
        progress=progress,
    )
    return {THE_REST.format(name): _with(estimates, attributes, read) for name, estimates in rest.items()}


def _with(estimates: FloatArray, attributes: NDArray[np.int64], read: FloatArray) -> FloatArray:
    told = estimates.copy()
    told[:, attributes] = read[:, attributes]
    return told
