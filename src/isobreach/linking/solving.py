# SPDX-License-Identifier: BSD-3-Clause
"""From a problem to a linkage, one way for each kind of release.

Exact: lengths agree within the worst case of rounding. Rounded: the worst case where it tells, noise where not. Noisy:
posteriors. Projected: posteriors, and no link. Empty: no complete record.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from isobreach._arrays import IntArray
from isobreach.geometry import row_norms
from isobreach.linking.candidates import Field
from isobreach.linking.linkage import Linkage, Rule, assemble
from isobreach.linking.motions import MOTIONS, SOLVERS, Choice, Setting, decide
from isobreach.linking.narrow import projected_guesses, untold
from isobreach.linking.noisy import NoisyProblem, NoisySolution, Squares
from isobreach.linking.problem import Problem
from isobreach.linking.rounding import rounds_like_noise, strangers_fit, worst_case_tells
from isobreach.release import EXACT, Motion, on_grid, reads_exactly

Noise = float | Literal["estimate"] | None


@dataclass(frozen=True)
class NoiseRange:
    """Noise levels that are told apart, as shares of the longest released row.

    Attributes
    ----------
    least
        Below it, lengths computed in double precision show no noise.
    most
        Above it, nothing of a record shows.
    shortest
        Length of a row whose square is still a normal number.
    """

    least: float = 1e-9
    most: float = 1e6
    shortest: float = 1e-130


_NOISE = NoiseRange()
_UNTOLD = (
    "the release is narrower than the records: behind a projection something is told only of motions that fix the "
    "origin, with noise of a given level"
)
_PROJECTED = "the release is narrower than the records: distances agree within a band only, and no link is certain"
_PROPOSED = "a public sample proposed rows, and exact distances tell which are right"
_ROUNDED = "they are found within rounding taken as noise, whose worst case would say too little"


def rounded_linkage(problem: Problem, setting: Setting, motion: Choice, rule: Rule, which: IntArray) -> Linkage:
    """Links within the worst case of rounding; rounding is taken as noise where the worst case says too little.

    Parameters
    ----------
    problem
        Known records and released rows.
    setting
        How precise both are, limit of chance.
    motion
        What may have been done to the records.
    rule
        Which links count.
    which
        Distinct record of each known one.
    """
    motions = MOTIONS if motion == "auto" else (motion,)
    if not rounds_like_noise(setting, problem.source):
        return _exact_linkage(problem, setting, motions, rule, which)
    if setting.precision.unrounded is not None:  # lengths agree to the last digits where nothing was rounded
        exact = replace(setting, precision=setting.precision.unrounded)
        linkage = _exact_linkage(problem, exact, motions[:1], rule, which)
        if len(linkage.linked):
            return linkage
    if motions[0] == "orthogonal" and on_grid(problem.known, setting.precision.step):  # columns may only be permuted
        linkage = _exact_linkage(problem, replace(setting, precision=EXACT), motions[:1], rule, which)
        rows = linkage.rows[np.unique(which, return_index=True)[1]]
        if (rows >= 0).all() and reads_exactly(problem.known, rows, problem.source):
            return linkage
    if worst_case_tells(problem, setting, motion):
        # A similarity compares all pairs around every row, and most of them fit where rounding is coarse.
        linkage = _exact_linkage(problem, setting, motions[:2], rule, which)
        if len(linkage.linked):
            return linkage
    linked = noisy_linkage(problem, setting, motion, None, which)
    return replace(linked, reason=_ROUNDED) if len(linked.linked) else linked


def _exact_linkage(
    problem: Problem, setting: Setting, motions: Sequence[Motion], rule: Rule, which: IntArray
) -> Linkage:
    found = SOLVERS[motions[0]](problem, setting) if len(motions) == 1 else decide(problem, setting, motions)
    solution = found.solution
    # Where several motions or scales had a try, chance has to be ruled out even if no record is absent; and where a
    # release is so coarse that strangers fit it.
    several = len(motions) > 1 or found.motion == "similarity"
    doubted = (
        several
        or solution.proposed
        or strangers_fit(found.precision, problem.source)
        or solution.size < len(problem.known)
    )
    chance_limit = setting.chance_limit if doubted else np.inf
    chances = solution.chance
    links = {r: v for r, v in solution.agreement.links.items() if chances.get(r, 0.0) <= chance_limit}
    # An assignment that chance may have made does not show others to be absent either.
    some = bool(solution.agreement.links) or solution.size < len(solution.radius)
    doubtful = some and not links and np.isfinite(chance_limit)
    linkage = assemble(
        solution.found,
        links,
        solution.everyone if doubtful else solution.agreement.possible,
        which,
        complete=solution.agreement.complete,
        limit=solution.agreement.limit,
        chance=np.array([chances.get(r, np.nan) for r in range(len(solution.radius))]) if chances else None,
        precision=found.precision,
        radius=solution.radius,
        rule=rule,
        motion=found.motion,
        scale=found.scale,
        reason="; ".join(filter(None, (found.reason, _PROPOSED if solution.proposed and links else ""))),
        if_named=found.if_named,
    )
    return linkage.open_elsewhere(problem.source.shape[0]) if solution.proposed else linkage


def noisy_linkage(problem: Problem, setting: Setting, motion: Choice, noise: Noise, which: IntArray) -> Linkage:
    """Links with posteriors, under noise that is given, looked for, or made by rounding alone.

    Parameters
    ----------
    problem, setting, motion, which
        As for ``rounded_linkage``.
    noise
        Its standard deviation, ``"estimate"``, or None: rounding alone.
    """
    found = problem.values(setting.precision.unit)
    longest = found.longest
    # Rounding is noise too. Its worst case is not asked for besides: that grows with the number of columns.
    rounding = setting.precision.deviation(longest, found.points.shape[1])
    error = (setting.known_unit + EXACT.relative + EXACT.unit) * longest
    field = Field.of(found.points, found.copies, np.inf, problem.source.workers)
    squares = Squares(found.points, problem.source.workers)
    limit = setting.posterior_limit
    # Less than what arithmetic can see, or more than hides everything, is taken for that.
    least, most = (share * max(longest, _NOISE.shortest) for share in (_NOISE.least, _NOISE.most))
    tried: list[tuple[Motion, NoisySolution]] = []
    # Under noise a scale is found for strangers too: it must be named. Rounding leaves less room.
    several = MOTIONS[:2] if noise else MOTIONS
    for name in several if motion == "auto" else (motion,):
        noisy = NoisyProblem(
            problem.known,
            field,
            squares,
            error,
            translates=name != "orthogonal",
            scales=name == "similarity",
            gain=setting.precision.gain,
            progress=problem.progress,
        )
        solution = (
            noisy.estimated(limit)
            if noise == "estimate"
            else noisy.solve(float(np.clip(np.hypot(noise or 0.0, rounding), least, most)), limit)
        )
        tried.append((name, solution))
        # Rows of one length about the origin: a translation would show in them.
        if 2 * len(solution.certain(limit)) > len(problem.known) or (name == "orthogonal" and solution.unit):
            break
    # Of motions that link as many, here none, the one that asks least.
    name, solution = max(reversed(tried), key=lambda one: len(one[1].certain(limit)))
    links = solution.certain(limit)
    # Without links to hold on to, a record could be anywhere.
    places = solution.candidates if links else (np.arange(len(found.points)),) * len(problem.known)
    absent = solution.absent(limit)
    possible = {k: v for k, v in enumerate(places) if k not in absent}
    norms = row_norms(problem.known) * solution.scale + (longest if name != "orthogonal" else 0.0)
    reason = ""
    if motion == "auto":
        reason = (
            f"{len(links)} of {len(problem.known)} known records are found within the noise by a motion of this kind"
        )
    return assemble(
        found,
        links,
        possible,
        which,
        complete=solution.complete,
        chance=solution.chance,
        precision=setting.precision,
        radius=setting.precision.radius(norms, found.points.shape[1]) + setting.known_unit * norms,
        rule="backbone",
        motion=name,
        scale=solution.scale,
        noise=solution.deviation,
        posterior=solution.posterior,
        reason=reason,
    )


def projected_linkage(problem: Problem, setting: Setting, motion: Choice, noise: Noise, which: IntArray) -> Linkage:
    """Posteriors behind a projection that fixes the origin, with noise of a given level; no link.

    Parameters
    ----------
    problem, setting, which
        As for ``rounded_linkage``.
    motion, noise
        As given. Nothing is told where a translation is named, nor where the level of the noise is to be found.
    """
    found = problem.values(setting.precision.unit)
    field = Field.of(found.points, found.copies, np.inf, problem.source.workers)
    if noise == "estimate" or motion not in ("auto", "orthogonal"):
        guesses, reason = untold(len(problem.known), len(found.points)), _UNTOLD
    else:
        level = float(noise or 0.0)
        guesses, reason = projected_guesses(problem.known, found, field, problem.progress, level), _PROJECTED
    return assemble(
        found,
        {},
        guesses.candidates,
        which,
        complete=guesses.complete,
        chance=None,
        precision=setting.precision,
        radius=np.zeros(len(problem.known)),
        rule="backbone",
        motion="orthogonal" if motion == "auto" else motion,
        scale=guesses.scale,
        posterior=guesses.posterior,
        reason=reason,
    )


def no_linkage(setting: Setting, motion: Choice, rule: Rule) -> Linkage:
    """Of no complete record: nothing tells the motion.

    Parameters
    ----------
    setting
        How precise the tables are.
    motion, rule
        As asked.
    """
    none = np.empty(0)
    return Linkage(
        rows=none.astype(np.int64),
        status=none.astype("U9"),
        candidates=(),
        complete=True,
        chance=None,
        precision=setting.precision,
        radius=none,
        rule=rule,
        motion=MOTIONS[-1] if motion == "auto" else motion,
        reason="no known record is complete: nothing is decided" if motion == "auto" else "",
    )
