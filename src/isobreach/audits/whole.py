# SPDX-License-Identifier: BSD-3-Clause
r"""Audits of tables that stay in their files: all records are visited pass by pass, a random part of them is held.

The closed form of insiders needs one record at a time. So what it says of every coalition that is played, and of every
record, is of *all* records: one pass over the files gives the breach probabilities of a few thousand records under all
coalitions, adds them to the figures of each coalition, and forgets them. Ranges of the attributes and the bounds that
no coalition exceeds come from a pass before.

What compares records with each other, or plays attackers, has a random *part* of the table: whom greedy searches
choose, attackers who are played, attributes, quantiles, and what a blind guess is. Random coalitions are drawn from the
part, which is drawn at random itself.

Insiders know their own rows: all pairs of so many rows cannot be compared, and who has to search breaches no more.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray, IntArray
from isobreach._progress import Progress
from isobreach._validation import check_magnitude
from isobreach.attacks import Evidence, blind
from isobreach.audits.baselines import OWN_GUESS, WORDS, Baselines
from isobreach.audits.coalition_trials import Sums
from isobreach.audits.coalitions import Growth
from isobreach.audits.declared import directions
from isobreach.audits.exposure import OwnersTable, Span, probabilities, span
from isobreach.audits.figures import RecordFigures, SingleInsider
from isobreach.audits.people import Looks, tenths
from isobreach.audits.settings import Settings
from isobreach.audits.survey import PART, PartOfTable, Survey, surveyed
from isobreach.audits.trial import Coalition, Figures
from isobreach.engine import Engine, long_array, tiles
from isobreach.errors import InputError
from isobreach.geometry import row_norms


@dataclass(frozen=True, eq=False)
class _Asked:
    """What a pass tells of every record: its breach probabilities under many coalitions, and who guesses it.

    ``insiders[k]``: rows of the k-th coalition, in the order in which they join; ``sizes[k]``: to which it grows.
    The first ``random`` coalitions are those over which each record's figures are means.
    """

    spans: tuple[Span, ...]
    insiders: tuple[IntArray, ...]
    sizes: tuple[tuple[int, ...], ...]
    random: int
    epsilon: float
    level: float
    unit_length: bool
    guesses: FloatArray

    def members(self, first: int, stop: int) -> dict[int, list[tuple[int, int]]]:
        """Who of the rows from ``first`` on is in which coalition: (row, place in its order), by coalition."""
        found: dict[int, list[tuple[int, int]]] = {}
        for k, rows in enumerate(self.insiders):
            for place in np.flatnonzero((rows >= first) & (rows < stop)).tolist():
                found.setdefault(k, []).append((int(rows[place]) - first, place))
        return found


@dataclass(frozen=True, eq=False)
class _Told:
    """Of a tile: sums over random coalitions for each record, and for each coalition and size what its others show.

    ``figures``: the highest probability, the sum of all, how many reach the level, and how many are 1.
    """

    exposure: FloatArray
    breached: NDArray[np.int32]
    inside: NDArray[np.int32]
    figures: FloatArray
    guessed: NDArray[np.bool_]


def exposed(block: FloatArray, first_row: int, asked: _Asked) -> list[_Told]:
    """Tell of the records of a block, tile by tile."""
    return [_exposed(block[tile], first_row + tile.start, asked) for tile in tiles(block)]


def _exposed(rows: FloatArray, first_row: int, asked: _Asked) -> _Told:
    rows = directions(rows) if asked.unit_length else rows
    norms, shape = row_norms(rows), (len(asked.sizes[0]), len(rows))
    exposure, breached = np.zeros(shape), np.zeros(shape, dtype=np.int32)
    inside = np.zeros(shape, dtype=np.int32)
    figures = np.zeros((len(asked.spans), max(map(len, asked.sizes)), 4))
    members = asked.members(first_row, first_row + len(rows))
    for k, (found, sizes) in enumerate(zip(asked.spans, asked.sizes, strict=True)):
        probability = probabilities(rows, norms, found, asked.epsilon)
        for row, place in members.get(k, ()):
            joined = np.searchsorted(sizes, place + 1)
            probability[joined:, row] = 0.0  # below any level
            if k < asked.random:
                inside[joined:, row] += 1
        over = probability >= asked.level
        told = figures[k, : len(sizes)]
        told[:, 0], told[:, 1] = probability.max(axis=1), probability.sum(axis=1)
        told[:, 2], told[:, 3] = over.sum(axis=1), (probability == 1).sum(axis=1)
        if k < asked.random:
            exposure += probability
            breached += over
    reach = asked.epsilon * norms
    guessed = [row_norms(rows - guess) <= reach for guess in asked.guesses]
    return _Told(exposure, breached, inside, figures, np.array(guessed))


@dataclass(eq=False)
class Whole:
    """All records, in an engine, of which a part is held.

    ``rows``: of the part, ascending. ``blind_records``: whom each guess breaches, once that was measured.
    """

    engine: Engine
    rows: IntArray
    survey: Survey
    progress: Progress
    unit_length: bool
    blind_records: dict[str, NDArray[np.bool_]] = field(default_factory=dict)

    @classmethod
    def of(cls, engine: Engine, settings: Settings, draws: np.random.Generator, progress: Progress) -> "Whole":
        """Survey all records and draw a part; refuse what cannot be audited."""
        unit_length = settings.scheme.model is not None and settings.scheme.model.unit_length
        rows = PART.drawn(engine.shape, draws)
        engine.keep(rows)
        found: Survey | None = None
        for several in engine.scan(surveyed, unit_length, "looking at all records", progress):
            for one in several:
                found = one if found is None else found.and_more(one)
        assert found is not None  # there are rows
        if found.bad:
            got = f"{found.bad} missing, NaN or infinite; the first in {engine.where(*found.first_bad)}"
            raise InputError("X", "must be finite everywhere", got, "Drop or fill them.")
        check_magnitude("X", np.stack([found.low, found.high]))
        settings.check_lengths(engine.shape[0], min(found.shortest, found.longest) or 1.0, found.longest or 1.0)
        return cls(engine, rows, found, progress, unit_length)

    def records(self) -> FloatArray:
        """The part, in memory."""
        return self.engine.gather(self.rows)

    def table(self, part: OwnersTable) -> PartOfTable:
        """The part as one of the whole table."""
        return PartOfTable(
            part.records,
            part.radius,
            part.translates,
            part.epsilon,
            part.tolerance,
            self.survey,
            self.engine.shape[0],
            groups=part.groups,
        )

    def measured(
        self,
        table: OwnersTable,
        coalitions: Sequence[Coalition],
        greedy: int,
        settings: Settings,
        insider: SingleInsider,
        sums: Sums,
    ) -> tuple[Sums, RecordFigures, SingleInsider]:
        """Figures of coalitions and records on all records; ``sums``: of the part, whose quantiles stay."""
        drawn, chosen = list(coalitions[greedy:]), list(coalitions[:greedy])
        orders = [one.order for one in (*drawn, *chosen)]
        sizes = [settings.sizes] * len(drawn) + [settings.covered] * len(chosen)
        if insider.record is not None:
            orders.append(np.array([insider.record]))
            sizes.append((1,))
        guesses = blind(Evidence(known=table.records, epsilon=table.epsilon))
        asked = _Asked(
            tuple(
                span(table, order, Growth.rows_known(len(order)), some)
                for order, some in zip(orders, sizes, strict=True)
            ),
            tuple(self.rows[order] for order in orders),
            tuple(sizes),
            len(drawn),
            table.epsilon,
            settings.level,
            self.unit_length,
            np.array(list(guesses.values())),
        )
        records, figures, hits = self._passed(asked)
        self.blind_records = dict(zip(guesses, hits, strict=True))
        own = np.flatnonzero((table.records == guesses[OWN_GUESS]).all(axis=1))[:1]
        self.blind_records[OWN_GUESS][self.rows[own]] = False  # whose record is the guess
        total, trials = self.engine.shape[0], len(drawn)
        random = [_figures(one, told, total, settings.sizes) for one, told in zip(sums.random, figures, strict=False)]
        greedily = [
            _figures(one, told, total, settings.covered)
            for one, told in zip(sums.greedy, figures[trials:], strict=False)
        ]
        if insider.record is not None:
            insider = replace(insider, record=int(self.rows[insider.record]), expected=float(figures[-1, 0, 1]))
        return replace(sums, random=random, greedy=greedily), records, insider

    def _passed(self, asked: _Asked) -> tuple[RecordFigures, FloatArray, NDArray[np.bool_]]:
        """The pass over all records."""
        total, sizes = self.engine.shape[0], len(asked.sizes[0])
        exposure, breached = long_array((sizes, total)), long_array((sizes, total))
        present = long_array((sizes, total), np.int32)
        hits = long_array((len(asked.guesses), total), np.bool_)
        figures = np.zeros((len(asked.spans), max(map(len, asked.sizes)), 4))
        start = 0
        for several in self.engine.scan(exposed, asked, "exposing all records", self.progress):
            for told in several:
                part = slice(start, start + told.exposure.shape[1])
                here = asked.random - told.inside
                with np.errstate(invalid="ignore"):
                    exposure[:, part], breached[:, part] = told.exposure / here, told.breached / here
                present[:, part], hits[:, part], start = here, told.guessed, part.stop
                figures[:, :, 0] = np.maximum(figures[:, :, 0], told.figures[:, :, 0])
                figures[:, :, 1:] += told.figures[:, :, 1:]
        return RecordFigures(exposure, breached, present), figures, hits

    def guessed(self, part: Baselines) -> Baselines:
        """Baselines whose best blind guess is measured on all records; guesses are those of the part."""
        total = self.engine.shape[0]
        shares = {
            name: int(hit.sum()) / max(total - (name == OWN_GUESS), 1) for name, hit in self.blind_records.items()
        }
        best = max(shares, key=lambda name: shares[name])
        return replace(
            part,
            blind=shares[best],
            guess=WORDS[best],
            blind_records=self.blind_records[best],
            random_link_right=1 / total,
        )

    def looks(self, table: OwnersTable, rows: IntArray) -> Looks:
        """How some people look, beside all records; the average and the tenths are those of the part."""
        people, middle = self.engine.gather(rows), table.records.mean(axis=0)
        people = directions(people) if self.unit_length else people
        norms, copies = row_norms(people), np.zeros(len(rows), dtype=np.int64)
        if len(rows):
            asked = people, table.epsilon * norms, self.unit_length
            for near in self.engine.scan(_near, asked, "looking for near copies", self.progress):
                copies += near
        ends = tenths(row_norms(table.records - middle), table.norms)
        return Looks(row_norms(people - middle), norms, copies - 1, *ends)


def _near(block: FloatArray, first_row: int, asked: tuple[FloatArray, FloatArray, bool]) -> IntArray:
    """How many records of a block are within reach of each of some people."""
    people, reach, unit_length = asked
    rows = directions(block) if unit_length else block
    return np.array([int((row_norms(rows - one) <= far).sum()) for one, far in zip(people, reach, strict=True)])


def _figures(part: Figures, told: FloatArray, total: int, sizes: tuple[int, ...]) -> Figures:
    """Figures of one coalition on all records; quantiles and attributes are those of the part."""
    worst, every, breached, certain = told[: len(sizes)].T
    counts: list[Any] = [one.astype(np.int64) for one in (breached, certain)]
    return replace(
        part,
        worst=worst.copy(),
        mean=every / (total - np.array(sizes)),
        breached=counts[0],
        certain=counts[1],
        guessed_worst=worst.copy(),
        guessed_breached=counts[0],
    )
