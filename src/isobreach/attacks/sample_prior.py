# SPDX-License-Identifier: BSD-3-Clause
r"""Records behind a map that pairs give away, where the map alone does not determine them: what a sample says of them.

With y = x F + f + e, F (n x N) fitted to linked pairs *forwards*, a released row leaves an affine space of records open
where N < n, and a ball around it where there is noise. Which of them is likely, the attacker's records tell.

**Kernels.** The density of records is a mean of Gaussians about the sample's records s_i, with covariance H = h^2 C, C
that of the sample and h = S^(-1 / (n + 4)) for S of them (Scott 1992). The mean of records given their row is then

    E[x | y] = m + (y - m F - f) A^-1 F' H,     A = F' H F + N,     m = sum_i w_i s_i,

with w_i in proportion to exp(-d' A^-1 d / 2), d = y - s_i F - f, and N the covariance of e. As many independent pairs
as there are unknowns that fit exactly leave no e; otherwise N = cov(Y) - F' C F, as far as that is positive: noise, and
what of the map pairs have not shown. Where released columns are the attributes (F = I), N is diagonal, and the mean
square of y - x of the pairs.

**Whole numbers.** Where F is exact and attributes lie on a grid, x = offset + c diag(step) with whole c, and
c (diag(step) F) = y - f - offset F has one solution within three times the range of the attacker's records although
N < n, as long as y has more digits than there are in that. LLL reduces the lattice of (I, w diag(step) F), w large, and
Babai's nearest plane finds the point nearest to (mean, w (y - f)), both less the offset. A row is found where its point
fits it to all digits.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial.distance import cdist

from isobreach._arrays import BoolArray, FloatArray
from isobreach.attacks.pairs import Map, Pairs
from isobreach.attacks.refine import Evidence
from isobreach.engine import Engine, tiles
from isobreach.errors import IsobreachError


@dataclass(frozen=True)
class PriorTuning:
    """How records behind a map are estimated.

    Attributes
    ----------
    exact
        Error of a map, beside the rows, that rounding alone may leave.
    kernels
        Records of the sample that are taken, at most: time grows with them.
    flat
        Beside the largest variance: what is smaller is rounding.
    weight
        By which a released value is more important to the lattice than a record's.
    columns, effort
        Attributes with which whole numbers are looked for, at most, and the work of a reduction.
    spare_bits
        By which the digits of a row must exceed those of a record, for its whole numbers to be the only ones.
    """

    exact: float = 1e-7
    kernels: int = 1_000
    flat: float = 1e-10
    weight: float = 2.0**24
    columns: int = 60
    effort: int = 400
    spare_bits: float = 20.0


_TUNING = PriorTuning()


@dataclass(frozen=True, eq=False)
class Forward:
    """y = x matrix + shift, and the covariance of what that leaves of y; ``exact``: it leaves nothing."""

    matrix: FloatArray
    shift: FloatArray
    noise: FloatArray
    exact: bool

    def __call__(self, records: FloatArray) -> FloatArray:
        """Return the rows of records."""
        return records @ self.matrix + self.shift

    @classmethod
    def of(cls, pairs: Pairs, sample: "Sample | None") -> "Forward":
        """Return the map that takes pairs to each other.

        Parameters
        ----------
        pairs
            Records and their rows.
        sample
            And the means and covariances of a sample and of the release, which the map takes to each other too.
        """
        wide = pairs.rows.shape[1]
        for intercept in (False, True):
            found = _least_squares(pairs.records, pairs.rows, intercept=intercept)
            if found.exact:
                return found
        if sample is None:
            return found
        records, rows = np.vstack([pairs.records, sample.mean]), np.vstack([pairs.rows, sample.released_mean])
        found = _least_squares(records, rows, intercept=False)
        left = sample.released_covariance - found.matrix.T @ sample.covariance @ found.matrix
        values, vectors = np.linalg.eigh((left + left.T) / 2)
        noise = (vectors * np.maximum(values, 0.0)) @ vectors.T
        return cls(found.matrix, sample.released_mean - sample.mean @ found.matrix, noise.reshape(wide, wide), False)

    @classmethod
    def in_place(cls, pairs: Pairs) -> "Forward":
        """Return the map that leaves attributes in their columns, with the noise that pairs show."""
        off = ((pairs.rows - pairs.records) ** 2).mean(axis=0)
        return cls(np.eye(len(off)), np.zeros(len(off)), np.diag(np.maximum(off, _TUNING.flat * off.max())), False)


def _least_squares(records: FloatArray, rows: FloatArray, *, intercept: bool) -> Forward:
    middle, mean = (one.mean(axis=0) * intercept for one in (records, rows))
    matrix = np.linalg.lstsq(records - middle, rows - mean, rcond=None)[0]
    shift = mean - middle @ matrix
    off = float(((records @ matrix + shift - rows) ** 2).sum())
    unknowns = records.shape[1] + intercept
    determined = len(records) > unknowns and int(np.linalg.matrix_rank(records - middle)) == records.shape[1]
    exact = determined and off <= _TUNING.exact**2 * float((rows**2).sum())
    return Forward(matrix, shift, np.zeros((rows.shape[1],) * 2), exact)


@dataclass(frozen=True, eq=False)
class Sample:
    """Records of a public sample, and moments of the release."""

    records: FloatArray
    released_mean: FloatArray
    released_covariance: FloatArray

    @cached_property
    def mean(self) -> FloatArray:
        """Of the sample."""
        return np.asarray(self.records.mean(axis=0))

    @cached_property
    def covariance(self) -> FloatArray:
        """Of the sample."""
        return np.atleast_2d(np.cov(self.records.T))

    @cached_property
    def kernels(self) -> FloatArray:
        """Records about which there are kernels."""
        count = len(self.records)
        return self.records[np.linspace(0, count - 1, min(count, _TUNING.kernels)).astype(np.intp)]


@dataclass(frozen=True, eq=False)
class RecordPosterior:
    """Mean of records given their rows, by kernels about the records of a sample."""

    forward: Forward
    sample: Sample

    @cached_property
    def _parts(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """What whitens released rows, the whitened rows of kernels, and the gain."""
        columns, kernels = self.forward.matrix.shape[0], self.sample.kernels
        wide = len(kernels) ** (-2 / (columns + 4)) * self.sample.covariance
        crossed = wide @ self.forward.matrix
        values, vectors = np.linalg.eigh(self.forward.matrix.T @ crossed + self.forward.noise)
        seen = values > _TUNING.flat * values[-1]
        whitening = vectors[:, seen] / np.sqrt(values[seen])
        return whitening, self.forward(kernels) @ whitening, whitening @ (crossed @ whitening).T

    def __call__(self, rows: FloatArray) -> FloatArray:
        """Return the mean of the record behind each row."""
        whitening, images, gain = self._parts
        found = []
        for part in tiles(rows):
            costs = cdist(rows[part] @ whitening, images, "sqeuclidean") / 2
            weights = np.exp(costs.min(axis=1, keepdims=True) - costs)
            means = weights @ self.sample.kernels / weights.sum(axis=1, keepdims=True)
            found.append(means + (rows[part] - self.forward(means)) @ gain)
        return np.concatenate(found)


@dataclass(frozen=True, eq=False)
class OnGrid:
    """Records on a grid, not far from those that the attacker holds, whose images under an exact map are the rows.

    ``short``: whole combinations of steps whose lattice vectors are short. ``otherwise``: of rows without such records.
    """

    forward: Forward
    step: FloatArray
    offset: FloatArray
    low: FloatArray
    high: FloatArray
    middle: FloatArray
    short: FloatArray
    otherwise: Map

    @classmethod
    def of(cls, forward: Forward, evidence: Evidence, otherwise: Map) -> "OnGrid | None":
        """Return it where the attacker's records show a grid in every attribute, and rows hold enough digits."""
        grid, held = evidence.steps, evidence.population
        columns, released = forward.matrix.shape
        if not forward.exact or grid is None or held is None or columns > _TUNING.columns or not grid.there.all():
            return None
        low, high = held.min(axis=0), held.max(axis=0)
        width = np.maximum(high - low, grid.step)
        if np.log2(3 * width / grid.step + 1).sum() + _TUNING.spare_bits > -released * np.log2(_TUNING.exact):
            return None
        short = _reduced(_lattice(forward, grid.step))
        if short is None:
            return None
        middle = held.mean(axis=0)
        return cls(forward, grid.step, grid.offset, low - width, high + width, middle, short, otherwise)

    def __call__(self, rows: FloatArray) -> FloatArray:
        """Return the record behind each row."""
        records, found = self.looked_up(rows)
        return records if found.all() else np.where(found[:, None], records, self.otherwise(rows))

    def looked_up(self, rows: FloatArray) -> tuple[FloatArray, BoolArray]:
        """Return the nearest record on the grid, and whether the row is its image."""
        vectors = self.short @ _lattice(self.forward, self.step)
        axes, sizes = np.linalg.qr(vectors.T)
        aim = np.tile((self.middle - self.offset) / self.step, (len(rows), 1))
        left = np.hstack([aim, _weight(self.forward) * (rows - self.forward(self.offset))]) @ axes
        places = np.zeros_like(left)
        for one in reversed(range(len(vectors))):  # Babai's nearest plane
            places[:, one] = np.rint(left[:, one] / sizes[one, one])
            left -= places[:, one, None] * sizes[:, one]
        records = self.offset + np.rint(places @ self.short) * self.step
        size = np.abs(rows).max(axis=1) + np.abs(self.forward.shift).max()
        found = np.abs(self.forward(records) - rows).max(axis=1) <= _TUNING.exact * size
        return records, found & ((records >= self.low) & (records <= self.high)).all(axis=1)


