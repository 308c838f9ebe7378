# SPDX-License-Identifier: BSD-3-Clause
"""Linking for one pair of tables: candidates, assignments, what these share, what chance would make."""

from dataclasses import dataclass, replace

import numpy as np

from isobreach._arrays import FloatArray, IntArray
from isobreach._progress import Progress
from isobreach.engine import Engine
from isobreach.geometry import row_norms
from isobreach.linking.candidates import (
    NARROWING,
    Candidates,
    Field,
    Lists,
    TooManyError,
    all_candidates,
    cores,
    extension,
    lists_of_all,
    lists_of_some,
    norm_candidates,
)
from isobreach.linking.chance import chance_matches, sampled_rows
from isobreach.linking.proposing import Places, fitting, longest_row, proposed, tells, too_many
from isobreach.linking.search import Agreement, Budget, Geometry, Search, backbone, uniquely_valid
from isobreach.release import Bounds, Precision


@dataclass(frozen=True)
class Comparing:
    """When norms say too little, and what an assignment by distances alone must have.

    Attributes
    ----------
    most
        Products, distances times columns, that comparing the two shortest lists of candidates may cost: about a second.
        Beyond, distances between all rows are the shorter way.
    rivals
        Other candidates of a record, at most, that show how common a distance is: its rate is then known within 2%.
    least
        Records that an assignment must have to say anything when norms do not: two can be swapped.
    """

    most: float = 2e9
    rivals: int = 2048
    least: int = 3


_COMPARING = Comparing()
_NOT_PROPOSED = "no three of the rows that the sample proposes fit, and pairs of so many rows are not compared"


@dataclass(frozen=True, eq=False)
class Solution:
    """What linking found out about the distinct known records.

    ``agreement`` is in terms of the values of ``found``; ``chance`` holds the expected chance matches of each link;
    ``everyone`` what each record could be if only its own lengths counted. ``proposed``: only rows that a sample
    proposed were compared, so that records without a link could be any row.
    """

    found: Candidates
    agreement: Agreement
    chance: dict[int, float]
    radius: FloatArray
    everyone: Lists
    proposed: bool = False

    @property
    def size(self) -> int:
        """Records in the largest valid assignments."""
        return self.agreement.size

    @property
    def absent(self) -> list[int]:
        """Records that are in no largest valid assignment."""
        return [i for i in range(len(self.radius)) if not len(self.agreement.possible.get(i, ()))]

    def row(self, record: int) -> int:
        """First released row that holds the record's value, -1 if it has no link."""
        value = self.agreement.links.get(record)
        return -1 if value is None else int(self.found.rows_of(value)[0])

    def shared(self, others: "list[Solution]") -> "Solution":
        """What may be, if this solution is as good as others over the same candidates: no link is certain."""
        possible = dict(self.agreement.possible)
        for other in others:
            for record, values in other.agreement.possible.items():
                possible[record] = np.union1d(possible.get(record, values), values)
        return replace(self, agreement=replace(self.agreement, links={}, possible=possible))

    def incomplete(self) -> "Solution":
        """The same after a search that was cut short: nothing is certain."""
        return replace(self, agreement=Agreement({}, self.everyone, 0, complete=False))


