# SPDX-License-Identifier: BSD-3-Clause
r"""Releases of fewer columns than the records have.

*Truncated*: the first N attributes were kept, as embeddings of several widths allow, and perhaps scaled to length one
again. Known records are cut likewise, and linked as in any release.

*Projected*: distances are kept on average only. For a matrix of independent normal entries the products of k rows with
each other follow Wishart's law, with as many degrees of freedom as there are columns; squared lengths of c'Y with exact
value z = c'X have, with s the scale,

    mean  s^2 |z|^2,      covariance of two  2 s^4 (z.z')^2 / N

(``isobreach.linking.noisy.law``). Noise of deviation e adds e^2 I to the covariance of the k rows' coordinates, whose
products stay Wishart's. After a rotation of which N columns are kept their spread is smaller. With so wide a band
chance does much, and the law of the matrix is a guess: no link is certain. Assignments of a few records that pass
the joint test are weighed against chance,

    weight = Wishart density of all products / (m^k * densities of the norms and cosines among all rows)

and a row's posterior is the weight of the assignments that have it over 1 + sum of all. The 1 is for nobody there;
the sum is over assignments of all the records, and of all but one, which may be the only one that is absent.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, multigammaln

from isobreach._arrays import FloatArray, IntArray
from isobreach._progress import Progress
from isobreach.geometry import row_norms
from isobreach.linking.candidates import Candidates, Field, TooManyError
from isobreach.linking.chance import Rates, sampled
from isobreach.linking.noisy import SEEDING, Seeds, Squares, seeds
from isobreach.release import Bounds


@dataclass(frozen=True)
class Narrow:
    """What is made of a release that is narrower than the records.

    Attributes
    ----------
    columns
        Of the release, at least: embeddings are cut and projected to no fewer. Of a table of a few columns some were
        left out by mistake, which is refused.
    alike
        Relative spread of norms that are one length: that of vectors scaled to length one and stored in 16 bits.
    candidate
        Probability above which a row is a candidate: ten times less than the default limit of chance, so that no row
        is left out that a limit might keep.
    window
        Share of a squared norm within which rows are counted for its density, and a tenth of it around a cosine: wide
        enough for dozens of a thousand rows, narrow against the spread of norms.
    """

    columns: int = 32
    alike: float = 1e-3
    candidate: float = 1e-4
    window: float = 0.1


NARROW = Narrow()
SEEDED = SEEDING.records * (SEEDING.records + 1) // 2  # lengths of a seed


@dataclass(frozen=True, eq=False)
class Guesses:
    """The likeliest value of each known record, its probability, and all values that it may have; none is certain.

    ``likeliest``: -1 where nothing tells. ``complete``: all assignments that pass the test were weighed.
    """

    posterior: FloatArray
    likeliest: IntArray
    candidates: dict[int, IntArray]
    scale: float
    complete: bool


def untold(records: int, values: int, scale: float = 1.0) -> Guesses:
    """Nothing is told of so many records: each may have any of so many values."""
    everything = dict.fromkeys(range(records), np.arange(values))
    return Guesses(np.zeros(records), np.full(records, -1), everything, scale, complete=True)


def truncated(known: NDArray[Any], columns: int, released: FloatArray) -> NDArray[Any]:
    """Return the first attributes of the known records, as long as the released rows where all of these are alike.

    Parameters
    ----------
    known
        Known records.
    columns
        Attributes that are kept.
    released
        Some released rows, which show whether they have one length.
    """
    kind = known.dtype if known.dtype.kind == "f" else np.dtype(np.float64)
    cut = known[:, :columns].astype(kind)
    norms = row_norms(cut)
    alike = all(
        np.std(one) <= NARROW.alike * np.mean(one) for one in (row_norms(known.astype(kind)), row_norms(released))
    )
    if alike and (norms > 0).all():
        cut = cut / norms[:, None] * float(np.median(row_norms(released)))
    return cut.astype(kind)


def projected_guesses(
    known: FloatArray, found: Candidates, field: Field, progress: Progress, noise: float = 0.0
) -> Guesses:
    """Posteriors of rows behind a projection that fixes the origin.

    Parameters
    ----------
    known
        Distinct known records.
    found
        Released values.
    field
        The same, ready for questions about their distances.
    progress
        Called as ``progress(label, done, total)``.
    noise
        Standard deviation of a released coordinate's error.
    """
    points, columns = found.points, found.points.shape[1]
    squares = Squares(points, field.workers)
    sizes = row_norms(known)
    kept = bool(np.std(sizes) > NARROW.alike * np.mean(sizes))
    # Records of one length show the scale; otherwise projections are such that they keep lengths on average.
    free = max(float(np.mean(squares.norms)) - columns * noise**2, 0.0)
    scale = 1.0 if kept or not free else float(np.sqrt(free) / max(float(np.mean(sizes)), 1e-300))
    nothing = untold(len(known), len(points), scale)
    if len(known) < 2 or len(points) < 2:
        return nothing
    bounds = Bounds(known * scale, np.zeros(len(known)), noise, columns, SEEDED, projected=columns)
    try:
        several = seeds(bounds, field, squares, np.arange(len(known)), norms_kept=kept, progress=progress)
    except TooManyError:
        return replace(nothing, complete=False)
    if len(several.partial) >= SEEDING.beam:  # what was left out may be as likely
        return replace(nothing, complete=False)
    chosen = known[several.records]
    if not len(several.partial) or columns < len(chosen) or np.linalg.matrix_rank(chosen) < len(chosen):
        return nothing
    ways = _ways(bounds, squares, several)
    total = float(logsumexp([0.0, *(logsumexp(one.log) for one in ways)]))
    posterior, likeliest, candidates = nothing.posterior.copy(), nothing.likeliest.copy(), dict(nothing.candidates)
    for record in several.records.tolist():
        shares = np.zeros(len(points))
        for one in ways:
            if record in one.records:
                at = one.partial[:, int(np.flatnonzero(one.records == record)[0])]
                shares += np.bincount(at, weights=np.exp(one.log - total), minlength=len(points))
        likeliest[record] = np.argmax(shares)
        posterior[record] = shares[likeliest[record]]
        if shares.sum() > 1 - NARROW.candidate:
            candidates[record] = np.flatnonzero(shares > NARROW.candidate)
    return Guesses(posterior, likeliest, candidates, scale, complete=True)


@dataclass(frozen=True, eq=False)
class _Way:
    """Which records are there, the assignments of these, and the log weight of each."""

    records: IntArray
    partial: IntArray
    log: FloatArray


def _ways(bounds: Bounds, squares: Squares, found: Seeds) -> list[_Way]:
    """All records are there, or all but one; each way is as likely beforehand as that none is."""
    lists = [(found.records, found.partial)]
    for place in range(len(found.records)):
        kept = np.delete(np.arange(len(found.records)), place)
        lists.append((found.records[kept], np.unique(found.partial[:, kept], axis=0)))
    return [_Way(records, partial, _log_weights(bounds, squares, records, partial)) for records, partial in lists]


def _log_weights(bounds: Bounds, squares: Squares, records: IntArray, partial: IntArray) -> FloatArray:
    """Log of how much likelier the products of assigned rows are if they are the records' than by chance."""
    count, columns = len(records), bounds.columns
    norms = np.sqrt(squares.norms)
    length = Rates(squares.norms)
    sample = sampled(squares.points / np.maximum(norms, 1e-300)[:, None])
    cosine = Rates(1 - (sample @ sample.T)[np.triu_indices(len(sample), 1)])
    log = np.full(len(partial), -count * np.log(len(norms)))
    products = np.empty((len(log), count, count))
    for j in range(count):
        own = squares.norms[partial[:, j]]
        products[:, j, j] = own
        reach = NARROW.window * own
        log -= length.log_share_of_squares(own - reach, own + reach) - np.log(2 * reach)
        for i in range(j):
            first, second = partial[:, i], partial[:, j]
            products[:, i, j] = np.einsum("ij,ij->i", squares.points[first], squares.points[second])
            products[:, j, i] = products[:, i, j]
            both = norms[first] * norms[second]
            apart = 1 - products[:, i, j] / both
            # Of two rows whose norms are known, chance makes the cosine.
            near = NARROW.window / 10
            log -= cosine.log_share_of_squares(apart - near, apart + near) - np.log(2 * near * both)
    scatter = bounds.known[records] @ bounds.known[records].T / columns
    return np.asarray(log + _log_wishart(products, scatter + bounds.deviation**2 * np.eye(count), columns))


def _log_wishart(products: FloatArray, scatter: FloatArray, freedom: int) -> FloatArray:
    """Log density of products of k rows (t x k x k) behind a projection to ``freedom`` columns."""
    count = len(scatter)
    constant = freedom * count / 2 * np.log(2) + freedom / 2 * np.linalg.slogdet(scatter)[1]
    constant += float(multigammaln(freedom / 2, count))
    trace = np.einsum("ij,tji->t", np.linalg.inv(scatter), products)
    return np.asarray((freedom - count - 1) / 2 * np.linalg.slogdet(products)[1] - trace / 2 - constant)
