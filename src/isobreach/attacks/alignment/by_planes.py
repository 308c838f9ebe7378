# SPDX-License-Identifier: BSD-3-Clause
"""Axes that planes of shared values show, with names, are as good as links; what they leave open is sought as usual."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from isobreach.attacks.alignment.by_estimates import by_independence
from isobreach.attacks.alignment.descent import Evaluations
from isobreach.attacks.alignment.frames import frame_of
from isobreach.attacks.alignment.naming import assigned
from isobreach.attacks.alignment.situation import Situation
from isobreach.attacks.alignment.solution import FittedMotion

FloatArray = NDArray[np.float64]

_ERROR = 1e-2  # of an axis, a share of its spread: it has next to none, quantiles and ranges have


def by_planes(
    situation: Situation, rows: FloatArray, axes: FloatArray, rest: FloatArray, effort: Evaluations
) -> FittedMotion:
    """Name the axes and take each for a link: it is the image of an attribute's axis.

    Parameters
    ----------
    situation
        Links, motion, and what else is known.
    rows, axes, rest
        Released rows; normals of planes, one a column; components, where the search for other axes begins.
    effort
        Counts evaluations.
    """
    links = situation.known, situation.released
    attributes, chosen, signs = assigned(
        axes, rows, links, situation.sample, situation.bounds, translates=situation.translates, error=_ERROR
    )
    frame = frame_of(*links, rows, situation.sample, translates=situation.translates, noise=situation.noise)
    size = float(np.sqrt((rows**2).sum() / len(rows)))
    ends = size * np.eye(rows.shape[1])[attributes], size * (axes[:, chosen] * signs).T
    # A translation takes arrows to arrows: they begin at points that the frame takes to each other.
    begin = (frame.centre_x, frame.centre_y) if situation.translates else (0.0, 0.0)
    points = [(frame.centre_x[None], frame.centre_y[None])] if situation.translates and not len(links[0]) else []
    exact = replace(
        situation,
        known=np.vstack([links[0], *(one for one, _ in points), begin[0] + ends[0]]),
        released=np.vstack([links[1], *(one for _, one in points), begin[1] + ends[1]]),
    )
    found = by_independence(exact, rows, rest, effort)
    return FittedMotion("planes", frame, frame.pose_of(*found.affine), effort.used)
