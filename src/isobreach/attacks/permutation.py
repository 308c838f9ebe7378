# SPDX-License-Identifier: BSD-3-Clause
r"""Find the attributes among released columns that were only permuted, flipped, scaled and shifted.

Vector "encryption" ships as y = s P x + e: a permutation P of the columns, perhaps with signs, a scale s and noise
(Fuchsbauer and others 2022 without P). Values of an attribute stay together in one column, and whoever knows the
population recognises it.

1. *Scale and shift.* With a shift means say nothing, and s^2 = (trace cov(Y) - N sigma^2) / trace cov(X). Without one,
   s = |mean(Y)| / |mean(X)|, which noise does not touch. A shift is there if means of matched columns disagree.
2. *Marginals.* Attribute i and column j cost the mean squared difference of their quantile functions, the sample
blurred
   by the noise; either sign; the assignment of least total cost (Kuhn 1955).
3. *Covariances*, for columns with equal marginals: with C_Y, C_X the covariances without their diagonals, columns are
   assigned anew by the gain C_Y P C_X of the assignment so far, a first-order step of a quadratic assignment problem,
   until nothing changes.
4. *Known records* whose rows are given or can be linked cost their squared differences, and outweigh the rest. Under
   noise they are looked for only where there is no sample.

*Coefficients* of a public transform (cosines, Fourier) in a secret order are attributes like any others, once what the
attacker holds went through the same transform. A release with fewer of them is matched as if the others were zero.

An attribute is claimed only if it is confirmed in one of two ways, and left out of the estimates otherwise (the variant
"all columns" has them all).

- *Two halves of the sample*, each matched with another half of the released rows, give it the same column and sign,
  in four splits. Halves that say nothing agree in half a column on average, so more must agree than chance makes
  (1e-3). And the match must fit: matched columns have the same distributions (Kolmogorov and Smirnov) and correlations,
  which those of a rotation do not.
- *Known records* have their values in that column, and would have them in others by chance less than once in 1,000.
"""

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.special import pdtrc
from scipy.stats import chi2, ks_2samp

