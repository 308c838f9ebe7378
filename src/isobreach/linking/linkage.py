# SPDX-License-Identifier: BSD-3-Clause
"""Linking known records to their released rows.

``link`` finds which released row each known record must be: candidates by norm (one pass over the release) or by the
distances between them, then the assignments of all known records that keep every length that the motion keeps, then
what these have in common. It reports a link only when it is certain, within the release's precision.
"""

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from isobreach._progress import Progress, no_progress
from isobreach._validation import check_choice, check_integer, check_limit, check_table, check_tolerance, check_widths
from isobreach.blocks import Source, as_source
from isobreach.linking.motions import CHOICES, SOLVERS, Choice, Found, Motion, Setting, decide
from isobreach.linking.precision import Precision, given_precision, released_precision
from isobreach.linking.problem import Problem

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Rule = Literal["backbone", "uniquely-valid"]
RULES: tuple[Rule, ...] = get_args(Rule)
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
    motion: Choice = "orthogonal",
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
        Released rows, m x N with N >= n: an array or a source of blocks.
    motion
        What the release keeps: ``"orthogonal"`` norms and distances, ``"rigid"`` distances, ``"similarity"`` ratios
        of distances; ``"auto"`` decides between them and says why.
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
    check_choice("motion", motion, CHOICES)
    check_choice("rule", rule, RULES)
    tolerance = check_tolerance(tolerance)
    check_integer("node_limit", node_limit, least=1)
    chance_limit = check_limit("chance_limit", chance_limit)
    known = np.asarray(known)
    check_table("known", known)
    source = as_source(released)
    check_widths(known.shape[1], source.shape[1])
    # Equal known records are one: ``which`` maps each record to its place among the distinct ones.
    values = known.astype(np.float64) + 0.0  # no negative zeros
    seen: dict[bytes, int] = {}
    which = np.array([seen.setdefault(row.tobytes(), len(seen)) for row in values])
    distinct = np.ascontiguousarray(values[np.unique(which, return_index=True)[1]])
    problem = Problem(distinct, source, rule, node_limit, progress)
    precision = released_precision(source) if tolerance is None else given_precision(tolerance)
    known_unit = float(np.finfo(known.dtype).eps) / 2 if known.dtype.kind == "f" else 0.0
    known_unit = known_unit if known_unit > 2.0**-53 else 0.0
    setting = Setting(precision, known_unit, tolerance is not None, chance_limit)
    found = decide(problem, setting) if motion == "auto" else SOLVERS[motion](problem, setting)
    # Under "auto" several motions had a try: chance has to be ruled out even if no record is absent.
    doubted = motion == "auto" or found.solution.size < len(distinct)
    return _linkage(found, which, rule, chance_limit if doubted else np.inf)


def _linkage(found: Found, which: IntArray, rule: Rule, chance_limit: float) -> Linkage:
    solution = found.solution
    rows, status, candidates = [], [], []
    for record in range(len(solution.radius)):
        values = solution.agreement.possible.get(record, np.empty(0, dtype=np.int64))
        row = solution.row(record) if solution.chance.get(record, 0.0) <= chance_limit else -1
        rows.append(row)
        status.append("linked" if row >= 0 else "ambiguous" if len(values) else "absent")
        candidates.append(solution.found.rows_of_all(values))
    chance = np.array([solution.chance.get(record, np.nan) for record in range(len(solution.radius))])
    return Linkage(
        rows=np.array(rows, dtype=np.int64)[which],
        status=np.array(status, dtype="U9")[which],
        candidates=tuple(candidates[k] for k in which),
        complete=solution.agreement.complete,
        chance=chance[which] if solution.chance else None,
        precision=found.precision,
        radius=solution.radius[which],
        rule=rule,
        motion=found.motion,
        scale=found.scale,
        reason=found.reason,
    )


def linked_pairs(known: NDArray[Any], linkage: Linkage, source: Source) -> tuple[FloatArray, FloatArray]:
    """Linked records and their released rows, both q x n."""
    linked = linkage.linked
    return np.asarray(known, dtype=np.float64)[linked], source.take(linkage.rows[linked])
