# SPDX-License-Identifier: BSD-3-Clause
r"""Which attributes a coalition learns: counted on the owner's records, as they are.

The insiders know a record's foot, and guess what is hidden of an attribute. With u the hidden part of record i in
attribute j, an unknown number between -d l and d l (d the residual, l the length of the attribute's row of the hidden
basis), they guess

    0            the centre: best for a direction at random in h >= 3 dimensions;
    +-d l        an end, its sign by a coin: where h = 1 the hidden part is one of the two;
    +-(d l - t)  the interval of half width t that ends there: best for a random direction where h = 2.

The ends are tried for h <= 2 only, and where t < d l: otherwise the centre is certain. An attribute is *learned* when
the guess is within its tolerance t of u. The owner knows u, so nothing is supposed about how hidden parts are
distributed: columns of different size, correlated or skewed, are counted as they are. Of the three rules, the one that
learns an attribute of most records is reported.
"""

import numpy as np

from isobreach._arrays import FloatArray

_ROUNDING = 1e-9  # of the tolerance


def learned(
    error: FloatArray, reach: FloatArray, hidden: int, tolerance: FloatArray, rounding: FloatArray
) -> FloatArray:
    """Share of records of which each attribute is learned; half a record where the coin decides.

    Parameters
    ----------
    error
        Record minus its foot, one row a record.
    reach
        d l, of the same shape.
    hidden
        h, the hidden dimension.
    tolerance
        t, one for each attribute.
    rounding
        Error of each record's foot that arithmetic alone may make.
    """
    allowed = tolerance * (1 + _ROUNDING) + rounding[:, None]

    def share(guess: FloatArray | float) -> FloatArray:
        hits = sum(np.abs(error - side * guess) <= allowed for side in (-1, 1))
        return np.asarray(np.mean(hits, axis=0) / 2)

    rules = [share(0.0)]
    if hidden in (1, 2):
        rules += [share(np.where(reach <= tolerance, 0.0, end)) for end in (reach, reach - tolerance)]
    return np.asarray(np.max(rules, axis=0))
