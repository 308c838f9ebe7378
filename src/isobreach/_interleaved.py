# SPDX-License-Identifier: BSD-3-Clause
"""Columns into rows, eight at a time: a line of the cache is written once, not once for each column."""

import numpy as np

from isobreach._arrays import FloatArray
from isobreach._compiled import compiled


@compiled()
def eight(
    rows: FloatArray,
    a: FloatArray,
    b: FloatArray,
    c: FloatArray,
    d: FloatArray,
    e: FloatArray,
    f: FloatArray,
    g: FloatArray,
    h: FloatArray,
) -> None:
    """Write eight columns into the eight columns of an array."""
    for i in range(np.uintp(len(rows))):
        rows[i, 0] = a[i]
        rows[i, 1] = b[i]
        rows[i, 2] = c[i]
        rows[i, 3] = d[i]
        rows[i, 4] = e[i]
        rows[i, 5] = f[i]
        rows[i, 6] = g[i]
        rows[i, 7] = h[i]
