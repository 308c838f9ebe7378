# SPDX-License-Identifier: BSD-3-Clause
r"""An unknown common scale, from ratios of distances.

Under a similarity released distances are s times the known ones. For a few known records, c and j = 1, 2, ..., and any
released value u in the place of c, each other value v in the place of record 1 proposes s = |u - v| / D_c1. The
proposal stands if values at the distances s D_c2, s D_c3, ... from u exist too (looked up in the sorted distances
from u), and one of those for record 2 is at the distance s D_12 from v. That costs m^2 log m; what stands is nearly
always the truth.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from isobreach._arrays import FloatArray, IntArray
from isobreach._compiled import compiled, first_from
from isobreach.engine import Workers
from isobreach.geometry import row_norms
from isobreach.linking.problem import Problem
from isobreach.release import Precision, merged


@dataclass(frozen=True)
class ScaleSearch:
    """How many scales are proposed.

    Attributes
    ----------
    records, tries
        Records that are looked for around a centre, and such groups that are tried where the first have no place.
    scales
        Scales that are returned at most: each costs a search.
    proposals
        Of one task: more are those of a grid, and say nothing.
    centres
        Released values that a task takes as centres.
    """

    records: int = 6
    tries: int = 3
    scales: int = 32
    proposals: int = 4096
    centres: int = 64


_SEARCH = ScaleSearch()


@dataclass(frozen=True)
class Scales:
    """Scales that ratios of distances allow, each with its relative error; ``complete`` if they are all."""

    values: tuple[tuple[float, float], ...]
    complete: bool


def scales(problem: Problem, precision: Precision, known_unit: float) -> Iterator[Scales]:
    """Scales at which a few known records find a place together; then those of a few others, and so on."""
    known = problem.known
    found = problem.values(precision.unit)
    error = 2 * float(precision.length_error(np.array([2 * found.longest]), found.points.shape[1])[0])
    # Far records first: their distances are the most precise, relative to themselves.
    order = np.argsort(-row_norms(known - known.mean(axis=0)), kind="stable")
    for start in range(0, min(len(order) - 2, _SEARCH.tries * _SEARCH.records), _SEARCH.records):
        chosen = known[order[start : start + _SEARCH.records]]
        if len(chosen) < 3:
            return
        # What the records' own rounding adds to a ratio of distances.
        own = 4 * known_unit * float(row_norms(chosen).max() / row_norms(chosen[1:] - chosen[0]).min())
        gaps, across = row_norms(chosen[1:] - chosen[0]), float(row_norms(chosen[1:2] - chosen[2:3])[0])
        yield _proposed(_Asked(found.points, found.copies, gaps, across, error, own), problem.source.workers)


@dataclass(frozen=True, eq=False)
class _Asked:
    """Released values, distances of the records from the first one and between the next two, and their errors."""

    points: FloatArray
    copies: IntArray
    gaps: FloatArray
    across: float
    error: float
    own: float


def _around(centres: range, asked: _Asked) -> tuple[FloatArray, bool]:
    """What ``_stand`` finds around some centres."""
    a = asked
    return _stand(a.points, a.copies, centres.start, centres.stop, a.gaps, a.across, a.error, a.own, _SEARCH.proposals)


def _proposed(asked: _Asked, workers: Workers) -> Scales:
    """The scales that stand, proposals that agree within their errors as one."""
    total = len(asked.points)
    tasks = [range(a, min(a + _SEARCH.centres, total)) for a in range(0, total, _SEARCH.centres)]
    parts = list(workers.run(_around, tasks, asked))
    if any(len(part) > _SEARCH.proposals for part, _ in parts):
        return Scales((), complete=False)
    proposals = np.concatenate([part for part, _ in parts])
    grouped = _grouped(proposals) if len(proposals) else Scales((), complete=True)
    return replace(grouped, complete=grouped.complete and not any(crowded for _, crowded in parts))


def _grouped(proposals: FloatArray) -> Scales:
    """Proposals that agree within their errors as one scale: the middle, and what covers them all."""
    scale, error = proposals.T
    low, high = merged(scale * (1 - error), scale * (1 + error))
    middle = (low + high) / 2
    errors = (high - low) / 2 / middle
    values = tuple(zip(middle[: _SEARCH.scales].tolist(), errors[: _SEARCH.scales].tolist(), strict=True))
    return Scales(values, complete=len(low) <= _SEARCH.scales)


@compiled()
def _stand(
    points: FloatArray,
    copies: IntArray,
    first: int,
    last: int,
    known: FloatArray,
    across: float,
    error: float,
    own: float,
    most: int,
) -> tuple[FloatArray, bool]:
    """Proposals around the centres ``first`` to ``last - 1``; one more than ``most`` of them if there are more.

    Also whether somewhere so many rows lie within the error of each other that the records, at a scale too small to be
    proposed, could be there.
    """
    crowded = False
    widest = max(1.0, np.max(known) / known[0])
    total, columns = points.shape
    out = np.empty((most + 1, 2))
    count = 0
    distances = np.empty(total)
    for u in range(first, last):
        for v in range(total):
            square = 0.0
            for c in range(columns):
                gap = points[u, c] - points[v, c]
                square += gap * gap
            distances[v] = np.sqrt(square)
        order = np.argsort(distances)
        ordered = distances[order]
        close = 0
        for a in range(total):
            if ordered[a] > 2 * error * widest:
                break
            close += copies[order[a]]
        crowded = crowded or close > len(known)
        for a in range(total):
            v = order[a]
            if v == u or ordered[a] <= 2 * error:
                continue
            scale = ordered[a] / known[0]
            blur = error / ordered[a] + own  # relative error of the scale
            stands = True
            for j in range(len(known) - 1, 0, -1):
                reach = error + blur * scale * known[j]
                place = first_from(ordered, scale * known[j] - reach)
                if place == total or ordered[place] > scale * known[j] + reach:
                    stands = False
                    break
            if not stands:
                continue
            reach = error + blur * scale * known[1]
            b = first_from(ordered, scale * known[1] - reach)
            while b < total and ordered[b] <= scale * known[1] + reach:
                w = order[b]
                b += 1
                if w == v and copies[w] < 2:
                    continue
                square = 0.0
                for c in range(columns):
                    gap = points[v, c] - points[w, c]
                    square += gap * gap
                if abs(np.sqrt(square) - scale * across) <= error + blur * scale * across:
                    if count > most:
                        return out, crowded
                    out[count, 0], out[count, 1] = scale, blur
                    count += 1
                    break
    return out[:count], crowded
