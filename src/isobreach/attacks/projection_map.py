# SPDX-License-Identifier: BSD-3-Clause
r"""Estimate records behind a random projection y = R x / sqrt(l), by linked records.

Liu, Giannella and Kargupta (2008), reconstructed from first principles. R is l x n with independent standard normal
entries. The part of a record in the span of p < l linked records is projected like these: with coefficients a of y in
the linked rows (least squares) and s the length of the remainder,

    x = sum_i a_i x_i + r w,     r = s sqrt(l / (l - p)),

w any unit vector outside of the span: all of them are equally likely. The likelihood, |r|^-l exp(-l s^2 / (2 r^2)), is
largest at r = s, which is the maximum a posteriori estimate; the factor makes r^2 right on average, because the fit
takes p of l degrees of freedom. The first sum alone errs least; it is the attack's own estimate, and with r w a
variant. The remainder u of x disturbs a as well: the expected squared error of the sum is |u|^2 (1 + p / (l - p - 1)),
so that the ratio of the error to |u| tends to 1 as l grows. With p >= l every row is a combination of the linked ones,
the likelihood has no bound, and nothing is estimated: regression does what there is to do. Where all rows lie in the
span of the linked ones the estimates are exact.

**Linking.** Where rows are not given: lengths agree within a band only, l |y|^2 / |x|^2 being chi-square with l degrees
of freedom, and so do distances. All of that at once is Bartlett's decomposition of Y Y': with c the combination of the
rows of the records before it that the next record's foot is of theirs, and t its distance from that foot,

    z = sqrt(l) (y - c) / t    is standard normal in l dimensions, independent of the z of those before.

The square of its part along the k - 1 before is chi-square with k - 1 degrees of freedom (angles), that of the rest
chi-square with l - k + 1 (lengths). An assignment is *valid* if all of these, and the sum over all records, are within
their bands, which the true one is with probability 0.999. All valid assignments are listed, and a record is linked if
they agree on its row: such links are right with that probability if the known records are in the release. Where there
are too many to list, nothing is linked. It takes many released columns, or more known records than they have
dimensions.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from scipy.stats import chi2

from isobreach._arrays import FloatArray, IntArray
from isobreach._phrases import count
from isobreach._progress import Progress
from isobreach._random import random_source
from isobreach._settings import setting
from isobreach._validation import check_epsilon, check_seed
from isobreach.attacks.base import Attack, Reconstruction
from isobreach.attacks.knowledge import Knowledge
from isobreach.attacks.pairs import AS_FITTED, Affine, Pairs, estimated
from isobreach.attacks.refine import Evidence, refined, variants
from isobreach.engine import Engine, tiles
from isobreach.geometry import row_basis, row_norms
from isobreach.linking import CHANCE_LIMIT
from isobreach.release import ReleaseModel


@dataclass(frozen=True)
class ProjectionLinking:
    """How known records are linked behind a projection.

    Attributes
    ----------
    most
        Assignments that are listed: a few seconds for every record on 1,000 rows.
    pairs
        Distances at once: 32 MiB.
    numbers
        Of the rows that listed assignments hold: 256 MiB.
    records
        Known records that are linked, the longest: more would not tell more.
    exact
        Of a row's length: what rounding leaves of its remainder.
    """

    most: int = 100_000
    pairs: int = 1 << 22
    numbers: int = 1 << 25
    records: int = 12
    exact: float = 1e-8


_LINKING = ProjectionLinking()


@dataclass(frozen=True, eq=False)
class ProjectionReconstruction(Reconstruction):
    """What the attack on random projections gives back.

    Attributes
    ----------
    links
        Released row of each known record, given or found; -1 where there is none.
    residuals
        Estimated length of what lies outside of the span of the linked records, for every row.
    """

    links: IntArray | None = None
    residuals: FloatArray | None = None


@dataclass(frozen=True)
class ProjectionSettings:
    """Settings of the attack on random projections."""

    epsilon: float = setting(0.1, "Relative error that counts as a breach.")


class ProjectionMap(Attack):
    """Estimate records behind a random projection by linked ones."""

    name = "projection-map"
    title = "projection attack"
    needs = frozenset({"known"})
    uses = frozenset({"rows", "sample", "bounds"})
    takes_narrow = True
    settings = ProjectionSettings

    def suits(self, model: ReleaseModel) -> str | None:
        """Return why the release is no random projection, or None."""
        random = model.linear and model.projection is not None and not model.lifted
        return None if random and model.maps else "the release is no random projection of the records"

    def run(
        self, release: Engine, knowledge: Knowledge, *, seed: int | None, progress: Progress, **settings: Any
    ) -> Reconstruction:
        """Link where rows are not given, then estimate every row."""
        epsilon = check_epsilon(ProjectionSettings(**settings).epsilon)
        seed = check_seed(seed)
        known = np.asarray(knowledge.known, dtype=np.float64)
        (rows, wide), columns = release.shape, known.shape[1]
        nothing = np.full((rows, columns), np.nan)
        if knowledge.rows is None:
            links = _links(release, known, progress)
        else:
            links = np.asarray(knowledge.rows, dtype=np.int64)
        linked = np.flatnonzero(links >= 0)
        if not len(linked):
            reason = f"none of {count(len(known), 'known record')} can be linked: lengths agree within a band only."
            return ProjectionReconstruction(False, reason, nothing, links=links)
        pairs = Pairs.given(release, replace(knowledge, rows=links))
        reach = int(np.linalg.matrix_rank(pairs.rows))
        if len(pairs) >= wide:
            reason = (
                f"{count(len(pairs), 'linked record')} are no fewer than {count(wide, 'released column')}: the "
                "likelihood has no bound, and the regression attack takes such pairs."
            )
            return ProjectionReconstruction(False, reason, nothing, links=links)
        span = Affine(np.linalg.pinv(pairs.rows) @ pairs.records, np.zeros(columns))
        feet = estimated(release, span, progress)
        remainder = release.column(_remainder, row_basis(pairs.rows), "measuring remainders", progress).values()
        lengths, residuals = remainder[:, 1], remainder[:, 0] * np.sqrt(wide / (wide - reach))
        exact = bool((remainder[:, 0] <= _LINKING.exact * np.maximum(lengths, lengths.max() * 1e-3)).all())
        basis = row_basis(pairs.records)
        evidence = Evidence.held(knowledge, columns, epsilon=epsilon)
        if basis.shape[1] < columns:
            evidence = evidence.about(visible=basis, residuals=residuals)
        more = {} if exact else {"remainder added": feet + residuals[:, None] * _outside(basis, seed)}
        estimates = (feet if exact else refined(feet, evidence)).copy()
        estimates[pairs.numbers] = pairs.records
        return ProjectionReconstruction(
            exact,
            _reason(len(pairs), wide, exact=exact),
            estimates,
            decided=exact,
            variants={AS_FITTED: feet, **variants(feet, evidence), **more},
            links=links,
            residuals=residuals,
        )


ATTACK = ProjectionMap()


def _reason(linked: int, wide: int, *, exact: bool) -> str:
    said = f"{count(linked, 'linked record')} behind {count(wide, 'released column')}"
    if exact:
        return f"{said}; all other rows are combinations of theirs, and so are the records."
    ratio = np.sqrt(1 + linked / (wide - linked - 1)) if wide > linked + 1 else np.inf
    return f"{said}; estimates err by about {ratio:.2g} times what of a record lies outside of theirs."


def _outside(basis: FloatArray, seed: int | None) -> FloatArray:
    """A random unit vector across a basis; zeros where there is none."""
    drawn = random_source(0 if seed is None else seed, "estimate").standard_normal((len(basis),))
    across = drawn - basis @ (basis.T @ drawn)
    length = float(np.linalg.norm(across))
    return across / length if basis.shape[1] < len(basis) and length > 0 else np.zeros(len(basis))


def _remainder(block: FloatArray, first_row: int, basis: FloatArray) -> FloatArray:
    """Length of each row's remainder outside of the span, and of the row."""
    parts = [block[part] for part in tiles(block)]
    left = np.concatenate([row_norms(rows - (rows @ basis) @ basis.T) for rows in parts])
    return np.stack([left, row_norms(block)], axis=1)


