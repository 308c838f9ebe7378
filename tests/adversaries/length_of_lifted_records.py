# SPDX-License-Identifier: BSD-3-Clause
"""Insiders behind ASPE who know that its last coordinate is the record's squared length.

All released rows therefore lie on one quadric. Its coefficients are the null vector of the products of coordinates, and
their matrix, taken apart, undoes the secret matrix up to a rotation and a factor. One insider tells the factor; as many
as there are attributes, less one, tell the rotation.
"""

import numpy as np

from adversaries.motion import fitted

SCHEMES = {"aspe"}
SUCCEEDS = ("gaussian", "aspe", 8, 0.9)


def estimates(released, *, insiders, rows):
    rows_of_unit_spread = np.linalg.svd(released, full_matrices=False)[0] * np.sqrt(len(released))
    i, j = np.triu_indices(released.shape[1])
    products = rows_of_unit_spread[:, i] * rows_of_unit_spread[:, j]
    relation = np.linalg.svd(np.hstack([products, rows_of_unit_spread]), full_matrices=False)[2][-1]
    form = np.zeros((released.shape[1],) * 2)
    form[i, j] += relation[: len(i)] / 2
    form[j, i] += relation[: len(i)] / 2
    value, axes = np.linalg.eigh(form * np.sign(np.trace(form)))
    turned = rows_of_unit_spread @ (axes[:, 1:] * np.sqrt(np.maximum(value[1:], 0)))
    turned *= np.linalg.norm(insiders) / np.linalg.norm(turned[rows])
    return fitted(turned, insiders, rows, "orthogonal")
