# SPDX-License-Identifier: BSD-3-Clause
"""The Gram path from rows to a frame: tables of whole numbers in a unit that is a power of ten."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isobreach._arrays import FloatArray, IntArray
from isobreach.attacks.lattice.frame import AxisFrame, Doubt, Path, nearest_first, phased, refined, rotation
from isobreach.attacks.lattice.gram import gram_lattice, looks_whole, whole_gram
from isobreach.attacks.lattice.reduction import Spanned
from isobreach.attacks.lattice.tight import tight_frame
from isobreach.geometry.lattice import ReductionEffort


@dataclass(frozen=True)
class Generation:
    """How rows that a lattice misses become generators."""

    rounds: int = 12  # Each round at least halves the index of the lattice in that of all rows: 4,096 in all.
    new: int = 24  # Missed rows, short ones and far ones each, that become generators; set by hand.
    spare: int = 16  # Generators kept from the round before: surplus equations.
    missed: float = 0.3  # A row is missed if a coordinate is further from a whole number.
    beyond: float = 0.5  # A row is missed if it is further from the span, in units: half of the shortest vector.
    all_missed: float = 0.9  # Share of missed rows from which on the lattice is none of theirs.
    reach: float = 10.0  # Medians of the residuals: seven standard deviations of normal ones.
    precise: float = 1e-3  # Residuals that need no turning.
    largest_residual: float = 0.2  # On average; of residuals anywhere 0.29.


_GENERATION = Generation()


@dataclass(frozen=True, eq=False)
class _Basis:
    """Basis of the lattice that the rows generate, in released coordinates, with its exact Gram matrix."""

    vectors: FloatArray
    gram: IntArray
    split: int


def gram_frame(
    rows: FloatArray, base: FloatArray, units: Sequence[float], generators: FloatArray, effort: ReductionEffort
) -> AxisFrame | None:
    """Frame of a whole-number table in one of these units; None where inner products of generators are no such.

    ``generators``: rows from the base, or short differences.
    """
    for unit in units:
        if looks_whole(generators / unit):
            basis = _generated((rows - base) / unit, generators / unit, effort)
            if basis is not None:
                frame = _axes(basis, base, unit, rows.shape[1], effort)
                spanning = np.linalg.matrix_rank(frame.directions, tol=_GENERATION.precise) == len(basis.gram)
                return refined(frame, rows, steps=False) if spanning else phased(frame, rows)
    return None


def _generated(scaled: FloatArray, generators: FloatArray, effort: ReductionEffort) -> _Basis | None:
    """Basis of the lattice of all rows: those that the generators' lattice misses become generators themselves."""
    most_rank = scaled.shape[1]
    for _ in range(_GENERATION.rounds):
        exact = whole_gram(generators, most_rank, effort)
        found = None if exact is None else gram_lattice(exact[1], effort)
        if exact is None or found is None:
            return None
        lattice, gram, done = found
        kept = generators[exact[0]]
        vectors = _turned(lattice, kept, scaled)
        positions = scaled @ np.linalg.pinv(vectors)
        whole = np.rint(positions)
        residuals = np.abs(positions - whole)
        outside = scaled - positions @ vectors
        beyond = np.linalg.norm(outside, axis=1) > _GENERATION.beyond
        reach = np.clip(_GENERATION.reach * np.median(residuals, axis=0), _GENERATION.missed, 0.5)
        missed = np.flatnonzero((residuals > reach).any(axis=1) | beyond)
        if not len(missed):
            # Residuals that are anywhere miss nothing: a lattice that rows show in part only is not theirs in any part.
            seen = np.sqrt((residuals**2).mean(axis=0)) < _GENERATION.largest_residual
            return _Basis(vectors, gram, done) if seen.all() else None
        if len(missed) > _GENERATION.all_missed * len(scaled) and len(lattice.basis) == scaled.shape[1]:
            return None
        # The remainder of a missed row is a short vector of its class, and so a precise one.
        remainders = scaled[missed] - whole[missed] @ vectors
        by_length = np.argsort(np.einsum("ij,ij->i", remainders, remainders), kind="stable")
        picked = by_length[np.unique(np.linspace(0, len(missed) - 1, _GENERATION.new).astype(np.int64))]
        outermost = np.argsort(-np.linalg.norm(outside[missed], axis=1), kind="stable")[: _GENERATION.new]
        new = remainders[np.unique(np.concatenate([picked, outermost]))]
        directions = (
            int((np.linalg.svd(outside[beyond], compute_uv=False) > _GENERATION.beyond).sum()) if beyond.any() else 0
        )
        most_rank = min(scaled.shape[1], len(lattice.basis) + directions)
        generators = np.concatenate([vectors, new, kept[: _GENERATION.spare]])
    return None


def _turned(lattice: Spanned, kept: FloatArray, scaled: FloatArray) -> FloatArray:
    """The exact basis turned to where the generators are; then to where rows are, as far as they lie on the lattice."""
    exact = lattice.coordinates @ lattice.basis
    vectors = lattice.basis @ rotation(exact, kept, len(lattice.basis))
    for nearest in nearest_first(scaled, len(lattice.basis)):
        near = scaled[nearest]
        positions = near @ np.linalg.pinv(vectors)
        whole = np.rint(positions)
        residuals = np.abs(positions - whole)
        if residuals.max() < _GENERATION.precise:
            continue
        good = (residuals < _GENERATION.missed).all(axis=1)
        records = np.concatenate([exact, whole[good] @ lattice.basis])
        vectors = lattice.basis @ rotation(records, np.concatenate([kept, near[good]]), len(lattice.basis))
    return vectors


def _axes(basis: _Basis, base: FloatArray, unit: float, columns: int, effort: ReductionEffort) -> AxisFrame:
    """Axes of the lattice: what split off with step one, as only axes are that short; then what the rest allows."""
    units = (np.diag(basis.gram) == 1) & (np.arange(len(basis.gram)) < basis.split)
    directions, steps = basis.vectors[units], np.ones(int(units.sum()))
    certain = np.ones(len(steps), dtype=np.bool_)
    doubt = None
    if not units.all():
        rest = ~units
        gram = basis.gram[np.ix_(rest, rest)]
        found = tight_frame(gram, columns - int(units.sum()), effort)
        # What split off may be an attribute with a step of its own: steps of sqrt(2) look like x1 + x2 even.
        split = np.flatnonzero(rest) < basis.split
        tied = (found.functionals[:, split] != 0).sum(axis=1) > 1
        doubt = found.doubt or (Doubt.OWN_STEPS if tied.any() else None)
        # A functional c takes the basis to whole numbers c_i; as a vector of the span it is c' G^-1 b.
        dual = found.functionals @ np.linalg.solve(gram.astype(np.float64), basis.vectors[rest])
        directions = np.concatenate([directions, dual])
        steps = np.concatenate([steps, np.ones(len(dual))])
        certain = np.concatenate([certain, found.certain & ~tied])
    return AxisFrame(directions, steps * unit, certain, base, not base.any(), Path.INNER_PRODUCTS, doubt)
