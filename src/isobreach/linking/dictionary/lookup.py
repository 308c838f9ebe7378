# SPDX-License-Identifier: BSD-3-Clause
r"""Many candidate records, most of which are not in the release: a dictionary.

Linked known records are the anchors. A candidate can only be a row whose distances from the anchors' rows (and whose
norm, where the motion keeps it) are the candidate's own; in a fine release that is one row or none. Candidates found so
become anchors themselves, and all are looked for again, until no more are found. Being absent is the rule here, so a
candidate is linked only if chance would not have made the match: with K candidates, m rows, and p_j the share of rows
at the right distance from anchor j,

    K * m * prod_j p_j

chance matches are expected among all candidates as telling as this one. At most as many distances count as determine a
point, the least telling ones. Where some columns are on a coarse grid distances are not independent, and no fewer
chance matches are expected than on a candidate's sheet (``isobreach.linking.chance.sheets``). Under noise the
posterior decides instead (``isobreach.linking.noisy.likelihood``), its prior being the share of candidates that are
present, as the candidates themselves show it.
"""

from dataclasses import dataclass, replace

import numpy as np

from isobreach._arrays import FloatArray, IntArray
from isobreach._progress import Progress
from isobreach.geometry import procrustes_residual, row_norms
from isobreach.linking.candidates import Candidates, distances_from, values_agreeing
from isobreach.linking.chance import Rates, least_telling, log_matches_on_sheets, sampled, telling_distances
from isobreach.linking.noisy import BELIEVING, Likelihood, Posterior
from isobreach.release import Bounds, grid_spacing


@dataclass(frozen=True)
class LookingUp:
    """How candidates are looked up.

    Attributes
    ----------
    anchors
        Links by whose distances candidates are found: more would not tell more.
    rounds
        Each links by the anchors of the one before; later ones find next to nothing.
    likely
        Posterior above which a candidate becomes an anchor of the next round.
    fitted
        New links to which the motion is fitted again.
    worse
        Share of true rows that may be lost for the sake of near copies, which dictionaries are full of.
    folds
        Parts of the linked candidates, each judged by a fit to the others.
    sure
        Standard errors by which links must show less noise than was given: it may count rounding twice.
    """

    anchors: int = 32
    rounds: int = 6
    likely: float = 0.5
    fitted: int = 2048
    worse: float = 1e-3
    folds: int = 8
    sure: float = 3.0


_LOOKUP = LookingUp()


@dataclass(frozen=True, eq=False)
class Entries:
    """What was found out about the distinct candidates, over the values of ``found``."""

    links: dict[int, int]
    possible: dict[int, IntArray]
    chance: FloatArray
    posterior: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Anchors:
    """Linked records in the release's units, and their values."""

    records: FloatArray
    values: IntArray
    error: FloatArray


def exact_entries(
    candidates: FloatArray,
    error: FloatArray,
    anchors: Anchors,
    found: Candidates,
    *,
    norms_kept: bool,
    limit: float,
    progress: Progress,
) -> Entries:
    """Candidates whose lengths agree within their ``error``."""
    chosen = anchors
    entries = _exact_round(candidates, error, chosen, found, norms_kept, limit)
    for done in range(_LOOKUP.rounds):
        progress("looking up candidates", done, _LOOKUP.rounds)
        more = _more_anchors(candidates, error, anchors, entries)
        if len(more.values) == len(chosen.values):
            break
        chosen, before = more, entries
        entries = _exact_round(candidates, error, chosen, found, norms_kept, limit)
        if len(entries.links) < len(before.links):  # a new anchor contradicts others: the sure ones alone count
            entries = before
            break
    progress("looking up candidates", _LOOKUP.rounds, _LOOKUP.rounds)
    return entries


def _more_anchors(candidates: FloatArray, error: FloatArray, anchors: Anchors, entries: Entries) -> Anchors:
    """The sure anchors, and linked candidates up to a number that makes no difference any more: the most telling."""
    new = sorted(entries.links, key=lambda r: entries.chance[r])[: max(0, _LOOKUP.anchors - len(anchors.values))]
    values = np.array([entries.links[r] for r in new], dtype=np.int64)
    fresh = ~np.isin(values, anchors.values)
    return Anchors(
        np.concatenate([anchors.records, candidates[new][fresh]]),
        np.concatenate([anchors.values, values[fresh]]),
        np.concatenate([anchors.error, error[new][fresh]]),
    )


