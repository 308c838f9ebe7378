# SPDX-License-Identifier: BSD-3-Clause
"""Squared norms of rows by their columns, for kernels: summed in the order of the columns, rows side by side."""

from isobreach._arrays import FloatArray
from isobreach._columns import Addresses
from isobreach._compiled import compiled, stretch


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
