# SPDX-License-Identifier: BSD-3-Clause
r"""The float path: a step of its own for every attribute, as in standardised tables or prices and counts side by side.

The lattice is found from the release's own precision instead of from whole inner products, which needs a precise
release: relations among the generators must stand out from its errors. A few rows may have finer digits than the rest,
in two attributes at once: the lattice of all rows is then not orthogonal, that of the others is.
"""

from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from isobreach.attacks.lattice.certainty import judged_steps
from isobreach.attacks.lattice.frame import Doubt, Frame, Path, refined, step_errors
from isobreach.attacks.lattice.generators import random_rows
from isobreach.attacks.lattice.reduction import Spanned, split
from isobreach.geometry.lattice import Deadline, coordinates

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

_GAP = 4.0
# Fifteen significant digits, as spreadsheets write them, cannot be told from a float64 by looking.
_UNDETECTED = 32.0
_EXTRA = 12
_ROUNDS = 8
_MISSED = 0.05
_FAR, _ROUNDOFF = 40.0, 256.0
_SURE = 6.0
# Rows with finer digits than the rest: at most this share, tying at most so many attributes.
_EXCEPTIONS, _TIED = 0.02, 6
_PRIMES = (2, 3, 5)
# Whether a row is on the grid of a fraction cannot be told if errors reach this far.
_TELLING = 0.2
_FRACTIONS = (1, 2, 4, 5, 8, 10, 20, 25, 40, 50, 100, 1000, 10_000)


def step_frame(rows: FloatArray, error: float, random: np.random.Generator, deadline: Deadline) -> Frame | None:
    """Frame of a table on unknown steps; None where no orthogonal lattice shows. ``error``: of a coordinate."""
    base = rows[int(random.integers(len(rows)))]
    differences = rows - base
    columns = rows.shape[1]
    values = np.linalg.svd(differences, compute_uv=False)
    rank = int((values > _SURE * error * np.sqrt(differences.size)).sum())
    if rank == 0 or len(rows) <= rank + _EXTRA:
        return None
    allowed = np.ones(len(rows), dtype=np.bool_)
    generators = random_rows(differences, 2 * rank + _EXTRA, random, 2 * _SURE * error * np.sqrt(columns))
    for _ in range(_ROUNDS):
        found = _lattice(differences[generators], rank, error, deadline)
        if found is None:
            return None
        lattice, done = found
        positions = differences @ np.linalg.pinv(lattice.basis)
        residuals = np.abs(positions - np.rint(positions))
        # One row at 9.899999 among tenths is off by little, and by much more than the others.
        reach = _FAR * np.median(residuals, axis=0) + _ROUNDOFF * error / np.linalg.norm(lattice.basis, axis=1)
        missed = np.flatnonzero((residuals > np.minimum(reach, _MISSED)).any(axis=1) & allowed)
        if len(missed) > len(rows) // 2:
            return None
        if len(missed):
            generators = np.concatenate([generators, random.permutation(missed)[: max(_EXTRA, rank // 2)]])
        elif done == rank:
            return _axes(lattice.basis, rows, base, error)
        else:
            allowed &= ~_exceptions(np.rint(positions[:, done:]).astype(np.int64), allowed)
            if allowed[generators].all():
                return None  # no few rows are to blame
            generators = generators[allowed[generators]]
    return None


def _lattice(generators: FloatArray, rank: int, error: float, deadline: Deadline) -> tuple[Spanned, int] | None:
    """Lattice that the generators show at the release's precision, and how much of it split off."""
    if len(generators) <= rank:
        return None
    for scale in (0.5 / error, 0.5 / (_UNDETECTED * error)):
        found = coordinates(generators, rank, scale, deadline)
        if found is not None and found[1] >= _GAP:
            return split(Spanned(found[0], generators, 2 * error), deadline)
    return None


def _exceptions(whole: IntArray, allowed: BoolArray) -> BoolArray:
    """Rows outside the sublattice of small index that holds the most rows but not all; none where they are many.

    Sublattices of prime index p are the rows with f.x = 0 modulo p for one functional f.
    """
    columns = whole.shape[1]
    fewest, blamed = _EXCEPTIONS * len(whole) + 1, np.zeros(len(whole), dtype=np.bool_)
    if columns > _TIED:
        return blamed
    for prime in _PRIMES:
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


def _axes(basis: FloatArray, rows: FloatArray, base: FloatArray, error: float) -> Frame:
    """Frame of an orthogonal basis, one vector a step along each axis, fitted to all rows."""
    lengths = np.linalg.norm(basis, axis=1)
    certain = np.ones(len(lengths), dtype=np.bool_)
    # The functionals of the basis, not its vectors: short ones are at right angles to long ones only up to errors that
    # rows far along a coarse attribute would multiply.
    directions = np.linalg.pinv(basis / lengths[:, None]).T
    frame = refined(Frame(directions, lengths, certain, base, False, Path.PRECISION), rows, steps=True)
    positions = frame.positions(rows)
    residuals = positions - np.rint(positions)
    noise = 1.5 * np.median(np.abs(residuals), axis=0) + error / frame.steps  # a few rows may have finer digits
    errors = _SURE * step_errors(frame, rows, noise) + 1e-9
    steps, certain = judged_steps(frame.steps, errors, missing=rows.shape[1] - len(frame.steps))
    doubt = None if certain.all() else Doubt.TIED_STEPS
    frame = frame.measured_in(steps)
    return replace(frame, steps=_finer(steps, positions, noise), certain=certain, doubt=doubt)


def _finer(steps: FloatArray, positions: FloatArray, noise: FloatArray) -> FloatArray:
    """Steps divided so that the rows with finer digits lie on the grid too, where a usual fraction does that."""
    steps = steps.copy()
    for axis in range(len(steps)):
        for fraction in _FRACTIONS:
            doubt = 2 * _SURE * noise[axis] * fraction
            fine = positions[:, axis] * fraction
            if doubt < _TELLING and (np.abs(fine - np.rint(fine)) <= doubt).all():
                steps[axis] /= fraction
                break
    return steps
