# SPDX-License-Identifier: BSD-3-Clause
r"""Regress linked records on their released rows: needs no motion, and noise is allowed.

Chen, Sun and Liu (2007) estimate records behind y = R x + t + e by linear regression on linked pairs. Any affine map is
undone alike, also into more columns than the records have. With p pairs and N released columns

    x = y B             needs N independent pairs,
    x = y B + a         needs N + 1.

Which of the two is right? A map without an intercept is one with a = 0. Where pairs fit without an intercept exactly
and are more than N, it has none; under noise an F test decides (1e-3). With N pairs or fewer there is nothing to
compare, and of the two only the first can be determined. Fewer pairs than unknowns are fitted by the smallest B.

A fit with as many unknowns as pairs passes through all of them, right or wrong. What proves it is one of

- more pairs than unknowns, all fitted exactly;
- a square B that is orthogonal, which a wrong one is not;
- **a lifted record**: where the release hides (x, -|x|^2 / 2) behind a linear map (ASPE; Wong, Cheung, Kao and Mamoulis
  2009), n + 1 pairs give that record for every released row, and its last number must be -|x|^2 / 2.

Otherwise pairs that were left out tell how far estimates are off. Who holds a sample has one pair more, about: the
means of sample and release (variant *means as a pair*). A sample also tells which of the records that may be behind a
row are likely, where the map or the columns themselves (*columns as they are*) leave several: ``sample_prior``. On
a grid the map alone may leave one of them, although the release has fewer columns than the records.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc

from isobreach._arrays import FloatArray
from isobreach._progress import Progress
from isobreach._settings import setting
from isobreach._validation import check_choice, check_epsilon
from isobreach.attacks.base import Reconstruction
from isobreach.attacks.knowledge import Knowledge
from isobreach.attacks.moments import moments
from isobreach.attacks.pairs import Affine, Fit, Map, Pairs, PairsAttack, not_row_by_row, reconstruction
from isobreach.attacks.refine import Evidence, ridge
from isobreach.attacks.sample_prior import Forward, OnGrid, RecordPosterior, Sample, share_found
from isobreach.engine import Engine, tiles
from isobreach.release import ReleaseModel

INTERCEPTS = ("auto", "yes", "no")


@dataclass(frozen=True)
class RegressionTuning:
    """What a fit must show before more is made of it; set by hand."""

    significant: float = 1e-3  # probability of an intercept that is not there
    found: float = 0.5  # of the released rows: what finds fewer finds them by chance, or is of another table
    exact: float = 1e-7  # error of a fit, beside the records, that rounding alone may leave


_TUNING = RegressionTuning()


@dataclass(frozen=True)
class RegressionSettings:
    """Settings of the regression attack."""

    epsilon: float = setting(0.1, "Relative error that counts as a breach.")
    intercept: str = setting(
        "auto", "Whether the map back has a constant term. auto asks the pairs.", choices=INTERCEPTS
    )


class Regression(PairsAttack):
    """Regress linked records on their released rows, and estimate everyone else's record."""

    name = "regression"
    title = "regression attack"
    uses = frozenset({"sample", "bounds"})
    takes_narrow = True
    settings = RegressionSettings

    def suits(self, model: ReleaseModel) -> str | None:
        """Return why a row is no function of its record, or None."""
        return not_row_by_row(model)

    def run(
        self, release: Engine, knowledge: Knowledge, *, seed: int | None, progress: Progress, **settings: Any
    ) -> Reconstruction:
        """Fit the pairs, with an intercept or without, and estimate every row."""
        chosen = RegressionSettings(**settings)
        epsilon = check_epsilon(chosen.epsilon)
        asked = check_choice("intercept", chosen.intercept, INTERCEPTS)
        pairs = Pairs.given(release, knowledge)
        lifted = asked != "yes" and _is_lifted(release, pairs, progress)
        intercept = asked == "yes" or (asked == "auto" and not lifted and _needs_intercept(pairs))
        noise, confirmed = _judged(pairs, intercept=intercept)
        if lifted:
            confirmed = "every released row hides the square of its record's length as well, as it must"
        evidence = Evidence.held(knowledge, pairs.records.shape[1], epsilon=epsilon, noise=noise)
        fits: dict[str, Fit] = {"": partial(least_squares, intercept=intercept)}
        what = f"an affine map with{'' if intercept else 'out an'} intercept"
        if not confirmed:
            fits["without intercept" if intercept else "with intercept"] = partial(
                least_squares, intercept=not intercept
            )
            fits["ridge"] = _ridge
            if knowledge.sample is not None:
                fits |= _by_sample(release, pairs, knowledge.sample, progress)
            grid = _on_grid(release, pairs, list(fits.values())[-1](pairs), evidence)
            if grid is not None:
                fits, what = {"": lambda _: grid}, "a linear map of whole numbers"
                confirmed = "released rows have more digits than such records, and these fit all of them"
        return reconstruction(release, pairs, fits, evidence, confirmed, what)


ATTACK = Regression()


def least_squares(pairs: Pairs, *, intercept: bool) -> Affine:
    """Return the map back of least squares, the smallest one where pairs leave several."""
    rows, records = pairs.rows, pairs.records
    middle, mean = (one.mean(axis=0) * intercept for one in (rows, records))
    matrix = np.linalg.lstsq(rows - middle, records - mean, rcond=None)[0]
    return Affine(matrix, mean - middle @ matrix)


def _ridge(pairs: Pairs) -> Affine:
    """The map back of ridge regression, with the penalty that misses pairs left out least."""
    wide = pairs.rows.shape[1]
    images = ridge(pairs.rows, pairs.records, np.vstack([np.zeros(wide), np.eye(wide)]))
    return Affine(images[1:] - images[0], images[0])


