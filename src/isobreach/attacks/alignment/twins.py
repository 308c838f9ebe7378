# SPDX-License-Identifier: BSD-3-Clause
"""Records of the sample that somebody in the release shares, and their rows: people who are in two tables, or codes.

Nobody says that a record of the sample is in the release: links must confirm one another. Where lengths are kept, few
rows come into question for a record, and linking the whole sample finds them. Behind a translation only distances are
kept, and of vectors of one length only distances tell: a distance between two records that two rows have too is a vote
for either record to be either row. Those with several votes for one row are linked, by all their distances.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist, pdist

from isobreach._arrays import FloatArray, IntArray
from isobreach._progress import Progress
from isobreach.attacks.alignment.descent import Evaluations
from isobreach.attacks.alignment.placing import DEAR
from isobreach.engine import Engine
from isobreach.geometry import row_norms
from isobreach.linking import link
from isobreach.release import released_precision


@dataclass(frozen=True)
class TwinTest:
    """When records of a sample are taken for released ones.

    Attributes
    ----------
    votes
        Votes for a row, from which on a record may be there: two more records agree with it and with each other.
    confirming
        Links beyond those that determine a motion, where distances that agree are no coincidence.
    most
        Pairs of equal distances: more are those of a grid, and tell nothing.
    """

    votes: int = 3
    confirming: int = 3
    most: int = 200_000


_TWINS = TwinTest()


_RECORDS, _ROWS, _BLOCK = 400, 3_000, 500  # that vote, at most: a second of a processor; rows at a time


def twins(
    release: Engine,
    rows: FloatArray,
    sample: NDArray[Any] | None,
    motion: str,
    noise: float,
    progress: Progress,
    effort: Evaluations,
) -> tuple[FloatArray, ...]:
    """Return records of the sample and their released rows, or nothing.

    Parameters
    ----------
    release, rows
        The release, and those of its rows that are modelled.
    sample
        Records of the same population.
    motion, noise
        What the release keeps; twins are sought where it is exact, and at a known scale.
    progress
        Called as ``progress(label, done, total)``.
    effort
        Counts evaluations: passes over the release, and comparisons of distances.
    """
    if sample is None or noise or motion == "similarity":
        return ()
    records = np.asarray(sample, dtype=np.float64)
    if motion == "orthogonal" and _lengths_tell(release, rows):
        enough = 2 * records.shape[1]  # on a grid, lengths and distances agree by chance
    else:
        enough = records.shape[1] + 1 + _TWINS.confirming
        records = records[_suspects(release, rows, records)]
        effort.spend(int(min(len(rows), _ROWS) ** 2 * records.shape[1] / DEAR))
    effort.spend(1)
    if len(records) < enough:
        return ()
    found = link(records, release, motion="orthogonal" if motion == "orthogonal" else "rigid", progress=progress)
    if len(found.linked) < enough:
        return ()
    return records[found.linked], release.gather(found.rows[found.linked])


def _lengths_tell(release: Engine, rows: FloatArray) -> bool:
    """Whether lengths of rows differ by more than rounding explains: those of vectors are often all one."""
    lengths = row_norms(rows)
    return float(np.ptp(lengths)) > _rounding(release, float(lengths.max(initial=0.0)))


def _rounding(release: Engine, size: float) -> float:
    """What rounding may make two lengths of one size differ by."""
    return 2 * float(released_precision(release).length_error(np.array(size), release.shape[1]))


def _suspects(release: Engine, rows: FloatArray, records: FloatArray) -> IntArray:
    """Records of which several distances from others are found again between one row and others."""
    records, own = np.unique(records[:_RECORDS], axis=0, return_index=True)
    rows = np.unique(rows[:_ROWS], axis=0)
    error = _rounding(release, float(row_norms(rows).max(initial=0.0) + row_norms(records).max(initial=0.0)))
    distances = pdist(records)
    order = np.argsort(distances, kind="stable")
    ordered = distances[order]
    first, second = np.triu_indices(len(records), 1)
    votes, pairs = np.zeros((len(records), len(rows)), dtype=np.int64), 0
    for start in range(0, len(rows), _BLOCK):
        apart = cdist(rows[start : start + _BLOCK], rows[start:])
        below = np.searchsorted(ordered, apart - error)
        equal = np.searchsorted(ordered, apart + error, side="right") - below
        equal[np.tril_indices(equal.shape[0], 0, equal.shape[1])] = 0  # each pair once
        pairs += int(equal.sum())
        if pairs > _TWINS.most:
            return np.zeros(0, dtype=np.int64)
        for i, j in np.argwhere(equal):
            for pair in order[below[i, j] : below[i, j] + equal[i, j]]:
                votes[np.ix_([first[pair], second[pair]], [start + i, start + j])] += 1
    return np.sort(own[votes.max(axis=1, initial=0) >= _TWINS.votes])
