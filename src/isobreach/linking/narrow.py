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

and a row's posterior is the weight of the assignments that have it over 1 + sum of all: the records may be absent.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import multigammaln

from isobreach._progress import Progress
from isobreach.geometry import row_norms
from isobreach.linking.candidates import Candidates, Field, TooManyError
from isobreach.linking.chance import Rates, sampled
from isobreach.linking.noisy import SEEDING, Seeds, Squares, seeds
from isobreach.release import Bounds

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


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


@dataclass(frozen=True, eq=False)
class Guesses:
    """Probability of the likeliest value of each known record, and all values that it may have; none is certain.

    ``complete``: all assignments that pass the test were weighed.
    """

    posterior: FloatArray
    candidates: dict[int, IntArray]
    scale: float
    complete: bool


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
    everything = dict.fromkeys(range(len(known)), np.arange(len(points)))
    nothing = Guesses(np.zeros(len(known)), everything, scale, complete=True)
    if len(known) < 2 or len(points) < 2:
        return nothing
    asked = SEEDING.records * (SEEDING.records + 1) // 2
    bounds = Bounds(known * scale, np.zeros(len(known)), noise, columns, asked, projected=columns)
    try:
        several = seeds(bounds, field, squares, np.arange(len(known)), norms_kept=kept, progress=progress)
    except TooManyError:
        return replace(nothing, complete=False)
    if len(several.partial) >= SEEDING.beam:  # what was left out may be as likely
        return replace(nothing, complete=False)
    chosen = known[several.records]
    if not len(several.partial) or columns < len(chosen) or np.linalg.matrix_rank(chosen) < len(chosen):
        return nothing
    weights = _weights(bounds, squares, several)
    posterior, candidates = np.zeros(len(known)), dict(everything)
    for place, record in enumerate(several.records.tolist()):
        values, at = np.unique(several.partial[:, place], return_inverse=True)
        shares = np.bincount(at, weights=weights)
        posterior[record] = float(shares.max())
        if shares.sum() > 1 - NARROW.candidate:
            candidates[record] = values[shares > NARROW.candidate]
    return Guesses(posterior, candidates, scale, complete=True)


def _weights(bounds: Bounds, squares: Squares, found: Seeds) -> FloatArray:
    """Probability of each assignment, given that one of them is right or none."""
    count, columns = len(found.records), bounds.columns
    norms = np.sqrt(squares.norms)
    length = Rates(squares.norms)
    sample = sampled(squares.points / np.maximum(norms, 1e-300)[:, None])
    cosine = Rates(1 - (sample @ sample.T)[np.triu_indices(len(sample), 1)])
    log = np.full(len(found.partial), -count * np.log(len(norms)))
    products = np.empty((len(log), count, count))
    for j in range(count):
        own = squares.norms[found.partial[:, j]]
        products[:, j, j] = own
        reach = NARROW.window * own
        log -= length.log_share_of_squares(own - reach, own + reach) - np.log(2 * reach)
        for i in range(j):
            first, second = found.partial[:, i], found.partial[:, j]
            products[:, i, j] = np.einsum("ij,ij->i", squares.points[first], squares.points[second])
            products[:, j, i] = products[:, i, j]
            both = norms[first] * norms[second]
            apart = 1 - products[:, i, j] / both
            # Of two rows whose norms are known, chance makes the cosine.
            near = NARROW.window / 10
            log -= cosine.log_share_of_squares(apart - near, apart + near) - np.log(2 * near * both)
    scatter = bounds.known[found.records] @ bounds.known[found.records].T / columns
    log += _log_wishart(products, scatter + bounds.deviation**2 * np.eye(count), columns)
    highest = max(float(log.max()), 0.0)
    weights = np.exp(log - highest)
    return np.asarray(weights / (weights.sum() + np.exp(-highest)))


def _log_wishart(products: FloatArray, scatter: FloatArray, freedom: int) -> FloatArray:
    """Log density of products of k rows (t x k x k) behind a projection to ``freedom`` columns."""
    count = len(scatter)
    constant = freedom * count / 2 * np.log(2) + freedom / 2 * np.linalg.slogdet(scatter)[1]
    constant += float(multigammaln(freedom / 2, count))
    trace = np.einsum("ij,tji->t", np.linalg.inv(scatter), products)
    return np.asarray((freedom - count - 1) / 2 * np.linalg.slogdet(products)[1] - trace / 2 - constant)
