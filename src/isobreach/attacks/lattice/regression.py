# SPDX-License-Identifier: BSD-3-Clause
r"""What is left of an axis after regression on others.

Least squares on the others' values, their squares and, if axes are few, their products. The fit uses one half of the
rows and what is left is taken of the other half: the fitted function is then a fixed one to these rows as it is to any
further record, and what is left of both has one distribution, however badly the function fits.
"""

from dataclasses import dataclass

import numpy as np

from isobreach._arrays import FloatArray, IntArray


@dataclass(frozen=True)
class Fit:
    """What is fitted to what."""

    most_rows: int = 8192  # Half of them for the fit; set by hand: a bad fit costs power, never truth.
    most_products: int = 24  # Axes up to which products of two take part: 324 terms.
    ridge: float = 1e-3  # Share of the rows: columns that are sums of others do no harm.


_FIT = Fit()


class AxisRegression:
    """Regressions among the axes of a table, all from one matrix of products."""

    def __init__(self, values: FloatArray) -> None:
        rows = values[:: -(-len(values) // _FIT.most_rows)]
        self._fitted, self.rows = rows[::2], rows[1::2]
        self._centre, self._spread = self._fitted.mean(axis=0), self._fitted.std(axis=0)
        self._spread[self._spread == 0] = 1.0
        count = values.shape[1]
        self._pairs = np.triu_indices(count) if count <= _FIT.most_products else (np.arange(count), np.arange(count))
        terms = self._terms(self._fitted)
        self._means = terms.mean(axis=0)
        terms -= self._means
        self._responses, self._matrix = terms.T @ self._fitted, terms.T @ terms
        self._matrix[np.diag_indices_from(self._matrix)] += _FIT.ridge * len(terms)
        self._of_rows = self._terms(self.rows) - self._means

    def given(self, axes: IntArray, records: FloatArray) -> tuple[FloatArray, FloatArray]:
        """What these axes explain of each axis, without itself: in the rows, and for records, by their values there."""
        used = np.isin(np.arange(len(self._centre)), axes)
        slopes = np.zeros((len(self._means), len(used)))
        for j in range(len(used)):
            others = used & (np.arange(len(used)) != j)
            use = np.concatenate([others, others[self._pairs[0]] & others[self._pairs[1]]])
            if use.any():
                slopes[use, j] = np.linalg.solve(self._matrix[np.ix_(use, use)], self._responses[use, j])
        any_ = slopes.any(axis=1)  # one product of few columns
        beside = self._terms(np.where(used, records, self._centre)) - self._means
        return self._of_rows[:, any_] @ slopes[any_], beside[:, any_] @ slopes[any_]

    def _terms(self, table: FloatArray) -> FloatArray:
        scaled = (table - self._centre) / self._spread
        return np.hstack([scaled, scaled[:, self._pairs[0]] * scaled[:, self._pairs[1]]])
