# SPDX-License-Identifier: BSD-3-Clause
"""How exposed the rows of a noisy release are: ``geometry.noise`` for every released row.

Links are taken as given, and a release's rounding as small beside its noise. A direction counts as seen only if the
linked records reach far enough along it for first-order errors: more than ``DETERMINED`` times the noise of a row.
"""

from dataclasses import dataclass
from functools import reduce
from itertools import chain
from operator import add

import numpy as np

from isobreach._arrays import FloatArray
from isobreach._progress import Progress
from isobreach.attacks.known_input.exposure import Exposure, Kind
from isobreach.engine import ColumnHandle, Engine, tiles
from isobreach.geometry import (
    ConsistentMotions,
    Estimator,
    Hidden,
    Noise,
    NoisyRows,
    Spread,
    noisy_breach_probability,
    noisy_radius,
    noisy_rows,
    row_norms,
)

DETERMINED = 1.0  # times the noise of a row: from there on the errors of a direction are of first order


@dataclass(frozen=True, eq=False)
class NoisyExposure(Exposure):
    """Under noise: 14 numbers a row, those of ``NoisyRows``."""

    hidden: Hidden

    def relative_residual(self, measured: FloatArray) -> FloatArray:
        """d / sqrt(|p|^2 + d^2), the noise's share taken off."""
        rows = NoisyRows.unpacked(measured)
        square = rows.residual(self.hidden)
        norm = rows.foot(self.hidden) + square
        return np.sqrt(np.divide(square, norm, out=np.zeros_like(norm), where=norm > 0))

    def kind(self, measured: ColumnHandle, epsilon: float) -> Kind:
        """First order in the noise."""
        return "approximation"

    def claim(
        self, measured: FloatArray, epsilon: float, estimator: Estimator, norms: FloatArray | None = None
    ) -> FloatArray:
        """See ``geometry.noise``."""
        return noisy_breach_probability(NoisyRows.unpacked(measured), self.hidden, epsilon, estimator, norms)

    def radius(
        self, measured: FloatArray, residual: FloatArray, norm: FloatArray, epsilon: float, estimator: Estimator
    ) -> FloatArray:
        """For d as the row suggests it."""
        return noisy_radius(NoisyRows.unpacked(measured), self.hidden, epsilon, estimator)


@dataclass(frozen=True, eq=False)
class _Fitted:
    """The motions with the centre in the records' coordinates, the hidden dimensions, and the noise."""

    motions: ConsistentMotions
    centre: FloatArray
    hidden: Hidden
    noise: Noise

    def coordinates(self, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Coordinates of rows along the seen directions, and their residuals."""
        centred = rows - self.motions.released_centre
        return centred @ self.motions.released, row_norms(centred @ self.motions.released_hidden)


def measure_noisy(
    source: Engine, motions: ConsistentMotions, sigma: float, own: float, progress: Progress
) -> tuple[NoisyExposure, ColumnHandle]:
    """Two passes: what rows have in common, then each row. ``own``: variance of a centred row's noise over sigma^2."""
    offset = float(np.linalg.norm(motions.known_centre @ motions.known_hidden))
    hidden = Hidden(motions.hidden_dimension, motions.released_hidden.shape[1], offset)
    fitted = _Fitted(motions, motions.known_centre @ motions.known, hidden, Noise(sigma, motions.strength, own))
    # One sum a tile, added in row order: the same bits whatever the block.
    spread = reduce(add, chain.from_iterable(source.scan(_common, fitted, "measuring the spread", progress)))
    return NoisyExposure(hidden), source.column(_each, (fitted, spread), "measuring residuals", progress)


def _common(block: FloatArray, first_row: int, fitted: _Fitted) -> list[Spread]:
    """What the rows of each tile have in common."""
    parts = (fitted.coordinates(block[part]) for part in tiles(block))
    return [Spread.of(seen, fitted.centre, residual, fitted.noise) for seen, residual in parts]


def _each(block: FloatArray, first_row: int, params: tuple[_Fitted, Spread]) -> FloatArray:
    """The 14 numbers of each row."""
    fitted, spread = params
    parts = (fitted.coordinates(block[part]) for part in tiles(block))
    rows = (noisy_rows(seen, fitted.centre, d, fitted.noise, fitted.hidden, spread) for seen, d in parts)
    return np.concatenate([one.packed() for one in rows])