from isobreach._phrases import count
from isobreach._progress import Progress
from isobreach._random import generator
from isobreach._settings import setting
from isobreach._validation import check_epsilon, check_positive, check_seed
from isobreach.attacks.base import Attack, Knowledge, Reconstruction
from isobreach.attacks.moments import moments
from isobreach.attacks.pairs import Affine, Pairs, estimated
from isobreach.attacks.refine import Evidence, refined, variants
from isobreach.engine import Engine
from isobreach.errors import InputError
from isobreach.geometry import TRANSFORMS, Transform, public_transform
from isobreach.linking import CHANCE_LIMIT, link
from isobreach.release import ReleaseModel

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_EVERYTHING = "all columns"
_NO_TRANSFORM = "none"
_CHOICES = (_NO_TRANSFORM, *TRANSFORMS)


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
    rounds
        Assignments by covariances; they end earlier where nothing changes.
    weight
        Of marginals beside covariances, both scaled to a largest value of one.
    fits
        Least probability of a difference between matched columns that counts as chance, over all of them.
    loose
        Times what the correlations of two samples of Gaussian records differ by: those of others differ by more.
    shifts
        Levels at which shifts are tried.
    splits
        Pairs of halves that have to agree: of one pair alone, both may be wrong alike.
    error
        Standard deviation of a value's error where there is no noise, beside the deviation of its attribute.
    """

    levels: int = 49
    rows: int = 20_000
    copies: int = 1_000
    rounds: int = 15
    weight: float = 0.5
    fits: float = 1e-4
    loose: float = 3.0
    shifts: int = 13
    splits: int = 4
    error: float = 1e-3


_TUNING = MatchingTuning()


@dataclass(frozen=True, eq=False)
class PermutationReconstruction(Reconstruction):
    """What the permutation attack gives back.

    Attributes
    ----------
    columns
        Released column of each attribute, the best guess; -1 for attributes without one.
    signs
        Its sign.
    confirmed
        Whether two halves of the sample, or known records, confirm it.
    scale
        Released values over those of the records.
    """

    columns: IntArray | None = None
    signs: FloatArray | None = None
    confirmed: NDArray[np.bool_] | None = None
    scale: float = 1.0


@dataclass(frozen=True)
class PermutationSettings:
    """Settings of the permutation attack."""

    epsilon: float = setting(0.1, "Relative error that counts as a breach.")
    scale: float | None = setting(None, "Released values over those of the records; found out by default.", type=float)
    transform: str = setting(
        _NO_TRANSFORM, "Public transform of the records, whose coefficients were permuted.", choices=_CHOICES
    )


class PermutationAttack(Attack):
    """Recognise attributes among permuted columns by a public sample, or by known records."""

    name = "permutation"
    title = "permutation attack"
    needs_any = frozenset({"known", "sample"})
    uses = frozenset({"known", "rows", "sample", "bounds", "noise"})
    settings = PermutationSettings
    takes_narrow = True

    def suits(self, model: ReleaseModel) -> str | None:
        """Return why columns are not just permuted, or None."""
        if model.in_place:
            return "released columns are the attributes already, in their order"
        if (model.permutation and model.moves) or model.coefficients is not None:
            return None
        return model.unmoved or "every released column mixes several attributes"

    def run(
        self, release: Engine, knowledge: Knowledge, *, seed: int | None, progress: Progress, **settings: Any
    ) -> Reconstruction:
        """Match columns and attributes, and say which matches are confirmed."""
        chosen = PermutationSettings(**settings)
        epsilon = check_epsilon(chosen.epsilon)
        given = None if chosen.scale is None else check_positive("scale", chosen.scale)
        if isinstance(knowledge.noise, str):
            raise InputError("noise", "must be a number for this attack", repr(knowledge.noise), "Give its deviation.")
        draws = generator(check_seed(seed) or 0, "components")
        n = knowledge.columns(release.shape[1])
        plain = chosen.transform == _NO_TRANSFORM
        basis = np.eye(n) if plain else public_transform(cast(Transform, chosen.transform), n)
        held = _through(knowledge, basis)
        noise, pairs = float(knowledge.noise or 0.0), _pairs(release, held, progress)
        records = np.asarray(held.sample if held.sample is not None else held.known)
        about = _Released.of(release, n, noise, progress)
        matching = _Matching(about, pairs, given, draws)
        best = matching.of(records).within(release.shape[1])
        confirmed, said = _confirmed(matching, best, records, sampled=held.sample is not None)
        if not plain:  # every attribute is made of all coefficients
            confirmed = np.full(n, confirmed[best.columns >= 0].all())
        affine = best.affine(release.shape[1], records).then(basis)
        raw = estimated(release, affine, progress)
        evidence = Evidence.held(knowledge, n, epsilon=epsilon, noise=noise / best.scale)
        found = {_EVERYTHING: raw, **variants(raw, evidence)}
        if noise:
            found["noise filtered"] = estimated(release, _filtered(about, affine, release.shape[1]), progress)
        exact = not noise and not best.shifted and best.scale == 1  # there is nothing to refine
        told = raw if exact else refined(raw, evidence)
        return PermutationReconstruction(
            bool(confirmed.any()),
            f"{int(confirmed.sum())} of {count(n, 'attribute')} recognised among {release.shape[1]} columns; {said}.",
            np.where(confirmed, told, np.nan) if confirmed.any() else told,
            decided=bool(confirmed.all()),
            variants=found,
            columns=best.columns,
            signs=best.signs,
            confirmed=confirmed,
            scale=best.scale,
        )


ATTACK = PermutationAttack()


def _pairs(release: Engine, knowledge: Knowledge, progress: Progress) -> Pairs | None:
    """Known records and their rows, given or linked; under noise that search takes minutes, and a sample tells more."""
    rows = knowledge.rows
    if knowledge.known is None or (rows is None and knowledge.noise and knowledge.sample is not None):
        return None
    missing = knowledge.known.shape[1] - release.shape[1]
    if rows is None:
        if missing > 0:  # distances are not kept
            return None
        rows = link(np.asarray(knowledge.known), release, noise=knowledge.noise or None, progress=progress).rows
    if not (np.asarray(rows) >= 0).any():
        return None
    pairs = Pairs.given(release, replace(knowledge, rows=rows))
    return replace(pairs, rows=np.pad(pairs.rows, ((0, 0), (0, max(missing, 0)))))


def _through(knowledge: Knowledge, basis: FloatArray) -> Knowledge:
    """What the attacker holds, as coefficients."""
    tables = (knowledge.known, knowledge.sample)
    known, sample = (None if one is None else np.asarray(one, dtype=np.float64) @ basis.T for one in tables)
    return replace(knowledge, known=known, sample=sample)


@dataclass(frozen=True, eq=False)
class _Released:
    """Some released rows, mean and covariance of all, and the noise."""

    some: FloatArray
    mean: FloatArray
    covariance: FloatArray
    noise: float
    rows: int
    narrow: bool  # fewer columns than attributes: the others are zeros here

    @classmethod
    def of(cls, release: Engine, attributes: int, noise: float, progress: Progress) -> "_Released":
        rows, missing = release.shape[0], max(attributes - release.shape[1], 0)
        some = release.gather(np.linspace(0, rows - 1, min(rows, _TUNING.rows)).astype(np.intp))
        mean, covariance = moments(release, progress)
        wider = (0, missing)
        return cls(
            np.pad(some, ((0, 0), wider)), np.pad(mean, wider), np.pad(covariance, wider), noise, rows, missing > 0
        )

    def half(self, rows: IntArray) -> "_Released":
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
class _Match:
    """Column and sign of each attribute, the scale, and shifts."""

    columns: IntArray
    signs: FloatArray
    scale: float
    shifts: FloatArray  # x = sign * y / scale + shift
    shifted: bool = False

    def missed(self, i: Any, matching: "_Matching") -> FloatArray:
        """By how much the values of known records are missed by those of their rows, in one attribute."""
        assert matching.pairs is not None
        values = self.signs[i] * matching.pairs.rows[:, self.columns[i]] / self.scale + self.shifts[i]
        return np.asarray(values - matching.pairs.records[:, i])

    def near(self, i: Any, matching: "_Matching") -> float:
        """By how much they may be missed: four deviations of the noise, twice where scale or shift carry it as well."""
        assert matching.pairs is not None
        found = self.shifted or self.scale != 1
        return float(
            4 * (1 + found) * matching.about.noise / self.scale + 1e-6 * np.abs(matching.pairs.records[:, i]).max()
        )

    def within(self, wide: int) -> "_Match":
        """Without columns that are not there: a release with fewer is matched as if the others were zero."""
        return replace(self, columns=np.where(self.columns < wide, self.columns, -1))

    def affine(self, wide: int, records: FloatArray) -> Affine:
        """The map back; attributes without a column have the mean of the records."""
        there = np.flatnonzero(self.columns >= 0)
        matrix, shift = np.zeros((wide, len(self.columns))), records.mean(axis=0)
        matrix[self.columns[there], there] = self.signs[there] / self.scale
        shift[there] = self.shifts[there]
        return Affine(matrix, shift)


class _Matching:
    """How records of the population are matched with the released columns."""

    def __init__(self, about: _Released, pairs: Pairs | None, scale: float | None, draws: np.random.Generator) -> None:
        self.about, self.pairs, self._scale, self.draws = about, pairs, scale, draws

    def half(self, rows: IntArray) -> "_Matching":
        """The same with some of the rows, and without known records."""
        return _Matching(self.about.half(rows), None, self._scale, self.draws)

    def of(self, records: FloatArray) -> _Match:
        """The match of records: without a shift, unless known values or means then disagree."""
        match = self.columns_of(records)
        return self._placed(records, match) if match.shifted else match

    def columns_of(self, records: FloatArray) -> _Match:
        """The same, but shifts are not sought."""
        plain = self._matched(records, shifted=False)
        holds = self._same_values(plain) if self.pairs is not None else self._same_means(records, plain)
        return plain if holds else self._matched(records, shifted=True)

    def _placed(self, records: FloatArray, match: _Match) -> _Match:
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

    def _matched(self, records: FloatArray, *, shifted: bool) -> _Match:
        about = self.about
        varied = np.flatnonzero(records.std(axis=0) > 0) if len(records) > 1 else np.arange(records.shape[1])
        live = about.live if len(about.live) >= len(varied) else np.arange(about.some.shape[1])
        scale = self.scale(records, shifted=shifted)
        x = records[:, varied]
        origin, middle = (x.mean(axis=0), about.mean[live] / scale) if shifted else (0.0, np.zeros(len(live)))
        costs = np.zeros((2, len(varied), len(live)))
        if len(records) > 2:
            blurred = np.repeat(x - origin, max(1, _TUNING.copies // len(x)) if about.noise else 1, axis=0)
            blurred = blurred + about.noise / scale * self.draws.standard_normal(blurred.shape)
            costs += len(x) * _quantile_costs(blurred, about.some[:, live] / scale - middle)
        told = self._told(varied, live, scale, shifted=shifted)
        signs, order = _assigned(costs + told)
        if len(records) > 2:
            signs, order = self._by_covariances(x, live, scale, costs, told, signs, order)
        columns, flips = np.full(records.shape[1], -1), np.ones(records.shape[1])
        columns[varied], flips[varied] = live[order], signs
        return _Match(columns, flips, scale, np.zeros(records.shape[1]), shifted)

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
        variance = records.var(axis=0, ddof=1).sum()
        if not shifted:
            mean = float(records.mean(axis=0) @ records.mean(axis=0)) - variance / m
            theirs = float(about.mean @ about.mean) - np.trace(about.covariance) / about.rows
            if mean > 9 * variance / m and theirs > 0:
                found, error = float(np.sqrt(theirs / mean)), float(np.sqrt(variance / m / mean))
                return 1.0 if abs(np.log(found)) < 3 * error else found
        kept = float(np.trace(about.covariance)) - about.some.shape[1] * about.noise**2
        found = float(np.sqrt(kept / variance)) if kept > 0 and variance > 0 else 1.0
        return 1.0 if abs(np.log(found)) < 3 / np.sqrt(m) else found

    def _same_values(self, match: _Match) -> bool:
        """Whether most known values are in their columns without a shift."""
        there = np.flatnonzero(match.columns >= 0)
        return bool(np.mean([(np.abs(match.missed(i, self)) <= match.near(i, self)).all() for i in there]) > 0.5)

    def _same_means(self, records: FloatArray, match: _Match) -> bool:
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
        spread = np.maximum((self.about.noise / scale) ** 2, (_TUNING.error * self.about.some.std() / scale) ** 2)
        differences = [own[:, :, None] - sign * seen[:, None, :] for sign in (1.0, -1.0)]
        if shifted:
            differences = [one - one.mean(axis=0) for one in differences]
        return np.stack([(one**2).sum(axis=0) for one in differences]) / (2 * max(float(spread), 1e-300))

    def _by_covariances(
        self,
        x: FloatArray,
        live: IntArray,
        scale: float,
        costs: FloatArray,
        told: FloatArray,
        signs: FloatArray,
        order: IntArray,
    ) -> tuple[FloatArray, IntArray]:
        """Signs and columns after first-order steps of the quadratic assignment."""
        theirs = self.about.covariance[np.ix_(live, live)] / scale**2
        own = np.cov(x.T).reshape(x.shape[1], x.shape[1])
        theirs, own = (one - np.diag(np.diag(one)) for one in (theirs, own))
        for _ in range(_TUNING.rounds):
            gain = own @ (signs[:, None] * theirs[order])  # attribute x column, of the positive sign
            size = float(np.abs(gain).max()) or 1.0
            marginal = _TUNING.weight * costs / (float(costs.max()) or 1.0)
            after = _assigned(np.stack([-gain, gain]) / size + marginal + told)
            if np.array_equal(after[0], signs) and np.array_equal(after[1], order):
                break
            signs, order = after
        return signs, order


def _shifts(records: FloatArray, columns: FloatArray) -> FloatArray:
    """Shift of each column: of the differences of quantile functions the one after which distributions differ least.

    Means would do, but values that crowd in a few places show the shift far better than a mean does.
    """
    levels = np.linspace(0.05, 0.95, _TUNING.shifts)
    found = []
    for mine, theirs in zip(records.T, columns.T, strict=True):
        differences = np.quantile(mine, levels) - np.quantile(theirs, levels)
        candidates = np.append(differences, [np.median(differences), mine.mean() - theirs.mean()])
        apart = [_apart(mine, theirs + one).statistic for one in candidates]
        found.append(candidates[int(np.argmin(apart))])
    return np.array(found)


def _apart(mine: FloatArray, theirs: FloatArray) -> Any:
    """Kolmogorov and Smirnov's test; values that differ by rounding alone are equal."""
    cell = 1e-9 * (float(np.ptp(mine)) or 1.0)
    return ks_2samp(np.rint(mine / cell), np.rint(theirs / cell), method="asymp")


