# SPDX-License-Identifier: BSD-3-Clause
"""One trial of one scheme: a part of the table is protected, every attack that suits plays, and all is counted.

A trial draws a public sample, which is held out, records that are published, and known ones among them: the same for
every scheme, so that schemes differ in themselves alone. What a cell gives depends on the seed, the trial, the scheme
and the attack, and not on which other schemes and attacks are compared.

Each attack is given what it needs or uses of the attacker's knowledge. Rows of known records go only to those that
cannot do without them: to find them is what the others are about, where distances are kept to find them by. Noise
levels and factors are told, as are the motion and epsilon: only the key is secret. Attributes without an estimate are
guessed at the mean of the records that the attacker holds, and so are all of them where an attack refuses to work or
estimates nothing.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from isobreach._random import generator
from isobreach.attacks import ATTACKS, Attack, Knowledge
from isobreach.audits.comparing.asked import ComparisonAsked, ComparisonTable, Contestant
from isobreach.audits.comparing.measures import Marks, marks
from isobreach.audits.comparing.usefulness import Utility, distances_of, utility
from isobreach.audits.declared import directions
from isobreach.audits.groups import Groups
from isobreach.audits.players import PLAIN, Player, filled, public_settings, refusal
from isobreach.audits.settings import RANGE_SHARE
from isobreach.engine import ONE_BLAS_THREAD, Engine, LocalEngine, as_engine, using
from isobreach.errors import InputError, IsobreachError
from isobreach.linking import SharedLinks, sharing_links
from isobreach.release import ReleaseModel, behind, unfolded
from isobreach.schemes import Release, perturb

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# What an attack may run into on a table that it was not made for: its cell says so.
_FAILURES = (IsobreachError, np.linalg.LinAlgError, ArithmeticError)
_UNFOLDED = 6_000  # records: enough for all quadrics that are computed


@dataclass(frozen=True, eq=False)
class Play:
    """One attack on one release, in one variant of its estimates.

    ``refused``: why it estimated nothing, None if it did; ``marks`` are then those of the guess. ``seconds``: of
    processor.
    """

    attack: str
    variant: str
    claimed: bool
    marks: Marks
    seconds: float
    refused: str | None = None


@dataclass(frozen=True, eq=False)
class TrialOutcome:
    """What came of one trial of one scheme; ``refused``: why the scheme could not protect the table, None if it did."""

    scheme: str
    trial: int
    plays: tuple[Play, ...] = ()
    utility: Utility | None = None
    refused: str | None = None


@dataclass(frozen=True, eq=False)
class TrialDeal:
    """What one trial draws of the table, for one scheme: known records come first among the published ones."""

    trial: int
    contestant: Contestant
    sample: NDArray[Any]
    published: NDArray[Any]
    groups: Groups
    compared: int
    classes: IntArray


@dataclass(frozen=True, eq=False)
class Rules:
    """What all trials share."""

    asked: ComparisonAsked
    tolerance: FloatArray
    seed: int


def deals(
    table: ComparisonTable, asked: ComparisonAsked, seed: int, wanted: list[tuple[int, Contestant]]
) -> Iterator[TrialDeal]:
    """Draw the wanted trials."""
    fitted, groups = asked.fitted(len(table.records)), Groups.of(table.records, asked.groups)
    for trial, contestant in wanted:
        order = generator(seed, "compare", trial).permutation(len(table.records))
        published = order[fitted.sample :][: fitted.published]
        yield TrialDeal(
            trial=trial,
            contestant=contestant,
            sample=table.records[order[: fitted.sample]],
            published=table.records[published],
            groups=groups.take(published),
            compared=fitted.compared if trial < asked.extent.utility_trials else 0,
            classes=table.classes[published] if len(table.classes) else table.classes,
        )


def unsuited(attack: Attack, model: ReleaseModel | None) -> str | None:
    """Return why an attack cannot be played on a release, in words; None if it can."""
    if model is None:
        return "the scheme does not declare what it does to a record"
    if not attack.installed:
        return f"it needs the package {attack.packages[0]}, which is not installed"
    return attack.suits(model)


def contest(deal: TrialDeal, rules: Rules) -> TrialOutcome:
    """Everything that is played on one release."""
    asked, scheme, label = rules.asked, deal.contestant.scheme, deal.contestant.label
    draws = generator(rules.seed, "compare", deal.trial, crc32(label.encode()))
    try:
        release = perturb(deal.published, scheme, int(draws.integers(2**62)))
    except _FAILURES as error:
        return TrialOutcome(label, deal.trial, refused=_refused(error))
    suited = [name for name in asked.attacks if unsuited(ATTACKS[name], scheme.model) is None]
    with using(LocalEngine, workers=1), sharing_links() as links:  # trials side by side use all processors
        side = _Side.of(deal, release, scheme.model, rules)
        plays = tuple(
            play for name in suited if asked.plays(name, deal.trial) for play in side.plays(ATTACKS[name], links)
        )
    return TrialOutcome(label, deal.trial, plays, _utility(deal, release, scheme.model, rules.seed))


def gives_away(table: ComparisonTable, contestant: Contestant, seed: int) -> bool:
    """Whether rows of a motion can be computed from a release of some records, more than a trial publishes.

    Lifted records of many columns, or of few rows, or with relations of their own give nothing away.
    """
    model = contestant.scheme.model
    if model is None or behind(model) is None:
        return False
    draws = generator(seed, "compare", crc32(contestant.label.encode()))
    drawn = draws.permutation(len(table.records))[:_UNFOLDED]
    try:
        release = perturb(table.records[drawn], contestant.scheme, int(draws.integers(2**62)))
    except _FAILURES:
        return False
    with ONE_BLAS_THREAD:
        return unfolded(release.data, model, table.records.shape[1]) is not None


def _utility(deal: TrialDeal, release: Release, model: ReleaseModel | None, seed: int) -> Utility | None:
    """What the release keeps of some records, the same for all schemes."""
    if deal.compared < 2:
        return None
    records = np.asarray(deal.published, dtype=np.float64)[: deal.compared]
    rows = release.key.order[: deal.compared]
    data = np.asarray(release.data, dtype=np.float64)
    released = data[np.ix_(rows, rows)] if model is not None and model.distances else distances_of(data[rows])
    original = distances_of(records)
    if not original.any():
        return None
    drawn = int(generator(seed, "compare", deal.trial, 0).integers(2**31))
    return utility(original, released, records.shape[1], deal.classes[: deal.compared], drawn)


@dataclass(frozen=True, eq=False)
class _Side:
    """The attacker's side of one release, and the truth that estimates are held against."""

    release: Engine
    order: IntArray
    truth: FloatArray
    knowledge: Knowledge
    given: Mapping[str, Any]
    groups: Groups
    tolerance: FloatArray
    trial: int
    rules: Rules
    searchable: bool

    @classmethod
    def of(cls, deal: TrialDeal, release: Release, model: ReleaseModel | None, rules: Rules) -> "_Side":
        """Everything that an attacker may hold."""
        asked, key = rules.asked, release.key
        truth, public = (np.asarray(part, dtype=np.float64) for part in (deal.published, deal.sample))
        tolerance = rules.tolerance
        if model is not None and model.unit_length:
            truth, public = directions(truth), directions(public)
            tolerance = range_share(truth)
        rows = np.asarray(release.data, dtype=np.float64) / key.scale if key.scale != 1 else release.data
        knowledge = Knowledge(
            known=truth[: asked.known] if asked.known else None,
            rows=key.order[: asked.known] if asked.known else None,
            sample=public if len(public) else None,
            noise=float(key.noise / key.scale) or None,
        )
        public_ones = {"epsilon": asked.epsilon} if model is None else public_settings(model, asked.epsilon)
        given = {**public_ones, "effort": asked.extent.effort}
        return cls(
            release=as_engine(rows),
            order=key.order,
            truth=truth,
            knowledge=knowledge,
            given=given,
            groups=deal.groups,
            tolerance=tolerance,
            trial=deal.trial,
            rules=rules,
            searchable=model is None or model.moves or model.distances,
        )

    def plays(self, attack: Attack, links: SharedLinks) -> Iterator[Play]:
        """One attack, in all variants of its estimates; its time has that of links which another attack has found."""
        seed = int(generator(self.rules.seed, "compare", self.trial, crc32(attack.name.encode())).integers(2**31))
        held = holding(attack, self.knowledge, searchable=self.searchable)
        noise = held.noise if isinstance(held.noise, float) else None
        player = Player(attack, self.release, noise, seed, self.given)
        guess = _guess(held)
        started = time.process_time() + links.saved
        try:
            found, several = player.found(held)
            told = {variant: np.asarray(estimates, dtype=np.float64) for variant, estimates in several.items()}
            nothing = not any(np.isfinite(estimates).any() for estimates in told.values())
            claimed, refused = found.claimed, _clause(found.reason) if nothing else None
        except Exception as error:  # noqa: BLE001 - one cell must not end hours of others: it says what it is
            told = {PLAIN: np.full((self.release.shape[0], self.truth.shape[1]), np.nan)}
            claimed, refused = False, _reason(error)
        seconds = time.process_time() + links.saved - started
        for variant, estimates in told.items():
            yield Play(attack.name, variant, claimed, self._marks(estimates, guess), seconds, refused)

    def _marks(self, estimates: FloatArray, guess: FloatArray | None) -> Marks:
        """Of everyone but the known; a padded release has more columns than the records, which may be estimated too."""
        asked = self.rules.asked
        told = filled(estimates[self.order, : self.truth.shape[1]], guess)
        others = slice(asked.known, None)
        return marks(self.truth[others], told[others], asked.epsilon, self.tolerance, self.groups.take(others))


