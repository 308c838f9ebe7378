# SPDX-License-Identifier: BSD-3-Clause
"""Linking known records to their released rows.

Records keep norms and distances under an orthogonal motion. ``link`` finds which released row each known record must
be: candidates by norm (one pass over the release), then the assignments of all known records that keep every
distance, then what these have in common. It reports a link only when it is certain, within the release's precision.
"""

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from isobreach._progress import Progress, no_progress
from isobreach._validation import check_choice, check_integer, check_limit, check_table, check_tolerance, check_widths
from isobreach.blocks import Source, as_source
from isobreach.geometry import row_norms
from isobreach.linking.assignment import Budget, Geometry, Search
from isobreach.linking.backbone import Agreement, backbone, uniquely_valid
from isobreach.linking.candidates import Candidates, norm_candidates
from isobreach.linking.chance import chance_matches
from isobreach.linking.grid import on_grid, reads_exactly
from isobreach.linking.precision import EXACT, Precision, given_precision, released_precision

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Rule = Literal["backbone", "uniquely-valid"]
RULES: tuple[Rule, ...] = get_args(Rule)
Motion = Literal["orthogonal", "rigid", "similarity"]
MOTIONS: tuple[Motion, ...] = get_args(Motion)

NODE_LIMIT = 2_000_000
CHANCE_LIMIT = 1e-3


@dataclass(frozen=True, eq=False)
class Linkage:
    """Which released row each known record is.

    Attributes
    ----------
    rows
        Released row of each known record, -1 where it is not linked. Equal released rows are one value: the first.
    status
        ``"linked"``, ``"ambiguous"`` or ``"absent"``, one per known record.
    candidates
        Released rows that each known record could still be (all equal rows of a linked one, none for an absent one).
    complete
        False where the search limit was reached: what it left open is "ambiguous".
    chance
        Expected chance matches of each link, where a known record is absent and so others might be; else None.
    precision, radius
        The error of the release that was allowed for, and what it means for each known record: its released row is
        within ``radius`` of its exact image.
    rule, motion
        As asked for, or as decided.
    scale
        Released lengths over known ones: 1 unless the motion is a similarity or the noise shrinks records.
    noise
        Standard deviation of a released coordinate's random error; 0 where there is none.
    posterior
        Under noise: probability of each link, given the release; else None.
    reason
        Why this motion, in a sentence; empty where it was asked for.
    known_ids, released_ids
        Names of the rows, where the tables have any.
    """

    rows: IntArray
    status: NDArray[np.str_]
    candidates: tuple[IntArray, ...]
    complete: bool
    chance: FloatArray | None
    precision: Precision
    radius: FloatArray
    rule: Rule
    motion: Motion
    scale: float = 1.0
    noise: float = 0.0
    posterior: FloatArray | None = None
    reason: str = ""
    known_ids: NDArray[Any] | None = None
    released_ids: NDArray[Any] | None = None

    @property
    def linked(self) -> IntArray:
        """Indices of the linked known records."""
        return np.flatnonzero(self.rows >= 0)

    def counts(self) -> dict[str, int]:
        """Number of known records of each status."""
        return {name: int((self.status == name).sum()) for name in ("linked", "ambiguous", "absent")}


def link(
    known: NDArray[Any],
    released: NDArray[Any] | Source,
    *,
    motion: Motion = "orthogonal",
    rule: Rule = "backbone",
    tolerance: float | None = None,
    chance_limit: float = CHANCE_LIMIT,
    node_limit: int = NODE_LIMIT,
    progress: Progress = no_progress,
) -> Linkage:
    """Link known records to released rows.

    Parameters
    ----------
    known
        Records the attacker holds, a x n.
    released
        Released rows, m x n: an array or a source of blocks.
    motion
        What the release keeps: ``"orthogonal"`` motions keep norms and distances.
    rule
        ``"backbone"``: the links that every largest valid assignment agrees on. ``"uniquely-valid"``: the paper's
        maximal uniquely valid set, which is contained in it.
    tolerance
        Largest error of a released coordinate; None derives it from the release's own precision.
    chance_limit
        With an absent record among the known ones, links with more expected chance matches than this are ambiguous.
    node_limit
        Search nodes after which the rest is left ambiguous and ``complete`` is False.
    progress
        Called as ``progress(label, done, total)``.
    """
    check_choice("motion", motion, ("orthogonal",))
    check_choice("rule", rule, RULES)
    tolerance = check_tolerance(tolerance)
    check_integer("node_limit", node_limit, least=1)
    chance_limit = check_limit("chance_limit", chance_limit)
    known = np.asarray(known)
    check_table("known", known)
    source = as_source(released)
    check_widths(known.shape[1], source.shape[1])
    problem = _Problem(known, source, rule, chance_limit, node_limit, progress)
    if tolerance is not None:
        return problem.solve(given_precision(tolerance))
    precision = released_precision(source)
    if precision.step and on_grid(known, precision.step):
        linkage = problem.solve(EXACT)
        if not linkage.counts()["absent"] and reads_exactly(known, linkage.rows, source):
            return linkage
    return problem.solve(precision)


