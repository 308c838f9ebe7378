# SPDX-License-Identifier: BSD-3-Clause
r"""Logarithms of amounts beside that of their sum: a relation that everybody fulfils, and that is not linear.

Amounts are often published as logarithms. With x_j = log(a_j), to base b, a total among them satisfies

    sum over j of w_j b^(x_j) = c,        w small whole numbers, c = 0; for x_j = log(1 + a_j), c = sum of w_j,

whose rows lie in no flat. Linked records say which w, as they do of sums (``flats``), with the same rule of chance. The
rotation that links leave open is the one under which all rows fulfil the relations: with positive and negative terms on
either side, the logarithms of both sides are equal. Levenberg and Marquardt solve for the angles of P, from random
rotations. Few angles and hundreds of rows: if the equations are solved, the relations are no chance.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from isobreach._arrays import FloatArray
from isobreach.attacks.alignment.descent import Evaluations
from isobreach.attacks.alignment.flats import whole_relations
from isobreach.attacks.alignment.frames import Pose, frame_of
from isobreach.attacks.alignment.scaled import Equations, Seen, determine, random_starts, tried
from isobreach.attacks.alignment.situation import Situation
from isobreach.attacks.alignment.solution import FittedMotion
from isobreach.release import grid_spacing


@dataclass(frozen=True)
class LogTuning:
    """Which logarithms are tried, and how the rotation is sought."""

    bases: tuple[float, ...] = (np.e, 10.0, 2.0)  # those that logarithms are taken to
    highest: float = 60.0  # natural logarithm of an amount: nobody has more, and others are no logarithms
    columns: int = 22  # at most: relations among more take a tenth of a second for every base and kind
    rows: int = 300  # in which equations are solved first
    starts: int = 20  # rotations, each with a mirror image
    solved: float = 1e-6  # left of an equation


TUNING = LogTuning()


@dataclass(frozen=True, eq=False)
class LogRelations:
    """Relations between amounts whose logarithms the columns are.

    Attributes
    ----------
    weights
        Whole coefficients, one relation a row.
    scale
        Natural logarithm of the base.
    shifted
        Whether columns are logarithms of one plus an amount.
    """

    weights: FloatArray
    scale: float
    shifted: bool

    def left(self, estimates: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Logarithm of one side over the other, by row and relation, and its slopes in the columns."""
        values, slopes = [], []
        for weights in self.weights:
            constant = -weights.sum() if self.shifted else 0.0
            logs = np.hstack([self.scale * estimates, np.zeros((len(estimates), 1))])
            every = np.append(weights, constant)
            sides = [logsumexp(logs, axis=1, b=np.maximum(sign * every, 0.0)) for sign in (1, -1)]
            values.append(sides[0] - sides[1])
            parts = [
                np.exp(self.scale * estimates - side[:, None]) * np.maximum(sign * weights, 0.0)
                for side, sign in zip(sides, (1, -1), strict=True)
            ]
            slopes.append(self.scale * (parts[0] - parts[1]))
        return np.array(values).T, np.stack(slopes, axis=1)


def log_relations(known: FloatArray) -> list[LogRelations]:
    """Return what linked records say, by base and kind of logarithm; mostly nothing.

    Parameters
    ----------
    known
        Linked records.
    """
    return list(_shown(known)) if len(known) and known.shape[1] <= TUNING.columns else []


def _shown(known: FloatArray) -> Iterator[LogRelations]:
    for base in TUNING.bases:
        scale = float(np.log(base))
        if np.abs(known).max() * scale > TUNING.highest:
            continue
        for shifted in (False, True):
            amounts = np.expm1(scale * known) if shifted else np.exp(scale * known)
            some = amounts.any(axis=1)
            # Logarithms on a grid have ratios on a grid, whatever the digits of amounts look like.
            apart = scale * np.array([grid_spacing(record) for record in known[some]])
            found = whole_relations(amounts[some], apart) if some.any() else np.zeros((0, known.shape[1]))
            found = found[(found > 0).any(axis=1) & (found < 0).any(axis=1)]
            chosen: list[FloatArray] = []
            for one in found[np.argsort(np.abs(found).sum(axis=1), kind="stable")]:
                if np.linalg.matrix_rank(np.array([*chosen, one])) > len(chosen):
                    chosen.append(one)
            if chosen:
                yield LogRelations(np.array(chosen), scale, shifted)


def by_logarithms(
    situation: Situation, rows: FloatArray, several: list[LogRelations], effort: Evaluations, rng: np.random.Generator
) -> FittedMotion:
    """Find a rotation under which all rows fulfil relations.

    Parameters
    ----------
    situation
        Links, at least one, and motion.
    rows
        Released rows.
    several
        Relations, at least some of one base.
    effort
        Evaluations that may be made.
    rng
        Draws starts and rows.
    """
    frame = frame_of(
        situation.known, situation.released, rows, situation.sample, translates=situation.translates, noise=0.0
    )
    part = rows[rng.permutation(len(rows))[: TUNING.rows]]
    starts = random_starts(frame, rng, TUNING.starts)
    best, least, solved = starts[0], np.inf, False
    for relations in several:
        pose, _ = tried(_equations(Seen.of(frame, part), relations), starts, effort, TUNING.solved)[0]
        pose, left = tried(_equations(Seen.of(frame, rows), relations), [pose], effort, TUNING.solved)[0]
        if left < least:
            best, least = pose, left
            solved = left <= TUNING.solved and determine(_equations(Seen.of(frame, rows), relations), pose)
    return FittedMotion("logarithms", frame, best, effort.used, exact=solved, determined=solved, beyond_chance=solved)


def _equations(seen: Seen, relations: LogRelations) -> Equations:
    def equations(pose: Pose) -> tuple[FloatArray, FloatArray]:
        left, by = relations.left(seen.estimates(pose))
        return left.ravel(), np.einsum("qrj,qjp->qrp", by, seen.slopes(pose)).reshape(left.size, -1)

    return equations
