# SPDX-License-Identifier: BSD-3-Clause
r"""The dual path: functionals that are whole numbers on every row, whatever the other attributes are.

If only some attributes lie on grids, differences of rows generate no lattice. But w = m_j / d_j takes whole-number
values on them for each attribute j on a grid, and these functionals form a lattice, the sum of Z m_j / d_j: for
generators V, whole-number vectors c = V w in the column space of V, which reduction finds. Its orthogonal
basis is unique like that of the rows' lattice.
"""

from dataclasses import dataclass, replace

import numpy as np

from isobreach._arrays import FloatArray
from isobreach.attacks.lattice.certainty import judged_steps
from isobreach.attacks.lattice.frame import AxisFrame, Doubt, Path, phased, step_errors
from isobreach.attacks.lattice.generators import random_rows
from isobreach.attacks.lattice.reduction import Dual, split
from isobreach.geometry.lattice import ReductionEffort, whole_combinations


@dataclass(frozen=True)
class DualSearch:
    """How functionals are looked for."""

    extra: int = 12  # Vectors beyond a multiple of the columns: equations that chance would have to meet.
    generators: tuple[int, ...] = (2, 4)  # Times the columns: more of them stand noise better, and cost more.
    gap: float = 1.3  # Smallest gap worth a look: every functional is checked on the rows afterwards.
    largest_scale: float = 2.0**40  # Keeps the reduction within 64 bits.
    close: float = 0.2  # Residual of a row that takes part in a fit.
    rounds: int = 4  # Fits, each of which may change which rows are close; set by hand.
    sure: float = 6.0  # Standard errors: 2e-9 for a normal error.


_DUAL_SEARCH = DualSearch()


def dual_frame(
    rows: FloatArray, error: float, random: np.random.Generator, effort: ReductionEffort
) -> AxisFrame | None:
    """Frame of the attributes on grids; None where no functional is a whole number. ``error``: of a coordinate."""
    base = rows[int(random.integers(len(rows)))]
    differences = rows - base
    columns = rows.shape[1]
    for times in _DUAL_SEARCH.generators:
        count = times * columns + _DUAL_SEARCH.extra
        if len(rows) <= 2 * count:
            return None
        vectors = differences[random_rows(differences, count, random, _DUAL_SEARCH.sure * error * np.sqrt(columns))]
        found = whole_combinations(vectors, min(0.5 / error, _DUAL_SEARCH.largest_scale), effort)
        if found is None or found[1] < _DUAL_SEARCH.gap:
            continue
        reduced = split(Dual(found[0], vectors, 2 * error), effort)
        if reduced is not None and reduced[1]:
            frame = _frame(reduced[0].basis[: reduced[1]], rows, base)
            if frame is not None:
                return frame
    return None


def _frame(functionals: FloatArray, rows: FloatArray, base: FloatArray) -> AxisFrame | None:
    """Functionals fitted anew to all rows on which they are whole numbers; those that are no such are dropped."""
    frame = _as_frame(functionals, base)
    noise = np.full(len(functionals), np.inf)
    for _ in range(_DUAL_SEARCH.rounds):
        frame = phased(frame, rows)
        positions = frame.positions(rows)
        whole = np.rint(positions)
        # On most rows a whole number, and not the same one on all of them.
        kept = ((np.abs(positions - whole) < _DUAL_SEARCH.close).mean(axis=0) > 0.9) & (whole != whole[0]).any(axis=0)
        if not kept.any():
            return None
        good = (np.abs(positions - whole)[:, kept] < _DUAL_SEARCH.close).all(axis=1)
        centred, target = rows[good] - rows[good].mean(axis=0), whole[good][:, kept]
        if (target == target[:1]).all(axis=0).any():
            return None
        fitted = np.linalg.lstsq(centred, target - target.mean(axis=0), rcond=None)[0].T
        noise = np.sqrt(((positions - whole)[good][:, kept] ** 2).mean(axis=0))
        frame = _as_frame(fitted, frame.base)
    frame = phased(frame, rows)
    errors = _DUAL_SEARCH.sure * step_errors(frame, rows, noise) + 1e-9
    steps, certain = judged_steps(frame.steps, errors, missing=rows.shape[1] - len(frame.steps))
    doubt = None if certain.all() else Doubt.OTHER_READINGS
    return replace(frame.measured_in(steps), certain=certain, doubt=doubt)


def _as_frame(functionals: FloatArray, base: FloatArray) -> AxisFrame:
    lengths = np.linalg.norm(functionals, axis=1)
    certain = np.zeros(len(lengths), dtype=np.bool_)
    return AxisFrame(functionals / lengths[:, None], 1 / lengths, certain, base, False, Path.DUAL)
