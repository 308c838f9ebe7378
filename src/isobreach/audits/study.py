# SPDX-License-Identifier: BSD-3-Clause
"""The audit itself: coalitions drawn and chosen, played at every size, summed up.

One trial is one random order of insiders; its beginnings are coalitions of all sizes. Greedy orders are played beside
them. A trial's figures depend on the table, the seed and its number alone: not on threads, nor on where an
interrupted audit was taken up again.
"""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._progress import Progress, no_progress, say_early
from isobreach._random import generator
from isobreach._registry import ATTACKS
from isobreach._validation import check_seed, check_table
from isobreach._version import __version__
from isobreach.attacks import Attack
from isobreach.audits.attacked import AttackedTable
from isobreach.audits.attackers import attackers
from isobreach.audits.baselines import HARDLY, baselines, beforehand
from isobreach.audits.coalition_trials import coalitions_of, greedy_orders, played_trials
from isobreach.audits.coalitions import GrowingLinks
from isobreach.audits.declared import directions, playable, shown, unrounded, written
from isobreach.audits.exposure import OwnersTable
from isobreach.audits.figures import Leak, RecordFigures
from isobreach.audits.groups import Groups
from isobreach.audits.insiders import Linker, RowsKnown, single_insider
from isobreach.audits.kept import Kept, Store
from isobreach.audits.matrix import AttackerMatrix, matrix
from isobreach.audits.memory import check_memory, check_playable_on_files
from isobreach.audits.noisy_exposure import RedrawnTable, released_rows
from isobreach.audits.people import Looks, Ranks, exposed_people
from isobreach.audits.playing import Game, Scores, cells, played_sizes, public_ranges
from isobreach.audits.playing import play as played_splits
from isobreach.audits.remedies import remedies
from isobreach.audits.result import INSIDERS, AuditResult
from isobreach.audits.settings import Settings
from isobreach.audits.summary import Played, summarise
from isobreach.audits.trial import Figures
from isobreach.audits.verdict import gate, leaks_beside
from isobreach.audits.views import models, why_not
from isobreach.audits.whole import Whole
from isobreach.engine import ONE_BLAS_THREAD, Engine
from isobreach.geometry import row_norms
from isobreach.release import ReleaseModel
from isobreach.schemes import Release, Scheme, perturb

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def audit(
    records: NDArray[Any],
    settings: Settings,
    *,
    seed: int | None = None,
    progress: Progress = no_progress,
    store: Store | None = None,
    threads: int | None = None,
) -> AuditResult:
    """Audit a table before it is published: see ``isobreach.audit``."""
    check_table("X", records)
    check_memory("X", records.shape[0], records.shape[1], len(settings.sizes))
    settings.check_table(records)
    seed = check_seed(seed)
    seed = secrets.randbits(32) if seed is None else seed
    with ONE_BLAS_THREAD:  # so that no sum depends on how many there are
        return _audited(records, settings, seed, progress, store, threads)


def audit_files(
    engine: Engine,
    settings: Settings,
    *,
    seed: int | None = None,
    progress: Progress = no_progress,
    store: Store | None = None,
    threads: int | None = None,
) -> AuditResult:
    """Audit a table that stays in its files: see ``isobreach.audits.whole``."""
    check_playable_on_files(settings)
    seed = check_seed(seed)
    seed = secrets.randbits(32) if seed is None else seed
    with ONE_BLAS_THREAD:
        whole = Whole.of(engine, settings, generator(seed, "part"), progress)
        widths = tuple((whole.survey.high - whole.survey.low).tolist())
        part = replace(settings, rows_known=True, widths=widths)
        return _audited(whole.records(), part, seed, progress, store, threads, whole)


def _audited(
    records: NDArray[Any],
    settings: Settings,
    seed: int,
    progress: Progress,
    store: Store | None,
    threads: int | None,
    whole: Whole | None = None,
) -> AuditResult:
    kept = Kept(store, _fingerprint(records, settings, seed, whole), seed)
    trial = _Trials(settings, seed, progress, threads)
    table, result = trial.of(records, settings.scheme, kept, whole=whole)
    if not settings.noise_levels:
        return result
    limit = settings.met.limit
    tried = remedies(
        table,
        settings,
        result.baselines,
        _Remedied(trial, table.records, kept),
        readable=[one.name for one in result.readers if ATTACKS[one.name].needs_grid and one.worst > limit],
        draws=generator(seed, "remedy"),
        kept=kept,
        progress=progress,
    )
    return replace(result, remedies=tried)


