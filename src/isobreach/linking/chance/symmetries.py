# SPDX-License-Identifier: BSD-3-Clause
r"""In how many ways the symmetries of a grid can move a record, others staying where they are.

On a grid with the same step in all columns a shape has copies that no distance tells from it: columns exchanged, signs
changed, 2^n n! symmetries in all. Those that leave the differences of other records as they are exchange columns in
which these agree, up to a sign, and change the signs of columns in which they are all zero. So the images of one more
difference are counted column by column: for each set of g columns that agree, g! / (m_1! m_2! ...) with m_k how often
each entry occurs in them (as seen with the columns' signs), and where they are all zero, entries without their sign and
2 for each that is not zero.
"""

import numpy as np
from scipy.special import gammaln

from isobreach._arrays import FloatArray

_DIGITS = 9  # entries that agree to so many digits of the largest are equal


def log_images(fixed: FloatArray, moved: FloatArray) -> float:
    """Log of the number of images of ``moved`` (n) under the symmetries that fix all rows of ``fixed`` (k x n).

    >>> import numpy as np
    >>> none = np.zeros((0, 3))
    >>> [round(float(np.exp(log_images(none, np.array(d))))) for d in ([1.0, 2.0, 3.0], [1.0, 1.0, 0.0])]
    [48, 12]
    >>> round(float(np.exp(log_images(np.array([[1.0, -1.0, 2.0]]), np.array([5.0, 3.0, 4.0])))))
    2
    """
    scale = float(max(np.abs(fixed).max(initial=0.0), np.abs(moved).max(initial=0.0), 1e-300))
    whole = np.rint(np.vstack([fixed, moved]) / scale * 10.0**_DIGITS).astype(np.int64)
    columns, entries = whole[:-1].T, whole[-1]
    first = np.array([column[np.flatnonzero(column)[:1]].sum() for column in columns], dtype=np.int64)
    signs = np.sign(first)
    entries = np.where(signs == 0, np.abs(entries), signs * entries)
    total = np.log(2.0) * np.count_nonzero(entries[signs == 0])
    sets: dict[tuple[int, ...], list[int]] = {}
    for column, sign, entry in zip(columns, signs, entries, strict=True):
        sets.setdefault(tuple((column * sign).tolist()), []).append(int(entry))
    for together in sets.values():
        counts = np.unique(together, return_counts=True)[1]
        total += float(gammaln(len(together) + 1) - gammaln(counts + 1).sum())
    return float(total)
