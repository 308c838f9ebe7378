# SPDX-License-Identifier: BSD-3-Clause
r"""Linking a release that carries noise.

1. Seeds: partial assignments of a few records that pass a joint test of all their lengths (``seeds``).
2. Each of the best is weighed by what it says of the other known records, and grown: the motion is fitted to the links
   so far, every record gets its posterior over all rows (``likelihood``), the likely ones become links, until nothing
   changes. A record that is itself among the fitted ones is judged by the others alone.
3. A record's posterior is that of the grown solutions, weighted. It is linked if that leaves less than the limit for
   everything else, and if chance alone would not have made the match.

An unknown noise level is looked for upwards, where little noise leaves little to search, to the largest that the
release allows: noise has no direction, so no direction of the release has less variance. Where links are found, their
misfit gives the level, and they are judged again with it.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

from isobreach._progress import Progress
from isobreach.geometry import procrustes_residual, row_norms
from isobreach.linking.candidates import Field, TooManyError
from isobreach.linking.chance import least_telling, sampled, telling_distances
from isobreach.linking.noisy.likelihood import Likelihood, Posterior
from isobreach.linking.noisy.seeds import SEEDING, Seeds, seeds
from isobreach.release import Bounds, grid_spacing

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Links = dict[int, int]


@dataclass(frozen=True)
class Growing:
    """How seeds are grown to links.

    Attributes
    ----------
    weighed
        Seeds, those of the least misfit, that are weighed by the other records.
    grown
        Of these, the weightiest, which are grown to whole solutions.
    rounds
        Of fitting and judging, at most; they end where no link changes.
    folds
        Parts of the links, each judged by a fit to the others, which loses an eighth of them.
    alone
        Links beyond which their own weight in the fit hardly matters, so that nobody is judged apart.
    likely
        Posterior above which a row becomes a link of the next round: no other row can be as likely.
    least
        Links that bear each other out: two can be swapped.
    beginnings
        Records that the search begins with in turn, where the first lead nowhere.
    hopeless
        Partial assignments of all seed records that are too many to find the truth among.
    levels, factor
        Noise levels that are tried, each so many times the one before: the lowest is 1/450 of the largest.
    equal
        Relative spread of norms that are the same.
    partners
        Links whose lengths are counted in chance matches: more would make these rarer still, as in ``chance``.
    cut
        Standard deviations within which a length counts as a match.
    """

    weighed: int = 32
    grown: int = 4
    rounds: int = 12
    folds: int = 8
    alone: int = 1024
    likely: float = 0.5
    least: int = 3
    beginnings: int = 4
    hopeless: int = 1000
    levels: int = 14
    factor: float = 1.6
    equal: float = 1e-3
    partners: int = 32
    cut: float = 2.0


_GROWING = Growing()


@dataclass(frozen=True, eq=False)
class NoisySolution:
    """Links with posteriors, over the values of a field; ``deviation`` and ``scale`` as given or found.

    ``complete``: the search was not cut short. ``crowded``: at this noise too many assignments of a few records pass.
    """

    links: Links
    posterior: FloatArray
    absence: FloatArray
    candidates: tuple[IntArray, ...]
    chance: FloatArray
    deviation: float
    scale: float
    complete: bool = True
    crowded: bool = False

    def certain(self, limit: float) -> Links:
        """Links that leave less than ``limit`` to everything else; none if they are too few to bear each other out."""
        links = {r: v for r, v in self.links.items() if self.posterior[r] >= 1 - limit and self.chance[r] <= limit}
        return links if len(links) >= min(_GROWING.least, len(self.posterior)) else {}

    def absent(self, limit: float) -> list[int]:
        """Records that are not there, as far as the certain links tell."""
        return np.flatnonzero(self.absence >= 1 - limit).tolist() if self.certain(limit) else []


class NoisyProblem:
    """Distinct known records and a field of released values under motions that keep norms, or not."""

    def __init__(self, known: FloatArray, field: Field, error: float, *, translates: bool, progress: Progress) -> None:
        self.known, self.field, self.error = known, field, error
        self.translates, self.progress = translates, progress
        self.spacing = grid_spacing(known)
        self._square = float(np.mean(row_norms(field.points) ** 2))
        # Vectors of one length, all of them: the norm says nothing of the record, but all of them what noise took away.
        self.equal_norms = (
            not translates
            and _spread(row_norms(known)) < _GROWING.equal
            and _spread(row_norms(field.points)) < _GROWING.equal
        )

    def solve(self, deviation: float, limit: float) -> NoisySolution:
        """Links at a given noise level, from several beginnings until one links most of the records."""
        scale = self.shrinkage(deviation)
        known, columns = self.known * scale, self.field.points.shape[1]
        asked = SEEDING.records * (SEEDING.records + 1) // 2
        bounds = Bounds(known, np.full(len(known), self.error), deviation, columns, asked)
        best = self._nothing(deviation, scale)
        first = np.arange(len(known))
        for _ in range(_GROWING.beginnings):
            if len(first) < 2:
                break
            try:
                found = seeds(bounds, self.field, first, norms_kept=self._norms_kept, progress=self.progress)
            except TooManyError:
                return replace(best, complete=False, crowded=True)
            if len(found.partial):
                solution = self._grown(known, found, deviation, scale)
                best = max(best, solution, key=lambda one: len(one.certain(limit)))
            # Where many are left after the last record, another beginning would not tell more.
            crowded = len(found.partial) > _GROWING.hopeless
            best = replace(best, crowded=crowded)
            if self._most(best, limit) or crowded:
                break
            first = np.setdiff1d(first, found.records[:2])
        return best

    def _most(self, solution: NoisySolution, limit: float) -> bool:
        return len(solution.certain(limit)) >= max(min(_GROWING.least, len(self.known)), (len(self.known) + 1) // 2)

    def _grown(self, known: FloatArray, found: Seeds, deviation: float, scale: float) -> NoisySolution:
        """The solution that the best seeds grow into."""
        grown: dict[tuple[tuple[int, int], ...], float] = {}
        weight, best = self._weighed(
            known, found.records, found.partial[: _GROWING.weighed], found.misfit[: _GROWING.weighed], deviation
        )
        for k in best:
            links = dict(zip(found.records.tolist(), found.partial[k].tolist(), strict=True))
            # A seed that mostly agrees with a solution would grow into the same one.
            if any(2 * len(links.items() & set(name)) >= len(links) for name in grown):
                continue
            links = self._grow(known, links, deviation)
            name = tuple(sorted(links.items()))
            if links:
                grown[name] = max(grown.get(name, -np.inf), float(weight[k]))
        return self._mixed(known, grown, deviation, scale) if grown else self._nothing(deviation, scale)

    def refined(self, solution: NoisySolution, limit: float) -> NoisySolution:
        """The solution judged anew at the noise level that its links show."""
        for _ in range(3):
            links = solution.certain(limit)
            if len(links) < _GROWING.least:
                break
            records = sorted(links)
            rows = self.field.points[[links[r] for r in records]]
            scale, deviation = solution.scale, solution.deviation
            for _ in range(3):  # the scale depends on the noise, and the misfit a little on the scale
                rss, freedom = procrustes_residual(self.known[records] * scale, rows, self.translates)
                deviation = float(np.sqrt(rss / max(freedom, 1)))
                scale = self.shrinkage(deviation)
            if not deviation > 0:
                break
            known = self.known * scale
            grown = self._grow(known, links, deviation)
            if not grown:
                break
            change = abs(deviation / solution.deviation - 1)
            solution = self._mixed(known, {tuple(sorted(grown.items())): 0.0}, deviation, scale)
            if change < 0.01:
                break
        return solution

    def estimated(self, limit: float) -> NoisySolution:
        """Links at a noise level found from the release: the first, from the smallest up, that links most records."""
        best = self._nothing(0.0, 1.0)
        for deviation in self.levels():
            solution = self.solve(deviation, limit)
            best = max(best, solution, key=lambda one: len(one.certain(limit)))
            if self._most(best, limit) or solution.crowded:  # more noise would only crowd it more
                break
        best = self.refined(best, limit)
        # At a level that is not borne out by most of the records, the few that fit say nothing.
        return best if self._most(best, limit) else replace(self._nothing(np.nan, 1.0), complete=best.complete)

    def levels(self) -> list[float]:
        """Noise levels to try, upwards: the largest is the least spread of the release in any direction."""
        points = self.field.points
        if len(points) < 2:
            return []
        spread = np.linalg.eigvalsh(np.cov(points.T).reshape(points.shape[1], -1))
        largest = float(np.sqrt(1.1 * max(spread[0], 0.0)))
        levels = largest * _GROWING.factor ** -np.arange(_GROWING.levels, dtype=np.float64)
        return [float(level) for level in levels[::-1] if level > self.error]

    def shrinkage(self, deviation: float) -> float:
        """Scale of the records within the release: noise made orthogonal, then length one, shortens them."""
        if not self.equal_norms:
            return 1.0
        kept = self._square - self.field.points.shape[1] * deviation**2
        return float(np.sqrt(max(kept, 0.0) / np.mean(row_norms(self.known) ** 2))) or 1.0

    @property
    def _norms_kept(self) -> bool:
        return not self.translates and not self.equal_norms

    def _nothing(self, deviation: float, scale: float) -> NoisySolution:
        count = len(self.known)
        everything = np.arange(len(self.field.points))
        unknown = np.full(count, np.nan)
        return NoisySolution({}, np.zeros(count), np.zeros(count), (everything,) * count, unknown, deviation, scale)

    def _likelihood(self, known: FloatArray, links: Links, deviation: float) -> Likelihood:
        records = sorted(links)
        rows = self.field.points[[links[r] for r in records]]
        return Likelihood(
            known[records], rows, self.field.points, deviation, translates=self.translates, spacing=self.spacing
        )

    def _weighed(
        self, known: FloatArray, records: IntArray, partial: IntArray, misfit: FloatArray, deviation: float
    ) -> tuple[FloatArray, list[int]]:
        """Log weight of each partial assignment by its misfit and the other records, and the few to grow."""
        rest = np.setdiff1d(np.arange(len(known)), records)
        weight = -misfit / 2
        if len(rest):
            for k, values in enumerate(partial.tolist()):
                like = self._likelihood(known, dict(zip(records.tolist(), values, strict=True)), deviation)
                weight[k] += like.posterior(known[rest]).evidence.sum()
        return weight, np.argsort(-weight, kind="stable")[: _GROWING.grown].tolist()

    def _grow(self, known: FloatArray, links: Links, deviation: float) -> Links:
        """Links that the motion fitted to them makes likely, from a few on until nothing changes."""
        for _ in range(_GROWING.rounds):
            grown = _likely(self._judged(known, links, deviation))
            if grown == links or not grown:
                return grown
            links = grown
        return links

    def _judged(self, known: FloatArray, links: Links, deviation: float) -> Posterior:
        """Posterior of every record, of a linked one by other links alone."""
        posterior = self._likelihood(known, links, deviation).posterior(known)
        if len(links) > _GROWING.alone or len(links) < 2:
            return posterior.by_share()
        records = np.array(sorted(links))
        for fold in range(min(_GROWING.folds, len(records))):
            judged = records[fold :: _GROWING.folds]
            others = {r: v for r, v in links.items() if r not in judged}
            posterior = posterior.with_others(
                judged, self._likelihood(known, others, deviation).posterior(known[judged])
            )
        return posterior.by_share()

    def _mixed(
        self, known: FloatArray, grown: dict[tuple[tuple[int, int], ...], float], deviation: float, scale: float
    ) -> NoisySolution:
        """One posterior out of several grown solutions, by their weights."""
        weights = np.array(list(grown.values()))
        weights = np.exp(weights - logsumexp(weights))
        parts = [self._judged(known, dict(name), deviation) for name in grown]
        best = int(np.argmax(weights))
        lead = parts[best]
        posterior, absence = np.zeros(len(known)), np.zeros(len(known))
        candidates = []
        for record in range(len(known)):
            same = [part.row[record] == lead.row[record] for part in parts]
            shares = [w * part.probability[record] for w, part in zip(weights, parts, strict=True)]
            posterior[record] = sum(share for share, is_same in zip(shares, same, strict=True) if is_same)
            absence[record] = sum(w * part.absence[record] for w, part in zip(weights, parts, strict=True))
            candidates.append(np.unique(np.concatenate([part.candidates[record] for part in parts])))
        links = _likely(lead)
        chance = self._chance(known, links, posterior, deviation)
        return NoisySolution(links, posterior, absence, tuple(candidates), chance, deviation, scale)

    def _chance(self, known: FloatArray, links: Links, posterior: FloatArray, deviation: float) -> FloatArray:
        """Expected chance matches: of all links together (see ``chance``), or what a link's posterior leaves open.

        A match is a length within two standard deviations.
        """
        out = np.full(len(known), np.nan)
        records = np.array(sorted(links), dtype=np.int64)
        if not len(records):
            return out
        error, columns = np.full(len(known), self.error), self.field.points.shape[1]
        bounds = Bounds(known, error, deviation, columns, cut_at=_GROWING.cut)
        partners = records[: _GROWING.partners]
        log = self.field.rates.log_share(*bounds.distances(records, partners))
        log[records[:, None] == partners] = -np.inf
        expected = np.full(len(records), np.log(float(self.field.copies.sum())))
        if self._norms_kept:
            norms = row_norms(self.field.points)
            low, high = bounds.norms(records)
            expected += np.log(
                [max(((norms >= a) & (norms <= b)).mean(), 1e-9) for a, b in zip(low, high, strict=True)]
            )
        rows = self.field.points[[links[int(r)] for r in records]]
        sample = sampled(self.field.points)
        telling = telling_distances(rows, sample, deviation, norms_kept=self._norms_kept, among=True)
        whole = gammaln(len(known) + 1) - gammaln(len(partners) + 1) - gammaln(len(known) - len(partners) + 1)
        for place in range(len(partners)):
            whole += expected[place] + least_telling(log[place, :place][None], telling)[0]
        out[records] = np.maximum(np.exp(min(whole, 700.0)), 1 - posterior[records])
        return out


def _spread(norms: FloatArray) -> float:
    return float(np.std(norms) / max(float(np.mean(norms)), 1e-300))


def _likely(posterior: Posterior) -> Links:
    """The likely links; of two records on one row the likelier has it."""
    links: Links = {}
    taken: dict[int, int] = {}
    for record in np.argsort(-posterior.probability, kind="stable").tolist():
        row = int(posterior.row[record])
        if posterior.probability[record] > _GROWING.likely and row not in taken:
            links[record], taken[row] = row, record
    return links
