# SPDX-License-Identifier: BSD-3-Clause
"""Which motion: linking under each of them, and the decision between them.

What an orthogonal motion keeps a rigid one may lose, and what a rigid one keeps a similarity may lose: each asks less
of a release than the one before. ``decide`` takes the first under which all known records find a place together that
chance would not have made, or some of them one that it could not have made, and otherwise the one that links the most.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from isobreach.linking.problem import Problem, Solution
from isobreach.linking.scales import scales
from isobreach.release import EXACT, Motion, Precision, on_grid, reads_exactly

MOTIONS: tuple[Motion, ...] = get_args(Motion)
Choice = Literal["orthogonal", "rigid", "similarity", "auto"]
CHOICES: tuple[Choice, ...] = get_args(Choice)


@dataclass(frozen=True)
class Deciding:
    """When ``decide`` stops asking.

    Attributes
    ----------
    established
        Expected chance matches from which on down no further motion is tried. Only a motion that holds places records
        so: a millionth of what one link may have by default, because the estimate of chance is a rough one.
    most_scaled
        Rows of a release up to which a similarity is tried. It compares all pairs around every row: a few minutes for
        so many on two cores, and four times as long for twice as many.
    """

    established: float = 1e-9
    most_scaled: int = 32_768


DECIDING = Deciding()

_KEPT = {"orthogonal": "norms and distances", "rigid": "distances", "similarity": "ratios of distances"}


@dataclass(frozen=True, eq=False)
class Found:
    """A solution under a motion, and the precision under which it was found.

    ``if_named``: where nothing is decided, a motion that would link records if it were named, and how many.
    """

    motion: Motion
    solution: Solution
    precision: Precision
    scale: float = 1.0
    reason: str = ""
    if_named: tuple[Motion, int] | None = None


@dataclass(frozen=True)
class Setting:
    """How precise the two tables are, whether that was given, and how many chance matches a link may have.

    ``doubt``: what chance would make is to be asked even if no record is absent. ``partial``: whether other known
    records lack attributes, which no motion is asked about.
    """

    precision: Precision
    known_unit: float
    given: bool
    chance_limit: float
    doubt: bool
    partial: bool = False

    @property
    def posterior_limit(self) -> float:
        """What the posterior of a link may leave open; with a half, another row may be as likely."""
        return min(self.chance_limit, 0.5)


def orthogonal(problem: Problem, setting: Setting) -> Found:
    """Norms and distances are kept."""
    precision = setting.precision
    exact = None if setting.given or setting.known_unit else precision.unrounded
    if exact is not None:  # lengths agree to the last digits where nothing was rounded; chance does not make them
        solution = problem.by_norms(exact, setting.known_unit, doubt=setting.doubt)
        if not solution.absent:
            return Found("orthogonal", solution, exact)
    elif not setting.given and precision.step and on_grid(problem.known, precision.step):
        solution = problem.by_norms(EXACT, setting.known_unit, doubt=setting.doubt)
        rows = np.array([solution.row(i) for i in range(len(problem.known))])
        if not solution.absent and reads_exactly(problem.known, rows, problem.source):
            return Found("orthogonal", solution, EXACT)
    return Found("orthogonal", problem.by_norms(precision, setting.known_unit, doubt=setting.doubt), precision)


def rigid(problem: Problem, setting: Setting) -> Found:
    """Distances are kept."""
    solution = problem.by_distances(setting.precision, setting.known_unit)
    return Found("rigid", solution, setting.precision)


def similarity(problem: Problem, setting: Setting) -> Found:
    """Distances are kept up to a factor: of those that ratios of distances allow, the one that links the most."""
    best, complete = Found("similarity", problem.nothing(setting.precision.unit), setting.precision), True
    for found in scales(problem, setting.precision, setting.known_unit):
        complete = complete and found.complete
        several = [best] if best.solution.size else []
        for scale, error in found.values:
            solution = problem.scaled(scale).by_distances(setting.precision, setting.known_unit, error)
            complete = complete and solution.agreement.complete
            several.append(replace(best, solution=solution, scale=scale))
        if several:
            best = max(several, key=lambda one: (one.solution.size, -one.scale))
            rivals = [one.solution for one in several if one is not best and one.solution.size == best.solution.size]
            if rivals:  # as many records fit at another scale: neither scale nor links are known
                best = replace(best, solution=best.solution.shared(rivals))
        if best.solution.size == len(problem.known):
            break
    return best if complete else replace(best, solution=best.solution.incomplete())


SOLVERS: dict[str, Callable[[Problem, Setting], Found]] = {
    "orthogonal": orthogonal,
    "rigid": rigid,
    "similarity": similarity,
}


def decide(problem: Problem, setting: Setting, motions: Sequence[Motion] = MOTIONS) -> Found:
    """The one of these motions, each asking less than the one before, that the data speak for, and why."""
    known, untried, sure = len(problem.known), "", False
    tried: list[tuple[int, Found]] = []
    for motion in motions:
        if tried and not (problem.source.fits or problem.proposes):
            untried = "; distances alone were not tried: they need all rows in memory, where these do not fit"
            break
        if motion == "similarity" and problem.source.shape[0] > DECIDING.most_scaled:
            untried = f"; a similarity was not tried on more than {DECIDING.most_scaled:,} rows"
            break
        found = SOLVERS[motion](problem, setting)
        chances = [found.solution.chance.get(r, 0.0) for r in found.solution.agreement.links]
        likely = [chance for chance in chances if chance <= setting.chance_limit]
        tried.append((len(likely), found))
        sure = min(likely, default=np.inf) <= DECIDING.established
        if likely and (sure or found.solution.size == known):
            break
    count, best = max(tried, key=lambda one: one[0])
    best = best if count else tried[-1][1]  # nothing fits: then the motion that asks least says least
    records = "complete known records" if setting.partial else "known records"
    if not count:
        reason = f"no motion places the {records} together in a way that chance would not: nothing is decided"
        several = (_if_named(found, known) for _, found in tried)
        return replace(best, reason=reason + untried, if_named=next(filter(None, several), None))
    if best.solution.size == known:
        reason = f"all {records} are found with their {_KEPT[best.motion]}"
        before = MOTIONS[: MOTIONS.index(best.motion)]
        reason += "".join(f", not with their {_KEPT[name]}" for name in before[-1:])
    else:
        some, kept = best.solution.size, _KEPT[best.motion]
        why = "as chance could not have placed them" if sure else "more than otherwise"
        reason = f"{some} of {known} {records} are found with their {kept}, {why}"
    return replace(best, reason=reason)


def _if_named(found: Found, known: int) -> tuple[Motion, int] | None:
    """How many records a motion would link if it were named: chance is then not asked where all find a place."""
    links = len(found.solution.agreement.links)
    all_placed = found.solution.size == known and found.motion != "similarity"
    return (found.motion, links) if links and all_placed else None
