# SPDX-License-Identifier: BSD-3-Clause
r"""Which attribute is an axis, and which way does it point? Links, a sample and ranges say so, as far as they can.

Every attribute i, axis j and sign has a cost, a sum of what is known, each part about -log of a likelihood:

    links    sum over links of (x_i -+ z_j)^2 / (2 (0.1 s_j)^2): an axis errs by about a tenth of its spread s_j
    sample   m times the mean squared distance of the quantiles of x_i and +-z_j / s_j^2
    ranges   the same for the part of z_j that lies outside the range of i

Under a translation all but the ranges are compared about their means; an end of a range that one tail ends at sharply
says which way the axis points. The assignment of least total cost (Kuhn 1955) names every axis. Where all that says
nothing of a sign, an axis points where most estimates have the sign that most values of held records have; behind a
translation the links, or else the sample's mean, say where zero is. Attributes that links do not tell apart are told by
zeros, which people share, and by whole numbers (``commonest``); a commonest value is a zero rather than another one.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from isobreach._arrays import FloatArray
from isobreach.attacks.alignment.commonest import Commonest
from isobreach.attacks.alignment.starts import quantiles


@dataclass(frozen=True)
class AssignmentCosts:
    """What the parts of a cost weigh; set by hand, each far from the next."""

    error: float = 0.1  # of the spread: what FastICA leaves on a thousand rows; smaller ones are named all the better
    zero: float = 1e-6  # of the spread: a smaller value has no sign
    surprise: float = 1e-4  # of a cost: decides where links do not, which are exact where values are shared
    whole: float = 1e-5  # of a cost: decides between axes that surprise alike
    untold: float = 1e-6  # of a cost: decides where nothing else does


_COSTS = AssignmentCosts()


def named(
    axes: FloatArray,
    rows: FloatArray,
    links: tuple[FloatArray, FloatArray],
    sample: FloatArray | None,
    bounds: FloatArray | None,
    *,
    translates: bool,
) -> FloatArray:
    """Return R, n x n, that takes rows to attributes: axes with names and signs.

    Parameters
    ----------
    axes
        Orthonormal columns.
    rows
        Released rows.
    links
        Linked records and their rows.
    sample, bounds
        Records of the same population; least and greatest value of each attribute.
    translates
        Whether the motion has a translation.
    """
    attributes, chosen, signs = assigned(axes, rows, links, sample, bounds, translates=translates)
    found = np.empty_like(axes)
    found[:, attributes] = axes[:, chosen] * signs
    return found


def assigned(
    axes: FloatArray,
    rows: FloatArray,
    links: tuple[FloatArray, FloatArray],
    sample: FloatArray | None,
    bounds: FloatArray | None,
    *,
    translates: bool,
    error: float = _COSTS.error,
) -> tuple[NDArray[np.intp], NDArray[np.intp], FloatArray]:
    """Return attributes, the axis of each, and its sign; there may be fewer axes than attributes.

    Parameters
    ----------
    axes, rows, links, sample, bounds, translates
        As for ``named``.
    error
        Of an axis, as a share of its spread.
    """
    values, (n, count) = rows @ axes, axes.shape
    spread = np.maximum(values.std(axis=0), np.finfo(np.float64).tiny)
    centre = values.mean(axis=0) if translates else np.zeros(count)
    known, seen = links[0], links[1] @ axes
    if translates and len(known):
        known, seen = known - known.mean(axis=0), seen - seen.mean(axis=0)
    held = links[0] if sample is None else np.vstack([links[0], sample])
    usual = _usual(held)
    # Estimates of each attribute are origin + sign * away.
    origin, away, base = np.zeros((n, 1)), quantiles(values), np.zeros(count)
    if translates and len(held):
        origin = (links[0] if len(known) else held).mean(axis=0)[:, None]
        base = (links[1] @ axes).mean(axis=0) if len(known) else centre
        away = away - base
    costs = np.zeros((2, n, count))  # sign, attribute, axis
    common = Commonest.of(values)
    if len(known):
        costs += _COSTS.surprise * common.surprises(links[0], links[1] @ axes)
    for place, sign in enumerate((1.0, -1.0)):
        apart = known[:, :, None] - sign * seen[:, None, :]
        costs[place] += (apart**2).sum(axis=0) / (2 * (error * spread) ** 2)
        guessed = (origin + sign * away[:, None, :]) / (_COSTS.zero * spread)
        costs[place] -= _COSTS.untold * usual[:, None] * np.clip(guessed, -1.0, 1.0).mean(axis=0)
        if len(known):
            most = np.abs(origin + sign * (common.value - base))
            costs[place] += _COSTS.whole * (common.shared & (most > 2 * common.near))
        if sample is not None:
            middle = sample.mean(axis=0) if translates else np.zeros(n)
            mine, theirs = quantiles(sample - middle), quantiles(sign * (values - centre))
            costs[place] += len(sample) * ((mine[:, :, None] - theirs[:, None, :]) ** 2).mean(axis=0) / spread**2
        if bounds is not None:
            costs[place] += _outside(sign * values, bounds, translates=translates)
    attributes, chosen = linear_sum_assignment(costs.min(axis=0))
    return attributes, chosen, np.where(costs[0] <= costs[1], 1.0, -1.0)[attributes, chosen]


def _usual(held: FloatArray) -> FloatArray:
    """Which sign most values of each attribute have: 1, -1, or 0."""
    signs = np.sign(held)
    alike = signs[:, (held == 0).any(axis=0)].sum()
    only_zeros = (held == 0).all(axis=0) & (alike != 0)
    return np.asarray(np.sign(np.where(only_zeros, alike, signs.sum())))


def _outside(values: FloatArray, bounds: FloatArray, *, translates: bool) -> FloatArray:
    """Cost of each attribute's range for each column of values."""
    spread = np.maximum(values.std(axis=0), np.finfo(np.float64).tiny)
    low, high = bounds[:, :1], bounds[:, 1:]
    if translates:
        # Without an offset only the width counts, and which tail ends at a bound: the shorter one.
        ends = np.quantile(values, (0.001, 0.5, 0.999), axis=0)
        width = np.maximum((ends[2] - ends[0])[None, :] - (high - low), 0) / spread
        tails = ((ends[1] - ends[0]) / np.maximum(ends[2] - ends[1], np.finfo(np.float64).tiny))[None, :]
        one_sided = np.where(np.isfinite(low) & ~np.isfinite(high), tails, 0.0)
        one_sided += np.where(~np.isfinite(low) & np.isfinite(high), 1 / tails, 0.0)
        return np.asarray(len(values) * width**2 + one_sided)
    grid = quantiles(values)  # a few hundred points are enough to see what lies outside
    outside = grid[:, None, :] - np.clip(grid[:, None, :], low[None], high[None])
    return np.asarray(len(values) * (outside**2).mean(axis=0) / (2 * (_COSTS.error * spread) ** 2))
