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

which needs no truth, and proves nothing either. Where several attributes share a list (``lists``), its combinations
take the place of values and of attributes. Where only directions of whole numbers are released (``rays``), the
likeliest directions take the place of z, and their cost that of the likelihood.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from isobreach._arrays import FloatArray, IntArray
from isobreach.attacks.refine.evidence import Evidence
from isobreach.attacks.refine.lists import Listed, ListPart
from isobreach.attacks.refine.rays import Rays


@dataclass(frozen=True)
class Refitting:
    """How the motion is fitted again. Chosen on answers 1-5 under noise with 6 to 16 links, and on 0/1 values.

    Attributes
    ----------
    rounds
        Rounds at most: s^2 is next to sigma^2 after twenty, and few need more than ten after that.
    first, falls
        s^2 - sigma^2 in the first round, in squared steps, and its factor from round to round.
    weight
        Of a linked record, whose values are known, beside those that are estimated.
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
    weight: float = 3.0
    beyond: int = 2
    most_values: int = 64
    settled: float = 1e-4


_REFITTING = Refitting()


class _Told(Protocol):
    """What estimates, each off by a noise, say of records."""

    def expected(self, estimates: FloatArray, noise: float, wide: float) -> tuple[FloatArray, "_Told"]:
        """Posterior means with s^2 larger by so many squared steps, and what is then told."""

    def likely(self, estimates: FloatArray, noise: float) -> FloatArray:
        """The likeliest records."""

    def score(self, estimates: FloatArray, noise: float) -> float:
        """Mean log-likelihood of a row's estimates."""


@dataclass(frozen=True, eq=False)
class _OnLists:
    """Values of the attributes, part by part; the others are continuous, and stay as they are."""

    parts: tuple[ListPart, ...]

    def expected(self, estimates: FloatArray, noise: float, wide: float) -> tuple[FloatArray, "_OnLists"]:
        """Part by part; the same with how often all rows have each value."""
        guessed, found = estimates.copy(), []
        for one in self.parts:
            guessed[:, one.columns], then = one.expected(estimates[:, one.columns], noise, wide)
            found.append(then)
        return guessed, _OnLists(tuple(found))

    def likely(self, estimates: FloatArray, noise: float) -> FloatArray:
        """The likeliest values."""
        found = estimates.copy()
        for one in self.parts:
            found[:, one.columns] = one.likely(estimates[:, one.columns], noise)
        return found

    def score(self, estimates: FloatArray, noise: float) -> float:
        """Sum over parts."""
        return float(sum(one.score(estimates[:, one.columns], noise) for one in self.parts))


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
    """Return whether attributes have lists or a grid of few values, or records are directions of whole numbers.

    Parameters
    ----------
    evidence
        Of which lists, grid, rays, ranges and records are used.
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
        Of which lists, grid, ranges, records and noise are used.
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
    """What lists say, and the values of every other attribute that has a grid within a range, and few; or rays.

    Arrangements of the same values have one length, so that rays are shown too: they say less.
    """
    if evidence.rays is not None and not any(len(part.columns) > 1 for part in evidence.lists):
        return _OnRays(evidence.rays)
    parts = (*evidence.lists, *_on_grid(evidence))
    return _OnLists(parts) if parts else None


def _on_grid(evidence: Evidence) -> Iterator[Listed]:
    """Values of the attributes that have a grid, and no list."""
    grid, ranges, held = evidence.steps, evidence.ranges, evidence.population
    if grid is None or ranges is None or held is None:
        return
    bounds = np.tile([-np.inf, np.inf], (held.shape[1], 1)) if evidence.bounds is None else evidence.bounds
    listed = {int(j) for part in evidence.lists for j in part.columns}
    for j, (column, low, high, (least, most), step, offset) in enumerate(
        zip(held.T, *ranges, bounds, grid.step, grid.offset, strict=True)
    ):
        ends = max(low - _REFITTING.beyond * step, least), min(high + _REFITTING.beyond * step, most)
        values = _values(*ends, step, offset)
        if j not in listed and len(values):
            own = column[np.isfinite(column)]
            counts = np.bincount(np.abs(own[:, None] - values).argmin(axis=1), minlength=len(values))
            yield Listed.met(np.array([j]), values[:, None], counts, float(step**2))


def _values(low: float, high: float, step: float, offset: float) -> FloatArray:
    """Values of an attribute; none where it has no grid, or too many."""
    if not 0 < (high - low) / step < _REFITTING.most_values:  # not a number where there is no grid
        return np.empty(0)
    first, last = np.ceil((low - offset) / step - 1e-9), np.floor((high - offset) / step + 1e-9)
    return np.asarray(offset + step * np.arange(first, last + 1))  # none in a range between two values of the grid


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
