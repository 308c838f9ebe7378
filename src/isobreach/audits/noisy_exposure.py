# SPDX-License-Identifier: BSD-3-Clause
r"""How exposed every record is where the release carries noise, to insiders who know their own rows.

Released rows are y = M x + e, at the records' scale. Where the motion has a translation, records and rows are taken
from their means over the insiders: x, y and K'x below are then differences from these. The insiders' pairs give
directions K among the records and, by least squares, their images R in the release (``fit_motions``). Directions along
which the insiders' records reach no farther than the noise are hardly determined: they are left out or taken in.
Released parts R'y are taken as they are or *filtered*: shrunk towards their mean over all rows by C (C + sigma^2
I)^-1, C their covariance less that of the noise (Wiener), or towards zero by one factor, as much shorter as the noise
has made them longer. That needs nothing but the release and its noise. Of all these, what breaches most on average
counts. A record is estimated by its foot K f, f = R'y or filtered, and a random direction in the hidden dimensions H =
K's complement, of which there are h. With the owner's knowledge of x the error is

    |x - estimate|^2 = a^2 + |H'x - r w|^2,   a = |K'x - f|,

w uniform on the unit sphere and r the length that the attacker chooses. Whatever r is, the probability of a breach,
error <= c = epsilon |x|, is at most that of the best one, which is a cap of a sphere as without noise:

    p = p(d = |H'x|, c' = sqrt(c^2 - a^2), h),   0 where a > c.

It is a closed form for the noise as it was drawn, and for noise 0 it is what ``OwnersTable`` has. Since c' <= c and K
spans at most as many dimensions as there are insiders, the bounds of ``isobreach.audits.bound`` hold here too.

Noise is drawn anew, and the table protected anew, for every random coalition: means over these are means over both. A
greedy coalition, which is looked at alone, meets ``DRAWS`` releases, and its probabilities are means over them.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray, IntArray
from isobreach.attacks import DETERMINED
from isobreach.audits.coalitions import Growth
from isobreach.audits.exposure import NOBODY, Exposed, OwnersTable
from isobreach.audits.learned import learned
from isobreach.engine import tiles
from isobreach.geometry import ConsistentMotions, breach_probability, fit_motions, row_norms
from isobreach.release import EXACT
from isobreach.schemes import Release, Scheme, perturb

DRAWS = 32  # releases: the mean of a probability over them has a standard error of .09 at most


@dataclass(frozen=True, eq=False)
class NoisyTable(OwnersTable):
    """Records and their released rows, in the records' order and at their scale; ``noise``: of one coordinate."""

    released: FloatArray
    noise: float

    def exposed(self, order: IntArray, growth: Growth, sizes: tuple[int, ...], watched: IntArray = NOBODY) -> Exposed:
        """How exposed every record is to order[:size], for each size, and what is learned of those ``watched``."""
        total, n = self.records.shape
        attributes = len(self.groups.attributes(n))
        probability, learnt = np.empty((len(sizes), total)), np.zeros((len(sizes), attributes))
        hidden = np.empty(len(sizes), dtype=np.int64)
        for place, size in enumerate(sizes):
            linked = order[growth.linked(size)]
            pairs = self.records[linked], self.released[linked]
            least = 2 * float(np.linalg.norm(self.radius[linked]))
            unseen = max(DETERMINED * self.noise * float(np.sqrt(self.released.shape[1])), least)
            several = [fit_motions(*pairs, least, translates=self.translates, whiten=False)]
            if (several[0].strength <= unseen).any():
                several.append(fit_motions(*pairs, unseen, translates=self.translates, whiten=False))
            hidden[place] = several[-1].hidden_dimension
            tried = [(one, self._feet(one)) for one in several]
            probability[place] = max((p for one in tried for p in self._probabilities(*one)), key=np.mean)
            if len(watched):
                rates = [self._learned(one, feet, watched) for one, ways in tried for feet in ways]
                learnt[place] = np.max(rates, axis=0)
        return Exposed(probability, learnt, hidden)

    def _feet(self, motions: ConsistentMotions) -> list[FloatArray]:
        """Each record's foot along K as the release has it, R'y; and filtered in two ways, if there is noise."""
        centre = motions.released_centre
        feet = np.concatenate([(self.released[tile] - centre) @ motions.released for tile in tiles(self.released)])
        if not self.noise or not feet.shape[1]:
            return [feet]
        middle = feet.mean(axis=0)
        spread = np.atleast_2d(np.cov(feet.T))
        values, vectors = np.linalg.eigh(spread)
        kept = np.divide(np.maximum(values - self.noise**2, 0.0), values, out=np.zeros_like(values), where=values > 0)
        square = float(np.einsum("ij,ij->", feet, feet)) / len(feet)
        shorter = max(1 - feet.shape[1] * self.noise**2 / square, 0.0) if square > 0 else 0.0
        return [feet, middle + (feet - middle) @ ((vectors * kept) @ vectors.T), shorter * feet]

    def _probabilities(self, motions: ConsistentMotions, ways: list[FloatArray]) -> list[FloatArray]:
        """Breach probability of every record, for each of the feet."""
        probabilities = [np.empty(len(self.records)) for _ in ways]
        for tile in tiles(self.records):
            centred = self.records[tile] - motions.known_centre
            seen = centred @ motions.known
            residual = row_norms(centred - seen @ motions.known.T)
            reach, h = self.epsilon * self.norms[tile], motions.hidden_dimension
            for probability, feet in zip(probabilities, ways, strict=True):
                wrong = row_norms(seen - feet[tile])
                left = np.sqrt(np.maximum((reach - wrong) * (reach + wrong), 0.0))
                likely = np.asarray(breach_probability(residual, left / self.epsilon, h, self.epsilon))
                probability[tile] = np.where(wrong <= reach, likely, 0.0)
        return probabilities

    def _learned(self, motions: ConsistentMotions, feet: FloatArray, watched: IntArray) -> FloatArray:
        """Share of the watched records of which each attribute is learned."""
        records = self.records[watched] - motions.known_centre
        error = records - feet[watched] @ motions.known.T
        hidden, dimension = motions.known_hidden, motions.hidden_dimension
        lengths = row_norms(records @ hidden)
        reach, rounding = np.outer(lengths, row_norms(hidden)), 2 * EXACT.radius(self.norms[watched], len(error.T))
        share = learned(error, reach, dimension, self.tolerance, rounding)
        if not self.groups.groups:
            return share
        square = float(np.mean(lengths**2)) / max(dimension, 1)  # of one hidden coordinate
        noise = self.noise**2 / square if square > 0 else 1.0
        return self.groups.take(watched).by_feet(share, self.records[watched] - error, hidden, noise)


@dataclass(frozen=True, eq=False)
class RedrawnTable(NoisyTable):
    """A table that is protected anew for every coalition; ``original``: as ``scheme`` protects it."""

    original: NDArray[Any]
    scheme: Scheme

    @property
    def redrawn(self) -> bool:
        """Yes."""
        return True

    @property
    def releases_met(self) -> int:
        """Enough for a mean."""
        return DRAWS

    def met(self, seed: int) -> "RedrawnTable":
        """The table protected anew."""
        return replace(self, **released_rows(perturb(self.original, self.scheme, seed)))


def released_rows(release: Release) -> dict[str, Any]:
    """Rows in the records' order and at their scale, and the noise of one coordinate."""
    key = release.key
    return {"released": release.data[key.order] / key.scale, "noise": key.noise / key.scale}
