# SPDX-License-Identifier: BSD-3-Clause
"""Attackers played for real: a part of the table is published, attacked with all that the attacker knows, and counted.

A *split* draws a public sample, which is held out, protects the other records anew, and draws insiders among them. Who
has a smaller sample, or none, would meet more rows: where these are many more, the same split has a release for him. A
*cell* is what the attacker knows: so many insiders, a sample of so many records, ranges or not. On every split each
attack plays every cell whose knowledge it can use. Its estimates, and each of their variants, are compared with the
records of everyone but the insiders: the share that is breached, and of each attribute the share that is learned; of
vectors also the share that is *read*: a record's own entry among all that are published is nearest to its estimate.

Insiders know their own rows. Where the release keeps distances few are needed to find them, and a defence should not
rest on that search: who has to search breaches no more.

The release is studied once on each split (``Attack.study``), so that further cells cost what depends on knowledge. Of
a large table a random part is published: attacks fit their models to samples of rows anyway, and shares of a part are
those of the whole. Links are not counted here.

Of a remedy only one thing is asked: does anybody exceed the limit? There a split is played from the most knowledge
down, and ends with the first who does.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._progress import Progress
from isobreach._random import generator
from isobreach.attacks import ATTACKS, Knowledge, read_out
from isobreach.audits.declared import directions, playable
from isobreach.audits.groups import Groups
from isobreach.audits.intervals import clopper_pearson
from isobreach.audits.kept import Arrays, Kept
from isobreach.audits.players import PLAIN, Player, filled, public_settings
from isobreach.audits.views import viewed, views
from isobreach.engine import ProcessEngine, Workers, as_engine, default_workers
from isobreach.geometry import row_norms
from isobreach.schemes import Scheme, perturb

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Effort:
    """How much is played.

    Attributes
    ----------
    splits
        Splits of the table: two halves of four, so that a choice on one is told from the other.
    rows
        Records that are published on a split, at most: shares of 6,000 are known to less than a percent.
    sizes
        Numbers of insiders that are played, at most, nobody among them not counted.
    apart
        Entries of a table times cells, from which on splits go to processes of their own: below, starting them costs
        more than they save.
    everything
        Share of others breached, and of whom each attribute is learned, from which on more knowledge is not tried.
    vectors
        Columns from which on a table is one of vectors, whose estimates are looked up.
    looked_up
        Estimates of a variant that are looked up on a split: eight times 500 tell a share to a percent.
    fewer
        Share of the rows that whoever has a smaller sample would meet, from which on he plays the release of a larger
        one: what a release tells changes as the root of its rows.
    """

    splits: int = 8
    rows: int = 6_000
    sizes: int = 4
    apart: int = 20_000
    everything: float = 0.999
    vectors: int = 100
    looked_up: int = 500
    fewer: float = 0.9


EFFORT = Effort()


@dataclass(frozen=True, order=True)
class Cell:
    """What an attacker knows besides the release."""

    insiders: int
    sample: int = 0
    ranges: bool = False

    def within(self, other: "Cell") -> bool:
        """Whether whoever has the knowledge of another cell has this one's too."""
        return self.insiders <= other.insiders and self.sample <= other.sample and self.ranges <= other.ranges

    @property
    def nothing(self) -> bool:
        """Whether there is no knowledge at all."""
        return not (self.insiders or self.sample or self.ranges)


@dataclass(frozen=True, eq=False)
class Scores:
    """What came of one attack on one split with the knowledge of a cell, in one variant.

    ``refused``: why the attack did not play there; nothing is breached then. ``read``: shares of estimates to which the
    own record is nearest, or among the five nearest; empty where the table is not one of vectors.
    """

    cell: Cell
    attack: str
    variant: str
    breached: float
    learned: FloatArray
    refused: str = ""
    read: FloatArray = field(default_factory=lambda: np.zeros(0))

    @property
    def everything(self) -> bool:
        """Whether nearly everyone is breached and every attribute learned."""
        return min(self.breached, float(self.learned.min())) >= EFFORT.everything


