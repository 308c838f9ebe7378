# SPDX-License-Identifier: BSD-3-Clause
"""Groups of attributes whose images the release shows as a whole, and links that say which attributes these are.

A motion keeps inner products within a group: the image belongs to the attributes in which the links have the same ones.
Other attributes do not, so that links name the images.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb

import numpy as np

from isobreach._arrays import FloatArray
from isobreach.attacks.alignment.descent import Evaluations
from isobreach.attacks.alignment.placing import DEAR
from isobreach.attacks.alignment.situation import Situation


@dataclass(frozen=True)
class NamingTuning:
    """When links name an image."""

    same: float = 1e-6  # relative difference of inner products
    groups: int = 5_000  # groups of attributes that are tried for an image


TUNING = NamingTuning()


def groups_of(known: FloatArray, seen: FloatArray, left: Sequence[int], effort: Evaluations) -> list[tuple[int, ...]]:
    """Return the groups of attributes that have the inner products of the links within an image; there may be none.

    Parameters
    ----------
    known, seen
        Linked records, and coordinates of their rows in a basis of the image.
    left
        Attributes that may belong to it.
    effort
        Counts evaluations.
    """
    count, wanted = seen.shape[1], seen @ seen.T
    if comb(len(left), count) > TUNING.groups:
        return []
    effort.spend(1 + comb(len(left), count) * known.size * len(known) // int(DEAR))
    scale = TUNING.same * (1 + np.abs(known @ known.T).max())
    tried = combinations(left, count)
    return [one for one in tried if np.abs(known[:, one] @ known[:, one].T - wanted).max() <= scale]


def linked_groups(situation: Situation, bases: Sequence[FloatArray], effort: Evaluations) -> Situation | None:
    """Each link is several: its part within each image, and what is left. None where links name no image.

    Parameters
    ----------
    situation
        Links and motion.
    bases
        Of the images, n x d each.
    effort
        Counts evaluations.
    """
    begin = (situation.known[:1], situation.released[:1]) if situation.translates else (0.0, 0.0)
    known, released = situation.known - begin[0], situation.released - begin[1]
    left = list(range(known.shape[1]))
    if not known.any():
        return None
    parts: list[tuple[FloatArray, FloatArray]] = []
    for basis in bases:
        groups = groups_of(known, released @ basis, left, effort)
        if len(groups) == 1:  # of several, links do not tell which it is
            (group,) = groups
            left = [one for one in left if one not in group]
            own = np.zeros_like(known)
            own[:, group] = known[:, group]
            parts.append((own, released @ basis @ basis.T))
    if not parts:
        return None
    parts.append((known - sum(own for own, _ in parts), released - sum(own for _, own in parts)))
    return replace(
        situation,
        known=np.vstack([begin[0] + own for own, _ in parts]),
        released=np.vstack([begin[1] + own for _, own in parts]),
    )
