# SPDX-License-Identifier: BSD-3-Clause
"""What schemes share that multiply each record by a secret matrix which is no motion: ``y = A x``, A of size N x n."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach._random import RandomSource
from isobreach.errors import InputError
from isobreach.schemes.key import Release, SchemeKey
from isobreach.schemes.scheme import Scheme


class Linear(Scheme):
    """A scheme whose key holds a matrix; the key undoes it where the matrix has at least as many rows as columns."""

    def multiplied(self, records: NDArray[Any], matrix: FloatArray, source: RandomSource) -> Release:
        """Return the records times a matrix, shuffled, and their new key.

        Parameters
        ----------
        records
            The table, m x n.
        matrix
            N x n.
        source
            Where the order comes from.
        """
        return self.shuffled(records, records @ matrix.T, source, matrix=matrix)

    def moved(self, records: NDArray[Any], key: SchemeKey) -> FloatArray:
        """Return the images of any records, in their order."""
        return np.asarray(records @ key.secret("matrix", key.width, key.attributes).T)

    def undone(self, rows: FloatArray, key: SchemeKey) -> FloatArray:
        """Return the records behind released rows, by least squares."""
        matrix = key.secret("matrix", key.width, key.attributes)
        if key.width < key.attributes:
            lost = f"{self.name}, which released {key.width} columns of {key.attributes}"
            raise InputError("scheme", "must be one whose release a key can undo", lost, "Keep the table.")
        return np.asarray(np.linalg.lstsq(matrix, rows.T, rcond=None)[0].T)
