# SPDX-License-Identifier: BSD-3-Clause
r"""How many wrong readings of the axes chance would let agree with the known records.

Known records name the axes if one reading alone (attributes, signs, offsets) takes all of them to rows. That is certain
if all of them are in the release. If one is not, the true reading does not take it to a row, and on a coarse table a
wrong reading may take all of them to rows. A wrong reading is the true one followed by a signed permutation of the
axes and, where offsets are open, a translation. Let rho be the share of rows that this motion takes to rows, and nu the
share that it takes to *other* rows, which is all that it can do to a stranger. Then K known records agree with

    sum over motions of K * nu * rho^(K - 1)

wrong readings. Shares are counted on the distinct rows. Only axes of one step are exchanged. If signed permutations are
few, all of them are counted. Otherwise exchanges of two axes and changes of one sign are, which leave the most rows in
place, and others are drawn to stand for the rest. Of the translations, the one that leaves the most rows where they
are is counted by itself. The others are drawn as the way from the image of a row to a row: one known record may be any
of m rows, and the others must be taken to rows with it, so these motions add m times the mean of rho^(K - 1), with rho
counted on the other rows. (The record that is placed first is a stranger, so its row is another one.)
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations, product
from math import factorial

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray, IntArray
from isobreach.attacks.lattice.evidence import commonest


@dataclass(frozen=True)
class CoincidenceCounting:
    """How wrong readings are counted.

    Attributes
    ----------
    limit
        Wrong readings that may be expected: as many as chance matches of a link.
    most
        Signed permutations that are counted one by one: all of four axes.
    drawn
        Signed permutations that stand for all others.
    offsets
        Offsets drawn, over all signed permutations, but at least four for each.
    rows
        Rows that are taken elsewhere: shares down to 1 in 256 are counted, and smaller ones hardly matter.
    seed
        Of all that is drawn.
    """

    limit: float = 1e-3
    most: int = 384
    drawn: int = 64
    offsets: int = 2048
    rows: int = 256
    seed: int = 0


COUNTING = CoincidenceCounting()


def wrong_readings(values: FloatArray, steps: FloatArray, records: int, *, offsets_open: bool) -> float:
    """Expected number of wrong readings that take so many known records to rows.

    Parameters
    ----------
    values
        Rows along the axes that were recovered and vary, m x n.
    steps
        Step of each of these axes.
    records
        Distinct known records, K.
    offsets_open
        Whether a reading may have any offset.
    """
    rng = np.random.default_rng(COUNTING.seed)
    rows = np.unique(np.rint((values - values[0]) / steps).astype(np.int64), axis=0)
    origin = values[0] / steps  # rows are counted from the first one
    code = rng.integers(1, 2**62, rows.shape[1]) | 1
    present = np.unique(rows @ code)
    some = rows[rng.choice(len(rows), min(COUNTING.rows, len(rows)), replace=False)]
    motions, total = list(_signed_permutations(steps, rng)), 0.0
    offsets = max(4, COUNTING.offsets // len(motions))
    for weight, order, signs in motions:
        moved = some[:, order] * signs
        if offsets_open:
            shift = np.array([commonest(column) for column in (some - moved).T])
        else:
            shift = np.rint(origin[order] * signs - origin).astype(np.int64)
        lands = _among((moved + shift) @ code, present)
        elsewhere = lands & (moved + shift != some).any(axis=1)
        total += weight * records * elsewhere.mean() * lands.mean() ** (records - 1)
        if offsets_open and len(some) > 1:
            placed = rng.integers(len(some), size=offsets)
            shifts = rows[rng.integers(len(rows), size=offsets)] - moved[placed]
            # One of them was counted; and where the row drawn for a row is itself, it is no stranger that is placed.
            wrong = (shifts != shift).any(axis=1) & (moved[placed] + shifts != some[placed]).any(axis=1)
            lands = _among((moved @ code)[:, None] + shifts[wrong] @ code, present)
            others = (lands.sum(axis=0) - 1) / (len(some) - 1)
            total += weight * len(rows) * float((others ** (records - 1)).sum()) / offsets
    return float(total)


def _among(codes: IntArray, present: IntArray) -> NDArray[np.bool_]:
    """Which codes are among those present, ascending."""
    return np.asarray(present[np.minimum(np.searchsorted(present, codes), len(present) - 1)] == codes)


def _signed_permutations(steps: FloatArray, rng: np.random.Generator) -> Iterator[tuple[float, IntArray, IntArray]]:
    """Signed permutations of axes of the same step, and for how many each stands."""
    axes = np.arange(len(steps))
    classes = np.unique(np.round(np.log(steps), 6), return_inverse=True)[1].ravel()
    count = 2.0 ** len(axes) * np.prod([float(factorial(int(size))) for size in np.bincount(classes)])
    ones = np.ones(len(axes), dtype=np.int64)
    if count <= COUNTING.most:
        for order in permutations(axes.tolist()):
            if (classes[list(order)] == classes).all():
                for signs in product((1, -1), repeat=len(axes)):
                    yield 1.0, np.array(order), np.array(signs)
        return
    yield 1.0, axes, ones
    for i in axes.tolist():
        yield 1.0, axes, np.where(axes == i, -1, ones)
        for j in axes[i + 1 :][classes[i + 1 :] == classes[i]].tolist():
            exchanged = axes.copy()
            exchanged[[i, j]] = j, i
            for first, second in product((1, -1), repeat=2):
                yield 1.0, exchanged, np.where(axes == i, first, np.where(axes == j, second, ones))
    for _ in range(COUNTING.drawn):
        drawn = axes.copy()
        for one in np.unique(classes):
            drawn[classes == one] = rng.permutation(axes[classes == one])
        yield float(count) / COUNTING.drawn, drawn, rng.choice([-1, 1], len(axes))
