# SPDX-License-Identifier: BSD-3-Clause
r"""Fitting the motion again, to all rows: attributes on a grid make every row tell of it, not only the linked ones.

Estimates e of an attribute with values v of frequency p(v), each off by s, have the posterior mean

    z = sum of v w(v),    w(v) proportional to p(v) exp(-(e - v)^2 / (2 s^2)).

Taken for the records, they give a better motion (orthogonal Procrustes) and better frequencies, these give better
estimates, and so on: expectation and maximisation for a rotation of points on a grid. Linked rows keep their records.
s^2 starts well above sigma^2 and falls: rounding too early would hold on to the first mistakes. Values a little beyond
the range that records show are allowed for; frequencies decide. Of several starts the one wins under which the
estimates are most likely,

    mean over rows of  sum over attributes of  log sum over v of p(v) exp(-(e - v)^2 / (2 sigma^2)),

which needs no truth, and proves nothing either. Where only directions of whole numbers are released (``rays``), the
likeliest directions take the place of z, and their cost that of the likelihood.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from isobreach.attacks.refine.evidence import Evidence
from isobreach.attacks.refine.rays import Rays

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Refitting:
    """How the motion is fitted again. Chosen on answers 1-5 under noise with 6 to 16 links, and on 0/1 values.

    Attributes
    ----------
    rounds
        Rounds at most: s^2 is next to sigma^2 after twenty, and few need more than ten after that.
    first, falls
        s^2 - sigma^2 in the first round, in squared steps, and its factor from round to round.
    least
        Least s, in steps: a likelihood needs one.
    weight
        Of a linked record, whose values are known, beside those that are estimated.
    pseudo
        Count that every value has before any record is seen.
    beyond
        Steps beyond the range that records show: six records of five values seldom show all of them.
    most_values
        Values of an attribute beyond which it counts as continuous.
    settled
        Change of the motion from round to round, in its largest entry, from which on it is found.
    """

    rounds: int = 40
    first: float = 0.3
    falls: float = 0.75
    least: float = 0.05
    weight: float = 3.0
    pseudo: float = 2.0
    beyond: int = 2
    most_values: int = 64
    settled: float = 1e-4


_REFITTING = Refitting()


@dataclass(frozen=True, eq=False)
class _Values:
    """Values of one attribute, how often each is met, and the square of its step."""

    values: FloatArray
    counts: FloatArray
    square: float

    def log_weights(self, estimates: FloatArray, square: float) -> FloatArray:
        """Logs of p(v) exp(-(e - v)^2 / (2 s^2)), a row for each estimate."""
        square = max(square, _REFITTING.least**2 * self.square)
        return np.asarray(
            np.log(self.counts / self.counts.sum()) - (estimates[:, None] - self.values) ** 2 / (2 * square)
        )

    def met(self, counts: FloatArray) -> "_Values":
        """The same with other counts."""
        return replace(self, counts=counts + _REFITTING.pseudo)


class _Told(Protocol):
    """What estimates, each off by a noise, say of records."""

    def expected(self, estimates: FloatArray, noise: float, wide: float) -> tuple[FloatArray, "_Told"]:
        """Posterior means with s^2 larger by so many squared steps, and what is then told."""

    def likely(self, estimates: FloatArray, noise: float) -> FloatArray:
        """The likeliest records."""

    def score(self, estimates: FloatArray, noise: float) -> float:
        """Mean log-likelihood of a row's estimates."""


@dataclass(frozen=True, eq=False)
class _OnGrid:
    """Values of each attribute; None where it is continuous, and stays as it is."""

    attributes: tuple[_Values | None, ...]

    @property
    def _there(self) -> list[tuple[int, _Values]]:
        return [(j, one) for j, one in enumerate(self.attributes) if one is not None]

    def expected(self, estimates: FloatArray, noise: float, wide: float) -> tuple[FloatArray, "_OnGrid"]:
        """Attribute by attribute; the same with how often all rows have each value."""
        guessed, found = estimates.copy(), list(self.attributes)
        for j, one in self._there:
            weights, _ = _weights(one.log_weights(estimates[:, j], noise**2 + wide * one.square))
            guessed[:, j], found[j] = weights @ one.values, one.met(weights.sum(axis=0))
        return guessed, _OnGrid(tuple(found))

    def likely(self, estimates: FloatArray, noise: float) -> FloatArray:
        """The likeliest values."""
        found = estimates.copy()
        for j, one in self._there:
            found[:, j] = one.values[one.log_weights(estimates[:, j], noise**2).argmax(axis=1)]
        return found

    def score(self, estimates: FloatArray, noise: float) -> float:
        """Sum over attributes."""
        likely = [_weights(one.log_weights(estimates[:, j], noise**2))[1].mean() for j, one in self._there]
        return float(sum(likely))


@dataclass(frozen=True, eq=False)
class _OnRays:
    """Directions of whole numbers."""

    rays: Rays

    def expected(self, estimates: FloatArray, noise: float, wide: float) -> tuple[FloatArray, "_OnRays"]:
        """Means over lengths; a step is as long as it is at the middle length."""
        step = 1 / float(np.median(self.rays.lengths))
        return self.rays.expected(estimates, float(np.sqrt(noise**2 + wide * step**2))), self

    def likely(self, estimates: FloatArray, noise: float) -> FloatArray:
        """The likeliest directions."""
        return self.rays.likely(estimates, noise)[0]

    def score(self, estimates: FloatArray, noise: float) -> float:
        """By the cost of the likeliest direction."""
        return -float(self.rays.likely(estimates, noise)[1].mean())


