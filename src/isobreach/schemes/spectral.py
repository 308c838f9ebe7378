# SPDX-License-Identifier: BSD-3-Clause
"""What schemes share that take an orthonormal transform of each record and keep the coefficients of the largest energy.

The transform is public. The secret is the order of the coefficients, and which ones they are.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isobreach._random import RandomSource
from isobreach._settings import setting
from isobreach._validation import check_integer
from isobreach.errors import InputError
from isobreach.geometry import Transform, public_transform
from isobreach.release import ReleaseModel
from isobreach.schemes.key import Key, Release
from isobreach.schemes.linear import Linear


@dataclass(frozen=True)
class Spectral(Linear):
    """A scheme that releases coefficients of a transform in a secret order.

    Parameters
    ----------
    coefficients
        How many are released, those with the largest sums of squares over the table; all by default.
    """

    coefficients: int | None = setting(None, "Coefficients of the largest energy to release; all by default.", type=int)

    transform: ClassVar[Transform]
    least_columns: ClassVar[int] = 2

    def __post_init__(self) -> None:
        if self.coefficients is not None:
            check_integer("coefficients", self.coefficients, least=1)

    @property
    def model(self) -> ReleaseModel:
        """A motion with all coefficients, a projection of it with fewer."""
        return ReleaseModel("orthogonal", projection=self.coefficients, coefficients=self.transform)

    def release(self, records: NDArray[Any], source: RandomSource) -> Release:
        """Return the released rows, shuffled, and their new key."""
        n = records.shape[1]
        transform = public_transform(self.transform, n)
        if self.coefficients is None:
            rotation = np.ascontiguousarray(transform[source.permutation(n)])
            key = Key(self.name, rotation, np.zeros(n), source.permutation(len(records)))
            return Release(key.apply(records), key)
        if self.coefficients >= n:
            rule = f"must be below the number of columns of X, {n}"
            raise InputError("coefficients", rule, self.coefficients, "Leave it out to release all.")
        energy = np.square(records @ transform.T).sum(axis=0)
        largest = np.argsort(-energy, kind="stable")[: self.coefficients]
        return self.multiplied(records, transform[largest[source.permutation(self.coefficients)]], source)
