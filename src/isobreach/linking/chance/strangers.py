# SPDX-License-Identifier: BSD-3-Clause
r"""What chance makes of strangers where columns are on a grid, all or some of them.

Lengths are not independent on a grid. Where a column holds a few values only, a stranger often agrees with a released
record in it, and whoever agrees in all columns but one has nearly all the right distances. So the share of strangers
that have the norm of a record x, and its distances from other records, is not multiplied from shares of single
lengths. It is counted on *drawn strangers*. Each of their columns is drawn by itself, from the law that the K known
records suggest: a kernel estimate on the column's grid, or the values themselves where they repeat and are on no grid,
such as roots of whole numbers. With probability 1 / (K + 1), as for a value not seen yet, it is a value of any of these
columns with any sign (images of records under exchanged columns are what chance makes most often).

Agreement is rare, so half of the time a stranger gets the value of x itself, and its weight undoes this (importance
sampling). With p_c the law of a grid column, and v the stranger's value in it, the weight is a product of

    2 where v differs from x_c,   2 p_c(x_c) / (1 + p_c(x_c)) where it is x_c.

The records before x may be an image of themselves, and then the value that has to be there is an image too. So shares
are counted twice, with the commonest value's probability in the numerator, and as they stand. The latter hold for the
image under one symmetry of the grid: of all symmetries g, sum_t log p(g x_t) is on average largest for the identity
(Gibbs), and there are n! 2^n. Both are upper bounds, and the smaller one counts: the first where links are few, the
second where they are many. Columns on no grid (``free_columns``) are never given the value of
x. Few strangers agree in these, so lengths are asked for less and less closely until ten agree, and the share is
scaled back by the volume, whose dimension is that of what the lengths determine of the free columns.

Let Q_i(r) be the share that agree with record i in all lengths from the first r linked records, and Q'_i(r) the same
without strangers equal to record i: those would be linked rightly. If r of q linked records are right and chance made
the others, out of K known records and m rows, so many such assignments are expected:

    C(K - r, q - r) * m Q'_r(r) * prod_(r < t < q) m Q_t(t)

Whichever r gives the most counts, and for record i no less than m Q'_i(q), the chance matches beside true links. Where
the scale had to be found, assignments with r < 2 had as many tries as there are scales.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, ndtr

from isobreach._arrays import FloatArray, IntArray
from isobreach.release import offset_spacing


@dataclass(frozen=True)
class StrangerDrawing:
    """How strangers are drawn.

    Attributes
    ----------
    count
        Strangers: shares down to about 1e-4 are counted, and those of near copies, which are weighed, far below.
    enough
        Strangers that agree, as in ``isobreach.linking.chance.rates``.
    bandwidth
        Of the kernel, in standard deviations times K^(-1/5): Silverman's rule for a normal law.
    rounding
        Of values, beside the largest: what differs by less is equal.
    paired
        Records whose differences are taken: some thousand of them.
    seed
        Of the draws: the same records always get the same strangers.
    """

    count: int = 8192
    enough: int = 10
    bandwidth: float = 1.06
    rounding: float = 1e-12
    paired: int = 64
    seed: int = 0


DRAWING = StrangerDrawing()
_FIXES_SCALE = 2  # right links whose distance gives the scale


class Strangers:
    """Draws from the law of a population of which some records are known.

    ``held`` has the values that a stranger may have in any column: those of the records, or where only differences
    count those of all pairs of records.
    """

    def __init__(self, known: FloatArray, free: NDArray[np.bool_], spacing: FloatArray, *, held: FloatArray) -> None:
        self._known, self.free, self._spacing = known, free, spacing
        self._columns = np.flatnonzero(~self.free)
        listed = ~free & (spacing == 0)
        self._bandwidth = np.where(listed, 0.0, DRAWING.bandwidth * known.std(axis=0) * len(known) ** -0.2)
        self._rounding = DRAWING.rounding * (float(np.abs(known).max()) or 1.0)
        self._unseen = 1 / (len(known) + 1)
        lengths = np.abs(held[:, ~self.free]).ravel()
        _, first, counts = np.unique(np.rint(lengths / self._rounding), return_index=True, return_counts=True)
        self._pool = lengths[first], counts
        self._shares = [
            {value: self._share(c, value) for value in np.unique(known[:, c]).tolist()} for c in self._columns.tolist()
        ]
        rng = np.random.default_rng(DRAWING.seed)
        self._drawn = self._draw(rng, (DRAWING.count, known.shape[1]))
        self._kept = (rng.random(self._drawn.shape) < 0.5) & ~self.free

    def _draw(self, rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
        known, gridded = self._known, np.flatnonzero(~self.free & (self._spacing > 0))
        drawn = known[rng.integers(len(known), size=shape), np.arange(shape[1])]
        drawn = drawn + self._bandwidth * rng.standard_normal(shape)
        values, counts = self._pool
        pooled = rng.choice(values, shape, p=counts / counts.sum()) * rng.choice([-1.0, 1.0], shape)
        step, first = self._spacing[gridded], known[0, gridded]
        drawn[:, gridded] = first + np.rint((drawn[:, gridded] - first) / step) * step
        return np.where(~self.free & (rng.random(shape) < self._unseen), pooled, drawn)

    def around(self, record: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Strangers around a known record, their weights and its share: as the commonest record's, and as its own."""
        same = np.abs(self._drawn - record) <= self._rounding
        drawn = np.where(same | self._kept, record, self._drawn)
        own = np.array([shares[record[c]] for c, shares in zip(self._columns, self._shares, strict=True)])
        most = np.array([max(shares.values()) for shares in self._shares])
        grid = drawn[:, self._columns] == record[self._columns]
        weights = np.array([np.where(grid, 2 * share / (1 + own), 2.0).prod(axis=1) for share in (most, own)])
        return drawn, weights, np.zeros(2) if self.free.any() else np.array([most.prod(), own.prod()])

    def _share(self, column: int, value: float) -> float:
        """Probability of a value of a grid column."""
        away, half, width = value - self._known[:, column], self._spacing[column] / 2, self._bandwidth[column]
        seen = ndtr((away + half) / width) - ndtr((away - half) / width) if width else np.abs(away) <= self._rounding
        values, counts = self._pool
        pooled = counts[np.abs(values - abs(value)) <= self._rounding].sum() / counts.sum() / (2 if value else 1)
        return float((1 - self._unseen) * seen.mean() + self._unseen * pooled)


