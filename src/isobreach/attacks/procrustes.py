# SPDX-License-Identifier: BSD-3-Clause
r"""Fit a motion to linked records: like regression, but only rotations and translations come into question.

For y = s R x + t + e the pairs (x_i, y_i) are centred (where there is a translation) and

    R = argmin over orthogonal R of sum_i |y_i - s R x_i|^2 = U V',   U S V' the singular value decomposition of Y'X

(Schoenemann 1966); then x = R'(y - mean_y) / s + mean_x. An orthogonal matrix has half as many unknowns as a general
one, so that few pairs under noise go further than regression. Directions that the pairs do not reach are left at the
mean of the pairs, or at zero without a translation. Kind of motion, scale and noise follow from the pairs: see
``linking.given``. Rotations of pairs of columns need one pair: ``column_pairs``.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from isobreach._progress import Progress
from isobreach._settings import setting
from isobreach._validation import check_choice, check_epsilon
from isobreach.attacks.base import Reconstruction
from isobreach.attacks.column_pairs import by_column_pairs
from isobreach.attacks.knowledge import Knowledge
from isobreach.attacks.pairs import Affine, Pairs, PairsAttack, reconstruction
from isobreach.attacks.refine import Evidence
from isobreach.engine import Engine
from isobreach.geometry import fit_motions, procrustes_residual
from isobreach.linking import CHOICES, Linkage, given_links
from isobreach.release import ReleaseModel


@dataclass(frozen=True)
class ProcrustesSettings:
    """Settings of the Procrustes attack."""

    epsilon: float = setting(0.1, "Relative error that counts as a breach.")
    motion: str = setting("auto", "What the release keeps: see the known-input attack.", choices=CHOICES)


class Procrustes(PairsAttack):
    """Fit a motion to linked records and their released rows, and estimate everyone else's record."""

    name = "procrustes"
    title = "Procrustes attack"
    uses = frozenset({"sample", "bounds", "noise"})
    settings = ProcrustesSettings

    def suits(self, model: ReleaseModel) -> str | None:
        """Return why no motion takes records to rows, or None."""
        return model.unmoved

    def run(
        self, release: Engine, knowledge: Knowledge, *, seed: int | None, progress: Progress, **settings: Any
    ) -> Reconstruction:
        """Fit the pairs and estimate every row."""
        chosen: Any = ProcrustesSettings(**settings)
        epsilon = check_epsilon(chosen.epsilon)
        check_choice("motion", chosen.motion, CHOICES)
        pairs = Pairs.given(release, knowledge)
        known, rows = np.asarray(knowledge.known), np.asarray(knowledge.rows)
        links = given_links(known, release, rows, motion=chosen.motion, noise=knowledge.noise)
        evidence = Evidence.held(knowledge, pairs.records.shape[1], epsilon=epsilon, noise=links.noise / links.scale)
        turned = by_column_pairs(release, pairs, evidence, links.precision)
        if turned is not None:
            return turned
        confirmed = _confirmed(pairs, links)
        what = f"{'an' if links.motion == 'orthogonal' else 'a'} {links.motion} motion"
        fits = {"": partial(fitted, translates=links.motion != "orthogonal", scale=links.scale)}
        return reconstruction(release, pairs, fits, evidence, confirmed, what)


ATTACK = Procrustes()


def fitted(pairs: Pairs, *, translates: bool, scale: float) -> Affine:
    """Return the map back of the best motion of the pairs."""
    motions = fit_motions(scale * pairs.records, pairs.rows, translates=translates, whiten=False)
    matrix = motions.released @ motions.known.T / scale
    return Affine(matrix, motions.known_centre / scale - motions.released_centre @ matrix)


def _confirmed(pairs: Pairs, links: Linkage) -> str:
    """What proves the motion: nothing hidden, no noise, and more numbers than unknowns."""
    moved = links.motion != "orthogonal"
    motions = fit_motions(links.scale * pairs.records, pairs.rows, translates=moved, whiten=False)
    freedom = procrustes_residual(links.scale * pairs.records, pairs.rows, moved)[1]
    if links.noise or motions.hidden_dimension or freedom < 1:
        return ""
    return "it leaves nothing hidden, and the pairs keep all their lengths"
