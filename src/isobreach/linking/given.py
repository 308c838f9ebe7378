# SPDX-License-Identifier: BSD-3-Clause
r"""Links that are given: insiders know their own rows, from whatever source, and nothing has to be searched for.

What is left to find is the motion, its scale and the noise, all of them from the pairs. Without noise a motion holds if
the pairs keep the lengths that it keeps, within the precision of the release; ``auto`` takes the first that holds.
Where none does, the released rows carry errors that nobody mentioned (jitter, noise), and their level is estimated: the
misfit of the best motion over its degrees of freedom (``procrustes_residual``). Under noise ``auto`` takes the
orthogonal motion unless a translation fits significantly better.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtri, fdtrc

from isobreach._arrays import FloatArray, IntArray
from isobreach.engine import Engine, as_engine
from isobreach.geometry import procrustes_residual, row_norms
from isobreach.linking.linkage import Linkage
from isobreach.linking.motions import MOTIONS, Choice
from isobreach.release import Motion, Precision, given_precision, released_precision, unit_roundoff


@dataclass(frozen=True)
class MotionTest:
    """How the motion of given links is told.

    Attributes
    ----------
    miss
        Probability that the motion that holds is refused under noise.
    compared
        Pairs whose lengths are compared: more would not tell more.
    rounds
        Of estimating scale and noise in turn: the scale depends on the noise, and the noise a little on the scale.
    equal
        Relative spread of norms that are the same.
    """

    miss: float = 1e-6
    compared: int = 512
    rounds: int = 5
    equal: float = 1e-3


_TEST = MotionTest()


def given_links(
    known: NDArray[Any],
    released: NDArray[Any] | Engine,
    rows: ArrayLike,
    *,
    motion: Choice = "auto",
    tolerance: float | None = None,
    noise: float | Literal["estimate"] | None = None,
) -> Linkage:
    """Return the linkage of known records whose released rows are given.

    Parameters
    ----------
    known
        Records that the attacker holds, a x n.
    released
        Released rows, m x N.
    rows
        Released row of each known record, -1 where it is not known: such a record stays ambiguous.
    motion, tolerance, noise
        As for ``link``.
    """
    source, known, rows = as_engine(released), np.asarray(known), np.asarray(rows, dtype=np.int64)
    linked = np.flatnonzero(rows >= 0)
    precision = released_precision(source) if tolerance is None else given_precision(tolerance)
    pairs = _ComparedPairs(
        known[linked].astype(np.float64), source.gather(rows[linked]), precision, unit_roundoff(known)
    )
    named, scale, sigma = pairs.settled(motion, noise)
    everything = np.arange(source.shape[0])
    candidates = [everything] * len(rows)
    for place, equal in zip(linked.tolist(), _equal_rows(source, pairs.rows, rows[linked]), strict=True):
        candidates[place] = equal
    radius = np.zeros(len(rows))
    radius[linked] = pairs.radius(scale)
    return Linkage(
        rows=rows,
        status=np.where(rows >= 0, "linked", "ambiguous").astype("U9"),
        candidates=tuple(candidates),
        complete=True,
        chance=None,
        precision=precision,
        radius=radius,
        rule="backbone",
        motion=named,
        scale=scale,
        noise=sigma,
        posterior=np.where(rows >= 0, 1.0, 0.0) if sigma else None,
        reason="the given links fit a motion of this kind" if motion == "auto" else "",
    )


class _ComparedPairs:
    """Linked records and their released rows."""

    def __init__(self, records: FloatArray, rows: FloatArray, precision: Precision, unit: float) -> None:
        self.records, self.rows, self.precision, self.unit = records, rows, precision, unit

    def radius(self, scale: float) -> FloatArray:
        """Error radius of each pair."""
        norms = self._norms(scale)
        return self.precision.radius(norms, self.rows.shape[1]) + self.unit * norms

    def _norms(self, scale: float) -> FloatArray:
        """A record is as long as its image, or the translation as long as both together."""
        return scale * row_norms(self.records) + row_norms(self.rows)

    def settled(self, motion: Choice, noise: float | Literal["estimate"] | None) -> tuple[Motion, float, float]:
        """The motion, its scale and the noise."""
        names = MOTIONS if motion == "auto" else (motion,)
        if not len(self.rows):  # of motions that nothing speaks against, the one that asks least
            return ("rigid" if motion == "auto" else motion), 1.0, 0.0 if noise in (None, "estimate") else float(noise)
        if not noise:
            for name in names:
                scale = self._scale(name, 0.0)
                if self._holds(name, scale):
                    return name, scale, 0.0
        level = float(np.hypot(noise, self.precision.step / np.sqrt(3))) if isinstance(noise, float) and noise else None
        name = self._noisy_motion(level) if motion == "auto" else motion
        return name, *self._fitted(name, level)

    def _holds(self, motion: Motion, scale: float) -> bool:
        """Whether the pairs keep the lengths that a motion keeps."""
        from scipy.spatial.distance import pdist  # a library that linking by norms does without

        records, rows = scale * self.records[: _TEST.compared], self.rows[: _TEST.compared]
        norms = self._norms(scale)[: _TEST.compared]
        error = self.precision.length_error(norms, rows.shape[1]) + self.unit * norms
        if motion == "orthogonal" and (np.abs(row_norms(rows) - row_norms(records)) > error).any():
            return False
        i, j = np.triu_indices(len(rows), 1)
        return bool((np.abs(pdist(rows) - pdist(records)) <= error[i] + error[j]).all()) if len(i) else True

    def _scale(self, motion: Motion, noise: float) -> float:
        """Scale of the records within the release, the noise's share in its lengths taken off."""
        shortened = motion == "orthogonal" and all(
            len(norms) > 1 and np.std(norms) < _TEST.equal * np.mean(norms)
            for norms in (row_norms(self.records), row_norms(self.rows))
        )
        moved = motion == "similarity"
        count = len(self.rows) - moved
        if not (moved or (shortened and noise)) or not count:
            return 1.0
        records, rows = (one - moved * one.mean(axis=0) for one in (self.records, self.rows))
        kept = float((rows**2).sum()) - count * rows.shape[1] * noise**2
        size = float((records**2).sum())
        return float(np.sqrt(kept / size)) if kept > 0 and size > 0 else 1.0

    def _fitted(self, motion: Motion, level: float | None) -> tuple[float, float]:
        """The scale and the noise under a motion; ``level``: the noise where it is known."""
        sigma = level or 0.0
        scale = self._scale(motion, sigma)
        for _ in range(_TEST.rounds if level is None else 0):
            rss, freedom = procrustes_residual(scale * self.records, self.rows, motion != "orthogonal")
            sigma = float(np.sqrt(rss / max(freedom, 1)))
            scale = self._scale(motion, sigma)
        return scale, sigma

    def _noisy_motion(self, level: float | None) -> Motion:
        """Orthogonal, unless a translation fits significantly better."""
        scale, _ = self._fitted("orthogonal", level)
        fixed, freedom = procrustes_residual(scale * self.records, self.rows, False)
        moved, left = procrustes_residual(self.records, self.rows, True)
        if level is not None:
            return "orthogonal" if fixed <= level**2 * chdtri(max(freedom, 1), _TEST.miss) else "rigid"
        if left < 1 or freedom <= left or moved == 0:
            return "orthogonal"
        ratio = max(fixed - moved, 0.0) / (freedom - left) / (moved / left)
        return "orthogonal" if float(fdtrc(freedom - left, left, ratio)) > _TEST.miss else "rigid"


def _equal_rows(source: Engine, linked: FloatArray, numbers: IntArray) -> list[IntArray]:
    """Released rows that hold the same value as each linked one: itself, and whatever equals it."""
    found: list[list[int]] = [[] for _ in numbers]
    firsts = np.unique(linked[:, 0]) if len(linked) else np.empty(0)
    for rows, values in source.scan(_starting_alike, firsts, "looking for equal rows"):
        for row, value in zip(rows.tolist(), values, strict=True):
            for place in np.flatnonzero((linked == value).all(axis=1)).tolist():
                found[place].append(row)
    return [np.array(one or [number], dtype=np.int64) for one, number in zip(found, numbers.tolist(), strict=True)]


def _starting_alike(block: FloatArray, first_row: int, firsts: FloatArray) -> tuple[IntArray, FloatArray]:
    """Rows of a block whose first coordinate is that of a linked row."""
    here = np.flatnonzero(np.isin(block[:, 0], firsts))
    return here + first_row, block[here]
