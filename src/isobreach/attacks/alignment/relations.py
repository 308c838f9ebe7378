# SPDX-License-Identifier: BSD-3-Clause
"""Exact relations of degree two that all released rows satisfy: y A y' + b.y + c = 0.

They are the null space of the matrix of products, columns and ones, rows being whitened so that no column counts for
more than another. A motion of the records turns the relations with them: A becomes M A M', and b, up to what a
translation adds within the range of A, becomes b M'.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isobreach.attacks.alignment.placing import DEAR

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class RelationTuning:
    """When a combination of products is zero."""

    zero: float = 1e-9  # of the largest singular value; those of relations are below 1e-14, of others above 1e-5
    coarsest: float = 1e-5  # error of whitened values, above which nothing is exact
    flat: float = 1e-12  # of the largest variance: rows in a flat satisfy its products, too, which tell nothing more
    beyond: int = 20  # different rows more than products: so many all satisfy what they would not by chance
    widest: int = 40  # columns: their products are the columns of a matrix
    rows: int = 2  # times as many rows as products are looked at, at most


TUNING = RelationTuning()


@dataclass(frozen=True, eq=False)
class Relations:
    """Forms A, K x n x n, orthonormal, and linear parts b, K x n, about the origin; what finding them cost."""

    forms: FloatArray
    linear: FloatArray
    evaluations: int

    def __len__(self) -> int:
        return len(self.forms)


def relations_of(rows: FloatArray, error: float, rng: np.random.Generator) -> Relations:
    """Return the relations that all rows satisfy; there may be none.

    Parameters
    ----------
    rows
        Released rows, without noise.
    error
        Of a released coordinate.
    rng
        Draws rows where there are many.
    """
    n = rows.shape[1]
    first, second = np.triu_indices(n)
    count = len(first) + n + 1
    none = Relations(np.zeros((0, n, n)), np.zeros((0, n)), 0)
    rows = np.unique(rows, axis=0)
    if n > TUNING.widest or len(rows) < count + TUNING.beyond:
        return none
    rows = rows[rng.permutation(len(rows))[: TUNING.rows * count + TUNING.beyond]]
    centre = rows.mean(axis=0)
    variances, axes = np.linalg.eigh(np.cov(rows.T).reshape(n, n))
    if variances[0] <= TUNING.flat * variances[-1]:
        return none
    whitening = axes / np.sqrt(variances)
    white = (rows - centre) @ whitening
    tolerance = max(TUNING.zero, 4 * error / float(np.sqrt(variances[0])))
    if tolerance > TUNING.coarsest:
        return none
    products = np.hstack([white[:, first] * white[:, second], white, np.ones((len(white), 1))])
    _, values, found = np.linalg.svd(np.linalg.qr(products, mode="r"))
    found = found[values <= tolerance * values[0]]
    used = 1 + int(len(rows) * count**2 / DEAR)
    forms = np.zeros((len(found), n, n))
    forms[:, first, second] = found[:, : len(first)] / 2
    forms = whitening @ (forms + forms.transpose(0, 2, 1)) @ whitening.T
    linear = found[:, len(first) : -1] @ whitening.T - 2 * forms @ centre
    if not len(found):
        return Relations(forms, linear, used)
    basis, mixing = np.linalg.qr(forms.reshape(len(forms), -1).T)
    return Relations(basis.T.reshape(forms.shape), np.linalg.solve(mixing.T, linear), used)
