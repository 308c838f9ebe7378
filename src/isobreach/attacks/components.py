# SPDX-License-Identifier: BSD-3-Clause
r"""Independent components of a table, by scikit-learn's FastICA, and how they are matched.

x = mean + A s, s independent with variance one; at most one of them may be Gaussian, and order and signs of s are
arbitrary. Two sets of components with the same distributions are matched by the mean squared difference of their
quantile functions, either sign, in the assignment of least total cost (Kuhn 1955).
"""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.stats import kurtosis, skew

from isobreach._arrays import FloatArray, IntArray
from isobreach.attacks.alignment import quantiles


@dataclass(frozen=True)
class ComponentSearch:
    """How components are sought.

    Attributes
    ----------
    iterations, starts
        Of FastICA. Where a start does not converge, another is tried.
    gaussian
        Standard errors of third and fourth moment below which a component may be Gaussian.
    """

    iterations: int = 400
    starts: int = 3
    gaussian: float = 4.0


_EFFORT = ComponentSearch()


@dataclass(frozen=True, eq=False)
class Components:
    """Components of a table.

    Attributes
    ----------
    mean, mixing
        x = mean + s mixing', mixing n x c.
    unmixing
        s = (x - mean) unmixing, n x c.
    sources
        Components of the rows that they were sought in.
    converged
        Whether the iteration came to an end.
    """

    mean: FloatArray
    mixing: FloatArray
    unmixing: FloatArray
    sources: FloatArray
    converged: bool

    @property
    def gaussian(self) -> int:
        """Number of components that may be Gaussian: their directions mean nothing if there are several."""
        count = len(self.sources)
        third = np.abs(skew(self.sources, axis=0)) * np.sqrt(count / 6)
        fourth = np.abs(kurtosis(self.sources, axis=0)) * np.sqrt(count / 24)
        return int((np.maximum(third, fourth) < _EFFORT.gaussian).sum())


def rank(rows: FloatArray) -> int:
    """Return the dimension of the flat that rows lie in."""
    values = np.linalg.svd(rows - rows.mean(axis=0), compute_uv=False)
    return int((values > 1e-9 * max(values[0], np.finfo(np.float64).tiny)).sum())


def independent(rows: FloatArray, count: int, rng: np.random.Generator) -> Components:
    """Return independent components of rows.

    Parameters
    ----------
    rows
        More rows than components.
    count
        Components, at most the rank of the rows.
    rng
        Draws starts.
    """
    from sklearn.decomposition import FastICA
    from sklearn.exceptions import ConvergenceWarning

    for _ in range(_EFFORT.starts):
        search = FastICA(
            count,
            whiten="unit-variance",
            whiten_solver="svd",
            max_iter=_EFFORT.iterations,
            random_state=int(rng.integers(2**31)),
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            sources = search.fit_transform(rows)
        converged = search.n_iter_ < _EFFORT.iterations
        if converged:
            break
    return Components(search.mean_, search.mixing_, search.components_.T, sources, converged)


def costs(mine: FloatArray, theirs: FloatArray) -> FloatArray:
    """Return mean squared differences of quantile functions: (sign, column of mine, column of theirs), + first."""
    a = quantiles(mine)
    return np.stack(
        [((a[:, :, None] - quantiles(sign * theirs)[:, None, :]) ** 2).mean(axis=0) for sign in (1.0, -1.0)]
    )


def matched(cost: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return for every column of mine the column of theirs, and its sign, of least total cost."""
    mine, theirs = linear_sum_assignment(cost.min(axis=0))
    order = np.empty(len(mine), dtype=np.int64)
    order[mine] = theirs
    own = np.arange(len(order))
    return order, np.where(cost[0, own, order] <= cost[1, own, order], 1.0, -1.0)
