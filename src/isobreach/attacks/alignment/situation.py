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

from isobreach._arrays import FloatArray, IntArray
from isobreach._progress import Progress
from isobreach.attacks.alignment.descent import Evaluations
from isobreach.attacks.alignment.twins import twins
from isobreach.attacks.knowledge import Knowledge
from isobreach.engine import Engine
from isobreach.errors import InputError
from isobreach.linking import Linkage, given_links, link

MOTIONS = ("auto", "orthogonal", "rigid", "similarity")
_ALIKE = 1e-3  # of the mean square of a length: what 16 bits leave of vectors of length one
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
    evaluations
        That twins took.
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
    evaluations: int = 0

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
    columns = knowledge.columns(release.shape[1])
    known = np.zeros((0, columns)) if knowledge.known is None else np.asarray(knowledge.known, dtype=np.float64)
    chosen: Any = motion
    links, linkage = None, None
    if len(known) and knowledge.rows is not None:
        links = given_links(known, release, knowledge.rows, motion=chosen, noise=knowledge.noise)
    elif len(known):
        links = linkage = link(
            known, release, motion=chosen, noise=knowledge.noise, sample=knowledge.sample, progress=progress
        )
    places = np.zeros(0, dtype=np.int64) if links is None else links.rows
    linked = np.flatnonzero(places >= 0)
    used = linked[: max(0, len(linked) - set_aside)]
    unused = np.setdiff1d(np.arange(len(known)), used)
    pairs = known[used], release.gather(places[used])
    if links is not None and len(linked):
        motion, scale, noise = links.motion, links.scale, links.noise
    else:
        noise = _noise(knowledge.noise)
        motion = _motion(rows, knowledge.sample, noise) if motion == "auto" else motion
        scale = _scale(rows, knowledge.sample) if motion == "similarity" else 1.0
    axes, centre = _flat_of(rows, columns, translates=motion != "orthogonal")
    effort = Evaluations(0)
    shared = twins(release, rows, knowledge.sample, motion, noise, progress, effort)
    return Situation(
        known=np.concatenate([pairs[0], *shared[:1]]),
        released=(np.concatenate([pairs[1], *shared[1:]]) - centre) @ axes / scale,
        sample=None if knowledge.sample is None else np.asarray(knowledge.sample, dtype=np.float64),
        bounds=knowledge.ranges(columns),
        unused=known[unused],
        unused_rows=places[unused],
        motion=motion,
        axes=axes,
        centre=centre,
        scale=scale,
        noise=noise / scale,
        linkage=linkage,
        evaluations=effort.used,
    )


def _noise(given: Any) -> float:
    """The noise level where no link shows it."""
    if isinstance(given, str):
        step = "Give the noise level, or known records."
        raise InputError("noise", "must be a number where no known record is linked", repr(given), step)
    return float(given or 0.0)


def _motion(rows: FloatArray, sample: NDArray[Any] | None, noise: float) -> str:
    """Whether lengths have the same distribution in sample and release, by Kolmogorov and Smirnov."""
    if sample is None:
        return "orthogonal"
    before = (np.asarray(sample, dtype=np.float64) ** 2).sum(axis=1) + rows.shape[1] * noise**2
    after = (rows**2).sum(axis=1)
    cell = _ALIKE * max(float(after.mean()), np.finfo(np.float64).tiny)  # vectors of length one differ by rounding
    before, after = (np.sort(np.rint(one / cell)) for one in (before, after))
    places = np.concatenate([before, after])
    below = [np.searchsorted(one, places, side="right") / len(one) for one in (before, after)]
    statistic = np.abs(below[0] - below[1]).max() * np.sqrt(len(before) * len(after) / len(places))
    return "rigid" if statistic > _DISTINCT else "orthogonal"


def _scale(rows: FloatArray, sample: NDArray[Any] | None) -> float:
    """Spread of the release over that of the sample."""
    if sample is None:
        step = "Give a linked record or a sample, or another motion."
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
