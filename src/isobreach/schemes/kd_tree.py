# SPDX-License-Identifier: BSD-3-Clause
"""Replace records by the mean of their leaf in a kd-tree."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach._random import RandomSource
from isobreach.schemes.in_place import Grouped, scaled


@dataclass(frozen=True)
class KdTree(Grouped):
    """Micro-aggregation by a kd-tree: ``y`` is the mean of the leaf that holds the record.

    The tree halves the table at the median of the attribute with the largest range, in units of its deviation, as long
    as halves have at least k records. So leaves have between k and 2 k records. The mean of each column is kept, and
    variances shrink. The tree is that of scikit-learn.

    Reference: X.-B. Li and S. Sarkar, A tree-based data perturbation approach for privacy-preserving data mining, IEEE
    TKDE 18 (2006). Reconstructed from a short description of it: every attribute becomes the average of its subset.

    Parameters
    ----------
    group
        The number k: least number of records in a leaf.
    """

    name: ClassVar[str] = "kd-tree"

    def replaced(self, records: FloatArray, source: RandomSource) -> FloatArray:
        """Return the mean of each record's leaf."""
        rows = np.empty(records.shape)
        for members in leaves(records, self.group):
            rows[members] = records[members].mean(axis=0)
        return rows


def leaves(records: FloatArray, least: int) -> list[NDArray[np.int64]]:
    """Return the leaves of the tree, as row numbers.

    Parameters
    ----------
    records
        The table, m x n.
    least
        Least number of records in a leaf.
    """
    from sklearn.neighbors import KDTree  # not above: it takes a second to load, and no other scheme needs it

    _, order, nodes, _ = KDTree(scaled(records), leaf_size=least).get_arrays()
    ends = ((node["idx_start"], node["idx_end"]) for node in np.asarray(nodes) if node["is_leaf"])
    return [np.asarray(order[start:end], dtype=np.int64) for start, end in ends]


SCHEME = KdTree()
