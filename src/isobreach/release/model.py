# SPDX-License-Identifier: BSD-3-Clause
"""What a scheme does to a record, as data.

Linking, attacks, audits and reports read the model; nothing asks for a scheme's class or name. With u the record, or
its direction x / |x| where records are scaled to length one, a released row is

    y = s M u + t + e,

M with orthonormal columns, t = 0 for an orthogonal motion, s = 1 unless the model scales, e the noise. Rows are
shuffled by default. What fits no such formula says so, with ``motion=None``, ``projection`` or ``mixes_rows``.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from isobreach.errors import InputError

Invariant = Literal["norms", "distances", "inner products"]
Motion = Literal["orthogonal", "rigid", "similarity"]
NoiseKind = Literal["gaussian", "ball", "orthogonal"]


@dataclass(frozen=True)
class ReleaseModel:
    """What a scheme does to a record; an audit checks it against a release before it believes it.

    Parameters
    ----------
    motion
        ``"orthogonal"`` fixes the origin, ``"rigid"`` translates, a ``"similarity"`` also scales. None where distances
        are not kept, even before the noise.
    noise
        Independent errors of the rows: ``"gaussian"`` in every coordinate, uniform in a ``"ball"``, or ``"orthogonal"``
        to the record. Their level, the standard deviation of one released coordinate, is in the key. None: no noise.
    unit_length
        Records are scaled to length one first.
    scale
        All rows are multiplied by one factor, the key's; a similarity always is.
    permutation
        The motion only permutes the columns and flips signs: an orthogonal one, and a weak one.
    projection
        Number of released columns, where they are fewer than the attributes: distances shrink. None: no fewer.
    mixes_rows
        A released row depends on several records.
    shuffled
        Rows are in a secret order. Otherwise insiders know their rows.
    """

    motion: Motion | None
    noise: NoiseKind | None = None
    unit_length: bool = False
    scale: bool = False
    permutation: bool = False
    projection: int | None = None
    mixes_rows: bool = False
    shuffled: bool = True

    def __post_init__(self) -> None:
        for name, value, choices in (("motion", self.motion, Motion), ("noise", self.noise, NoiseKind)):
            if value is not None and value not in get_args(choices):
                rule = f"must be None or one of {', '.join(get_args(choices))}"
                raise InputError(f"{name} of a ReleaseModel", rule, repr(value))

    @property
    def translates(self) -> bool:
        """Whether the motion has a translation, which hides lengths."""
        return self.motion in ("rigid", "similarity")

    @property
    def scales(self) -> bool:
        """Whether distances are multiplied by a factor."""
        return self.scale or self.motion == "similarity"

    @property
    def moves(self) -> bool:
        """Whether each released row is, up to noise, the image of one record under one motion."""
        return self.motion is not None and self.projection is None and not self.mixes_rows

    @property
    def unmoved(self) -> str | None:
        """Why no motion takes each record to its row, so that no attack by distances can work; None if one does."""
        if self.moves:
            return None
        if self.mixes_rows:
            return "a released row depends on several records"
        fewer = "the release has fewer columns than the records"
        return fewer if self.motion else "the release does not keep distances"

    @property
    def keeps(self) -> tuple[Invariant, ...]:
        """What released rows have in common with the records, exactly and for all of them."""
        if not self.moves or self.noise or self.unit_length or self.scales:
            return ()
        return ("distances",) if self.translates else ("norms", "distances", "inner products")
