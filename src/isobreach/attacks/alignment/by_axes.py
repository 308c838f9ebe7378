# SPDX-License-Identifier: BSD-3-Clause
"""Axes of attributes that the release shows exactly, with names, are as good as links; the rest is sought as usual."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from isobreach.attacks.alignment.by_estimates import by_independence
from isobreach.attacks.alignment.descent import Evaluations
from isobreach.attacks.alignment.frames import frame_of
from isobreach.attacks.alignment.naming import assigned
from isobreach.attacks.alignment.situation import Situation
from isobreach.attacks.alignment.solution import FittedMotion

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class AxesTuning:
    """How far an exact axis may err."""

    error: float = 1e-2  # a share of its spread: it has next to none, quantiles and ranges have
    linked: float = 1e-3  # the same of linked records, which know better: an axis that errs by more is no attribute


TUNING = AxesTuning()


def by_axes(
    objective: str, situation: Situation, rows: FloatArray, axes: FloatArray, rest: FloatArray, effort: Evaluations
) -> FittedMotion | None:
    """Name the axes and take each for a link: it is the image of an attribute's axis. None where links object to all.

    Parameters
    ----------
    objective
        What showed the axes.
    situation
        Links, motion, and what else is known.
    rows, axes, rest
        Released rows; axes, one a column; components, where the search for other axes begins.
    effort
        Counts evaluations.
    """
    links = situation.known, situation.released
    attributes, chosen, signs = assigned(
        axes, rows, links, situation.sample, situation.bounds, translates=situation.translates, error=TUNING.error
    )
    named = axes[:, chosen] * signs
    agree = _agreeing(links[0][:, attributes], links[1] @ named, rows @ named, translates=situation.translates)
    if not agree.any():
        return None
    attributes, named = attributes[agree], named[:, agree]
    frame = frame_of(*links, rows, situation.sample, translates=situation.translates, noise=situation.noise)
    size = float(np.sqrt((rows**2).sum() / len(rows)))
    ends = size * np.eye(rows.shape[1])[attributes], size * named.T
    # A translation takes arrows to arrows: they begin at points that the frame takes to each other.
    begin = (frame.centre_x, frame.centre_y) if situation.translates else (0.0, 0.0)
    points = [(frame.centre_x[None], frame.centre_y[None])] if situation.translates and not len(links[0]) else []
    exact = replace(
        situation,
        known=np.vstack([links[0], *(one for one, _ in points), begin[0] + ends[0]]),
        released=np.vstack([links[1], *(one for _, one in points), begin[1] + ends[1]]),
    )
    found = by_independence(exact, rows, rest, effort)
    return FittedMotion(objective, frame, frame.pose_of(*found.affine), effort.used)


def _agreeing(known: FloatArray, seen: FloatArray, values: FloatArray, *, translates: bool) -> NDArray[np.bool_]:
    """Whether the links have the values that each named axis gives them."""
    if translates and len(known):
        known, seen = known - known.mean(axis=0), seen - seen.mean(axis=0)
    return np.asarray((np.abs(known - seen) <= TUNING.linked * values.std(axis=0)).all(axis=0))
