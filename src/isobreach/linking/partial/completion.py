# SPDX-License-Identifier: BSD-3-Clause
"""Completing partial records, one link after another.

Links of complete records give equations for the unknown attributes (``equations``). A partial record is linked where
exactly one released value fits, and where strangers would not fit, were all partial records such (``strangers``). It is
then complete and a link more, with the error of its solution, and gives equations to the others; all of these are tried
again until no more is found. Without a link of a complete record nothing is said of partial ones.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray, IntArray
from isobreach._progress import Progress
from isobreach.engine import Engine
from isobreach.geometry import row_norms
from isobreach.linking.candidates import distinct_values
from isobreach.linking.linkage import Linkage
from isobreach.linking.partial.attributes import Attributes
from isobreach.linking.partial.equations import Equations, LinkedView, fitting_rows
from isobreach.linking.partial.strangers import COUNTING, RowsAsStrangers
from isobreach.release import distinct_records, unit_roundoff

_MOST_ALIKE = 4096  # rows that fit one record, up to which they are compared: more are not the same point


@dataclass(frozen=True, eq=False)
class LinkedPairs:
    """Linked records in the release's units, the released row of each, and the error radius of each."""

    records: FloatArray
    released: FloatArray
    radius: FloatArray

    @classmethod
    def of(cls, linkage: Linkage, known: FloatArray, source: Engine) -> "LinkedPairs":
        """The links of known records, and those of a dictionary after them."""
        linked = linkage.linked
        return cls(known[linked] * linkage.scale, source.gather(linkage.rows[linked]), linkage.radius[linked])

    def with_more(self, found: "Iterable[Completed]") -> "LinkedPairs":
        """These and completed ones."""
        found = list(found)
        if not found:
            return self
        return LinkedPairs(
            np.concatenate([self.records, np.array([one.record for one in found])]),
            np.concatenate([self.released, np.array([one.released for one in found])]),
            np.concatenate([self.radius, np.array([one.radius for one in found])]),
        )

    def allows(self, one: "Completed") -> bool:
        """Whether the distances to all of these are released as they are: 0 where a row is shared."""
        apart = row_norms(self.records - one.record) - row_norms(self.released - one.released)
        return bool((np.abs(apart) <= self.radius + one.radius).all())


@dataclass(frozen=True, eq=False)
class Completed:
    """A record in the release's units with all its attributes, the rows that hold it, and how far it may err."""

    record: FloatArray
    released: FloatArray
    rows: IntArray
    radius: float
    unknown: int


def with_partial(
    known: NDArray[Any],
    linkage: Linkage,
    dictionary: NDArray[Any] | None,
    source: Engine,
    chance_limit: float,
    progress: Progress,
) -> Linkage:
    """Linkage of all known records, from that of the complete ones.

    Parameters
    ----------
    known
        All known records, NaN where an attribute is not known.
    linkage
        Links of the complete ones.
    dictionary
        Candidate records, whose links count as well.
    source
        The released rows.
    chance_limit
        Rows that may be expected to fit strangers, were all partial records such.
    progress
        Called as ``progress(label, done, total)``.
    """
    lacking = np.isnan(known).any(axis=1)
    whole = known[~lacking].astype(np.float64)
    if dictionary is not None:
        whole = np.concatenate([whole, np.asarray(dictionary, dtype=np.float64)])
    distinct, which = distinct_records(known[lacking])
    everyone = distinct_records(known)[0]
    search = _Search(
        distinct,
        unit_roundoff(known),
        Attributes.of(everyone, linkage.scale),
        source,
        chance_limit,
        linkage,
        progress,
    )
    search.run(LinkedPairs.of(linkage.joined, whole, source))
    return search.linkage(np.flatnonzero(lacking), which, len(known))


def _agreeing(new: dict[int, Completed], pairs: LinkedPairs) -> dict[int, Completed]:
    """Those of ``new`` whose distances agree with the links and with one another.

    Links that leave a direction open cannot tell a record from its mirror image: each of two may fit alone, and not
    both. Whoever lacks fewer attributes goes first; of two who lack as many, and contradict each other, neither.
    """
    kept: dict[int, Completed] = {}
    for lacking in sorted({one.unknown for one in new.values()}):
        allowed = {number: one for number, one in new.items() if one.unknown == lacking and pairs.allows(one)}
        both = pairs.with_more(allowed.values())
        kept |= {number: one for number, one in allowed.items() if both.allows(one)}
        pairs = pairs.with_more(one for number, one in allowed.items() if number in kept)
    return kept