def _quantile_costs(records: FloatArray, columns: FloatArray) -> FloatArray:
    """Mean squared differences of quantile functions, beside the variances: (sign, attribute, column)."""
    levels = np.linspace(0.02, 0.98, _TUNING.levels)
    mine, theirs = np.quantile(records, levels, axis=0), np.quantile(columns, levels, axis=0)
    variance = records.var(axis=0)[:, None] + columns.var(axis=0)
    found = [((mine[:, :, None] - one[:, None, :]) ** 2).mean(axis=0) for one in (theirs, -theirs[::-1])]
    return np.asarray(np.stack(found) / np.maximum(variance, np.finfo(np.float64).tiny))


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


def _confirmed(
    matching: _Matching, best: _Match, records: FloatArray, *, sampled: bool
) -> tuple[NDArray[np.bool_], str]:
    """Which attributes are confirmed, and why in words."""
    by_pairs = _by_pairs(matching, best)
    if by_pairs.all():
        return by_pairs, "known records have their values there"
    if not sampled or len(records) < 8:
        return by_pairs, "known records have their values there" if by_pairs.any() else "nothing confirms a column"
    if not _fits(matching.about, best, records, matching.draws):
        return by_pairs, "columns do not have the distributions of the sample: they may be mixed, or it is another one"
    halves = []
    for _ in range(_TUNING.splits):
        mine, theirs = (matching.draws.permutation(len(one)) for one in (records, matching.about.some))
        halves += [matching.half(theirs[first::2]).columns_of(records[mine[first::2]]) for first in (0, 1)]
    there = best.columns >= 0
    agree = there & np.all([(half.columns == best.columns) & (half.signs == best.signs) for half in halves], axis=0)
    # Two random assignments agree in a Poisson number of attributes, of mean 1/2 with signs.
    chance = float(pdtrc(int(agree.sum()) - 1, 0.5)) if agree.any() else 1.0
    if chance > CHANCE_LIMIT:
        return by_pairs, "two halves of the sample agree no more than chance would have it"
    return by_pairs | agree, "two halves of the sample agree on them"


