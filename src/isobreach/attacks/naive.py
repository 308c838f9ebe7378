# SPDX-License-Identifier: BSD-3-Clause
r"""Take the released columns for the attributes: a baseline that undoes nothing.

Two readings. *As it is*: released column j is attribute j. *Columns rescaled* (Chen, Sun and Liu 2007 call it naive
estimation): the same, but each column is moved and stretched to the mean and the standard deviation that the attacker's
records have in that attribute, x_j = mean_j + sd_j (y_j - mean(y_j)) / sd(y_j). Attributes without a released column
are not estimated.
"""

from typing import Any

import numpy as np

from isobreach._progress import Progress
from isobreach.attacks.base import Reconstruction
from isobreach.attacks.baseline import Baseline
from isobreach.attacks.knowledge import Knowledge
from isobreach.attacks.moments import moments
from isobreach.attacks.pairs import Affine, estimated
from isobreach.attacks.refine import Evidence
from isobreach.engine import Engine
from isobreach.release import ReleaseModel


class Naive(Baseline):
    """The released columns as they are, or rescaled to what the attacker knows of the attributes."""

    name = "naive"
    title = "naive reading"
    uses = frozenset({"known", "sample"})

    def suits(self, model: ReleaseModel) -> str | None:
        """Return why there are no released columns to read, or None."""
        return "the release is a matrix of distances and has no attributes" if model.distances else None

    def run(
        self, release: Engine, knowledge: Knowledge, *, seed: int | None, progress: Progress, **settings: Any
    ) -> Reconstruction:
        """Return the released columns."""
        columns, released = knowledge.columns(release.shape[1]), release.shape[1]
        there = np.arange(columns) < released
        matrix, shift = np.eye(released, columns), np.where(there, 0.0, np.nan)
        reason = "released columns are taken for the attributes; nothing says that they are."
        estimates = estimated(release, Affine(matrix, shift), progress)
        records = Evidence.held(knowledge, columns).population
        if records is None or len(records) < 2:
            return Reconstruction(False, reason, estimates)
        mean, covariance = moments(release, progress)
        spread = np.ones(columns)
        own, theirs = records.std(axis=0, ddof=1)[:released], np.sqrt(np.diag(covariance))[:columns]
        spread[:released] = np.divide(own, theirs, out=np.zeros_like(own), where=theirs > 0)
        middle = records.mean(axis=0) + shift
        middle[:released] -= mean[:columns] * spread[:released]
        rescaled = estimated(release, Affine(matrix * spread, middle), progress)
        return Reconstruction(False, reason, estimates, variants={"columns rescaled": rescaled})


ATTACK = Naive()
