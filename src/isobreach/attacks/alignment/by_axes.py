# SPDX-License-Identifier: BSD-3-Clause
"""Axes of attributes that the release shows exactly, with names, are as good as links: the rest is sought with them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, combinations_with_replacement, product
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from isobreach._arrays import FloatArray
from isobreach.attacks.alignment.commonest import Commonest
from isobreach.attacks.alignment.descent import Evaluations
from isobreach.attacks.alignment.naming import assigned
from isobreach.attacks.alignment.placing import Placing
from isobreach.attacks.alignment.scaled import frames_of
from isobreach.attacks.alignment.situation import Situation
from isobreach.attacks.alignment.solution import FittedMotion
from isobreach.linking import CHANCE_LIMIT


@dataclass(frozen=True)
class AxesTuning:
    """How far an exact axis may err."""

    error: float = 1e-2  # a share of its spread: it has next to none, quantiles and ranges have
    gain: float = 1e-3  # of the likelihood of a record, from which on other names are better
    linked: float = 1e-3  # the same of linked records, which know better: an axis that errs by more is no attribute
    terms: tuple[int, ...] = (3, 2)  # attributes in a sum or difference that a plane may show; fewer where
    sums: int = 5_000  # there would be more of these
    normal: float = 1e-6  # a share of its spread by which a plane's normal may err


TUNING = AxesTuning()


def linked_axes(situation: Situation, rows: FloatArray, axes: FloatArray) -> tuple[Situation, int] | None:
    """Name the axes and take each for a link: it is the image of an attribute's axis. None where links object to all.

    Returns the situation with these links, and how many they are.

    Parameters
    ----------
    situation
        Links, motion, and what else is known.
    rows, axes
        Released rows; axes, one a column.
    """
    links = situation.known, situation.released
    attributes, chosen, signs = assigned(
        axes, rows, links, situation.sample, situation.bounds, translates=situation.translates, error=TUNING.error
    )
    if situation.sample is None and situation.bounds is None:
        known, values = links[0][:, attributes], rows @ axes[:, chosen]
        order, ways = _in_order(known, attributes, values, translates=situation.translates)
        chosen, signs = chosen[order], signs[order] * ways
    named = axes[:, chosen] * signs
    agree = _agreeing(links[0][:, attributes], links[1] @ named, rows @ named, translates=situation.translates)
    if not agree.any():
        return None
    attributes, named = attributes[agree], named[:, agree]
    return _with_arrows(situation, rows, np.eye(rows.shape[1])[attributes], named.T), len(attributes)


def linked_sums(situation: Situation, rows: FloatArray, normals: FloatArray) -> tuple[Situation, int] | None:
    """Take planes for links in which people are whose values of some attributes are equal, or have one sum.

    Who was measured twice and did not change lies in x_i - x_j = 0; ages and years of birth lie in x_i + x_j = c.
    The normal is the image of w / |w|, w of few entries 1 and -1: of the one that gives the links the values that they
    have along the normal. Inner products of such w are those of the normals.

    Returns the situation with these links, and how many they are; None where links name no plane, or several ways.

    Parameters
    ----------
    situation
        Links and motion.
    rows, normals
        Released rows; normals of planes, one a column.
    """
    known, seen = situation.known, situation.released @ normals
    if not len(known):
        return None
    if situation.translates:
        known, seen = known[1:] - known[0], seen[1:] - seen[0]
    near = TUNING.normal * np.maximum((rows @ normals).std(axis=0), np.finfo(np.float64).tiny)
    tried = _signed(rows.shape[1])
    if not len(tried) or len(tried) * TUNING.normal ** len(known) > CHANCE_LIMIT:
        return None
    values = known @ tried.T
    named, images = np.zeros((0, rows.shape[1])), np.zeros((0, rows.shape[1]))
    for column, normal in enumerate(normals.T):
        fits = np.abs(values - seen[:, [column]]).max(axis=0) <= near[column]
        if np.count_nonzero(fits) != 1:  # of several, links do not tell which it is
            continue
        (one,) = tried[fits]
        if np.abs(named @ one - images @ normal).max(initial=0.0) <= TUNING.linked:
            named, images = np.vstack([named, one]), np.vstack([images, normal])
    return (_with_arrows(situation, rows, named, images), len(named)) if len(named) else None


def _signed(columns: int) -> FloatArray:
    """Unit vectors with two or three entries of one size, of either sign; two where there would be too many."""
    most = next((one for one in TUNING.terms if comb(columns, one) * 2**one <= TUNING.sums), 0)
    found = []
    for terms in range(2, most + 1):
        for places in combinations(range(columns), terms):
            for signs in product((1.0, -1.0), repeat=terms):
                found.append(np.zeros(columns))
                found[-1][list(places)] = np.array(signs) / np.sqrt(terms)
    return np.array(found).reshape(-1, columns)


def _with_arrows(situation: Situation, rows: FloatArray, ends: FloatArray, images: FloatArray) -> Situation:
    """The situation with further links: unit vectors among the attributes, and their images, one a row."""
    known, released = situation.known, situation.released
    frame, _ = frames_of(situation, rows)
    size = float(np.sqrt((rows**2).sum() / len(rows)))
    # A translation takes arrows to arrows: they begin at points that the frame takes to each other.
    begin = (frame.centre_x, frame.centre_y) if situation.translates else (0.0, 0.0)
    points = [(frame.centre_x[None], frame.centre_y[None])] if situation.translates and not len(known) else []
    return replace(
        situation,
        known=np.vstack([known, *(one for one, _ in points), begin[0] + size * ends]),
        released=np.vstack([released, *(one for _, one in points), begin[1] + size * images]),
    )


def from_links(found: FittedMotion, situation: Situation, rows: FloatArray, **told: Any) -> FittedMotion:
    """Return a motion that was found with further links in the frame of the links alone.

    Parameters
    ----------
    found
        The motion.
    situation, rows
        Links and motion; released rows.
    told
        Fields of the motion that are others now.
    """
    frame, _ = frames_of(situation, rows)
    return replace(found, frame=frame, pose=frame.pose_of(*found.affine), **told)


def _agreeing(known: FloatArray, seen: FloatArray, values: FloatArray, *, translates: bool) -> NDArray[np.bool_]:
    """Whether the links have the values that each named axis gives them."""
    if translates and len(known):
        known, seen = known - known.mean(axis=0), seen - seen.mean(axis=0)
    return np.asarray((np.abs(known - seen) <= TUNING.linked * values.std(axis=0)).all(axis=0))


def _in_order(
    known: FloatArray, attributes: NDArray[np.intp], values: FloatArray, *, translates: bool
) -> tuple[NDArray[np.intp], FloatArray]:
    """Return which axis each attribute takes, and its sign, so that flags of missing values are in the order of these.

    Attributes of one kind in which links have the same values, or opposite ones behind a translation, are
    interchangeable. A flag and its value are tied: nobody is off the commonest value of both. Flags stand in the order
    of their values, one beside each or all behind: whoever knows the names of the columns knows that.

    Parameters
    ----------
    known
        Linked records, in the attributes.
    attributes
        Which attribute each column is.
    values
        Released values of all rows along the axis that each attribute has.
    translates
        Whether the motion has a translation.
    """
    order, signs = np.arange(len(attributes)), np.ones(len(attributes))
    known = known - known.mean(axis=0) if translates and len(known) else known
    common = Commonest.of(values)
    tied, kinds = common.tied(), common.whole == common.whole[:, None]
    ways = (1.0, -1.0) if translates else (1.0,)
    apart = [np.abs(known[:, :, None] - way * known[:, None]).max(axis=0, initial=0.0) for way in ways]
    alike = (np.array(apart) <= common.near) & kinds
    for members in sorted({tuple(np.flatnonzero(row).tolist()) for row in alike.any(axis=0)}):
        group = np.array(members)
        others = tied[group].copy()
        others[:, group] = False
        if len(group) > 1 and (others.sum(axis=1) == 1).all():
            order[group] = group[np.argsort(attributes[others.argmax(axis=1)], kind="stable")]
            signs[group] = np.where(alike[0][group, order[group]], 1.0, -1.0)
    return order, signs


def renamed(
    found: FittedMotion, placing: Placing, effort: Evaluations, like: FittedMotion | None = None
) -> FittedMotion:
    """Exchange and mirror attributes while the sample becomes likelier: quantiles of columns may name them wrongly.

    Parameters
    ----------
    found
        Axes with names, and no links.
    placing
        Likelihood of the sample at a pose of the same frame.
    effort
        Evaluations that may be made, and those that were.
    like
        Another motion, whose names are tried as well: each attribute is the axis nearest to it there.
    """
    frame, n = found.frame, len(found.frame.centre_x)
    begun = [frame.matrix(found.pose)]
    if like is not None:
        cosines = begun[0].T @ like.affine[0]
        axes, attributes = linear_sum_assignment(-np.abs(cosines))
        begun.append(np.empty_like(begun[0]))
        begun[1][:, attributes] = begun[0][:, axes] * np.where(cosines[axes, attributes] < 0, -1.0, 1.0)
    least = np.inf
    for start in begun:
        best, value = start, placing.value(frame.pose_of(start))
        gained = True
        while gained and effort.left:
            tried = [one for pair in combinations_with_replacement(range(n), 2) for one in _exchanged(best, *pair)]
            values = [placing.value(frame.pose_of(one)) for one in tried]
            effort.spend(len(tried) * placing.cost)
            gained = min(values) < value - TUNING.gain
            if gained:
                best, value = tried[int(np.argmin(values))], min(values)
        if value < least:
            found, least = replace(found, pose=frame.pose_of(best)), value
    return replace(found, evaluations=effort.used)


def _exchanged(matrix: FloatArray, first: int, second: int) -> Iterator[FloatArray]:
    """Two columns mirrored, or exchanged; one column mirrored, if they are the same."""
    mirrored = matrix.copy()
    mirrored[:, [first, second]] *= -1
    yield mirrored
    if first != second:
        exchanged = matrix.copy()
        exchanged[:, [first, second]] = matrix[:, [second, first]]
        yield exchanged
