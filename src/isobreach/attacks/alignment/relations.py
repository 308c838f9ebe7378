# SPDX-License-Identifier: BSD-3-Clause
"""Exact relations of degree two or three that all released rows satisfy: y A y' + b.y + c = 0, or with a cubic form A.

They are the null space of the matrix of all products of so many columns, or fewer, rows being whitened so that no
column counts for more than another. A motion of the records turns the relations with them: A becomes M A M', and b, up
to what a translation adds within the range of A, becomes b M'.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations_with_replacement, permutations
from math import comb, factorial, prod

import numpy as np

from isobreach._arrays import FloatArray
from isobreach.attacks.alignment.placing import DEAR


@dataclass(frozen=True)
class RelationTuning:
    """When a combination of products is zero."""

    zero: float = 1e-9  # of the largest singular value; those of relations are below 1e-14, of others above 1e-5
    coarsest: float = 1e-5  # error of whitened values, above which nothing is exact
    flat: float = 1e-12  # of the largest variance: rows in a flat satisfy its products, too, which tell nothing more
    beyond: int = 20  # different rows more than products: so many all satisfy what they would not by chance
    vanishing: float = 1e-6  # size of an orthonormal form where it is zero
    products: int = 1_000  # at most: they are the columns of a matrix
    rows: int = 2  # times as many rows as products are looked at, at most


TUNING = RelationTuning()


@dataclass(frozen=True, eq=False)
class Relations:
    """Forms A, K symmetric tensors, orthonormal; linear parts b, K x n, about ``centre``; what finding them cost."""

    forms: FloatArray
    linear: FloatArray
    centre: FloatArray
    evaluations: int

    def __len__(self) -> int:
        return len(self.forms)

    @property
    def degree(self) -> int:
        """Two or three."""
        return self.forms.ndim - 1

    def restricted(self, basis: FloatArray) -> "Relations":
        """Return what forms are on a part of the space, ``basis`` its orthonormal columns; linear parts are left out.

        Several relations may have the same form there and different linear parts, so that none belongs to the form.
        """
        forms = turned(self.forms, basis, range(1, self.degree + 1))
        if not len(forms):
            return Relations(forms, np.zeros((0, basis.shape[1])), self.centre @ basis, self.evaluations)
        _, sizes, axes = np.linalg.svd(forms.reshape(len(forms), -1), full_matrices=False)
        kept = axes[sizes > TUNING.vanishing].reshape(-1, *forms.shape[1:])
        return Relations(kept, np.zeros((len(kept), basis.shape[1])), self.centre @ basis, self.evaluations)


def relations_of(rows: FloatArray, error: float, rng: np.random.Generator, degree: int = 2) -> Relations:
    """Return the relations that all rows satisfy; there may be none.

    Parameters
    ----------
    rows
        Released rows, without noise.
    error
        Of a released coordinate.
    rng
        Draws rows where there are many.
    degree
        Columns in the largest products.
    """
    n = rows.shape[1]
    count, shape = comb(n + degree, degree), (n,) * degree
    none = Relations(np.zeros((0, *shape)), np.zeros((0, n)), np.zeros(n), 0)
    rows = np.unique(rows, axis=0)
    if count > TUNING.products or len(rows) < count + TUNING.beyond:
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
    terms = [term for size in range(degree + 1) for term in combinations_with_replacement(range(n), size)]
    products = np.column_stack([white[:, list(term)].prod(axis=1) for term in terms])
    _, values, found = np.linalg.svd(np.linalg.qr(products, mode="r"))
    found = found[values <= tolerance * values[0]]
    used = 1 + int(len(rows) * count**2 / DEAR)
    if not len(found):
        return Relations(none.forms, none.linear, centre, used)
    forms = np.zeros((len(found), *shape))
    for place, term in enumerate(terms):
        if len(term) == degree:
            arranged = sorted(set(permutations(term)))
            forms[(slice(None), *np.array(arranged).T)] = found[:, place, None] / len(arranged)
    # Relations of a lower degree are among them: combinations without a form are left out.
    mixed, sizes, _ = np.linalg.svd(forms.reshape(len(forms), -1), full_matrices=False)
    mixed = mixed[:, sizes > TUNING.vanishing].T
    forms = turned(np.tensordot(mixed, forms, 1), whitening.T, range(1, degree + 1))
    linear = mixed @ found[:, 1 : n + 1] @ whitening.T
    basis, mixing = np.linalg.qr(forms.reshape(len(forms), -1).T)
    return Relations(basis.T.reshape(forms.shape), np.linalg.solve(mixing.T, linear), centre, used)


def turned(forms: FloatArray, frame: FloatArray, axes: Iterable[int]) -> FloatArray:
    """Return forms of which some indices, counted from one, run over the columns of a frame."""
    for axis in axes:
        forms = np.moveaxis(np.tensordot(forms, frame, (axis, 0)), -1, axis)
    return forms


def orders(n: int, degree: int) -> FloatArray:
    """In how many orders each product of columns occurs in a form: a tensor of such numbers."""
    found = np.zeros((n,) * degree)
    for term in np.ndindex(*found.shape):
        found[term] = factorial(degree) / prod(factorial(times) for times in Counter(term).values())
    return found
