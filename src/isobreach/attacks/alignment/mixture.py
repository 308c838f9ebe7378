# SPDX-License-Identifier: BSD-3-Clause
"""Density of the released rows: Gaussian mixtures, stacked by the likelihood of rows that were held out.

The release is large and its rows need no link to be modelled: a density q of released rows is had for nothing. With z
the whitened row, a mixture of C components is

    q(z) = sum over c of w_c N(z; m_c, S_c),     S_c = (scatter_c + v W) / (N_c + v) + r I,

W the pooled covariance within components, v pseudo-rows of it, r a ridge. scikit-learn's ``GaussianMixture`` has the
ridge alone: with a few hundred rows in dozens of columns its components are those of a few rows each, and the sample
scores low at the true motion. Mixtures of several sizes are averaged with the weights that maximise the likelihood of
held-out rows (stacking; Smyth and Wolpert 1999), so that no size has to be chosen. The held-out rows' levels -log q are
kept: a sample of the same population, at its true place, must reach the same (``certificate``).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from isobreach._arrays import FloatArray, IntArray


@dataclass(frozen=True)
class MixtureRecipe:
    """Size of a mixture and how strongly its covariances are shrunk."""

    components: int
    pseudo_rows: float = 2.0  # of the pooled covariance, times the number of columns
    ridge: float = 1e-3  # in whitened units: a thousandth of the variance along a principal axis


@dataclass(frozen=True)
class DensityTuning:
    """How densities are fitted. Sizes and shrinkages are those that stacking picked on a dozen tables."""

    small: int = 1_500  # rows below which several shrinkages compete and every row is held out once
    # Components, and what shrinks their covariances, in larger and in small releases.
    sizes: tuple[int, ...] = (1, 4, 12, 32)
    small_sizes: tuple[int, ...] = (1, 2, 4, 8, 16)
    shrinkages: tuple[tuple[float, float], ...] = ((2.0, 1e-3),)
    small_shrinkages: tuple[tuple[float, float], ...] = ((0.5, 1e-3), (2.0, 1e-3), (2.0, 0.05), (8.0, 0.05))
    copies: int = 3  # fits of each mixture to a small release, averaged: one depends much on its clusters
    cheap: float = 5e7  # products in a step of EM up to which fits are repeated
    judged_rows: int = 2_400  # rows that the weights are fitted on, of a larger release; a quarter is held out
    folds: int = 3  # of a small release
    rounds: int = 40  # most steps of EM
    judged_rounds: int = 25  # the same where weights are fitted
    continued: int = 3  # the same where a mixture is fitted to a few rows more
    gain: float = 1e-3  # mean log-density that a step of EM must gain
    least_weight: float = 0.05  # mixtures with less are left out
    most: int = 5  # mixtures averaged
    floor: float = 1e-8  # least variance along an axis, of the largest: constant columns whiten to zeros


TUNING = DensityTuning()
_CHUNK = 1 << 21  # numbers in the largest temporary array: 16 MiB


@dataclass(frozen=True, eq=False)
class Whitening:
    """z = (y - mean) @ basis has covariance I."""

    mean: FloatArray
    basis: FloatArray

    @classmethod
    def of(cls, rows: FloatArray) -> "Whitening":
        """Return that of the rows; directions in which they do not vary stay small."""
        mean = rows.mean(axis=0)
        centred = rows - mean
        values, axes = np.linalg.eigh(centred.T @ centred / len(rows))
        least = max(TUNING.floor * values[-1], np.finfo(np.float64).tiny)
        return cls(mean, axes / np.sqrt(np.maximum(values, least)))

    def __call__(self, rows: FloatArray) -> FloatArray:
        """Return whitened rows."""
        return np.asarray((rows - self.mean) @ self.basis)


@dataclass(frozen=True, eq=False)
class Mixture:
    """A Gaussian mixture of whitened rows."""

    weights: FloatArray  # C
    means: FloatArray  # C x n
    covariances: FloatArray  # C x n x n

    @cached_property
    def _factors(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """U_c with precision U_c U_c', side by side (n x C n); m_c U_c; log w_c + log |U_c|."""
        count, n = self.means.shape
        roots = np.linalg.inv(np.linalg.cholesky(self.covariances)).transpose(0, 2, 1)
        levels = np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1) + np.log(self.weights)
        side_by_side = np.ascontiguousarray(roots.transpose(1, 0, 2).reshape(n, count * n))
        return side_by_side, np.einsum("ci,cij->cj", self.means, roots).ravel(), levels

    @property
    def size(self) -> int:
        """Number of components."""
        return len(self.weights)

    @property
    def roots(self) -> FloatArray:
        """U_c with precision U_c U_c', side by side, n x (C n)."""
        return self._factors[0]

    def terms(self, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(z - m_c) U_c, rows x C x n, and log w_c N(z; m_c, S_c) but for a constant."""
        roots, offsets, levels = self._factors
        apart = rows @ roots
        apart -= offsets
        apart = apart.reshape(len(rows), self.size, -1)
        return apart, levels - 0.5 * np.einsum("ijk,ijk->ij", apart, apart)

    def _parts(self, rows: int, columns: int) -> list[slice]:
        step = max(1, _CHUNK // (self.size * columns))
        return [slice(start, start + step) for start in range(0, rows, step)]

    def log_density(self, rows: FloatArray) -> FloatArray:
        """Return log q of whitened rows, but for the constant n log(2 pi) / 2."""
        return np.concatenate([_log_sum(self.terms(rows[part])[1]) for part in self._parts(*rows.shape)])

    def scored(self, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return log q and its gradient, the score, of whitened rows."""
        roots, _, _ = self._factors
        density, score = np.empty(len(rows)), np.empty_like(rows)
        for part in self._parts(*rows.shape):
            apart, terms = self.terms(rows[part])
            top = terms.max(axis=1, keepdims=True)
            shares = np.exp(terms - top)
            total = shares.sum(axis=1, keepdims=True)
            density[part] = (top + np.log(total))[:, 0]
            apart *= -(shares / total)[:, :, None]
            score[part] = apart.reshape(len(apart), -1) @ roots.T
        return density, score

    def shares(self, rows: FloatArray) -> tuple[FloatArray, float]:
        """Return each component's share in each row, and the mean log-density."""
        terms = np.concatenate([self.terms(rows[part])[1] for part in self._parts(*rows.shape)])
        levels = _log_sum(terms)
        return np.exp(terms - levels[:, None]), float(levels.mean())

    def blurred(self, variance: float) -> "Mixture":
        """Return the density of rows with noise of this variance added, in whitened units."""
        return replace(self, covariances=self.covariances + variance * np.eye(self.means.shape[1]))

    @cached_property
    def single(self) -> "Mixture":
        """The same in single precision, twice as fast and good enough for a search; rows must be so, too."""
        found = Mixture(self.weights, self.means.astype(np.float32), self.covariances)
        vars(found)["_factors"] = tuple(one.astype(np.float32) for one in self._factors)
        return found

    @classmethod
    def average(cls, several: Sequence["Mixture"], weights: FloatArray) -> "Mixture":
        """Return the weighted average of mixtures of the same whitened rows."""
        return cls(
            np.concatenate([weight * one.weights for weight, one in zip(weights, several, strict=True)]),
            np.concatenate([one.means for one in several]),
            np.concatenate([one.covariances for one in several]),
        )


def _log_sum(terms: FloatArray) -> FloatArray:
    """log of the sum of exponentials of each row: SciPy's costs more than a small mixture."""
    top = terms.max(axis=1)
    return np.asarray(top + np.log(np.exp(terms - top[:, None]).sum(axis=1)))


def maximised(rows: FloatArray, shares: FloatArray, recipe: MixtureRecipe) -> Mixture:
    """The M-step: the mixture whose components have these shares in the rows."""
    count, n = rows.shape
    sizes = shares.sum(axis=0) + 1e-9
    means = (shares.T @ rows) / sizes[:, None]
    scatter = np.stack([(rows * shares[:, [c]]).T @ rows - sizes[c] * np.outer(m, m) for c, m in enumerate(means)])
    pseudo = recipe.pseudo_rows * n
    pooled = scatter.sum(axis=0) / count
    covariances = (scatter + pseudo * pooled) / (sizes + pseudo)[:, None, None] + recipe.ridge * np.eye(n)
    return Mixture((sizes + 1) / (sizes + 1).sum(), means, covariances)


def fitted(rows: FloatArray, recipe: MixtureRecipe, rng: np.random.Generator, rounds: int = TUNING.rounds) -> Mixture:
    """A mixture of whitened rows by EM, from clusters."""
    mixture = maximised(rows, _clusters(rows, recipe.components, rng), recipe)
    return mixture if recipe.components == 1 else continued(rows, mixture, recipe, rounds)


def continued(rows: FloatArray, mixture: Mixture, recipe: MixtureRecipe, rounds: int) -> Mixture:
    """So many further steps of EM, fewer where they gain nothing."""
    last = -np.inf
    for _ in range(rounds):
        shares, level = mixture.shares(rows)
        if level - last < TUNING.gain:
            break
        mixture, last = maximised(rows, shares, recipe), level
    return mixture


def _clusters(rows: FloatArray, count: int, rng: np.random.Generator, rounds: int = 8) -> FloatArray:
    """Shares, 0 or 1, of k-means clusters from seeds drawn far apart (k-means++)."""
    squares = np.einsum("ij,ij->i", rows, rows)

    def from_centres(centres: FloatArray) -> FloatArray:
        return np.asarray(squares[:, None] - 2 * rows @ centres.T + np.einsum("ij,ij->i", centres, centres))

    centres = rows[[int(rng.integers(len(rows)))]]
    while len(centres) < count:
        apart = np.maximum(from_centres(centres).min(axis=1), 0) + np.finfo(np.float64).tiny
        centres = np.vstack([centres, rows[[int(rng.choice(len(rows), p=apart / apart.sum()))]]])
    for _ in range(rounds if count > 1 else 0):
        nearest = np.eye(count)[from_centres(centres).argmin(axis=1)]
        sizes = nearest.sum(axis=0)
        centres = np.where(sizes[:, None] > 0, nearest.T @ rows / np.maximum(sizes, 1)[:, None], centres)
    return np.asarray(np.eye(count)[from_centres(centres).argmin(axis=1)])


@dataclass(frozen=True, eq=False)
class Density:
    """The stacked density of a release.

    Attributes
    ----------
    whitening
        Of the released rows.
    mixture
        The average of all mixtures, of whitened rows.
    parts
        Recipe, weight and mixture of each, the heaviest first.
    judges
        The same density fitted to part of the rows, with the whitening of those, and -log q of the rows held out: what
        a sample must reach.
    anew
        Whether it is cheap enough to be fitted anew, several times.
    """

    whitening: Whitening
    mixture: Mixture = field(repr=False)
    parts: tuple[tuple[MixtureRecipe, float, Mixture], ...]
    judges: tuple[tuple[Whitening, Mixture, FloatArray], ...] = field(repr=False)
    anew: bool = False

    def lighter(self, components: int) -> Mixture:
        """Return an average with at most so many components, if there is one: of all, of each recipe's first, or one.

        Parameters
        ----------
        components
            At most.
        """
        firsts = [(w, one) for place, (recipe, w, one) in enumerate(self.parts) if recipe not in self._before(place)]
        several = Mixture.average(
            [one for _, one in firsts], np.array([w for w, _ in firsts]) / sum(w for w, _ in firsts)
        )
        return next((one for one in (self.mixture, several) if one.size <= components), self.parts[0][2])

    def _before(self, place: int) -> set[MixtureRecipe]:
        return {recipe for recipe, _, _ in self.parts[:place]}

    @classmethod
    def of(
        cls,
        whitening: Whitening,
        white: FloatArray,
        parts: Sequence[tuple[MixtureRecipe, float]],
        judges: tuple[tuple[Whitening, Mixture, FloatArray], ...],
        rng: np.random.Generator,
        *,
        anew: bool,
    ) -> "Density":
        """Return the average of mixtures by recipes and weights, each fitted to whitened rows."""
        mixtures = [fitted(white, recipe, rng) for recipe, _ in parts]
        several = tuple((recipe, weight, one) for (recipe, weight), one in zip(parts, mixtures, strict=True))
        average = Mixture.average(mixtures, np.array([weight for _, weight in parts]))
        return cls(whitening, average, several, judges, anew)

    def refitted(self, rows: FloatArray, rng: np.random.Generator) -> "Density":
        """Return the same density fitted to other rows, in this whitening.

        Where that is cheap it is fitted anew: clusters then are those of all rows. Otherwise it is continued by EM.

        Parameters
        ----------
        rows
            Released rows, or those and a sample placed among them.
        rng
            Draws clusters.
        """
        white = self.whitening(rows)
        if self.anew:
            parts = [(recipe, weight) for recipe, weight, _ in self.parts]
            return Density.of(self.whitening, white, parts, self.judges, rng, anew=True)
        several = tuple((recipe, w, continued(white, one, recipe, TUNING.continued)) for recipe, w, one in self.parts)
        mixture = Mixture.average([one for _, _, one in several], np.array([w for _, w, _ in several]))
        return replace(self, mixture=mixture, parts=several)


def fit_density(rows: FloatArray, rng: np.random.Generator, *, normal: bool = False) -> Density:
    """Fit mixtures of several sizes to released rows and stack them.

    Parameters
    ----------
    rows
        Released rows, m x n.
    rng
        Draws folds and seeds of clusters.
    normal
        Whether one component is enough.
    """
    m, n = rows.shape
    small = m <= TUNING.small
    shrinkages = TUNING.small_shrinkages if small else TUNING.shrinkages
    recipes, sizes = [MixtureRecipe(1)], TUNING.small_sizes if small else TUNING.sizes
    for size in () if normal else sizes:
        if size > 1 and 0.75 * m >= size * max(n / 2, 4):  # fewer rows a component would be noise
            recipes += [MixtureRecipe(size, *one) for one in shrinkages]
    order = rng.permutation(m)[: m if small else TUNING.judged_rows]
    folds = np.array_split(order, TUNING.folds if small else 4)
    fits = [_fit_without(rows, order, part, recipes, rng) for part in folds[: TUNING.folds if small else 1]]
    weights = _stacked(np.vstack([levels for _, _, levels in fits]))
    kept = [int(i) for i in np.argsort(-weights, kind="stable") if weights[i] >= TUNING.least_weight][: TUNING.most]
    shares = weights[kept] / weights[kept].sum()
    judges = tuple(
        (whitening, Mixture.average([several[i] for i in kept], shares), -_log_sum(levels[:, kept] + np.log(shares)))
        for whitening, several, levels in fits
    )
    whitening = Whitening.of(rows)
    anew = small and m * n**2 * sum(recipes[i].components for i in kept) <= TUNING.cheap
    copies = TUNING.copies if anew else 1
    parts = tuple((recipes[i], float(w) / copies) for i, w in zip(kept, shares, strict=True) for _ in range(copies))
    return Density.of(whitening, whitening(rows), parts, judges, rng, anew=anew)


def _fit_without(
    rows: FloatArray, order: IntArray, held: IntArray, recipes: list[MixtureRecipe], rng: np.random.Generator
) -> tuple[Whitening, list[Mixture], FloatArray]:
    """Mixtures of all rows but those held out, and log q of these, a column for each recipe."""
    fit = np.setdiff1d(order, held)
    whitening = Whitening.of(rows[fit])
    white, other = whitening(rows[fit]), whitening(rows[held])
    mixtures = [fitted(white, recipe, rng, TUNING.judged_rounds) for recipe in recipes]
    return whitening, mixtures, np.stack([one.log_density(other) for one in mixtures], axis=1)


def _stacked(levels: FloatArray, rounds: int = 200) -> FloatArray:
    """Weights that maximise the mean log of the weighted densities, by EM."""
    weights = np.full(levels.shape[1], 1 / levels.shape[1])
    for _ in range(rounds):
        terms = levels + np.log(np.maximum(weights, np.finfo(np.float64).tiny))
        weights = np.exp(terms - _log_sum(terms)[:, None]).mean(axis=0)
    return weights
