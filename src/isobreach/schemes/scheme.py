# SPDX-License-Identifier: BSD-3-Clause
"""What every scheme has."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from numpy.typing import NDArray

from isobreach._random import RandomSource
from isobreach.schemes.key import Release

Invariant = Literal["norms", "distances", "inner products"]


@dataclass(frozen=True)
class Scheme(ABC):
    """A way of protecting a table; the fields of a scheme are its parameters, checked when it is made.

    ``keeps`` names what the released rows have in common with the records, exactly and for all of them.
    """

    name: ClassVar[str]
    keeps: ClassVar[tuple[Invariant, ...]]

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
