# SPDX-License-Identifier: BSD-3-Clause
r"""How released columns are matched with attributes.

Vector "encryption" ships as y = s P x + e: a permutation P of the columns, perhaps with signs, a scale s and noise
(Fuchsbauer and others 2022 without P). Values of an attribute stay together in one column, and whoever knows the
population recognises it.

1. *Scale and shift.* s^2 = (mean |y|^2 - N sigma^2) / mean |x|^2; with a shift, lengths are those from the mean.
   Vectors of one length show it without an error; means do not, where they are small. A shift is there if means of
   matched columns disagree.
2. *Marginals.* Attribute i and column j cost the mean squared difference of their quantile functions, the sample
   blurred by the noise; either sign; the assignment of least total cost (Kuhn 1955).
3. *Correlations*, for columns with like marginals. With A of the sample and B of the release, without their diagonals,
   and P the shares of each column and sign so far, attribute i and column j gain

       (A P (B + (1 + r) I)^-1 B)_ij / (1/m + 1/N + what P leaves open of B),

   the log-likelihood of row i of A if the errors of its entries are correlated as the columns are (r: a ridge). As if
   they were independent, which they are not, leading axes are counted many times, and wrong matches bear each other
   out. The shares are exp(gain - marginal cost), balanced over attributes and columns, until nothing changes. P begins
   with what of the marginals' shares commutes with A and B: a spectral match (Umeyama 1988; Fan and others 2019).
4. *Known records* whose rows are given or can be linked cost their squared differences, and outweigh the rest. Under
   noise they are looked for only where there is no sample.

*Coefficients* of a public transform (cosines, Fourier) in a secret order are attributes like any others, once what the
attacker holds went through the same transform. A release with fewer of them is matched as if the others were zero.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.stats import chi2, ks_2samp

from isobreach._arrays import FloatArray, IntArray
from isobreach._progress import Progress
from isobreach.attacks.moments import moments
from isobreach.attacks.pairs import Affine, Pairs
from isobreach.engine import Engine


@dataclass(frozen=True)
class MatchingTuning:
    """How columns are matched.

    Attributes
    ----------
    levels
        Of quantile functions; the outermost 2% of either side vary too much.
    rows
        Released rows from which quantiles are taken.
    copies
        Records of the blurred sample, at least.
    ridge
        Of the correlations whose inverse frees errors of their correlation: of 0.3, 2 and 10 the one with which 100 and
        150 sentence vectors of 256 columns, and 200 of 512, show all columns; with 0.3 none did.
    near, commuting
        Difference of eigenvalues that count as equal, and the weight of a deviation of what commutes.
    rounds, balanced, still
        Of shares; of balancing them each time; the change at which they end.
    fits
        Least probability of a difference between matched columns that counts as chance, over all of them.
    loose
        Times what the correlations of two samples of Gaussian records differ by: those of others differ by more.
    shifts
        Levels at which shifts are tried.
    splits, held
        Splits of the sample that have to agree: of one alone, both parts may be wrong alike. The share that judges the
        match of the others.
    error
        Standard deviation of a value's error where there is no noise, beside the deviation of its attribute.
    """

    levels: int = 49
    rows: int = 20_000
    copies: int = 1_000
    ridge: float = 2.0
    near: float = 1.0
    commuting: float = 4.0
    rounds: int = 60
    balanced: int = 10
    still: float = 1e-3
    fits: float = 1e-4
    loose: float = 3.0
    shifts: int = 13
    splits: int = 4
    held: float = 0.25
    error: float = 1e-3


TUNING = MatchingTuning()


@dataclass(frozen=True, eq=False)
class Released:
    """Some released rows, mean and covariance of all, and the noise."""

    some: FloatArray
    mean: FloatArray
    covariance: FloatArray
    noise: float
    rows: int
    narrow: bool  # fewer columns than attributes: the others are zeros here

    @classmethod
    def of(cls, release: Engine, attributes: int, noise: float, progress: Progress) -> "Released":
        """Look at a release; ``attributes``: how many the attacker knows of, ``noise``: its deviation."""
        rows, missing = release.shape[0], max(attributes - release.shape[1], 0)
        some = release.gather(np.linspace(0, rows - 1, min(rows, TUNING.rows)).astype(np.intp))
        mean, covariance = moments(release, progress)
        wider = (0, missing)
        return cls(
            np.pad(some, ((0, 0), wider)), np.pad(mean, wider), np.pad(covariance, wider), noise, rows, missing > 0
        )

    def half(self, rows: IntArray) -> "Released":
        """Some of the rows."""
        some = self.some[rows]
        covariance = np.atleast_2d(np.cov(some.T))
        return replace(self, some=some, mean=some.mean(axis=0), covariance=covariance, rows=len(some))

    @property
    def live(self) -> IntArray:
        """Columns that vary."""
        variances = np.diag(self.covariance)
        return np.flatnonzero(variances > 1e-12 * variances.max())


@dataclass(frozen=True, eq=False)
class Match:
    """Column and sign of each attribute, the scale, and shifts."""

    columns: IntArray
    signs: FloatArray
    scale: float
    shifts: FloatArray  # x = sign * y / scale + shift
    shifted: bool = False

    def missed(self, i: Any, matching: "Matching") -> FloatArray:
        """By how much the values of known records are missed by those of their rows, in one attribute."""
        assert matching.pairs is not None
        values = self.signs[i] * matching.pairs.rows[:, self.columns[i]] / self.scale + self.shifts[i]
        return np.asarray(values - matching.pairs.records[:, i])

    def near(self, i: Any, matching: "Matching") -> float:
        """By how much they may be missed: four deviations of the noise, twice where scale or shift carry it as well."""
        assert matching.pairs is not None
        found = self.shifted or self.scale != 1
        return float(
            4 * (1 + found) * matching.about.noise / self.scale + 1e-6 * np.abs(matching.pairs.records[:, i]).max()
        )

    def shares(self, attributes: IntArray, live: IntArray) -> FloatArray:
        """Sign and column of each attribute as shares of zero and one: (sign, attribute, live column)."""
        here = self.columns[attributes][:, None] == live
        return np.stack([here & (self.signs[attributes][:, None] == sign) for sign in (1.0, -1.0)]).astype(np.float64)

    def within(self, wide: int) -> "Match":
        """Without columns that are not there: a release with fewer is matched as if the others were zero."""
        return replace(self, columns=np.where(self.columns < wide, self.columns, -1))

    def affine(self, wide: int, records: FloatArray) -> Affine:
        """The map back; attributes without a column have the mean of the records."""
        there = np.flatnonzero(self.columns >= 0)
        matrix, shift = np.zeros((wide, len(self.columns))), records.mean(axis=0)
        matrix[self.columns[there], there] = self.signs[there] / self.scale
        shift[there] = self.shifts[there]
        return Affine(matrix, shift)


class Matching:
    """How records of the population are matched with the released columns."""

    def __init__(self, about: Released, pairs: Pairs | None, scale: float | None, draws: np.random.Generator) -> None:
        self.about, self.pairs, self._scale, self.draws = about, pairs, scale, draws

    def half(self, rows: IntArray) -> "Matching":
        """The same with some of the rows, and without known records."""
        return Matching(self.about.half(rows), None, self._scale, self.draws)

    def of(self, records: FloatArray) -> Match:
        """The match of records: without a shift, unless known values or means then disagree."""
        match = self.columns_of(records)
        return self._placed(records, match) if match.shifted else match

    def columns_of(self, records: FloatArray) -> Match:
        """The same, but shifts are not sought."""
        plain = self._matched(records, shifted=False)
        holds = self._same_values(plain) if self.pairs is not None else self._same_means(records, plain)
        return plain if holds else self._matched(records, shifted=True)

    def _placed(self, records: FloatArray, match: Match) -> Match:
        """The match with shifts: by known records, which are exact, or by the distributions."""
        there = np.flatnonzero(match.columns >= 0)
        columns, signs = match.columns[there], match.signs[there]
        shifts = match.shifts.copy()
        if self.pairs is not None:
            seen = signs * self.pairs.rows[:, columns] / match.scale
            shifts[there] = (self.pairs.records[:, there] - seen).mean(axis=0)
        else:
            shifts[there] = _shifts(records[:, there], signs * self.about.some[:, columns] / match.scale)
        return replace(match, shifts=shifts)

    def judged(self, records: FloatArray, match: Match) -> Match:
        """What these records say of every attribute, with the columns of all others as matched before."""
        return self._matched(records, shifted=match.shifted, scale=match.scale, others=match)

    def _matched(
        self, records: FloatArray, *, shifted: bool, scale: float | None = None, others: Match | None = None
    ) -> Match:
        about = self.about
        varied = np.flatnonzero(records.std(axis=0) > 0) if len(records) > 1 else np.arange(records.shape[1])
        live = about.live if len(about.live) >= len(varied) else np.arange(about.some.shape[1])
        scale = self.scale(records, shifted=shifted) if scale is None else scale
        x = records[:, varied]
        origin, middle = (x.mean(axis=0), about.mean[live] / scale) if shifted else (0.0, np.zeros(len(live)))
        costs = np.zeros((2, len(varied), len(live)))
        if len(records) > 2:
            blurred = np.repeat(x - origin, max(1, TUNING.copies // len(x)) if about.noise else 1, axis=0)
            blurred = blurred + about.noise / scale * self.draws.standard_normal(blurred.shape)
            costs += len(x) * _quantile_costs(blurred, about.some[:, live] / scale - middle)
        costs += self._told(varied, live, scale, shifted=shifted)
        if len(records) > 2 and len(varied):
            given = None if others is None else others.shares(varied, live)
            costs = self._by_correlations(x, live, scale, costs, given)
        signs, order = _assigned(costs)
        columns, flips = np.full(records.shape[1], -1), np.ones(records.shape[1])
        columns[varied], flips[varied] = live[order], signs
        return Match(columns, flips, scale, np.zeros(records.shape[1]), shifted)

    def scale(self, records: FloatArray, *, shifted: bool) -> float:
        """Released values over those of the records, as far as means or variances show it; 1 where it may be."""
        about, m = self.about, len(records)
        if self._scale is not None:
            return self._scale
        if about.narrow:  # lengths and variances are not all there
            return 1.0
        if self.pairs is not None:
            return _scale_of_pairs(self.pairs, about.noise, shifted=shifted)
        if m < 3:
            return 1.0
        # Mean squared lengths, from the origin or from the means; noise adds its own.
        mine, theirs = (one - shifted * one.mean(axis=0) for one in (records, about.some))
        squares = [(one**2).sum(axis=1) for one in (mine, theirs)]
        size, seen = (float(one.mean()) for one in squares)
        kept = seen - theirs.shape[1] * about.noise**2
        if not (kept > 0 and size > 0):
            return 1.0
        found = float(np.sqrt(kept / size))
        error = np.hypot(*(one.std() / np.sqrt(len(one)) for one in (squares[0] / size, squares[1] / kept))) / 2
        return 1.0 if abs(np.log(found)) < 3 * error + 1e-6 else found

    def _same_values(self, match: Match) -> bool:
        """Whether most known values are in their columns without a shift."""
        there = np.flatnonzero(match.columns >= 0)
        return bool(np.mean([(np.abs(match.missed(i, self)) <= match.near(i, self)).all() for i in there]) > 0.5)

    def _same_means(self, records: FloatArray, match: Match) -> bool:
        """Whether means of matched columns agree: their squared differences are chi-square."""
        there = np.flatnonzero((match.columns >= 0) & (records.std(axis=0) > 0))
        if len(records) < 3 or not len(there):
            return True
        mean = match.signs[there] * self.about.mean[match.columns[there]] / match.scale
        spread = records[:, there].var(axis=0, ddof=1) * (1 / len(records) + 1 / self.about.rows)
        apart = float(((records[:, there].mean(axis=0) - mean) ** 2 / spread).sum())
        # A scale that was taken from the means themselves is off by a few of their errors.
        return bool(apart <= 2 * chi2.isf(1e-6, len(there)))

    def _told(self, varied: IntArray, live: IntArray, scale: float, *, shifted: bool) -> FloatArray:
        """What known records and their rows say: half their squared differences over the variance of an error."""
        if self.pairs is None:
            return np.zeros((2, len(varied), len(live)))
        own, seen = self.pairs.records[:, varied], self.pairs.rows[:, live] / scale
        spread = np.maximum((self.about.noise / scale) ** 2, (TUNING.error * self.about.some.std() / scale) ** 2)
        differences = [own[:, :, None] - sign * seen[:, None, :] for sign in (1.0, -1.0)]
        if shifted:
            differences = [one - one.mean(axis=0) for one in differences]
        return np.stack([(one**2).sum(axis=0) for one in differences]) / (2 * max(float(spread), 1e-300))

    def _by_correlations(
        self, x: FloatArray, live: IntArray, scale: float, costs: FloatArray, given: FloatArray | None
    ) -> FloatArray:
        """Costs with what correlations say (see the module): of ``given`` shares, or of those that they lead to."""
        theirs = _correlations(self.about.covariance[np.ix_(live, live)] / scale**2, self.about.noise / scale)
        own = _correlations(np.cov(x.T).reshape(x.shape[1], x.shape[1]), 0.0)
        error = 1 / len(x) + 1 / self.about.rows
        freed = np.linalg.solve(theirs + (1 + TUNING.ridge) * np.eye(len(live)), theirs)

        def total(shares: FloatArray) -> FloatArray:
            signed = shares[0] - shares[1]
            unsure = (len(own) / len(live) * (theirs**2).sum() - ((signed @ theirs) ** 2).sum()) / signed.size
            gain = own @ (signed @ freed) / (error + max(float(unsure), 0.0))  # attribute x column
            return np.stack([-gain, gain]) + costs

        if given is not None:
            return total(given)
        shares = _shares(costs)
        alike = TUNING.commuting * _commuting(own, theirs, shares[0] - shares[1])
        shares = _shares(np.stack([-alike, alike]) + costs)
        for _ in range(TUNING.rounds):
            before, shares = shares, _shares(total(shares))
            if np.abs(shares - before).max() < TUNING.still:
                break
        return total(shares)


def _shifts(records: FloatArray, columns: FloatArray) -> FloatArray:
    """Shift of each column: of the differences of quantile functions the one after which distributions differ least.

    Means would do, but values that crowd in a few places show the shift far better than a mean does.
    """
    levels = np.linspace(0.05, 0.95, TUNING.shifts)
    found = []
    for mine, theirs in zip(records.T, columns.T, strict=True):
        differences = np.quantile(mine, levels) - np.quantile(theirs, levels)
        candidates = np.append(differences, [np.median(differences), mine.mean() - theirs.mean()])
        apart = [kolmogorov(mine, theirs + one).statistic for one in candidates]
        found.append(candidates[int(np.argmin(apart))])
    return np.array(found)


def kolmogorov(mine: FloatArray, theirs: FloatArray) -> Any:
    """Kolmogorov and Smirnov's test; values that differ by rounding alone are equal."""
    cell = 1e-9 * (float(np.ptp(mine)) or 1.0)
    return ks_2samp(np.rint(mine / cell), np.rint(theirs / cell), method="asymp")


