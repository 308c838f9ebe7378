# SPDX-License-Identifier: BSD-3-Clause
r"""Remove additive noise by the spectrum of the release (spectral filtering).

Kargupta, Datta, Wang and Sivakumar (2003): y = x + e, the entries of e independent with known deviation sigma. By
random matrix theory (Marchenko and Pastur 1967) the covariance of m rows of noise alone has its eigenvalues below

    sigma^2 (1 + sqrt(n / m))^2.

Eigenvectors V of cov(Y) with larger eigenvalues carry the records, and x = mean + (y - mean) V V'. What is removed is
the noise along all other directions, and what records have there. The expected squared error of a row is

    sigma^2 k + sum of (l_i - sigma^2) over the n - k directions left out,

against sigma^2 n of the release itself: correlated attributes gain most. The result is claimed where that is less.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._phrases import count
from isobreach._progress import Progress
from isobreach._settings import setting
from isobreach._validation import check_epsilon
from isobreach.attacks.base import Attack, Knowledge, Reconstruction
from isobreach.attacks.moments import moments
from isobreach.attacks.pairs import AS_FITTED, Affine, estimated
from isobreach.attacks.refine import Evidence, refined, variants
from isobreach.engine import Engine
from isobreach.errors import InputError
from isobreach.release import ReleaseModel

FloatArray = NDArray[np.float64]

_GAIN = 0.99  # of the noise's variance: what is not below has gained nothing


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Mean of the release, eigenvalues of its covariance in descending order, their vectors, and the noise's variance.

    ``rows``: of the release.
    """

    mean: FloatArray
    values: FloatArray
    vectors: FloatArray
    variance: float
    rows: int

    @property
    def signal(self) -> FloatArray:
        """Variances of the records along the eigenvectors: those of the release less that of the noise."""
        return np.maximum(self.values - self.variance, 0.0)

    def error(self, weights: FloatArray) -> float:
        """Expected squared error of a row whose coordinates along the eigenvectors are multiplied by weights."""
        return float((self.variance * weights**2 + (1 - weights) ** 2 * self.signal).sum())

    def filtered(self, weights: FloatArray) -> Affine:
        """Return the map that multiplies coordinates along the eigenvectors by weights."""
        matrix = (self.vectors * weights) @ self.vectors.T
        return Affine(matrix, self.mean - self.mean @ matrix)


@dataclass(frozen=True, eq=False)
class FilterReconstruction(Reconstruction):
    """What a filter gives back.

    Attributes
    ----------
    directions
        Directions that were kept.
    expected
        Expected deviation of an entry of the estimates before they are refined; that of the release is the noise level.
    """

    directions: int = 0
    expected: float = 0.0


@dataclass(frozen=True)
class FilterSettings:
    """Settings of the filters."""

    epsilon: float = setting(0.1, "Relative error that counts as a breach.")


class Filter(Attack):
    """An attack that removes additive noise of known size from the released columns."""

    needs = frozenset({"noise"})
    uses = frozenset({"known", "sample", "bounds"})
    settings = FilterSettings

    def suits(self, model: ReleaseModel) -> str | None:
        """Return why there is no noise that a filter could remove, or None."""
        if model.distances:
            return "the release is a matrix of distances, not a table of rows"
        if model.mixes_rows:
            return "a released row depends on several records"
        if not model.in_place:
            return "the columns are moved or mixed, and filtering leaves them so"
        if model.noise == "components":
            return "the noise has the shape of the records, and no direction is freer of it than another"
        if model.noise == "multiplicative":
            return "the noise grows with the values, and has no size of its own"
        return None if model.noise else "there is no additive noise to filter"

    def run(
        self, release: Engine, knowledge: Knowledge, *, seed: int | None, progress: Progress, **settings: Any
    ) -> Reconstruction:
        """Filter every row."""
        epsilon = check_epsilon(FilterSettings(**settings).epsilon)
        if isinstance(knowledge.noise, str):
            raise InputError("noise", "must be a number for this attack", repr(knowledge.noise), "Give its deviation.")
        columns = knowledge.columns(release.shape[1])
        if columns != release.shape[1]:
            rule = f"must have as many columns as the release, {release.shape[1]}: noise leaves them in place"
            raise InputError("known" if knowledge.known is not None else "sample", rule, columns)
        mean, covariance = moments(release, progress)
        values, vectors = np.linalg.eigh(covariance)
        variance = float(knowledge.noise or 0.0) ** 2
        spectrum = Spectrum(mean, values[::-1], vectors[:, ::-1], variance, release.shape[0])
        ways = self.weights(spectrum)
        weights = next(iter(ways.values()))
        error, before = spectrum.error(weights), variance * columns
        expected = float(np.sqrt(error / columns))
        evidence = Evidence.held(knowledge, columns, epsilon=epsilon, noise=expected)
        raw = {name: estimated(release, spectrum.filtered(one), progress) for name, one in ways.items()}
        found = next(iter(raw.values()))
        others = {name: values for name, values in raw.items() if values is not found}
        kept = int((weights > 0).sum())
        gains = kept > 0 and error < _GAIN * before
        said = f"{kept} of {count(columns, 'direction')} kept"
        reason = (
            f"{said}; the expected error of a value falls from {np.sqrt(variance):.3g} to {expected:.3g}."
            if gains
            else f"{said}; nothing is gained over the released values."
        )
        return FilterReconstruction(
            gains,
            reason,
            refined(found, evidence),
            variants={AS_FITTED: found, **variants(found, evidence), **others},
            directions=kept,
            expected=expected,
        )

    @abstractmethod
    def weights(self, spectrum: Spectrum) -> dict[str, FloatArray]:
        """Return weights of the eigenvectors by the way that they were chosen, the attack's own first."""


class SpectralFilter(Filter):
    """Keep the directions in which the release varies more than noise alone can."""

    name = "spectral-filter"
    title = "spectral filter"

    def weights(self, spectrum: Spectrum) -> dict[str, FloatArray]:
        """Return 1 above the largest eigenvalue that noise alone can have, else 0."""
        edge = spectrum.variance * (1 + np.sqrt(len(spectrum.values) / spectrum.rows)) ** 2
        return {"": (spectrum.values > edge).astype(np.float64)}


ATTACK = SpectralFilter()
