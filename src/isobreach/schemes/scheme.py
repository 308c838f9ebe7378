# SPDX-License-Identifier: BSD-3-Clause
"""What every scheme has."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from isobreach._random import RandomSource
from isobreach.release import Invariant, ReleaseModel
from isobreach.schemes.key import Release


@dataclass(frozen=True)
class Scheme(ABC):
    """A way of protecting a table; the fields of a scheme are its parameters, checked when it is made.

    Attributes
    ----------
    name
        By which it is called.
    model
        What it does to a record. Whoever plays attacks on the scheme reads it; without one no audit is possible.
    """

    name: ClassVar[str]
    model: ClassVar[ReleaseModel | None] = None

    @property
    def keeps(self) -> tuple[Invariant, ...]:
        """What the released rows have in common with the records, exactly and for all of them: see the model."""
        return () if self.model is None else self.model.keeps

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
