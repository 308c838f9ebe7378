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
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from isobreach._arrays import FloatArray
from isobreach._phrases import count
from isobreach._progress import Progress
from isobreach._settings import setting
from isobreach._validation import check_epsilon
from isobreach.attacks.base import Attack, Reconstruction
from isobreach.attacks.knowledge import Knowledge
from isobreach.attacks.moments import moments
from isobreach.attacks.pairs import AS_FITTED, Affine, estimated
from isobreach.attacks.refine import Evidence, Recipe, apply, recipes, refined
from isobreach.engine import Engine
from isobreach.errors import InputError
from isobreach.release import ReleaseModel

Maker = Callable[[], FloatArray]

_GAIN = 0.99  # of the noise's variance: what is not below has gained nothing


@dataclass(frozen=True, eq=False)
class Way:
    """A map, its expected squared error of a row, and how many directions it keeps."""

    affine: Affine
    error: float
    kept: int


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

    @classmethod
    def of(cls, release: Engine, noise: float, progress: Progress) -> "Spectrum":
        """That of a release with noise of this deviation."""
        mean, covariance = moments(release, progress)
        values, vectors = np.linalg.eigh(covariance)
        return cls(mean, values[::-1], vectors[:, ::-1], noise**2, release.shape[0])

    @property
    def signal(self) -> FloatArray:
        """Variances of the records along the eigenvectors: those of the release less that of the noise."""
        return np.maximum(self.values - self.variance, 0.0)

    def weighted(self, weights: FloatArray) -> Way:
        """Return the map that multiplies coordinates along the eigenvectors by weights, under white noise."""
        matrix = (self.vectors * weights) @ self.vectors.T
        error = float((self.variance * weights**2 + (1 - weights) ** 2 * self.signal).sum())
        return Way(Affine(matrix, self.mean - self.mean @ matrix), error, int((weights > 0).sum()))


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
    settings: ClassVar[type[Any]] = FilterSettings

    def suits(self, model: ReleaseModel) -> str | None:
        """Return why there is no noise that a filter could remove, or None."""
        if model.distances:
            return "the release is a matrix of distances, not a table of rows"
        if model.mixes_rows:
            return "a released row depends on several records"
        if not model.in_place:
            return "the columns are moved or mixed, and filtering leaves them so"
        return None if model.noise else "there is no noise to filter"

    def run(
        self, release: Engine, knowledge: Knowledge, *, seed: int | None, progress: Progress, **settings: Any
    ) -> Reconstruction:
        """Filter every row."""
        epsilon = check_epsilon(settings["epsilon"])
        if isinstance(knowledge.noise, str):
            raise InputError("noise", "must be a number for this attack", repr(knowledge.noise), "Give its deviation.")
        columns = knowledge.columns(release.shape[1])
        if columns != release.shape[1]:
            rule = f"must have as many columns as the release, {release.shape[1]}: noise leaves them in place"
            raise InputError("known" if knowledge.known is not None else "sample", rule, columns)
        spectrum = Spectrum.of(release, float(knowledge.noise or 0.0), progress)
        ways = self.ways(spectrum, settings)
        own = next(iter(ways.values()))
        before = spectrum.variance * columns
        expected = float(np.sqrt(own.error / columns))
        evidence = Evidence.held(knowledge, columns, epsilon=epsilon, noise=expected)
        raw: dict[str, Maker] = {name: partial(estimated, release, one.affine) for name, one in ways.items()}
        raw |= self.others(release, spectrum, evidence, seed=seed, progress=progress, **settings)
        filtered = Filtered(raw, evidence)
        gains = own.kept > 0 and own.error < _GAIN * before
        said = f"{own.kept} of {count(columns, 'direction')} kept"
        reason = (
            f"{said}; the expected error of a value falls from {np.sqrt(spectrum.variance):.3g} to {expected:.3g}."
            if gains
            else f"{said}; nothing is gained over the released values."
        )
        return FilterReconstruction(
            gains,
            reason,
            refined(filtered[AS_FITTED], evidence),
            variants=filtered,
            directions=own.kept,
            expected=expected,
        )

    @abstractmethod
    def ways(self, spectrum: Spectrum, settings: Mapping[str, Any]) -> dict[str, Way]:
        """Return maps by the way that they were chosen, the attack's own first."""

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
        """Return what makes other estimates of all rows, by name; none by default."""
        return {}


class Filtered(Mapping[str, FloatArray]):
    """Estimates by what made them and what refined them, each computed when it is asked for.

    Parameters
    ----------
    raw
        What makes estimates, by name; the attack's own first, without a name.
    evidence
        What the attacker knows.
    """

    def __init__(self, raw: Mapping[str, Maker], evidence: Evidence) -> None:
        self._raw, self._evidence = raw, evidence
        self._made: dict[str, FloatArray] = {}
        steps: dict[str, Recipe] = {"": (), **recipes(evidence)}
        self._names = {
            ", ".join(part for part in (name, step) if part) or AS_FITTED: (name, recipe)
            for name in raw
            for step, recipe in steps.items()
        }

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, name: str) -> FloatArray:
        made, recipe = self._names[name]
        if made not in self._made:
            self._made[made] = self._raw[made]()
        return apply(recipe, self._made[made], self._evidence)


class SpectralFilter(Filter):
    """Keep the directions in which the release varies more than noise alone can."""

    name = "spectral-filter"
    title = "spectral filter"

    def suits(self, model: ReleaseModel) -> str | None:
        """Return why there is no noise that a filter could remove, or None."""
        if model.in_place and model.noise == "components":
            return "the noise has the shape of the records, and no direction is freer of it than another"
        if model.in_place and model.noise == "multiplicative":
            return "the noise grows with the values, and has no size of its own"
        return super().suits(model)

    def ways(self, spectrum: Spectrum, settings: Mapping[str, Any]) -> dict[str, Way]:
        """Keep directions above the largest eigenvalue that noise alone can have."""
        edge = spectrum.variance * (1 + np.sqrt(len(spectrum.values) / spectrum.rows)) ** 2
        return {"": spectrum.weighted((spectrum.values > edge).astype(np.float64))}


ATTACK = SpectralFilter()
