# SPDX-License-Identifier: BSD-3-Clause
"""What estimates of vectors are worth to somebody with a dictionary: whose record is nearest?

An embedding is read by looking it up. An estimate whose cosine with the truth is .75 is no breach at any usual epsilon,
and yet nearer to the truth than to every other text of a dictionary: the text is read. So the share of records whose
own entry is nearest (top-1), or among the five nearest (top-5), stands beside the breached share.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isobreach._arrays import FloatArray, IntArray

NEAREST = 5  # entries that are looked up
_PAIRS = 10_000_000  # of estimates and entries at a time: 160 MB with the places of the nearest


@dataclass(frozen=True, eq=False)
class ReadOut:
    """The entries of a dictionary that are nearest to each estimate.

    Attributes
    ----------
    entries
        Their places in the dictionary, the nearest first: a row for each estimate, of up to five.
    cosines
        Of the estimate with each of them.
    """

    entries: IntArray = field(repr=False)
    cosines: FloatArray = field(repr=False)

    def top(self, count: int, own: ArrayLike | None = None) -> float:
        """Return the share of estimates whose own entry is among the nearest.

        Parameters
        ----------
        count
            How many of the nearest: from 1 to 5.
        own
            The entry of each estimate's record; the first entries, in the order of the estimates, by default.
        """
        if not len(self.entries):
            return 0.0
        places = np.arange(len(self.entries)) if own is None else np.asarray(own)
        return float((self.entries[:, :count] == places[:, None]).any(axis=1).mean())


def read_out(estimates: ArrayLike, dictionary: ArrayLike) -> ReadOut:
    """Return the nearest entries of a dictionary, by cosine; estimates that are not known (NaN) are near none.

    Parameters
    ----------
    estimates
        Of records, m x n.
    dictionary
        Candidate records, any number x n.
    """
    told, entries = _directions(estimates), _directions(dictionary)
    count = min(NEAREST, len(entries))
    places: list[IntArray] = [np.zeros((0, count), dtype=np.int64)]
    cosines: list[FloatArray] = [np.zeros((0, count))]
    block = max(1, _PAIRS // max(1, len(entries)))
    for start in range(0, len(told), block):
        near = told[start : start + block] @ entries.T
        some = np.argpartition(-near, count - 1, axis=1)[:, :count] if count < len(entries) else None
        some = np.tile(np.arange(len(entries)), (len(near), 1)) if some is None else some
        values = np.take_along_axis(near, some, axis=1)
        order = np.argsort(-values, axis=1, kind="stable")
        values = np.take_along_axis(values, order, axis=1)
        places.append(np.where(values > 0, np.take_along_axis(some, order, axis=1), -1))
        cosines.append(np.asarray(values, dtype=np.float64))
    return ReadOut(np.concatenate(places), np.concatenate(cosines))


def mean_cosine(estimates: ArrayLike, records: ArrayLike) -> float:
    """Return the mean cosine of estimates with their records; one that is not known counts as zero.

    Parameters
    ----------
    estimates, records
        In the same order, m x n.
    """
    told, truth = (_directions(one).astype(np.float64) for one in (estimates, records))
    return float((told * truth).sum(axis=1).mean()) if len(told) else 0.0


def _directions(rows: ArrayLike) -> NDArray[np.float32]:
    """Rows of length one, in single precision; zeros where one is not known."""
    values = np.asarray(rows, dtype=np.float64)
    sizes = np.linalg.norm(values, axis=1, keepdims=True)
    there = np.isfinite(sizes) & (sizes > 0)
    return np.asarray(np.divide(values, sizes, out=np.zeros_like(values), where=there), dtype=np.float32)
