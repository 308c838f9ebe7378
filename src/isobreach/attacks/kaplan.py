# SPDX-License-Identifier: BSD-3-Clause
r"""Link known records and descend on distances to them: a baseline that gives no probability.

Kaplan, Pedersen, Savas and Saygin (2010) reconstruct private vectors from distances to known ones. This is the form
that Giannella, Liu and Kargupta compare themselves with (learning rate 0.05, 500 iterations), reconstructed from first
principles, not from the source's text. For a released row y with linked pairs (x_i, y_i) it minimises

    E(x) = sum_i (|x - x_i| - d_i)^2,   d_i = |y - y_i|,

one pair after the other: with r_i = |x - x_i|, each iteration takes for each i the step

    x <- x - 2 eta (r_i - d_i) (x - x_i) / r_i.

One pair after the other, because a step along the sum of all gradients diverges once there are many pairs
(2 eta a > 2), and squared distances overflow. A step moves x towards or away from a known record, so x never leaves
the affine hull of its start and the linked records: across that hull the estimate is what the start was.

Norms are not used, so it works behind a translation as well; and no probability comes with an estimate.

A start is uniform within bounds that the attacker knows. Where there are none, it is uniform within the range of the
known records, widened on both sides by s = min_i d_i / sqrt(n): a row that is no known record then has a start that
no column holds fast, also with one known record, or where all agree. (A range without width would start at the known
record, from where no direction leads away.)
"""

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from isobreach._arrays import FloatArray
from isobreach._compiled import compiled
from isobreach._progress import Progress
from isobreach._random import generator
from isobreach._settings import setting
from isobreach._validation import LARGEST, check_integer, check_positive, check_seed
from isobreach.attacks.base import Attack, Reconstruction
from isobreach.attacks.knowledge import Knowledge
from isobreach.document import Document, Section, Table
from isobreach.engine import ArrayColumn, Engine
from isobreach.errors import InputError
from isobreach.linking import (
    CHOICES,
    RULES,
    Choice,
    Linkage,
    Rule,
    link,
    link_records,
    link_table,
    linked_pairs,
    motion_json,
)
from isobreach.release import ReleaseModel

# A step corrects a tenth of what it sees; after so many of them what a descent that converges has left is rounding.
LEARNING_RATE = 0.05
ITERATIONS = 500


@dataclass(frozen=True, eq=False)
class KaplanReconstruction(Reconstruction):
    """What Kaplan's attack gives back.

    Attributes
    ----------
    linkage
        Which known records were linked, and under which motion.
    misfit
        Root mean square of what is left of (|x - x_i| - d_i) over all rows and linked records; None without links. It
        does not tell how close an estimate is.
    """

    linkage: Linkage | None = None
    misfit: float | None = None


def kaplan_estimates(
    linked: FloatArray,
    distances: FloatArray,
    start: FloatArray,
    *,
    learning_rate: float = LEARNING_RATE,
    iterations: int = ITERATIONS,
) -> FloatArray:
    """Estimates (m x n) from distances (m x q) to linked records (q x n), descending from ``start`` (m x n).

    >>> estimates = kaplan_estimates(np.array([[0.0, 0.0]]), np.array([[2.0]]), np.array([[3.0, 4.0]]))
    >>> estimates.round(6).tolist()
    [[1.2, 1.6]]
    """
    estimates = np.array(start, dtype=np.float64, order="C")
    _descend(np.ascontiguousarray(linked), np.ascontiguousarray(distances), estimates, 2 * learning_rate, iterations)
    return estimates


def pair_distances(rows: FloatArray, others: FloatArray) -> FloatArray:
    """|row - other| for all pairs, by differences: no cancellation for close ones."""
    return np.stack([np.sqrt(((rows - other) ** 2).sum(axis=1)) for other in others], axis=1)


@dataclass(frozen=True, eq=False)
class _Starts:
    """Least and greatest start of each attribute, and by how many s each end is moved outwards: 0 where it is told."""

    low: FloatArray
    high: FloatArray
    below: FloatArray
    above: FloatArray

    @classmethod
    def of(cls, knowledge: Knowledge) -> "_Starts":
        assert knowledge.known is not None
        known = knowledge.known.astype(np.float64)
        ends = np.stack([known.min(axis=0), known.max(axis=0)], axis=1)
        told = np.zeros(ends.shape, dtype=bool)
        if knowledge.bounds is not None:
            bounds = np.asarray(knowledge.bounds)[: len(ends)]
            given = np.isfinite(bounds)
            beyond = given & (np.abs(bounds) > LARGEST)
            if beyond.any():  # their squares overflow, and estimates would not be numbers
                got = f"{bounds[beyond][0]:g}"
                raise InputError("bounds", f"must be infinite or at most {LARGEST:g} in size for Kaplan's attack", got)
            told[: len(bounds)] = given
            # The end that is not told lies no less far out than the one that is.
            ends[: len(bounds), 0] = np.where(
                given[:, 0], bounds[:, 0], np.minimum(ends[: len(bounds), 0], bounds[:, 1])
            )
            ends[: len(bounds), 1] = np.where(
                given[:, 1], bounds[:, 1], np.maximum(ends[: len(bounds), 1], bounds[:, 0])
            )
        below, above = (~told).astype(np.float64).T
        return cls(ends[:, 0], ends[:, 1], below, above)

    def at(self, places: FloatArray, distances: FloatArray) -> FloatArray:
        """Starts (m x n) at these places, from 0 to 1, of the ranges of rows with these distances (m x q)."""
        width = distances.min(axis=1, keepdims=True) / np.sqrt(len(self.low))
        low, high = self.low - width * self.below, self.high + width * self.above
        return np.asarray(low + (high - low) * places)


