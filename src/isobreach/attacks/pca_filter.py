# SPDX-License-Identifier: BSD-3-Clause
r"""Remove noise by principal components of the records (PCA reconstruction), and by what else the release shows.

Huang, Du and Chen (2005): y = x + e with known deviation sigma. cov(X) = cov(Y) - sigma^2 I has the eigenvectors of
cov(Y) and eigenvalues m_i = l_i - sigma^2. Keeping a direction costs sigma^2 of noise, leaving it out costs m_i: those
with m_i > sigma^2 are kept, x = mean + (y - mean) V V', which has the least expected error of all such projections.

Variants: *largest gap*, the first p components up to the largest gap between eigenvalues, as they choose them; *Bayes
estimate*, their second method, x = mean + cov(X) cov(Y)^-1 (y - mean): for Gaussian records nothing has a smaller
expected error. Reconstructed from first principles. Two more are ours, for records that are not Gaussian:

- *density*: with q the density of the released rows, a mixture of Gaussians, and N the covariance of the noise,

      E[x | y] = y + N grad log q(y)    (Tweedie; Robbins 1956, Efron 2011);

- *records held*: the mean of the attacker's records s, each by its likelihood exp(-|y - s|^2 / (2 sigma^2)).

**Other noise.** Where it has the shape of the records, N = c cov(Y), c = n sigma^2 / trace cov(Y). Where each value is
multiplied by a factor 1 + v e, v^2 = sigma^2 / (mean of y_j^2 - sigma^2) and N = v^2 diag(E x_j^2); of a row it is
v^2 diag(y_j^2), whose slope 2 v^2 y_j adds to Tweedie's formula. The Bayes estimate is then the attack's own; *row by
row* each row has the noise of its own values.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from isobreach._arrays import FloatArray
from isobreach._progress import Progress, no_progress
from isobreach._random import generator
from isobreach._settings import setting
from isobreach._validation import check_choice
from isobreach.attacks.alignment import Mixture, Whitening, fit_density
from isobreach.attacks.pairs import Affine
from isobreach.attacks.refine import Evidence
from isobreach.attacks.spectral_filter import Filter, Maker, Spectrum, Way
from isobreach.engine import Engine, tiles

KINDS = ("white", "components", "multiplicative")


@dataclass(frozen=True)
class FilterTuning:
    """What the filter with a density is fitted to.

    Attributes
    ----------
    rows
        Released rows to which the density is fitted: a few seconds.
    held
        Records that rows are compared with, at most: time grows with them.
    turns, smallest
        Turns of an estimate and its own noise; least square of a value, beside that of its attribute.
    numbers
        In matrices that are solved at once: 16 MiB.
    least
        Rows a column below which a mixture says no more than the covariance.
    """

    rows: int = 3_000
    held: int = 2_000
    turns: int = 3
    smallest: float = 1e-3
    numbers: int = 1 << 21
    least: int = 4


_TUNING = FilterTuning()


@dataclass(frozen=True)
class PcaFilterSettings:
    """Settings of the PCA filter."""

    epsilon: float = setting(0.1, "Relative error that counts as a breach.")
    noise_kind: str = setting(
        "white", "White noise, noise of the shape of the records, or factors of the values.", choices=KINDS
    )


@dataclass(frozen=True, eq=False)
class _Tweedie:
    """Density of released rows, and the covariance of the noise: constant, or a multiple of squares."""

    whitening: Whitening
    mixture: Mixture
    constant: FloatArray
    growing: float

    @classmethod
    def of(cls, release: Engine, spectrum: Spectrum, kind: str, seed: int | None) -> "_Tweedie":
        """Fitted to some released rows."""
        rows, columns = release.shape
        some = release.gather(np.linspace(0, rows - 1, min(rows, _TUNING.rows)).astype(np.intp))
        density = fit_density(some, generator(seed or 0, "components"))
        grows = _growth(spectrum, columns) if kind == "multiplicative" else 0.0
        constant = np.zeros((columns, columns)) if grows else _noise(spectrum, kind)
        return cls(density.whitening, density.mixture, constant, grows / (1 + grows))

    def __call__(self, rows: FloatArray) -> FloatArray:
        """Mean of records given their rows."""
        slope = self.mixture.scored(self.whitening(rows))[1] @ self.whitening.basis.T
        if self.growing:
            return np.asarray(rows * (1 + 2 * self.growing) + self.growing * rows**2 * slope)
        return np.asarray(rows + slope @ self.constant)


@dataclass(frozen=True, eq=False)
class _Growing:
    """Mean and covariance of records, and v^2 of the factors of their values."""

    mean: FloatArray
    covariance: FloatArray
    growth: float

    @classmethod
    def of(cls, spectrum: Spectrum) -> "_Growing":
        covariance = (spectrum.vectors * spectrum.values) @ spectrum.vectors.T
        values, vectors = np.linalg.eigh(covariance - _noise(spectrum, "multiplicative"))
        kept = (vectors * np.maximum(values, 1e-6 * values[-1])) @ vectors.T
        return cls(spectrum.mean, kept, _growth(spectrum, len(spectrum.mean)))

    def __call__(self, rows: FloatArray) -> FloatArray:
        """Return the Bayes estimate of each row, whose noise is that of its own estimate."""
        size, found = np.diag(self.covariance) + self.mean**2, rows
        for _ in range(_TUNING.turns):
            noise = self.growth * np.maximum(found**2, _TUNING.smallest * size)
            whole = self.covariance + noise[:, :, None] * np.eye(len(size))
            found = self.mean + np.linalg.solve(whole, (rows - self.mean)[:, :, None])[:, :, 0] @ self.covariance
        return np.asarray(found)


class PcaFilter(Filter):
    """Keep the principal components in which the records vary more than the noise."""

    name = "pca-filter"
    title = "PCA filter"
    settings = PcaFilterSettings
    costly = True

    def study(
        self, release: Engine, *, noise: float | None, seed: int | None, progress: Progress, **settings: Any
    ) -> dict[str, Maker]:
        """Return what makes estimates that are the same whatever the attacker holds, once."""
        kind = check_choice("noise_kind", settings["noise_kind"], KINDS)
        found: dict[str, Maker] = {}
        rows, columns = release.shape
        if noise and rows >= _TUNING.least * columns:
            found["density"] = cache(partial(_by_density, release, noise, kind, seed))
        if noise and kind == "multiplicative":
            found["row by row"] = cache(partial(_row_by_row, release, noise))
        return found

    def ways(self, spectrum: Spectrum, settings: Mapping[str, Any]) -> dict[str, Way]:
        """Return the maps of each way."""
        kind = check_choice("noise_kind", settings["noise_kind"], KINDS)
        if kind != "white":
            return {"": _bayes(spectrum, kind)}
        signal, variance = spectrum.signal, spectrum.variance
        gap = int(np.argmax(signal[:-1] - signal[1:])) if len(signal) > 1 else 0
        total = signal + variance
        weights = {
            "": (signal > variance).astype(np.float64),
            "largest gap": (np.arange(len(signal)) <= gap).astype(np.float64),
            "Bayes estimate": np.divide(signal, total, out=np.zeros_like(total), where=total > 0),
        }
        return {name: spectrum.weighted(one) for name, one in weights.items()}

    def others(
        self,
        release: Engine,
        spectrum: Spectrum,
        evidence: Evidence,
        *,
        seed: int | None,
        progress: Progress,
        studied: dict[str, Maker] | None = None,
        **settings: Any,
    ) -> dict[str, Maker]:
        """Return what makes estimates by density, row by row, and by the records that the attacker holds."""
        noise = float(np.sqrt(spectrum.variance))
        found = studied
        if found is None:
            found = self.study(release, noise=noise, seed=seed, progress=progress, **settings)
        found = dict(found)
        if evidence.occurring is not None and spectrum.variance:
            records, counts = evidence.occurring
            some = np.linspace(0, len(records) - 1, min(len(records), _TUNING.held)).astype(np.intp)
            held = (records[some], counts[some], spectrum.variance)
            found["records held"] = partial(_by_records, release, held)
        return found


ATTACK = PcaFilter()


def _by_density(release: Engine, noise: float, kind: str, seed: int | None) -> FloatArray:
    fitted = _Tweedie.of(release, Spectrum.of(release, noise, no_progress), kind, seed)
    return release.column(_cleaned, fitted, "filtering", no_progress).values()


def _row_by_row(release: Engine, noise: float) -> FloatArray:
    growing = _Growing.of(Spectrum.of(release, noise, no_progress))
    return release.column(_solved, growing, "filtering", no_progress).values()


def _by_records(release: Engine, held: tuple[FloatArray, FloatArray, float]) -> FloatArray:
    return release.column(_likely, held, "comparing", no_progress).values()


def _growth(spectrum: Spectrum, columns: int) -> float:
    """v^2 of factors 1 + v e."""
    square = float((spectrum.mean**2).sum() + spectrum.values.sum()) / columns
    return spectrum.variance / max(square - spectrum.variance, spectrum.variance)


def _noise(spectrum: Spectrum, kind: str) -> FloatArray:
    """Covariance of the noise."""
    columns = len(spectrum.mean)
    if kind == "white":
        return np.asarray(spectrum.variance * np.eye(columns))
    covariance = (spectrum.vectors * spectrum.values) @ spectrum.vectors.T
    if kind == "components":
        share = columns * spectrum.variance / max(float(np.trace(covariance)), np.finfo(np.float64).tiny)
        return np.asarray(min(share, 1.0) * covariance)
    growth = _growth(spectrum, columns)
    return np.diag(growth / (1 + growth) * (spectrum.mean**2 + np.diag(covariance)))


def _bayes(spectrum: Spectrum, kind: str) -> Way:
    """x = mean + cov(X) cov(Y)^-1 (y - mean), cov(X) = cov(Y) - N."""
    covariance, noise = (spectrum.vectors * spectrum.values) @ spectrum.vectors.T, _noise(spectrum, kind)
    values, vectors = np.linalg.eigh(covariance - noise)
    signal = (vectors * np.maximum(values, 0.0)) @ vectors.T
    matrix = np.linalg.pinv(covariance, hermitian=True) @ signal
    error = float(np.trace(signal) - np.trace(signal @ matrix))
    return Way(Affine(matrix, spectrum.mean - spectrum.mean @ matrix), max(error, 0.0), int((values > 0).sum()))


def _cleaned(block: FloatArray, first_row: int, fitted: _Tweedie) -> FloatArray:
    return np.concatenate([fitted(block[part]) for part in tiles(block)])


def _solved(block: FloatArray, first_row: int, growing: _Growing) -> FloatArray:
    at_once = max(1, _TUNING.numbers // block.shape[1] ** 2)
    parts = (block[start : start + at_once] for start in range(0, len(block), at_once))
    return np.concatenate([growing(one) for one in parts])


def _likely(block: FloatArray, first_row: int, held: tuple[FloatArray, FloatArray, float]) -> FloatArray:
    """Mean of records, each by its likelihood."""
    records, counts, variance = held
    found = []
    for part in tiles(block):
        costs = cdist(block[part], records, "sqeuclidean") / (2 * variance) - np.log(counts)
        weights = np.exp(costs.min(axis=1, keepdims=True) - costs)
        found.append(weights @ records / weights.sum(axis=1, keepdims=True))
    return np.concatenate(found)
