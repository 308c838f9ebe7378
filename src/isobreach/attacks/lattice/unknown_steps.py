# SPDX-License-Identifier: BSD-3-Clause
r"""The float path: a step of its own for every attribute, as in standardised tables or prices and counts side by side.

The lattice is found from the release's own precision instead of from whole inner products, which needs a precise
release: relations among the generators must stand out from its errors. A few rows may have finer digits than the rest,
in two attributes at once: the lattice of all rows is then not orthogonal, that of the others is.
"""

from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from isobreach._arrays import BoolArray, FloatArray, IntArray
from isobreach.attacks.lattice.certainty import judged_steps
from isobreach.attacks.lattice.frame import AxisFrame, Doubt, Path, refined, step_errors
from isobreach.attacks.lattice.generators import random_rows
from isobreach.attacks.lattice.reduction import Spanned, split
from isobreach.geometry.lattice import ReductionEffort, coordinates


@dataclass(frozen=True)
class StepSearch:
    """How a lattice of unknown steps is found and fitted."""

    gap: float = 4.0  # Between relations and basis vectors, which errors alone do not make.
    # Fifteen significant digits, as spreadsheets write them, look like a float64: errors may be so much larger.
    undetected: float = 32.0
    extra: int = 12  # Generators beyond twice the rank: equations that chance would have to meet.
    rounds: int = 8  # Rows that were missed are added so often; set by hand, it only decides what is missed.
    missed: float = 0.05  # Residual from which on a row is missed, however large the others.
    # Medians of the residuals: a row at 9.899999 among tenths is off by little, and by more than that.
    far: float = 40.0
    roundoff: float = 256.0  # Errors of a coordinate that a row is off by anyway.
    sure: float = 6.0  # Standard errors: 2e-9 for a normal error.
    exceptions: float = 0.02  # Largest share of rows with finer digits than the rest.
    tied: int = 6  # Attributes tied by them, at most: functionals modulo 5 are 3,906.
    primes: tuple[int, ...] = (2, 3, 5)  # Of fractions in use: halves, thirds, fifths and tenths.
    # Errors, in fractions of a step, above which it cannot be told whether a row is on their grid.
    telling: float = 0.2
    fractions: tuple[int, ...] = (1, 2, 4, 5, 8, 10, 20, 25, 40, 50, 100, 1000, 10_000)  # In use for finer digits.


_STEP_SEARCH = StepSearch()