class _Search:
    """The distinct partial records, and what was found out about them so far."""

    def __init__(
        self,
        records: FloatArray,
        unit: float,
        attributes: Attributes,
        source: Engine,
        chance_limit: float,
        given: Linkage,
        progress: Progress,
    ) -> None:
        self._own, self._unit, self._attributes = records, unit, attributes
        self._records = records * given.scale
        self._source, self._limit, self._given, self._progress = source, chance_limit, given, progress
        self.found: dict[int, Completed] = {}
        self.fitting: dict[int, IntArray] = {}
        self.chance = np.full(len(records), np.nan)

    def run(self, pairs: LinkedPairs) -> None:
        """Complete records until no more can be."""
        while len(pairs.records) and len(self.found) < len(self._records):
            new = self._round(pairs)
            if not new:
                break
            self.found |= new
            pairs = pairs.with_more(new.values())

    def _round(self, pairs: LinkedPairs) -> dict[int, Completed]:
        """Records that these links complete."""
        translates, precision = self._given.motion != "orthogonal", self._given.precision
        view = LinkedView.of(pairs.records, pairs.released, pairs.radius, precision, translates=translates)
        asked: dict[int, Equations] = {}
        for number, record in enumerate(self._records):
            own = self._unit * float(np.sqrt(np.nansum(record**2)))
            equations = None if number in self.found else Equations.of(record, view, own)
            if equations is not None:
                asked[number] = equations
        if not asked:
            return {}
        params = view, tuple(asked.values()), COUNTING.rows
        parts = list(self._source.scan(fitting_rows, params, "completing records", self._progress))
        strangers, new = RowsAsStrangers(self._source, view, self._attributes), {}
        for (number, equations), found in zip(asked.items(), zip(*parts, strict=True), strict=True):
            rows = self.fitting[number] = np.concatenate([part for part, _ in found])
            if not self._one_value(rows):
                continue
            near = np.sort(np.concatenate([part for _, part in found]))[: COUNTING.rows]
            has = ~np.isnan(self._records[number])
            # All partial records may be strangers, and each of them had a try.
            count = len(self._records)
            self.chance[number] = count * strangers.matches(equations, has, near, self._limit / count)
            if self.chance[number] <= self._limit:
                new[number] = self._completed(number, rows, equations, view)
        return _agreeing(new, pairs)

    def _one_value(self, rows: IntArray) -> bool:
        if not 0 < len(rows) <= _MOST_ALIKE:
            return False
        return len(distinct_values(self._source.gather(rows), rows, self._given.precision.unit)[0]) == 1

    def _completed(self, number: int, rows: IntArray, equations: Equations, view: LinkedView) -> Completed:
        released = self._source.gather(rows[:1])
        along, _, error = view.seen(released)
        record = self._records[number].copy()
        unknown = np.isnan(record)
        record[unknown] = equations.solved(along[0]) + view.motions.known_centre[unknown]
        bound = float(error[0]) + equations.own_error
        return Completed(record, released[0], rows, bound * (1 + 1 / equations.strength), int(unknown.sum()))

    def linkage(self, places: IntArray, which: IntArray, total: int) -> Linkage:
        """Linkage of all ``total`` known records: the partial ones stand at ``places``, as the distinct ``which``."""
        given, every = self._given, np.arange(self._source.shape[0])
        others = np.setdiff1d(np.arange(total), places)
        rows, status = np.full(total, -1, dtype=np.int64), np.full(total, "ambiguous", dtype="U9")
        radius, chance = np.full(total, np.nan), np.full(total, np.nan)
        candidates = [every] * total
        rows[others], status[others], radius[others] = given.rows, given.status, given.radius
        chance[others] = np.nan if given.chance is None else given.chance
        for place, part in zip(others.tolist(), given.candidates, strict=True):
            candidates[place] = part
        filled = []
        for place, number in zip(places.tolist(), which.tolist(), strict=True):
            one = self.found.get(number)
            candidates[place] = self.fitting.get(number, every) if one is None else one.rows
            chance[place] = self.chance[number]
            if one is not None:
                rows[place], status[place], radius[place] = one.rows[0], "linked", one.radius
                own = self._own[number]
                filled.append(np.where(np.isnan(own), one.record / given.scale, own))
            elif not len(candidates[place]):
                status[place] = "absent"
        return replace(
            given,
            rows=rows,
            status=status,
            candidates=tuple(candidates),
            chance=chance if np.isfinite(chance).any() else None,
            radius=radius,
            partial=places,
            filled=np.array(filled).reshape(len(filled), self._records.shape[1]),
        )
