# SPDX-License-Identifier: BSD-3-Clause
r"""How many matches chance alone would make.

A link is certain *if the record is in the release*. Once a known record is found absent, others may be too, and in a
coarse table an absent record can match by chance. For links L of K known records this module estimates

    set:   C(K, |L|) * prod_i N_i * prod_(i<j) p_ij     chance assignments of that many records
    one:   N_i * prod_j p_ij                            chance matches of record i beside true links

where N_i is the expected number of released values with the norm of record i, and p_ij the chance that a released row
stands at its distance from the linked row j. In n columns a norm and n - 1 distances determine a point up to a
reflection, so at most n - 1 distances count for a record, the least telling ones. Rates come from a sample of the
release: the count within a window wide enough to hold ten rows, scaled to the tolerance. On a grid of spacing g
squared norms and distances are multiples of g^2, so the tolerance is never taken below half of that.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from isobreach.blocks import Source
from isobreach.geometry import row_norms
from isobreach.linking.precision import grid_decimals

FloatArray = NDArray[np.float64]

_SAMPLE_ROWS = 4096
_WINDOW_ROWS = 10


def chance_matches(
    known: FloatArray, radius: FloatArray, linked: FloatArray, known_total: int, source: Source
) -> FloatArray:
    """Expected chance matches of each link: ``known`` (q x n) with error ``radius`` linked to the points ``linked``."""
    rows, columns = source.shape
    count = len(known)
    picks = np.random.default_rng(0).integers(0, rows, size=min(rows, _SAMPLE_ROWS))
    sample = source.take(picks)
    decimals = grid_decimals(np.abs(known).ravel())
    grid = 0.5 * 100.0**-decimals if decimals is not None else 0.0
    norms = row_norms(known)
    sample_squares = row_norms(sample) ** 2
    log_expected = np.array(
        [
            np.log(rows) + _log_rate(sample_squares, x**2, max(2 * x * r + r * r, grid))
            for x, r in zip(norms, radius, strict=True)
        ]
    )
    log_pair = np.zeros((count, count))
    for j in range(count):
        squares = row_norms(sample - linked[j]) ** 2
        distances = row_norms(known - known[j])
        for i in range(count):
            reach = radius[i] + radius[j]
            slack = max(2 * distances[i] * reach + reach**2, grid)
            log_pair[i, j] = _log_rate(squares, distances[i] ** 2, slack) if i != j else 0.0
    # Least telling first: a record's distances beyond n - 1 follow from the others.
    np.fill_diagonal(log_pair, -np.inf)
    telling = np.sort(log_pair, axis=1)[:, ::-1][:, : min(count - 1, columns - 1)]
    one = log_expected + telling.sum(axis=1)
    order = np.argsort(log_expected)
    whole = gammaln(known_total + 1) - gammaln(count + 1) - gammaln(known_total - count + 1)
    for place, i in enumerate(order):
        whole += log_expected[i] + np.sort(log_pair[i, order[:place]])[::-1][: columns - 1].sum()
    return np.asarray(np.exp(np.minimum(np.maximum(one, whole), 700.0)))


def _log_rate(squares: FloatArray, wanted: float, slack: float) -> float:
    """Log of the share of squared lengths within ``slack`` of ``wanted``; at most 0."""
    gaps = np.abs(squares - wanted)
    window = float(np.partition(gaps, min(_WINDOW_ROWS, len(gaps)) - 1)[: min(_WINDOW_ROWS, len(gaps))].max())
    within = max(int(np.count_nonzero(gaps <= max(slack, window))), 1)
    share = within / len(gaps) * (1.0 if slack >= window else slack / window)
    return float(np.log(max(min(share, 1.0), 1e-300)))
