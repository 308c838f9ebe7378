# SPDX-License-Identifier: BSD-3-Clause
"""What any attacker may know, and what any attack gives back."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isobreach._validation import check_not_negative, check_table
from isobreach.errors import InputError

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Knowledge:
    """What the attacker holds besides the release; nothing by default.

    Attributes
    ----------
    known
        Records that are in the release; which rows they are is not known.
    sample
        Records of the same population, none of which need be in the release: public marginals.
    bounds
        Least and greatest value of each attribute, n x 2; infinite where there is none.
    noise
        Standard deviation of random errors of released coordinates, ``"estimate"`` to find it out. (The lattice attack
        finds it out anyway; a number spares it what that noise would defeat.)
    """

    known: NDArray[Any] | None = None
    sample: NDArray[Any] | None = None
    bounds: ArrayLike | None = None
    noise: Any = None

    @classmethod
    def of(cls, given: object) -> "Knowledge":
        """What was given, nothing for None; anything else is refused."""
        if given is None:
            return cls()
        if not isinstance(given, cls):
            got = type(given).__name__
            raise InputError("knowledge", "must be a Knowledge", got, "Known records are Knowledge(known=...).")
        return given

    def check(self, columns: int) -> "Knowledge":
        """Return itself with plain arrays, after checking them against the number of released columns."""
        known, sample = (self._table(name, columns) for name in ("known", "sample"))
        given = self.noise is None or (isinstance(self.noise, str) and self.noise == "estimate")
        noise = self.noise if given else check_not_negative("noise", self.noise)
        return Knowledge(known, sample, self._bounds(columns), noise)

    def _table(self, name: str, columns: int) -> NDArray[Any] | None:
        given = getattr(self, name)
        if given is None:
            return None
        try:
            values = np.asarray(given)
        except ValueError:  # its rows differ in length
            raise InputError(name, "must be a table: two dimensions", type(given).__name__) from None
        check_table(name, values)
        if values.shape[1] > columns:
            raise InputError(name, f"must have at most {columns} columns like released", f"{values.shape[1]} columns")
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


@dataclass(frozen=True, eq=False)
class Reconstruction:
    """What an attack by name gives back.

    Attributes
    ----------
    claimed
        Whether the attack stands by its estimates. A miss is ``False``, never a guess.
    reason
        Why, in one sentence.
    estimates
        Estimate of every released row's record; columns that are not known hold NaN.
    breach_probability
        Of every released row, where the attack can tell.
    decided
        False where the time ended before the attack was through, or where it found something that it cannot claim: with
        more time or knowledge it might find more.
    """

    claimed: bool
    reason: str
    estimates: Any = field(repr=False)
    breach_probability: FloatArray | None = field(default=None, repr=False)
    decided: bool = True

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """Released rows that the estimates are of: all of them."""
        return np.arange(len(self.estimates))
