# SPDX-License-Identifier: BSD-3-Clause
r"""What all matchings of axes to attributes have in common.

A matching gives every axis an attribute of its own, along allowed edges. Take one matching M, and let an axis point to
another wherever it could take that one's attribute. A second matching differs from M by cycles of this graph, so an
edge (axis j, attribute of axis i) is in some matching exactly if i and j lie in one strongly connected component.
Attributes that no axis takes go to spare axes, which take any.
"""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

from isobreach._arrays import BoolArray


def edges_in_matchings(allowed: BoolArray) -> BoolArray | None:
    """Edges, axes x attributes, that are in some matching of all axes; None where there is no matching."""
    axes, attributes = allowed.shape
    if axes > attributes or not allowed.any(axis=1).all():
        return None
    square = np.ones((attributes, attributes), dtype=np.bool_)
    square[:axes] = allowed
    taken = maximum_bipartite_matching(csr_array(square), perm_type="column")
    if (taken < 0).any():
        return None
    # Column i of this matrix: the axes that could take the attribute of axis i.
    component = connected_components(csr_array(square[:, taken]), connection="strong")[1]
    of_attribute = np.empty_like(component)
    of_attribute[taken] = component
    return np.asarray(allowed & (component[:axes, None] == of_attribute))
