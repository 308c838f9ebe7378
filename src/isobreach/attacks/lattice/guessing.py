# SPDX-License-Identifier: BSD-3-Clause
r"""The likeliest names of axes, where what is certain (``naming``) leaves some open or refutes all.

Nothing here is claimed. An attacker who has to estimate still guesses, and an audit, which has the truth, counts how
often he is right. For each axis j, attribute c and sign s, with the offset o that fits best, the log-likelihood of

- a known record x in row i: its value is s v_ij + o up to the rows' deviation from the grid, or, rarely, anything;
- a sample record, or a known one without a row: its value (x - o) s is drawn from the values of the axis in all rows.

What is certain stays: options that knowledge has struck out are left out. The *likeliest assignment* of axes to
attributes is a matching; where there is a sample, ``correlations`` count too. The *average* over assignments weighs
them by their likelihood (Sinkhorn's scaling of its exponential to rows and columns that add up to one): where two axes
may be either of two attributes, their mean is nearer to both than the wrong one is. Attributes without an axis are
guessed at the mean of the attacker's records.
"""

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import logsumexp

from isobreach._arrays import FloatArray, IntArray
from isobreach.attacks.knowledge import Knowledge
from isobreach.attacks.lattice.correlations import Correlations
from isobreach.attacks.lattice.named import Naming
from isobreach.attacks.lattice.offsets import SIGNS
from isobreach.attacks.lattice.reading import GridReading

LIKELIEST = "named by the likeliest assignment"
AVERAGE = "averaged over likely assignments"
NOT_ROUNDED = "not rounded"


@dataclass(frozen=True)
class Guessing:
    """What is supposed where nothing is known."""

    least_deviation: float = 0.2  # Steps: a value of the grid is then told from the next one by a factor of 3e5.
    surprise: float = 1e-3  # Probability of a value that a record's row does not explain: misread, or a wrong row.
    unseen: float = 0.5  # Rows added to every place of an axis (Jeffreys): a sample may have other values.
    impossible: float = 1e6  # Log-likelihood that an option loses that is out for certain; finite for the matching.
    tried: tuple[int, ...] = (-1, 1, -2, 2)  # Steps from the offset of the means, which err by as much for 20 records.
    scalings: int = 200  # Of rows and columns: the average only has to be near.


_GUESSING = Guessing()


def guesses(reading: GridReading, naming: Naming, knowledge: Knowledge) -> dict[str, FloatArray]:
    """Estimates by what was done to them, m x n each; none where there is nothing to guess from.

    Where names are certain these are the names guessed, so that whoever compares guesses over several releases finds
    them all.

    Parameters
    ----------
    reading
        Rows along the axes.
    naming
        What is certain.
    knowledge
        What the attacker has, with the rows of known records as far as they are known.
    """
    axes = np.flatnonzero(np.isfinite(reading.steps))
    records = _population(knowledge)
    attributes = _attributes(records, knowledge, reading.values.shape[1])
    if (records is None and knowledge.bounds is None) or len(axes) > attributes:
        return {}
    out: dict[str, FloatArray] = {}
    for words, rounded in (("", True), (f", {NOT_ROUNDED}", False)):
        if rounded or reading.blurred:
            make = partial(_NameGuess, reading, naming, knowledge, records, attributes, rounded=rounded)
            guess = max((make(near=True), make(near=False)), key=lambda one: one.likelihood)
            out |= {LIKELIEST + words: guess.likeliest(), AVERAGE + words: guess.average()}
    width = reading.values.shape[1] - attributes
    return {name: np.pad(estimates, ((0, 0), (0, width))) for name, estimates in out.items()}