@dataclass(frozen=True, eq=False)
class _Extension:
    """What the next record's row should be, for each partial assignment: centre (b x l), frame of those before, bands.

    ``exact``: the record is a combination of those before, and its row is the centre up to rounding.
    """

    centres: FloatArray
    frames: FloatArray  # b x l x k, orthonormal
    sums: FloatArray
    taken: IntArray
    variance: float
    along: float
    rest: tuple[float, float]
    whole: tuple[float, float]
    exact: bool
    most: int


def _links(release: Engine, known: FloatArray, progress: Progress) -> IntArray:
    """Rows of known records on which all valid assignments agree; -1 for all others."""
    wide = release.shape[1]
    links = np.full(len(known), -1, dtype=np.int64)
    order = _order(known)[: min(_LINKING.records, wide - 1)]
    if not len(order):
        return links
    level = CHANCE_LIMIT / (3 * len(order))
    chosen, sums, frames = np.empty((1, 0), dtype=np.int64), np.zeros(1), np.empty((1, wide, 0))
    for place, record in enumerate(order):
        before = known[order[:place]]
        share = np.linalg.lstsq(before.T, known[record], rcond=None)[0] if place else np.zeros(0)
        square = float((known[record] ** 2).sum())
        beyond = float(((known[record] - share @ before) ** 2).sum()) if place else square
        images = release.gather(chosen.ravel()).reshape(len(chosen), place, wide)
        exact = (
            beyond <= _LINKING.exact**2 * square
        )  # of records in the span of those before, rounding alone moves the rows
        seen = frames.shape[2]
        step = _Extension(
            np.einsum("k,bkl->bl", share, images),
            frames,
            sums,
            chosen,
            max(beyond, _LINKING.exact**2 * square) / wide,
            float(chi2.isf(level, seen)) if seen else 0.0,
            _band(level, wide - seen),
            _band(level, wide * (place + 1)),
            exact,
            min(_LINKING.most, _LINKING.numbers // (wide * (place + 1))),
        )
        found = list(release.scan(_continued, step, "linking", progress))
        parents, last, sums = (np.concatenate(part) for part in zip(*found, strict=True))
        if not 0 < len(last) <= step.most:
            return links
        chosen, frames = np.column_stack([chosen[parents], last]), frames[parents]
        if not exact:
            apart = release.gather(last) - step.centres[parents]
            apart -= np.einsum("blk,bk->bl", frames, np.einsum("blk,bl->bk", frames, apart))
            frames = np.concatenate([frames, (apart / row_norms(apart)[:, None])[:, :, None]], axis=2)
    agreed = (chosen == chosen[0]).all(axis=0)
    links[order[agreed]] = chosen[0, agreed]
    return links


def _order(known: FloatArray) -> IntArray:
    """Distinct records but zeros: the one of the rarest length first, then always the one nearest to those before."""
    norms = row_norms(known)
    distinct = np.sort(np.unique(known, axis=0, return_index=True)[1])
    left = [int(one) for one in distinct if norms[one] > 0]
    order: list[int] = []
    rest = known / np.where(norms > 0, norms, 1.0)[:, None]
    middle = float(np.median(norms[left])) if left else 0.0
    while left:
        worth = (
            [abs(norms[one] - middle) for one in left] if not order else [-row_norms(rest[[one]])[0] for one in left]
        )
        order.append(left.pop(int(np.argmax(worth))))
        basis = row_basis(known[order])
        rest = known / np.where(norms > 0, norms, 1.0)[:, None]
        rest = rest - (rest @ basis) @ basis.T
    return np.array(order, dtype=np.int64)


def _band(level: float, freedom: int) -> tuple[float, float]:
    """Where a chi-square variable lies but with a probability of ``level``."""
    return float(chi2.ppf(level / 2, freedom)), float(chi2.isf(level / 2, freedom))


def _continued(block: FloatArray, first_row: int, step: _Extension) -> tuple[IntArray, IntArray, FloatArray]:
    """Valid continuations of partial assignments by rows of the block: assignment, row, sum so far."""
    found = [(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0))]
    total, seen = 0, step.frames.shape[2]
    for part in tiles(block):
        rows = block[part]
        at_once = max(1, _LINKING.pairs // (len(rows) * max(seen, 1)))
        for start in range(0, len(step.centres), at_once):
            some = slice(start, start + at_once)
            own = cdist(step.centres[some], rows, "sqeuclidean") / step.variance
            sums = own + step.sums[some, None]
            if step.exact:
                inside = own <= step.whole[1]
            else:
                along = _along(step.frames[some], step.centres[some], rows) / step.variance
                inside = (along <= step.along) & (own - along >= step.rest[0]) & (own - along <= step.rest[1])
                inside &= (sums >= step.whole[0]) & (sums <= step.whole[1])
            parents, last = np.nonzero(inside)
            values, numbers = sums[parents, last], last + first_row + part.start
            parents = parents + start
            fresh = (step.taken[parents] != numbers[:, None]).all(axis=1)  # a row is one record's only
            found.append((parents[fresh], numbers[fresh], values[fresh]))
            total += int(fresh.sum())
            if total > step.most:  # more than will be gone through
                break
    parents, last, values = (np.concatenate(one) for one in zip(*found, strict=True))
    return parents, last, values


def _along(frames: FloatArray, centres: FloatArray, rows: FloatArray) -> FloatArray:
    """Squared length of what of each row, less each centre, lies in the frame of that centre: b x rows."""
    if not frames.shape[2]:
        return np.zeros((len(centres), len(rows)))
    count, wide, seen = frames.shape
    flat = frames.transpose(1, 0, 2).reshape(wide, count * seen)
    parts = (rows @ flat).reshape(len(rows), count, seen) - np.einsum("blk,bl->bk", frames, centres)
    return np.asarray((parts**2).sum(axis=2).T)
