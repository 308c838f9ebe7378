# SPDX-License-Identifier: BSD-3-Clause
"""What single precision does to a product: the measurements behind the factors of ``isobreach.release.precision``."""

import numpy as np
import pytest

from effort import slow
from oracles import rotation

UNIT = 2.0**-24
RECORDS = {
    "gaussian": lambda rng, n: rng.standard_normal((400, n)),
    "positive": lambda rng, n: np.abs(rng.standard_normal((400, n))) + 3,
    "sparse": lambda rng, n: (rng.random((400, n)) < 0.1) + 1e-3,
    "heavy-tailed": lambda rng, n: rng.standard_normal((400, n)) ** 5,
}


def _one_by_one(records, matrix):
    """The product, one term added after the other, each sum rounded."""
    total = np.zeros((len(records), len(matrix)), dtype=np.float32)
    for j in range(records.shape[1]):
        total += records[:, j : j + 1] * matrix[:, j]
    return total


@pytest.mark.parametrize("summed", ["BLAS", *slow("one by one")])
@pytest.mark.parametrize("kind", RECORDS)
def test_a_length_errs_by_a_few_units_and_a_row_by_the_root_of_the_columns(kind, summed):
    """At most 2.7 units in a norm or a distance and 0.4 sqrt(n) + 2 in a row; 4 and 4 + sqrt(n) are allowed for."""
    for n in (2, 3, 16, 100, 384):
        rng = np.random.default_rng(n)
        records = RECORDS[kind](rng, n).astype(np.float32)
        matrix = rotation(n, rng).T
        single = matrix.astype(np.float32)
        released = (records @ single.T if summed == "BLAS" else _one_by_one(records, single)).astype(float)
        exact = records.astype(float)
        norms = np.linalg.norm(exact, axis=1)
        rows = np.linalg.norm(released - exact @ matrix.T, axis=1)
        assert (rows <= (0.4 * np.sqrt(n) + 2) * UNIT * norms).all(), n
        assert (abs(np.linalg.norm(released, axis=1) - norms) <= 2.7 * UNIT * norms).all(), n
        first, second = rng.integers(0, len(exact), (2, 5000))
        gaps = np.linalg.norm(released[first] - released[second], axis=1)
        wanted = np.linalg.norm(exact[first] - exact[second], axis=1)
        assert (abs(gaps - wanted) <= 2.7 * UNIT * (norms[first] + norms[second])).all(), n
