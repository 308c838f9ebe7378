# SPDX-License-Identifier: BSD-3-Clause
r"""An unknown common scale, from ratios of distances.

Under a similarity released distances are s times the known ones. For a few known records, c and j = 1, 2, ..., and any
released value u in the place of c, each other value v in the place of record 1 proposes s = |u - v| / D_c1. The
proposal stands if values at the distances s D_c2, s D_c3, ... from u exist too (looked up in the sorted distances
from u), and one of those for record 2 is at the distance s D_12 from v. That costs m^2 log m; what stands is nearly
always the truth.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isobreach._compiled import compiled
from isobreach.blocks import processors, run_in_order
from isobreach.geometry import row_norms
from isobreach.linking.precision import Precision
from isobreach.linking.problem import Problem

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_MOST_RECORDS = 6  # looked for around a centre
_MOST_SCALES = 32
_CENTRES = 64  # centres a task


@dataclass(frozen=True)
class Scales:
    """Scales that ratios of distances allow, each with its relative error; ``complete`` if they are all."""

    values: tuple[tuple[float, float], ...]
    complete: bool


def scales(problem: Problem, precision: Precision) -> Scales:
    """Scales at which a few known records, then a few others, find a place together."""
    known = problem.known
    if len(known) < 3:
        return Scales((), complete=True)
    found = problem.everything(precision.unit)
    longest = float(row_norms(found.points[-1:])[0])
    error = 2 * float(precision.length_error(np.array([2 * longest]), found.points.shape[1])[0])
    # Far records first: their distances are the most precise, relative to themselves.
    spread = row_norms(known - known.mean(axis=0))
    order = np.argsort(-spread, kind="stable")
    for start in range(0, len(order) - 2, _MOST_RECORDS):
        chosen = order[start : start + _MOST_RECORDS]
        if len(chosen) < 3:
            break
        proposals = _proposals(found.points, found.copies, known[chosen], error)
        if proposals is None:
            return Scales((), complete=False)
        if len(proposals):
            return _grouped(proposals)
    return Scales((), complete=True)


def _proposals(points: FloatArray, copies: IntArray, known: FloatArray, error: float) -> FloatArray | None:
    """Scale and relative error of each proposal that stands; None if they are too many."""
    gaps = row_norms(known[1:] - known[0])
    across = float(row_norms(known[1:2] - known[2:3])[0])

    def run(centres: range) -> FloatArray:
        return _stand(points, copies, centres.start, centres.stop, gaps, across, error, 4096)

    tasks = [range(a, min(a + _CENTRES, len(points))) for a in range(0, len(points), _CENTRES)]
    parts = list(run_in_order(run, tasks, processors()))
    if any(len(part) > 4096 for part in parts):
        return None
    return np.concatenate(parts)


def _grouped(proposals: FloatArray) -> Scales:
    """Proposals that agree within their errors as one scale: the middle, and what covers them all."""
    proposals = proposals[np.argsort(proposals[:, 0], kind="stable")]
    low, high = proposals[:, 0] * (1 - proposals[:, 1]), proposals[:, 0] * (1 + proposals[:, 1])
    high = np.maximum.accumulate(high)
    opens = np.flatnonzero(np.concatenate([[True], low[1:] > high[:-1]]))
    closes = np.append(opens[1:], len(proposals)) - 1
    middle = (low[opens] + high[closes]) / 2
    errors = (high[closes] - low[opens]) / 2 / middle
    values = tuple(zip(middle[:_MOST_SCALES].tolist(), errors[:_MOST_SCALES].tolist(), strict=True))
    return Scales(values, complete=len(opens) <= _MOST_SCALES)


@compiled()
def _stand(
    points: FloatArray,
    copies: IntArray,
    first: int,
    last: int,
    known: FloatArray,
    across: float,
    error: float,
    most: int,
) -> FloatArray:
    """Proposals around the centres ``first`` to ``last - 1``; one more than ``most`` of them if there are more."""
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
        for a in range(total):
            v = order[a]
            if v == u or ordered[a] <= 2 * error:
                continue
            scale = ordered[a] / known[0]
            blur = error / ordered[a]  # relative error of the scale
            stands = True
            for j in range(len(known) - 1, 0, -1):
                reach = error + blur * scale * known[j]
                place = np.searchsorted(ordered, scale * known[j] - reach)
                if place == total or ordered[place] > scale * known[j] + reach:
                    stands = False
                    break
            if not stands:
                continue
            reach = error + blur * scale * known[1]
            b = np.searchsorted(ordered, scale * known[1] - reach)
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
                        return out
                    out[count, 0], out[count, 1] = scale, blur
                    count += 1
                    break
    return out[:count]
