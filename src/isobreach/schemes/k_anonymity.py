# SPDX-License-Identifier: BSD-3-Clause
"""Make every record equal to at least k - 1 others, by ranges of all attributes."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach._random import RandomSource
from isobreach.schemes.in_place import Grouped


@dataclass(frozen=True)
class KAnonymity(Grouped):
    """k-anonymity by Mondrian: ``y_j`` is the centre of the range that attribute j has in the record's group.

    All attributes are quasi-identifiers. A group is cut at the median of the attribute with the largest range, relative
    to that of the table, if both sides have at least k records; else at the next attribute that allows it. Equal values
    stay on one side (strict partitions). Released rows of a group are equal.

    Reference: K. LeFevre, D. DeWitt and R. Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006; L. Sweeney,
    k-anonymity: a model for protecting privacy, 2002. Own code, because packages for it (anonypy, anonypyx) want data
    frames with a sensitive column and return ranges with counts, not which record went where.

    Parameters
    ----------
    group
        The number k: least number of equal rows.
    """

    name: ClassVar[str] = "k-anonymity"

    def replaced(self, records: FloatArray, source: RandomSource) -> FloatArray:
        """Return the centre of each record's group."""
        rows = np.empty(records.shape)
        for members in mondrian(records, self.group):
            part = records[members]
            rows[members] = part.min(axis=0) / 2 + part.max(axis=0) / 2
        return rows


def mondrian(records: FloatArray, least: int) -> list[NDArray[np.int64]]:
    """Return the groups, as row numbers.

    Parameters
    ----------
    records
        The table, m x n.
    least
        Least number of records in a group.
    """
    ranges = np.ptp(records, axis=0)
    ranges[ranges == 0] = 1.0
    groups, uncut = [], [np.arange(len(records))]
    while uncut:
        members = uncut.pop()
        halves = _cut(records[members], ranges, least)
        if halves is None:
            groups.append(members)
        else:
            uncut += [members[~halves], members[halves]]
    return groups


def _cut(part: FloatArray, ranges: FloatArray, least: int) -> NDArray[np.bool_] | None:
    """Return which records are on the lower side of the first cut that leaves enough on both; None if none does."""
    if len(part) < 2 * least:
        return None
    for attribute in np.argsort(-np.ptp(part, axis=0) / ranges, kind="stable"):
        values = part[:, attribute]
        median = np.partition(values, (len(values) - 1) // 2)[(len(values) - 1) // 2]
        lower = values <= median
        if least <= np.count_nonzero(lower) <= len(values) - least:
            return np.asarray(lower)
    return None


SCHEME = KAnonymity()
