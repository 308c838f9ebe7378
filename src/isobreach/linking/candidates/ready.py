# SPDX-License-Identifier: BSD-3-Clause
"""Points made ready for questions about their distances: centred, in the unit ball, in an order that spares work."""

import threading
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray, IntArray
from isobreach.engine import PAIR_TILE
from isobreach.geometry import row_norms

_TINY = 1e-36  # squares of that size, relative to the largest, may underflow
BUFFER = threading.local()  # of the products of a tile, and of its hits: new ones cost more than to fill them
_NOTHING = np.empty(0, dtype=np.bool_)


@dataclass(frozen=True)
class LongAxis:
    """When points are sorted along their longest axis, and how it is found."""

    points: int = 4096  # By which it is found: any axis will do.
    share: float = 0.5  # Of the spread, from which on points are sorted along it.
    steps: float = 1024.0  # Of its coordinates.


_AXIS = LongAxis()


@dataclass(frozen=True, eq=False)
class Ready:
    """Points made ready: centred, brought into the unit ball by ``scale``, and sorted by ``keys``.

    ``points`` are as they were given, ``order`` is their order; ``rows``, ``norms``, ``squares`` and ``keys``, which
    ascend, are in that order. No two points are nearer than their keys. ``unit``: unit roundoff of the rows. ``blur``:
    most that keys and norms err by.
    """

    points: FloatArray
    order: IntArray
    rows: NDArray[Any]
    norms: FloatArray
    squares: NDArray[Any]
    keys: FloatArray
    scale: float
    unit: float
    blur: float

    @classmethod
    def of(cls, points: FloatArray, precision: type[np.floating[Any]]) -> "Ready":
        """Return points ready for a filter of that precision."""
        centred = points - points.mean(axis=0)
        norms = row_norms(centred)
        keys = _places(centred, norms)
        order = np.argsort(keys, kind="stable")
        # Within the unit ball nothing overflows; a power of two rounds nothing.
        scale = 2.0 ** -np.ceil(np.log2(norms.max())) if norms.max() > 0 else 1.0
        rows = (centred[order] * scale).astype(precision)
        squares = np.einsum("ij,ij->i", rows, rows, dtype=np.float64).astype(precision)
        largest = float(np.abs(points).max()) * points.shape[1]
        blur = 16 * float(np.finfo(np.float64).eps) * largest * scale + _TINY
        unit = float(np.finfo(precision).eps) / 2
        return cls(points, order, rows, norms[order] * scale, squares, keys[order] * scale, scale, unit, blur)

    def apart(self, a: IntArray | slice, b: slice) -> tuple[float, float]:
        """Distances that no pair of some rows with others is below, and above, in the unit ball."""
        left, right = self.keys[a], self.keys[b]
        least = max(float(right[0] - left[-1]), float(left[0] - right[-1]), 0.0) - 2 * self.blur
        return least, float(self.norms[a].max() + self.norms[b].max()) + 2 * self.blur

    def slack(self, a: float, b: float) -> float:
        """Most that a squared distance of rows errs by, of norms up to a and b."""
        return float((self.rows.shape[1] / 2 + 8) * self.unit * (a + b) ** 2 + _TINY)

    def products(self, a: IntArray | slice, b: slice) -> NDArray[Any]:
        """-2 times the products of some rows with others, in a buffer that the thread's next call writes into."""
        rows, columns = self.rows[a], self.rows[b]
        if getattr(BUFFER, "products", _NOTHING).dtype != rows.dtype:
            BUFFER.products = np.empty(prod(PAIR_TILE), dtype=rows.dtype)
        # Without gaps, whatever its shape: kernels are compiled for one kind of array.
        out = BUFFER.products[: len(rows) * len(columns)].reshape(len(rows), len(columns))
        return np.asarray(np.matmul(-2 * rows, columns.T, out=out))


def _places(centred: FloatArray, norms: FloatArray) -> FloatArray:
    """Of each point a number by which no two are farther apart than they are: its norm, or its place on an axis."""
    some = centred[:: 1 + len(centred) // _AXIS.points]
    axis = np.round(_AXIS.steps * np.linalg.eigh(some.T @ some)[1][:, -1])  # the same whoever computes it
    places = np.einsum("ij,j->i", centred, axis / max(float(np.linalg.norm(axis)), 1.0))
    return places if np.var(places) > _AXIS.share * np.mean(norms**2) else norms
