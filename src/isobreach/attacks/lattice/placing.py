# SPDX-License-Identifier: BSD-3-Clause
r"""Known records in the recovered table: which rows they may be, and what that says of the axes.

The rows of a record are not given, but a signed permutation with offsets keeps more than lengths: between two records
it keeps the *sizes of all differences*, as a multiset, and every further record must fit the same permutation. So rows
are proposed by what is cheap, and each placement of all records is then checked with all of its axes and attributes:

1. Offsets known (the release is not translated, or every axis fills its attribute's range): norms and distances, by
   ``link``; or, where axes are missing, the values of a row must be among the record's.
2. Offsets unknown: all pairs of rows at the distance of two known records, with the same sizes of differences
   (the two whose differences are rarest); further records stand at the right distances from both.
3. One record after the other, the one with the fewest rows left first. A row is out if no matching of axes to
   attributes agrees with it; the options of all placements that get to the end are joined.

Nothing that is true is lost on the way: every true placement passes every check. A search that would take too long
raises ``TooManyPlacementsError``, and nothing is said.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from isobreach._arrays import FloatArray, IntArray
from isobreach._progress import Progress
from isobreach.attacks.lattice.offsets import SIGNS, Options
from isobreach.geometry.lattice import ReductionEffort
from isobreach.linking import Cloud, TooManyError, distances_from, link


@dataclass(frozen=True)
class PlacingLimits:
    """Where the search for the known records' rows ends."""

    # Matchings of axes to attributes, times their options; set by hand, it only decides what stays open.
    most_matched: int = 1 << 20
    most_compared: int = 1 << 31  # Distances from rows that are tried; set by hand, it only decides what stays open.
    most_pairs: int = 4_000_000  # Pairs of rows at one distance: 64 MB.
    many_starts: int = 512  # Pairs of rows from which on linking all records at once is cheaper.
    many_known: int = 8  # Records whose distances alone tell most.
    sampled: int = 4096  # Pairs from which the rarest differences are guessed: any guess finds the same.
    seed: int = 0  # Of those pairs.
    part: int = 1 << 17  # Pairs whose differences are sorted at a time: 16 MB for 16 axes.
    link_nodes: int = 200_000  # Of a link that is only a shortcut: a tenth of what linking is given otherwise.
    centre_errors: int = 4  # Errors of a number that a record may be off about a centre that is itself found.


_LIMITS = PlacingLimits()


class TooManyPlacementsError(Exception):
    """The known records could be too many rows to try them all, or the seconds for it ended."""


