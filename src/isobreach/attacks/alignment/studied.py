# SPDX-License-Identifier: BSD-3-Clause
"""What the release alone gives: rows to model, a density of them, their components, and what they satisfy exactly."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from isobreach._progress import Progress
from isobreach._random import generator
from isobreach._validation import check_finite
from isobreach.attacks.alignment.components import components
from isobreach.attacks.alignment.descent import Evaluations
from isobreach.attacks.alignment.frames import normals
from isobreach.attacks.alignment.marginals import Marginals
from isobreach.attacks.alignment.mixture import Density, fit_density
from isobreach.attacks.alignment.planes import SharedValues, shared_values
from isobreach.attacks.alignment.products import product_axes
from isobreach.attacks.alignment.quadrics import images
from isobreach.attacks.alignment.relations import Relations, relations_of
from isobreach.attacks.alignment.series import series_covariances
from isobreach.attacks.alignment.situation import Situation
from isobreach.engine import Engine
from isobreach.release import released_precision

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class StudyTuning:
    """How much of a release is modelled, and when it is too wide or too small for that."""

    # With so many rows a density of 32 components in 16 columns is as sharp as it gets, and what a sample of 1,000 can
    # tell is limited by the sample. Estimates are made of every row.
    rows: int = 6_000
    least: int = 8  # different rows: two parts of four, of which one is modelled
    # Columns from which on a sample is placed by transport: a density of 100 has 5,000 parameters a component.
    wide: int = 100


STUDY = StudyTuning()
# Streams of one attack: rows, density, and what each objective draws.
PLACES = {
    "rows": 0,
    "density": 1,
    "search": 2,
    "axes": 3,
    "ranges": 4,
    "planes": 5,
    "quadrics": 6,
    "relations": 7,
    "products": 8,
    "directions": 9,
    "series": 10,
    "transport": 11,
    "variances": 12,
    "ends": 13,
    "sums": 14,
    "logarithms": 15,
    "whole numbers": 16,
}


@dataclass(frozen=True, eq=False)
class Studied:
    """A release, studied; each part is computed once, when it is asked for.

    Attributes
    ----------
    rows
        Released rows that are modelled.
    seed
        Of all draws.
    error
        Of a released coordinate, as far as its digits tell.
    spent
        Evaluations that each part took, by its name.
    """

    rows: FloatArray = field(repr=False)
    seed: int
    error: float = 0.0
    spent: dict[str, int] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, release: Engine, seed: int | None) -> "Studied":
        """Return the study of a release, one for all who ask: rows drawn at random where there are many."""
        seed = 0 if seed is None else seed
        known = _STUDIES.setdefault(release, {})
        if seed not in known:
            known[seed] = cls._made(release, seed)
        return known[seed]

    @classmethod
    def _made(cls, release: Engine, seed: int) -> "Studied":
        count = release.shape[0]
        drawn = np.arange(count)
        if count > STUDY.rows:
            drawn = np.sort(generator(seed, "alignment", PLACES["rows"]).choice(count, STUDY.rows, replace=False))
        rows = release.gather(drawn)
        check_finite("released", rows)
        size = np.linalg.norm(rows, axis=1).max(initial=0.0)
        error = released_precision(release).radius(size, rows.shape[1]) / np.sqrt(rows.shape[1])
        return cls(rows, seed, float(error))

    @cached_property
    def varied(self) -> bool:
        """Whether there are enough different rows to fit a density to some and judge it by others."""
        return bool(len(np.unique(self.rows, axis=0)) > max(self.rows.shape[1], STUDY.least))

    @property
    def wide(self) -> bool:
        """Whether there are too many columns for densities of several components."""
        return bool(self.rows.shape[1] >= STUDY.wide)

    def reduced(self, situation: Situation) -> "Studied":
        """Return the study of the same rows with as many columns as the records have, at their scale."""
        if situation.plain:
            return self
        return Studied(situation.reduced(self.rows), self.seed, self.error / situation.scale)

    def complete(self, progress: Progress) -> None:
        """Compute all parts, so that they are shared by whoever uses the study."""
        progress("modelling the release", 0, 1)
        if not self.wide:
            _ = self.density, self.axes
        progress("modelling the release", 1, 1)

    @cached_property
    def density(self) -> Density:
        """Density of the rows; in many columns a normal one."""
        return fit_density(self.rows, self._drawing("density"), normal=self.wide)

    def _drawing(self, part: str) -> np.random.Generator:
        return generator(self.seed, "alignment", PLACES[part])

    @cached_property
    def axes(self) -> FloatArray:
        """Independent components of the rows, one a column."""
        with self._counted("axes") as effort:
            return components(self.rows, self._drawing("axes"), effort)

    @cached_property
    def unit(self) -> FloatArray:
        """Rows of length one: a rotation turns directions as it turns rows, and these have no size in common."""
        lengths = np.linalg.norm(self.rows, axis=1, keepdims=True)
        return np.asarray(self.rows / np.maximum(lengths, np.finfo(np.float64).tiny))

    @cached_property
    def directions(self) -> FloatArray:
        """Independent components of the rows' directions, one a column."""
        with self._counted("directions") as effort:
            return components(self.unit, self._drawing("directions"), effort)

    @cached_property
    def shared(self) -> SharedValues:
        """What planes show that hold many rows exactly."""
        with self._counted("planes") as effort:
            return shared_values(self.rows, self.error, self._drawing("planes"), effort)

    @cached_property
    def relations(self) -> Relations:
        """Relations of degree two that all rows satisfy."""
        found = relations_of(self.rows, self.error, self._drawing("relations"))
        self.spent["relations"] = found.evaluations
        return found

    @cached_property
    def products(self) -> FloatArray:
        """Axes in which products of two attributes stand for themselves, and of three across these; one a column."""
        rng, n = self._drawing("products"), self.rows.shape[1]
        with self._counted("products") as effort:
            found = product_axes(self.relations, rng, effort)
            if found.shape[1] < n:
                rest = np.linalg.svd(found)[0][:, found.shape[1] :] if found.shape[1] else np.eye(n)
                cubic = relations_of(self.rows, self.error, rng, degree=3).restricted(rest)
                effort.spend(cubic.evaluations)
                found = np.hstack([found, rest @ product_axes(cubic, rng, effort)])
            return found

    @cached_property
    def images(self) -> list[FloatArray]:
        """Images of groups of attributes whose squares have one sum for everybody, as bases."""
        return images(self.relations, self._drawing("quadrics"))

    @cached_property
    def flat(self) -> bool:
        """Whether all rows lie in a flat."""
        return len(normals(self.rows)) > 0

    @cached_property
    def series(self) -> list[FloatArray]:
        """Covariances that the records may have, if their columns are steps of time."""
        with self._counted("series") as effort:
            return series_covariances(self.rows, effort)

    @contextmanager
    def _counted(self, part: str) -> Iterator[Evaluations]:
        """Keep what a part takes."""
        effort = Evaluations(0)
        yield effort
        self.spent[part] = effort.used

    @cached_property
    def independent(self) -> bool:
        """Whether rows held out are likelier under independent components than under the density.

        Normal tables always have such components, their principal axes, which are no attributes: a sample must agree.
        """
        order = generator(self.seed, "alignment", PLACES["axes"], 1).permutation(len(self.rows))
        values, cut = (self.rows @ self.axes)[order], 3 * len(order) // 4
        alone, _ = Marginals.of(values[:cut]).scored(values[cut:])
        n = values.shape[1]
        together = [
            np.linalg.slogdet(whitening.basis)[1] - n / 2 * np.log(2 * np.pi) - levels.mean()
            for whitening, _, levels in self.density.judges
        ]
        return alone > float(np.mean(together))


# A release is studied once, whichever attacks ask: one that reads some columns aligns the others.
_STUDIES: WeakKeyDictionary[Engine, dict[int, Studied]] = WeakKeyDictionary()
