# SPDX-License-Identifier: BSD-3-Clause
"""Linking known records to their released rows.

``link`` finds which released row each known record must be: candidates by norm (one pass over the release) or by the
distances between them, then the assignments of all known records that keep every length that the motion keeps, then
what these have in common. It reports a link only when it is certain, within the release's precision; under noise, when
its posterior leaves next to nothing for anything else.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from isobreach._progress import Progress, no_progress
from isobreach._validation import (
    check_choice,
    check_integer,
    check_limit,
    check_not_negative,
    check_same_width,
    check_table,
    check_tolerance,
    check_widths,
)
from isobreach.engine import Engine, as_engine
from isobreach.errors import InputError
from isobreach.geometry import row_norms
from isobreach.linking.candidates import Field, check_entries, telling_order
from isobreach.linking.chance import Rates, log_sets, sampled, sampled_rows, telling_distances
from isobreach.linking.dictionary import Anchors, exact_entries, noisy_entries
from isobreach.linking.linkage import RULES, Linkage, Rule, assemble
from isobreach.linking.motions import CHOICES, MOTIONS, SOLVERS, Choice, Setting, decide
from isobreach.linking.narrow import projected_guesses, truncated
from isobreach.linking.noisy import NoisyProblem, NoisySolution, Squares
from isobreach.linking.partial import with_partial
from isobreach.linking.problem import Problem
from isobreach.release import (
    EXACT,
    Bounds,
    Motion,
    Precision,
    distinct_records,
    given_precision,
    released_precision,
    unit_roundoff,
)

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Noise = float | Literal["estimate"] | None

NODE_LIMIT = 2_000_000
CHANCE_LIMIT = 1e-3


@dataclass(frozen=True)
class NoisyRounding:
    """When rounding is taken as noise because its worst case leaves all records open.

    Attributes
    ----------
    columns
        Of the release, at least. The errors of a distance add up to the root of their number in the worst case, and to
        one as noise: a cut at five deviations gains a factor of two from 32 columns on.
    relative, step
        Precision that is coarse: that of 16 bits, not that of 32, which leaves no record open, nor what underflows
        in 32 bits.
    records
        Known records, the most telling ones, that say whether the worst case can link any.
    partial
        Partial assignments within the worst case, as many as chance makes, up to which it is tried first: a few
        seconds.
    """

    columns: int = 32
    relative: float = 1e-6
    step: float = 2.0**-100
    records: int = 32
    partial: float = 1e6


NOISY_ROUNDING = NoisyRounding()
_TRUNCATED = "the release is narrower than the records: it holds the first attributes, moved"
_PROJECTED = "the release is narrower than the records: distances agree within a band only, and no link is certain"
_ROUNDED = "the worst case of rounding says too little: rounding is taken as noise"


def link(
    known: NDArray[Any],
    released: NDArray[Any] | Engine,
    *,
    motion: Choice = "auto",
    rule: Rule = "backbone",
    tolerance: float | None = None,
    noise: Noise = None,
    dictionary: NDArray[Any] | None = None,
    chance_limit: float = CHANCE_LIMIT,
    node_limit: int = NODE_LIMIT,
    progress: Progress = no_progress,
) -> Linkage:
    """Link known records to released rows.

    Parameters
    ----------
    known
        Records the attacker holds, a x n; NaN where an attribute is not known. Complete records are linked first; their
        links complete the others where they can, always within ``chance_limit``.
    released
        Released rows, m x N: an array or an engine. With 32 <= N < n, the first N attributes are tried; then a
        projection, where distances agree within a band: posteriors, and no link.
    motion
        What the release keeps: ``"orthogonal"`` norms and distances, ``"rigid"`` distances, ``"similarity"`` ratios
        of distances; ``"auto"`` decides between them and says why. It rules out chance for every link: where known
        records are few or the release is coarse, a motion that is named may link more.
    rule
        ``"backbone"``: the links that every largest valid assignment agrees on. ``"uniquely-valid"``: the paper's
        maximal uniquely valid set, which is contained in it.
    tolerance
        Largest error of a released coordinate; None derives it from the release's own precision.
    noise
        Standard deviation of independent random errors of the released coordinates, or ``"estimate"`` to find it from
        the release. Links then come with posteriors, and count where these leave at most ``chance_limit`` open;
        ``rule`` and ``node_limit`` do not matter. Known records must be complete then.
    dictionary
        Many candidate records, of which most may be absent: looked for once the complete known ones are linked.
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
    noise = _checked_noise(noise)
    known = np.asarray(known)
    check_table("known", known, partial=True)
    source = as_engine(released)
    if dictionary is not None:
        dictionary = np.asarray(dictionary)
        check_table("dictionary", dictionary)
        check_same_width(known.shape[1], dictionary.shape[1])
    lacking = np.isnan(known).any(axis=1)
    source.keep(sampled_rows(source.shape[0]))  # picked up while norms are looked up
    if noise and lacking.any():
        got = f"{lacking.sum()} with missing cells"
        raise InputError("known", "must hold complete records where there is noise", got, "Leave those out.")
    narrow = known.shape[1] > source.shape[1]
    # Of a table of a few columns some were left out by mistake; vectors are cut and projected.
    if lacking.any() or dictionary is not None or source.shape[1] < NOISY_ROUNDING.columns:
        check_widths(known.shape[1], source.shape[1])
    if narrow:
        # The first attributes, as a release of its own; where they are not what is released, a projection.
        cut = truncated(known, source.shape[1], source.gather(sampled_rows(source.shape[0])))
        linkage = link(
            cut,
            source,
            motion=motion,
            rule=rule,
            tolerance=tolerance,
            noise=noise,
            chance_limit=chance_limit,
            node_limit=node_limit,
            progress=progress,
        )
        if len(linkage.linked):
            return replace(linkage, reason=_TRUNCATED)
    precision = released_precision(source) if tolerance is None else given_precision(tolerance)
    doubt = motion == "auto" or _strangers_fit(precision, source)
    setting = Setting(precision, unit_roundoff(known), tolerance is not None, chance_limit, doubt)
    if lacking.all():
        check_entries(source)
        return with_partial(known, _no_linkage(setting, motion, rule), None, source, chance_limit, progress)
    distinct, which = distinct_records(known[~lacking])
    problem = Problem(distinct, source, rule, node_limit, progress)
    if narrow:
        return _projected_linkage(problem, setting, which)
    if noise:
        linkage = _noisy_linkage(problem, setting, motion, noise, which)
    else:
        linkage = _rounded_linkage(problem, setting, motion, rule, which)
    if dictionary is not None:
        linkage = replace(linkage, dictionary=_dictionary(problem, setting, linkage, which, dictionary))
    return with_partial(known, linkage, dictionary, source, chance_limit, progress) if lacking.any() else linkage


