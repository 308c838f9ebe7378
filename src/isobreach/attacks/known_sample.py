# SPDX-License-Identifier: BSD-3-Clause
r"""Match the principal axes of a public sample with those of the release (known-sample attack, by PCA).

Liu, Giannella and Kargupta (2006). A motion y = M x + t turns the covariance of the records along: with eigenvectors
Z_S of cov(sample) and Z_Y of cov(Y), by descending eigenvalues,

    M_D = Z_Y D Z_S',   D a diagonal of signs,

and x = M_D'(y - mean_Y) + mean_S behind a translation, M_D' y without one. The signs are those with the least energy
statistic between the sample and the estimates (Szekely and Rizzo 2004), 2 E|s - x| - E|s - s'| - E|x - x'|. Only the
first term depends on D, because a motion keeps distances: so D = argmin of the mean of |s - M_D' y|, over all 2^h signs
up to h = 12; beyond, from the signs of means, or of third moments where means say nothing, one flip at a time. Own
code: dcor has the statistic, scipy that of one column, and both compute every distance anew, where a flip changes one
term of the squares.

A sign is *told* if flipping it makes the statistic worse by three standard errors. Records that lie symmetrically about
their mean (Gaussian ones behind a translation, or about zero) leave every sign open: the motion cannot be identified.
Axes of nearly equal variance are mixed: their expected error (theory of perturbed eigenvectors) is

    E|dx|^2 = (1/m + 1/N) sum_(i<j) l_i l_j (l_i + l_j) / (l_i - l_j)^2,

for m sample records, N released rows and eigenvalues l. *Hybrid*: where known records are linked, only the dimensions
that their links leave hidden are matched. The attack never claims: the alignment attack does better with the same
knowledge.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.stats import skew

from isobreach._progress import Progress
from isobreach._settings import setting
from isobreach._validation import check_choice, check_epsilon
from isobreach.attacks.alignment import MOTIONS, situation_of
from isobreach.attacks.base import Attack, Reconstruction
from isobreach.attacks.knowledge import Knowledge
from isobreach.attacks.moments import moments
from isobreach.attacks.pairs import AS_FITTED, Affine, estimated
from isobreach.attacks.refine import Evidence, refined, variants
from isobreach.engine import Engine
from isobreach.geometry import fit_motions, row_norms
from isobreach.release import ReleaseModel

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class SignComparison:
    """How much is compared.

    Attributes
    ----------
    rows
        Records of the sample and released rows whose distances are compared, at most.
    distances
        Distances in all: 2^h signs take so many for every pair that is compared. This many take a second.
    every
        Hidden dimensions up to which all signs are tried.
    told
        Standard errors by which a flip must be worse.
    """

    rows: int = 1_000
    distances: float = 2e8
    every: int = 12
    told: float = 3.0

    def compared(self, hidden: int) -> int:
        """Return how many records and rows are compared."""
        return int(min(self.rows, np.sqrt(self.distances / 2 ** min(hidden, self.every))))


_EFFORT = SignComparison()


@dataclass(frozen=True, eq=False)
class KnownSampleReconstruction(Reconstruction):
    """What the known-sample attack gives back.

    Attributes
    ----------
    told
        Whether the sign of each hidden axis, by descending variance, can be told from the sample.
    forecast
        Expected error of an estimate, beside the length of a record (root mean squares), if all signs are right.
    """

    told: NDArray[np.bool_] | None = None
    forecast: float | None = None


@dataclass(frozen=True)
class KnownSampleSettings:
    """Settings of the known-sample attack."""

    epsilon: float = setting(0.1, "Relative error that counts as a breach.")
    motion: str = setting("auto", "What the release keeps: see the alignment attack.", choices=MOTIONS)


class KnownSample(Attack):
    """Match principal axes of a public sample and of the release."""

    name = "known-sample"
    title = "known-sample attack"
    needs = frozenset({"sample"})
    uses = frozenset({"known", "rows", "noise", "bounds"})
    settings = KnownSampleSettings
    costly = True

    def suits(self, model: ReleaseModel) -> str | None:
        """Return why no motion takes records to rows, or None."""
        return model.unmoved

    def run(
        self, release: Engine, knowledge: Knowledge, *, seed: int | None, progress: Progress, **settings: Any
    ) -> Reconstruction:
        """Match axes, choose signs, and estimate every row."""
        chosen = KnownSampleSettings(**settings)
        epsilon = check_epsilon(chosen.epsilon)
        check_choice("motion", chosen.motion, MOTIONS)
        sample = np.asarray(knowledge.sample, dtype=np.float64)
        count, columns = release.shape[0], sample.shape[1]
        if min(len(sample), count) < 2:
            nothing = np.full((count, columns), np.nan)
            return KnownSampleReconstruction(False, "one record has no principal axes.", nothing)
        some = release.gather(np.linspace(0, count - 1, min(count, 4_000)).astype(np.intp))
        situation = situation_of(release, some, knowledge, motion=chosen.motion, set_aside=0, progress=progress)
        mean, covariance = moments(release, progress)
        axes, scale = situation.axes, situation.scale
        mean, covariance = (mean - situation.centre) @ axes / scale, axes.T @ covariance @ axes / scale**2
        moved, linked = situation.translates, len(situation.known)
        motions = fit_motions(situation.known, situation.released, translates=moved, whiten=not situation.noise)
        origin = (
            (sample.mean(axis=0), mean) if moved and not linked else (motions.known_centre, motions.released_centre)
        )
        of_sample, of_rows = motions.known_hidden, motions.released_hidden
        spread, own = _principal(of_sample.T @ np.cov(sample.T).reshape(columns, columns) @ of_sample)
        theirs = _principal(of_rows.T @ covariance @ of_rows)[1]
        bases = (motions.known, of_sample @ own), (motions.released, of_rows @ theirs)
        compared = _EFFORT.compared(motions.hidden_dimension)
        tables = _some(sample, compared), situation.reduced(_some(some, compared))
        a, b = (
            _coordinates(points - centre, *basis) for points, centre, basis in zip(tables, origin, bases, strict=True)
        )
        signs, told = _signs(a, b, motions.known.shape[1])
        matrix = motions.released @ motions.known.T + (bases[1][1] * signs) @ bases[0][1].T
        whole = axes @ matrix / scale
        shift = origin[0] - (origin[1] @ matrix + situation.centre @ whole)
        raw = estimated(release, Affine(whole, shift), progress)
        keeps = not moved and not situation.noise and motions.hidden_dimension > 0
        evidence = Evidence.held(
            knowledge, columns, epsilon=epsilon, noise=situation.noise, norms=row_norms(raw) if keeps else None
        )
        length = float(np.sqrt((sample**2).sum(axis=1).mean()))
        forecast = _forecast(spread, len(sample), count) / length if length else None
        return KnownSampleReconstruction(
            False,
            _reason(told, forecast, linked),
            refined(raw, evidence),
            decided=False,
            variants={AS_FITTED: raw, **variants(raw, evidence)},
            told=told,
            forecast=forecast,
        )


ATTACK = KnownSample()


def _reason(told: NDArray[np.bool_], forecast: float | None, linked: int) -> str:
    if not len(told):
        return f"{linked} links leave nothing hidden, and no axis has to be matched."
    if not told.any():
        return "no sign of a principal axis can be told from the sample: the motion cannot be identified."
    sure = f"the signs of {int(told.sum())} of {len(told)} principal axes can be told from the sample"
    if not told.all():
        return f"{sure}, the others not: the motion cannot be identified."
    far = "" if forecast is None else f"; estimates are expected to err by {forecast:.2g} of a record's length"
    return f"{sure}{far}, which nothing confirms."


def _some(points: FloatArray, most: int) -> FloatArray:
    return points[np.linspace(0, len(points) - 1, min(len(points), most)).astype(np.intp)]


def _principal(covariance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Eigenvalues, descending, and their eigenvectors."""
    values, vectors = np.linalg.eigh(covariance)
    return values[::-1], vectors[:, ::-1]


