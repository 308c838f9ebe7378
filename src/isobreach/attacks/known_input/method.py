# SPDX-License-Identifier: BSD-3-Clause
"""The known-input attack under the protocol that all attacks share."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray, IntArray
from isobreach._naming import way
from isobreach._phrases import place
from isobreach._progress import Progress
from isobreach._settings import setting
from isobreach.attacks.base import Attack, Reconstruction
from isobreach.attacks.knowledge import Knowledge
from isobreach.attacks.known_input.attack import AttackResult, attack, attack_linked
from isobreach.attacks.known_input.describe import document
from isobreach.attacks.known_input.refining import Refining
from isobreach.attacks.known_input.summary import summarise
from isobreach.document import Document
from isobreach.engine import Engine
from isobreach.errors import InputError
from isobreach.geometry import ESTIMATORS, row_norms
from isobreach.linking import CHOICES, RULES, Linkage, given_links, partial_sentence
from isobreach.release import ReleaseModel

_ALIKE = 1e-3  # relative spread of lengths that are the same: float16 vectors of length one spread by about 5e-4


@dataclass(frozen=True)
class KnownInputSettings:
    """Settings of the known-input attack: see ``isobreach.attack``."""

    epsilon: float = setting(0.1, "Relative error that counts as a breach.")
    estimator: str = setting(
        "optimal", "Best estimate, the paper's, or the paper's with the formula as printed.", choices=ESTIMATORS
    )
    rule: str = setting("backbone", "Which links count: all certain ones, or the paper's.", choices=RULES)
    tolerance: float | None = setting(
        None,
        "Largest error of a released coordinate; by default read off the release's own precision.",
        type=float,
    )
    motion: str = setting(
        "auto",
        "What the release keeps: norms and distances, distances, or their ratios. auto finds out and says why; it is "
        "the default because perturb makes rigid releases unless told otherwise.",
        choices=CHOICES,
    )
    normalise: bool = setting(False, "Scale the attacker's records to length one first, as vector stores do.")


@dataclass(frozen=True, eq=False)
class KnownInputReconstruction(Reconstruction):
    """What the known-input attack gives back. Estimates and probabilities of all rows are computed when asked for.

    Estimates are the attack's own, ``result.estimates``. Where the attacker holds a sample or ranges, rows that are not
    certain have refined ones; probabilities are still those of the attack's own.

    Attributes
    ----------
    result
        The attack's own result: links, residuals, probabilities at any epsilon.
    variants
        Other estimates by what was done to them, each computed when it is asked for.
    hints
        What may help where no record is linked.
    """

    estimates: Any = field(init=False, repr=False)
    breach_probability: Any = field(init=False, repr=False)
    variants: Refining = field(repr=False, kw_only=True)
    result: AttackResult = field(repr=False, kw_only=True)
    hints: tuple[str, ...] = field(default=(), repr=False, kw_only=True)

    @property
    def linkage(self) -> Linkage:
        """Which known records were linked, and under which motion."""
        return self.result.linkage

    def __getattr__(self, name: str) -> Any:
        # Only for fields that were not set yet: as large as the release, and often not needed.
        if name not in ("estimates", "breach_probability"):
            raise AttributeError(name)
        value = self._informed() if name == "estimates" else self.result.breach_probability
        object.__setattr__(self, name, value)
        return value

    @property
    def refined(self) -> FloatArray:
        """Estimates that the attacker would choose among his own and the variants, by rehearsing on known records."""
        return self.variants.refined

    def _informed(self) -> Any:
        """Estimates with what a sample or ranges add to them, but for rows that are certain without."""
        if not self.variants.informed or self.variants.choice is None:
            return self.result.estimates
        certain = self.breach_probability[:, None] >= 1
        values = np.where(certain, self.result.plain.estimates, self.refined)
        return self.result.container(values, np.arange(len(values)))

    def contained(self, container: Callable[[FloatArray, IntArray], Any]) -> "KnownInputReconstruction":
        """Return itself with estimates in a container, still to be computed."""
        return replace(self, result=replace(self.result, container=container))


class KnownInput(Attack):
    """Known records are linked to their released rows, and everyone else's record is estimated."""

    name = "known-input"
    title = "known-input attack"
    plain = "refined distance attack"
    explained = (
        "Insiders who found their rows by distances then improve their estimates: they round them to the grid that "
        "they see, keep them within ranges, and guess what is hidden from what is not."
    )
    needs = frozenset({"known"})
    uses = frozenset({"noise", "dictionary", "rows", "sample", "bounds"})
    takes_partial = True
    settings = KnownInputSettings
    costly = True

    def suits(self, model: ReleaseModel) -> str | None:
        """Return why known records cannot be linked, or None."""
        return model.unmoved

    def run(
        self, release: Engine, knowledge: Knowledge, *, seed: int | None, progress: Progress, **settings: Any
    ) -> Reconstruction:
        """Link, fit, measure: see ``isobreach.attack``."""
        normalise = settings.pop("normalise")
        given = np.asarray(knowledge.known)
        tables = (("known", given), ("dictionary", knowledge.dictionary), ("sample", knowledge.sample))
        known, dictionary, sample = (
            None if table is None else normalised(table, name) if normalise else table for name, table in tables
        )
        assert known is not None
        noise = knowledge.noise
        if knowledge.rows is None or dictionary is not None:  # candidates have to be searched for in any case
            result = attack(
                known,
                release,
                noise=noise,
                dictionary=dictionary,
                sample=sample,
                seed=seed,
                progress=progress,
                **settings,
            )
        else:
            lacking = int(np.isnan(known).any(axis=1).sum())
            if lacking:
                rule, got = "must hold complete records where their rows are given", f"{lacking} with missing cells"
                raise InputError("known", rule, got, "Leave rows out: linking finds them.")
            asked = {name: settings[name] for name in ("motion", "tolerance")}
            linkage = given_links(known, release, knowledge.rows, noise=noise, **asked)
            epsilon, estimator = settings["epsilon"], settings["estimator"]
            result = attack_linked(known, release, linkage, epsilon, estimator=estimator, seed=seed, progress=progress)
        records = known if dictionary is None else np.concatenate([known, dictionary])
        linked, total = len(result.linkage.linked), len(result.linkage.rows)
        said = partial_sentence(result.linkage)
        return KnownInputReconstruction(
            claimed=linked > 0,
            reason=f"{linked} of {total} known records linked; {result.hidden_dimension} dimensions stay hidden."
            + (f" {said}" if said else ""),
            result=result,
            variants=Refining(result, records, release, knowledge),
            hints=() if normalise else hints(result.linkage, given, release),
        )

    def describe(self, found: Reconstruction) -> Document:
        """Return the verdict, the figures of all other rows, and the links."""
        assert isinstance(found, KnownInputReconstruction)
        asked, linkage = found.asked, found.result.linkage
        entries = linkage.dictionary
        if entries is not None:
            entries = replace(entries, known_ids=asked.dictionary_ids, released_ids=asked.released_ids)
        named = replace(linkage, known_ids=asked.known_ids, released_ids=asked.released_ids, dictionary=entries)
        result = replace(found.result, linkage=named)
        summary = summarise(result, normalised=bool(asked.settings.get("normalise")))
        return document(result, summary, found.hints)


