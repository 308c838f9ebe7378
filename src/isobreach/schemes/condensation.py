# SPDX-License-Identifier: BSD-3-Clause
"""Replace groups of similar records by random ones with the same mean and a like covariance."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from isobreach._arrays import FloatArray
from isobreach._random import RandomSource
from isobreach.schemes.in_place import Grouped, scaled


@dataclass(frozen=True)
class Condensation(Grouped):
    """Condense groups of at least k records: ``y = c + sum_j u_j s_j v_j``.

    c is the mean of a group, v_j are its principal axes and s_j its deviations along them. A group is a random record
    and its k - 1 nearest neighbours among those that are left, columns in units of their deviations. Fewer than k that
    remain at the end join the groups whose means are nearest. For every record of a group one is drawn: u_j uniform
    with variance one, then centred within the group. So the mean of every group is kept exactly, its covariance on
    average, and no record.

    Reference: C. Aggarwal and P. Yu, A condensation approach to privacy preserving data mining, EDBT 2004. Formulated
    from first principles; to centre the draws is ours.

    Parameters
    ----------
    group
        The number k: least number of records in a group.
    """

    name: ClassVar[str] = "condensation"

    def replaced(self, records: FloatArray, source: RandomSource) -> FloatArray:
        """Return records drawn for each group."""
        rows = np.empty(records.shape)
        for members in nearest_groups(records, self.group, source):
            mean = records[members].mean(axis=0)
            _, lengths, axes = np.linalg.svd(records[members] - mean, full_matrices=False)
            draws = np.sqrt(12) * (source.random((len(members), len(lengths))) - 0.5)
            draws = (draws - draws.mean(axis=0)) * np.sqrt(len(members) / (len(members) - 1))
            rows[members] = mean + (draws * (lengths / np.sqrt(len(members)))) @ axes
        return rows


def nearest_groups(records: FloatArray, least: int, source: RandomSource) -> list[NDArray[np.int64]]:
    """Return groups of near records, as row numbers.

    Parameters
    ----------
    records
        The table, m x n.
    least
        Least number of records in a group.
    source
        Where the first record of each group comes from.
    """
    values = scaled(records)
    rest = source.permutation(len(values))  # in a random order: the first one left starts a group
    groups = []
    while len(rest) >= least:
        rest, found = _grouped(values, rest, least)
        groups += found
    if len(rest):
        means = np.array([values[members].mean(axis=0) for members in groups])
        for row in rest:
            nearest = int(np.argmin(np.square(means - values[row]).sum(axis=1)))
            groups[nearest] = np.append(groups[nearest], row)
    return groups


def _grouped(
    values: FloatArray, rest: NDArray[np.int64], least: int
) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
    """Return groups of half of the records that are left, and who is left then: one tree serves so many."""
    tree, free, groups = cKDTree(values[rest]), np.ones(len(rest), dtype=np.bool_), []
    left = len(rest)
    for first in range(len(rest)):
        if left < least or 2 * left < len(rest):
            break
        if not free[first]:
            continue
        free[first] = False
        asked, near = least, np.empty(0, dtype=np.int64)
        while len(near) < least - 1:  # as long as others have been taken already
            asked = min(2 * asked, len(rest))
            _, places = tree.query(values[rest[first]], k=asked)
            near = places[free[places]][: least - 1]
        near = np.append(near, first)
        free[near] = False
        left -= least
        groups.append(rest[near])
    return rest[free], groups


SCHEME = Condensation()
