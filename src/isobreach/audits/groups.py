# SPDX-License-Identifier: BSD-3-Clause
r"""Attributes that occupy several columns, or one column of few values: learned when their category is.

A category that is written one-hot is one attribute in k columns. Its C categories have *codes*, the C distinct rows
that these columns hold. An estimate says a category: the one whose code is nearest. The attribute is *learned* of a
record when that category is the record's own. No tolerance is needed, and an error in one of the k columns is not
counted k times. All other columns are attributes of their own.

*Closed form.* Insiders know a record's foot f, and that its code is f_G + H_G w, with H_G the group's k rows of the
hidden basis and w unknown. Two rules of choosing a code c are tried, and the one that is right of more records counts,
as for other attributes (``isobreach.audits.learned``):

    |c - f_G|                                    the nearest code;
    (c - f_G)' (H_G H_G' + s I)^-1 (c - f_G)     the nearest one as directions are hidden.

The second takes into account which errors are possible: for w of a random direction in three or more dimensions it is
the likeliest code, and where few dimensions are hidden it excludes codes that no w reaches. s is small, or the share of
the noise. Guessing the most common category is the blind guess, which stands beside.

Where records are scaled to length one, so are the codes, by the length that the record had: an attacker is supposed to
know it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray, IntArray
from isobreach.geometry import row_norms

_MOST_CODES = 1000  # more than any category has
_LEAST = 1e-9  # of a hidden direction's share in a column: below, it counts as known


@dataclass(frozen=True, eq=False)
class AttributeGroup:
    """Columns of one attribute, the codes of its categories, and each record's own category.

    ``scale``: of each record, by which it was scaled to length one; None where it was not.
    """

    columns: IntArray
    codes: FloatArray
    own: IntArray
    scale: FloatArray | None = None

    def right(self, told: FloatArray, metric: FloatArray | None = None) -> NDArray[np.bool_]:
        """Whether the code nearest to each record's estimate, m x k, is that of its category; never for NaN.

        ``metric``: a symmetric k x k matrix that measures squared lengths; by default all columns alike.
        """
        weighed = self.codes if metric is None else self.codes @ metric
        squares = np.einsum("ij,ij->i", weighed, self.codes)
        scale = np.ones((len(told), 1)) if self.scale is None else self.scale[:, None]
        nearness = 2 * scale * (told @ weighed.T) - scale**2 * squares
        finite = np.asarray(np.isfinite(told).all(axis=1))
        return np.asarray((np.where(finite[:, None], nearness, 0.0).argmax(axis=1) == self.own) & finite)


@dataclass(frozen=True, eq=False)
class Groups:
    """The attributes of a table: groups of columns, and every other column by itself, in the order of the columns."""

    groups: tuple[AttributeGroup, ...] = ()

    @classmethod
    def of(cls, records: NDArray[Any], groups: Sequence[Sequence[int]], *, unit_length: bool = False) -> "Groups":
        """The groups of a table, ``unit_length``: whose records are scaled to length one later."""
        values = np.asarray(records, dtype=np.float64)
        lengths = row_norms(values) if unit_length and groups else None
        scale = None if lengths is None else np.divide(1.0, lengths, out=np.ones_like(lengths), where=lengths > 0)
        made = []
        for columns in groups:
            part = values[:, list(columns)]
            codes, own = np.unique(part, axis=0, return_inverse=True)
            if len(codes) > _MOST_CODES:  # values that were moved, as a remedy: codes are whole numbers
                codes, own = np.unique(np.round(part), axis=0, return_inverse=True)
            made.append(AttributeGroup(np.array(columns, dtype=np.int64), codes, own.ravel(), scale))
        return cls(tuple(made))

    def take(self, rows: IntArray | slice) -> "Groups":
        """The same attributes of some records."""
        return Groups(
            tuple(
                replace(one, own=one.own[rows], scale=None if one.scale is None else one.scale[rows])
                for one in self.groups
            )
        )

    def attributes(self, columns: int) -> list[int | AttributeGroup]:
        """Of each attribute, its column or its group."""
        first = {int(one.columns.min()): one for one in self.groups}
        inside = {int(column) for one in self.groups for column in one.columns}
        return [first.get(column, column) for column in range(columns) if column in first or column not in inside]

    def merged(self, by_column: FloatArray, by_group: Sequence[float]) -> FloatArray:
        """Figures of all attributes: those of columns that are attributes themselves, and those of groups."""
        if not self.groups:
            return by_column
        figures = dict(zip(map(id, self.groups), by_group, strict=True))
        every = self.attributes(len(by_column))
        return np.array([figures[id(one)] if isinstance(one, AttributeGroup) else by_column[one] for one in every])

    def shares(self, within: NDArray[np.bool_], told: FloatArray) -> FloatArray:
        """Share of records of which each attribute is learned.

        ``within``: by record and column, whether the estimate is within tolerance. ``told``: the estimates.
        """
        groups = [float(np.mean(one.right(told[:, one.columns]))) for one in self.groups]
        return self.merged(np.asarray(np.mean(within, axis=0)), groups)

    def by_feet(self, by_column: FloatArray, feet: FloatArray, hidden: FloatArray, noise: float = 0.0) -> FloatArray:
        """The same for insiders who know the records' feet.

        ``by_column``: what ``learned`` gives. ``hidden``: H, n x h. ``noise``: variance of the noise as a share of the
        mean square of one hidden coordinate.
        """
        return self.merged(by_column, list(self._by_feet(feet, hidden, noise)))

    def _by_feet(self, feet: FloatArray, hidden: FloatArray, noise: float) -> Iterator[float]:
        for one in self.groups:
            part, told = hidden[one.columns], feet[:, one.columns]
            spread = part @ part.T + max(noise, _LEAST) * np.eye(len(part))
            metric: FloatArray = np.linalg.inv(spread).astype(np.float64, copy=False)
            yield max(float(np.mean(right)) for right in (one.right(told), one.right(told, metric)))

    def length_shares(self, records: FloatArray) -> FloatArray:
        """Share of each attribute in the summed squares of all records; zeros where all records are zero."""
        squares = np.einsum("ij,ij->j", records, records)
        total = float(squares.sum())
        shares = squares / total if total > 0 else squares
        return self.merged(shares, [float(shares[one.columns].sum()) for one in self.groups])

    def most_common(self, by_column: FloatArray) -> FloatArray:
        """Figures of attributes where a group's is the share of its most common category."""
        return self.merged(by_column, [float(np.bincount(one.own).max() / len(one.own)) for one in self.groups])
