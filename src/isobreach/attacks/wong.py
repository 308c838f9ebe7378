# SPDX-License-Identifier: BSD-3-Clause
r"""Link known records by distances and undo the motion if they determine all of it: a baseline.

Wong, Cheung, Kao and Mamoulis (2009) link known records to rows by the distances that a motion keeps, and undo it once
more linearly independent records are linked than there are dimensions. Of fewer they say nothing. Their linking is
described in a few words only; here it is the paper's (unique assignments). The known-input attack goes on where this
one stops.
"""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from isobreach._progress import Progress
from isobreach._settings import setting
from isobreach._validation import check_choice
from isobreach.attacks.base import Attack, Reconstruction
from isobreach.attacks.knowledge import Knowledge
from isobreach.attacks.pairs import Pairs, estimated
from isobreach.attacks.regression import least_squares
from isobreach.engine import Engine
from isobreach.geometry import row_basis
from isobreach.linking import CHOICES, Choice, link, linked_pairs
from isobreach.release import ReleaseModel


@dataclass(frozen=True)
class WongSettings:
    """Settings of Wong's attack."""

    motion: str = setting("auto", "What the release keeps: see the known-input attack.", choices=CHOICES)


class Wong(Attack):
    """Link known records by distances, and undo the motion if they determine all of it."""

    name = "wong"
    title = "Wong's attack"
    needs = frozenset({"known"})
    settings = WongSettings

    def suits(self, model: ReleaseModel) -> str | None:
        """Return why known records cannot be linked, or None."""
        return model.unmoved or ("it compares exact distances, and noise changes them" if model.noise else None)

    def run(
        self, release: Engine, knowledge: Knowledge, *, seed: int | None, progress: Progress, **settings: Any
    ) -> Reconstruction:
        """Link, count dimensions, and solve."""
        motion = cast(Choice, check_choice("motion", WongSettings(**settings).motion, CHOICES))
        known = np.asarray(knowledge.known)
        linkage = link(known, release, motion=motion, rule="uniquely-valid", progress=progress)
        records, rows = linked_pairs(known, linkage, release)
        moved = linkage.motion != "orthogonal"
        reach = row_basis(records - moved * records.mean(axis=0)).shape[1] if len(records) else 0
        said = f"{len(records)} of {len(known)} known records linked"
        if reach < known.shape[1]:
            reason = f"{said}; they determine {reach} of {known.shape[1]} dimensions, and this attack needs all."
            return Reconstruction(False, reason, np.full((release.shape[0], known.shape[1]), np.nan))
        affine = least_squares(Pairs(records, rows, linkage.rows[linkage.linked]), intercept=moved)
        estimates = estimated(release, affine, progress)
        return Reconstruction(True, f"{said}; they determine all {reach} dimensions.", estimates)


ATTACK = Wong()
