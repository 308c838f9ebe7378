# SPDX-License-Identifier: BSD-3-Clause
r"""Start of an alignment in many columns: third moments and covariances in the few leading principal axes.

With T_a, T_b the third-moment tensors of centred rows and records in their own r leading principal axes, not whitened,
and C_a, C_b their covariances, all of unit norm, the rotation P that takes rows to records maximises

    f(P) = <T_a(P, P, P), T_b> + 3 <P' C_a P, C_b> + 3 <L, P>        over O(r),

L the sum of outer products of linked pairs. Leading axes dominate because nothing is whitened, so that a few axes are
found before many. A third of the gradient, shifted, is followed to its polar factor,

    P <- polar(G + 2 C_a P C_b + L + shift P),        G_ij = sum T_a(i, P, P) T_b(j, ., .),

which climbs for a shift that is large enough (shifted power method: Kolda and Mayo 2011; orthogonal iteration: Journee
and others 2010). One climb takes milliseconds, so a local search is affordable: two to r/3 axes are turned at random,
climbed again, and kept where f is larger. Axes are then added to the best, with random signs.
"""

from dataclasses import dataclass

import numpy as np

from isobreach._arrays import FloatArray
from isobreach.attacks.alignment.descent import Evaluations
from isobreach.attacks.alignment.frames import polar


@dataclass(frozen=True)
class MomentTuning:
    """How few axes are aligned, chosen on sentence embeddings in 256 to 512 columns.

    Attributes
    ----------
    covariance
        Weight of the covariances: at half of it axes of similar variance are exchanged more often.
    shift
        Of the polar iteration, beside the gradient's size.
    steps, gain
        Most steps of a climb, and the relative gain that ends it.
    axes
        Leading axes in the end: more say little more, and cost the fourth power.
    first
        Axes with which each chain begins. With 8 or 12 a wrong optimum may be the best, which 24 show; with 24 more of
        the optima are poor.
    met
        Agreement of two chains from which on they are in the same optimum: mean cosine, weighted by variances.
    starts, kicks
        Random signs that are climbed from, and local changes that are tried, in the first axes.
    added, added_kicks
        The same when axes are added.
    """

    covariance: float = 2.0
    shift: float = 0.3
    steps: int = 150
    gain: float = 1e-5
    axes: int = 24
    first: tuple[tuple[int, ...], ...] = ((12, 16), (), (16,), (8, 12, 16), (), (12, 16))
    met: float = 0.9
    starts: int = 15
    kicks: int = 80
    added: int = 6
    added_kicks: int = 20


TUNING = MomentTuning()


@dataclass(frozen=True, eq=False)
class MomentMatch:
    """Moments of both sides in r axes: f and its climb."""

    of_rows: FloatArray  # tensor, r x r x r
    of_records: FloatArray
    covariances: tuple[FloatArray, FloatArray]
    links: FloatArray

    @classmethod
    def of(cls, rows: FloatArray, records: FloatArray, links: FloatArray) -> "MomentMatch":
        """Return the moments of centred rows and records in their axes.

        Parameters
        ----------
        rows, records
            Coordinates in r principal axes each.
        links
            Outer products of linked pairs, r x r.
        """
        weight = np.sqrt(TUNING.covariance)
        tensors = [_sized(_third(one)) for one in (rows, records)]
        squares = [weight * _sized(one.T @ one) for one in (rows, records)]
        return cls(tensors[0], tensors[1], (squares[0], squares[1]), links)

    def gradient(self, rotation: FloatArray) -> tuple[float, FloatArray]:
        """Return f and a third of its gradient."""
        r = len(rotation)
        turned = (self.of_rows.reshape(r * r, r) @ rotation).reshape(r, r, r)
        turned = np.matmul(rotation.T, turned).reshape(r, r * r)
        third = turned @ self.of_records.reshape(r, r * r).T
        second = self.covariances[0] @ rotation @ self.covariances[1]
        value = ((third + 1.5 * second + 3 * self.links) * rotation).sum()
        return float(value), third + second + self.links

    def climb(self, rotation: FloatArray, effort: Evaluations) -> tuple[FloatArray, float]:
        """Return a local maximum from a rotation on, and its value; a climb counts as one evaluation."""
        effort.spend()
        value, gradient = self.gradient(rotation)
        for _ in range(TUNING.steps):
            shift = TUNING.shift * np.linalg.norm(gradient) / np.sqrt(len(rotation))
            after = polar(gradient + shift * rotation)
            better, gradient = self.gradient(after)
            gained, rotation, value = better - value, after, better
            if gained < TUNING.gain * abs(value):
                break
        return rotation, value


