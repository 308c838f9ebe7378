# SPDX-License-Identifier: BSD-3-Clause
"""What an audit found: plain figures, each with its interval where it was sampled. Drawn and worded elsewhere."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._validation import check_integer
from isobreach.audits.attackers import AttackerFigures
from isobreach.audits.baselines import Baselines
from isobreach.audits.beyond import not_played
from isobreach.audits.criterion import Criterion
from isobreach.audits.figures import (
    AttributeFigures,
    ExposedPerson,
    Leak,
    RecordFigures,
    SingleInsider,
    SizeFigures,
    Smallest,
    leaks,
)
from isobreach.audits.intervals import Sampled, SampledShares
from isobreach.audits.matrix import AttackerMatrix, PlayedAttacker
from isobreach.audits.playing import Cell
from isobreach.audits.remedies import Remedies
from isobreach.errors import InputError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

INSIDERS = "known-input"  # the attack of insiders, for which there is a closed form


@dataclass(frozen=True)
class Reached:
    """The largest breached share for so much knowledge, and whose it is.

    ``attack``: None for the blind guess; ``cell``: what the attacker knows; ``closed_form``: mean over random
    coalitions instead of attackers played.
    """

    breached: Sampled
    attack: str | None
    cell: Cell
    variant: str = ""
    closed_form: bool = False


@dataclass(frozen=True)
class ReadShares:
    """Shares of vectors whose own record is nearest to their estimate, and among the five nearest."""

    top_1: Sampled
    top_5: Sampled


@dataclass(frozen=True, eq=False)
class AuditResult:
    """An audit: how few insiders are enough, who is exposed, which attribute leaks, and what would help.

    Attributes
    ----------
    scheme, scheme_parameters, motion, epsilon, level, sizes, trials, seed
        What was asked. ``level``: breach probability from which on a record counts as breached.
    covered
        Sizes at which greedy coalitions were played: smaller ones than those asked count too.
    rows, columns
        Of the table.
    part
        Records drawn from a table that stays in its files, for what needs them in memory; 0 where all of them were.
    per_size
        Figures of every coalition size.
    smallest
        The smallest coalitions that breach one record, 1%, 50% and all of the others.
    records, attributes
        Figures of every record and attribute.
    exposed
        The most exposed people whom a blind guess does not breach, up to a hundred.
    insider
        The single insider who exposes the most.
    greedy
        The records of the greedy coalitions, by name: their first k are the coalition of size k.
    baselines
        What attackers achieve who do not attack.
    readers
        Attacks that need no knowledge, on the release as it would be published: what they read up to the columns'
        names.
    matrix
        Attackers who were played, by what they know.
    remedies
        What noise would cost and bring; None where it was not asked for.
    rows_known
        Whether insiders were supposed to know their own rows, instead of finding them; under noise they always are.
    noise, unit_length
        Whether the scheme adds noise, and whether records are scaled to length one before they are released.
    undecided
        Random coalitions whose linking was given up at some size: their figures are lower bounds.
    names, ids
        Of the attributes and the records, where the table has any.
    left_out
        Columns of the table that hold no numbers: no figure is about them.
    length_shares
        Of each attribute, its share of the summed squares of all records: what a record's length is made of.
    steps
        What was done to the owner's table before: a column, what, and a sentence each.
    prepared
        The same in few sentences.
    beside
        Verdicts on the table prepared in other ways, by their names; only where that was asked for.
    samples_asked
        Sizes of public samples that were asked for; ``matrix.samples`` are those that were tried.
    not_asked
        Attacks that audits usually play and this one did not: their names, and why.
    criterion
        What may not be exceeded; None where no limit was given.
    target
        What the decision is held against, and remedies, where no limit was given.
    tested
        Whether anyone was played who could undo the scheme; otherwise only guesses were, and nothing was found out.
    rows_read
        Rows of the owner's table before some were dropped; 0 where it was taken as it is.
    ids_are_rows
        Whether ``ids`` are rows of the owner's table, counted from 0, because some were dropped.
    call
        What has to be typed in Python to get the same result.
    title
        What the table is called: the name of its file; empty where it came without one.
    suitable
        Attacks that groups play behind a scheme that is no motion.
    comparing
        The command that compares schemes on the same table; empty in Python.
    """

    scheme: str
    scheme_parameters: Mapping[str, Any]
    motion: str
    epsilon: float
    level: float
    sizes: tuple[int, ...]
    covered: tuple[int, ...]
    trials: int
    seed: int
    rows: int
    columns: int
    per_size: tuple[SizeFigures, ...]
    smallest: tuple[Smallest, ...]
    records: RecordFigures = field(repr=False)
    attributes: AttributeFigures = field(repr=False)
    insider: SingleInsider
    greedy: Mapping[str, IntArray] = field(repr=False)
    baselines: Baselines
    readers: tuple[AttackerFigures, ...]
    matrix: AttackerMatrix = field(repr=False)
    remedies: Remedies | None
    rows_known: bool
    noise: bool
    unit_length: bool
    undecided: int
    exposed: tuple[ExposedPerson, ...] = field(default=(), repr=False)
    names: tuple[str, ...] | None = None
    ids: NDArray[Any] | None = field(default=None, repr=False)
    left_out: tuple[str, ...] = ()
    part: int = 0
    samples_asked: tuple[int, ...] = ()
    not_asked: Mapping[str, str] = field(default_factory=dict)
    criterion: Criterion | None = None
    target: Criterion = field(default_factory=lambda: Criterion(0.05))
    length_shares: FloatArray = field(default_factory=lambda: np.zeros(0), repr=False)
    steps: tuple[Mapping[str, Any], ...] = ()
    prepared: tuple[str, ...] = ()
    beside: Mapping[str, str] = field(default_factory=dict)
    tested: bool = True
    rows_read: int = 0
    ids_are_rows: bool = False
    call: str = field(default="", repr=False)
    title: str = field(default="", repr=False)
    suitable: tuple[str, ...] = ()
    comparing: str = field(default="", repr=False)

    def at(self, size: int) -> SizeFigures:
        """Return the figures of one coalition size.

        Parameters
        ----------
        size
            One of ``sizes``.
        """
        return self.per_size[self._place(size)]

    def _place(self, size: int) -> int:
        """Where a coalition size stands in ``sizes``."""
        if size not in self.sizes:
            rule = f"must be one of the coalition sizes of this audit: {', '.join(map(str, self.sizes))}"
            raise InputError("size", rule, repr(size), "Run the audit again with coalition_sizes that include it.")
        return self.sizes.index(size)

    def up_to(self, size: int) -> tuple[SizeFigures, ...]:
        """Return the figures of that size and the smaller ones: insiders may leave some of their records out.

        Parameters
        ----------
        size
            The largest number of insiders.
        """
        return tuple(one for one in self.per_size if one.size <= size)

    def most_exposed(self, count: int, size: int | None = None) -> IntArray:
        """Return the records with the highest exposure to random coalitions.

        Parameters
        ----------
        count
            How many records.
        size
            Number of insiders; by default the mean over all sizes decides.
        """
        exposure = self.records.mean
        if size is not None:
            exposure = np.nan_to_num(self.records.exposure[self._place(size)], nan=-1.0)
        return np.argsort(-exposure, kind="stable")[:count]

    @cached_property
    def people_by_insiders(self) -> IntArray:
        """How many people half of the random coalitions breach from each size on, and last how many at no size.

        People whom a blind guess breaches are not counted.
        """
        return np.bincount(self.records.needed[~self.baselines.blind_records], minlength=len(self.sizes) + 1)

    @cached_property
    def indistinct(self) -> int:
        """How many people may be the most exposed: their intervals reach that of the first, whom they count too."""
        if not self.exposed:
            return 0
        reach = self.records.limits()[1] >= self.exposed[0].exposure.low  # not a number does not
        return int((reach & ~self.baselines.blind_records).sum())

    @property
    def met(self) -> Criterion:
        """What decision and remedies are held against: the owner's limit, or what stands in for it."""
        return self.target if self.criterion is None else self.criterion

    @property
    def moves(self) -> bool:
        """Whether the scheme moves every record by one motion, so that insiders' figures have a closed form."""
        return self.motion != "none"

    @property
    def method(self) -> str:
        """What insiders' figures are of: the distance attack, which is a closed form, or attacks that were played.

        The known-input attack that is played improves its estimates: it is called the refined distance attack.
        """
        return "distance attack" if self.moves else "suitable attacks"

    @property
    def attribute_count(self) -> int:
        """Number of attributes: a category in several columns is one."""
        return len(self.baselines.blind_attributes)

    @property
    def attackers(self) -> tuple[AttackerFigures | PlayedAttacker, ...]:
        """Everyone who attacked: first those without knowledge, then all who were played, the most dangerous first."""
        return (*self.readers, *self.matrix.attackers)

    def reached(self, insiders: int, sample: int = 0, *, ranges: bool = True, upper: bool = False) -> Reached:
        """Return the largest breached share that anyone reaches with at most so much knowledge, and who it is.

        The share is one figure, whoever is named: its value is that of the best attacker, and its interval that of the
        best of all, which ends where the interval of anyone ends. An attacker whose figure is lower but less certain
        may be the best.

        Parameters
        ----------
        insiders
            The largest number of insiders who pool their records.
        sample
            The largest size of a public sample.
        ranges
            Whether attackers count who know the ranges of the attributes, where any were played.
        upper
            Name the attacker whose interval ends highest, not the one whose figure is largest.
        """
        found = self._everyone(insiders, sample, ranges=ranges)

        def rank(one: Reached) -> tuple[float, int, int, int]:
            # Of equals the one who knows least: that is what an owner has to hear.
            share = one.breached.high if upper else one.breached.value
            return share, -one.cell.insiders, -one.cell.sample, -one.cell.ranges

        return replace(max(found, key=rank), breached=Sampled.largest([one.breached for one in found]))

    def _everyone(self, insiders: int, sample: int, *, ranges: bool) -> list[Reached]:
        """What everyone reaches with at most so much knowledge, the blind guess first."""
        found = [Reached(Sampled.exact(self.baselines.blind), None, Cell(0))]
        alone = self.baselines.no_known_record
        if alone is not None and not self.noise:
            found.append(Reached(Sampled.exact(alone), INSIDERS, Cell(0), closed_form=True))
        found += [Reached(Sampled.exact(one.share), one.name, Cell(0)) for one in self.readers if one.claimed]
        found += [Reached(one.random.mean, INSIDERS, Cell(one.size), closed_form=True) for one in self.up_to(insiders)]
        played = self.matrix.within(insiders, sample, ranges=ranges)
        return found + [Reached(best.breached, best.attack, cell, best.variant) for cell, best in played]

    def breached(self, insiders: int, sample: int = 0) -> Sampled:
        """Return the largest breached share that any attacker reaches with at most so much knowledge.

        The *breached share* is the expected share of other people's records that are estimated within epsilon. It never
        falls with more knowledge, because an attacker may ignore what he knows. So between two numbers that were played
        its interval reaches up to that of the larger. Beyond what was played it is the figure of the most that was: a
        lower bound, which may be far too low, and a ``NotPlayedWarning`` says so.

        Parameters
        ----------
        insiders
            The largest number of insiders who pool their records, 0 for nobody.
        sample
            The largest size of a public sample, 0 for none.
        """
        return self.reached(*self._asked(insiders, sample)).breached

    def learned(self, insiders: int, sample: int = 0) -> FloatArray:
        """Return, for each attribute, the largest share of others of whom any attacker learns it: never below a guess.

        Parameters
        ----------
        insiders, sample
            As for ``breached``.
        """
        return self._learned(*self._asked(insiders, sample)).value

    def learned_shares(self, insiders: int, sample: int = 0) -> SampledShares:
        """Return the same with its 95% intervals: ``value``, ``low`` and ``high``, arrays with an entry an attribute.

        Parameters
        ----------
        insiders, sample
            As for ``breached``.
        """
        return self._learned(*self._asked(insiders, sample))

    def leaks(self, insiders: int | None = None, more: float = 0.0) -> list[Leak]:
        """Return the attributes that are learned, beyond doubt, of more people than a blind guess is right for.

        The one to which the release adds most comes first.

        Parameters
        ----------
        insiders
            The largest number of insiders who pool their records, None for all that were audited.
        more
            By how much the lower end of the share of people has to exceed that of the guess.
        """
        largest = self.sizes[-1] if insiders is None else insiders
        shares = self.learned_shares(largest, self.matrix.samples[-1])
        return leaks(shares, self.baselines.blind_attributes, more)

    def read_out(self, insiders: int, sample: int = 0, *, ranges: bool = True) -> ReadShares | None:
        """Return the largest shares of other people whose vectors any attacker reads by looking his estimates up.

        A vector is read where its own record is nearest, by cosine, to its estimate (``top_1``), or among the five
        nearest (``top_5``), of all that a split publishes. Neither falls with more knowledge. None where nobody was
        played, and of tables of fewer than 100 columns, which are no vectors.

        Parameters
        ----------
        insiders, sample
            As for ``breached``.
        ranges
            As for ``reached``.
        """
        found = self.matrix.read(*self._asked(insiders, sample), ranges=ranges)
        if not found:
            return None
        best = SampledShares.largest(found)
        return ReadShares(best.of(0), best.of(1))

    def _learned(self, insiders: int, sample: int) -> SampledShares:
        figures = self.attributes
        closed = [
            SampledShares(figures.value[k], figures.low[k], figures.high[k])
            for k, size in enumerate(self.sizes)
            if size <= insiders
        ]
        blind = SampledShares.exact(self.baselines.blind_attributes)
        return SampledShares.largest([blind, *self.matrix.learned(insiders, sample), *closed])

    def _asked(self, insiders: int, sample: int) -> tuple[int, int]:
        """Knowledge that a caller's caller asks about; a warning where nobody was played who knows so much."""
        insiders, sample = check_integer("insiders", insiders, least=0), check_integer("sample", sample, least=0)
        beyond = not_played(insiders, sample, sizes=self.sizes, samples=self.matrix.samples, rows=self.rows)
        if beyond is not None:
            warnings.warn(beyond, stacklevel=3)
        return insiders, sample
