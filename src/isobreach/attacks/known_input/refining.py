# SPDX-License-Identifier: BSD-3-Clause
r"""What the attacker makes of the links, besides the estimates that the attack claims: other fits, each refined.

Without noise the linked pairs fix the motion, and only the hidden part is open. Under noise the pairs can be read in
several ways, all of them affine maps x = a + (y - b) A:

    all directions    the best motion of all pairs (orthogonal Procrustes), along weak directions as well;
    filtered          the same, its coordinates shrunk to their mean by C (C + sigma^2 I)^-1, C their covariance in the
                      release less that of the noise (Wiener);
    least squares     ridge regression of the linked records on their rows: needs no motion at all.

Each is then refined by what the attacker holds (``attacks.refine``). Where attributes have a grid or a list the motion
is fitted again to all rows (*refitted*), with noise or without. The attacker rehearses on his own links: a part of them
in turn is left out and estimated in every way from the others. The way that does best is his choice.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach._random import random_source
from isobreach.attacks.knowledge import Knowledge
from isobreach.attacks.known_input.attack import AttackResult
from isobreach.attacks.known_input.measuring import translates
from isobreach.attacks.known_input.noisy_rows import DETERMINED
from isobreach.attacks.moments import moments
from isobreach.attacks.refine import (
    Evidence,
    Recipe,
    Refit,
    Rehearsal,
    apply,
    can_refit,
    chosen,
    every_step,
    recipes,
    refit,
    ridge,
    steps,
)
from isobreach.engine import Engine, tiles
from isobreach.geometry import ConsistentMotions, fit_motions, row_norms
from isobreach.linking import Linkage, linked_pairs

_OWN = ""  # the attack's own fit: its variants are named by the steps alone
_REFITTED, _LIKELY = "refitted", "refitted, likely values"


@dataclass(frozen=True)
class RehearsalEffort:
    """How much is done.

    Attributes
    ----------
    folds
        Parts of the links, each left out in turn: seven eighths of them are close to what the attacker has.
    rows
        Released rows to which the motion is fitted again: with 1,000 of them it errs 30 times less than a row does.
    rehearsed
        The same where a part of the links is left out, which is to compare variants: it then errs 17 times less.
    """

    folds: int = 8
    rows: int = 1000
    rehearsed: int = 300


_EFFORT = RehearsalEffort()


@dataclass(frozen=True, eq=False)
class _Fit:
    """x = known_centre + (y - released_centre) matrix; ``motions``: where the fit is one of these."""

    known_centre: FloatArray
    released_centre: FloatArray
    matrix: FloatArray
    motions: ConsistentMotions | None = None

    @classmethod
    def of(cls, motions: ConsistentMotions) -> "_Fit":
        """The feet along motions."""
        matrix = motions.released @ motions.known.T
        return cls(motions.known_centre, motions.released_centre, matrix, motions)

    def estimates(self, rows: FloatArray) -> FloatArray:
        """Estimates of the records of rows, tile by tile: the same bits whatever the number of rows."""
        parts = [self.known_centre + (rows[part] - self.released_centre) @ self.matrix for part in tiles(rows)]
        return np.concatenate(parts)

    def evidence(self, held: Evidence, rows: FloatArray, *, moved: bool) -> Evidence:
        """What the attacker holds, and what motions say of these rows: what is visible, and how much is not."""
        if self.motions is None:
            return held
        beyond = self.motions.released_hidden
        lengths = np.concatenate([row_norms((rows[part] - self.released_centre) @ beyond) for part in tiles(rows)])
        square = np.maximum(lengths**2 - beyond.shape[1] * held.noise**2, 0.0)
        centre = self.known_centre if moved else None
        return held.about(visible=self.motions.known, centre=centre, residuals=np.sqrt(square))


@dataclass(frozen=True, eq=False)
class _RehearsedPairs:
    """Linked records and their rows, both in the records' units; mean, covariance and some of all rows.

    ``least``: reach of the linked records along a direction from which on it is determined, whatever the noise.
    """

    records: FloatArray
    rows: FloatArray
    moved: bool
    noise: float
    least: float
    mean: FloatArray
    covariance: FloatArray
    some: FloatArray

    @classmethod
    def of(cls, known: NDArray[Any], source: Engine, links: Linkage) -> "_RehearsedPairs":
        """The pairs of a linkage; equal rows carry the same noise and are one."""
        records, rows = linked_pairs(known, links, source)
        firsts = np.sort(np.unique(links.rows[links.linked], return_index=True)[1])
        least = 2 * float(np.linalg.norm(links.radius[links.linked])) / links.scale
        noise = 0.0 if np.isnan(links.noise) else links.noise / links.scale
        about = moments(source) if noise else (np.zeros(source.shape[1]), np.eye(source.shape[1]))
        mean, covariance = about[0] / links.scale, about[1] / links.scale**2
        others = np.setdiff1d(np.linspace(0, source.shape[0] - 1, _EFFORT.rows).astype(np.intp), links.rows)
        some = source.gather(others) / links.scale
        return cls(records[firsts], rows[firsts] / links.scale, translates(links), noise, least, mean, covariance, some)

    def without(self, places: slice) -> "_RehearsedPairs":
        """All pairs but some, whose rows are then like any other; fewer of these will do."""
        records, rows = (np.delete(one, places, axis=0) for one in (self.records, self.rows))
        fewer = np.linspace(0, len(self.some) - 1, min(len(self.some), _EFFORT.rehearsed)).astype(np.intp)
        some = np.concatenate([self.some[fewer], self.rows[places]])
        return replace(self, records=records, rows=rows, some=some)

    def fits(self) -> dict[str, _Fit]:
        """The attack's own fit and, under noise, others."""
        unseen = DETERMINED * self.noise * float(np.sqrt(self.rows.shape[1])) if self.noise else self.least
        own = fit_motions(self.records, self.rows, unseen, translates=self.moved, whiten=not self.noise)
        found = {_OWN: _Fit.of(own)}
        if self.noise and len(self.rows) > 2:
            motions = fit_motions(self.records, self.rows, self.least, translates=self.moved, whiten=False)
            found["all directions"] = _Fit.of(motions)
            found["filtered"] = self._filtered(motions)
            found["least squares"] = self._least_squares()
        return found

    def _filtered(self, motions: ConsistentMotions) -> _Fit:
        seen = motions.released
        values, vectors = np.linalg.eigh(seen.T @ self.covariance @ seen)
        kept = np.divide(np.maximum(values - self.noise**2, 0.0), values, out=np.zeros_like(values), where=values > 0)
        middle = motions.known_centre + (self.mean - motions.released_centre) @ seen @ motions.known.T
        return _Fit(middle, self.mean, seen @ (vectors * kept) @ vectors.T @ motions.known.T)

    def _least_squares(self) -> _Fit:
        centre = self.rows.mean(axis=0)
        images = ridge(self.rows, self.records, np.vstack([centre, centre + np.eye(len(centre))]))
        return _Fit(images[0], centre, images[1:] - images[0])


