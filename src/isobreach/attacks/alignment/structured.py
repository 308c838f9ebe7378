# SPDX-License-Identifier: BSD-3-Clause
r"""Rotations that are fast to compute, and therefore no Haar rotations: a rough fit is rounded to the exact key.

A rotation by Hadamard matrices (fast Johnson-Lindenstrauss: Ailon and Chazelle 2006) is

    Q = H D' P H D,        N x n, the first n columns of it where records were padded by zeros,

H the Walsh-Hadamard matrix of order N, which everyone knows, D and D' secret signs, P a secret permutation. No part of
it is Haar-distributed: a key is N log N bits, where a Haar rotation has N^2 / 2 real numbers. H times a matrix Z that
is near Q has entries near those of D' P H D: its row r shows a row a of H, times the signs D and one sign of its own.

1. Signs D are those of some row of H Z: rows of H are a group, so that D times any of them, with P renamed, is the same
   key.
2. The products of all rows with D H name each row, one row of H each (an assignment), and its sign.
3. D is what most rows then say; again from 2 until nothing is gained. The best of several first rows is taken.

Whether rows are rotated like that is told without the truth. The inner product <Q, Z> of a *given* key with a
Haar-distributed Z is about normal with variance n / N, and there are 2^(n + N) N! keys. So by chance no key is as near
as t = <Q, Z> if

    log(2^(n + N) N!) - t^2 N / (2 n)  <=  log(limit).
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import hadamard
from scipy.optimize import linear_sum_assignment
from scipy.special import gammaln

from isobreach._arrays import FloatArray
from isobreach.attacks.alignment.descent import Evaluations
from isobreach.attacks.alignment.frames import Frame, polar
from isobreach.attacks.alignment.situation import Situation
from isobreach.attacks.alignment.solution import FittedMotion
from isobreach.linking import CHANCE_LIMIT

STRUCTURED = "hadamard"


@dataclass(frozen=True)
class DecodingTuning:
    """How long keys are sought.

    Attributes
    ----------
    starts
        First rows that are tried. At a correlation of 0.4 and more with the key, nearly every one leads to it.
    rounds
        Of naming rows and asking them for signs; they end in fewer than ten.
    """

    starts: int = 4
    rounds: int = 30


TUNING = DecodingTuning()


def by_structure(situation: Situation, fitted: FittedMotion, rng: np.random.Generator) -> FittedMotion | None:
    """Return the exact motion of Hadamard matrices next to a rough fit; None where there is none.

    Parameters
    ----------
    situation
        The motion; nothing is rounded where it translates.
    fitted
        The rough fit.
    rng
        Draws the first rows.
    """
    if situation.translates:
        return None
    effort = Evaluations(TUNING.starts * TUNING.rounds)
    key = decoded(situation.axes @ fitted.affine[0], effort, rng)
    if key is None:
        return None
    n = key.shape[1]
    nothing = np.zeros((n, 0))
    frame = Frame(np.eye(n), polar(situation.axes.T @ key), nothing, nothing, np.zeros(n), np.zeros(n))
    return FittedMotion(STRUCTURED, frame, frame.start(), fitted.evaluations + effort.used, fitted.certificate)


def decoded(rough: FloatArray, effort: Evaluations, rng: np.random.Generator) -> FloatArray | None:
    """Return the matrix H D' P H D next to a rough one; None where chance makes one as near.

    Parameters
    ----------
    rough
        N x n, orthonormal columns.
    effort
        Counts rounds.
    rng
        Draws the first rows.
    """
    wide, n = rough.shape
    if wide < 4 or wide & (wide - 1):
        return None
    walsh = hadamard(wide).astype(np.float64)
    seen, rows = walsh @ rough, walsh[:, :n]
    found = (_climbed(seen, rows, _signs(seen[first]), effort) for first in rng.permutation(wide)[: TUNING.starts])
    _, key = max(found, key=lambda one: one[0])
    key = walsh @ key / wide
    near = float((key * rough).sum())
    log_keys = (n + wide) * np.log(2) + float(gammaln(wide + 1))
    chance = log_keys - near**2 * wide / (2 * n)
    return key if near > 0 and chance <= np.log(CHANCE_LIMIT) else None


def _climbed(seen: FloatArray, rows: FloatArray, signs: FloatArray, effort: Evaluations) -> tuple[float, FloatArray]:
    """How near D' P H D comes to what is seen of it, and this matrix, from signs D on."""
    value, best = -np.inf, rows
    for _ in range(TUNING.rounds):
        effort.spend()
        products = (seen * signs) @ rows.T
        place = linear_sum_assignment(-np.abs(products))[1]
        named = _signs(products[np.arange(len(seen)), place])[:, None] * rows[place]
        reached = float((seen * signs * named).sum())
        if reached <= value * (1 + 1e-9):
            break
        value, best = reached, named * signs
        signs = _signs((named * seen).sum(axis=0))
    return value, best


def _signs(values: FloatArray) -> FloatArray:
    """Signs; that of zero is positive."""
    return np.where(values < 0, -1.0, 1.0)