def _checked_noise(noise: Any) -> Noise:
    if isinstance(noise, str) and noise != "estimate":
        raise InputError("noise", "must be None, a number >= 0 or 'estimate'", repr(noise))
    return noise if noise is None or noise == "estimate" else check_not_negative("noise", noise)


def _rounded_linkage(problem: Problem, setting: Setting, motion: Choice, rule: Rule, which: IntArray) -> Linkage:
    """Links within the worst case of rounding; rounding is taken as noise where the worst case says too little."""
    motions = MOTIONS if motion == "auto" else (motion,)
    if not _rounds_like_noise(setting, problem.source):
        return _exact_linkage(problem, setting, motions, rule, which)
    if setting.precision.unrounded is not None:  # lengths agree to the last digits where nothing was rounded
        exact = replace(setting, precision=setting.precision.unrounded)
        linkage = _exact_linkage(problem, exact, motions[:1], rule, which)
        if len(linkage.linked):
            return linkage
    if _worst_case_tells(problem, setting, motion):
        # A similarity compares all pairs around every row, and most of them fit where rounding is coarse.
        linkage = _exact_linkage(problem, setting, motions[:2], rule, which)
        if len(linkage.linked):
            return linkage
    linked = _noisy_linkage(problem, setting, motion, None, which)
    return replace(linked, reason=_ROUNDED) if len(linked.linked) else linked