def _coordinates(points: FloatArray, visible: FloatArray, hidden: FloatArray) -> FloatArray:
    return np.hstack([points @ visible, points @ hidden])


def _signs(a: FloatArray, b: FloatArray, visible: int) -> tuple[FloatArray, NDArray[np.bool_]]:
    """The signs D with the least mean of |a_i - D b_j|, and which of them can be told.

    Parameters
    ----------
    a, b
        Coordinates of the sample and of released rows, first the visible ones.
    visible
        Number of visible coordinates: their signs are known.
    """
    hidden = a.shape[1] - visible
    if not hidden:
        return np.ones(0), np.ones(0, dtype=bool)
    # |a_i - D b_j|^2 = |a_i|^2 + |b_j|^2 - 2 sum_k d_k a_ik b_jk: a flip changes one term.
    products = [np.outer(a[:, k], b[:, k]) for k in range(visible, a.shape[1])]
    signs = np.ones(hidden)
    squares = cdist(a, b, "sqeuclidean")
    if hidden <= _EFFORT.every:
        best, least = signs.copy(), float(_distances(squares).mean())
        for step in range(1, 2**hidden):  # Gray code: every step flips one sign
            k = (step & -step).bit_length() - 1
            squares += 4 * signs[k] * products[k]
            signs[k] = -signs[k]
            value = float(_distances(squares).mean())
            if value < least:
                best, least = signs.copy(), value
    else:
        best = _likely(a[:, visible:], b[:, visible:])
        squares = cdist(a, np.hstack([b[:, :visible], b[:, visible:] * best]), "sqeuclidean")
        best = _flipped(best, squares, products)
    squares = cdist(a, np.hstack([b[:, :visible], b[:, visible:] * best]), "sqeuclidean")
    own = _distances(squares)
    told = np.zeros(hidden, dtype=bool)
    for k in range(hidden):
        worse = _distances(squares + 4 * best[k] * products[k]) - own
        errors = [worse.mean(axis=axis).std(ddof=1) / np.sqrt(worse.shape[1 - axis]) for axis in (0, 1)]
        told[k] = worse.mean() > _EFFORT.told * float(np.hypot(*errors))
    return best, told


