# SPDX-License-Identifier: BSD-3-Clause
r"""How exposed every record is where the release carries noise, to insiders who know their own rows.

Released rows are y = M x + e, at the records' scale. The insiders' pairs give directions K among the records and, by
least squares, their images R in the release (``fit_motions``); directions along which the insiders' records reach no
farther than the noise do not count. A record is estimated by its foot K R'y and a random direction in the hidden
dimensions H = K's complement, of which there are h. With the owner's knowledge of x the error is

    |x - estimate|^2 = a^2 + |H'x - r w|^2,   a = |K'x - R'y|,

w uniform on the unit sphere and r the length that the attacker chooses. Whatever r is, the probability of a breach,
error <= c = epsilon |x|, is at most that of the best one, which is a cap of a sphere as without noise:

    p = p(d = |H'x|, c' = sqrt(c^2 - a^2), h),   0 where a > c.

It is a closed form for the noise as it was drawn, and for noise 0 it is what ``OwnersTable`` has. Since c' <= c and K
spans at most as many dimensions as there are insiders, the bounds of ``isobreach.audits.bound`` hold here too.

An attribute's error, guessed at g beside the foot, is s + d l u1 - g: s its part of the error along K, l the length of
its row of H, and u1 a coordinate of a random unit vector in h dimensions, with distribution function F. So

    P(learned) = F((tau + g - s) / (d l)) - F((-tau + g - s) / (d l)),

its mean over records taken from up to ``STRATA`` of them, evenly by their residuals. g = 0; with one or two hidden
dimensions, where the mass sits at the ends, d l or d l - tau where tau < d l, whichever of the three does best on
average.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from isobreach.attacks.noisy import DETERMINED
from isobreach.audits.exposure import STRATA, Exposed, OwnersTable
from isobreach.blocks import tiles
from isobreach.geometry import ConsistentMotions, breach_probability, fit_motions, row_norms
from isobreach.linking import Growth

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class NoisyTable(OwnersTable):
    """Records and their released rows, in the records' order and at their scale; ``noise``: of one coordinate."""

    released: FloatArray
    noise: float

    def exposed(self, order: IntArray, growth: Growth, sizes: tuple[int, ...]) -> Exposed:
        """How exposed every record is to order[:size], for each size."""
        total, n = self.records.shape
        probability, learned = np.empty((len(sizes), total)), np.empty((len(sizes), n))
        hidden = np.empty(len(sizes), dtype=np.int64)
        for place, size in enumerate(sizes):
            linked = order[growth.linked(size)]
            unseen = DETERMINED * self.noise * float(np.sqrt(self.released.shape[1]))
            unseen = max(unseen, 2 * float(np.linalg.norm(self.radius[linked])))
            motions = fit_motions(self.records[linked], self.released[linked], unseen, whiten=False)
            hidden[place] = motions.hidden_dimension
            residual = self._measured(motions, probability[place])
            learned[place] = self._learned(motions, np.delete(np.arange(total), order[:size]), residual)
        return Exposed(probability, learned, hidden)

    def _measured(self, motions: ConsistentMotions, probability: FloatArray) -> FloatArray:
        """Fill in all breach probabilities; return all residuals."""
        residual = np.empty(len(self.records))
        for tile in tiles(self.records):
            seen = self.records[tile] @ motions.known
            wrong = row_norms(seen - self.released[tile] @ motions.released)
            residual[tile] = row_norms(self.records[tile] - seen @ motions.known.T)
            reach = self.epsilon * self.norms[tile]
            left = np.sqrt(np.maximum((reach - wrong) * (reach + wrong), 0.0))
            h = motions.hidden_dimension
            likely = np.asarray(breach_probability(residual[tile], left / self.epsilon, h, self.epsilon))
            probability[tile] = np.where(wrong <= reach, likely, 0.0)
        return residual

    def _learned(self, motions: ConsistentMotions, others: IntArray, residual: FloatArray) -> FloatArray:
        """Mean over some of the others of the probability of learning each attribute."""
        chosen = others[np.argsort(residual[others], kind="stable")]
        if len(chosen) > STRATA:
            chosen = chosen[((np.arange(STRATA) + 0.5) / STRATA * len(chosen)).astype(np.int64)]
        h, allowed = motions.hidden_dimension, self.tolerance * (1 + _ROUNDING)
        error = (self.records[chosen] @ motions.known - self.released[chosen] @ motions.released) @ motions.known.T
        reach = residual[chosen, None] * row_norms(motions.known_hidden)
        guesses = [np.zeros_like(reach)]
        if h in (1, 2):
            near = reach <= self.tolerance
            guesses += [np.where(near, 0.0, end) for end in (reach, reach - self.tolerance)]
        learned = []
        for guess in guesses:
            below, above = (_ratio(guess - error + side * allowed, reach) for side in (-1, 1))
            learned.append(np.mean(_distribution(above, h) - _distribution(below, h), axis=0))
        return np.asarray(np.max(learned, axis=0))


def _ratio(length: FloatArray, reach: FloatArray) -> FloatArray:
    """length / reach, beyond all reach where nothing is hidden."""
    with np.errstate(over="ignore"):
        part = np.divide(length, reach, out=np.full_like(length, np.inf), where=reach > 0)
    return np.where(reach > 0, part, np.sign(length) * np.inf)


def _distribution(t: FloatArray, h: int) -> FloatArray:
    """P(u1 <= t) for a coordinate of a random unit vector in h dimensions; (1 + sign(t) I_{t^2}(1/2, (h-1)/2)) / 2."""
    if h <= 1:
        return (np.asarray(t >= -1, dtype=np.float64) + (t >= 1)) / 2
    inside = np.clip(t, -1.0, 1.0)
    return np.asarray((1 + np.sign(inside) * betainc(0.5, (h - 1) / 2, inside**2)) / 2)