class Placements:
    """Distinct known records and the distinct rows that they may be.

    ``values``: recovered axes alone. ``distances_kept``: the axes that are missing do not vary. ``centres``: a row and
    a record that lie on each other wherever an axis and an attribute belong together, where offsets are known.
    ``offsets_known``: the options say them, as the rows of other records are given.
    """

    def __init__(
        self,
        known: FloatArray,
        values: FloatArray,
        centres: tuple[FloatArray, FloatArray] | None,
        *,
        distances_kept: bool,
        effort: ReductionEffort | None,
        progress: Progress,
        offsets_known: bool = False,
    ) -> None:
        self._offsets_known = offsets_known
        self._known = np.unique(known, axis=0)
        self._points = np.unique(values, axis=0)
        self._centres, self._distances_kept = centres, distances_kept
        self._effort, self._progress = effort, progress
        self._nodes = 0
        work = values.shape[1] * known.shape[1]
        self._most_nodes = max(_LIMITS.most_matched // work, 4 * len(self._known))
        self._most_starts = min(4 * _LIMITS.most_matched // work, _LIMITS.most_compared // self._points.size)

    def options(self, options: Options) -> Options | None:
        """What is possible over all placements of all records; None where there is none."""
        self._nodes, found = 0, None
        for state, rows in self._starts(options):
            found = self._placed(state, rows, found)
        return found

    def _starts(self, options: Options) -> Iterator[tuple[Options, dict[int, IntArray]]]:
        """Options to start from, and the rows that each further record may then be."""
        error = float(options.error.max())
        if self._offsets_known:
            yield options, dict.fromkeys(range(len(self._known)), np.arange(len(self._points)))
        elif self._centres is not None:
            yield options, self._around_centre(*self._centres, _LIMITS.centre_errors * error)
        elif self._distances_kept and len(self._known) > 1:
            yield from self._pairs(options, error)
        else:
            yield options, dict.fromkeys(range(len(self._known)), np.arange(len(self._points)))

    def _placed(self, options: Options, rows: dict[int, IntArray], found: Options | None) -> Options | None:
        """``found``, joined with all placements of the records that have ``rows``."""
        if not rows:
            return options.either(found)
        rows = {i: self._left(options, i, several) for i, several in rows.items()}
        record = min(rows, key=lambda i: len(rows[i]))
        if self._nodes + len(rows[record]) > self._most_nodes:
            raise TooManyPlacementsError
        rest = {i: several for i, several in rows.items() if i != record}
        for row in rows[record]:
            self._check_time()
            self._nodes += 1
            further = options.linked(self._known[record], self._points[row]).matched()
            if further is not None:
                found = self._placed(further, rest, found)
        return found

    def _check_time(self) -> None:
        if self._effort is not None and not self._effort.left:
            raise TooManyPlacementsError

    def _left(self, options: Options, record: int, rows: IntArray) -> IntArray:
        return rows[options.agreeing(self._known[record], self._points[rows])]

    def _around_centre(self, point: FloatArray, centre: FloatArray, error: float) -> dict[int, IntArray]:
        """Rows that each record may be where offsets are known."""
        known, points = self._known - centre, self._points - point
        axes, attributes = points.shape[1], known.shape[1]
        if axes == attributes:
            rows = self._linked(known, points, error, "orthogonal")
            if rows is not None:
                return rows
        sizes = np.sort(np.abs(points), axis=1)
        out = {}
        for i, record in enumerate(np.sort(np.abs(known), axis=1)):
            fits = (sizes >= record[:axes] - error) & (sizes <= record[attributes - axes :] + error)
            out[i] = np.flatnonzero(fits.all(axis=1))
        return out

    def _linked(
        self, known: FloatArray, points: FloatArray, error: float, motion: Literal["orthogonal", "rigid"]
    ) -> dict[int, IntArray] | None:
        """Rows that each record may be by lengths alone, none where one has none; None where they were not found."""
        linkage = link(
            known, points, motion=motion, tolerance=error, node_limit=_LIMITS.link_nodes, progress=self._progress
        )
        if not linkage.complete:
            return None
        absent = bool((linkage.status == "absent").any())
        return {i: rows[: 0 if absent else None] for i, rows in enumerate(linkage.candidates)}

    def _pairs(self, options: Options, error: float) -> Iterator[tuple[Options, dict[int, IntArray]]]:
        """Options by the rows of two records, and the rows of the others by their distances from those two."""
        gap = 2 * error * np.sqrt(options.error.shape[0]) + 1e-9 * float(np.abs(self._points).max(initial=0.0))
        lengths = np.stack([distances_from(self._known, i) for i in range(len(self._known))])
        first, second = np.triu_indices(len(lengths), 1)
        rates = self._log_rates(np.abs(self._known[first] - self._known[second]), max(error, 1e-300))
        one, two = (int(side[np.argmin(rates)]) for side in (first, second))
        low, high = np.array([lengths[one, two] - gap]), np.array([lengths[one, two] + gap])
        try:
            u, v, _ = Cloud(self._points).pairs(low, high, _LIMITS.most_pairs, self._progress)
        except TooManyError:
            raise TooManyPlacementsError from None
        fits = self._same_sizes(u, v, np.abs(self._known[one] - self._known[two]), 2 * error)
        u, v = u[fits], v[fits]
        if len(u) > _LIMITS.many_starts and len(self._known) >= _LIMITS.many_known:
            linked = self._linked(self._known, self._points, error, "rigid")
            if linked is not None:
                yield options, linked
                return
        if len(u) > self._most_starts:
            raise TooManyPlacementsError
        others = np.setdiff1d(np.arange(len(self._known)), [one, two])
        for done, pair in enumerate(zip(u.tolist(), v.tolist(), strict=True), start=1):
            self._check_time()
            self._progress("placing known records", done, len(u))
            away = [distances_from(self._points, row) for row in pair]
            for a, b in ((0, 1), (1, 0)):
                rows = {
                    int(i): np.flatnonzero(
                        (np.abs(away[a] - lengths[one, i]) <= gap) & (np.abs(away[b] - lengths[two, i]) <= gap)
                    )
                    for i in others
                }
                if all(len(several) for several in rows.values()):
                    state = options.linked(self._known[one], self._points[pair[a]])
                    matched = state.linked(self._known[two], self._points[pair[b]]).matched()
                    if matched is not None:
                        yield matched, rows

    def _log_rates(self, sizes: FloatArray, error: float) -> FloatArray:
        """How common differences of given sizes are, in any order, as if those of the axes were independent: a log."""
        rng = np.random.default_rng(_LIMITS.seed)
        u, v = rng.integers(len(self._points), size=(2, _LIMITS.sampled))
        seen, counts = np.unique(_keys(np.abs(self._points[u] - self._points[v]), error), return_counts=True)
        out = []
        for several in sizes:
            wanted, times = np.unique(_keys(np.sort(several)[-self._points.shape[1] :], error), return_counts=True)
            place = np.minimum(np.searchsorted(seen, wanted), len(seen) - 1)
            share = np.where(seen[place] == wanted, counts[place], 1) / counts.sum()
            out.append((times * np.log(share) - gammaln(times + 1)).sum())
        return np.array(out)

    def _same_sizes(self, u: IntArray, v: IntArray, sizes: FloatArray, error: float) -> NDArray[np.bool_]:
        """Pairs of rows whose differences have the given sizes, in any order."""
        missing = len(sizes) - self._points.shape[1]
        wanted = np.sort(sizes)
        if (wanted[:missing] > error).any():
            return np.zeros(len(u), dtype=np.bool_)
        out = np.empty(len(u), dtype=np.bool_)
        for start in range(0, len(u), _LIMITS.part):
            part = slice(start, start + _LIMITS.part)
            gaps = np.abs(self._points[u[part]] - self._points[v[part]])
            close = np.abs(gaps.sum(axis=1) - wanted.sum()) <= error * len(wanted)
            gaps = np.sort(gaps[close], axis=1)
            close[close] = (np.abs(gaps - wanted[missing:]) <= error).all(axis=1)
            out[part] = close
        return out


def _keys(sizes: FloatArray, error: float) -> FloatArray:
    """The same number for sizes that are the same within the error, but for a few at the edge."""
    return np.asarray(np.rint(sizes / (16 * error)))


def centres_of(
    options: Options, values: FloatArray, bounds: FloatArray | None, *, origin_known: bool
) -> tuple[FloatArray, FloatArray] | None:
    """A row and a record that lie on each other whatever axis is whatever attribute; None where offsets are open."""
    if origin_known:
        return np.zeros(values.shape[1]), np.zeros(options.error.shape[1])
    if bounds is None or not np.isfinite(bounds).all() or not (options.sharp() == options.possible).all():
        return None
    point, centre = (values.min(axis=0) + values.max(axis=0)) / 2, bounds.mean(axis=1)
    possible = options.possible
    middle = np.where(possible, options.lower, 0.0) / 2 + np.where(possible, options.upper, 0.0) / 2
    expected = centre[None, :, None] - point[:, None, None] * SIGNS
    error = (_LIMITS.centre_errors - 1) * options.error[:, :, None]
    return (point, centre) if (~possible | (np.abs(middle - expected) <= error)).all() else None
