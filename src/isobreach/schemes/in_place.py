# SPDX-License-Identifier: BSD-3-Clause
"""What schemes share that replace the values of a table by exchange or by grouping: each column stays where it is."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach._random import RandomSource
from isobreach._settings import setting
from isobreach._validation import check_integer
from isobreach.release import ReleaseModel
from isobreach.schemes.key import AnyKey, Release
from isobreach.schemes.scheme import Scheme


class InPlace(Scheme):
    """A scheme that needs the whole table: what becomes of a record depends on the others, and no key undoes it."""

    model: ClassVar[ReleaseModel] = ReleaseModel(None, in_place=True)

    @abstractmethod
    def replaced(self, records: FloatArray, source: RandomSource) -> FloatArray:
        """Return the rows that stand for the records, in their order.

        Parameters
        ----------
        records
            The table, m x n.
        source
            Where all random numbers come from.
        """

    def release(self, records: NDArray[Any], source: RandomSource) -> Release:
        """Return the released rows, shuffled, and their new key."""
        return self.shuffled(records, self.replaced(np.asarray(records, dtype=np.float64), source), source)

    def rows(self, records: NDArray[Any], key: AnyKey, source: RandomSource) -> FloatArray:
        """Return rows for any records, as a table of their own."""
        self.check_size(records)
        return self.replaced(np.asarray(records, dtype=np.float64), source)


@dataclass(frozen=True)
class Grouped(InPlace):
    """A scheme that puts similar records into groups and releases something of the group for each of its records.

    Parameters
    ----------
    group
        Least number of records in a group.
    """

    group: int = setting(5, "Least number of records in a group.")

    lost: ClassVar[str] = "released groups instead of records"

    def __post_init__(self) -> None:
        check_integer("group", self.group, least=2)

    @property
    def least_rows(self) -> int:
        """Records that a table must have: those of one group."""
        return self.group


def scaled(records: FloatArray) -> FloatArray:
    """Return records less their means, each column in units of its deviation; constant columns are zero."""
    deviations = records.std(axis=0)
    centred = records - records.mean(axis=0)
    # A column whose values differ by rounding only is constant.
    varies = deviations > np.finfo(np.float64).eps * np.abs(records).max(axis=0)
    return np.asarray(np.divide(centred, deviations, out=np.zeros_like(centred), where=varies))