def log_matches_of_strangers(
    known: FloatArray,
    records: IntArray,
    radius: FloatArray,
    rows: int,
    *,
    partners: int,
    norms_kept: bool,
    scale: float,
    scales: float = 0.0,
) -> FloatArray:
    """Log of the expected chance matches of each linked record; -inf where no column is on a grid.

    Parameters
    ----------
    known
        All known records, K x n, in the release's units.
    records
        Those that are linked, q of them.
    radius
        Largest error of a length of each linked record.
    rows
        Rows of the release, m.
    partners
        Linked records whose distances are counted: the first so many.
    norms_kept
        Whether norms are known besides distances.
    scale
        How many times longer records are in the release's units than in their own, in which grids are decimal.
    scales
        Log of the number of scales that had a try. Two right links fix the scale, so that it counts for fewer only.
    """
    count = len(records)
    order, everyone = _mixed(known[records]), _mixed(known)
    known, linked, radius = known[everyone], known[records[order]], radius[order]
    spacing = scale * np.array([offset_spacing(column / scale) for column in known.T])
    free = (spacing <= 4 * float(radius.max())) & ~_listed(known)
    if free.all():
        return np.full(count, -np.inf)
    held = known
    if not norms_kept:  # only differences count
        first = known[0]
        known, linked = (_from(first, part, np.where(free, 0.0, spacing)) for part in (known, linked))
        places = np.triu_indices(min(len(known), DRAWING.paired), 1)
        held = known[places[0]] - known[places[1]] if len(known) > 1 else known  # one record has itself alone
    population = Strangers(known, free, spacing, held=held)
    alone, first, later = np.empty((2, count)), np.empty((2, partners)), np.empty((2, partners))
    for i in range(count):
        anchors = np.flatnonzero(np.arange(partners) != i)
        shares, own = _shares(population, linked, radius, i, anchors, norms_kept)
        alone[:, i] = shares[:, -1]
        if i < partners:
            first[:, i], later[:, i] = shares[:, i], shares[:, i] + own
    with np.errstate(divide="ignore"):
        alone, first, later = np.log(rows * alone), np.log(rows * first), np.log(rows * later)
    right = np.arange(partners)
    ways = gammaln(len(known) - right + 1) - gammaln(partners - right + 1) - gammaln(len(known) - partners + 1)
    found = np.where(right < _FIXES_SCALE, scales, 0.0)
    following = np.hstack([np.cumsum(later[:, :0:-1], axis=1)[:, ::-1], np.zeros((2, 1))])
    symmetries = np.array([[0.0], [gammaln(known.shape[1] + 1) + known.shape[1] * np.log(2)]])
    together = (ways + found + first + following + symmetries).min(axis=0).max()
    matches = np.empty(count)
    matches[order] = np.maximum((alone + symmetries).min(axis=0), together)
    return matches


