# SPDX-License-Identifier: BSD-3-Clause
"""From a motion to estimates of all records, in one pass over the release.

Without noise the estimate is x = y R + t. Under noise of variance s^2 the released row is first moved to the mean of
its exact image, given the row. By Tweedie's formula (Robbins 1956; Efron 2011) that needs no more than the density q of
the *noisy* rows:

    E[exact | y] = y + s^2 grad log q(y).
"""

from dataclasses import dataclass

import numpy as np

from isobreach._arrays import FloatArray
from isobreach._progress import Progress
from isobreach.attacks.alignment.mixture import Mixture, Whitening
from isobreach.attacks.alignment.situation import Situation
from isobreach.attacks.alignment.solution import FittedMotion
from isobreach.engine import Engine, tiles


@dataclass(frozen=True, eq=False)
class _Estimator:
    """Reduction of a row, Tweedie's correction and the motion, as arrays and numbers."""

    axes: FloatArray
    centre: FloatArray
    scale: float
    matrix: FloatArray
    shift: FloatArray
    variance: float
    whitening: Whitening | None
    mixture: Mixture | None


def estimates(
    release: Engine,
    situation: Situation,
    solution: FittedMotion,
    density: tuple[Whitening, Mixture] | None,
    progress: Progress,
) -> FloatArray:
    """Estimate of every released row's record.

    Parameters
    ----------
    release
        The released rows.
    situation, solution
        How rows are reduced, and the motion.
    density
        Of reduced rows, for releases with noise; None leaves the noise in.
    progress
        Called as ``progress(label, done, total)``.
    """
    matrix, shift = solution.frame.affine(solution.pose)
    whitening, mixture = (None, None) if density is None else density
    params = _Estimator(
        situation.axes, situation.centre, situation.scale, matrix, shift, situation.noise**2, whitening, mixture
    )
    return release.column(_estimated, params, "estimating", progress).values()


def _estimated(block: FloatArray, first_row: int, params: _Estimator) -> FloatArray:
    found = np.empty((len(block), params.matrix.shape[1]))
    for part in tiles(block):
        rows = (block[part] - params.centre) @ params.axes / params.scale
        if params.mixture is not None and params.whitening is not None and params.variance:
            rows = cleaned(rows, params.variance, params.whitening, params.mixture)
        found[part] = rows @ params.matrix + params.shift
    return found


def cleaned(rows: FloatArray, variance: float, whitening: Whitening, mixture: Mixture) -> FloatArray:
    """Mean of the exact images of rows, given the rows (Tweedie).

    Parameters
    ----------
    rows
        Reduced rows.
    variance
        Of the noise of a coordinate.
    whitening, mixture
        Density of reduced rows, noise included.
    """
    _, score = mixture.scored(whitening(rows))
    return np.asarray(rows + variance * score @ whitening.basis.T)