def leading_axes(
    rows: FloatArray,
    records: FloatArray,
    links: FloatArray,
    effort: Evaluations,
    rng: np.random.Generator,
) -> list[FloatArray]:
    """Return rotations P: rows @ P lie like records in the leading axes; the best first, and one rival of it.

    Chains begin in different numbers of axes and end in the same, so that their f compare. They end when two meet in
    the best optimum; there is no rival then.

    Parameters
    ----------
    rows, records
        Centred coordinates in principal axes, largest variance first.
    links
        Outer products of linked pairs in the same axes, of unit length.
    effort
        Counts climbs.
    rng
        Draws signs and kicks.
    """
    n = rows.shape[1]
    found: list[tuple[float, FloatArray]] = []
    variances = (rows[:, : TUNING.axes] ** 2).mean(axis=0)
    for first in TUNING.first:
        ranks = sorted({min(r, n) for r in (*first, TUNING.axes)})
        matches = [MomentMatch.of(rows[:, :r], records[:, :r], links[:r, :r]) for r in ranks]
        value, rotation = _chain(matches, effort, rng)
        met = any(_same(rotation, other, variances) for _, other in found)
        found.append((value, rotation))
        found.sort(key=lambda one: -one[0])
        settled = met and _same(rotation, found[0][1], variances)
        if settled or not effort.left:
            break
    best = found[0][1]
    rivals = [other for _, other in found[1:] if not _same(best, other, variances)]
    return [best] if settled else [best, *rivals[:1]]


def _chain(matches: list[MomentMatch], effort: Evaluations, rng: np.random.Generator) -> tuple[float, FloatArray]:
    """Value and rotation of a local search in growing numbers of axes."""
    best, value = np.zeros((0, 0)), -np.inf
    for match in matches:
        first = not len(best)
        starts = [_extended(best, match.links, rng) for _ in range(TUNING.starts if first else TUNING.added)]
        best, value = max((match.climb(start, effort) for start in starts), key=lambda one: one[1])
        for _ in range(TUNING.kicks if first else TUNING.added_kicks):
            turned, reached = match.climb(best @ _kick(len(best), rng), effort)
            if reached > value:
                best, value = turned, reached
    return value, best


def _same(first: FloatArray, second: FloatArray, variances: FloatArray) -> bool:
    """Whether two rotations take rows to nearly the same places."""
    return bool((variances[:, None] * first * second).sum() >= TUNING.met * variances.sum())


def _extended(found: FloatArray, links: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Axes found so far, and others with random signs; where nothing is found, towards the links."""
    r, old = len(links), len(found)
    start = np.diag(rng.choice([-1.0, 1.0], r))
    start[:old, :old] = found
    size = float(np.linalg.norm(links))
    return polar(start + 2 * np.sqrt(r) / size * links) if not old and size else start


def _kick(r: int, rng: np.random.Generator) -> FloatArray:
    """A random rotation of a few axes."""
    some = rng.choice(r, rng.integers(2, max(3, r // 3 + 1)), replace=False)
    kick = np.eye(r)
    factors = np.linalg.qr(rng.standard_normal((len(some), len(some))))
    kick[np.ix_(some, some)] = factors.Q * np.sign(np.diag(factors.R))
    return kick


def _third(rows: FloatArray) -> FloatArray:
    """Mean of the outer products x x x."""
    count, r = rows.shape
    return np.asarray((rows.T @ (rows[:, :, None] * rows[:, None, :]).reshape(count, r * r) / count).reshape(r, r, r))


def _sized(values: FloatArray) -> FloatArray:
    """The same with norm one."""
    return np.asarray(values / max(float(np.linalg.norm(values)), np.finfo(np.float64).tiny))
