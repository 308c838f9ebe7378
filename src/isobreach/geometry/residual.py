# SPDX-License-Identifier: BSD-3-Clause
"""Relative residuals of many rows: the second pass over a release, compiled.

For a row y and an orthonormal basis H (n x h) of the complement of a span, d = |H'y| is its residual. The kernels
return (d / |y|)^2: squares, because a root for every row costs as much as a good part of the product, and
ranks the same. A narrow basis, which stays in the first-level cache, is multiplied row by row, eight columns at a
time in registers; a wide one tile by tile through BLAS. A row's result does not depend on the rows beside it. With a
narrow basis, rows may come by their columns, with the same bits: every sum has its terms in the order of the columns,
and the squares that make up d^2 are rounded before they are added.
"""

import threading
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numba.core import config

from isobreach._arrays import FloatArray
from isobreach._columns import STRETCH, Addresses, ColumnBlock
from isobreach._compiled import compiled, stretch
from isobreach.geometry.squares import squares_of_stretch

_NARROW = 4096  # entries of a basis that fill a first-level cache of 32 KiB
_LANES = 8  # columns that the narrow kernel multiplies at once
_compiling = threading.Lock()


@dataclass(frozen=True, eq=False)
class HiddenBasis:
    """The basis H, n x h, as the kernels want it: a narrow one is padded with zeros to whole lanes.

    ``tile``: rows that go into one BLAS product where the basis is wide.
    """

    basis: FloatArray
    dimension: int
    tile: int

    @classmethod
    def of(cls, hidden: FloatArray, tile: int) -> "HiddenBasis":
        """Return the basis ready for use."""
        n, h = hidden.shape
        if hidden.size > _NARROW or h == n:
            return cls(hidden, h, tile)
        padded = np.zeros((n, -(-h // _LANES) * _LANES))
        padded[:, :h] = hidden
        _compile_narrow()
        return cls(padded, h, tile)

    @property
    def narrow(self) -> bool:
        """Whether each row is multiplied alone: then rows may come by their columns."""
        return bool(self.basis.shape[0] * self.dimension <= _NARROW)


def squared_residuals(rows: FloatArray | ColumnBlock, hidden: HiddenBasis) -> FloatArray:
    """Return (d / |y|)^2 of every row, 0 for a zero row."""
    if hidden.dimension == hidden.basis.shape[0]:  # without a span, d = |y|
        return np.asarray(rows[:].any(axis=1), dtype=np.float64)
    if isinstance(rows, ColumnBlock):
        return _narrow_by_columns(rows.addresses, hidden.basis, np.empty(len(rows)))
    if not hidden.narrow:
        return _wide(rows, hidden.basis, hidden.tile)
    _compile_narrow()
    return _narrow(rows, hidden.basis)


@compiled()
def _squared(number: float) -> float:
    return number * number  # not one operation with the sum that it goes into: kernels would differ in that


@compiled(fuse=True)
def _narrow(rows: FloatArray, hidden: FloatArray) -> FloatArray:
    # Flat arrays and unsigned indices, which cannot wrap around: eight sums stay in registers as one vector. That they
    # are written side by side into an array is what shows the compiler so; sums that it may reorder it takes apart.
    m, n, h = np.uintp(rows.shape[0]), np.uintp(rows.shape[1]), np.uintp(hidden.shape[1])
    y, w = rows.ravel(), hidden.ravel()
    out, sums = np.empty(rows.shape[0]), np.empty(8)
    for i in range(m):
        first = i * n
        square = 0.0
        for j in range(n):
            square += y[first + j] * y[first + j]
        apart = 0.0
        for c in range(np.uintp(0), h, np.uintp(8)):
            s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
            for j in range(n):
                v = y[first + j]
                k = j * h + c
                s0 += v * w[k]
                s1 += v * w[k + np.uintp(1)]
                s2 += v * w[k + np.uintp(2)]
                s3 += v * w[k + np.uintp(3)]
                s4 += v * w[k + np.uintp(4)]
                s5 += v * w[k + np.uintp(5)]
                s6 += v * w[k + np.uintp(6)]
                s7 += v * w[k + np.uintp(7)]
            sums[0], sums[1], sums[2], sums[3] = s0, s1, s2, s3
            sums[4], sums[5], sums[6], sums[7] = s4, s5, s6, s7
            for lane in range(8):
                apart += _squared(sums[lane])
        out[i] = apart / square if square > 0.0 else 0.0
    return out


def _compile_narrow() -> None:
    """Compile the narrow kernel with LLVM's straight-line vectoriser, which Numba leaves off: twice as fast."""
    kernel = cast(Any, _narrow)
    if kernel.signatures:
        return
    with _compiling:  # the setting is the process's own
        before = vars(config)["SLP_VECTORIZE"]
        vars(config)["SLP_VECTORIZE"] = 1
        try:
            kernel.compile("float64[::1](float64[:, ::1], float64[:, ::1])")
        finally:
            vars(config)["SLP_VECTORIZE"] = before


@compiled(fuse=True)
def _narrow_by_columns(addresses: Addresses, hidden: FloatArray, out: FloatArray) -> FloatArray:
    # Two columns of the basis and four of the rows at a time: eight products for six numbers loaded.
    n = len(addresses)
    square, apart, one, other = np.empty(STRETCH), np.empty(STRETCH), np.empty(STRETCH), np.empty(STRETCH)
    for first in range(0, len(out), STRETCH):
        size = min(STRETCH, len(out) - first)
        squares_of_stretch(addresses, first, square[:size])
        for i in range(size):
            apart[i] = 0.0
        for k in range(0, hidden.shape[1], 2):
            for i in range(size):
                one[i] = other[i] = 0.0
            for j in range(0, n // 4 * 4, 4):
                a, b = stretch(addresses, j, first, size), stretch(addresses, j + 1, first, size)
                c, d = stretch(addresses, j + 2, first, size), stretch(addresses, j + 3, first, size)
                v0, v1, v2, v3 = hidden[j, k], hidden[j + 1, k], hidden[j + 2, k], hidden[j + 3, k]
                w0, w1, w2, w3 = hidden[j, k + 1], hidden[j + 1, k + 1], hidden[j + 2, k + 1], hidden[j + 3, k + 1]
                for i in range(size):
                    y0, y1, y2, y3 = a[i], b[i], c[i], d[i]
                    s, t = one[i], other[i]
                    s += y0 * v0
                    t += y0 * w0
                    s += y1 * v1
                    t += y1 * w1
                    s += y2 * v2
                    t += y2 * w2
                    s += y3 * v3
                    t += y3 * w3
                    one[i], other[i] = s, t
            for j in range(n // 4 * 4, n):
                a = stretch(addresses, j, first, size)
                v0, w0 = hidden[j, k], hidden[j, k + 1]
                for i in range(size):
                    one[i] += a[i] * v0
                    other[i] += a[i] * w0
            for i in range(size):
                apart[i] = (apart[i] + _squared(one[i])) + _squared(other[i])
        for i in range(size):
            out[first + i] = apart[i] / square[i] if square[i] > 0.0 else 0.0
    return out


@compiled(reorder=True)
def _wide(rows: FloatArray, hidden: FloatArray, tile: int) -> FloatArray:
    m, n = rows.shape
    h = hidden.shape[1]
    coordinates = np.empty((min(tile, m), h))
    out = np.empty(m)
    for start in range(0, m, tile):
        stop = min(start + tile, m)
        np.dot(rows[start:stop], hidden, coordinates[: stop - start])
        for i in range(start, stop):
            square = 0.0
            for j in range(n):
                square += rows[i, j] * rows[i, j]
            apart = 0.0
            for j in range(h):
                apart += coordinates[i - start, j] * coordinates[i - start, j]
            out[i] = apart / square if square > 0.0 else 0.0
    return out