def _exact_round(
    candidates: FloatArray, error: FloatArray, anchors: Anchors, found: Candidates, norms_kept: bool, limit: float
) -> Entries:
    count, total = len(candidates), int(found.copies.sum())
    bounds = Bounds(np.concatenate([anchors.records, candidates]), np.concatenate([anchors.error, error]))
    places = np.arange(len(anchors.values))
    records = len(places) + np.arange(count)
    low, high = bounds.distances(places, records)
    spacing = grid_spacing(candidates) ** 2
    log = np.stack(
        [
            Rates(distances_from(found.points, value) ** 2, spacing).log_share(low[j], high[j])
            for j, value in enumerate(anchors.values.tolist())
        ],
        axis=1,
    )
    # The most telling anchors first: the lookup is by the first, the others confirm.
    order = np.argsort(log.mean(axis=0), kind="stable")
    start, hits = values_agreeing(found.points, found.copies, anchors.values[order], low[order], high[order])
    own = _own_values(candidates, anchors)
    expected = np.full(count, np.log(count) + np.log(total))
    norms = row_norms(found.points)
    origins, nearest, furthest = anchors.records, low, high
    if norms_kept:
        least, most = bounds.norms(records)
        expected += Rates(norms**2, spacing).log_share(least, most)
        origins = np.vstack([origins, np.zeros(candidates.shape[1])])
        nearest, furthest = np.vstack([low, least]), np.vstack([high, most])
    blur = float(error.max())
    telling = telling_distances(found.points[anchors.values], sampled(found.points), blur, norms_kept=norms_kept)
    expected += least_telling(log, telling)
    on_sheets = log_matches_on_sheets(candidates, origins, nearest, furthest, total, blur, telling + norms_kept)
    expected = np.maximum(expected, on_sheets)
    chance = np.exp(np.minimum(expected, 700.0))
    links, possible = {}, {}
    for k in range(count):
        values = hits[start[k] : start[k + 1]]
        if norms_kept:
            values = values[(norms[values] >= least[k]) & (norms[values] <= most[k])]
        if k in own:  # an anchor's row is taken, but not for the anchor's own record
            values = np.union1d(values, [own[k]])
        if len(values):
            possible[k] = np.sort(values)
        if len(values) == 1 and chance[k] <= limit:
            links[k] = int(values[0])
    return Entries(_unshared(links, found), possible, chance)


def _own_values(candidates: FloatArray, anchors: Anchors) -> dict[int, int]:
    """Values of the candidates that are an anchor's own record."""
    values = {row.tobytes(): int(value) for row, value in zip(anchors.records, anchors.values, strict=True)}
    places = {k: values.get(row.tobytes()) for k, row in enumerate(np.ascontiguousarray(candidates))}
    return {k: value for k, value in places.items() if value is not None}


def noisy_entries(
    candidates: FloatArray,
    anchors: Anchors,
    found: Candidates,
    deviation: float,
    *,
    translates: bool,
    limit: float,
    progress: Progress,
) -> Entries:
    """Candidates by their posterior under noise."""
    present, row = BELIEVING.present, np.zeros(len(candidates), dtype=np.int64)
    links: dict[int, int] = {}
    own, taken = _own_values(candidates, anchors), set(anchors.values.tolist())
    for done in range(_LOOKUP.rounds):
        progress("looking up candidates", done, _LOOKUP.rounds)
        new = {k: v for k, v in links.items() if v not in taken}
        new = dict(list(new.items())[: _LOOKUP.fitted])
        posterior = _judged(candidates, anchors, new, row, found.points, deviation, translates, present).among_twins()
        for _ in range(3):
            present = float(np.clip(1 - posterior.absence.mean(), 1e-3, 1 - 1e-3))
            posterior = replace(posterior, present=present)
        probability = posterior.among_rivals(found.copies)
        before, row = links, posterior.row
        links = {int(k): int(posterior.row[k]) for k in np.flatnonzero(probability > _LOOKUP.likely)}
        links = {k: v for k, v in links.items() if v not in taken or own.get(k) == v or found.copies[v] > 1}
        links = _unshared(links, found)
        if links == before:
            break
    progress("looking up candidates", _LOOKUP.rounds, _LOOKUP.rounds)
    links = {k: v for k, v in links.items() if probability[k] >= 1 - limit}
    possible = {
        k: places for k, places in enumerate(posterior.candidates) if posterior.absence[k] < 1 - limit and len(places)
    }
    possible |= {k: np.array([v]) for k, v in links.items()}
    # Expected chance matches, given the release: what the posterior leaves to everything but the link.
    return Entries(links, possible, 1 - probability, probability)


def _judged(
    candidates: FloatArray,
    anchors: Anchors,
    links: dict[int, int],
    rows: IntArray,
    points: FloatArray,
    deviation: float,
    translates: bool,
    present: float,
) -> Posterior:
    """Posterior of every candidate, by a fit to no link of the row it may be: a fit follows what it is fitted to."""
    linked = np.array(list(links), dtype=np.int64)
    records = np.concatenate([anchors.records, candidates[linked]])
    values = np.concatenate([anchors.values, rows[linked]])
    level = _level(records, points[values], deviation, translates)
    parts = min(_LOOKUP.folds, len(linked)) or 1
    part = rows % parts
    sure, judged = np.arange(len(values)) < len(anchors.values), []
    for one in np.unique(part).tolist():
        kept = sure | (values % parts != one)
        like = Likelihood(
            records[kept],
            points[values[kept]],
            points,
            level,
            translates=translates,
            spacing=grid_spacing(candidates),
        )
        places = np.flatnonzero(part == one)
        judged.append((places, like.posterior(candidates[places], present, _LOOKUP.worse)))
    return Posterior.together(judged)


def _level(records: FloatArray, rows: FloatArray, deviation: float, translates: bool) -> float:
    """Level of the noise: less than was given where the links show less, beyond doubt."""
    rss, freedom = procrustes_residual(records, rows, translates)
    if freedom <= 0:
        return deviation
    return min(deviation, float(np.sqrt(rss / freedom) * (1 + _LOOKUP.sure / np.sqrt(2 * freedom))))


def _unshared(links: dict[int, int], found: Candidates) -> dict[int, int]:
    """Links whose value holds as many rows as there are candidates linked to it."""
    values, counts = np.unique(np.array(list(links.values()), dtype=np.int64), return_counts=True)
    crowded = set(values[counts > found.copies[values]].tolist())
    return {k: v for k, v in links.items() if v not in crowded}
