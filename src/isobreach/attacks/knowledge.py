# SPDX-License-Identifier: BSD-3-Clause
"""What an attacker may hold besides the release, checked against it."""

import sys
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isobreach._arrays import FloatArray, IntArray
from isobreach._validation import check_not_negative, check_same_width, check_table, check_widths
from isobreach.errors import InputError

Held = Literal["known", "rows", "sample", "bounds", "noise", "dictionary"]  # the fields of Knowledge
HELD_WORDS: dict[Held, str] = {
    "known": "known records",
    "rows": "the released rows of known records",
    "sample": "a public sample",
    "bounds": "ranges of the attributes",
    "noise": "the noise level",
    "dictionary": "a dictionary",
}


@dataclass(frozen=True, eq=False)
class Knowledge:
    """What the attacker holds besides the release; nothing by default.

    ``isobreach.reconstruct`` takes frames, paths and URLs for its tables, and for ``bounds`` a path or text such as
    ``"0:15"``; attacks get arrays.

    Attributes
    ----------
    known
        Records that are in the release; which rows they are is not known. NaN where an attribute is not known: partial
        records, for attacks that take them.
    sample
        Records of the same population, none of which need be in the release: public marginals.
    bounds
        Least and greatest value of each attribute, n x 2; infinite where there is none.
    noise
        Standard deviation of random errors of released coordinates, ``"estimate"`` to find it out.
    rows
        Released row of each known record, -1 where it is not known.
    dictionary
        Candidate records, any of which may be absent from the release.
    """

    known: Any = None
    sample: Any = None
    bounds: Any = None
    noise: float | Literal["estimate"] | None = None
    rows: ArrayLike | None = None
    dictionary: Any = None

    @classmethod
    def of(cls, given: object) -> "Knowledge":
        """Return what was given, and no knowledge for None; anything else is refused.

        Parameters
        ----------
        given
            A ``Knowledge`` or None.
        """
        if given is None:
            return cls()
        if not isinstance(given, cls):
            got = type(given).__name__
            raise InputError("knowledge", "must be a Knowledge", got, "Known records are Knowledge(known=...).")
        return given

    def has(self, held: Held) -> bool:
        """Return whether the attacker holds this.

        Parameters
        ----------
        held
            Name of a field.
        """
        return getattr(self, held) is not None

    def check(
        self, columns: int, rows: int = sys.maxsize, *, partial: bool = False, narrow: bool = False
    ) -> "Knowledge":
        """Return itself with plain arrays, after checking them against the release.

        Parameters
        ----------
        columns, rows
            Of the release.
        partial
            Whether known records may lack attributes.
        narrow
            Whether records may have more columns than the release.
        """
        most = sys.maxsize if narrow else columns
        known = self._table("known", most, partial=partial)
        sample, dictionary = (self._table(name, most) for name in ("sample", "dictionary"))
        for name, table in (("known", known), ("sample", sample)):
            if table is not None and dictionary is not None:
                check_same_width(table.shape[1], dictionary.shape[1], name)
        if narrow:
            columns = next((table.shape[1] for table in (known, sample) if table is not None), columns)
        given = self.noise is None or (isinstance(self.noise, str) and self.noise == "estimate")
        noise = self.noise if given else check_not_negative("noise", self.noise)
        places = self._rows(0 if known is None else len(known), rows)
        return Knowledge(known, sample, self._bounds(columns), noise, places, dictionary)

    def columns(self, released: int) -> int:
        """Return the number of attributes, by what the attacker holds; that of released columns where it is nothing.

        Parameters
        ----------
        released
            Columns of the release.
        """
        for held in (self.known, self.sample):
            if held is not None:
                return int(held.shape[1])
        return released if self.bounds is None else len(np.asarray(self.bounds))

    def ranges(self, columns: int) -> FloatArray | None:
        """Return ranges of all attributes, those that have none without bounds; None where no attribute has one.

        Parameters
        ----------
        columns
            Number of attributes.
        """
        if self.bounds is None:
            return None
        given = np.asarray(self.bounds, dtype=np.float64)[:columns]
        bounds = np.tile([-np.inf, np.inf], (columns, 1))
        bounds[: len(given)] = given
        return bounds if np.isfinite(bounds).any() else None

    def _rows(self, known: int, released: int) -> IntArray | None:
        if self.rows is None:
            return None
        rows = np.asarray(self.rows)
        rows = rows if rows.size else rows.astype(np.int64)  # an empty list has no type of its own
        if rows.shape != (known,) or rows.dtype.kind not in "iu":
            got = f"{rows.dtype} of shape {rows.shape}"
            raise InputError("rows", f"must be one whole number for each of {known} known records", got)
        if ((rows < -1) | (rows >= released)).any():
            raise InputError("rows", f"must be from 0 to {released - 1}, or -1 where a row is not known", "others")
        return rows.astype(np.int64)

    def _table(self, name: str, columns: int, *, partial: bool = False) -> NDArray[Any] | None:
        given = getattr(self, name)
        if given is None:
            return None
        try:
            values = np.asarray(given)
        except ValueError:  # its rows differ in length
            raise InputError(name, "must be a table: two dimensions", type(given).__name__) from None
        check_table(name, values, partial=partial)
        check_widths(values.shape[1], columns, name)
        return values

    def _bounds(self, columns: int) -> FloatArray | None:
        if self.bounds is None:
            return None
        try:
            bounds = np.asarray(self.bounds, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError("bounds", "must be numbers", type(self.bounds).__name__) from None
        if bounds.shape == (2,):
            bounds = np.tile(bounds, (columns, 1))  # one range for all attributes
        if bounds.ndim != 2 or bounds.shape[1] != 2 or not 1 <= len(bounds) <= columns:
            rule = f"must be a least and a greatest value for each of at most {columns} attributes"
            raise InputError("bounds", rule, f"shape {bounds.shape}")
        wrong = ~(bounds[:, 0] <= bounds[:, 1])  # also where one is not a number
        if wrong.any():
            raise InputError(
                "bounds", "must be a least and a greatest value", f"others at attribute {int(wrong.argmax())}"
            )
        return bounds
