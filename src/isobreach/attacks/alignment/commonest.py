# SPDX-License-Identifier: BSD-3-Clause
"""What values along exact axes have in common: one that many rows share, and steps of whole numbers between them."""

from dataclasses import dataclass

import numpy as np

from isobreach._arrays import BoolArray, FloatArray


@dataclass(frozen=True)
class SharedTuning:
    """What counts as shared."""

    same: float = 1e-7  # of the spread: values that differ by no more are one
    rows: int = 5  # that make a value a common one
    whole: int = 500  # rows that are looked at for whole numbers


_TUNING = SharedTuning()


@dataclass(frozen=True, eq=False)
class Commonest:
    """Of each axis, its commonest value and how far another may be off; a column an axis.

    Attributes
    ----------
    value, near
        The commonest value, and the error of one.
    shared
        Whether several rows have it.
    off
        Which rows do not have it, m x count.
    whole
        Whether all values are whole numbers apart.
    """

    value: FloatArray
    near: FloatArray
    shared: BoolArray
    off: BoolArray
    whole: BoolArray

    @classmethod
    def of(cls, values: FloatArray) -> "Commonest":
        """Return what rows have in common, values of which along the axes are given, m x count."""
        near = np.maximum(_TUNING.same * values.std(axis=0), np.finfo(np.float64).tiny)
        places = np.round(values / near)
        most = [np.unique(column, return_counts=True) for column in places.T]
        value = np.array([found[counts.argmax()] for found, counts in most])
        off = np.abs(places - value) > 1
        steps = values[: _TUNING.whole] - values[:1]
        whole = (np.abs(steps - np.round(steps)) <= 2 * near).all(axis=0)
        return cls(
            value * near, near, np.asarray((~off).sum(axis=0) >= _TUNING.rows), np.asarray(off), np.asarray(whole)
        )

    def tied(self) -> BoolArray:
        """Which axes no row is off together, count x count: a flag of missing values and its value."""
        varied = np.asarray(self.off.any(axis=0))
        together = self.off.T.astype(np.float64) @ self.off
        return np.asarray((together == 0) & varied & varied[:, None])

    def surprises(self, known: FloatArray, seen: FloatArray) -> FloatArray:
        """How little each attribute (row) looks like each axis (column), where links do not tell them apart.

        People share zeros more than other values, so links with a zero should have the commonest value; and axes of
        whole numbers are attributes of whole numbers.

        Parameters
        ----------
        known, seen
            Linked records, and their values along the axes.
        """
        common = np.abs(seen - self.value) <= 2 * self.near
        zeros = (known == 0)[:, :, None] != common[:, None, :]
        kinds = (known == np.round(known)).all(axis=0)[:, None] != self.whole
        return np.asarray((zeros & self.shared).sum(axis=0) + 0.1 * kinds)
