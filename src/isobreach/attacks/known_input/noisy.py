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
from numpy.typing import NDArray

from isobreach._progress import Progress
from isobreach.attacks.known_input.exposure import Exposure, Kind, Rows
from isobreach.blocks import Source, tiles
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

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

DETERMINED = 1.0


@dataclass(frozen=True, eq=False)
class NoisyExposure(Exposure):
    """Under noise: 14 numbers a row."""

    hidden: Hidden
    measured: NoisyRows

    def relative_residual(self, rows: Rows) -> FloatArray:
        """d / sqrt(|p|^2 + d^2), the noise's share taken off."""
        measured = self.measured[rows]
        square = measured.residual(self.hidden)
        norm = measured.foot(self.hidden) + square
        return np.sqrt(np.divide(square, norm, out=np.zeros_like(norm), where=norm > 0))

    def kind(self, epsilon: float) -> Kind:
        """First order in the noise."""
        return "approximation"

    def claim(self, rows: Rows, epsilon: float, estimator: Estimator, norms: FloatArray | None) -> FloatArray:
        """See ``geometry.noise``."""
        return noisy_breach_probability(self.measured[rows], self.hidden, epsilon, estimator, norms)

    def radius(
        self, rows: IntArray, residual: FloatArray, norm: FloatArray, epsilon: float, estimator: Estimator
    ) -> FloatArray:
        """For d as the row suggests it."""
        return noisy_radius(self.measured[rows], self.hidden, epsilon, estimator)


def measure_noisy(
    source: Source, motions: ConsistentMotions, sigma: float, own: float, progress: Progress
) -> NoisyExposure:
    """Two passes: what rows have in common, then each row. ``own``: variance of a centred row's noise over sigma^2."""
    centre = motions.known_centre @ motions.known
    offset = float(np.linalg.norm(motions.known_centre @ motions.known_hidden))
    hidden = Hidden(motions.hidden_dimension, motions.released_hidden.shape[1], offset)
    noise = Noise(sigma, motions.strength, own)

    def coordinates(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        centred = rows - motions.released_centre
        return centred @ motions.released, row_norms(centred @ motions.released_hidden)

    def common(start: int, block: FloatArray) -> list[Spread]:
        parts = (coordinates(block[part]) for part in tiles(block))
        return [Spread.of(seen, centre, residual, noise) for seen, residual in parts]

    # One sum a tile, added in row order: the same bits whatever the block.
    spread = reduce(add, chain.from_iterable(source.map(common, "measuring the spread", progress)))

    def each(start: int, block: FloatArray) -> NoisyRows:
        parts = (coordinates(block[part]) for part in tiles(block))
        return NoisyRows.joined([noisy_rows(seen, centre, d, noise, hidden, spread) for seen, d in parts])

    return NoisyExposure(hidden, NoisyRows.joined(list(source.map(each, "measuring residuals", progress))))
