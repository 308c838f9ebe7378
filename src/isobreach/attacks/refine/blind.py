# SPDX-License-Identifier: BSD-3-Clause
r"""The blind guess: what anyone can say of a record without the release. Every figure stands beside it.

The records that the attacker holds stand for all others. Attribute by attribute the guess is their mean, their median
or their most common value; as a whole, the record of theirs that is within epsilon of most of the others. Where values
do not repeat the most common one is the middle of the shortest interval that holds half of them.
"""

import numpy as np

from isobreach._arrays import FloatArray
from isobreach.attacks.refine.evidence import Evidence
from isobreach.geometry import row_norms

# Records compared with each other for the typical one: the share near a record is then known within 0.03.
_COMPARED = 1000


def blind(evidence: Evidence) -> dict[str, FloatArray]:
    """Return guesses of any record by name, n numbers each; none where the attacker holds no record.

    Parameters
    ----------
    evidence
        Of which known records, sample and epsilon are used.
    """
    records, means = evidence.population, evidence.means
    if records is None or means is None:
        return {}
    guesses = {
        "mean": means,
        "median": np.nanmedian(records, axis=0),
        "most common value": np.array([_most_common(column[np.isfinite(column)]) for column in records.T]),
    }
    complete = records[np.isfinite(records).all(axis=1)]
    if len(complete):
        guesses["typical record"] = _typical(complete, evidence.epsilon)
    return guesses


def interval_guess(evidence: Evidence, tolerance: FloatArray) -> FloatArray | None:
    """Return, for each attribute, the middle of the interval of half width t that holds most of the attacker's values.

    No other guess is within t of more of them. Of several such intervals the middle one counts.

    Parameters
    ----------
    evidence
        Of which known records and sample are used.
    tolerance
        t, one number for each attribute.
    """
    records = evidence.population
    if records is None or evidence.means is None:
        return None
    columns = zip(records.T, np.broadcast_to(tolerance, records.shape[1]), strict=True)
    return np.array([_fullest(np.sort(column[np.isfinite(column)]), float(t)) for column, t in columns])


def _fullest(values: FloatArray, tolerance: float) -> float:
    """Middle of the interval of half width t that holds most of ascending values."""
    width = 2 * tolerance * (1 + 1e-12)
    inside = np.searchsorted(values, values + width, side="right") - np.arange(len(values))
    best = np.flatnonzero(inside == inside.max())
    first = int(best[len(best) // 2])
    return float((values[first] + values[first + inside[first] - 1]) / 2)


def _most_common(values: FloatArray) -> float:
    """Most frequent value; where none repeats, the middle of the shortest interval that holds half of them."""
    distinct, counts = np.unique(values, return_counts=True)
    if counts.max() > 1 or len(values) < 3:
        return float(distinct[counts.argmax()])
    half = (len(distinct) + 1) // 2
    first = int((distinct[half:] - distinct[:-half]).argmin())
    return float((distinct[first] + distinct[first + half]) / 2)


def _typical(records: FloatArray, epsilon: float) -> FloatArray:
    """The record within epsilon of most others, by their own lengths; of several, the one nearest to their mean."""
    some = records[np.linspace(0, len(records) - 1, min(len(records), _COMPARED)).astype(np.intp)]
    norms = row_norms(some)
    near = np.array([int((row_norms(some - one) <= epsilon * norms).sum()) for one in some])
    best = np.flatnonzero(near == near.max())
    return np.asarray(some[best[row_norms(some[best] - some.mean(axis=0)).argmin()]])