class _RefinedReading:
    """Estimates of rows by name, from linked pairs and what the attacker holds besides."""

    def __init__(self, pairs: _RehearsedPairs, held: Evidence) -> None:
        self._pairs, self._held = pairs, held
        self._fits = pairs.fits()

    @property
    def names(self) -> list[str]:
        """Names of all estimates but the attack's own."""
        return [*self.recipes, *([_REFITTED, _LIKELY] if self._refits else [])]

    @property
    def _refits(self) -> bool:
        """Whether there is anything to fit again: a grid, and noise or hidden directions."""
        motions = self._fits[_OWN].motions
        return can_refit(self._held) and bool(self._pairs.noise or (motions and motions.hidden_dimension))

    @cached_property
    def _refit(self) -> Refit:
        """The motion fitted to some of all rows, from the feet along directions that are determined, and along all."""
        pairs = self._pairs
        rows = np.concatenate([pairs.rows, pairs.some])
        starts = (self._fits[name].estimates(rows) for name in (_OWN, "all directions") if name in self._fits)
        linked = np.arange(len(pairs.rows))
        return refit(starts, rows, self._held, linked, pairs.records, translates=pairs.moved)

    @cached_property
    def recipes(self) -> dict[str, tuple[str, Recipe]]:
        """The fit and the steps behind every name, but for what is fitted again."""
        found: dict[str, tuple[str, Recipe]] = {}
        for fit in self._fits:
            own = {name: (fit, recipe) for name, recipe in recipes(self._evidence(fit, self._pairs.rows[:1])).items()}
            found |= own if fit == _OWN else {fit: (fit, ()), **{f"{fit}, {name}": one for name, one in own.items()}}
        return found

    def estimates(self, name: str, rows: FloatArray, own: FloatArray) -> FloatArray:
        """Estimates of rows by a name; ``own``: those of the attack itself."""
        if name in (_REFITTED, _LIKELY):
            return self._refit.estimates(rows) if name == _REFITTED else self._refit.likely(rows)
        fit, recipe = self.recipes[name]
        raw = own if fit == _OWN else self._fits[fit].estimates(rows)
        return apply(recipe, raw, self._evidence(fit, rows))

    def own(self, rows: FloatArray) -> FloatArray:
        """What the attack itself would estimate: outwards behind a translation, else in a random hidden direction."""
        fit = self._fits[_OWN]
        motions = fit.motions
        assert motions is not None
        evidence = fit.evidence(self._held, rows, moved=self._pairs.moved)
        feet = fit.estimates(rows)
        if steps.has_outward(evidence):
            return steps.outward(feet, evidence)
        hidden = motions.choose_hidden(random_source(0, "estimate")) @ motions.known_hidden.T
        return steps.aimed(feet + (rows - fit.released_centre) @ motions.released_hidden @ hidden, evidence)

    def _evidence(self, fit: str, rows: FloatArray) -> Evidence:
        if fit == _OWN and self._pairs.noise:  # what noise hides is for the fit along all directions
            return self._held
        return self._fits[fit].evidence(self._held, rows, moved=self._pairs.moved)


