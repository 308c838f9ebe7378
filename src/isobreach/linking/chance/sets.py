# SPDX-License-Identifier: BSD-3-Clause
r"""How many sets of rows chance would put in the places of known records, before anything is searched for.

With N_i the expected number of rows that have the norm of record i (all rows, where norms are not kept) and p_ij the
share of distances that agree with that of two records, chance makes about

    C(K, q) * prod_(i <= q) N_i * prod_(i < j <= q) p_ij

assignments of the first q of K records, as in ``isobreach.linking.chance.matches``. The number rises with the first
few records and falls with the others. Where it does not fall below the limit, no search could make a link count.
"""

import numpy as np
from scipy.special import gammaln

from isobreach._arrays import FloatArray, IntArray
from isobreach.linking.chance.matches import least_telling
from isobreach.linking.chance.rates import Rates
from isobreach.release import Bounds


def log_sets(
    bounds: Bounds, rates: Rates, records: IntArray, rows: int, norms: FloatArray | None, telling: int
) -> FloatArray:
    """Log of the expected chance assignments of the first record, the first two, the first three, ...

    Parameters
    ----------
    bounds
        All known records, and where their lengths may lie.
    rates
        How common distances are.
    records
        Those of them that are placed, in that order.
    rows
        Rows of the release.
    norms
        Norms of released values where norms are kept, else None.
    telling
        Distances that count for a record, at most.
    """
    log = _log_pairs(bounds, rates, records)
    alone = np.full(len(records), np.log(float(rows)))
    if norms is not None:
        low, high = bounds.norms(records)
        alone += np.log([max(((norms >= a) & (norms <= b)).mean(), 1e-9) for a, b in zip(low, high, strict=True)])
    gains = [alone[k] + least_telling(log[k, :k][None], telling)[0] for k in range(len(records))]
    sizes, known = np.arange(1, len(records) + 1), len(bounds.known)
    ways = gammaln(known + 1) - gammaln(sizes + 1) - gammaln(known - sizes + 1)
    return np.asarray(ways + np.cumsum(gains))


def most_telling_pair(bounds: Bounds, rates: Rates, records: IntArray) -> float:
    """Log of the rarest distance's share: what is lost where one distance has to give the scale."""
    return float(_log_pairs(bounds, rates, records).min(initial=0.0, where=~np.eye(len(records), dtype=np.bool_)))


def _log_pairs(bounds: Bounds, rates: Rates, records: IntArray) -> FloatArray:
    log = rates.log_share(*bounds.distances(records, records))
    np.fill_diagonal(log, -np.inf)
    return log