def range_share(records: FloatArray) -> FloatArray:
    """Error within which each column counts as learned: a share of its range."""
    return np.asarray(RANGE_SHARE * np.ptp(records, axis=0))


def holding(attack: Attack, knowledge: Knowledge, *, searchable: bool) -> Knowledge:
    """Of all that an attacker may hold, what the attack needs or uses; rows only where it cannot do without.

    ``searchable``: whether the release keeps distances, by which rows can be found.
    """
    wanted = attack.needs | attack.needs_any | attack.uses
    given = attack.needs if searchable else wanted
    return Knowledge(
        known=knowledge.known if "known" in wanted else None,
        sample=knowledge.sample if "sample" in wanted else None,
        noise=knowledge.noise if "noise" in wanted else None,
        rows=knowledge.rows if "rows" in given else None,
    )


def _guess(held: Knowledge) -> FloatArray | None:
    """The mean of the records that an attacker holds."""
    tables = [np.asarray(one, dtype=np.float64) for one in (held.known, held.sample) if one is not None]
    return np.vstack(tables).mean(axis=0) if tables else None


def _refused(error: Exception) -> str:
    """Why a scheme cannot protect a table, as a clause after words on the table."""
    return f"it {error.rule}" if isinstance(error, InputError) and error.name == "X" else _reason(error)


def _reason(error: Exception) -> str:
    """What went wrong, as a clause."""
    if isinstance(error, InputError):
        return refusal(error)
    if isinstance(error, IsobreachError):
        return _clause(str(error))
    if isinstance(error, _FAILURES):
        return f"it failed: {error}"
    return f"it failed by a defect of its own ({type(error).__name__})"  # whose text may hold values


def _clause(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:].rstrip(".")
