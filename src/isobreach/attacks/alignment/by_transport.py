# SPDX-License-Identifier: BSD-3-Clause
r"""The objective for many columns: third moments in few axes, then transport in growing rank (``transport``).

In hundreds of columns a density has too many parameters, and the sample says nothing of most axes. What it says of the
leading ones carries the others. Where two optima of the leading axes compete, both are fitted, and the one with the
larger rho is taken.

A fit is believed if two tests, neither of which needs the truth, do not speak against it.

- An independent fit, with starts of its own and four fifths of the sample, gives the same estimates. Their *agreement*
  is the mean cosine of both images of a centred row. Where a sample is too small, or of no population at all, chance
  decides which of many poor optima a fit ends in.
- The other fifth of the sample lies like released rows, at the place that the independent fit gives it. In a few
  leading axes of one half of the rows, its distances from the nearest of these are compared with those of the other
  half, by the rank sum of Mann and Whitney. A sample of another model has one best place, on which fits agree,
  but its records lie between the released rows there.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree
from scipy.stats import mannwhitneyu

from isobreach._arrays import FloatArray
from isobreach.attacks.alignment.descent import Evaluations
from isobreach.attacks.alignment.frames import frame_of
from isobreach.attacks.alignment.situation import Situation
from isobreach.attacks.alignment.solution import FittedMotion
from isobreach.attacks.alignment.third_moments import leading_axes
from isobreach.attacks.alignment.transport import SingleArray, third_moment_ratio, transported


@dataclass(frozen=True)
class FitTuning:
    """How much a fit uses, and when it is believed.

    Attributes
    ----------
    rows, records
        That a fit uses at most: a round then takes a second of a processor in 500 columns.
    axes
        Principal axes that are rotated at most; a sample of thousands says nothing of further ones.
    part
        Share of the sample that the independent fit sees.
    agrees
        Agreement from which on a fit is believed: .7 to .99 where embeddings were read, .2 and less for shuffled
        samples; a sample of another model may reach .8, and is found out by the certificate.
    judged, neighbour, held, least
        Leading axes, and which neighbour, by which records held out are judged; how many of these at most and least.
        With the nearest neighbour in 12 axes z is 6 and more for samples of other models, and below 0 where embeddings
        were read, though roughly; the fifth neighbour misses other models, and 48 axes find rough fits wrong.
    """

    rows: int = 4_000
    records: int = 4_000
    axes: int = 512
    part: float = 0.8
    agrees: float = 0.6
    judged: int = 12
    neighbour: int = 1
    held: int = 1_000
    least: int = 8


TUNING = FitTuning()
AGREES = TUNING.agrees


@dataclass(frozen=True, eq=False)
class _Side:
    """Rows or records: their mean, principal axes, and coordinates in these."""

    mean: FloatArray
    axes: FloatArray  # n x q, orthonormal
    values: SingleArray

    @classmethod
    def of(cls, table: FloatArray, most: int, *, translates: bool) -> "_Side":
        mean = table.mean(axis=0)
        centred = table - mean
        axes = np.linalg.eigh(centred.T @ centred)[1][:, ::-1][:, :most]
        if not translates and axes.shape[1] < len(mean):  # what of the mean lies outside the leading axes
            rest = mean - axes @ (axes.T @ mean)
            axes = np.column_stack([axes, rest / max(float(np.linalg.norm(rest)), np.finfo(np.float64).tiny)])
        return cls(mean, np.ascontiguousarray(axes), (centred @ axes).astype(np.float32))

    @property
    def mean_share(self) -> float:
        """Share of the squared length of the mean that is not its error's."""
        error = float((self.values.astype(np.float64) ** 2).sum()) / len(self.values) ** 2
        return max(0.0, 1 - error / max(float(self.mean @ self.mean), np.finfo(np.float64).tiny))


@dataclass(frozen=True, eq=False)
class _Fit:
    """A rotation in the axes of both sides, and its rho."""

    matrix: FloatArray  # of rows to records, n x n
    ratio: float