def _distances(squares: FloatArray) -> FloatArray:
    return np.sqrt(np.maximum(squares, 0.0))


def _likely(a: FloatArray, b: FloatArray) -> FloatArray:
    """Signs by means; by third moments where means are near zero."""
    by_mean, by_third = a.mean(axis=0) * b.mean(axis=0), skew(a, axis=0) * skew(b, axis=0)
    errors = a.std(axis=0) * b.std(axis=0) / np.sqrt(len(a) * len(b))
    told = np.where(np.abs(by_mean) > 9 * errors, by_mean, np.nan_to_num(by_third))
    return np.where(told < 0, -1.0, 1.0)


def _flipped(signs: FloatArray, squares: FloatArray, products: list[FloatArray]) -> FloatArray:
    """Signs after flips, the best one at a time, until none lowers the mean distance."""
    signs, least = signs.copy(), float(_distances(squares).mean())
    while True:
        values = [float(_distances(squares + 4 * d * p).mean()) for d, p in zip(signs, products, strict=True)]
        k = int(np.argmin(values))
        if values[k] >= least:
            return signs
        squares, least = squares + 4 * signs[k] * products[k], values[k]
        signs[k] = -signs[k]


def _forecast(values: FloatArray, sample: int, released: int) -> float:
    """Root of the expected squared error that axes of these variances make: see the module."""
    i, j = np.triu_indices(len(values), 1)
    apart = np.maximum(np.abs(values[i] - values[j]), np.finfo(np.float64).tiny)
    # Axes that are mixed at will cannot err by more than a random rotation of their plane: l_i + l_j.
    terms = (1 / sample + 1 / released) * values[i] * values[j] * (values[i] + values[j]) / apart**2
    return float(np.sqrt(np.minimum(terms, values[i] + values[j]).sum()))