def step_frame(
    rows: FloatArray, error: float, random: np.random.Generator, effort: ReductionEffort
) -> AxisFrame | None:
    """Frame of a table on unknown steps; None where no orthogonal lattice shows. ``error``: of a coordinate."""
    base = rows[int(random.integers(len(rows)))]
    differences = rows - base
    columns = rows.shape[1]
    values = np.linalg.svd(differences, compute_uv=False)
    rank = int((values > _STEP_SEARCH.sure * error * np.sqrt(differences.size)).sum())
    if rank == 0 or len(rows) <= rank + _STEP_SEARCH.extra:
        return None
    allowed = np.ones(len(rows), dtype=np.bool_)
    generators = random_rows(
        differences, 2 * rank + _STEP_SEARCH.extra, random, 2 * _STEP_SEARCH.sure * error * np.sqrt(columns)
    )
    for _ in range(_STEP_SEARCH.rounds):
        found = _lattice(differences[generators], rank, error, effort)
        if found is None:
            return None
        lattice, done = found
        positions = differences @ np.linalg.pinv(lattice.basis)
        residuals = np.abs(positions - np.rint(positions))
        # One row at 9.899999 among tenths is off by little, and by much more than the others.
        reach = _STEP_SEARCH.far * np.median(residuals, axis=0) + _STEP_SEARCH.roundoff * error / np.linalg.norm(
            lattice.basis, axis=1
        )
        missed = np.flatnonzero((residuals > np.minimum(reach, _STEP_SEARCH.missed)).any(axis=1) & allowed)
        if len(missed) > len(rows) // 2:
            return None
        if len(missed):
            generators = np.concatenate([generators, random.permutation(missed)[: max(_STEP_SEARCH.extra, rank // 2)]])
        elif done == rank:
            return _axes(lattice.basis, rows, base, error)
        else:
            allowed &= ~_exceptions(np.rint(positions[:, done:]).astype(np.int64), allowed)
            if allowed[generators].all():
                return None  # no few rows are to blame
            generators = generators[allowed[generators]]
    return None


def _lattice(generators: FloatArray, rank: int, error: float, effort: ReductionEffort) -> tuple[Spanned, int] | None:
    """Lattice that the generators show at the release's precision, and how much of it split off."""
    if len(generators) <= rank:
        return None
    for scale in (0.5 / error, 0.5 / (_STEP_SEARCH.undetected * error)):
        found = coordinates(generators, rank, scale, effort)
        if found is not None and found[1] >= _STEP_SEARCH.gap:
            return split(Spanned(found[0], generators, 2 * error), effort)
    return None


def _exceptions(whole: IntArray, allowed: BoolArray) -> BoolArray:
    """Rows outside the sublattice of small index that holds the most rows but not all; none where they are many.

    Sublattices of prime index p are the rows with f.x = 0 modulo p for one functional f.
    """
    columns = whole.shape[1]
    fewest, blamed = _STEP_SEARCH.exceptions * len(whole) + 1, np.zeros(len(whole), dtype=np.bool_)
    if columns > _STEP_SEARCH.tied:
        return blamed
    for prime in _STEP_SEARCH.primes:
        functionals = np.array([f for f in product(range(prime), repeat=columns) if _is_monic(f)]).T
        outside = ((whole % prime) @ functionals) % prime != 0
        outside &= allowed[:, None]
        counts = outside.sum(axis=0)
        counts[counts == 0] = len(whole)
        place = int(counts.argmin())
        if counts[place] < fewest:
            fewest, blamed = int(counts[place]), outside[:, place]
    return blamed


def _is_monic(functional: tuple[int, ...]) -> bool:
    """Whether the first coefficient that is not zero is one: one functional of each line."""
    return next((value for value in functional if value), 0) == 1


def _axes(basis: FloatArray, rows: FloatArray, base: FloatArray, error: float) -> AxisFrame:
    """Frame of an orthogonal basis, one vector a step along each axis, fitted to all rows."""
    lengths = np.linalg.norm(basis, axis=1)
    certain = np.ones(len(lengths), dtype=np.bool_)
    # The functionals of the basis, not its vectors: short ones are at right angles to long ones only up to errors that
    # rows far along a coarse attribute would multiply.
    directions = np.linalg.pinv(basis / lengths[:, None]).T
    frame = refined(AxisFrame(directions, lengths, certain, base, False, Path.PRECISION), rows, steps=True)
    positions = frame.positions(rows)
    residuals = positions - np.rint(positions)
    noise = 1.5 * np.median(np.abs(residuals), axis=0) + error / frame.steps  # a few rows may have finer digits
    errors = _STEP_SEARCH.sure * step_errors(frame, rows, noise) + 1e-9
    steps, certain = judged_steps(frame.steps, errors, missing=rows.shape[1] - len(frame.steps))
    doubt = None if certain.all() else Doubt.TIED_STEPS
    frame = frame.measured_in(steps)
    return replace(frame, steps=_finer(steps, positions, noise), certain=certain, doubt=doubt)


def _finer(steps: FloatArray, positions: FloatArray, noise: FloatArray) -> FloatArray:
    """Steps divided so that the rows with finer digits lie on the grid too, where a usual fraction does that."""
    steps = steps.copy()
    for axis in range(len(steps)):
        for fraction in _STEP_SEARCH.fractions:
            doubt = 2 * _STEP_SEARCH.sure * noise[axis] * fraction
            fine = positions[:, axis] * fraction
            if doubt < _STEP_SEARCH.telling and (np.abs(fine - np.rint(fine)) <= doubt).all():
                steps[axis] /= fraction
                break
    return steps