def by_transport(
    situation: Situation, rows: FloatArray, *, effort: Evaluations, rng: np.random.Generator
) -> FittedMotion:
    """Match the released rows with the sample in many columns.

    Parameters
    ----------
    situation
        Links, motion, noise and the sample.
    rows
        Released rows.
    effort
        Evaluations of the search; the independent fit takes as many again.
    rng
        Draws starts, kicks and parts.
    """
    sample = situation.sample
    assert sample is not None
    noise, translates = situation.noise, situation.translates
    frame = frame_of(situation.known, situation.released, rows, sample, translates=translates, noise=noise)
    if noise:
        frame = frame.loosened(situation.known, situation.released, noise, translates)
    some = rows[np.sort(rng.permutation(len(rows))[: TUNING.rows])]
    order = rng.permutation(len(sample))
    whole = _fitted(situation, some, sample[order[: TUNING.records]], effort, rng)
    again = Evaluations(effort.most)
    part = sample[order[: max(2, int(TUNING.part * len(sample)))][: TUNING.records]]
    other = _fitted(situation, some, part, again, rng)
    agreement = _agreement(some, whole.matrix, other.matrix)
    held = sample[order[int(TUNING.part * len(sample)) :][: TUNING.held]]
    z = _certificate(rows, held - part.mean(axis=0), other.matrix, noise, rng)
    centre_x, centre_y = sample.mean(axis=0), rows.mean(axis=0)
    pose = frame.pose_of(whole.matrix, centre_x - centre_y @ whole.matrix)
    used = effort.used + again.used
    return FittedMotion("transport", frame, pose, used, z, agreement=agreement)


def _fitted(
    situation: Situation, rows: FloatArray, sample: FloatArray, effort: Evaluations, rng: np.random.Generator
) -> _Fit:
    """The fit of larger rho, from the best optimum of the leading axes and its rival."""
    translates = situation.translates
    most = min(TUNING.axes, rows.shape[1])
    known = situation.known
    y, x = (
        _Side.of(table, most, translates=translates)
        for table in (rows, np.vstack([sample, known]) if len(known) else sample)
    )
    linked = _unit((situation.released - y.mean) @ y.axes), _unit((known - x.mean) @ x.axes)
    pull = linked[0].T @ linked[1]
    if not translates:  # means belong together, as surely as they stand out of their errors
        means = (_unit(one.mean[None] @ one.axes) for one in (y, x))
        pull += np.sqrt(y.mean_share * x.mean_share) * np.outer(*means)
    found: list[_Fit] = []
    tables = y.values.astype(np.float64), x.values.astype(np.float64)
    for leading in leading_axes(*tables, linked[0].T @ linked[1], effort, rng):
        start = np.eye(len(pull))
        start[: len(leading), : len(leading)] = leading
        rotation = transported(y.values, x.values, pull, start, effort)
        found.append(_Fit(y.axes @ rotation @ x.axes.T, third_moment_ratio(y.values, x.values, rotation)))
    return max(found, key=lambda one: one.ratio)


def _certificate(
    rows: FloatArray, held: FloatArray, matrix: FloatArray, noise: float, rng: np.random.Generator
) -> float | None:
    """Mann-Whitney z of the distances of records held out from released rows: positive where they lie apart."""
    order = rng.permutation(len(rows))
    some, others = rows[order[::2]], rows[order[1::2]]
    if len(held) < TUNING.least or len(some) <= TUNING.neighbour:
        return None
    axes = _Side.of(some, min(TUNING.judged, rows.shape[1]), translates=True).axes
    placed = (held @ matrix.T) @ axes
    placed += noise * rng.standard_normal(placed.shape)
    near = cKDTree((some - rows.mean(axis=0)) @ axes)
    own, theirs = (
        near.query(one, [TUNING.neighbour])[0][:, 0] for one in (placed, (others - rows.mean(axis=0)) @ axes)
    )
    m, count = len(own), len(theirs)
    share = mannwhitneyu(own, theirs).statistic / (m * count)
    return float((share - 0.5) / np.sqrt((m + count + 1) / (12.0 * m * count)))


def _unit(rows: FloatArray) -> FloatArray:
    """Rows of length one."""
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.finfo(np.float64).tiny))


def _agreement(rows: FloatArray, first: FloatArray, second: FloatArray) -> float:
    """Mean cosine of two images of the centred rows."""
    centred = rows - rows.mean(axis=0)
    a, b = centred @ first, centred @ second
    sizes = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    return float(((a * b).sum(axis=1) / np.maximum(sizes, np.finfo(np.float64).tiny)).mean())
