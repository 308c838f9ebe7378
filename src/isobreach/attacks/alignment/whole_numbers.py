# SPDX-License-Identifier: BSD-3-Clause
r"""Columns that are whole numbers but for a little jitter, where links leave few dimensions open: one at a time.

Links show the visible part of every column, and of the hidden part the length l_j: x_j = v_j + z.w, z a row's hidden
coordinates and w = P b_j an unknown vector of length l_j. If x_j is nearly a whole number for everybody, the height

    | mean over rows of exp(2 pi i (v_j + z.w)) |

is near one at the true w, and small elsewhere. It climbs on the sphere of few dimensions from random starts. A column
needs no other one that is like it, and no column more than it has: the lattice attack asks for a frame of them. Heights
that chance does not reach make the column's axis a link, as exact as the rows are many.

A column that hardly varies has all values near one whole number, and its height is near one at any w. So the rows that
are nearest to another whole number than the commonest must have the height as well, and must be some.
"""

from dataclasses import dataclass, replace

import numpy as np

from isobreach._arrays import FloatArray
from isobreach.attacks.alignment.descent import Evaluations
from isobreach.attacks.alignment.frames import FLAT
from isobreach.attacks.alignment.scaled import Seen, frames_of
from isobreach.attacks.alignment.situation import Situation


@dataclass(frozen=True)
class WholeTuning:
    """Which columns are tried, and how they climb."""

    hidden: int = 6  # dimensions, at most: starts within reach of a peak grow rarer with each
    links: float = 0.8  # height of the linked values, at least
    starts: int = 100  # climbs at once, set by hand
    steps: int = 60  # of each climb, whose steps grow shorter
    rows: int = 500  # that climbs look at; what they find is judged on all rows
    first: float = 0.1  # length of a step, over that of w
    height: float = 0.5  # of all rows, at least: jitter of six tenths of a step
    away: float = 0.05  # rows that are not nearest to the commonest whole number, at least


TUNING = WholeTuning()


def with_whole_numbers(
    situation: Situation, rows: FloatArray, effort: Evaluations, rng: np.random.Generator
) -> tuple[Situation, int] | None:
    """Return the situation with the axes of columns of whole numbers for links, and how many; None where there is none.

    Parameters
    ----------
    situation
        Links and motion.
    rows
        Released rows.
    effort
        Counts evaluations.
    rng
        Draws starts and rows.
    """
    frame, _ = frames_of(situation, rows)
    if not 1 < frame.hidden <= TUNING.hidden or len(situation.known) < 2:
        return None
    seen = Seen.of(frame, rows[rng.permutation(len(rows))[: TUNING.rows]])
    lengths = np.linalg.norm(frame.hidden_x, axis=1)
    near = np.abs(np.exp(2j * np.pi * situation.known).mean(axis=0)) >= TUNING.links
    attributes, axes = list[int](), list[FloatArray]()
    for j in np.flatnonzero(near & (lengths > FLAT)).tolist():
        effort.spend(TUNING.steps)
        way, height = _climbed(seen.visible[:, j], seen.hidden, float(lengths[j]), rng)
        if height >= TUNING.height and _away(seen.visible[:, j] + seen.hidden @ way) >= TUNING.height:
            attributes.append(j)
            axes.append(frame.visible_y @ frame.visible_x[j] + frame.hidden_y @ way)
    if not attributes:
        return None
    size = float(np.sqrt((rows**2).sum() / len(rows)))
    begin = (frame.centre_x, frame.centre_y) if situation.translates else (0.0, 0.0)
    known = np.vstack([situation.known, begin[0] + size * np.eye(rows.shape[1])[attributes]])
    released = np.vstack([situation.released, begin[1] + size * np.array(axes)])
    return replace(situation, known=known, released=released), len(attributes)


def _climbed(
    visible: FloatArray, hidden: FloatArray, length: float, rng: np.random.Generator
) -> tuple[FloatArray, float]:
    """The highest of the vectors that climbs lead to, and its height."""

    def judged(ways: FloatArray) -> tuple[FloatArray, FloatArray]:
        waves = np.exp(2j * np.pi * (visible[:, None] + hidden @ ways.T))
        mean = waves.mean(axis=0)
        slopes = (2j * np.pi / len(hidden)) * (waves.T @ hidden)
        return np.abs(mean), np.real(np.conj(mean)[:, None] * slopes)

    ways = _of_length(rng.standard_normal((TUNING.starts, hidden.shape[1])), length)
    heights, slopes = judged(ways)
    step = np.full(TUNING.starts, TUNING.first * length)
    for _ in range(TUNING.steps):
        along = slopes - (slopes * ways).sum(axis=1, keepdims=True) * ways / length**2
        tried = _of_length(ways + _of_length(along, 1.0) * step[:, None], length)
        after, then = judged(tried)
        better = after > heights
        ways[better], heights[better], slopes[better] = tried[better], after[better], then[better]
        step *= np.where(better, 1.3, 0.5)
    best = int(heights.argmax())
    return ways[best], float(heights[best])


def _away(values: FloatArray) -> float:
    """Mean of cos(2 pi x) over the values nearest to another whole number than the commonest; 0 where they are few."""
    whole, counts = np.unique(np.rint(values), return_counts=True)
    others = values[np.rint(values) != whole[counts.argmax()]]
    return float(np.cos(2 * np.pi * others).mean()) if len(others) >= TUNING.away * len(values) else 0.0


def _of_length(vectors: FloatArray, length: float) -> FloatArray:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(length * vectors / np.maximum(norms, np.finfo(np.float64).tiny))