def normalised(records: NDArray[Any], name: str) -> NDArray[Any]:
    """Records of length one, as precise as they were; ``name``: what they are, for a message."""
    norms = row_norms(np.asarray(records, dtype=np.float64))
    lacking = int(np.isnan(norms).sum())
    if lacking:
        rule = f"must hold complete records with {_normalise()}: the length of the others is not known"
        raise InputError(name, rule, f"{lacking} with missing cells", "Leave those out.")
    zeros = np.flatnonzero(norms == 0)
    if len(zeros):
        got = f"{len(zeros)}; the first in {place(int(zeros[0]))}"
        raise InputError(name, f"must have no records of zeros with {_normalise()}", got)
    kind = records.dtype if records.dtype.kind == "f" else np.dtype(np.float64)
    return np.asarray((records / norms[:, None]).astype(kind))


def _normalise() -> str:
    return way("--normalise", "normalise=True (reconstruct)")


def hints(linkage: Linkage, known: NDArray[Any], release: Engine) -> tuple[str, ...]:
    """What may help where no record is linked."""
    norms = row_norms(np.asarray(known, dtype=np.float64))
    norms = norms[~np.isnan(norms)]  # those of partial records are not known
    if len(linkage.linked) or not len(norms) or np.ptp(norms) <= _ALIKE * norms.max():
        return ()
    least, most = np.inf, 0.0
    for low, high in release.scan(_length_range, None, "measuring lengths"):
        least, most = min(least, low), max(most, high)
    if most - least > _ALIKE * most:
        return ()
    return (f"All released rows have the same length, the known records do not: try {_normalise()}.",)


def _length_range(block: FloatArray, first_row: int, params: None) -> tuple[float, float]:
    norms = row_norms(block)
    return float(norms.min()), float(norms.max())
