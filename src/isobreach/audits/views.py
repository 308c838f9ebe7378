# SPDX-License-Identifier: BSD-3-Clause
"""What attackers see of a release: itself, and the motion that it gives away (``isobreach.release.unfolding``).

An attack plays on the first view that suits it. A matrix of distances and lifted records are no rows of a motion, but
whoever computes such rows from them may use every attack on motions. A factor that stays open is given, as those of
other schemes are: one known record, or the mean length of a public sample, tells it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from isobreach._arrays import FloatArray
from isobreach.attacks import Attack
from isobreach.geometry import row_norms
from isobreach.release import ReleaseModel, behind, unfolded
from isobreach.schemes import Release


@dataclass(frozen=True, eq=False)
class View:
    """A release, or what was computed from it, in the same order; and what it is."""

    release: Release
    model: ReleaseModel


def models(model: ReleaseModel) -> list[ReleaseModel]:
    """Return what a release of a model may be taken for.

    Parameters
    ----------
    model
        Of the release.
    """
    hidden = behind(model)
    return [model] if hidden is None else [model, hidden]


def views(release: Release, model: ReleaseModel, truth: FloatArray) -> list[View]:
    """Return everything that attackers may take a release for.

    Parameters
    ----------
    release
        As it was published.
    model
        Of the release.
    truth
        The records, for the factor that is given.
    """
    found = [View(release, model)]
    hidden = behind(model)
    points = None if hidden is None else unfolded(release.data, model, truth.shape[1])
    if hidden is None or points is None:
        return found
    if model.lifted:
        points *= np.median(row_norms(truth)) / np.median(row_norms(points))
    # In single precision, which is coarser than what computing them has lost: attacks read the precision off the type.
    return [*found, View(replace(release, data=points.astype(np.float32)), hidden)]


def why_not(attack: Attack, seen: Sequence[ReleaseModel]) -> str | None:
    """Return why an attack cannot work on any of several views, or None.

    Parameters
    ----------
    attack
        Any.
    seen
        Models of the views.
    """
    reasons = [attack.suits(model) for model in seen]
    return None if None in reasons else reasons[0]


def viewed(attack: Attack, seen: Sequence[View]) -> View | None:
    """Return the first view that suits an attack, or None.

    Parameters
    ----------
    attack
        Any.
    seen
        Views of a release.
    """
    return next((view for view in seen if attack.suits(view.model) is None), None)