@dataclass(frozen=True, eq=False)
class Game:
    """What all splits share: the table, how it is protected, who plays, and the measures.

    ``rows``: records that are published on a split, at most. ``widths``: of jitter, by which values are moved before
    they are protected; the truth are the records as they were. ``groups``: columns that are one attribute together.
    ``limit``: a share, and a number of insiders; a split ends with the first of up to so many who breach more.
    """

    records: NDArray[Any]
    scheme: Scheme
    attacks: tuple[str, ...]
    cells: tuple[Cell, ...]
    epsilon: float
    tolerance: FloatArray
    ranges: FloatArray
    seed: int
    rows: int = EFFORT.rows
    widths: FloatArray | None = field(default=None)
    groups: Groups = field(default=Groups())
    limit: tuple[float, int] | None = None

    def refused(self, scores: Sequence[Scores], published: int) -> bool:
        """Whether somebody exceeds the limit, if there is one, by more than chance."""
        if self.limit is None:
            return False
        most, insiders = self.limit
        found = [one for one in scores if one.cell.insiders <= insiders and one.breached > most]
        return any(exceeds(one.breached, published - one.cell.insiders, most) for one in found)

    def in_turn(self, sizes: Sequence[int]) -> list[Cell]:
        """Cells with a sample of one of these sizes, in the order in which they are played."""
        found = sorted(cell for cell in self.cells if cell.sample in sizes)
        if self.limit is None:
            return found
        most = self.limit[1]
        return sorted(found, key=lambda cell: (cell.insiders <= most, cell), reverse=True)

    @property
    def held_out(self) -> int:
        """Records that no release holds: the largest sample."""
        return max((cell.sample for cell in self.cells), default=0)

    @property
    def releases(self) -> dict[int, int]:
        """How many records are held out of the release that each size of a sample is played against."""
        total, found = len(self.records), dict[int, int]()
        for sample in sorted({cell.sample for cell in self.cells}, reverse=True):
            larger = min(found.values(), default=sample)
            enough = EFFORT.fewer * min(self.rows, total - sample)
            found[sample] = larger if min(self.rows, total - larger) >= enough else sample
        return found

    @property
    def rules(self) -> "Game":
        """The game without its table, which splits draw from: nobody else need hold it."""
        return replace(self, records=self.records[:0], groups=Groups())

    @property
    def workers(self) -> Workers:
        """Processes where there is much to do, because attacks are partly Python, or one keeps threads waiting."""
        much = self.records.size * len(self.cells) >= EFFORT.apart and len(self.attacks) > 1
        alone = any(ATTACKS[name].keeps_waiting for name in self.attacks)
        return ProcessEngine.crew() if much or alone else default_workers()


def exceeds(share: float, people: int, limit: float) -> bool:
    """Whether a share of so many people exceeds a limit by more than chance.

    >>> exceeds(0.06, 100, 0.05), exceeds(0.2, 100, 0.05)
    (False, True)
    """
    return clopper_pearson(round(share * people), people).low > limit


def played_sizes(sizes: Sequence[int], limited: int | None = None) -> tuple[int, ...]:
    """Numbers of insiders to play: all if they are few, else the least, the largest, and some between by doubling.

    ``limited``: the number that a limit is about, which is played as well.

    >>> played_sizes(range(1, 9)), played_sizes([2, 3]), played_sizes(range(1, 65)), played_sizes(range(1, 9), 3)
    ((1, 2, 4, 8), (2, 3), (1, 4, 16, 64), (1, 2, 3, 4, 8))
    """
    ordered = sorted(set(sizes))
    if len(ordered) <= EFFORT.sizes:
        return tuple(ordered)
    wanted = np.geomspace(ordered[0], ordered[-1], EFFORT.sizes)
    near = [min(ordered, key=lambda size: (abs(np.log(size / goal)), size)) for goal in wanted]
    own = () if limited is None else (limited,)
    return tuple(sorted({ordered[0], *near, *own, ordered[-1]}))


def cells(sizes: Sequence[int], samples: Sequence[int], *, ranges: bool, nothing: bool = False) -> tuple[Cell, ...]:
    """Insiders by nothing, by ranges, and by each sample (with ranges, if any); ``nothing``: no knowledge as well."""
    rows = [(0, False), *([(0, True)] if ranges else []), *((sample, ranges) for sample in samples)]
    every = (Cell(insiders, *row) for row in rows for insiders in (0, *sizes))
    return tuple(cell for cell in every if nothing or not cell.nothing)