@dataclass(frozen=True, eq=False)
class _Trials:
    """Audits of trial releases that differ in their protection alone."""

    settings: Settings
    seed: int
    progress: Progress
    threads: int | None

    def of(
        self,
        records: NDArray[Any],
        scheme: Scheme,
        kept: Kept,
        splits: Sequence[Sequence[Scores]] | None = None,
        whole: Whole | None = None,
    ) -> tuple[OwnersTable, AuditResult]:
        """The table as attackers meet it, and the result but for remedies.

        ``splits``: what was played before. ``whole``: the table that these records are a part of, if they are.
        """
        settings, seed, progress = replace(self.settings, scheme=scheme), self.seed, self.progress
        model, (total, columns) = playable(scheme), records.shape
        sizes = settings.sizes
        release = perturb(records, scheme, seed)
        table, linker = _prepared(records, release, settings, seed)
        rows_known = isinstance(linker, RowsKnown)
        suitable = table.releases[0].attacks if isinstance(table, AttackedTable) else ()
        guessed = baselines(
            table.records,
            table.norms,
            table.epsilon,
            table.tolerance,
            norms_kept=model.moves and not model.translates,
            draws=generator(seed, "baseline"),
            groups=table.groups,
            hardly=min(settings.met.limit, HARDLY),
        )
        owners = settings.criterion
        if whole is None and owners is not None and guessed.blind > owners.limit:
            say_early(beforehand(guessed, settings.epsilon, owners.limit))
        insider = single_insider(table, linker, generator(seed, "insider"), progress)
        greedy = greedy_orders(table, sizes[-1], insider.record, seed, progress)
        coalitions = coalitions_of(greedy, total, settings, seed, table.releases_met)
        sums = played_trials(table, linker, coalitions, settings, len(greedy), kept, progress, self.threads)
        del linker  # and what it holds of the release
        per_record = RecordFigures.of(sums.exposure, sums.breached, sums.inside, settings.trials)
        if whole is not None:
            table = whole.table(table)
            sums, per_record, insider = whole.measured(table, coalitions, len(greedy), settings, insider, sums)
            greedy = {name: whole.rows[order] for name, order in greedy.items()}
        played = Played(Figures.stacked(sums.greedy), Figures.stacked(sums.random))
        guessed = guessed if whole is None else whole.guessed(guessed)
        alone = [name for name in settings.attackers if ATTACKS[name].alone and not ATTACKS[name].baseline]
        readers = attackers(alone, table, release, release.key.noise, seed, kept, progress, model=model)
        found = _matrix(_game(records, table.tolerance, settings, seed), settings, kept, progress, splits)
        per_size, smallest, per_attribute = summarise(played, table, settings, insider, tuple(greedy))
        ranks = Ranks.of(per_record, guessed.blind_records)
        looks = Looks.of(table, ranks.rows) if whole is None else whole.looks(table, ranks.rows)
        return table, AuditResult(
            scheme=scheme.name,
            scheme_parameters=asdict(scheme),
            motion=settings.motion or "none",
            epsilon=settings.epsilon,
            level=settings.level,
            sizes=sizes,
            covered=settings.covered,
            trials=settings.trials,
            seed=seed,
            rows=table.total,
            part=0 if whole is None else total,
            columns=columns,
            per_size=per_size,
            smallest=smallest,
            records=per_record,
            exposed=tuple(exposed_people(ranks, looks, per_record, sizes)),
            attributes=per_attribute,
            insider=insider,
            greedy=greedy,
            baselines=guessed,
            samples_asked=settings.samples if settings.splits else (),
            not_asked=_not_asked(settings),
            readers=readers,
            matrix=found,
            remedies=None,
            rows_known=rows_known,
            noise=model.noise is not None,
            unit_length=model.unit_length,
            length_shares=table.groups.length_shares(table.records),
            undecided=int((~played.random.complete).any(axis=1).sum()),
            criterion=settings.criterion,
            target=settings.target,
            suitable=suitable,
            tested=model.moves or model.in_place or any(not ATTACKS[one.name].baseline for one in found.attackers),
        )


@dataclass(frozen=True, eq=False)
class _Remedied:
    """The table behind a remedy instead."""

    trials: _Trials
    records: FloatArray
    kept: Kept

    def game(self, scheme: Scheme) -> Game:
        """Who is played on it."""
        settings = replace(self.trials.settings, scheme=scheme)
        return _game(self.records, settings.tolerances(self.records), settings, self.trials.seed)

    def audited(
        self, label: str, records: FloatArray, scheme: Scheme, played: Sequence[Sequence[Scores]] | None
    ) -> tuple[bool, tuple[Leak, ...]]:
        """Whether the gate of an audit of it is open, and what leaks by more than the limit."""
        _, result = self.trials.of(records, scheme, self.kept.under(label), played)
        found = gate(result, self.trials.settings.met)
        return not found.closed, tuple(leaks_beside(result, found))


