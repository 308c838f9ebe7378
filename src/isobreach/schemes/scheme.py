# SPDX-License-Identifier: BSD-3-Clause
"""What every scheme has."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isobreach._random import RandomSource
from isobreach.errors import InputError
from isobreach.release import Invariant, ReleaseModel
from isobreach.schemes.key import Key, Release


@dataclass(frozen=True)
class Scheme(ABC):
    """A way of protecting a table; the fields of a scheme are its parameters, checked when it is made.

    Attributes
    ----------
    name
        By which it is called.
    model
        What it does to a record. Whoever plays attacks on the scheme reads it; without one no audit is possible.
    least_columns
        Columns that a table must have.
    """

    name: ClassVar[str]
    model: ClassVar[ReleaseModel | None] = None
    least_columns: ClassVar[int] = 1

    @property
    def keeps(self) -> tuple[Invariant, ...]:
        """What the released rows have in common with the records, exactly and for all of them: see the model."""
        return () if self.model is None else self.model.keeps

    @property
    def draws_noise(self) -> bool:
        """Whether a record has another image each time, even under one key."""
        return self.model is not None and self.model.noise is not None

    def rows(self, records: NDArray[Any], key: Key, source: RandomSource) -> NDArray[np.float64]:
        """Return the images of any records under a key of this scheme, in the order of the records.

        Parameters
        ----------
        records
            Those of the table, or others.
        key
            Of a release by this scheme.
        source
            Where the noise comes from; a scheme with noise has a method of its own.
        """
        if self.draws_noise:
            rule = f"must be a scheme that can add its noise to more records, which {self.name} cannot"
            raise InputError("scheme", rule, "one without a method rows", "Use perturb.")
        return key.moved(records)

    @abstractmethod
    def release(self, records: NDArray[Any], source: RandomSource) -> Release:
        """Return the released rows, shuffled, and their new key.

        Parameters
        ----------
        records
            The table, m x n, checked.
        source
            Where all random numbers come from.
        """
