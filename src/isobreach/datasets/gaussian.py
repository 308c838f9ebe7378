# SPDX-License-Identifier: BSD-3-Clause
"""The paper's synthetic table: a Gaussian whose mean and covariance are themselves drawn.

The mean's entries are N(0, 1). The covariance is the empirical one of n tuples with n entries from N(0, 1):
C = A'A / (n - 1) for the centred tuples A, which has rank n - 1, because centring makes the rows of A sum to
zero. A Cholesky factorisation of that singular matrix fails or not by rounding. None is needed:
x = mean + z A / sqrt(n - 1) with z ~ N(0, I) has exactly this distribution.
"""

import numpy as np
from numpy.typing import NDArray

from isobreach._random import Seed, random_source
from isobreach._validation import check_integer, check_seed


def gaussian(rows: int = 100_000, columns: int = 100, seed: Seed = 0) -> NDArray[np.float64]:
    """Return records of the generator in the paper's "Experiments and Discussion".

    Parameters
    ----------
    rows, columns
        How many records, and of how many attributes.
    seed
        Makes them repeatable.

    >>> gaussian(rows=5, columns=3).shape
    (5, 3)
    """
    rows = check_integer("rows", rows, least=1)
    columns = check_integer("columns", columns, least=2)
    source = random_source(check_seed(seed), "data")
    mean = source.standard_normal((columns,))
    tuples = source.standard_normal((columns, columns))
    factor = (tuples - tuples.mean(axis=0)) / np.sqrt(columns - 1)
    values: NDArray[np.float64] = source.standard_normal((rows, columns)) @ factor
    values += mean
    return values