class _Problem:
    """Linking for one pair of tables, under whatever precision."""

    def __init__(
        self,
        known: NDArray[Any],
        source: Source,
        rule: Rule,
        chance_limit: float,
        node_limit: int,
        progress: Progress,
    ) -> None:
        # Equal known records are one: ``first`` lists them, ``which`` maps each record to its place there.
        values = known.astype(np.float64) + 0.0  # no negative zeros
        seen: dict[bytes, int] = {}
        self.which = np.array([seen.setdefault(row.tobytes(), len(seen)) for row in values])
        self.known = np.ascontiguousarray(values[np.unique(self.which, return_index=True)[1]])
        self.known_unit = float(np.finfo(known.dtype).eps) / 2 if known.dtype.kind == "f" else 0.0
        self.source, self.rule, self.chance_limit = source, rule, chance_limit
        self.node_limit, self.progress = node_limit, progress

    def solve(self, precision: Precision) -> Linkage:
        norms = row_norms(self.known)
        radius = precision.radius(norms, self.known.shape[1])
        if self.known_unit > 2.0**-53:
            radius = radius + self.known_unit * norms
        found = norm_candidates(self.known, radius, self.source, precision.unit, self.progress)
        geometry = Geometry(self.known, radius, found.points, found.copies)
        lists = {i: np.arange(found.first[i], found.last[i]) for i in range(len(self.known))}
        search = Search(geometry, lists, Budget(self.node_limit))
        agreement = backbone(search)
        if self.rule == "uniquely-valid":
            agreement = uniquely_valid(search, lists, agreement)
        chance = self._chance(geometry, lists, agreement)
        return self._linkage(found, agreement, chance, precision, radius)

    def _chance(self, geometry: Geometry, lists: dict[int, IntArray], agreement: Agreement) -> dict[int, float] | None:
        if agreement.size == len(self.known) or not agreement.links:
            return None
        records = sorted(agreement.links)
        values = [agreement.links[r] for r in records]
        others = [geometry.values[lists[r][lists[r] != v]] for r, v in zip(records, values, strict=True)]
        matches = chance_matches(
            self.known[records],
            geometry.radius[records],
            geometry.values[values],
            others,
            len(self.known),
            self.source,
        )
        return dict(zip(records, matches.tolist(), strict=True))

    def _linkage(
        self,
        found: Candidates,
        agreement: Agreement,
        chance: dict[int, float] | None,
        precision: Precision,
        radius: FloatArray,
    ) -> Linkage:
        rows, status, candidates = [], [], []
        none = np.empty(0, dtype=np.int64)
        for record in range(len(self.known)):
            values = agreement.possible.get(record, none)
            likely = chance is None or chance.get(record, 0.0) <= self.chance_limit
            is_linked = record in agreement.links and likely
            rows.append(int(found.rows_of(agreement.links[record])[0]) if is_linked else -1)
            status.append("linked" if is_linked else "ambiguous" if len(values) else "absent")
            places = [found.rows_of(v) for v in values.tolist()]
            candidates.append(places[0] if len(places) == 1 else np.sort(np.concatenate([none, *places])))
        return Linkage(
            rows=np.array(rows, dtype=np.int64)[self.which],
            status=np.array(status, dtype="U9")[self.which],
            candidates=tuple(candidates[k] for k in self.which),
            complete=agreement.complete,
            chance=None if chance is None else np.array([chance.get(int(k), np.nan) for k in self.which]),
            precision=precision,
            radius=radius[self.which],
            rule=self.rule,
            motion="orthogonal",
        )


def linked_pairs(known: NDArray[Any], linkage: Linkage, source: Source) -> tuple[FloatArray, FloatArray]:
    """Linked records and their released rows, both q x n."""
    linked = linkage.linked
    return np.asarray(known, dtype=np.float64)[linked], source.take(linkage.rows[linked])
