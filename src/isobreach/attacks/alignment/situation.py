# SPDX-License-Identifier: BSD-3-Clause
"""What the attacker's knowledge says of the motion before anything is sought: links, kind of motion, scale, noise.

Known records are linked (``isobreach.linking``) unless their rows are given. Records without a link, and linked ones
set aside, are not used for the fit: they confirm it (``confirmation``). A release that is wider than the records is
reduced to the flat in which it lies.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._progress import Progress
from isobreach.attacks.base import Knowledge
from isobreach.engine import Engine
from isobreach.errors import InputError
from isobreach.geometry import procrustes_residual, row_norms
from isobreach.linking import Linkage, link
from isobreach.release import released_precision

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

MOTIONS = ("auto", "orthogonal", "rigid", "similarity")
_SIGMAS = 6.0  # standard errors by which lengths may differ before a translation is believed
_DISTINCT = 2.0  # of Kolmogorov's statistic: lengths of one population exceed it once in 1,500 pairs of tables


@dataclass(frozen=True, eq=False)
class Situation:
    """Links, motion and noise, in coordinates of as many columns as the records have.

    Attributes
    ----------
    known, released
        Linked records that are used, twins of the sample's among them, and their rows as in ``reduced``.
    sample, bounds
        Records of the same population; least and greatest value of each attribute, n x 2; None where there are none.
    unused, unused_rows
        Known records that are not used, and their released rows, -1 where they are not known.
    motion
        As given or decided.
    axes, centre, scale
        A released row y becomes (y - centre) @ axes / scale: n numbers.
    noise
        Standard deviation of an error of a released coordinate, divided by the scale.
    linkage
        Where the known records were linked here.
    """

    known: FloatArray
    released: FloatArray
    sample: FloatArray | None
    bounds: FloatArray | None
    unused: FloatArray
    unused_rows: IntArray
    motion: str
    axes: FloatArray = field(repr=False)
    centre: FloatArray = field(repr=False)
    scale: float
    noise: float
    linkage: Linkage | None = field(default=None, repr=False)

    @property
    def translates(self) -> bool:
        """Whether the motion has a translation."""
        return self.motion != "orthogonal"

    @property
    def plain(self) -> bool:
        """Whether reduced rows are the released rows themselves."""
        return self.scale == 1.0 and self.axes.shape[0] == self.axes.shape[1]

    def reduced(self, rows: FloatArray) -> FloatArray:
        """Return released rows in as many columns as the records have, at their scale."""
        return np.asarray((rows - self.centre) @ self.axes / self.scale)


def situation_of(
    release: Engine, rows: FloatArray, knowledge: Knowledge, *, motion: str, set_aside: int, progress: Progress
) -> Situation:
    """Link the known records and decide on the motion.

    Parameters
    ----------
    release, rows
        The release, and those of its rows that are modelled.
    knowledge
        What the attacker holds, checked.
    motion
        One of ``MOTIONS``.
    set_aside
        Linked records that are not used.
    progress
        Called as ``progress(label, done, total)``.
    """
    columns = columns_of(knowledge, release.shape[1])
    known = np.zeros((0, columns)) if knowledge.known is None else np.asarray(knowledge.known, dtype=np.float64)
    linkage, places, scale = None, knowledge.rows, 1.0
    if places is None and len(known):
        chosen: Any = motion
        linkage = link(known, release, motion=chosen, noise=knowledge.noise, progress=progress)
        places, scale = linkage.rows, linkage.scale
    places = np.asarray(np.zeros(0) if places is None else places, dtype=np.int64)
    linked = np.flatnonzero(places >= 0)
    used = linked[: max(0, len(linked) - set_aside)]
    unused = np.setdiff1d(np.arange(len(known)), used)
    pairs = known[used], release.gather(places[used])
    noise = _noise(knowledge.noise, linkage, pairs, motion)
    if linkage is not None and len(used):
        motion = linkage.motion
    elif motion == "auto":
        motion = _motion(release, rows, knowledge.sample, pairs, noise)
    if motion == "similarity" and linkage is None:
        scale = _scale(rows, knowledge.sample, pairs)
    axes, centre = _flat_of(rows, columns, translates=motion != "orthogonal")
    twins = _twins(release, knowledge.sample, motion, noise, progress)
    return Situation(
        known=np.concatenate([pairs[0], *twins[:1]]),
        released=(np.concatenate([pairs[1], *twins[1:]]) - centre) @ axes / scale,
        sample=None if knowledge.sample is None else np.asarray(knowledge.sample, dtype=np.float64),
        bounds=_bounds(knowledge.bounds, columns),
        unused=known[unused],
        unused_rows=places[unused],
        motion=motion,
        axes=axes,
        centre=centre,
        scale=scale,
        noise=noise / scale,
        linkage=linkage,
    )


def _twins(
    release: Engine, sample: NDArray[Any] | None, motion: str, noise: float, progress: Progress
) -> tuple[FloatArray, ...]:
    """Records of the sample that somebody in the release shares, and their rows: tables of codes repeat themselves.

    Looked for where lengths are kept, by which few rows come into question. Nobody says that a record of the sample is
    in the release: as many links as columns determine a rotation, and as many more have to confirm it.
    """
    if sample is None or noise or motion != "orthogonal":
        return ()
    found = link(sample, release, motion="orthogonal", progress=progress)
    if len(found.linked) < 2 * sample.shape[1]:
        return ()
    return np.asarray(sample, dtype=np.float64)[found.linked], release.gather(found.rows[found.linked])


def columns_of(knowledge: Knowledge, released: int) -> int:
    """Number of attributes, by what the attacker holds; as many as the release has columns where he holds nothing."""
    for held in (knowledge.known, knowledge.sample):
        if held is not None:
            return int(held.shape[1])
    return released if knowledge.bounds is None else len(np.asarray(knowledge.bounds))


def _bounds(given: Any, columns: int) -> FloatArray | None:
    """Ranges of all attributes: those that have none are without bounds."""
    if given is None:
        return None
    bounds = np.tile([-np.inf, np.inf], (columns, 1))
    bounds[: len(given)] = given[:columns]
    return bounds if np.isfinite(bounds).any() else None


def _noise(given: Any, linkage: Linkage | None, pairs: tuple[FloatArray, FloatArray], motion: str) -> float:
    """The noise level: as given, as linking found it, or what is left of the links."""
    if given is None or isinstance(given, float | int):
        return float(given or 0.0)
    if linkage is not None:
        return float(linkage.noise)
    squares, freedom = procrustes_residual(*pairs, translates=motion != "orthogonal")
    if freedom < 1:
        step = "Give the noise level, or more known records."
        raise InputError("noise", "must be a number where links do not show it", "'estimate'", step)
    return float(np.sqrt(squares / freedom))


def _motion(
    release: Engine, rows: FloatArray, sample: NDArray[Any] | None, pairs: tuple[FloatArray, FloatArray], noise: float
) -> str:
    """Whether lengths are kept: those of links, otherwise their distribution in sample and release."""
    n = rows.shape[1]
    if len(pairs[0]):
        before, after = row_norms(pairs[0]), row_norms(pairs[1])
        error = released_precision(release).radius(np.maximum(before, after), n)
        spread = np.sqrt(4 * before**2 * noise**2 + 2 * n * noise**4)
        apart = np.abs(after**2 - before**2 - n * noise**2)
        kept = apart <= _SIGMAS * spread + 2 * (before + after) * np.maximum(error, 1e-9 * after)
        return "orthogonal" if kept.all() else "rigid"
    if sample is None:
        return "orthogonal"
    before = np.sort((np.asarray(sample, dtype=np.float64) ** 2).sum(axis=1) + n * noise**2)
    after = np.sort((rows**2).sum(axis=1))
    places = np.concatenate([before, after])
    below = [np.searchsorted(one, places, side="right") / len(one) for one in (before, after)]
    statistic = np.abs(below[0] - below[1]).max() * np.sqrt(len(before) * len(after) / len(places))
    return "rigid" if statistic > _DISTINCT else "orthogonal"


def _scale(rows: FloatArray, sample: NDArray[Any] | None, pairs: tuple[FloatArray, FloatArray]) -> float:
    """Released lengths over those of records, by links or by spreads."""
    spreads = [float(np.sqrt(((one - one.mean(axis=0)) ** 2).sum())) for one in pairs if len(one) > 1]
    if len(spreads) == 2 and spreads[0] > 0:
        return spreads[1] / spreads[0]
    if sample is None:
        step = "Give two linked records or a sample, or another motion."
        raise InputError("motion", "must be orthogonal or rigid where nothing shows the scale", "'similarity'", step)
    values = np.asarray(sample, dtype=np.float64)
    return float(np.sqrt(rows.var(axis=0).sum() / values.var(axis=0).sum()))


def _flat_of(rows: FloatArray, columns: int, *, translates: bool) -> tuple[FloatArray, FloatArray]:
    """Axes and centre of the flat of as many dimensions as the records have, in which the released rows lie."""
    wide = rows.shape[1]
    if wide == columns:
        return np.eye(wide), np.zeros(wide)
    centre = rows.mean(axis=0) if translates else np.zeros(wide)
    axes = np.linalg.eigh((rows - centre).T @ (rows - centre))[1][:, ::-1]
    return np.ascontiguousarray(axes[:, :columns]), centre