class Refining(Mapping[str, FloatArray]):
    """Estimates by what was done to them, each computed when it is asked for: as large as the release.

    Parameters
    ----------
    result
        The attack's own.
    known
        Known records, those of the dictionary after them; NaN where an attribute is not known.
    source
        The released rows.
    knowledge
        What else the attacker holds.
    """

    def __init__(self, result: AttackResult, known: NDArray[Any], source: Engine, knowledge: Knowledge) -> None:
        self._result, self._known, self._source, self._knowledge = result, known, source, knowledge

    def __iter__(self) -> Iterator[str]:
        return iter(self._reading.names if len(self._pairs.rows) else ())

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __getitem__(self, name: str) -> FloatArray:
        if name not in list(self):
            raise KeyError(name)
        return self._reading.estimates(name, self._rows, self._own)

    @property
    def informed(self) -> bool:
        """Whether the attacker holds more than links: a sample, or ranges."""
        return self._knowledge.sample is not None or self._knowledge.bounds is not None

    @cached_property
    def choice(self) -> str | None:
        """The variant that the attacker would choose; None where that is the attack's own estimate."""
        if not len(self):
            return None
        default = every_step(name for name, (fit, _) in self._reading.recipes.items() if fit == _OWN)
        return chosen(self._rehearsals(), [_OWN, *self], default, self._result.epsilon) or None

    @property
    def refined(self) -> FloatArray:
        """The estimates that the attacker would choose."""
        return self._own if self.choice is None else self[self.choice]

    @cached_property
    def _pairs(self) -> _RehearsedPairs:
        return _RehearsedPairs.of(self._known, self._source, self._result.linkage.joined)

    @property
    def _complete(self) -> NDArray[Any]:
        """Known records with all their attributes: values that were solved for are not on a grid to the last bit."""
        return np.asarray(self._known[~np.isnan(self._known).any(axis=1)])

    @cached_property
    def _held(self) -> Evidence:
        bounds = self._knowledge.ranges(self._known.shape[1])
        return Evidence(self._complete, self._knowledge.sample, bounds, None, self._result.epsilon, self._pairs.noise)

    @cached_property
    def _reading(self) -> _RefinedReading:
        return _RefinedReading(self._pairs, self._held)

    @cached_property
    def _rows(self) -> FloatArray:
        return self._source.everything("refined estimates of all rows are held at once") / self._result.linkage.scale

    @cached_property
    def _own(self) -> FloatArray:
        return np.asarray(self._result.plain.estimates)

    def _rehearsals(self) -> Iterator[Rehearsal]:
        """Known records, each estimated without it and a few others."""
        pairs = self._pairs
        known = np.asarray(self._complete, dtype=np.float64)
        for fold in range(min(_EFFORT.folds, len(pairs.rows)) if len(pairs.rows) > 1 else 0):
            out = slice(fold, None, _EFFORT.folds)
            records, rows = pairs.records[out], pairs.rows[out]
            others = [(records != one).any(axis=1).all() for one in known]
            reading = _RefinedReading(pairs.without(out), replace(self._held, known=self._complete[others]))
            own = reading.own(rows)
            named = {_OWN: own, **{name: reading.estimates(name, rows, own) for name in reading.names}}
            for place, record in enumerate(records):
                yield Rehearsal(record, {name: values[place] for name, values in named.items()})
