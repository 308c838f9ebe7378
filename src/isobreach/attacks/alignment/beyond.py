# SPDX-License-Identifier: BSD-3-Clause
"""Records of which some attributes are read already: their axes are links, and only the others are sought."""

from dataclasses import replace

import numpy as np

from isobreach._arrays import FloatArray, IntArray
from isobreach._progress import Progress
from isobreach.attacks.alignment.choosing import sought
from isobreach.attacks.alignment.estimates import estimates
from isobreach.attacks.alignment.situation import situation_of
from isobreach.attacks.alignment.studied import Studied
from isobreach.attacks.knowledge import Knowledge
from isobreach.engine import Engine

EVALUATIONS = 1_000  # of each search: what is left is small


def aligned_beyond(
    release: Engine,
    knowledge: Knowledge,
    attributes: IntArray,
    axes: FloatArray,
    studied: Studied,
    *,
    epsilon: float,
    progress: Progress,
) -> dict[str, FloatArray]:
    """Estimates of all attributes by each objective, under which some attributes have the given axes.

    There are none where the release is wider than the records, noisy, or too small for a model, or where no record is
    linked behind a translation: axes are arrows, and begin at points that the motion takes to each other.

    Parameters
    ----------
    release, knowledge
        As for the attack.
    attributes, axes
        Which attributes were read, and their directions in released coordinates, one a row.
    studied
        What the release alone gives.
    epsilon
        Relative error that counts as a breach.
    progress
        Called as ``progress(label, done, total)``.
    """
    columns = knowledge.columns(release.shape[1])
    if len(studied.rows) <= columns or not studied.varied or knowledge.noise:
        return {}
    found = situation_of(release, studied.rows, knowledge, motion="auto", set_aside=0, progress=progress)
    if not found.plain or (found.translates and not len(found.known)):
        return {}
    begin = (found.known.mean(axis=0), found.released.mean(axis=0)) if found.translates else (0.0, 0.0)
    size = float(np.sqrt((studied.rows**2).sum() / len(studied.rows)))
    extended = replace(
        found,
        known=np.vstack([found.known, begin[0] + size * np.eye(columns)[attributes]]),
        released=np.vstack([found.released, begin[1] + size * axes]),
    )
    solutions, _ = sought(extended, studied, "auto", epsilon=epsilon, most=EVALUATIONS)
    return {one.objective: estimates(release, extended, one, None, progress) for one in solutions}
