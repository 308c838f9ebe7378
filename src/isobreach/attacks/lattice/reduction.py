# SPDX-License-Identifier: BSD-3-Clause
r"""From a basis of a lattice to one that falls apart into orthogonal pieces.

Every lattice is an orthogonal sum of indecomposable ones in one way only (Eichler 1952, Kneser 1954). A vector u splits
off, L = Zu + (L orthogonal to u), if and only if (b.u)/(u.u) is a whole number for every b of a basis. So if a lattice
has an orthogonal basis, reduction followed by splitting finds it, and there is no other.

A basis is known from whole numbers and measured vectors, and is fitted anew after each change of the whole numbers.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, Self, TypeVar

import numpy as np

from isobreach._arrays import FloatArray, IntArray
from isobreach.geometry.integers import unimodular_inverse, whole_product
from isobreach.geometry.lattice import ReductionEffort, reduce


@dataclass(frozen=True)
class Splitting:
    """How hard a lattice is reduced, and when a vector splits off."""

    # Block sizes in turn, from LLL upwards: cost grows steeply with them.
    blocks: tuple[int, ...] = (2, 10, 20, 30, 40)
    tries: int = 3  # Reductions of one block size that split nothing off.
    sure: float = 10.0  # Standard errors that a quotient may be from a whole number.
    roundoff: float = 1e-9  # Added to that.
    largest: float = 0.1  # And never more than this: other lattices have quotients of one half.


_SPLITTING = Splitting()


class Measured(Protocol):
    """A basis b (r x n), the standard error of each vector's coordinates, and what T b is for a unimodular T."""

    @property
    def basis(self) -> FloatArray:
        """The vectors."""

    @property
    def errors(self) -> FloatArray:
        """Standard error of a coordinate, for each vector."""

    def changed(self, transform: IntArray) -> Self | None:
        """The same lattice in the basis T b; None where whole numbers leave 64 bits."""


@dataclass(frozen=True, eq=False)
class Spanned:
    """A lattice by generators v = C b: whole ``coordinates`` C (g x r), ``generators`` v (g x n) within an ``error``.

    C's columns may differ in size by many orders, so they are scaled before b is fitted by least squares.
    """

    coordinates: IntArray
    generators: FloatArray
    error: float

    @cached_property
    def _fit(self) -> tuple[FloatArray, FloatArray]:
        size = np.sqrt((self.coordinates.astype(np.float64) ** 2).mean(axis=0))
        left, values, right = np.linalg.svd(self.coordinates / size, full_matrices=False)
        inverse = right.T / values
        return (inverse @ (left.T @ self.generators)) / size[:, None], np.linalg.norm(inverse, axis=1) / size

    @property
    def basis(self) -> FloatArray:
        """Least-squares fit of b."""
        return self._fit[0]

    @property
    def errors(self) -> FloatArray:
        """Standard errors of the fit."""
        return self.error * self._fit[1]

    def changed(self, transform: IntArray) -> "Spanned | None":
        """Coordinates C T^-1."""
        inverse = unimodular_inverse(transform)
        changed = None if inverse is None else whole_product(self.coordinates, inverse)
        return None if changed is None else Spanned(changed, self.generators, self.error)


@dataclass(frozen=True, eq=False)
class Dual:
    """A lattice of functionals w with whole numbers on vectors: ``whole`` c = v w (k x g), ``vectors`` v (g x n).

    ``error``: of a vector's coordinate.
    """

    whole: IntArray
    vectors: FloatArray
    error: float

    @cached_property
    def basis(self) -> FloatArray:
        """Least-squares fit of w."""
        return np.asarray(np.linalg.lstsq(self.vectors, self.whole.T.astype(np.float64), rcond=None)[0].T)

    @property
    def errors(self) -> FloatArray:
        """Errors of the vectors, seen through the fit."""
        values = np.linalg.svd(self.vectors, compute_uv=False)
        weakest = float(values[values > 1e-12 * values[0]].min(initial=np.inf))
        return np.asarray(self.error * np.linalg.norm(self.basis, axis=1) * np.sqrt(len(self.vectors)) / weakest)

    def changed(self, transform: IntArray) -> "Dual | None":
        """Whole numbers T c."""
        changed = whole_product(transform, self.whole)
        return None if changed is None else Dual(changed, self.vectors, self.error)


Basis = TypeVar("Basis", bound=Measured)


def split(lattice: Basis, effort: ReductionEffort) -> tuple[Basis, int] | None:
    """Lattice reduced until as much as possible has split off, and how many of its first vectors have.

    None where whole numbers leave 64 bits.
    """
    done = 0
    for block in _SPLITTING.blocks:
        tries = 0
        while done < len(lattice.basis) and tries < _SPLITTING.tries:
            tries += 1
            transform = reduce(lattice.basis[done:], block, effort)
            reduced = None if transform is None else lattice.changed(_below(transform, done))
            if transform is None or reduced is None:
                return None
            places, multiples = _splitting(reduced.basis[done:], reduced.errors[done:])
            lattice = reduced
            if len(places):
                taken = lattice.changed(_below(_taking_out(places, multiples), done))
                if taken is None:
                    return None
                lattice, done, tries = taken, done + len(places), 0
            elif (transform == np.eye(len(transform), dtype=np.int64)).all():
                break  # as reduced as this block size makes it
        if done == len(lattice.basis):
            break
    return lattice, done


def _below(transform: IntArray, done: int) -> IntArray:
    """A change of the vectors behind the first ``done``."""
    size = done + len(transform)
    full = np.eye(size, dtype=np.int64)
    full[done:, done:] = transform
    return full


def _splitting(basis: FloatArray, errors: FloatArray) -> tuple[IntArray, IntArray]:
    """Mutually orthogonal basis vectors that split off, and the whole multiples (b_i.u_j)/(u_j.u_j) of them in all.

    The shortest come first: what does not split off beside a shorter vector is often that vector plus a longer one.
    """
    products = basis @ basis.T
    squares = np.diag(products)
    if not squares.all():  # a functional that is nothing on vectors that span too little
        return np.empty(0, dtype=np.int64), np.empty((len(basis), 0), dtype=np.int64)
    lengths = np.sqrt(squares)
    ratios = products / squares
    whole = np.rint(ratios)
    doubt = (errors[:, None] + lengths[:, None] * (errors / lengths)) / lengths
    close = np.abs(ratios - whole) <= np.minimum(
        _SPLITTING.sure * doubt * np.sqrt(basis.shape[1]) + _SPLITTING.roundoff, _SPLITTING.largest
    )
    candidates = np.flatnonzero(close.all(axis=0))
    places: list[int] = []
    for place in candidates[np.argsort(squares[candidates], kind="stable")].tolist():
        if not whole[place, places].any() and not whole[places, place].any():
            places.append(place)
    return np.array(places, dtype=np.int64), whole[:, places].astype(np.int64)


def _taking_out(places: IntArray, multiples: IntArray) -> IntArray:
    """The change that puts the u_j first and replaces the other b_i by b_i - q_ij u_j."""
    rest = np.setdiff1d(np.arange(len(multiples)), places)
    transform = np.eye(len(multiples), dtype=np.int64)
    transform[np.ix_(rest, places)] = -multiples[rest]
    return np.asarray(transform[np.concatenate([places, rest])])