def _rounds_like_noise(setting: Setting, source: Engine) -> bool:
    """Whether rounding, taken as noise, leaves much less open than its worst case does."""
    return not setting.given and source.shape[1] >= NOISY_ROUNDING.columns and _coarse(setting.precision)


def _strangers_fit(precision: Precision, source: Engine) -> bool:
    """Whether a release is so coarse that strangers may find a place in it together, however it was moved.

    A table of a few columns is left to whoever names its motion: there links hold if the records are in it, and chance,
    which is counted a record at a time, would refuse twenty true links in 16 bits.
    """
    return source.shape[1] >= NOISY_ROUNDING.columns and _coarse(precision)


def _coarse(precision: Precision) -> bool:
    fine = precision.step <= NOISY_ROUNDING.step and precision.relative <= NOISY_ROUNDING.relative
    return not fine or precision.rounding is not None


def _worst_case_tells(problem: Problem, setting: Setting, motion: Choice) -> bool:
    """Whether the worst case of rounding can link: chance would not, and there are not too many partial assignments."""
    if not setting.precision.bounded:
        return False
    rows, columns = problem.source.shape
    sample = problem.source.gather(sampled_rows(rows))
    norms = row_norms(sample) if motion in ("orthogonal", "auto") else None
    own = row_norms(problem.known) + (0.0 if norms is not None else float(row_norms(sample).max()))
    bounds = Bounds(problem.known, setting.precision.length_error(own, columns) + setting.known_unit * own)
    rates = Rates.between(sample)
    order = telling_order(bounds, rates, np.arange(len(own)))[: NOISY_ROUNDING.records]
    blur = float(bounds.radius.max())
    telling = telling_distances(problem.known[order], sampled(sample), blur, norms_kept=norms is not None, among=True)
    log = log_sets(bounds, rates, order, rows, norms, telling)
    least = log[min(3, len(order)) - 1 :].min()
    return bool(least <= np.log(setting.chance_limit) and log.max() <= np.log(NOISY_ROUNDING.partial))


def _projected_linkage(problem: Problem, setting: Setting, which: IntArray) -> Linkage:
    """Posteriors behind a projection; no link."""
    found = problem.everything(setting.precision.unit)
    field = Field.of(found.points, found.copies, np.inf, problem.source.workers)
    guesses = projected_guesses(problem.known, found, field, problem.progress)
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
        motion="orthogonal",
        scale=guesses.scale,
        posterior=guesses.posterior,
        reason=_PROJECTED,
    )


def _no_linkage(setting: Setting, motion: Choice, rule: Rule) -> Linkage:
    """Of no complete record: nothing tells the motion."""
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


def _exact_linkage(
    problem: Problem, setting: Setting, motions: Sequence[Motion], rule: Rule, which: IntArray
) -> Linkage:
    found = SOLVERS[motions[0]](problem, setting) if len(motions) == 1 else decide(problem, setting, motions)
    solution = found.solution
    # Where several motions or scales had a try, chance has to be ruled out even if no record is absent; and where a
    # release is so coarse that strangers fit it.
    several = len(motions) > 1 or found.motion == "similarity"
    doubted = several or _strangers_fit(found.precision, problem.source) or solution.size < len(problem.known)
    chance_limit = setting.chance_limit if doubted else np.inf
    chances = solution.chance
    links = {r: v for r, v in solution.agreement.links.items() if chances.get(r, 0.0) <= chance_limit}
    # An assignment that chance may have made does not show others to be absent either.
    some = bool(solution.agreement.links) or solution.size < len(solution.radius)
    doubtful = some and not links and np.isfinite(chance_limit)
    return assemble(
        solution.found,
        links,
        solution.everyone if doubtful else solution.agreement.possible,
        which,
        complete=solution.agreement.complete,
        chance=np.array([chances.get(r, np.nan) for r in range(len(solution.radius))]) if chances else None,
        precision=found.precision,
        radius=solution.radius,
        rule=rule,
        motion=found.motion,
        scale=found.scale,
        reason=found.reason,
        if_named=found.if_named,
    )