def _mixed(records: FloatArray) -> IntArray:
    """An order of records that is their own, whatever order they came in, and in which the first are not all alike."""
    return np.lexsort(records.T)[np.random.default_rng(DRAWING.seed).permutation(len(records))]


def _listed(known: FloatArray) -> NDArray[np.bool_]:
    """Columns with a value that stands again among the known records, in whatever column and with whatever sign."""
    lengths = np.abs(np.unique(known, axis=0))
    values, counts = np.unique(lengths, return_counts=True)
    return np.asarray(np.isin(lengths, values[(counts > 1) & (values > 0)]).any(axis=0))


def _from(first: FloatArray, records: FloatArray, spacing: FloatArray) -> FloatArray:
    """Differences from a record, whole multiples where columns have a step."""
    moved, grid = records - first, spacing > 0
    moved[:, grid] = np.rint(moved[:, grid] / spacing[grid]) * spacing[grid]
    return moved


def _shares(
    population: Strangers, linked: FloatArray, radius: FloatArray, record: int, anchors: IntArray, norms_kept: bool
) -> tuple[FloatArray, FloatArray]:
    """Shares of strangers with a record's distances from the first r anchors, r = 0, 1, ..., and the record's own.

    Both with the weights of the commonest record, and with its own. A stranger that is the record itself counts for its
    own share only.
    """
    free, itself = population.free, linked[record]
    drawn, weights, own = population.around(itself)
    others = (drawn != itself).any(axis=1)
    drawn, weights = drawn[others], weights[:, others]
    miss = np.zeros(len(drawn))  # the largest so far, beside what is allowed
    shares = np.zeros((2, len(anchors) + 1))
    for r, anchor in enumerate([None, *anchors.tolist()]):
        if anchor is not None or norms_kept:
            origin, error = (0.0, 0.0) if anchor is None else (linked[anchor], radius[anchor])
            distance, reach = float(np.linalg.norm(itself - origin)), radius[record] + error
            away = np.abs(((drawn - origin) ** 2).sum(axis=1) - distance**2)
            with np.errstate(over="ignore"):  # what no reach comes near is infinitely far
                miss = np.maximum(miss, away / max(2 * distance * reach + reach**2, 1e-300))
        if not free.any():  # what has missed once is not asked again
            within = miss <= 1
            drawn, weights, miss = drawn[within], weights[:, within], miss[within]
        dimension = _dimension(linked[anchors[:r]][:, free], norms_kept)
        width = 1.0
        if dimension and np.count_nonzero(miss <= 1) < DRAWING.enough < len(miss):
            width = float(np.partition(miss, DRAWING.enough - 1)[DRAWING.enough - 1])
        shares[:, r] = np.minimum(weights[:, miss <= width].sum(axis=1) / DRAWING.count * width**-dimension, 1.0)
    return shares, own


def _dimension(anchors: FloatArray, norms_kept: bool) -> int:
    """How many dimensions of a point the norm and the distances from anchors determine."""
    if norms_kept:
        rank = np.linalg.matrix_rank(anchors) if anchors.size else 0
    elif anchors.size:
        rank = np.linalg.matrix_rank(anchors - anchors[0])
    else:
        return 0
    return min(int(rank) + 1, int(anchors.shape[1]))