def likeliest_names(
    reading: GridReading, naming: Naming, knowledge: Knowledge
) -> tuple[IntArray, FloatArray, FloatArray] | None:
    """Attribute and sign of every axis, and the estimates that go with them; None where nothing can be guessed.

    Parameters
    ----------
    reading, naming, knowledge
        As for ``guesses``.
    """
    records = _population(knowledge)
    attributes = _attributes(records, knowledge, reading.values.shape[1])
    if records is None or attributes != reading.values.shape[1]:
        return None
    make = partial(_NameGuess, reading, naming, knowledge, records, attributes, rounded=True)
    guess = max((make(near=True), make(near=False)), key=lambda one: one.likelihood)
    return *guess.names, guess.likeliest()


class _NameGuess:
    """Log-likelihoods by axis, attribute and sign, and the offsets that go with them.

    ``rounded``: to the grid. ``near``: nobody translated, so that offsets are those of the release's origin, up to half
    a step that jitter may have moved it by; otherwise an offset is one of as many as the axis has places.
    """

    def __init__(
        self,
        reading: GridReading,
        naming: Naming,
        knowledge: Knowledge,
        records: FloatArray | None,
        attributes: int,
        *,
        rounded: bool,
        near: bool,
    ) -> None:
        axes = np.flatnonzero(np.isfinite(reading.steps))
        self._values = (reading.values if rounded else reading.exact)[:, axes]
        self._records, self._rounded, self._near = records, rounded, near
        self._steps, self._base = reading.steps[axes], reading.base[axes]
        self._bounds = None if knowledge.bounds is None else np.asarray(knowledge.bounds, dtype=np.float64)
        self._deviation = max(float(reading.deviation.max()), _GUESSING.least_deviation)
        self._placed, self._rows = _placed(knowledge, attributes)
        self._centres = self._centre(attributes)
        self._scores, self._offsets = np.zeros((2, len(axes), attributes, 2))
        for j in range(len(axes)):
            for k, sign in enumerate(SIGNS):
                starts = np.zeros(attributes) if reading.origin else self._offset(j, sign)
                apart = () if reading.origin or near or len(self._rows) else _GUESSING.tried
                tries = np.array([starts, *(starts + step * self._steps[j] for step in apart)])
                scores = np.array([self._score(j, sign, offsets) for offsets in tries])
                best = scores.argmax(axis=0), np.arange(attributes)
                self._offsets[j, :, k], self._scores[j, :, k] = tries[best], scores[best]
        if not near:
            self._scores -= np.log(np.ptp(self._values, axis=0) / self._steps + 1)[:, None, None]
        if naming.options is not None:
            sharp = naming.options.sharp()
            ends = np.where(sharp, [naming.options.lower, naming.options.upper], 0.0)
            self._offsets = np.where(sharp, ends.mean(axis=0), self._offsets)
            self._scores -= np.where(naming.options.possible, 0.0, _GUESSING.impossible)

        sample = None if knowledge.sample is None or naming.complete else np.asarray(knowledge.sample, dtype=np.float64)
        self._joint = Correlations(self._values, sample, attributes)

    @property
    def likelihood(self) -> float:
        """Of the likeliest matching of axes to attributes one by one: a log."""
        best = self._scores.max(axis=2)
        return float(best[linear_sum_assignment(-best)].sum())

    @cached_property
    def _assignment(self) -> tuple[IntArray, IntArray]:
        return self._joint.assigned(self._scores)

    @property
    def names(self) -> tuple[IntArray, FloatArray]:
        """Attribute and sign of every axis under the likeliest matching."""
        attributes, signs = self._assignment
        return attributes, np.asarray(SIGNS, dtype=np.float64)[signs]

    def likeliest(self) -> FloatArray:
        """Estimates under the likeliest matching of axes to attributes."""
        estimates = np.tile(self._centres, (len(self._values), 1))
        for axis, (attribute, k) in enumerate(zip(*self._assignment, strict=True)):
            estimates[:, attribute] = SIGNS[k] * self._values[:, axis] + self._offsets[axis, attribute, k]
        return estimates

    def average(self) -> FloatArray:
        """Mean of the estimates over assignments, by their likelihood; axes that are missing may be any attribute."""
        scores = self._joint.given(self._scores, *self._assignment)
        axes, attributes, _ = scores.shape
        logs = np.zeros((attributes, attributes))
        logs[:axes] = logsumexp(scores, axis=2)
        for _ in range(_GUESSING.scalings):
            logs = logs - logsumexp(logs, axis=1)[:, None]
            logs = logs - logsumexp(logs, axis=0)
        signs = np.exp(scores - logsumexp(scores, axis=2)[:, :, None])
        weights = np.exp(logs[:axes])[:, :, None] * signs
        missing = np.exp(logs[axes:]).sum(axis=0) * self._centres
        offsets = (weights * self._offsets).sum(axis=(0, 2))
        return np.asarray(self._values @ (weights * SIGNS).sum(axis=2) + offsets + missing)

    def _centre(self, attributes: int) -> FloatArray:
        """Mean of the attacker's records, or the middle of the ranges, or nothing."""
        if self._records is not None:
            return np.asarray(self._records.mean(axis=0))
        centres = np.zeros(attributes)
        if self._bounds is not None:
            finite = np.flatnonzero(np.isfinite(self._bounds).all(axis=1))
            centres[finite] = self._bounds[finite].mean(axis=1)
        return centres

    def _offset(self, axis: int, sign: float) -> FloatArray:
        """Offset of every attribute: by known records in their rows, or by the means; on the grid where values are."""
        values, step = sign * self._values[:, axis], self._steps[axis]
        start = np.full(len(self._centres), sign * self._base[axis])
        if len(self._rows):
            found = np.median(self._placed - values[self._rows, None], axis=0)
            return np.asarray(np.clip(found, start - step / 2, start + step / 2) if self._near else found)
        if not self._near:
            middle = values.mean() if self._records is not None else (values.min() + values.max()) / 2
            start = self._centres - middle
        if self._records is None or not self._rounded:
            return start
        phase = self._records[0] - values[0]
        return np.asarray(phase + step * np.rint((start - phase) / step))

    def _score(self, axis: int, sign: float, offsets: FloatArray) -> FloatArray:
        """Log-likelihood of every attribute."""
        values, step = sign * self._values[:, axis], self._steps[axis]
        off = (self._placed - values[self._rows, None] - offsets) / step
        score = np.log(np.exp(-((off / self._deviation) ** 2) / 2) + _GUESSING.surprise).sum(axis=0)
        if self._records is not None:
            # Values that are there, not all that a grid may have: of six decimals there are too many to list.
            places, counts = np.unique(np.rint(values / step), return_counts=True)
            total = counts.sum() + _GUESSING.unseen * (places[-1] - places[0] + 1)
            where = np.rint((self._records - offsets) / step)
            found = np.minimum(np.searchsorted(places, where), len(places) - 1)
            seen = np.where(places[found] == where, counts[found], 0) + _GUESSING.unseen
            score = score + np.log(seen / total).sum(axis=0)
        return np.asarray(score)


def _population(knowledge: Knowledge) -> FloatArray | None:
    """All records that the attacker holds, with a row or without."""
    held = [np.asarray(one, dtype=np.float64) for one in (knowledge.known, knowledge.sample) if one is not None]
    return np.concatenate(held) if held else None


def _attributes(records: FloatArray | None, knowledge: Knowledge, columns: int) -> int:
    if records is not None:
        return int(records.shape[1])
    return columns if knowledge.bounds is None else len(np.asarray(knowledge.bounds))


def _placed(knowledge: Knowledge, attributes: int) -> tuple[FloatArray, IntArray]:
    """Known records whose rows are known, and these rows."""
    if knowledge.known is None or knowledge.rows is None:
        return np.empty((0, attributes)), np.empty(0, dtype=np.int64)
    rows = np.asarray(knowledge.rows, dtype=np.int64)
    return np.asarray(knowledge.known, dtype=np.float64)[rows >= 0], rows[rows >= 0]