def _correlations(covariance: FloatArray, noise: float) -> FloatArray:
    """Correlations without the diagonal, of columns freed of noise."""
    variances = np.maximum(np.diag(covariance) - noise**2, 0.1 * np.diag(covariance))
    sizes = np.sqrt(np.maximum(variances, np.finfo(np.float64).tiny))
    found = covariance / sizes[:, None] / sizes
    return np.asarray(found - np.diag(np.diag(found)))


def _commuting(own: FloatArray, theirs: FloatArray, signed: FloatArray) -> FloatArray:
    """What of a signed soft match commutes with the correlations of both sides, in its own deviations."""
    (a, u), (b, v) = (np.linalg.eigh(one) for one in (own, theirs))
    found = u @ ((u.T @ signed @ v) / ((a[:, None] - b) ** 2 + TUNING.near**2)) @ v.T
    return np.asarray(found / max(float(found.std()), np.finfo(np.float64).tiny))


def _quantile_costs(records: FloatArray, columns: FloatArray) -> FloatArray:
    """Mean squared differences of quantile functions, beside the variances: (sign, attribute, column)."""
    levels = np.linspace(0.02, 0.98, TUNING.levels)
    mine, theirs = np.quantile(records, levels, axis=0), np.quantile(columns, levels, axis=0)
    variance = records.var(axis=0)[:, None] + columns.var(axis=0)
    found = [((mine[:, :, None] - one[:, None, :]) ** 2).mean(axis=0) for one in (theirs, -theirs[::-1])]
    return np.asarray(np.stack(found) / np.maximum(variance, np.finfo(np.float64).tiny))