@dataclass(frozen=True, eq=False)
class Refit:
    """A motion fitted to all rows: x = known_centre + (y - released_centre) matrix.

    Attributes
    ----------
    known_centre, released_centre, matrix
        The map.
    score
        Mean log-likelihood of a row's estimates.
    """

    known_centre: FloatArray
    released_centre: FloatArray
    matrix: FloatArray
    score: float
    _told: _Told
    _noise: float

    def estimates(self, rows: FloatArray) -> FloatArray:
        """Return estimates of the records of rows.

        Parameters
        ----------
        rows
            Released rows, at the records' scale.
        """
        return np.asarray(self.known_centre + (rows - self.released_centre) @ self.matrix)

    def likely(self, rows: FloatArray) -> FloatArray:
        """Return the likeliest values of the records of rows; estimates where an attribute is continuous.

        Parameters
        ----------
        rows
            Released rows, at the records' scale.
        """
        return self._told.likely(self.estimates(rows), self._noise)


def can_refit(evidence: Evidence) -> bool:
    """Return whether an attribute has a grid of few values, or records are directions of whole numbers.

    Parameters
    ----------
    evidence
        Of which grid, rays, ranges and records are used.
    """
    return _told(evidence) is not None


def refit(
    starts: Iterable[FloatArray],
    rows: FloatArray,
    evidence: Evidence,
    places: IntArray,
    records: FloatArray,
    *,
    translates: bool,
) -> Refit:
    """Return the most likely of the motions that estimates of all rows lead to.

    Parameters
    ----------
    starts
        Estimates of the rows' records, m x n each.
    rows
        Released rows, m x N, at the records' scale.
    evidence
        Of which grid, ranges, records and noise are used.
    places, records
        Rows whose records are known, and these.
    translates
        Whether the motion has a translation.
    """
    pinned = _Pinned(rows, places, records, translates)
    told = _told(evidence)
    assert told is not None  # can_refit
    return max((pinned.followed(start, told, evidence.noise) for start in starts), key=lambda one: one.score)


def _told(evidence: Evidence) -> _Told | None:
    """Rays, or the values of every attribute that has a grid within a range, and few of them."""
    if evidence.rays is not None:
        return _OnRays(evidence.rays)
    grid, ranges, held = evidence.steps, evidence.ranges, evidence.population
    if grid is None or ranges is None or held is None:
        return None
    bounds = np.tile([-np.inf, np.inf], (held.shape[1], 1)) if evidence.bounds is None else evidence.bounds
    attributes = tuple(
        _values(
            column[np.isfinite(column)],
            max(low - _REFITTING.beyond * step, least),
            min(high + _REFITTING.beyond * step, most),
            step,
            offset,
        )
        for column, low, high, (least, most), step, offset in zip(
            held.T, *ranges, bounds, grid.step, grid.offset, strict=True
        )
    )
    return _OnGrid(attributes) if any(one is not None for one in attributes) else None


def _values(own: FloatArray, low: float, high: float, step: float, offset: float) -> _Values | None:
    """Values of an attribute and how often the attacker's records have each."""
    if not 0 < (high - low) / step < _REFITTING.most_values:  # not a number where there is no grid
        return None
    values = offset + step * np.arange(
        np.ceil((low - offset) / step - 1e-9), np.floor((high - offset) / step + 1e-9) + 1
    )
    if not len(values):  # a range between two values of the grid
        return None
    counts = np.bincount(np.abs(own[:, None] - values).argmin(axis=1), minlength=len(values)).astype(np.float64)
    return _Values(values, counts + _REFITTING.pseudo, float(step**2))


class _Pinned:
    """Released rows, some with their records."""

    def __init__(self, rows: FloatArray, places: IntArray, records: FloatArray, translates: bool) -> None:
        self._rows, self._places, self._records, self._translates = rows, places, records, translates
        self._weights = np.ones(len(rows))
        self._weights[places] = _REFITTING.weight

    def followed(self, start: FloatArray, told: _Told, noise: float) -> Refit:
        """Where a start leads to."""
        estimates, last = start, np.asarray(np.inf)
        for turn in range(_REFITTING.rounds):
            wide = _REFITTING.first * _REFITTING.falls**turn
            guessed, told = told.expected(estimates, noise, wide)
            guessed[self._places] = self._records
            fitted = self._fitted(guessed, told, noise)
            estimates = fitted.estimates(self._rows)
            if np.abs(fitted.matrix - last).max() < _REFITTING.settled:
                break
            last = fitted.matrix
        return replace(fitted, score=told.score(estimates, noise))

    def _fitted(self, guessed: FloatArray, told: _Told, noise: float) -> Refit:
        """The motion that takes guessed records to the rows."""
        share = self._translates * self._weights / self._weights.sum()
        known_centre, released_centre = share @ guessed, share @ self._rows
        pairs = (self._weights[:, None] * (self._rows - released_centre)).T @ (guessed - known_centre)
        inner, _, outer = np.linalg.svd(pairs, full_matrices=False)
        return Refit(known_centre, released_centre, inner @ outer, -np.inf, told, noise)


def _weights(log: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Weights that sum to one in each row, and the log of what they summed to."""
    highest = log.max(axis=1, keepdims=True)
    weights = np.exp(log - highest)
    total = weights.sum(axis=1, keepdims=True)
    return weights / total, np.log(total) + highest
