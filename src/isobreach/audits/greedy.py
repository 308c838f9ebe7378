# SPDX-License-Identifier: BSD-3-Clause
r"""Insiders chosen, one after the other, to do as much harm as possible.

Which k insiders expose the most is a hard question: there are too many coalitions to try. Three greedy orders are
tried, all as if every link were certain; each step takes the insider who raises the objective most.

``by_energy``   objective: sum_i 1 - (d_i / |x_i|)^2, how much of all directions the coalition determines. Every record
                is a candidate: with r the residual vectors and G = sum_i r_i r_i' / |x_i|^2, insider c adds
                r_c' G r_c / |r_c|^2. It does best when there are many insiders.
``by_breaches`` objective: the expected number of breaches, over a sample of records, of candidates out of a sample. It
                does best when there are few.
``by_nearest``  objective: how much of one record is determined, the one that has the nearest other record for its
                length: in direction or, behind a translation, in place. All pairs are compared. It finds the record
                that is most exposed of all where two records are nearly the same.

Greedy is not optimal, and claims nothing of its own: ``isobreach.audits.bound`` says what no coalition can exceed.
"""

from dataclasses import dataclass

import numpy as np

from isobreach._arrays import FloatArray, IntArray
from isobreach.audits.exposure import CANDIDATES, OwnersTable
from isobreach.engine import tiles
from isobreach.geometry import breach_probability, row_norms


@dataclass(frozen=True)
class GreedyChoice:
    """What the next insider is chosen by.

    Attributes
    ----------
    targets
        Records whose breaches are counted, at most: their mean is then that of all others within .02.
    shortest
        Of a record's length: a residual that short gives no direction.
    """

    targets: int = 2000
    shortest: float = 1e-9


_CHOICE = GreedyChoice()


def by_energy(table: OwnersTable, size: int) -> IntArray:
    """Order of ``size`` insiders, each determining as much as possible of all records' directions."""
    records, norms = table.records, table.norms
    weights = np.divide(1.0, norms**2, out=np.zeros_like(norms), where=norms > 0)
    chosen: list[int] = []
    residual, parts = records.copy(), list(tiles(records))
    if table.translates:
        chosen.append(_central(records, weights))
        residual -= records[chosen[0]]
    gram = np.zeros((records.shape[1], records.shape[1]))
    for part in parts:
        gram += (residual[part] * weights[part, None]).T @ residual[part]
    while len(chosen) < size:
        squares = np.einsum("ij,ij->i", residual, residual)
        able = squares > (_CHOICE.shortest * norms.max()) ** 2
        able[chosen] = False
        if not able.any():
            break
        gains = np.concatenate([np.einsum("ij,ij->i", residual[part] @ gram, residual[part]) for part in parts])
        best = int(np.argmax(np.divide(gains, squares, out=np.full(len(gains), -1.0), where=able)))
        chosen.append(best)
        direction = residual[best] / np.sqrt(squares[best])
        for part in parts:
            residual[part] -= np.outer(residual[part] @ direction, direction)
        projected = gram @ direction
        gram = gram - np.outer(direction, projected) - np.outer(projected, direction)
        gram = gram + float(direction @ projected) * np.outer(direction, direction)
    return _filled(chosen, len(records), size)


def by_breaches(table: OwnersTable, size: int, first: int | None, draws: np.random.Generator) -> IntArray:
    """Order of ``size`` insiders out of a sample, each breaching as many sampled records as possible.

    ``first``: the insider to begin with, such as one who is linked alone.
    """
    total, n = table.records.shape
    pool = np.sort(draws.choice(total, min(total, max(CANDIDATES, 2 * size)), replace=False))
    pool = pool if first is None else np.union1d(pool, [first])
    targets = np.sort(draws.choice(total, min(total, _CHOICE.targets), replace=False))
    candidates, aims, norms = table.records[pool], table.records[targets], table.norms[targets]
    begin = None if first is None else int(np.searchsorted(pool, first))
    chosen: list[int] = []  # places in the pool
    if table.translates:
        chosen.append(_central(candidates, np.ones(len(pool))) if begin is None else begin)
        aims, candidates = aims - candidates[chosen[0]], candidates - candidates[chosen[0]]
    own = targets[:, None] == pool
    while len(chosen) < min(size, len(pool)):
        hidden = n - len(chosen) - (0 if table.translates else 1)  # the first insider is where residuals begin
        squares = np.einsum("ij,ij->i", candidates, candidates)
        able = squares > (_CHOICE.shortest * table.norms.max()) ** 2
        able[chosen] = False
        if not able.any():
            break
        along = np.divide((aims @ candidates.T) ** 2, squares, out=np.zeros((len(aims), len(pool))), where=able)
        rest = np.sqrt(np.maximum(np.einsum("ij,ij->i", aims, aims)[:, None] - along, 0.0))
        hits = breach_probability(rest, norms[:, None], max(hidden, 0), table.epsilon)
        score = np.where(own, 0.0, hits).sum(axis=0)
        ties = along.sum(axis=0) / max(float(along.sum()), 1e-300)  # decides where no one breaches anything
        best = int(np.argmax(np.where(able, score + 1e-9 * ties, -1.0)))
        best = begin if begin is not None and not chosen and able[begin] else best
        chosen.append(best)
        direction = candidates[best] / np.sqrt(squares[best])
        candidates = candidates - np.outer(candidates @ direction, direction)
        aims = aims - np.outer(aims @ direction, direction)
    return _filled(pool[chosen].tolist(), total, size)


def by_nearest(table: OwnersTable, size: int) -> IntArray:
    """Order of ``size`` insiders that begins with the record nearest to another, and determines that other one."""
    total = len(table.records)
    if total < 2:
        return _filled([], total, size)
    target, insider = table.nearest.record, table.nearest.other
    residual = table.records - table.records[insider] if table.translates else table.records.copy()
    chosen = [insider] if table.translates else []
    able = np.ones(total, dtype=np.bool_)
    able[target] = False
    while len(chosen) < size:
        squares = np.einsum("ij,ij->i", residual, residual)
        able &= squares > (_CHOICE.shortest * table.norms.max()) ** 2
        if not able.any():
            break
        gains = (residual @ residual[target]) ** 2
        best = int(np.argmax(np.divide(gains, squares, out=np.full(total, -1.0), where=able)))
        best = best if chosen else insider
        chosen.append(best)
        able[best] = False
        direction = residual[best] / np.sqrt(max(float(squares[best]), 1e-300))
        residual -= np.outer(residual @ direction, direction)
    return _filled(chosen, total, size)


def _central(records: FloatArray, weights: FloatArray) -> int:
    """The record nearest to the weighted mean: no other has a smaller sum of squared distances from all."""
    mean = (weights @ records) / max(float(weights.sum()), 1e-300)
    return int(np.argmin(row_norms(records - mean)))


def _filled(chosen: list[int], total: int, size: int) -> IntArray:
    """The chosen ones, and where they determine everything already, the first others."""
    taken = set(chosen)
    others = (i for i in range(total) if i not in taken)
    while len(chosen) < size:
        chosen.append(next(others))
    return np.array(chosen[:size], dtype=np.int64)
