# SPDX-License-Identifier: BSD-3-Clause
r"""Whether directions that were found by climbing are axes: rows that no climb has seen decide.

Directions were looked for, so on the rows that they were found on they are high by chance too. The rows of the other
half that judge must be no near copies of those, or of each other, or a few clusters would pass for a grid: of 40 places
in 16 dimensions, all can be put near whole numbers. A height of exp(-2 pi^2 s^2) allows clusters of spread s, and what
that spread brings near to each other is a copy. On J judges without a grid, height * sqrt(2 J) is above z with
probability exp(-z^2 / 2) (Rayleigh).

Wrong dual axes remain. For a table with x1 + x2 + x3 + x4 even, (1, 1, 1, 1)/2 is as good as an axis. So

- no other direction that is nearly as high may be at an angle other than 90 degrees to an axis (*rivals*);
- every axis is as high as the others, nearly, as noise and jitter have them;
- an axis has several values, each in several rows (*levels*): two clusters may be a whole number apart by chance;
- the best length of an axis is one unit: a step of 0.96 passes for 1 where an attribute has few values;
- the values read obey no *congruence*, in rows that are read for sure.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import ndtr

from isobreach._arrays import BoolArray, FloatArray, IntArray
from isobreach.attacks.lattice.evidence import LEVELS, deviation_of, grid_evidence, spaced_out
from isobreach.geometry.integers import rank_modulo


@dataclass(frozen=True)
class Judging:
    """What judges believe."""

    least: int = 64  # Judges. At the least height, 130 of them are needed for the least z.
    looked_at: int = 2048  # Rows of the second half at most, as all pairs with the first are compared.
    part: int = 256  # Rows compared at a time: 20 MB for 10,000 rows.
    apart: float = 0.9  # Distance, in units, of rows that are no copies even without noise: below one step.
    copies: float = 6.0  # Standard deviations of their distance that copies under noise may be apart.
    least_z: float = 6.5  # Height times sqrt(2 J): a chance of 7e-10 for one axis, and all axes must pass.
    least_height: float = LEVELS.least_cosine  # Of an axis.
    even: float = 0.8  # The least height over the median: noise and jitter are the same along all axes.
    rival: float = 0.1  # Cosine of a direction at another angle than 90 degrees: (1, 1, 1, 1)/2 has 1/2.
    same: float = 0.95  # Cosine from which on a direction is the axis itself.
    rival_share: float = 0.6  # Of the axes' median height: below that of an axis that could be claimed.
    unit_length: float = 2e-2  # The most that the length of an axis of one unit may be off, whatever its error.
    shortening: float = 0.5  # Share of the shortening by noise that its law may change: jitter's differs by a fifth.
    length_steps: int = 10  # Of the fit of lengths, which begins within its error; set by hand.
    levels: int = 4  # Values that an axis must have.
    level_rows: int = 5  # Rows that make a value.
    confident: float = 0.25  # Residuals of rows whose values are read for sure: half of the way to being misread.
    batches: int = 8  # Of rows; if a congruence holds, most batches obey it although a few rows are misread.
    certain: float = 1e-3  # Expected number of misread rows from which on one batch is not enough.
    least_axes: int = 3  # A sum of attributes may be one unit long by chance; three at right angles may not.
    sure: float = 6.0  # Standard errors: 2e-9 for a normal error.


JUDGING = Judging()
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31)  # (3, 4) ties two columns modulo 5, (1, 2, 2) three modulo 3


@dataclass(frozen=True, eq=False)
class Summits:
    """Directions that climbs ended in (k x n), and their heights over the rows they climbed on."""

    directions: FloatArray
    heights: FloatArray

    @classmethod
    def none(cls, columns: int) -> "Summits":
        """Return what holds no candidate yet."""
        return cls(np.empty((0, columns)), np.empty(0))

    def joined(self, other: "Summits") -> "Summits":
        """Return the candidates of both."""
        return Summits(
            np.concatenate([self.directions, other.directions]),
            np.concatenate([self.heights, other.heights]),
        )


def height(rows: FloatArray, directions: FloatArray) -> FloatArray:
    """|mean exp(2 pi i y.w)| over rows, of each direction."""
    return np.asarray(np.abs(np.exp(2j * np.pi * (rows @ directions.T)).mean(axis=0)))


def judges_of(first: FloatArray, second: FloatArray, deviation: float) -> FloatArray:
    """Rows of the second half that are no near copies of rows of the first, or of each other, under such noise."""
    columns = first.shape[1]
    apart = max(JUDGING.apart, deviation * (np.sqrt(2.0 * columns) + JUDGING.copies))
    parts = np.array_split(second[: JUDGING.looked_at], -(-JUDGING.looked_at // JUDGING.part))
    alone = np.concatenate([part[cdist(part, first).min(axis=1, initial=np.inf) > apart] for part in parts])
    return alone[spaced_out(cdist(alone, alone) <= apart)]


def are_sound(axes: FloatArray, seen: Summits, first: FloatArray, second: FloatArray) -> BoolArray:
    """Axes, orthonormal, that are those of one unit beyond chance, without a rival among the directions seen."""
    if not len(axes):
        return np.empty(0, dtype=np.bool_)
    judges = judges_of(first, second, float(deviation_of(height(first, axes)).max()))
    if len(judges) < JUDGING.least:
        return np.zeros(len(axes), dtype=np.bool_)
    heights = height(judges, axes)
    shown = (heights * np.sqrt(2 * len(judges)) > JUDGING.least_z) & (heights > JUDGING.even * np.median(heights))
    rivals = seen.directions[seen.heights > JUDGING.rival_share * np.median(heights)]
    cosines = np.abs(axes @ rivals.T)
    rivalled = ((cosines > JUDGING.rival) & (cosines < JUDGING.same)).any(axis=1)
    own = np.abs(axes).max(axis=1) > 0.999
    levels = np.array([_levels(second @ axis) for axis in axes]) >= JUDGING.levels
    return np.asarray(shown & ~rivalled & ~own & levels & _have_unit_length(axes, first))


def _levels(positions: FloatArray) -> int:
    """Number of whole numbers with several rows."""
    phase = np.angle(np.exp(2j * np.pi * positions).mean()) / (2 * np.pi)
    _, counts = np.unique(np.rint(positions - phase), return_counts=True)
    return int((counts >= JUDGING.level_rows).sum())


def _have_unit_length(axes: FloatArray, rows: FloatArray) -> BoolArray:
    """Whether functionals that are as high as can be are as long as the axes that they begin from.

    Noise s shortens them: of rows with covariance C, the highest functional is w - s^2 C^-1 w.
    """
    deviation = deviation_of(height(rows, axes))
    inverse = np.linalg.pinv(np.cov(rows.T))
    functionals = axes
    centred = rows - rows.mean(axis=0)
    for _ in range(JUDGING.length_steps):
        positions = rows @ functionals.T
        means = np.exp(2j * np.pi * positions).mean(axis=0)
        sines = np.sin(2 * np.pi * positions - np.angle(means)) / (2 * np.pi * np.abs(means))
        functionals = functionals - (sines.T @ centred / len(rows)) @ inverse
    shortening = deviation**2 * np.einsum("ij,jk,ik->i", axes, inverse, axes)
    lengths = np.linalg.norm(functionals, axis=1) + shortening
    errors = deviation / ((rows @ axes.T).std(axis=0) * np.sqrt(len(rows)))
    most = np.minimum(JUDGING.sure * errors + JUDGING.shortening * shortening + 1e-9, JUDGING.unit_length)
    return np.asarray(np.abs(lengths - 1) < most)


def incongruent(positions: FloatArray) -> BoolArray:
    """Axes whose values obey no congruence with others, judged on rows that are read for sure.

    A few of these rows are misread even so, and would hide a congruence; so rows are taken in batches, most of which
    have none, and at most one batch may obey one.
    """
    shown = grid_evidence(positions).on_grid
    whole = np.rint(positions)
    residuals = np.abs(positions - whole)[:, shown]
    sure = (residuals < JUDGING.confident).all(axis=1)
    values = whole[sure][:, shown].astype(np.int64)
    deviation = deviation_of(np.cos(2 * np.pi * residuals).mean(axis=0))
    wrong = 2 * ndtr(-(1 - JUDGING.confident) / np.maximum(deviation, 1e-9)).sum() * len(values)
    batches = JUDGING.batches if wrong > JUDGING.certain else 1
    if len(values) <= batches * (values.shape[1] + 8):
        return np.zeros(len(shown), dtype=np.bool_)
    free = sum(_is_free(values[start::batches]) for start in range(batches))
    return shown if free >= max(batches - 1, 1) else np.zeros(len(shown), dtype=np.bool_)


def _is_free(values: IntArray) -> bool:
    """Whether records of whole numbers obey no congruence modulo a small prime."""
    differences = values[1:] - values[0]
    few = differences[: 8 * values.shape[1]]  # nearly always enough, and soon done
    return all(any(rank_modulo(some, prime) == values.shape[1] for some in (few, differences)) for prime in _PRIMES)
