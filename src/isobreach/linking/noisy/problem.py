# SPDX-License-Identifier: BSD-3-Clause
r"""Linking a release that carries noise.

1. Seeds: partial assignments of a few records that pass a joint test of all their lengths (``seeds``).
2. Each of the best is weighed by what it says of the other known records, and grown: the motion is fitted to the links
   so far, every record gets its posterior over all rows (``likelihood``), the likely ones become links, until nothing
   changes. A record that is itself among the fitted ones is judged by the others alone.
3. A record's posterior is that of the grown solutions, weighted. It is linked if that leaves less than the limit for
   everything else, and if chance alone would not have made the match.

Nothing is searched for where chance would place all known records together anyhow: no link could count.

An unknown noise level is looked for upwards, where little noise leaves little to search, to the largest that the
release allows: noise has no direction, so no direction of the release has less variance. Where links are found, their
misfit gives the level, and they are judged again with it. An unknown scale (``scaling``) is tried where it is likeliest
first; the lengths of a seed give it more precisely.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import logsumexp

from isobreach._arrays import FloatArray, IntArray
from isobreach._progress import Progress
from isobreach.geometry import procrustes_residual
from isobreach.linking.candidates import Field, TooManyError, telling_order
from isobreach.linking.chance import log_sets, most_telling_pair, sampled, telling_distances
from isobreach.linking.noisy.law import joint_law, lengths_of
from isobreach.linking.noisy.likelihood import Likelihood, Posterior
from isobreach.linking.noisy.scaling import SCALING, Scale, scale_of
from isobreach.linking.noisy.seeds import SEEDING, Seeds, seeds
from isobreach.linking.noisy.solution import GROWING, Links, NoisySolution
from isobreach.linking.noisy.squares import Squares
from isobreach.release import Bounds, grid_spacing


@dataclass(frozen=True, eq=False)
class _View:
    """Known records as they would be in the release: scaled, with this noise.

    ``norms_kept``: norms tell something of a record. ``searched``: the scale was looked for among several.
    """

    known: FloatArray
    deviation: float
    scale: Scale
    norms_kept: bool
    searched: bool = False


class NoisyProblem:
    """Distinct known records and a field of released values under motions of one kind.

    Parameters
    ----------
    known
        The records, K x n.
    field
        Released values.
    squares
        Their distances.
    error
        Largest error of a length that is no noise.
    translates, scales
        What the motions do besides rotating.
    gain
        What rounding does to lengths: see ``scale_of``.
    progress
        Called as ``progress(label, done, total)``.
    """

    def __init__(
        self,
        known: FloatArray,
        field: Field,
        squares: Squares,
        error: float,
        *,
        translates: bool,
        scales: bool = False,
        gain: float = 1.0,
        progress: Progress,
    ) -> None:
        self.known, self.field, self.squares, self.error = known, field, squares, error
        self.translates, self.scales, self.gain, self.progress = translates, scales, gain, progress
        self.spacing = grid_spacing(known)

    def scale(self, deviation: float) -> tuple[Scale, bool]:
        """Scale of the records within the release at a noise level, and whether all of them have one length."""
        return scale_of(
            self.known,
            self.field.points,
            deviation,
            translates=self.translates,
            scales=self.scales,
            gain=self.gain,
        )

    def solve(self, deviation: float, limit: float, *, tries: bool = True) -> NoisySolution:
        """Links at a given noise level, at the scales that are likeliest; ``tries``: at several if need be."""
        scale, unit = self.scale(deviation)
        kept = not self.translates and not unit
        # A typical squared distance, relative to itself, by the noise alone.
        square = 2 * float(np.var(self.field.points, axis=0).sum())
        step = SCALING.width * float(np.sqrt(8 * deviation**2 / max(square, 1e-300)))
        best = self._nothing(deviation, scale.value)
        for one in scale.tries(step) if tries else [scale]:
            searched = one.error > 0
            view = _View(self.known * one.value, deviation, one, kept, searched)
            solution = self._solved(view, limit)
            best = max(best, solution, key=lambda found: len(found.certain(limit)))
            if self._most(best, limit) or solution.crowded:
                best = replace(best, crowded=solution.crowded, complete=best.complete and solution.complete)
                break
        return replace(best, unit=unit)

    def _solved(self, view: _View, limit: float) -> NoisySolution:
        """Links at one scale, from several beginnings until one links most of the records."""
        known, columns = view.known, self.field.points.shape[1]
        best = self._nothing(view.deviation, view.scale.value)
        if self._hopeless(view, limit):
            return replace(best, crowded=True)
        asked = SEEDING.records * (SEEDING.records + 1) // 2
        error = np.full(len(known), self.error)
        bounds = Bounds(known, error, view.deviation, columns, asked, scale_error=view.scale.error)
        first = np.arange(len(known))
        for _ in range(GROWING.beginnings):
            if len(first) < 2:
                break
            try:
                found = seeds(
                    bounds, self.field, self.squares, first, norms_kept=view.norms_kept, progress=self.progress
                )
            except TooManyError:
                return replace(best, complete=False, crowded=True)
            if len(found.partial):
                for settled in self._settled(view, found):
                    solution = self._grown(settled, found)
                    best = max(best, solution, key=lambda one: len(one.certain(limit)))
            # Where many are left after the last record, another beginning would not tell more.
            crowded = len(found.partial) > GROWING.hopeless
            best = replace(best, crowded=crowded)
            if self._most(best, limit) or crowded:
                break
            first = np.setdiff1d(first, found.records[:2])
        return best

    def _settled(self, view: _View, found: Seeds) -> list[_View]:
        """The view at the scales that the best seeds show; as it is where the scale is known."""
        if not view.scale.error:
            return [view]
        lengths = lengths_of(len(found.records), view.norms_kept)
        records, columns = view.known[found.records], self.field.points.shape[1]
        mean, covariance = joint_law(records, lengths, view.deviation, columns, view.scale.error)
        exact, _ = joint_law(records, lengths, 0.0, columns)
        views: list[_View] = []
        for values in found.partial[: GROWING.grown]:
            gaps = self._lengths(values, lengths) - mean
            change = view.scale.error**2 * float(exact @ np.linalg.solve(covariance, gaps))
            factor = float(np.sqrt(max(1 + change, 0.1)))
            scale = Scale(view.scale.value * factor)
            if all(abs(scale.value / one.scale.value - 1) > view.scale.error / 4 for one in views):
                views.append(replace(view, known=view.known * factor, scale=scale))
        return views

    def _lengths(self, values: IntArray, lengths: IntArray) -> FloatArray:
        """Squared lengths of some values."""
        rows = self.field.points[values]
        before = np.where(lengths[:, :1] >= 0, rows[lengths[:, 0]], 0.0)
        return np.asarray(((rows[lengths[:, 1]] - before) ** 2).sum(axis=1))

    def _most(self, solution: NoisySolution, limit: float) -> bool:
        return len(solution.certain(limit)) >= max(min(GROWING.least, len(self.known)), (len(self.known) + 1) // 2)

    def _grown(self, view: _View, found: Seeds) -> NoisySolution:
        """The solution that the best seeds grow into."""
        grown: dict[tuple[tuple[int, int], ...], float] = {}
        weight, best = self._weighed(
            view, found.records, found.partial[: GROWING.weighed], found.misfit[: GROWING.weighed]
        )
        for k in best:
            links = dict(zip(found.records.tolist(), found.partial[k].tolist(), strict=True))
            # A seed that mostly agrees with a solution would grow into the same one.
            if any(2 * len(links.items() & set(name)) >= len(links) for name in grown):
                continue
            links = self._grow(view, links)
            name = tuple(sorted(links.items()))
            if links:
                grown[name] = max(grown.get(name, -np.inf), float(weight[k]))
        return self._mixed(view, grown) if grown else self._nothing(view.deviation, view.scale.value)

    def refined(self, solution: NoisySolution, limit: float) -> NoisySolution:
        """The solution judged anew at the noise level that its links show."""
        for _ in range(3):
            links = solution.certain(limit)
            if len(links) < GROWING.least:
                break
            records = sorted(links)
            rows = self.field.points[[links[r] for r in records]]
            scale, deviation = solution.scale, solution.deviation
            for _ in range(3):  # the scale depends on the noise, and the misfit a little on the scale
                rss, freedom = procrustes_residual(self.known[records] * scale, rows, self.translates)
                deviation = float(np.sqrt(rss / max(freedom, 1)))
                guess, unit = self.scale(deviation)
                scale = guess.value if not guess.error else self._fitted_scale(records, rows, deviation) or scale
            if not deviation > 0:
                break
            kept = not self.translates and not unit
            view = _View(self.known * scale, deviation, Scale(scale), kept, guess.error > 0)
            grown = self._grow(view, links)
            if not grown:
                break
            change = abs(deviation / solution.deviation - 1)
            solution = self._mixed(view, {tuple(sorted(grown.items())): 0.0})
            if change < 0.01:
                break
        return solution

    def _fitted_scale(self, records: list[int], rows: FloatArray, deviation: float) -> float:
        """Scale of linked records, the noise's share in their lengths taken off; 0 where nothing is left."""
        known, count = self.known[records], len(records) - self.translates
        if self.translates:
            known, rows = known - known.mean(axis=0), rows - rows.mean(axis=0)
        kept = float((rows**2).sum()) - count * rows.shape[1] * deviation**2
        size = float((known**2).sum())
        return float(np.sqrt(kept / size)) if kept > 0 and size > 0 else 0.0

    def estimated(self, limit: float) -> NoisySolution:
        """Links at a noise level found from the release: the first, from the smallest up, that links most records."""
        best, unit = self._nothing(0.0, 1.0), False
        for deviation in self.levels():
            solution = self.solve(deviation, limit, tries=False)
            best = max(best, solution, key=lambda one: len(one.certain(limit)))
            unit = unit or solution.unit
            if self._most(best, limit) or solution.crowded:  # more noise would only crowd it more
                break
        best = self.refined(best, limit)
        # At a level that is not borne out by most of the records, the few that fit say nothing.
        found = best if self._most(best, limit) else replace(self._nothing(np.nan, 1.0), complete=best.complete)
        return replace(found, unit=unit)

    def levels(self) -> list[float]:
        """Noise levels to try, upwards: the largest is the least spread of the release in any direction."""
        points = self.field.points
        if len(points) < 2:
            return []
        spread = np.linalg.eigvalsh(np.cov(points.T).reshape(points.shape[1], -1))
        largest = float(np.sqrt(1.1 * max(spread[0], 0.0)))
        levels = largest * GROWING.factor ** -np.arange(GROWING.levels, dtype=np.float64)
        return [float(level) for level in levels[::-1] if level > self.error]

    def _nothing(self, deviation: float, scale: float) -> NoisySolution:
        count = len(self.known)
        everything = np.arange(len(self.field.points))
        unknown = np.full(count, np.nan)
        return NoisySolution({}, np.zeros(count), np.zeros(count), (everything,) * count, unknown, deviation, scale)

    def _likelihood(self, view: _View, links: Links) -> Likelihood:
        records = sorted(links)
        rows = self.field.points[[links[r] for r in records]]
        return Likelihood(
            view.known[records],
            rows,
            self.field.points,
            view.deviation,
            translates=self.translates,
            spacing=self.spacing,
        )

    def _weighed(
        self, view: _View, records: IntArray, partial: IntArray, misfit: FloatArray
    ) -> tuple[FloatArray, list[int]]:
        """Log weight of each partial assignment by its misfit and the other records, and the few to grow."""
        rest = np.setdiff1d(np.arange(len(view.known)), records)
        weight = -misfit / 2
        if len(rest):
            for k, values in enumerate(partial.tolist()):
                like = self._likelihood(view, dict(zip(records.tolist(), values, strict=True)))
                weight[k] += like.posterior(view.known[rest]).evidence.sum()
        return weight, np.argsort(-weight, kind="stable")[: GROWING.grown].tolist()

    def _grow(self, view: _View, links: Links) -> Links:
        """Links that the motion fitted to them makes likely, from a few on until nothing changes."""
        for _ in range(GROWING.rounds):
            grown = _likely(self._judged(view, links))
            if grown == links or not grown:
                return grown
            links = grown
        return links

    def _judged(self, view: _View, links: Links) -> Posterior:
        """Posterior of every record, of a linked one by other links alone."""
        posterior = self._likelihood(view, links).posterior(view.known)
        if len(links) > GROWING.alone or len(links) < 2:
            return posterior.by_share()
        records = np.array(sorted(links))
        for fold in range(min(GROWING.folds, len(records))):
            judged = records[fold :: GROWING.folds]
            others = {r: v for r, v in links.items() if r not in judged}
            posterior = posterior.with_others(judged, self._likelihood(view, others).posterior(view.known[judged]))
        return posterior.by_share()

    def _mixed(self, view: _View, grown: dict[tuple[tuple[int, int], ...], float]) -> NoisySolution:
        """One posterior out of several grown solutions, by their weights."""
        count = len(view.known)
        weights = np.array(list(grown.values()))
        weights = np.exp(weights - logsumexp(weights))
        parts = [self._judged(view, dict(name)) for name in grown]
        best = int(np.argmax(weights))
        lead = parts[best]
        posterior, absence = np.zeros(count), np.zeros(count)
        candidates = []
        for record in range(count):
            same = [part.row[record] == lead.row[record] for part in parts]
            shares = [w * part.probability[record] for w, part in zip(weights, parts, strict=True)]
            posterior[record] = sum(share for share, is_same in zip(shares, same, strict=True) if is_same)
            absence[record] = sum(w * part.absence[record] for w, part in zip(weights, parts, strict=True))
            candidates.append(np.unique(np.concatenate([part.candidates[record] for part in parts])))
        links = _likely(lead)
        chance = self._chance(view, links, posterior)
        return NoisySolution(links, posterior, absence, tuple(candidates), chance, view.deviation, view.scale.value)

    def _chance(self, view: _View, links: Links, posterior: FloatArray) -> FloatArray:
        """Expected chance matches: of all links together (see ``chance``), or what a link's posterior leaves open."""
        out = np.full(len(view.known), np.nan)
        records = np.array(sorted(links), dtype=np.int64)
        if not len(records):
            return out
        rows = self.field.points[[links[int(r)] for r in records]]
        whole = self._log_sets(view, records[: GROWING.partners], rows)[-1]
        out[records] = np.maximum(np.exp(min(whole, 700.0)), 1 - posterior[records])
        return out

    def _hopeless(self, view: _View, limit: float) -> bool:
        """Whether chance would place the known records together, however many of them: no link could count."""
        bounds = self._matching(view)
        order = telling_order(bounds, self.field.rates, np.arange(len(view.known)))[: GROWING.partners]
        log = self._log_sets(view, order, view.known[order])[min(GROWING.least, len(order)) - 1 :]
        return bool(log.min() > np.log(limit)) and len(order) > 1

    def _matching(self, view: _View) -> Bounds:
        """Lengths within two standard deviations: a match."""
        error, columns = np.full(len(view.known), self.error), self.field.points.shape[1]
        return Bounds(view.known, error, view.deviation, columns, cut_at=GROWING.cut)

    def _log_sets(self, view: _View, records: IntArray, linked: FloatArray) -> FloatArray:
        """Log of the expected chance assignments of the first records; ``linked``: rows that tell what counts."""
        bounds, rates, kept = self._matching(view), self.field.rates, view.norms_kept
        norms = np.sqrt(self.squares.norms) if kept else None
        sample = sampled(self.field.points)
        telling = telling_distances(linked, sample, view.deviation, norms_kept=kept, among=True)
        found = log_sets(bounds, rates, records, int(self.field.copies.sum()), norms, telling)
        return found - most_telling_pair(bounds, rates, records) if view.searched else found


def _likely(posterior: Posterior) -> Links:
    """The likely links; of two records on one row the likelier has it."""
    links: Links = {}
    taken: dict[int, int] = {}
    for record in np.argsort(-posterior.probability, kind="stable").tolist():
        row = int(posterior.row[record])
        if posterior.probability[record] > GROWING.likely and row not in taken:
            links[record], taken[row] = row, record
    return links