def _prepared(records: NDArray[Any], release: Release, settings: Settings, seed: int) -> tuple[OwnersTable, Linker]:
    """The owner's table, and how insiders find their rows.

    Where distances are not kept exactly they are supposed to know them: under noise to look for them takes seconds to
    minutes a coalition, so that only insiders who know more than those who would search can be played in numbers. A
    scale is given to them as well, which ratios of distances give away.
    """
    scheme, key, model = settings.scheme, release.key, playable(settings.scheme)
    values = np.ascontiguousarray(records, dtype=np.float64)
    values = directions(values) if model.unit_length else values
    tolerance = settings.tolerances(values)
    groups = Groups.of(records, settings.groups, unit_length=model.unit_length)
    if not model.moves:
        names = tuple(name for name in (INSIDERS, *settings.attackers) if _by_insiders(ATTACKS[name], model))
        return AttackedTable.of(records, scheme, names, settings.epsilon, tolerance, groups, seed), RowsKnown()
    if model.keeps:
        assert settings.motion is not None
        exact = unrounded(values, release)
        links = GrowingLinks(records, release.data, key.order, motion=settings.motion, precision=exact)
        shown(scheme, values, release, links.radius)
        table = OwnersTable(values, links.radius, model.translates, settings.epsilon, tolerance, groups=groups)
        return table, RowsKnown() if settings.rows_known or not model.shuffled else links
    radius = written(release).radius(row_norms(values), values.shape[1]) + shown(scheme, values, release)
    if model.noise is None:
        plain = OwnersTable(values, radius, model.translates, settings.epsilon, tolerance, groups=groups)
        return plain, RowsKnown()
    table = RedrawnTable(
        values,
        radius,
        model.translates,
        settings.epsilon,
        tolerance,
        **released_rows(release),
        original=records,
        scheme=scheme,
        groups=groups,
    )
    return table, RowsKnown()


def _by_insiders(attack: Attack, model: ReleaseModel) -> bool:
    """Whether groups of insiders play an attack, with nothing but their records and rows: by what these tell.

    Others learn no more from another insider, or take too long for hundreds of groups; they are played on splits. What
    does not look at the release is among the baselines of every audit.
    """
    if attack.suits(model) is not None:
        return False
    if attack.needs <= {"noise"} and not attack.needs_any:
        return model.in_place or not attack.baseline
    held = {"known", "rows", "noise"}
    return "rows" in attack.needs | attack.uses and attack.needs <= held and attack.needs_any <= held


def _game(records: NDArray[Any], tolerance: FloatArray, settings: Settings, seed: int) -> Game:
    """Who is played on this table, with what knowledge."""
    sizes, samples = played_sizes(settings.covered, settings.limited), settings.held_out(len(records))
    names = (INSIDERS, *settings.attackers) if settings.splits else ()
    values = np.asarray(records, dtype=np.float64)
    model = playable(settings.scheme)
    ranges = public_ranges(directions(values) if model.unit_length else values)
    # Behind a motion nobody without knowledge can say which attribute is which: ``attackers`` are for them.
    every = cells(sizes, samples, ranges=settings.ranges, nothing=not model.moves)
    groups = Groups.of(records, settings.groups, unit_length=model.unit_length)
    return Game(records, settings.scheme, names, every, settings.epsilon, tolerance, ranges, seed, groups=groups)


def _matrix(
    game: Game, settings: Settings, kept: Kept, progress: Progress, played: Sequence[Sequence[Scores]] | None
) -> AttackerMatrix:
    """What the attackers achieve who are played on splits of the table, unless they were ``played`` before."""
    model = playable(game.scheme)
    reasons = {name: why_not(ATTACKS[name], models(model)) for name in game.attacks}
    splits = played
    if splits is None:
        splits = list(played_splits(game, settings.splits, kept, progress)) if settings.splits else []
    return matrix(
        splits,
        sorted({cell.insiders for cell in game.cells} - {0}),
        sorted({cell.sample for cell in game.cells} - {0}),
        ranges=settings.ranges,
        unsuited={name: reason for name, reason in reasons.items() if reason is not None},
        people=min(game.rows, len(game.records) - game.held_out),
    )


def _not_asked(settings: Settings) -> dict[str, str]:
    """Attacks that audits play unless they are told otherwise, by name, where they were, and why they do not play."""
    own = (name for name in ATTACKS if ATTACKS.built_in(name) and ATTACKS[name].audited)
    left = [name for name in own if name not in (INSIDERS, *settings.attackers)]
    return {
        name: "it was not asked for" if ATTACKS[name].installed else "what it needs is not installed" for name in left
    }


def _fingerprint(records: NDArray[Any], settings: Settings, seed: int, whole: Whole | None) -> str:
    """Hash of the table, or its part and sums over all of it, and of everything that the result depends on."""
    asked = f"isobreach {__version__} audit 12 {records.dtype} {records.shape} {settings!r} {seed}"
    digest = hashlib.sha256(asked.encode())
    digest.update(np.ascontiguousarray(records).tobytes())
    if whole is not None:
        digest.update(f"of {whole.engine.shape}".encode() + whole.survey.gram.tobytes())
    return digest.hexdigest()