def _by_pairs(matching: _Matching, best: _Match) -> NDArray[np.bool_]:
    """Which attributes known records confirm: they have their values in the column, and not by chance."""
    pairs, about = matching.pairs, matching.about
    found = np.zeros(len(best.columns), dtype=bool)
    if pairs is None:
        return found
    for i in np.flatnonzero(best.columns >= 0):
        near = best.near(i, matching)
        if (np.abs(best.missed(i, matching)) > near).any():
            continue
        # By chance: a random row of any column, of either sign, near all known values; a shift spends one of them.
        wanted = pairs.records[:, i] - best.shifts[i]
        first = int(best.shifted)
        rows = np.abs(about.some / best.scale)
        shares = [(np.abs(rows - abs(one)) <= near).mean(axis=0) for one in wanted[first:]]
        found[i] = bool(shares) and float(np.prod(np.array(shares), axis=0).sum()) <= CHANCE_LIMIT
    return found


def _fits(about: _Released, best: _Match, records: FloatArray, draws: np.random.Generator) -> bool:
    """Whether matched columns have the distributions and correlations of the records."""
    there = np.flatnonzero((best.columns >= 0) & (records.std(axis=0) > 0))
    columns = best.signs[there] * about.some[:, best.columns[there]] / best.scale + best.shifts[there]
    noise = about.noise / best.scale * draws.standard_normal((len(records), len(there)))
    blurred = records[:, there] + noise
    least = min(float(_apart(a, b).pvalue) for a, b in zip(blurred.T, columns.T, strict=True))
    if least < _TUNING.fits / len(there):
        return False
    if len(there) < 2:
        return True
    pairs = np.triu_indices(len(there), 1)
    mine, theirs = (
        np.arctanh(np.clip(np.atleast_2d(np.corrcoef(one.T))[pairs], -0.999, 0.999)) for one in (blurred, columns)
    )
    apart = float(((mine - theirs) ** 2).sum()) / (1 / max(len(blurred) - 3, 1) + 1 / max(about.rows - 3, 1))
    return bool(apart <= _TUNING.loose * chi2.isf(_TUNING.fits, len(pairs[0])))


def _filtered(about: _Released, affine: Affine, wide: int) -> Affine:
    """The map back after the Bayes estimate of rows with this covariance and noise."""
    mean = about.mean[:wide]
    values, vectors = np.linalg.eigh(about.covariance[:wide, :wide])
    weights = np.divide(np.maximum(values - about.noise**2, 0.0), values, out=np.zeros_like(values), where=values > 0)
    matrix = (vectors * weights) @ vectors.T
    return Affine(matrix @ affine.matrix, (mean - mean @ matrix) @ affine.matrix + affine.shift)