def _shares(costs: FloatArray) -> FloatArray:
    """Probability of each sign and column for each attribute: exp(-costs), balanced over attributes and columns."""
    found = np.exp(costs.min(axis=(0, 2), keepdims=True) - costs)
    for _ in range(TUNING.balanced):
        found = found / np.maximum(found.sum(axis=(0, 1), keepdims=True), 1.0)
        found = found / np.maximum(found.sum(axis=(0, 2), keepdims=True), np.finfo(np.float64).tiny)
    return np.asarray(found)


def _assigned(costs: FloatArray) -> tuple[FloatArray, IntArray]:
    """Sign and column of each attribute, of least total cost."""
    order = linear_sum_assignment(costs.min(axis=0))[1]
    own = np.arange(len(order))
    return np.where(costs[0, own, order] <= costs[1, own, order], 1.0, -1.0), order


def _scale_of_pairs(pairs: Pairs, noise: float, *, shifted: bool) -> float:
    """Lengths of linked rows, or of their differences, over those of their records, noise taken off."""
    moved = shifted and len(pairs) > 1
    records, rows = (one - moved * one.mean(axis=0) for one in (pairs.records, pairs.rows))
    kept = float((rows**2).sum()) - (len(pairs) - moved) * rows.shape[1] * noise**2
    size = float((records**2).sum())
    found = float(np.sqrt(kept / size)) if kept > 0 and size > 0 else 1.0
    near = 1e-9 + 3 * noise / np.sqrt(max(float((rows**2).sum()), 1e-300))
    return 1.0 if abs(found - 1) < near else found