def _by_sample(release: Engine, pairs: Pairs, sample: NDArray[Any], progress: Progress) -> dict[str, Fit]:
    """Fits that use a sample."""
    held = Sample(np.asarray(sample, dtype=np.float64), *moments(release, progress))
    # The means of a sample and of the release, which a linear map takes to each other: one pair more.
    means = Pairs(held.mean[None], held.released_mean[None], np.array([-1]))
    fits: dict[str, Fit] = {"means as a pair": partial(_with_means, means=means)}
    if len(held.records) > 1:
        if pairs.rows.shape == pairs.records.shape:
            fits["columns as they are"] = partial(_in_place, sample=held)
        fits["sample behind the map"] = partial(_behind, sample=held)
    return fits


def _in_place(pairs: Pairs, *, sample: Sample) -> RecordPosterior:
    return RecordPosterior(Forward.in_place(pairs), sample)


def _behind(pairs: Pairs, *, sample: Sample) -> RecordPosterior:
    return RecordPosterior(Forward.of(pairs, sample), sample)


def _on_grid(release: Engine, pairs: Pairs, otherwise: Map, evidence: Evidence) -> OnGrid | None:
    """Records on their grid behind a narrow release, where that finds most of them."""
    if pairs.rows.shape[1] >= pairs.records.shape[1]:
        return None
    grid = OnGrid.of(Forward.of(pairs, None), evidence, otherwise)
    return grid if grid is not None and share_found(release, grid) > _TUNING.found else None


def _with_means(pairs: Pairs, *, means: Pairs) -> Affine:
    """The map back of least squares, without an intercept, of pairs and means."""
    records, rows = np.vstack([pairs.records, means.records]), np.vstack([pairs.rows, means.rows])
    return least_squares(Pairs(records, rows, np.append(pairs.numbers, means.numbers)), intercept=False)


def _misfit(pairs: Pairs, *, intercept: bool) -> tuple[float, int]:
    """Sum of squared errors, and pairs beyond the unknowns of an attribute."""
    rows = pairs.rows - intercept * pairs.rows.mean(axis=0)
    errors = least_squares(pairs, intercept=intercept)(pairs.rows) - pairs.records
    return float((errors**2).sum()), len(pairs) - int(np.linalg.matrix_rank(rows)) - intercept


def _exact(rss: float, pairs: Pairs) -> bool:
    return rss <= _TUNING.exact**2 * float((pairs.records**2).sum())


def _needs_intercept(pairs: Pairs) -> bool:
    """Whether pairs speak for an intercept."""
    rss, freedom = _misfit(pairs, intercept=False)
    if freedom < 1:  # what passes through all pairs says nothing; an orthogonal map needs no more than these
        return _orthogonal(least_squares(pairs, intercept=True)) and not _orthogonal(
            least_squares(pairs, intercept=False)
        )
    if _exact(rss, pairs):
        return False
    moved, left = _misfit(pairs, intercept=True)
    if left < 1 or _exact(moved, pairs):
        return True
    attributes = pairs.records.shape[1]
    ratio = max(rss - moved, 0.0) / (freedom - left) / (moved / left) if freedom > left else 0.0
    return float(fdtrc(attributes * max(freedom - left, 1), attributes * left, ratio)) < _TUNING.significant


def _judged(pairs: Pairs, *, intercept: bool) -> tuple[float, str]:
    """Standard deviation of an estimate's error, as far as the fit shows it, and what proves the fit, if anything."""
    rss, freedom = _misfit(pairs, intercept=intercept)
    unknowns = pairs.rows.shape[1] + intercept
    if _exact(rss, pairs):
        if len(pairs) > unknowns and freedom > 0 and len(pairs) - freedom >= min(unknowns, pairs.records.shape[1]):
            return 0.0, f"it has {unknowns} unknowns for an attribute, and all pairs fit exactly"
        if _orthogonal(least_squares(pairs, intercept=intercept)):
            return 0.0, "it is orthogonal, which a wrong one is not"
        return 0.0, ""
    return float(np.sqrt(rss / (freedom * pairs.records.shape[1]))) if freedom > 0 else 0.0, ""


def _orthogonal(affine: Affine) -> bool:
    """Whether a square map keeps lengths."""
    rows, columns = affine.matrix.shape
    return rows == columns and bool(np.abs(affine.matrix.T @ affine.matrix - np.eye(columns)).max() < 1e-6)


def _is_lifted(release: Engine, pairs: Pairs, progress: Progress) -> bool:
    """Whether all released rows hide (x, -|x|^2 / 2): the map that the pairs give must find it in every row."""
    wide, columns = release.shape[1], pairs.records.shape[1]
    if wide != columns + 1 or len(pairs) < wide or np.linalg.matrix_rank(pairs.rows) < wide:
        return False
    lifted = np.column_stack([pairs.records, -(pairs.records**2).sum(axis=1) / 2])
    affine = least_squares(Pairs(lifted, pairs.rows, pairs.numbers), intercept=False)
    off = max(release.scan(_off_the_paraboloid, affine, "checking lengths", progress))
    # The pairs fit by themselves: there must be other rows.
    return release.shape[0] > len(pairs) and off <= 1e-6


def _off_the_paraboloid(block: FloatArray, first_row: int, affine: Affine) -> float:
    """How far, at most, the last number of a row's image is from -|x|^2 / 2, beside 1 + |x|^2."""
    worst = 0.0
    for part in tiles(block):
        images = affine(block[part])
        squares = (images[:, :-1] ** 2).sum(axis=1)
        worst = max(worst, float((np.abs(images[:, -1] + squares / 2) / (1 + squares)).max()))
    return worst
