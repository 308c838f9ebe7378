# SPDX-License-Identifier: BSD-3-Clause
"""What a scheme does to a record, as data.

Linking, attacks, audits and reports read the model; nothing asks for a scheme's class or name. With u the record, or
its direction x / |x| where records are scaled to length one, a released row is

    y = s M u + t + e,

M with orthonormal columns, t = 0 for an orthogonal motion, s = 1 unless the model scales, e the noise. Rows are
shuffled by default. What fits no such formula says so, with ``motion=None``, ``projection``, ``mixes_rows`` or
``distances``. It also says what there is instead: M is any matrix (``linear``), perhaps of the ``lifted`` record, or
there is no M at all (``in_place``).
"""

from dataclasses import dataclass
from typing import Literal, get_args

from isobreach.errors import InputError

Invariant = Literal["norms", "distances", "inner products", "mean and covariance"]
Motion = Literal["orthogonal", "rigid", "similarity"]
NoiseKind = Literal["gaussian", "ball", "orthogonal", "uniform", "multiplicative", "components"]


@dataclass(frozen=True)
class ReleaseModel:
    """What a scheme does to a record; an audit checks it against a release before it believes it.

    Parameters
    ----------
    motion
        ``"orthogonal"`` fixes the origin, ``"rigid"`` translates, a ``"similarity"`` also scales. None where distances
        are not kept, even before the noise.
    noise
        Independent errors of the rows: ``"gaussian"`` or ``"uniform"`` in every coordinate, uniform in a ``"ball"``,
        ``"orthogonal"`` to the record, ``"multiplicative"`` (a factor for every entry), or Gaussian along the principal
        ``"components"``. Their level, the standard deviation of one released coordinate, is in the key. None: no noise.
    unit_length
        Records are scaled to length one first.
    scale
        All rows are multiplied by one factor, the key's; a similarity always is.
    permutation
        The motion only permutes the columns and flips signs: an orthogonal one, and a weak one.
    pairs
        The motion only rotates columns by twos, and leaves them in their places: a weak one too.
    coefficients
        Records are taken through this public transform, and the secret is the order of the coefficients: a weak
        motion. None: no such transform.
    projection
        Number of released columns of a projection, after a motion or by a random matrix (``linear``). None: no
        projection.
    mixes_rows
        A released row depends on several records.
    shuffled
        Rows are in a secret order. Otherwise insiders know their rows.
    linear
        Each released row is one linear or affine map of its record, the same for all, which is no motion.
    lifted
        The record is first extended by one more entry, -|x|^2 / 2, which makes inner products order distances.
    in_place
        Released column j is attribute j, changed by noise, exchange or grouping: there is no secret map.
    distances
        The release is the m x m matrix of distances instead of rows; classical scaling of it gives rows that are a
        motion of the records, the one that ``motion`` says.
    keeps_moments
        Column means and covariances of the release are those of the table, exactly.
    """

    motion: Motion | None
    noise: NoiseKind | None = None
    unit_length: bool = False
    scale: bool = False
    permutation: bool = False
    projection: int | None = None
    mixes_rows: bool = False
    shuffled: bool = True
    linear: bool = False
    lifted: bool = False
    in_place: bool = False
    distances: bool = False
    keeps_moments: bool = False
    pairs: bool = False
    coefficients: str | None = None

    def __post_init__(self) -> None:
        for name, value, choices in (("motion", self.motion, Motion), ("noise", self.noise, NoiseKind)):
            if value is not None and value not in get_args(choices):
                rule = f"must be None or one of {', '.join(get_args(choices))}"
                raise InputError(f"{name} of a ReleaseModel", rule, repr(value))
        if self.in_place and (self.motion or self.linear):
            got = "motion" if self.motion else "linear"
            raise InputError("in_place of a ReleaseModel", "must stand without a secret map", f"{got} as well")

    @property
    def translates(self) -> bool:
        """Whether the motion has a translation, which hides lengths."""
        return self.motion in ("rigid", "similarity")

    @property
    def weak(self) -> bool:
        """Whether the motion is one of so few that attacks on these may do better than attacks on any."""
        return self.permutation or self.pairs or self.coefficients is not None

    @property
    def scales(self) -> bool:
        """Whether distances are multiplied by a factor."""
        return self.scale or self.motion == "similarity"

    @property
    def moves(self) -> bool:
        """Whether each released row is, up to noise, the image of one record under one motion."""
        return self.motion is not None and self.projection is None and not (self.mixes_rows or self.distances)

    @property
    def maps(self) -> bool:
        """Whether each released row is, up to noise, one affine map of one record, or of the lifted record."""
        return (self.motion is not None or self.linear) and not (self.mixes_rows or self.distances)

    @property
    def unmoved(self) -> str | None:
        """Why no motion takes each record to its row, so that no attack by distances can work; None if one does."""
        if self.moves:
            return None
        reasons = {
            "the release is a matrix of distances, not of rows": self.distances,
            "a released row depends on several records": self.mixes_rows,
            "the values are changed in their columns, and no motion hides them": self.in_place,
            "records are lifted by their length, and a general matrix keeps no distances": self.lifted,
            "a random projection keeps distances on average only": self.linear and self.projection is not None,
            "the release has fewer columns than the records": self.motion is not None,
            "a general linear map keeps no distances": self.linear,
        }
        return next((reason for reason, holds in reasons.items() if holds), "the release does not keep distances")

    @property
    def keeps(self) -> tuple[Invariant, ...]:
        """What released rows have in common with the records, exactly and for all of them."""
        if self.distances:
            return () if self.noise else ("distances",)
        if self.keeps_moments:
            return ("mean and covariance",)
        if not self.moves or self.noise or self.unit_length or self.scales:
            return ()
        return ("distances",) if self.translates else ("norms", "distances", "inner products")
