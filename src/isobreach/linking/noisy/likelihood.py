# SPDX-License-Identifier: BSD-3-Clause
r"""Links under noise, by likelihood.

Released rows are y = M x + t + e with independent Gaussian noise of standard deviation s on each of N coordinates.
Given links that fix M on k dimensions, a row has coordinates b in those (k numbers) and a squared distance g from
them; a record has a and its own squared distance f. If the row is the record,

    b_j ~ Normal(a_j, s^2 (1 + v_j + f / w_j^2)),    g ~ Normal(f + (N - k) s_v^2, 4 f s_v^2 + 2 (N - k) s_v^4)

    v_j = sum over i != j of a_i^2 / (w_i^2 + w_j^2),        s_v^2 = s^2 (1 + sum of a_i^2 / w_i^2)

with w_j the spread of the linked records along direction j. That is what the error of the fitted motion adds: a least
squares rotation errs in the plane of directions i and j by an angle of variance s^2 / (w_i^2 + w_j^2), and nothing is
fitted across (w = 0). A translation adds s^2 / links. If the row is not the record, b and g are draws from all released
rows, described by normal distributions fitted to them, or by the nearest rows' density where that is higher. The ratio
of the two densities, R(y), weighs rows against each other and against the record's absence: with prior probability p of
being present (1/2, or more where most of the other known records are found), anywhere alike,

    P(record is row y) = p R(y) / m / ((1 - p) + sum over rows of p R / m).

Records on a grid of some ``spacing`` repeat: another row may be at the very place of a record, with the probability of
a cell of the grid, however little noise there is. So no factor of the first density is larger than 1 / spacing. And a
near copy of a record is no draw from all rows either: a row that fits the record badly, by the chi-square of its k + 1
numbers, gets no probability at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri, gammaln, logsumexp

from isobreach._arrays import FloatArray, IntArray
from isobreach.geometry import fit_motions, row_norms
from isobreach.linking.noisy.twins import TWINS, log_doubt


@dataclass(frozen=True)
class Believing:
    """Priors and extents of posteriors.

    Attributes
    ----------
    present
        Prior probability that a record is in the release.
    most_present
        The same, at most, where the other known records are found. On tables where the noise leaves just enough to link
        by, 0.9 links one stranger in 1,000, 0.97 two or three; 0.5 links one in 5,000 and loses up to two thirds of
        the records.
    keep
        Probability above which a row is a candidate.
    neighbours
        Counts of nearest rows from which a density is read.
    chunk
        Entries of a table of ratios: 128 MiB.
    rounds
        Of estimating the share that is present: it moves by less than 0.001 after that.
    """

    present: float = 0.5
    most_present: float = 0.8
    keep: float = 1e-4
    neighbours: tuple[int, ...] = (1, 3, 10)
    chunk: int = 1 << 24
    rounds: int = 20


BELIEVING = Believing()


@dataclass(frozen=True, eq=False)
class Posterior:
    """Per record: the likeliest row and what probabilities follow from, for a prior probability of being present.

    ``best``: log of R(y) / m of the likeliest row; ``rows``: log of its sum over all rows; ``crowding``: by how much,
    in logs, near copies are likelier to be there instead; ``fits``: whether the noise explains that row's ``misfit``,
    of so many degrees of ``freedom``; ``offset``: by how much the next row's misfit that no noise makes exceeds them;
    ``twins``: log of the doubt that near twins cast, where it is counted.
    """

    row: IntArray
    best: FloatArray
    rows: FloatArray
    crowding: FloatArray
    fits: NDArray[np.bool_]
    misfit: FloatArray
    freedom: FloatArray
    offset: FloatArray
    twins: FloatArray
    candidates: tuple[IntArray, ...]
    present: float

    @property
    def evidence(self) -> FloatArray:
        """Log of the evidence for presence: p times the sum over all rows, plus 1 - p."""
        return np.asarray(np.logaddexp(np.log(self.present) + self.rows, np.log1p(-self.present)))

    @property
    def probability(self) -> FloatArray:
        """Probability of the likeliest row."""
        doubted = np.logaddexp(np.log(self.present) + self.rows, np.log1p(-self.present) + self.crowding)
        doubted = np.logaddexp(doubted, self.best + self.twins)
        return np.asarray(np.where(self.fits, np.exp(np.log(self.present) + self.best - doubted), 0.0))

    @property
    def absence(self) -> FloatArray:
        """Probability that the record is in no row."""
        return np.asarray(np.exp(np.log1p(-self.present) - self.evidence))

    @classmethod
    def together(cls, parts: "Sequence[tuple[IntArray, Posterior]]") -> "Posterior":
        """One posterior out of several for one prior, each of the records at its places."""
        order = np.argsort(np.concatenate([places for places, _ in parts]))
        columns: dict[str, Any] = {
            name: np.concatenate([getattr(one, name) for _, one in parts])[order] for name in _COLUMNS
        }
        candidates = [own for _, one in parts for own in one.candidates]
        return cls(**columns, candidates=tuple(candidates[k] for k in order.tolist()), present=parts[0][1].present)

    def with_others(self, places: IntArray, others: "Posterior") -> "Posterior":
        """The same, with what is known of the records at some places taken from another posterior."""
        candidates = list(self.candidates)
        for place, one in zip(places.tolist(), others.candidates, strict=True):
            candidates[place] = one
        columns = {name: getattr(self, name).copy() for name in _COLUMNS}
        for name, column in columns.items():
            column[places] = getattr(others, name)
        return replace(self, **columns, candidates=tuple(candidates))

    def among_twins(self) -> "Posterior":
        """The same, doubted for the sake of near twins: all that show are counted as those of absent records."""
        edge = float((chdtri(self.freedom, TWINS.edge) - self.freedom).min())
        return replace(self, twins=log_doubt(self.misfit, self.freedom, self.offset, edge))

    def among_rivals(self, copies: IntArray) -> FloatArray:
        """Probability of the likeliest row, which only one of these records can have; ``copies`` of rows: any."""
        weight = np.where(self.fits, np.exp(self.best - self.best.max(initial=-np.inf)), 0.0)
        together = np.bincount(self.row, weights=weight, minlength=len(copies))[self.row]
        share = weight / np.maximum(together, np.finfo(np.float64).tiny)
        return np.asarray(np.where(copies[self.row] > 1, 1.0, share) * self.probability)

    def by_share(self) -> "Posterior":
        """The same, with the share of all records that seem to be present as the prior, between 1/2 and 4/5.

        Expectation and maximisation: p is the mean probability of presence, two more records counted as one present
        and one absent.
        """
        found = self
        for _ in range(BELIEVING.rounds):
            share = (float((1 - found.absence).sum()) + 1) / (len(self.row) + 2)
            found = replace(self, present=float(np.clip(share, self.present, BELIEVING.most_present)))
        return found


_COLUMNS = ("row", "best", "rows", "crowding", "fits", "misfit", "freedom", "offset", "twins")


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
        self._rows = _coordinates(points, fitted.released, fitted.released_centre)
        self._log_inside = _log_normal(self._rows[0], deviation)
        self._log_other = self._log_inside
        if fitted.hidden_dimension:
            self._log_other = self._log_inside + _log_normal(self._rows[1][:, None], deviation**2)

    def posterior(self, records: FloatArray, present: float = BELIEVING.present, worse: float = 1e-4) -> Posterior:
        """Posterior of each record's row; ``worse``: probability of a misfit beyond which a row does not count."""
        total = len(self._log_other)
        step = max(1, BELIEVING.chunk // total)
        parts, candidates = [], []
        for start in range(0, len(records), step):
            log, misfit = self.log_ratio(records[start : start + step])
            log -= np.log(total)
            row = log.argmax(axis=1)
            here = np.arange(len(log)), row
            rows = logsumexp(log, axis=1)
            freedom = self._rows[0].shape[1] + 1
            fits = misfit[here] <= chdtri(freedom, worse)
            others = np.where(misfit > chdtri(freedom, TWINS.edge), misfit, np.inf).min(axis=1) - freedom
            own = log[here], rows, self._crowding(row), fits, misfit[here]
            parts.append((row, *own, np.full(len(row), float(freedom)), others, np.full(len(row), -np.inf)))
            least = np.logaddexp(rows, np.log1p(-present) - np.log(present)) + np.log(BELIEVING.keep)
            candidates += [np.flatnonzero(one > limit) for one, limit in zip(log, least, strict=True)]
        columns: dict[str, Any] = dict(
            zip(_COLUMNS, (np.concatenate(one) for one in zip(*parts, strict=True)), strict=True)
        )
        return Posterior(**columns, candidates=tuple(candidates), present=present)

    def log_ratio(self, records: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Log of R(y), one row a record, one column a released row; and the chi-square of how badly each fits."""
        fitted = self._motions
        inside, apart = _coordinates(records, fitted.known, fitted.known_centre)
        beyond = fitted.released.shape[0] - fitted.released.shape[1]
        moved = 1 / max(self._links, 1) if self._translates else 0.0
        spread = fitted.strength**2
        planes = 1 / (spread[:, None] + spread)
        np.fill_diagonal(planes, 0.0)
        along = self._deviation**2 * (1 + moved + inside**2 @ planes + apart[:, None] / spread)
        variance = self._deviation**2 * (1 + moved + (inside**2 / spread).sum(axis=1))[:, None]
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
        near = np.array([count for count in BELIEVING.neighbours if count < total])
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


def _coordinates(rows: FloatArray, basis: FloatArray, centre: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Coordinates of rows in an orthonormal basis about a centre, and the squared length of what lies across it."""
    moved = rows - centre if centre.any() else rows
    inside = moved @ basis
    # By Pythagoras: the other directions are hundreds where records are vectors, and their basis is costly.
    across = np.einsum("ij,ij->i", moved, moved) - np.einsum("ij,ij->i", inside, inside)
    return inside, np.maximum(across, 0.0)
