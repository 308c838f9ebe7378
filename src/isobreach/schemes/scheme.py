# SPDX-License-Identifier: BSD-3-Clause
"""What every scheme has."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach._random import RandomSource
from isobreach.errors import InputError
from isobreach.release import Invariant, ReleaseModel
from isobreach.schemes.key import AnyKey, Release, SchemeKey


@dataclass(frozen=True)
class Scheme(ABC):
    """A way of protecting a table; the fields of a scheme are its parameters, checked when it is made.

    Attributes
    ----------
    name
        By which it is called.
    least_columns
        Columns that a table must have.
    not_negative
        Whether the values of a table must not be negative.
    lost
        Why a key cannot give the records back, after "which"; for schemes whose release cannot be undone.
    """

    name: ClassVar[str]
    least_columns: ClassVar[int] = 1
    not_negative: ClassVar[bool] = False
    lost: ClassVar[str] = "has no way back"

    @property
    def model(self) -> ReleaseModel | None:
        """What it does to a record, a constant of the class unless it depends on parameters.

        Whoever plays attacks on the scheme reads it; without one no audit is possible.
        """
        return None

    @property
    def keeps(self) -> tuple[Invariant, ...]:
        """What the released rows have in common with the records, exactly and for all of them: see the model."""
        return () if self.model is None else self.model.keeps

    @property
    def draws_noise(self) -> bool:
        """Whether a record has another image each time, even under one key."""
        return self.model is not None and self.model.noise is not None

    @property
    def in_place(self) -> bool:
        """Whether released column j is attribute j, with its name."""
        return self.model is not None and self.model.in_place

    @property
    def by_record(self) -> bool:
        """Whether a record's image depends on that record and the key alone: on no other record, and on no noise."""
        mixed = self.model is not None and self.model.mixes_rows
        return not (self.draws_noise or self.in_place or mixed)

    @property
    def least_rows(self) -> int:
        """Records that a table must have."""
        return 1

    def check_size(self, records: NDArray[Any]) -> None:
        """Refuse a table that is too small for the scheme.

        Parameters
        ----------
        records
            The table, m x n.
        """
        for got, least, what in (
            (records.shape[0], self.least_rows, "row"),
            (records.shape[1], self.least_columns, "column"),
        ):
            if got < least:
                rule = f"must have {least} {what}s or more for the scheme {self.name}"
                raise InputError("X", rule, f"{got} {what}{'' if got == 1 else 's'}")

    def rows(self, records: NDArray[Any], key: AnyKey, source: RandomSource) -> FloatArray:
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
        return self.moved(records, key) if isinstance(key, SchemeKey) else key.moved(records)

    def moved(self, records: NDArray[Any], key: SchemeKey) -> FloatArray:
        """Return the images of any records under a key that is no motion, in their order, before the noise.

        Parameters
        ----------
        records
            As many as you like.
        key
            Of a release by this scheme.
        """
        rule = "must be a scheme that treats each record alone, so that a key can be applied to more of them"
        raise InputError("scheme", rule, self.name, "Use perturb.")

    def undone(self, rows: FloatArray, key: SchemeKey) -> FloatArray:
        """Return the records behind released rows, in the order of the rows, under a key that is no motion.

        Parameters
        ----------
        rows
            As many as you like.
        key
            Of a release by this scheme.
        """
        if self.in_place and self.draws_noise:
            return rows  # the noise stays in them
        raise InputError(
            "scheme", "must be one whose release a key can undo", f"{self.name}, which {self.lost}", "Keep the table."
        )

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

    @staticmethod
    def in_secret_order(rows: NDArray[Any], source: RandomSource) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Return rows in a secret order, and that order: the row of each record.

        Parameters
        ----------
        rows
            In the order of the records.
        source
            Where the order comes from.
        """
        order = source.permutation(len(rows))
        data = np.empty_like(rows)
        data[order] = rows
        return data, order

    def shuffled(
        self,
        records: NDArray[Any],
        rows: FloatArray,
        source: RandomSource,
        *,
        noise: float = 0.0,
        **secrets: FloatArray,
    ) -> Release:
        """Return released rows in a secret order, with the key of a scheme that is no motion.

        Parameters
        ----------
        records
            The table, m x n.
        rows
            Its released rows, in the order of the records.
        source
            Where the order comes from.
        noise
            Standard deviation of the noise in one released coordinate.
        secrets
            What else the key has to hold.
        """
        data, order = self.in_secret_order(np.asarray(rows, dtype=np.float64), source)
        return Release(data, SchemeKey(self.name, order, (records.shape[1], rows.shape[1]), secrets, noise=noise))
