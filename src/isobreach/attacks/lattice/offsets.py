# SPDX-License-Identifier: BSD-3-Clause
r"""Which attribute an axis may be, with which sign and offset.

For every axis j, attribute c and sign s: an interval of offsets o that agree with what is known of

    attribute c = s * (values along axis j) + o.

Every piece of knowledge is an interval too, and pieces combine by intersection: a range [L, H] of the attribute allows
o from L - min(s * values) to H - max(s * values), a record x in the row v just o = x - s * v, an untranslated release
just 0. Intervals are widened by ``error``, the most that a number may be off: an interval no wider than that on both
sides, but for the axis' own ``slack``, is one offset. Where nothing is left, the three do not belong together; and what
takes part in no matching of all axes to attributes of their own is out as well.
"""

from dataclasses import dataclass

import numpy as np

from isobreach._arrays import BoolArray, FloatArray, IntArray
from isobreach.attacks.lattice.matching import edges_in_matchings

SIGNS = np.array([1.0, -1.0])


@dataclass(frozen=True, eq=False)
class Settled:
    """What is the same in all that is possible: -1, 0 and NaN where it is not."""

    columns: IntArray
    signs: IntArray
    offsets: FloatArray


@dataclass(frozen=True, eq=False)
class Options:
    """Intervals of offsets by axis, attribute and sign; ``error`` by axis and attribute, ``slack`` by axis."""

    lower: FloatArray
    upper: FloatArray
    error: FloatArray
    slack: FloatArray

    @classmethod
    def unknown(cls, error: FloatArray, slack: FloatArray) -> "Options":
        """Nothing is known."""
        return cls(np.full((*error.shape, 2), -np.inf), np.full((*error.shape, 2), np.inf), error, slack)

    @property
    def possible(self) -> BoolArray:
        """Axis, attribute and sign that may belong together."""
        return np.asarray(self.lower <= self.upper)

    def _with(self, lower: FloatArray, upper: FloatArray) -> "Options":
        return Options(lower, upper, self.error, self.slack)

    def within(self, lower: FloatArray, upper: FloatArray) -> "Options":
        """Offsets also from ``lower`` to ``upper``, give or take the error."""
        error = self.error[:, :, None]
        return self._with(np.maximum(self.lower, lower - error), np.minimum(self.upper, upper + error))

    def linked(self, record: FloatArray, row: FloatArray) -> "Options":
        """The record is in the row."""
        offset = record[None, :, None] - row[:, None, None] * SIGNS
        return self.within(offset, offset)

    def without(self, excluded: BoolArray) -> "Options":
        """The same without some."""
        return self._with(np.where(excluded, np.inf, self.lower), np.where(excluded, -np.inf, self.upper))

    def matched(self) -> "Options | None":
        """What takes part in a matching; None where there is no matching."""
        possible = self.possible
        edges = edges_in_matchings(np.any(possible, axis=2))
        if edges is None:
            return None
        return self.without(~(possible & edges[:, :, None]))

    def either(self, other: "Options | None") -> "Options":
        """What is possible in one or the other."""
        if other is None:
            return self
        return self._with(np.minimum(self.lower, other.lower), np.maximum(self.upper, other.upper))

    def agreeing(self, record: FloatArray, rows: FloatArray) -> BoolArray:
        """Rows that may be the record, as far as single axes and attributes tell."""
        axes, attributes = self.error.shape
        error = self.error[:, :, None]
        low, high = self.lower - error, self.upper + error
        out = np.empty(len(rows), dtype=np.bool_)
        part = max(1, 2**21 // (axes * attributes))
        for start in range(0, len(rows), part):
            fits = np.zeros((len(rows[start : start + part]), axes, attributes), dtype=np.bool_)
            for k, sign in enumerate(SIGNS):
                offset = record - sign * rows[start : start + part, :, None]
                fits |= (offset >= low[:, :, k]) & (offset <= high[:, :, k])
            good = np.all(np.any(fits, axis=2), axis=1)
            if axes == attributes:
                good &= np.all(np.any(fits, axis=1), axis=1)
            out[start : start + part] = good
        return out

    def sharp(self) -> BoolArray:
        """Axis, attribute and sign whose offset is one number."""
        with np.errstate(invalid="ignore"):
            width = self.upper - self.lower - 2 * self.slack[:, None, None]
        return np.asarray(self.possible & (width <= 2 * self.error[:, :, None]))

    def settled(self) -> Settled:
        """What all possibilities share."""
        possible = self.possible
        columns, signs = possible.any(axis=2), possible.any(axis=1)
        low, high = self.lower.min(axis=(1, 2)), self.upper.max(axis=(1, 2))
        error = np.where(columns, self.error, 0.0).max(axis=1)
        one = np.isfinite(low) & np.isfinite(high)
        low, high = np.where(one, low, 0.0), np.where(one, high, 0.0)
        one &= high - low <= 2 * (error + self.slack)
        return Settled(
            np.where(columns.sum(axis=1) == 1, columns.argmax(axis=1), -1),
            np.where(signs.sum(axis=1) == 1, SIGNS[signs.argmax(axis=1)], 0.0).astype(np.int64),
            np.where(one, _tidy((low + high) / 2, error), np.nan),
        )


def _tidy(values: FloatArray, error: FloatArray) -> FloatArray:
    """Values rounded well below their error: whole numbers become whole again."""
    unit = 10.0 ** np.floor(np.log10(np.maximum(error, 1e-300)) - 2)
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = np.rint(values / unit) / (1 / unit)
    return np.where(np.abs(values / unit) < 2.0**52, rounded, values)
