# SPDX-License-Identifier: BSD-3-Clause
r"""Large faces of the rows' convex hull: where values are cut off, nobody is beyond the plane that many lie in.

About an inner point all rows z fulfil u.z <= 1 for the u of a polyhedron, whose corners are the planes u.z = 1 of the
hull's faces. A face that holds a tenth of all rows is one corner among very many, but a large one: seen from the inner
point it covers as much as that tenth of the rows is spread over. No random rows need lie in it together.

From u = 0 on, u goes the way of a random direction c until it meets a row, u.z = 1, then the way of c that keeps these,
and so on: after as many steps as columns it is at a corner, which may hold more rows than it met. (The beginning of a
simplex algorithm: where c is largest does not matter.)
"""

import numpy as np

from isobreach._arrays import FloatArray

_STEEP = 1e-9  # a row is met where the way is not along its plane


def corners(rows: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
    """Return normals u of planes u.z = 1 beyond which no row lies, one a row; as many as were begun.

    Parameters
    ----------
    rows
        Rows that span all dimensions, about a point between them, in units in which every direction is alike.
    count
        Random directions to begin in.
    rng
        Draws them.
    """
    size, each = rows.shape[1], np.arange(count)
    ways = rng.standard_normal((count, size))
    normals, met = np.zeros((count, size)), np.zeros((count, size, size))  # rows met, orthonormal
    for step in range(size):
        way = _across(ways, met[:, :step])
        way /= np.maximum(np.linalg.norm(way, axis=1, keepdims=True), np.finfo(np.float64).tiny)
        speed, left = way @ rows.T, np.maximum(1 - normals @ rows.T, 0.0)
        far = np.divide(left, speed, out=np.full_like(left, np.inf), where=speed > _STEEP)
        first = far.argmin(axis=1)
        reach = far[each, first]
        normals += np.where(np.isfinite(reach), reach, 0.0)[:, None] * way
        found = _across(_across(rows[first], met[:, :step]), met[:, :step])  # twice, against rounding
        met[:, step] = found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), np.finfo(np.float64).tiny)
    return normals


def _across(vectors: FloatArray, met: FloatArray) -> FloatArray:
    """What is at right angles to what was met, one frame a vector."""
    return np.asarray(vectors - np.einsum("skd,sk->sd", met, np.einsum("skd,sd->sk", met, vectors)))
