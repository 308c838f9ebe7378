# SPDX-License-Identifier: BSD-3-Clause
r"""The equations that links give for the unknown attributes of a partial record, and how badly a row fits them.

Links fix the motion on a span of k dimensions: U (n x k) and V (N x k) are bases with M U = V, W and V' complete
them, c and c' are the centres (zero for an orthogonal motion). If the record x is the row y, then

    U'(x - c) = V'(y - c')            k linear equations,
    |W'(x - c)| = |V''(y - c')| = d   one more: the norm, or the distance from the linked rows' hull.

Of x the attributes A are known and the q attributes Q are not. With z = x_Q - c_Q and o = U_A'(x_A - c_A) the first
line is U_Q' z = v - o. Where U_Q has rank q, least squares gives z for every row; what is left over, k - q numbers,
must vanish, and the last line must hold. Let eta bound the error of v and of d (as in the attack: the row's own, the
centre's, the motion's), s the smallest singular value of U_Q and w the largest of W_Q. Then z errs by at most eta / s,
so that for the true row

    |left over| <= eta    and    | |W_A'(x_A - c_A) + W_Q' z| - d | <= eta (1 + w / s).

The *misfit* is the larger of the two, each over its bound: at most 1 for the true row, whatever the rounding did.

The motion is fitted in one of two ways: whitened (``geometry.fit_motions``), which bounds the error of all directions
alike, or by least squares. Columns may be of very different size, and then an error that is bounded along each
direction of the links by itself is far smaller. With X = L S U' the linked records, Y' their rows and E their errors,
the fitted V minimises |V S - Y' L|, which is |E' L| <= |E| for the true MU. Let f be the sum of that minimum and |E|.
Then |(V - MU) S| <= f, and with w = U'(x - c)

    |(V - MU) w| <= f |S^-1 w|,    |(V - MU)'(hidden part)| <= f d / s_k.

w itself is seen as v, within eta: both together are divided by 1 - f / s_k.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg

from isobreach._arrays import FloatArray, IntArray
from isobreach.engine import tiles
from isobreach.geometry import ConsistentMotions, fit_motions, row_norms
from isobreach.release import Precision

_TINY = 1e-150  # a row of zeros has no error; what it does not fit must not overflow


@dataclass(frozen=True)
class Conditioning:
    """When equations determine the unknown attributes.

    Attributes
    ----------
    least
        Smallest singular value of U_Q that counts. Two to six unknown attributes of sixteen have 0.01 to 0.5; below a
        thousandth the record waits for more links, because its error would become that of everything it helps to find.
    worthwhile
        How many times less linked rows must err for a fit by least squares, which bounds hidden parts less well.
    """

    least: float = 1e-3
    worthwhile: float = 4.0


CONDITIONING = Conditioning()


@dataclass(frozen=True, eq=False)
class LinkedView:
    """The motion fitted to the links, and how far what it shows of a row may err; lengths are the release's."""

    motions: ConsistentMotions
    precision: Precision
    centre_error: float
    fit_error: float | FloatArray

    @classmethod
    def of(
        cls, records: FloatArray, rows: FloatArray, radius: FloatArray, precision: Precision, *, translates: bool
    ) -> "LinkedView":
        """From linked records, in the release's units, their rows, and the error radius of each pair."""
        centre_error = float(radius.mean()) if translates else 0.0
        spread = float(np.linalg.norm(radius))
        whitened = fit_motions(records, rows, noise=2 * spread, translates=translates)
        alike = cls(whitened, precision, centre_error, spread * whitened.sensitivity)
        if not alike.dimension:
            return alike
        motions = fit_motions(records, rows, noise=4 * spread, translates=translates, whiten=False)
        seen = (records - motions.known_centre) @ motions.known
        left = np.linalg.norm((rows - motions.released_centre) - seen @ motions.released.T)
        apart = cls(motions, precision, centre_error, (min(float(left), spread) + spread) / motions.strength)
        if apart.dimension < alike.dimension:
            return alike
        errors = [float(view.seen(rows)[2].max()) for view in (alike, apart)]
        return apart if CONDITIONING.worthwhile * errors[1] < errors[0] else alike

    @property
    def dimension(self) -> int:
        """Equations that a row gives, k."""
        return int(self.motions.known.shape[1])

    def seen(self, rows: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """v, the hidden part and eta of each row of a tile."""
        motions, columns = self.motions, rows.shape[1]
        centred = rows - motions.released_centre
        along, hidden = centred @ motions.released, centred @ motions.released_hidden
        # The product M x may be longer than what a translation left of it, and erred accordingly.
        product = row_norms(centred) + float(np.linalg.norm(motions.known_centre))
        arithmetic = replace(self.precision, step=0.0, relative=0.0)
        own = self.precision.radius(row_norms(rows), columns) + arithmetic.radius(product, columns)
        if isinstance(self.fit_error, float):
            fit = self.fit_error * row_norms(centred)
        else:
            weakest = float(self.fit_error.max())
            fit = (row_norms(along * self.fit_error) + weakest * row_norms(hidden)) / (1 - weakest)
        return along, hidden, own + self.centre_error + fit


@dataclass(frozen=True, eq=False)
class Equations:
    """The equations for one partial record: what is the same for every row.

    ``offset``: o. ``solve`` (k x q) takes v - o to z, ``across`` (k x (k - q)) to what is left over, and ``lift``
    (k x h) to W_Q' z, to which ``hidden``, W_A'(x_A - c_A), is added. ``strength``: s. ``slope``: w / s. ``own_error``:
    of the record's known attributes.
    """

    offset: FloatArray
    solve: FloatArray
    across: FloatArray
    lift: FloatArray
    hidden: FloatArray
    strength: float
    slope: float
    own_error: float

    @classmethod
    def of(cls, record: FloatArray, view: LinkedView, own_error: float) -> "Equations | None":
        """For a record in the release's units, NaN where it is not known; None where the links do not determine it."""
        unknown, motions = np.isnan(record), view.motions
        count, k = int(unknown.sum()), view.dimension
        if count > k:
            return None
        left, strength, right = linalg.svd(motions.known[unknown].T, check_finite=False)
        if strength[-1] < CONDITIONING.least:
            return None
        solve = (left[:, :count] / strength) @ right
        centred = np.where(unknown, 0.0, record - motions.known_centre)
        beyond = motions.known_hidden[unknown]
        widest = float(np.linalg.norm(beyond, 2)) if beyond.size else 0.0
        return cls(
            offset=centred @ motions.known,
            solve=solve,
            across=np.ascontiguousarray(left[:, count:]),
            lift=solve @ beyond,
            hidden=centred @ motions.known_hidden,
            strength=float(strength[-1]),
            slope=widest / float(strength[-1]),
            own_error=own_error,
        )

    @property
    def checks(self) -> int:
        """Equations that are left to check the answer: k - q, and the last line unless nothing is hidden."""
        return int(self.across.shape[1]) + bool(self.lift.shape[1])

    def misfit(self, along: FloatArray, distance: FloatArray, error: FloatArray) -> FloatArray:
        """Misfit of rows by their v, d and eta."""
        rest, bound = along - self.offset, np.maximum(error + self.own_error, _TINY)
        left_over = row_norms(rest @ self.across) / bound
        gap = np.abs(row_norms(self.hidden + rest @ self.lift) - distance) / (bound * (1 + self.slope))
        return np.maximum(left_over, gap)

    def solved(self, along: FloatArray) -> FloatArray:
        """z of one row by its v."""
        return np.asarray((along - self.offset) @ self.solve)


def fitting_rows(
    block: FloatArray, first_row: int, params: tuple[LinkedView, tuple[Equations, ...], int]
) -> list[tuple[IntArray, FloatArray]]:
    """For each record: rows of the block that fit, and the smallest misfits of others, at most so many."""
    view, several, most = params
    misfits = np.concatenate([_tile_misfits(block[part], view, several) for part in tiles(block)], axis=1)
    found = []
    for misfit in misfits:
        fits = misfit <= 1
        others = misfit[~fits]
        near = np.partition(others, most)[:most] if len(others) > most else others
        found.append((np.flatnonzero(fits) + first_row, near))
    return found


def _tile_misfits(rows: FloatArray, view: LinkedView, several: tuple[Equations, ...]) -> FloatArray:
    along, hidden, error = view.seen(rows)
    distance = row_norms(hidden)
    return np.stack([one.misfit(along, distance, error) for one in several])
