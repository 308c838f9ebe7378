# SPDX-License-Identifier: BSD-3-Clause
r"""Known records whose rows are given: affine maps fitted to these pairs, refined, and rehearsed on pairs left out.

A *fit* takes pairs (x_i, y_i) and gives a map x = y A + a. Every part of the pairs in turn is left out and estimated
from the others, in every way that the knowledge allows. That tells which way to choose, and how far estimates are off:
the median relative error, and the privacy of an attribute as the field measures it (Chen and Liu 2005; Chen, Sun and
Liu 2007), the standard deviation of estimate - truth on standardised data. 0 is no privacy, sqrt(2) that of a random
record in place of the estimate.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from isobreach._arrays import FloatArray, IntArray
from isobreach._phrases import count
from isobreach._progress import Progress, no_progress
from isobreach.attacks.base import Attack, Reconstruction
from isobreach.attacks.knowledge import Knowledge
from isobreach.attacks.refine import Evidence, Recipe, Rehearsal, apply, chosen, every_step, recipes
from isobreach.document import Document
from isobreach.engine import Engine, tiles
from isobreach.errors import InputError
from isobreach.geometry import row_norms
from isobreach.release import ReleaseModel

_FOLDS = 16  # parts of the pairs, each left out in turn: what is left is close to what the attacker has
_ENOUGH = 8  # rehearsed pairs from which on their median error is believed: all beyond it by chance once in 256
_RAW = ""
AS_FITTED = "as fitted"


@dataclass(frozen=True, eq=False)
class Affine:
    """x = y matrix + shift, for rows y."""

    matrix: FloatArray
    shift: FloatArray

    def __call__(self, rows: FloatArray) -> FloatArray:
        """Return the images of rows, tile by tile: the same bits whatever the number of rows."""
        return np.concatenate([rows[part] @ self.matrix + self.shift for part in tiles(rows)])

    def then(self, matrix: FloatArray) -> "Affine":
        """Return the map whose images are multiplied by a matrix as well."""
        return Affine(self.matrix @ matrix, self.shift @ matrix)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Known records, p x n, their released rows, p x N, and the numbers of these."""

    records: FloatArray
    rows: FloatArray
    numbers: IntArray

    @classmethod
    def given(cls, release: Engine, knowledge: Knowledge) -> "Pairs":
        """Return the pairs that the attacker holds; one at least."""
        known, rows = np.asarray(knowledge.known, dtype=np.float64), np.asarray(knowledge.rows, dtype=np.int64)
        linked = np.flatnonzero(rows >= 0)
        if not len(linked):
            rule = "must give the released row of at least one known record"
            raise InputError("rows", rule, "none", "Use the known-input attack, which looks for them.")
        return cls(known[linked], release.gather(rows[linked]), rows[linked])

    def __len__(self) -> int:
        return len(self.records)

    def take(self, places: IntArray) -> "Pairs":
        """Return some of the pairs."""
        return Pairs(self.records[places], self.rows[places], self.numbers[places])


Map = Callable[[FloatArray], FloatArray]
Fit = Callable[[Pairs], Map]


def not_row_by_row(model: ReleaseModel) -> str | None:
    """Return why released rows are no function of one record each, so that pairs tell nothing; None if they are."""
    if model.distances:
        return "the release is a matrix of distances, not a table of rows"
    return "a released row depends on several records" if model.mixes_rows else None


def estimated(release: Engine, back: Map, progress: Progress = no_progress) -> FloatArray:
    """Return the image of every released row under a map."""
    return release.column(_images, back, "estimating", progress).values()


def _images(block: FloatArray, first_row: int, back: Map) -> FloatArray:
    return back(block)


def attribute_privacy(estimates: FloatArray, records: FloatArray) -> FloatArray:
    """Return the privacy of every attribute: the standard deviation of estimate - truth on standardised data.

    Parameters
    ----------
    estimates, records
        Estimates and true records, m x n. A constant attribute has no privacy: 0.
    """
    spread = records.std(axis=0)
    errors = (estimates - records).std(axis=0)
    return np.asarray(np.divide(errors, spread, out=np.zeros_like(errors), where=spread > 0))


@dataclass(frozen=True, eq=False)
class PairsReconstruction(Reconstruction):
    """What an attack on linked pairs gives back.

    Attributes
    ----------
    pairs
        Known records whose rows were given.
    choice
        What was done to make the estimates: the fit, and the steps of refining.
    error
        Median relative error of pairs that were left out; None for a single pair.
    privacy
        Privacy of every attribute, by pairs that were left out: see ``attribute_privacy``; None for a single pair.
    """

    pairs: int = 0
    choice: str = ""
    error: float | None = None
    privacy: FloatArray | None = field(default=None, repr=False)


def pairs_document(document: Document, found: PairsReconstruction) -> Document:
    """Return the document of a result, with what pairs that were left out tell in its JSON.

    Parameters
    ----------
    document
        As any attack has it.
    found
        What the attack gave back.
    """
    privacy = found.privacy
    data = {
        "pairs": found.pairs,
        "choice": found.choice,
        "median_error": found.error,
        "least_privacy": None if privacy is None else float(privacy.min()),
        "mean_privacy": None if privacy is None else float(privacy.mean()),
        "privacy": None if privacy is None else privacy.tolist(),
    }
    return replace(document, data={**document.data, **data})


