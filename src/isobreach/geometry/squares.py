# SPDX-License-Identifier: BSD-3-Clause
"""Squared norms of many rows, compiled: of an array of rows, and of rows by their columns, with the same bits.

Both add the squares of a row in the order of the columns, product and sum in one operation where the processor has it.
Sums of several rows run side by side: rows of an array eight at a time, those of columns as vectors.
"""

import numpy as np
from numpy.typing import NDArray

from isobreach._columns import STRETCH, Addresses, ColumnBlock
from isobreach._compiled import compiled, stretch

FloatArray = NDArray[np.float64]


def squared_norms(rows: FloatArray | ColumnBlock) -> FloatArray:
    """Return the squared norm of every row; NaN or infinity where an entry is."""
    squares = np.empty(len(rows))
    if isinstance(rows, ColumnBlock):
        _of_columns(rows.addresses, squares)
    else:
        _of_rows(rows, squares)
    return squares


@compiled(fuse=True)
def _of_rows(rows: FloatArray, squares: FloatArray) -> None:
    # Flat, with unsigned indices, which cannot wrap around. One sum waits for its last product; eight do not.
    m, n, y = np.uintp(rows.shape[0]), np.uintp(rows.shape[1]), rows.ravel()
    whole = m // np.uintp(8) * np.uintp(8)
    for i in range(np.uintp(0), whole, np.uintp(8)):
        a = i * n
        b, c, d = a + n, a + np.uintp(2) * n, a + np.uintp(3) * n
        e, f, g, h = a + np.uintp(4) * n, b + np.uintp(4) * n, c + np.uintp(4) * n, d + np.uintp(4) * n
        s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
        for j in range(n):
            s0 += y[a + j] * y[a + j]
            s1 += y[b + j] * y[b + j]
            s2 += y[c + j] * y[c + j]
            s3 += y[d + j] * y[d + j]
            s4 += y[e + j] * y[e + j]
            s5 += y[f + j] * y[f + j]
            s6 += y[g + j] * y[g + j]
            s7 += y[h + j] * y[h + j]
        squares[i], squares[i + np.uintp(1)], squares[i + np.uintp(2)], squares[i + np.uintp(3)] = s0, s1, s2, s3
        k = i + np.uintp(4)
        squares[k], squares[k + np.uintp(1)], squares[k + np.uintp(2)], squares[k + np.uintp(3)] = s4, s5, s6, s7
    for i in range(whole, m):
        s0 = 0.0
        for j in range(n):
            s0 += y[i * n + j] * y[i * n + j]
        squares[i] = s0


@compiled(fuse=True)
def _of_columns(addresses: Addresses, squares: FloatArray) -> None:
    for first in range(0, len(squares), STRETCH):
        size = min(STRETCH, len(squares) - first)
        squares_of_stretch(addresses, first, squares[first : first + size])


@compiled(fuse=True)
def squares_of_stretch(addresses: Addresses, first: int, squares: FloatArray) -> None:
    """Squared norms of some rows from ``first`` on, inside a compiled kernel: four columns at a time."""
    n, size = len(addresses), len(squares)
    for i in range(size):
        squares[i] = 0.0
    for j in range(0, n // 4 * 4, 4):
        a, b = stretch(addresses, j, first, size), stretch(addresses, j + 1, first, size)
        c, d = stretch(addresses, j + 2, first, size), stretch(addresses, j + 3, first, size)
        for i in range(size):
            total = squares[i]
            total += a[i] * a[i]
            total += b[i] * b[i]
            total += c[i] * c[i]
            total += d[i] * d[i]
            squares[i] = total
    for j in range(n // 4 * 4, n):
        a = stretch(addresses, j, first, size)
        for i in range(size):
            squares[i] += a[i] * a[i]