def _noisy_linkage(problem: Problem, setting: Setting, motion: Choice, noise: Noise, which: IntArray) -> Linkage:
    found = problem.everything(setting.precision.unit)
    longest = found.longest
    # Rounding is noise too. Its worst case is not asked for besides: that grows with the number of columns.
    rounding = setting.precision.deviation(longest, found.points.shape[1])
    error = (setting.known_unit + EXACT.relative + EXACT.unit) * longest
    field = Field.of(found.points, found.copies, np.inf, problem.source.workers)
    squares = Squares(found.points, problem.source.workers)
    limit = min(setting.chance_limit, 0.5)
    # Less than what arithmetic can see, or more than hides everything, is taken for that.
    least, most = 1e-9 * max(longest, 1e-130), 1e6 * max(longest, 1e-130)
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


def _dictionary(
    problem: Problem, setting: Setting, linkage: Linkage, which: IntArray, dictionary: NDArray[Any]
) -> Linkage:
    """Linkage of candidate records, by the known ones that are linked."""
    candidates, place = distinct_records(dictionary)
    candidates = candidates * linkage.scale
    found = problem.everything(setting.precision.unit)
    value_of = np.empty(problem.source.shape[0], dtype=np.int64)
    value_of[found.rows] = np.repeat(np.arange(len(found.points)), found.copies)
    linked, first = np.unique(which[linkage.linked], return_index=True)
    values = value_of[linkage.rows[linkage.linked[first]]]
    columns, longest = found.points.shape[1], found.longest

    def norms_of(records: FloatArray) -> FloatArray:
        own = row_norms(records)
        return own if linkage.motion == "orthogonal" else own + longest

    known = problem.known[linked] * linkage.scale

    def error_of(records: FloatArray) -> FloatArray:
        norms = norms_of(records)
        error = linkage.precision.length_error(norms, columns) + setting.known_unit * norms
        if linkage.motion != "similarity" or len(known) < 2:
            return error
        # A scale found from the anchors is known as well as their distances are, and errs the more far from them.
        away = row_norms(known - known.mean(axis=0)).max()
        return np.asarray(error + 2 * float(error.max()) / away * row_norms(records - known.mean(axis=0)))

    anchors = Anchors(known, values, error_of(known))
    limit, progress = min(setting.chance_limit, 0.5) if linkage.noise else setting.chance_limit, problem.progress
    rest = {
        "complete": linkage.complete,
        "precision": linkage.precision,
        "radius": linkage.precision.radius(norms_of(candidates), columns)
        + unit_roundoff(dictionary) * norms_of(candidates),
        "rule": linkage.rule,
        "motion": linkage.motion,
        "scale": linkage.scale,
        "noise": linkage.noise,
    }
    if not len(values):
        everything = dict.fromkeys(range(len(candidates)), np.arange(len(found.points)))
        return assemble(found, {}, everything, place, chance=None, **rest)
    if linkage.noise:
        translates = linkage.motion != "orthogonal"
        entries = noisy_entries(
            candidates, anchors, found, linkage.noise, translates=translates, limit=limit, progress=progress
        )
    else:
        error = error_of(candidates) + unit_roundoff(dictionary) * row_norms(candidates)
        kept = linkage.motion == "orthogonal"
        entries = exact_entries(candidates, error, anchors, found, norms_kept=kept, limit=limit, progress=progress)
    return assemble(
        found, entries.links, entries.possible, place, chance=entries.chance, posterior=entries.posterior, **rest
    )