@dataclass(frozen=True)
class KaplanSettings:
    """Settings of Kaplan's attack; those of linking are ``link``'s."""

    motion: str = setting("auto", "What the release keeps: see the known-input attack.", choices=CHOICES)
    rule: str = setting("backbone", "Which links count: all certain ones, or the paper's.", choices=RULES)
    tolerance: float | None = setting(
        None, "Largest error of a released coordinate; by default read off the release's own precision.", type=float
    )
    learning_rate: float = setting(LEARNING_RATE, "Share of a step's error that a step corrects, halved.")
    iterations: int = setting(ITERATIONS, "Rounds over all linked records.")


class Kaplan(Attack):
    """Descend on distances to linked records: a baseline without a probability."""

    name = "kaplan"
    title = "Kaplan's attack"
    needs = frozenset({"known"})
    uses = frozenset({"bounds"})
    settings = KaplanSettings

    def suits(self, model: ReleaseModel) -> str | None:
        """Return why known records cannot be linked, or None."""
        return model.unmoved or ("it does not cope with noise" if model.noise else None)

    def run(
        self, release: Engine, knowledge: Knowledge, *, seed: int | None, progress: Progress, **settings: Any
    ) -> Reconstruction:
        """Link the known records, then descend for every released row; ``seed``: of the starts."""
        chosen = KaplanSettings(**settings)
        if knowledge.noise is not None:
            got, step = repr(knowledge.noise), "Use the known-input attack on noisy releases."
            raise InputError("noise", "must be left out for Kaplan's attack", got, step)
        learning_rate = check_positive("learning_rate", chosen.learning_rate)
        if learning_rate >= 1:  # from there on a step overshoots by more than the error it corrects
            raise InputError("learning_rate", "must be below 1", learning_rate)
        iterations = check_integer("iterations", chosen.iterations, least=1)
        seed = check_seed(seed)
        assert knowledge.known is not None
        starts = _Starts.of(knowledge)
        motion, rule = cast(Choice, chosen.motion), cast(Rule, chosen.rule)
        linkage = link(
            knowledge.known, release, motion=motion, rule=rule, tolerance=chosen.tolerance, progress=progress
        )
        linked, total = len(linkage.linked), len(linkage.rows)
        shape = release.shape[0], knowledge.known.shape[1]
        if not linked:
            reason = (
                f"none of {total} known records is linked; the known-input attack says what that may mean, and copes "
                "with noise."
            )
            return KaplanReconstruction(False, reason, np.full(shape, np.nan), linkage=linkage)
        records, rows = linked_pairs(knowledge.known, linkage, release)
        draws = generator(0 if seed is None else seed, "kaplan")
        places = ArrayColumn(draws.random(shape))  # where in its range a row starts, from 0 to 1
        descent = _Descent(records, rows, linkage.scale, starts, learning_rate, iterations)
        estimates, squared_misfit, first = np.empty(shape), 0.0, 0
        for found, misfit in release.scan(_descended, descent, "descending", progress, beside=places):
            estimates[first : first + len(found)] = found
            squared_misfit += misfit
            first += len(found)
        left = float(np.sqrt(squared_misfit / (shape[0] * linked)))
        reason = (
            f"{linked} of {total} known records linked; estimates keep distances to them within {left:.2g} "
            "(root mean square), which does not tell how close they are."
        )
        return KaplanReconstruction(True, reason, estimates, linkage=linkage, misfit=left)

    def describe(self, found: Reconstruction) -> Document:
        """Return the reason, and in JSON the links and what is left of the distances."""
        assert isinstance(found, KaplanReconstruction)
        assert found.linkage is not None
        asked = found.asked
        linkage = replace(found.linkage, known_ids=asked.known_ids, released_ids=asked.released_ids)
        data = {
            "schema": "isobreach/kaplan/1",
            "claimed": found.claimed,
            "reason": found.reason,
            **motion_json(linkage),
            **linkage.counts(),
            "links": link_records(linkage),
            "misfit": found.misfit,
            "rows": asked.shape[0],
            "columns": list(asked.names),
            "seed": asked.seed,
        }
        head, cells = link_table(linkage)
        known = Section("Known records", (Table("Links of every known record", head, tuple(cells)),))
        return Document("Kaplan's attack", f"Kaplan's attack: {found.reason}", sections=(known,), data=data)


ATTACK = Kaplan()


@dataclass(frozen=True, eq=False)
class _Descent:
    """Linked records and their released rows, the release's scale, and how to descend."""

    records: FloatArray
    rows: FloatArray
    scale: float
    starts: _Starts
    learning_rate: float
    iterations: int


def _descended(block: FloatArray, first_row: int, descent: _Descent, places: FloatArray) -> tuple[FloatArray, float]:
    """Estimates of a block's records, and the sum of their squared misfits."""
    distances = pair_distances(block, descent.rows) / descent.scale
    found = kaplan_estimates(
        descent.records,
        distances,
        descent.starts.at(places, distances),
        learning_rate=descent.learning_rate,
        iterations=descent.iterations,
    )
    return found, float(((pair_distances(found, descent.records) - distances) ** 2).sum())


@compiled(reorder=True)
def _descend(linked: FloatArray, distances: FloatArray, estimates: FloatArray, step: float, iterations: int) -> None:
    m, n = estimates.shape
    for row in range(m):
        x = estimates[row]
        for _ in range(iterations):
            for i in range(linked.shape[0]):
                square = 0.0
                for j in range(n):
                    apart = x[j] - linked[i, j]
                    square += apart * apart
                r = np.sqrt(square)
                if r > 0.0:  # on the known record itself no direction leads away
                    share = step * (r - distances[row, i]) / r
                    for j in range(n):
                        x[j] -= share * (x[j] - linked[i, j])
