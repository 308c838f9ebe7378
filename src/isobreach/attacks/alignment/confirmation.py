# SPDX-License-Identifier: BSD-3-Clause
r"""Do known records that were not used confirm a motion?

The motion takes such a record x to a place in the release. It is confirmed if a released row, and its own one where
that is known, lies within epsilon |x| of the place, closer than chance would bring one. Where the centre of the motion
is exact, its row must also be as far from the centre as the record: strangers are not taken for known records.

Chance is a motion that keeps the links and turns the hidden dimensions at random. It brings the record within d of row
j, whose visible part is v_j away, with the probability of a cap: |P a - b_j|^2 <= d^2 - v_j^2 for the hidden parts a,
b_j, so

    cos >= (|a|^2 + |b_j|^2 + v_j^2 - d^2) / (2 |a| |b_j|),        P = I_{1 - cos^2}((h-1)/2, 1/2) / 2  for cos >= 0.

The sum over rows (or the one row) is the expected number of chance matches. Every unused record must be confirmed, each
with at most 1e-3 expected chance matches; one that is not refutes the claim.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from isobreach._arrays import FloatArray
from isobreach.attacks.alignment.frames import Frame
from isobreach.attacks.alignment.situation import Situation
from isobreach.attacks.alignment.solution import FittedMotion
from isobreach.engine import Engine
from isobreach.linking import CHANCE_LIMIT
from isobreach.release import released_precision


@dataclass(frozen=True)
class Confirmation:
    """How many unused known records there are, and how many were found at their place."""

    unused: int
    found: int

    @property
    def complete(self) -> bool:
        """Whether there are any, and all were found."""
        return 0 < self.unused == self.found


@dataclass(frozen=True, eq=False)
class _Places:
    """Where unused records should be: one row each, in reduced coordinates, and in parts."""

    axes: FloatArray
    centre: FloatArray
    scale: float
    images: FloatArray
    visible: FloatArray  # basis
    hidden: FloatArray  # basis
    middle: FloatArray
    tolerances: FloatArray  # of a row's distance from the middle
    distances: FloatArray  # from the places, for chance
    own: NDArray[np.int64]


def confirmation(release: Engine, situation: Situation, solution: FittedMotion, epsilon: float) -> Confirmation:
    """Count the unused known records that the motion takes to a released row.

    Parameters
    ----------
    release
        The released rows.
    situation, solution
        Unused records; the motion.
    epsilon
        Relative error of a place, at most.
    """
    records = situation.unused
    if not len(records):
        return Confirmation(0, 0)
    frame = solution.frame
    matrix, shift = frame.affine(solution.pose)
    places = _Places(
        situation.axes,
        situation.centre,
        situation.scale,
        (records - shift) @ matrix.T,
        frame.visible_y,
        frame.hidden_y,
        frame.centre_y,
        _tolerances(release, situation, frame),
        np.zeros(len(records)),
        situation.unused_rows,
    )
    nearest, norms = np.min(list(release.scan(_nearest, places, "confirming")), axis=0), np.linalg.norm(records, axis=1)
    own = situation.unused_rows >= 0
    if own.any():
        at = situation.reduced(release.gather(situation.unused_rows[own]))
        distances = np.linalg.norm(at - places.images[own], axis=1)
        rounding = 1e-9 * (norms[own] + np.abs(at).max(axis=1))  # an exact place is some last digits away
        nearest[own] = np.where(distances <= nearest[own] + rounding, distances, np.inf)
    near = nearest <= epsilon * norms
    chance = np.zeros(len(records))
    if near.any():
        asked = replace(places, distances=np.where(near, nearest, 0.0))
        chance = np.sum(list(release.scan(_chances, asked, "confirming")), axis=0)
    return Confirmation(len(records), int((near & (chance <= CHANCE_LIMIT)).sum()))


def _tolerances(release: Engine, situation: Situation, frame: Frame) -> FloatArray:
    """How far the distance of a record's row from the centre may be from the record's own."""
    if frame.floats or situation.noise:
        return np.full(len(situation.unused), np.inf)
    norms = np.linalg.norm(situation.unused, axis=1) + np.linalg.norm(frame.centre_x) + np.linalg.norm(frame.centre_y)
    radius = released_precision(release).radius(norms, release.shape[1])
    return np.asarray(4 * radius + 1e-9 * norms)  # of the row, of both centres, and of this arithmetic


def _reduced(block: FloatArray, places: _Places) -> FloatArray:
    return np.asarray((block - places.centre) @ places.axes / places.scale)


def _nearest(block: FloatArray, first_row: int, places: _Places) -> FloatArray:
    """Distance of each place from the nearest row of the block."""
    rows = _reduced(block, places) - places.middle
    lengths, found = np.linalg.norm(rows, axis=1), []
    for image, tolerance in zip(places.images - places.middle, places.tolerances, strict=True):
        possible = np.abs(lengths - np.linalg.norm(image)) <= tolerance
        found.append(np.linalg.norm(rows[possible] - image, axis=1).min(initial=np.inf))
    return np.array(found)


def _chances(block: FloatArray, first_row: int, places: _Places) -> FloatArray:
    """Expected chance matches of each place in the block."""
    rows = _reduced(block, places) - places.middle
    seen, hidden = rows @ places.visible, np.linalg.norm(rows @ places.hidden, axis=1)
    found, h = np.zeros(len(places.images)), places.hidden.shape[1]
    index = np.arange(first_row, first_row + len(block))
    for i, image in enumerate(places.images - places.middle):
        a = float(np.linalg.norm(image @ places.hidden))
        apart = ((seen - image @ places.visible) ** 2).sum(axis=1)
        squares = a**2 + hidden**2 + apart - places.distances[i] ** 2
        with np.errstate(over="ignore"):  # a row without a hidden part
            cosine = np.clip(squares / np.maximum(2 * a * hidden, np.finfo(np.float64).tiny), -1, 1)
        cap = betainc((h - 1) / 2, 0.5, 1 - cosine**2) / 2 if h > 1 else np.full(len(rows), 0.5)
        reached = np.where(cosine >= 0, cap, 1 - cap)
        reached = np.where(squares > 2 * a * hidden, 0.0, reached) if h else (squares <= 0).astype(float)
        mine = index == places.own[i] if places.own[i] >= 0 else np.ones(len(rows), dtype=bool)
        found[i] = reached[mine].sum()
    return found