def _weight(forward: Forward) -> float:
    """By which released values are multiplied, so that they count more than steps."""
    return _TUNING.weight / float(np.abs(forward.matrix).max())


def _lattice(forward: Forward, step: FloatArray) -> FloatArray:
    """A vector for each attribute: one step of it, and what that does to the row."""
    return np.hstack([np.eye(len(step)), _weight(forward) * step[:, None] * forward.matrix])


def _reduced(vectors: FloatArray) -> FloatArray | None:
    """Whole combinations of vectors that are short; None without the package that finds them."""
    from isobreach.geometry.lattice import OutOfEffortError, ReductionEffort, reduce

    try:
        found = reduce(vectors, 2, ReductionEffort(_TUNING.effort))
    except (IsobreachError, OutOfEffortError):
        return None
    return None if found is None else found.astype(np.float64)


def share_found(release: Engine, grid: OnGrid) -> float:
    """Share of released rows that are images of records on the grid.

    Parameters
    ----------
    release
        The released rows.
    grid
        What looks for them.
    """
    counts = [one for block in release.scan(_found, grid, "looking for whole numbers") for one in block]
    return sum(counts) / max(release.shape[0], 1)


def _found(block: FloatArray, first_row: int, grid: OnGrid) -> list[int]:
    return [int(grid.looked_up(block[part])[1].sum()) for part in tiles(block)]