class PairsAttack(Attack):
    """An attack on known records whose rows are given."""

    needs = frozenset({"known", "rows"})

    def describe(self, found: Reconstruction) -> Document:
        """Return the reason, and in JSON what pairs that were left out tell."""
        document = super().describe(found)
        return pairs_document(document, found) if isinstance(found, PairsReconstruction) else document


class Estimates(Mapping[str, FloatArray]):
    """Estimates of all released rows by fit and steps of refining, each computed when it is asked for.

    The first fit is named by the steps alone, as it is by "as fitted".
    """

    def __init__(self, release: Engine, pairs: Pairs, maps: Mapping[str, Map], evidence: Evidence) -> None:
        self._release, self._pairs, self._maps, self._evidence = release, pairs, maps, evidence
        self._recipes = named_recipes(maps, evidence)

    def __iter__(self) -> Iterator[str]:
        return (name or AS_FITTED for name in self._recipes)

    def __len__(self) -> int:
        return len(self._recipes)

    def __getitem__(self, name: str) -> FloatArray:
        fit, recipe = self._recipes[_RAW if name == AS_FITTED else name]
        estimates = apply(recipe, estimated(self._release, self._maps[fit]), self._evidence)
        estimates[self._pairs.numbers] = self._pairs.records
        return estimates


def named_recipes(fits: Mapping[str, object], evidence: Evidence) -> dict[str, tuple[str, Recipe]]:
    """Return the fit and the steps behind every name."""
    steps = {_RAW: (), **recipes(evidence)}
    first = next(iter(fits))
    return {
        ", ".join(part for part in ("" if fit == first else fit, name) if part): (fit, recipe)
        for fit in fits
        for name, recipe in steps.items()
    }


def rehearsals(pairs: Pairs, fits: Mapping[str, Fit], evidence: Evidence) -> list[Rehearsal]:
    """Return how each pair would be estimated in every way without it and a few others.

    Parameters
    ----------
    pairs
        All pairs; of a single one there is no rehearsal.
    fits
        By name.
    evidence
        What the attacker knows; of the known records, those left out do not count.
    """
    found: list[Rehearsal] = []
    folds = min(_FOLDS, len(pairs)) if len(pairs) > 1 else 0
    every = np.arange(len(pairs))
    for fold in range(folds):
        out = every % folds == fold
        rest, own = pairs.take(every[~out]), pairs.take(every[out])
        held = replace(evidence, known=_without(evidence.known, own.records))
        raw = {name: fit(rest)(own.rows) for name, fit in fits.items()}
        named = {name: apply(recipe, raw[fit], held) for name, (fit, recipe) in named_recipes(fits, held).items()}
        found += [
            Rehearsal(record, {name: values[place] for name, values in named.items()})
            for place, record in enumerate(own.records)
        ]
    return found


def _without(known: FloatArray | None, records: FloatArray) -> FloatArray | None:
    if known is None:
        return None
    return known[[bool((records != one).any(axis=1).all()) for one in np.asarray(known, dtype=np.float64)]]


def reconstruction(
    release: Engine, pairs: Pairs, fits: Mapping[str, Fit], evidence: Evidence, confirmed: str, what: str
) -> PairsReconstruction:
    """Fit, refine, rehearse, and say what may be claimed.

    Parameters
    ----------
    release, pairs
        The released rows; the pairs.
    fits
        By name, the attacker's own first.
    evidence
        What the attacker knows.
    confirmed
        What proves the first fit beyond the pairs that it was fitted to; empty where nothing does.
    what
        What was fitted, for the reason.
    """
    maps = {name: fit(pairs) for name, fit in fits.items()}
    estimates = Estimates(release, pairs, maps, evidence)
    tried = rehearsals(pairs, fits, evidence)
    names = [name for name in named_recipes(fits, evidence) if all(name in one.estimates for one in tried)]
    own = [name for name, (fit, _) in named_recipes(fits, evidence).items() if fit == next(iter(fits))]
    # A proven map needs no refining.
    choice = _RAW if confirmed else chosen(tried, names, every_step(own), evidence.epsilon)
    error, privacy = None, None
    if tried:
        truth = np.array([one.record for one in tried])
        told = np.array([one.estimates.get(choice, np.full(len(one.record), np.nan)) for one in tried])
        norms = row_norms(truth)
        relative = np.divide(row_norms(told - truth), norms, out=np.zeros(len(norms)), where=norms > 0)
        error, privacy = float(np.median(relative)), attribute_privacy(told, truth)
    good = error is not None and len(tried) >= _ENOUGH and error <= evidence.epsilon
    if confirmed:
        told_so = confirmed
    elif error is None:
        told_so = "nothing confirms a fit to a single pair"
    else:
        far = f"pairs left out are missed by {error:.2g} of their length (median)"
        told_so = far if good else f"nothing confirms the fit: {far}"
    return PairsReconstruction(
        bool(confirmed) or good,
        f"{what} fitted to {count(len(pairs), 'linked pair')}; {told_so}.",
        estimates[choice or AS_FITTED],
        variants=estimates,
        pairs=len(pairs),
        choice=choice,
        error=error,
        privacy=privacy,
    )