def public_ranges(records: FloatArray) -> FloatArray:
    """Ranges of the attributes as anyone may know them: ends rounded outwards to the first digit of the range.

    The exact ends are values of somebody's record, which is more than a range tells.

    >>> public_ranges(np.array([[0.2, 18.0, 1.0], [9.1, 97.0, 1.0]])).tolist()
    [[0.0, 10.0], [10.0, 100.0], [1.0, 1.0]]
    """
    low, high = records.min(axis=0), records.max(axis=0)
    wide = high > low
    step = 10.0 ** np.floor(np.log10(np.where(wide, high - low, 1.0)))
    ends = [np.where(wide, rounded(end / step) * step, end) for rounded, end in ((np.floor, low), (np.ceil, high))]
    return np.stack(ends, axis=1)


def play(game: Game, splits: int, kept: Kept, progress: Progress, label: str = "attackers") -> Iterator[list[Scores]]:
    """Scores of every split in turn; those of before are ``kept``. ``label``: what progress is told of.

    A split is kept as soon as it is done, whether or not an earlier one still takes its time.
    """
    saved = [kept.part(f"split {k}") for k in range(splits)]
    rest = [k for k in range(splits) if saved[k] is None]
    done = splits - len(rest)
    progress(label, done, splits)
    releases = game.releases
    found = game.workers.as_done(_split, (_deals(k, game, releases) for k in rest), game.rules)
    early: dict[int, list[Scores]] = {}
    for k in range(splits):
        arrays = saved[k]
        if arrays is not None:
            yield _restored(arrays)
            continue
        while k not in early:
            place, scores = next(found)
            early[rest[place]] = scores
            done += 1
            progress(label, done, splits)
            kept.done(f"split {rest[place]}", partial(_arrays, scores), whole=True)
        yield early.pop(k)


@dataclass(frozen=True, eq=False)
class Deal:
    """What one split draws of the table: the sample, the records that are published, and what draws the rest.

    ``sizes``: of the samples that are played against this release.
    """

    sample: NDArray[Any]
    published: NDArray[Any]
    groups: Groups
    draws: np.random.Generator
    sizes: tuple[int, ...] = ()


def dealt(number: int, game: Game, held_out: int | None = None, sizes: tuple[int, ...] = ()) -> Deal:
    """Draw a split; its release is made with the next whole number below 2^62 that ``draws`` gives."""
    held_out = game.held_out if held_out is None else held_out
    draws = generator(game.seed, "split", number)
    order = draws.permutation(len(game.records))
    sample, published = order[:held_out], order[held_out:][: game.rows]
    return Deal(game.records[sample], game.records[published], game.groups.take(published), draws, sizes)


def _deals(number: int, game: Game, releases: Mapping[int, int]) -> list[Deal]:
    """Every release of a split."""
    several = {held_out: tuple(one for one in releases if releases[one] == held_out) for held_out in releases.values()}
    return [dealt(number, game, held_out, sizes) for held_out, sizes in several.items()]


def _split(deals: Sequence[Deal], game: Game) -> list[Scores]:
    """Everything that is played on one split, release by release: whoever knows more comes later.

    With a limit, whoever knows more comes first.
    """
    scores: list[Scores] = []
    for deal in sorted(deals, key=lambda one: min(one.sizes), reverse=game.limit is not None):
        _played(deal, game, scores)
        if game.refused(scores, len(deal.published)):
            break
    return sorted(scores, key=lambda one: one.cell)