class Problem:
    """Distinct known records, in the release's units, and the release that they may be in."""

    def __init__(
        self,
        known: FloatArray,
        source: Engine,
        rule: str,
        node_limit: int,
        progress: Progress,
        sample: FloatArray | None = None,
    ) -> None:
        self.known, self.source, self.rule = known, source, rule
        self.node_limit, self.progress = node_limit, progress
        self.sample = sample
        self.scale = 1.0
        self._values: Candidates | None = None

    def scaled(self, scale: float) -> "Problem":
        """The same problem for records so many times as long."""
        other = Problem(self.known * scale, self.source, self.rule, self.node_limit, self.progress)
        other._values, other.scale = self._values, scale
        return other

    def values(self, unit: float) -> Candidates:
        """All released values, gathered once."""
        if self._values is None:
            self._values = all_candidates(len(self.known), self.source, unit, self.progress)
        return self._values

    def nothing(self, unit: float) -> Solution:
        """No record has a place: each could be any row, or none."""
        found = self.values(unit)
        everyone = {i: np.arange(len(found.points)) for i in range(len(self.known))}
        return Solution(found, Agreement({}, everyone, 0, complete=True), {}, np.zeros(len(self.known)), everyone)

    def by_norms(self, precision: Precision, known_unit: float, *, doubt: bool = False) -> Solution:
        """Links under motions that keep norms and distances."""
        norms = row_norms(self.known)
        error, radius = self._errors(precision, norms, known_unit * norms)
        if self.proposes and self._norms_tell_little(norms, error):
            solution = self._by_proposals(precision.unit, error, norms)
            if solution is not None:
                return replace(solution, radius=radius)
        found = norm_candidates(self.known, error, self.source, precision.unit, self.progress)
        lists = {i: np.arange(found.first[i], found.last[i]) for i in range(len(self.known))}
        sizes = np.sort(found.last - found.first)
        if len(sizes) > 1 and float(sizes[0]) * float(sizes[1]) * self.source.shape[1] > _COMPARING.most:
            solution = self._narrowed(found, error, lists, doubt=doubt)
        else:
            agreement = self._agreement(Geometry(self.known, error, found.points, found.copies), lists)
            solution = self._solution(found, error, lists, agreement, norms_kept=True, doubt=doubt)
        return replace(solution, radius=radius)

    def by_distances(self, precision: Precision, known_unit: float, scale_error: float | None = None) -> Solution:
        """Links under motions that keep distances alone; ``scale_error``, relative, of a scale that was found."""
        norms = row_norms(self.known)
        # An error of the scale moves a record by that share of its distance from the others' centre.
        own = known_unit * norms + (scale_error or 0.0) * row_norms(self.known - self.known.mean(axis=0))

        def errors(longest: float) -> tuple[FloatArray, FloatArray]:
            # A translation may be as long as the longest row and the longest record together.
            return self._errors(precision, np.full(len(norms), longest + float(norms.max())), own)

        if self.proposes:
            error, radius = errors(longest_row(self.source))
            solution = self._by_proposals(precision.unit, error)
            if solution is not None:
                return replace(solution, radius=radius)
        found = self.values(precision.unit)
        error, radius = errors(found.longest)
        scale = None if scale_error is None else self.scale
        return replace(self._narrowed(found, error, None, scale=scale), radius=radius)

    @property
    def proposes(self) -> bool:
        """Whether a sample proposes rows, because pairs of them are too many to be compared."""
        rows, columns = self.source.shape
        return tells(self.sample) and too_many(0.5 * rows**2, columns)

    def _norms_tell_little(self, norms: FloatArray, error: FloatArray) -> bool:
        """Whether the two records with the rarest norms could be so many rows that pairs of them are too many."""
        rows, columns = self.source.shape
        seen = row_norms(self.source.gather(sampled_rows(rows)))
        alike = [np.mean(np.abs(seen - norm) <= reach) for norm, reach in zip(norms, error, strict=True)]
        return len(norms) > 1 and too_many(float(np.prod(np.sort(alike)[:2])) * rows**2, columns)

    def _by_proposals(self, unit: float, error: FloatArray, norms: FloatArray | None = None) -> Solution | None:
        """Links of records, three or more, that rows proposed by the sample show, and of all others by these.

        ``norms``: those of the records where the motion keeps them. None where nothing is found and all pairs can be
        compared; where they cannot, nothing is decided.
        """
        assert self.sample is not None

        def agreeing(places: Places) -> Agreement:
            lists = places.lists if norms is None else places.of_length(norms, error)
            return self._agreement(Geometry(self.known, error, places.found.points, places.found.copies), lists)

        places = proposed(self.known, self.sample, self.source, unit, self.progress)
        agreement = agreeing(places)
        if len(agreement.links) >= _COMPARING.least:
            anchors = {record: places.found.points[value] for record, value in agreement.links.items()}
            rows = fitting(Bounds(self.known, error), anchors, self.source, self.progress)
            if rows is None:  # links that were not compared with all rows are none
                agreement = replace(agreement, links={})
            else:
                places = Places.of(rows, self.source, unit)
                agreement = agreeing(places)
        if len(agreement.links) < _COMPARING.least:
            if self.source.fits:
                return None
            agreement = Agreement({}, {}, 0, complete=False, limit=_NOT_PROPOSED)
        solution = self._solution(places.found, error, places.lists, agreement, norms_kept=False, doubt=True)
        return replace(solution, proposed=True)

    def _errors(self, precision: Precision, norms: FloatArray, own: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Length error and error radius of the records, whose ``own`` error comes on top."""
        columns = self.source.shape[1]
        return precision.length_error(norms, columns) + own, precision.radius(norms, columns) + own

    def _narrowed(
        self,
        found: Candidates,
        error: FloatArray,
        allowed: Lists | None,
        *,
        scale: float | None = None,
        doubt: bool = True,
    ) -> Solution:
        """Links by distances between candidates that are too many to compare one by one."""
        span = float(np.abs(found.points).max(initial=0.0)) * np.sqrt(found.points.shape[1])
        field = Field.of(found.points, found.copies, 8 * float(error.max()) * span, self.source.workers)
        everyone = {i: np.arange(found.first[i], found.last[i]) for i in range(len(self.known))}
        agreement = self._by_pairs(field, np.arange(len(self.known)), error, everyone, allowed)
        links, count = agreement.links, len(self.known)
        while self.rule == "uniquely-valid" and links and len(links) < count:
            # The records of the backbone alone: more of their values come into question (see ``backbone``).
            records, count = np.array(sorted(links)), len(links)
            part = None if allowed is None else {k: allowed[int(r)] for k, r in enumerate(records)}
            places = {k: everyone[int(r)] for k, r in enumerate(records)}
            narrower = self._by_pairs(field, records, error[records], places, part)
            links = {int(records[k]): v for k, v in narrower.links.items()} if narrower.complete else {}
        agreement = replace(agreement, links=links)
        return self._solution(
            found, error, everyone, agreement, norms_kept=allowed is not None, scale=scale, doubt=doubt
        )

    def _by_pairs(
        self, field: Field, records: IntArray, error: FloatArray, everyone: Lists, allowed: Lists | None
    ) -> Agreement:
        """What the largest valid assignments of some records share, by distances between pairs of candidates."""
        known = self.known[records]
        bounds = Bounds(known, error)
        geometry = Geometry(known, error, field.points, field.copies)

        def shared(lists: Lists) -> Agreement:
            return backbone(Search(geometry, lists, Budget(self.node_limit)))

        nothing = Agreement({}, everyone, 0, complete=True)
        try:
            lists = lists_of_all(bounds, field, allowed, self.progress)
            if all(len(values) for values in lists.values()):
                agreement = shared(lists)
                if agreement.size == len(known) or not agreement.complete:
                    return agreement
            for core in cores(bounds, field):
                lists = lists_of_some(bounds, field, core, allowed, self.progress)
                agreement = shared(lists)
                if agreement.size >= _COMPARING.least:
                    break
            else:  # three that fit may be spread over several cores
                return replace(nothing, complete=len(known) <= NARROWING.core)
            rest = np.setdiff1d(np.arange(len(known)), list(lists))
            if len(rest) and len(agreement.links) >= _COMPARING.least:
                placed = np.array(sorted(agreement.links))
                partial = np.array([[agreement.links[int(r)] for r in placed]])
                return shared(lists | extension(bounds, field, placed, partial, rest, allowed))
            # Of records beyond the most telling ones nothing was asked.
            return replace(agreement, possible=agreement.possible | {int(r): everyone[int(r)] for r in rest})
        except TooManyError as error:
            return replace(nothing, complete=False, limit=str(error))

    def _agreement(self, geometry: Geometry, lists: Lists) -> Agreement:
        search = Search(geometry, lists, Budget(self.node_limit))
        agreement = backbone(search)
        return uniquely_valid(search, lists, agreement) if self.rule == "uniquely-valid" else agreement

    def _solution(
        self,
        found: Candidates,
        error: FloatArray,
        lists: Lists,
        agreement: Agreement,
        *,
        norms_kept: bool,
        scale: float | None = None,
        doubt: bool,
    ) -> Solution:
        """What chance would make is asked where a known record is absent, where only distances tell, and in doubt."""
        chance: dict[int, float] = {}
        if agreement.links and (agreement.size < len(self.known) or doubt):
            records = sorted(agreement.links)
            values = [agreement.links[r] for r in records]
            rivals = [lists[r][lists[r] != v] for r, v in zip(records, values, strict=True)] if norms_kept else []
            others = [found.points[part[:: 1 + len(part) // _COMPARING.rivals]] for part in rivals]
            counts = [len(part) for part in rivals] or [0] * len(records)
            matches = chance_matches(
                self.known,
                np.array(records),
                error[records],
                found.points[values],
                others or [found.points[:0]] * len(records),
                counts,
                self.source,
                norms_kept=norms_kept,
                scale=scale,
            )
            chance = dict(zip(records, matches.tolist(), strict=True))
        return Solution(found, agreement, chance, error, lists)
