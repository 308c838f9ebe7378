# SPDX-License-Identifier: BSD-3-Clause
"""Which matched columns are confirmed, and by what.

An attribute is claimed only if it is confirmed in one of two ways, and left out of the estimates otherwise (the variant
"all columns" has them all).

- *Two parts of the sample*, each with another half of the released rows, give it the same column and sign, in four
  splits: three quarters of the sample are matched anew, and the last quarter, which that match has not seen, prefers
  the same column to all others. Parts that say nothing agree in half a column on average, so more must agree than
  chance makes (1e-3). And the match must fit: matched columns have the same distributions (Kolmogorov and Smirnov) and
  correlations, which those of a rotation do not.
- *Known records* have their values in that column, and would have them in others by chance less than once in 1,000.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import pdtrc
from scipy.stats import chi2

from isobreach._arrays import FloatArray
from isobreach.attacks.permutation.matching import TUNING, Match, Matching, Released, kolmogorov
from isobreach.linking import CHANCE_LIMIT


def confirmed(matching: Matching, best: Match, records: FloatArray, *, sampled: bool) -> tuple[NDArray[np.bool_], str]:
    """Which attributes are confirmed, and why in words."""
    by_pairs = _by_pairs(matching, best)
    if by_pairs.all():
        return by_pairs, "known records have their values there"
    if not sampled or len(records) < 8:
        return by_pairs, "known records have their values there" if by_pairs.any() else "nothing confirms a column"
    if not _fits(matching.about, best, records, matching.draws):
        return by_pairs, "columns do not have the distributions of the sample: they may be mixed, or it is another one"
    agree = best.columns >= 0
    for _ in range(TUNING.splits):
        mine, theirs = (matching.draws.permutation(len(one)) for one in (records, matching.about.some))
        held = max(3, int(TUNING.held * len(mine)))
        fitted = matching.half(theirs[::2]).columns_of(records[mine[held:]])
        judged = matching.half(theirs[1::2]).judged(records[mine[:held]], fitted)
        for one in (fitted, judged):
            agree &= (one.columns == best.columns) & (one.signs == best.signs)
    # Two random assignments agree in a Poisson number of attributes, of mean 1/2 with signs.
    chance = float(pdtrc(int(agree.sum()) - 1, 0.5)) if agree.any() else 1.0
    if chance > CHANCE_LIMIT:
        return by_pairs, "two parts of the sample agree no more than chance would have it"
    return by_pairs | agree, "two parts of the sample agree on them"


def _by_pairs(matching: Matching, best: Match) -> NDArray[np.bool_]:
    """Which attributes known records confirm: they have their values in the column, and not by chance."""
    pairs, about = matching.pairs, matching.about
    found = np.zeros(len(best.columns), dtype=bool)
    if pairs is None:
        return found
    for i in np.flatnonzero(best.columns >= 0):
        near = best.near(i, matching)
        if (np.abs(best.missed(i, matching)) > near).any():
            continue
        # By chance: a random row of any column, of either sign, near all known values; a shift spends one of them.
        wanted = pairs.records[:, i] - best.shifts[i]
        first = int(best.shifted)
        rows = np.abs(about.some / best.scale)
        shares = [(np.abs(rows - abs(one)) <= near).mean(axis=0) for one in wanted[first:]]
        found[i] = bool(shares) and float(np.prod(np.array(shares), axis=0).sum()) <= CHANCE_LIMIT
    return found


def _fits(about: Released, best: Match, records: FloatArray, draws: np.random.Generator) -> bool:
    """Whether matched columns have the distributions and correlations of the records."""
    there = np.flatnonzero((best.columns >= 0) & (records.std(axis=0) > 0))
    if not len(there):  # nothing that varies could be compared
        return False
    columns = best.signs[there] * about.some[:, best.columns[there]] / best.scale + best.shifts[there]
    noise = about.noise / best.scale * draws.standard_normal((len(records), len(there)))
    blurred = records[:, there] + noise
    least = min(float(kolmogorov(a, b).pvalue) for a, b in zip(blurred.T, columns.T, strict=True))
    if least < TUNING.fits / len(there):
        return False
    if len(there) < 2:
        return True
    pairs = np.triu_indices(len(there), 1)
    mine, theirs = (
        np.arctanh(np.clip(np.atleast_2d(np.corrcoef(one.T))[pairs], -0.999, 0.999)) for one in (blurred, columns)
    )
    apart = float(((mine - theirs) ** 2).sum()) / (1 / max(len(blurred) - 3, 1) + 1 / max(about.rows - 3, 1))
    return bool(apart <= TUNING.loose * chi2.isf(TUNING.fits, len(pairs[0])))
