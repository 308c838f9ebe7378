# SPDX-License-Identifier: BSD-3-Clause
r"""Links under noise, by likelihood.

Released rows are y = M x + t + e with independent Gaussian noise of standard deviation s on each of N coordinates.
Given links that fix M on k dimensions, a row has coordinates b in those (k numbers) and a squared distance g from
them; a record has a and its own squared distance f. If the row is the record,

    b_j ~ Normal(a_j, s^2 (1 + v + f / w_j^2)),      g ~ Normal(f + (N - k) s^2, 4 f s^2 + 2 (N - k) s^4)

with v the record's leverage and w_j the spread of the linked records along direction j: what the error of the fitted
motion adds, within its span and by tilting it. If it is not, b and g are draws from all released rows, described by
normal distributions fitted to them, or by the nearest rows' density where that is higher. The ratio of the two
densities, R(y), weighs rows against each other and against the record's absence: with prior probability p of being
present, anywhere alike,

    P(record is row y) = p R(y) / m / ((1 - p) + sum over rows of p R / m).

Records on a grid of some ``spacing`` repeat: another row may be at the very place of a record, with the probability of
a cell of the grid, however little noise there is. So no factor of the first density is larger than 1 / spacing. And a
near copy of a record is no draw from all rows either: a row that fits the record badly, by the chi-square of its k + 1
numbers, gets no probability at all.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri, gammaln, logsumexp

from isobreach.geometry import fit_motions, row_norms

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

PRESENT = 0.5  # prior probability that a record is in the release
_KEEP = 1e-4  # probability above which a row is a candidate
_NEIGHBOURS = (1, 3, 10)
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
        # Squared lengths are computed to about 1e-15 of the longest row's.
        deviation = max(deviation, 1e-7 * float(row_norms(points).max()))
        # A direction along which the linked records differ by no more than noise is not fitted.
        floor = 2.0 * deviation * np.sqrt(released.shape[1])
        self._motions = fit_motions(known, released, floor, translates=translates, whiten=False)
        self._deviation, self._links, self._translates, self._spacing = deviation, len(known), translates, spacing
        fitted = self._motions
        self._rows = _coordinates(points, fitted.released, fitted.released_hidden, fitted.released_centre)
        self._log_inside = _log_normal(self._rows[0], deviation)
        self._log_other = self._log_inside
        if fitted.hidden_dimension:
            self._log_other = self._log_inside + _log_normal(self._rows[1][:, None], deviation**2)

    def posterior(self, records: FloatArray, present: float = PRESENT, worse: float = 1e-4) -> Posterior:
        """Posterior of each record's row; ``worse``: probability of a misfit beyond which a row does not count."""
        total = len(self._log_other)
        step = max(1, _CHUNK // total)
        row, probability, absence, evidence, candidates = [], [], [], [], []
        for start in range(0, len(records), step):
            log, misfit = self.log_ratio(records[start : start + step])
            log += np.log(present / total)
            best = log.argmax(axis=1)
            here = np.arange(len(log)), best
            rows = logsumexp(log, axis=1)
            whole = np.logaddexp(rows, np.log1p(-present))
            doubted = np.logaddexp(rows, np.log1p(-present) + self._crowding(best))  # near copies may be there instead
            fits = misfit[here] <= chdtri(self._rows[0].shape[1] + 1, worse)
            row.append(best)
            probability.append(np.where(fits, np.exp(log[here] - doubted), 0.0))
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
        fitted = self._motions
        inside, apart = _coordinates(records, fitted.known, fitted.known_hidden, fitted.known_centre)
        beyond = fitted.released_hidden.shape[1]
        leverage = np.full(len(records), 1 / max(self._links, 1) if self._translates else 0.0)
        leverage += ((inside / fitted.strength) ** 2).sum(axis=1)
        variance = (self._deviation**2 * (1 + leverage))[:, None]
        along = variance + self._deviation**2 * apart[:, None] / fitted.strength**2
        rows, rows_apart = self._rows
        weight = 1 / along
        misfit = (weight * inside**2).sum(axis=1)[:, None] + weight @ (rows**2).T - 2 * (weight * inside) @ rows.T
        misfit = np.maximum(misfit, 0.0)
        volume = np.log(np.maximum(2 * np.pi * along, self._spacing**2)).sum(axis=1)[:, None]
        if self._motions.hidden_dimension:  # what lies beyond the records' own dimensions is noise for every row alike
            level = variance * beyond
            spread = 4 * apart[:, None] * variance + 2 * variance * level
            misfit += (rows_apart - apart[:, None] - level) ** 2 / spread
            volume = volume + np.log(np.maximum(2 * np.pi * spread, self._spacing**4))
        return np.asarray(-0.5 * (misfit + volume) - self._log_other), misfit

    def _crowding(self, places: IntArray) -> FloatArray:
        """By how much, in logs, rows are denser right beside each of these than the fitted normal distribution says."""
        rows, _ = self._rows
        total, k = rows.shape
        if k == 0 or total < 2:
            return np.zeros(len(places))
        squares = (rows**2).sum(axis=1)
        gaps = squares[places][:, None] + squares - 2 * rows[places] @ rows.T
        gaps[np.arange(len(places)), places] = np.inf
        near = np.array([count for count in _NEIGHBOURS if count < total])
        closest = np.sort(np.partition(gaps, near - 1, axis=1)[:, : near[-1]], axis=1)[:, near - 1]
        log_ball = 0.5 * k * np.log(np.pi) - gammaln(k / 2 + 1) + 0.5 * k * np.log(np.maximum(closest, 1e-300))
        density = (np.log(near / total) - log_ball).max(axis=1)
        return np.asarray(np.maximum(density - self._log_inside[places], 0.0))


def _log_normal(values: FloatArray, least: float) -> FloatArray:
    """Log density of each row under the normal distribution fitted to all, never narrower than ``least``."""
    if not values.shape[1]:
        return np.zeros(len(values))
    centred = values - values.mean(axis=0)
    spread = centred.T @ centred / len(centred)
    spread[np.diag_indices_from(spread)] += least**2 + 1e-12 * np.trace(spread) / len(spread)
    factor = np.linalg.cholesky(spread)
    white = np.linalg.solve(factor, centred.T)
    log_volume = np.log(np.diag(factor)).sum() + 0.5 * values.shape[1] * np.log(2 * np.pi)
    return np.asarray(-0.5 * (white**2).sum(axis=0) - log_volume)


def _coordinates(
    rows: FloatArray, basis: FloatArray, hidden: FloatArray, centre: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Coordinates of rows in a basis about a centre, and their squared length in the hidden rest."""
    moved = rows - centre
    return moved @ basis, row_norms(moved @ hidden) ** 2
