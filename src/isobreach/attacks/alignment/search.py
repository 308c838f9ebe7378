# SPDX-License-Identifier: BSD-3-Clause
"""Searching the rotations: graduated descents from many starts, best first, until they agree.

The likelihood has a local optimum for many a sign pattern and exchange of axes. Each start descends through blurred
densities to the sharp one; the best optimum's neighbours, with one or two axes flipped or two exchanged, are judged
under a blur and the best of them descend too, with a few kicks of the size of the uncertainty. Starts come from moments
(``starts``) and from an exploration of all kinds of signs under the covariance alone (``covariance``). The search ends
when independent starts have met in the best optimum and nothing near it is better, or when many rounds brought nothing,
or when the effort is used up. Where the certificate refutes the best optimum there is a better one, if the sample is of
the same population: then the search goes on from random rotations, as long as there is effort left.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from isobreach._arrays import FloatArray
from isobreach.attacks.alignment.certificate import NOT_FOUND, certificate
from isobreach.attacks.alignment.covariance import Explorer, Quadratic
from isobreach.attacks.alignment.descent import Evaluations, descend, moved
from isobreach.attacks.alignment.frames import Frame, Pose, planes
from isobreach.attacks.alignment.mixture import Density
from isobreach.attacks.alignment.placing import Placing, information
from isobreach.attacks.alignment.reflections import reflected
from isobreach.attacks.alignment.starts import starts
from isobreach.geometry import haar


@dataclass(frozen=True)
class SearchTuning:
    """How the search goes about it; measured on the tables of ``benchmarks/alignment.py``."""

    blurs: tuple[float, ...] = (1.0, 0.3, 0.1, 0.03)  # variances added, in whitened units
    rows: int = 400  # sample records that the search looks at, more where that is cheap; the last descents see all
    explored: int = 12  # optima of the covariance alone that are judged under the first blur
    begun: int = 4  # starts that descend, the best under the first blur; the others wait for their turn
    moved: int = 4  # neighbours that descend
    planes: int = 60  # planes whose axes are exchanged: those the sample tells least of
    kicks: tuple[float, ...] = (4.0, 16.0)  # in standard errors
    agreeing: int = 2  # independent descents that met in the best optimum: nothing else is looked for
    patience: int = 3  # rounds without a better optimum
    same: float = 2e-3  # optima whose values differ by less are one
    leaders: int = 5  # optima that descend on the whole sample
    hopeless: float = 0.5  # worse than the best by more, a record: five standard errors for a search of 400 records
    dear: float = 6e6  # products an evaluation; where there are more, the search sees part of the density only


TUNING = SearchTuning()


@dataclass(frozen=True, eq=False)
class Optimum:
    """A local optimum, its value, and whether its start had nothing to do with the others'."""

    pose: Pose
    value: float
    independent: bool = True


