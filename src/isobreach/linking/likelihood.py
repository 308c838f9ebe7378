# SPDX-License-Identifier: BSD-3-Clause
r"""Links under noise, by likelihood.

Released rows are y = M x + t + e with independent Gaussian noise of standard deviation s on each of N coordinates.
Given links that fix M on k dimensions, a row has coordinates b in those (k numbers) and a squared distance g from
them; a record has a and its own squared distance f. If the row is the record,

    b ~ Normal(a, s^2 (1 + v)),      g ~ Normal(f + (N - k) s^2, 4 f s^2 + 2 (N - k) s^4)

with v the record's leverage, what the error of the fitted motion adds. If it is not, (b, g) is a draw from all released
rows, described by a normal distribution fitted to them. The ratio of the two densities, R(y), weighs rows against each
other and against the record's absence: with prior probability p of being present, anywhere alike,

    P(record is row y) = p R(y) / m / ((1 - p) + sum over rows of p R / m).

Records on a grid of some ``spacing`` repeat: another row may be at the very place of a record, with the probability of
a cell of the grid, however little noise there is. So no factor of the first density is larger than 1 / spacing. And a
near copy of a record is no draw from all rows either: a row that fits the record badly, by the chi-square of its k + 1
numbers, gets no probability at all.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri, logsumexp

from isobreach.geometry import ConsistentMotions, fit_motions, row_norms

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

PRESENT = 0.5  # prior probability that a record is in the release
_KEEP = 1e-4  # probability above which a row is a candidate
_CHUNK = 1 << 24  # entries of a table of ratios


@dataclass(frozen=True, eq=False)
class Posterior:
    """Per record: the likeliest row, its probability, that of absence, and the log of the evidence for presence."""

    row: IntArray
    probability: FloatArray
    absence: FloatArray
    evidence: FloatArray
    candidates: tuple[IntArray, ...]


class Likelihood:
    """What linked pairs say about all released rows."""

    def __init__(
        self,
        known: FloatArray,
        released: FloatArray,
        points: FloatArray,
        deviation: float,
        *,
        translates: bool,
        spacing: float,
    ) -> None:
        # A direction along which the linked records differ by no more than noise is not fitted.
        floor = 2.0 * deviation * np.sqrt(released.shape[1])
        self._motions = fit_motions(known, released, floor, translates=translates, whiten=False)
        self._deviation, self._links, self._translates, self._spacing = deviation, len(known), translates, spacing
        self._rows = coordinates(points, self._motions.released, self._motions.released_centre)
        self._log_other = self._population()

    @property
    def motions(self) -> ConsistentMotions:
        """The fitted motions."""
        return self._motions

    def posterior(self, records: FloatArray, present: float = PRESENT, worse: float = 1e-4) -> Posterior:
        """Posterior of each record's row; ``worse``: probability of a misfit beyond which a row does not count."""
        total = len(self._log_other)
        step = max(1, _CHUNK // total)
        row, probability, absence, evidence, candidates = [], [], [], [], []
        for start in range(0, len(records), step):
            log, misfit = self.log_ratio(records[start : start + step])
            log += np.log(present / total)
            whole = np.logaddexp(logsumexp(log, axis=1), np.log1p(-present))
            best = log.argmax(axis=1)
            here = np.arange(len(log)), best
            fits = misfit[here] <= chdtri(self._rows[0].shape[1] + 1, worse)
            row.append(best)
            probability.append(np.where(fits, np.exp(log[here] - whole), 0.0))
            absence.append(np.exp(np.log1p(-present) - whole))
            evidence.append(whole)
            candidates += [np.flatnonzero(one > limit) for one, limit in zip(log, whole + np.log(_KEEP), strict=True)]
        return Posterior(
            np.concatenate(row),
            np.concatenate(probability),
            np.concatenate(absence),
            np.concatenate(evidence),
            tuple(candidates),
        )

    def log_ratio(self, records: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Log of R(y), one row a record, one column a released row; and the chi-square of how badly each fits."""
        inside, apart = coordinates(records, self._motions.known, self._motions.known_centre)
        k, beyond = inside.shape[1], self._motions.released_hidden.shape[1]
        leverage = np.full(len(records), 1 / max(self._links, 1) if self._translates else 0.0)
        leverage += ((inside / self._motions.strength) ** 2).sum(axis=1)
        variance = (self._deviation**2 * (1 + leverage))[:, None]
        rows, rows_apart = self._rows
        gaps = (inside**2).sum(axis=1)[:, None] + (rows**2).sum(axis=1) - 2 * inside @ rows.T
        misfit = np.maximum(gaps, 0.0) / variance
        volume = k * np.log(np.maximum(2 * np.pi * variance, self._spacing**2))
        if self._motions.hidden_dimension:  # what lies beyond the records' own dimensions is noise for every row alike
            level = variance * beyond
            spread = 4 * apart[:, None] * variance + 2 * variance * level
            misfit += (rows_apart - apart[:, None] - level) ** 2 / spread
            volume = volume + np.log(np.maximum(2 * np.pi * spread, self._spacing**4))
        return -0.5 * (misfit + volume) - self._log_other, misfit

    def _population(self) -> FloatArray:
        """Log density of each released row's own (b, g) among all of them."""
        rows, apart = self._rows
        values = np.column_stack([rows, apart]) if self._motions.hidden_dimension else rows
        if not values.shape[1]:
            return np.zeros(len(rows))
        centred = values - values.mean(axis=0)
        spread = centred.T @ centred / len(centred)
        # Never narrower than the noise, whatever the sample.
        spread[np.diag_indices_from(spread)] += self._deviation**2 + 1e-12 * np.trace(spread) / len(spread)
        factor = np.linalg.cholesky(spread)
        white = np.linalg.solve(factor, centred.T)
        log_volume = np.log(np.diag(factor)).sum() + 0.5 * values.shape[1] * np.log(2 * np.pi)
        return np.asarray(-0.5 * (white**2).sum(axis=0) - log_volume)


def coordinates(rows: FloatArray, basis: FloatArray, centre: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Coordinates of rows in a basis about a centre, and the squared distance that remains."""
    moved = rows - centre
    inside = moved @ basis
    return inside, np.maximum(row_norms(moved) ** 2 - row_norms(inside) ** 2, 0.0)