def _played(deal: Deal, game: Game, scores: list[Scores]) -> None:
    """Play all cells of a release; ``scores``: what came of others before, to which theirs are added."""
    sample, rest, groups, draws = deal.sample, deal.published, deal.groups, deal.draws
    original = rest
    if game.widths is not None:
        rest = rest + game.widths * (draws.random(rest.shape) - 0.5)
    release = perturb(rest, game.scheme, int(draws.integers(2**62)))
    model, key = playable(game.scheme), release.key
    truth, public = (np.asarray(part, dtype=np.float64) for part in (original, sample))
    if model.unit_length:
        truth, public = directions(truth), directions(public)
    spread = 0.0 if game.widths is None else float(np.sqrt(np.mean(game.widths**2) / 12))
    noise = float(np.hypot(key.noise / key.scale, spread)) or None
    if key.scale != 1:
        release = replace(release, data=np.asarray(release.data, dtype=np.float64) / key.scale)
    seed = int(draws.integers(2**31))
    seen = views(release, model, truth)
    engines = [as_engine(view.release.data) for view in seen]
    players = [
        Player(ATTACKS[name], engines[seen.index(view)], noise, seed, public_settings(view.model, game.epsilon))
        for name in game.attacks
        if (view := viewed(ATTACKS[name], seen)) is not None
    ]
    attributes, reads = len(groups.attributes(truth.shape[1])), 2 if truth.shape[1] >= EFFORT.vectors else 0
    undone = sorted({one.cell for one in scores if one.everything})  # with whose knowledge everything is read already
    for cell in game.in_turn(deal.sizes):
        less = next((one for one in undone if one.within(cell)), None)
        if less is not None:  # whoever knows more may ignore it, and cannot do better
            scores += [replace(one, cell=cell) for one in scores if one.cell == less and one.everything]
            continue
        known, others = truth[: cell.insiders], slice(cell.insiders, None)
        knowledge = Knowledge(
            known=known if cell.insiders else None,
            rows=key.order[: cell.insiders] if cell.insiders else None,
            sample=public[: cell.sample] if cell.sample else None,
            bounds=game.ranges if cell.ranges else None,
            noise=noise,
        )
        guess = np.vstack([known, public[: cell.sample]]).mean(axis=0) if cell.insiders or cell.sample else None
        for player in players:
            if not (cell.nothing or player.informed(knowledge)):  # whoever needs none does as without
                continue
            found, refused = player.tried(knowledge)
            if refused:
                nothing = np.zeros(attributes), refused, np.zeros(reads)
                scores.append(Scores(cell, player.attack.name, PLAIN, 0.0, *nothing))
            for variant, estimates in found.items():
                # A padded release has more columns than the records: an attack may estimate them all.
                told = filled(np.asarray(estimates, dtype=np.float64)[key.order, : truth.shape[1]], guess)
                share, learned = _scored(truth[cell.insiders :], told[cell.insiders :], game, groups.take(others))
                read = _read(truth, told, cell.insiders)[:reads]
                scores.append(Scores(cell, player.attack.name, variant, share, learned, read=read))
            if game.refused(scores, len(rest)):
                return
        if any(one.cell == cell and one.everything for one in scores):
            undone.append(cell)


def hits(records: FloatArray, estimates: FloatArray, epsilon: float) -> NDArray[np.bool_]:
    """Which records their estimates breach; what is not known (NaN) is not."""
    return np.asarray(row_norms(estimates - records) <= epsilon * row_norms(records) * (1 + 1e-9))


def _scored(records: FloatArray, estimates: FloatArray, game: Game, groups: Groups) -> tuple[float, FloatArray]:
    """Share of records breached, and of which each attribute is learned; what is not known is neither."""
    if estimates.shape != records.shape or not len(records):
        return 0.0, np.zeros(len(groups.attributes(records.shape[1])))
    errors = estimates - records
    allowed = game.tolerance * (1 + 1e-9) + 1e-9 * np.abs(records).max(axis=0)  # rounding, as in a closed form
    share = float(np.mean(hits(records, estimates, game.epsilon)))
    return share, groups.shares(np.abs(errors) <= allowed, estimates)


def _read(records: FloatArray, estimates: FloatArray, insiders: int) -> FloatArray:
    """Shares of estimates whose own record is nearest of all that are published, and among the five nearest."""
    if estimates.shape != records.shape or records.shape[1] < EFFORT.vectors:
        return np.zeros(2)
    some = np.arange(insiders, min(insiders + EFFORT.looked_up, len(records)))
    found = read_out(estimates[some], records)
    return np.array([found.top(1, some), found.top(5, some)])


def _arrays(scores: list[Scores]) -> Arrays:
    """For the store."""
    return {
        "cells": np.array([[s.cell.insiders, s.cell.sample, s.cell.ranges] for s in scores]).reshape(-1, 3),
        "names": np.array([[s.attack, s.variant, s.refused] for s in scores], dtype=np.str_).reshape(-1, 3),
        "breached": np.array([s.breached for s in scores], dtype=np.float64),
        "learned": np.array([s.learned for s in scores], dtype=np.float64),
        "read": np.array([s.read for s in scores], dtype=np.float64),
    }


def _restored(arrays: Arrays) -> list[Scores]:
    columns = (arrays[name].tolist() for name in ("cells", "names", "breached"))
    parts = zip(*columns, arrays["learned"], arrays["read"], strict=True)
    return [
        Scores(Cell(insiders, sample, bool(ranges)), attack, variant, breached, learned, refused, read)
        for (insiders, sample, ranges), (attack, variant, refused), breached, learned, read in parts
    ]