@dataclass
class PoseSearch:
    """The search for the best pose of a sample.

    Attributes
    ----------
    frame
        What links leave open.
    density
        Of the release.
    sample, records
        Records of the sample, perhaps in several copies with noise; how many there are without the copies.
    rows
        Released rows.
    effort
        Evaluations that may be made.
    rng
        Draws kicks and signs.
    """

    frame: Frame
    density: Density
    sample: FloatArray
    records: int
    rows: FloatArray
    effort: Evaluations
    rng: np.random.Generator
    found: list[Optimum] = field(default_factory=list)
    waiting: list[Pose] = field(default_factory=list)

    def __post_init__(self) -> None:
        n, whole = self.rows.shape[1], self.density.mixture
        least = min(TUNING.rows, len(self.sample))
        mixture = self.density.lighter(int(TUNING.dear / (n**2 * least)))
        most = max(least, int(TUNING.dear / (n**2 * mixture.size)))
        part = self.sample[np.sort(self.rng.permutation(len(self.sample))[:most])]
        told = information(self.frame, self.density.whitening, whole, self.rows, self.records)
        self.sharp = Placing(self.frame, self.density.whitening, mixture.single, part, self.records, told)
        self.graduated = [replace(self.sharp, mixture=mixture.blurred(blur).single) for blur in TUNING.blurs]
        # Moments of the whole sample cost nothing more.
        self.explorer = Explorer(Quadratic.of(replace(self.sharp, sample=self.sample)), self.rng)

    def run(self, also: Sequence[Pose] = ()) -> list[Optimum]:
        """Return the leading optima, best first; their values are those of the part of the sample that was searched.

        Parameters
        ----------
        also
            Further starts, which descend without a blur.
        """
        if not self.frame.hidden:
            return [Optimum(self.frame.start(), self.sharp.value(self.frame.start()))]
        first = [self.frame.start(one) for one in starts(self.frame, self.sample, self.rows)]
        by_covariance = self.explorer.explored(first)
        likely = [self.explorer.descended(one)[0] for one in first] + by_covariance[: TUNING.explored]
        likely = sorted(likely, key=self._judged(0))
        begun, self.waiting = self._distinct(likely), by_covariance[TUNING.explored :]
        for pose in also:
            self.found.append(self._descended(pose, len(self.graduated), independent=True))
        for pose in begun[: TUNING.begun]:
            self.found.append(self._descended(pose, 0, independent=True))
        self.waiting = begun[TUNING.begun :] + self.waiting
        stale, expanded = 0, list[float]()
        while self.effort.left and stale < TUNING.patience:
            best = self.best.value
            new = [one for one in self.found if all(abs(one.value - value) > TUNING.same for value in expanded)]
            if new:
                chosen = min(new, key=_by_value)
                expanded.append(chosen.value)
                for pose in self._neighbours(chosen.pose):
                    self.found.append(self._descended(pose, 1, independent=False))
            elif self._agreed():
                break
            for pose in self._kicked():
                self.found.append(self._descended(pose, 1, independent=False))
            if self.waiting:
                self.found.append(self._descended(self.waiting.pop(0), 0, independent=True))
            stale = 0 if self.best.value < best - TUNING.same else stale + 1
            if stale and self._agreed():
                break
        while self.effort.left and self._refuted():
            pose = self.waiting.pop(0) if self.waiting else self.frame.start(haar(self.frame.hidden, self.rng))
            self.found.append(self._descended(pose, 0, independent=True))
        return self._leaders()

    @property
    def best(self) -> Optimum:
        """The best optimum so far."""
        return min(self.found, key=_by_value)

    def _agreed(self) -> bool:
        least = self.best.value + TUNING.same
        return sum(one.independent and one.value < least for one in self.found) >= TUNING.agreeing

    def _refuted(self) -> bool:
        """Whether the sample does not lie like released rows at the best optimum."""
        return certificate(self.frame, self.best.pose, self.density, self.sample) > NOT_FOUND

    def _judged(self, level: int) -> Callable[[Pose], float]:
        def value(pose: Pose) -> float:
            self.effort.spend(self.graduated[level].cost)
            return self.graduated[level].value(pose)

        return value

    def _distinct(self, poses: Sequence[Pose]) -> list[Pose]:
        """Poses without those that the covariance cannot tell from an earlier one."""
        found, values = [], list[float]()
        for pose in poses:
            value = self.explorer.quadratic.value(pose)
            if all(abs(value - other) > TUNING.same for other in values):
                found.append(pose)
                values.append(value)
        return found

    def _descended(self, pose: Pose, first: int, *, independent: bool) -> Optimum:
        """The optimum below a pose, through the blurs from ``first`` on."""
        for one in self.graduated[first:]:
            pose, _ = descend(one, pose, self.effort, steps=20, gain=1e-3)
        pose, value = descend(self.sharp, pose, self.effort, steps=30, gain=1e-4)
        return Optimum(pose, value, independent)

    def _neighbours(self, pose: Pose) -> list[Pose]:
        """The best of those that are mirrored, or have two axes flipped or exchanged."""
        judged = self._judged(1)
        mirrored = reflected(self.graduated[1], pose, self.effort)
        turned = sorted(((judged(one), one) for one in self._turned(pose)), key=_by_first)
        several = [*mirrored[: TUNING.moved], *turned[: TUNING.moved]]
        return [one for _, one in sorted(several, key=_by_first)[: TUNING.moved]]

    def _turned(self, pose: Pose) -> Iterator[Pose]:
        h = self.frame.hidden
        p = pose.rotation
        first, second = planes(h)
        for plane in np.argsort(self.sharp.information[: len(first)], kind="stable")[: TUNING.planes]:
            pair = [first[plane], second[plane]]
            for signs in ((-1, -1), (1, 1), (1, -1), (-1, 1)):
                turned = p.copy()
                turned[pair] = np.array(signs)[:, None] * (p[pair] if signs == (-1, -1) else p[pair[::-1]])
                yield replace(pose, rotation=turned)

    def _kicked(self) -> Iterator[Pose]:
        """Kicks away from the best optimum, in units of its uncertainty."""
        best, scale = self.best.pose, self.sharp.scale
        for kick in TUNING.kicks:
            step = kick * self.rng.standard_normal(len(scale)) * np.sqrt(scale / self.records)
            yield moved(best, np.clip(step, -1.5, 1.5))

    def _leaders(self) -> list[Optimum]:
        leaders: list[Optimum] = []
        for one in sorted(self.found, key=_by_value):
            if one.value < self.best.value + TUNING.hopeless and all(
                abs(one.value - other.value) > TUNING.same for other in leaders
            ):
                leaders.append(one)
        return leaders[: TUNING.leaders]


def _by_value(one: Optimum) -> float:
    return one.value


def _by_first(one: tuple[float, Pose]) -> float:
    return one[0]
